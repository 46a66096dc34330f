/* user.c - user-defined operators: the calling conventions as trampolines on one form, and their life.
 *
 *     MPI_Op_create      fn(in, inout, &int_length, &datatype)    \
 *     MPI_Op_create_c    fn(in, inout, &length, &datatype)         } -> fn(in, inout, length, datatype, context)
 *     MPIX_Op_create_x   fn(in, inout, length, datatype, context) /
 */
#include <limits.h>

#include "base/settings.h"
#include "op/accumulate.h"
#include "op/user.h"

/* `context` of both trampolines is the operator itself. */
static void call_int(void *in, void *inout, MPI_Count length, MPI_Datatype datatype, void *context)
{
    const struct tf_op *op = context;
    char *a = in, *b = inout;
    while (length > INT_MAX) {
        int piece = INT_MAX;
        /* The function may write to its arguments. */
        MPI_Datatype its_datatype = datatype;
        tf_lock_enter();
        ptrdiff_t stride = tf_type_find(datatype)->extent * INT_MAX;
        tf_lock_leave();
        op->fn_int(a, b, &piece, &its_datatype);
        a += stride;
        b += stride;
        length -= INT_MAX;
    }
    int rest = (int)length;
    op->fn_int(a, b, &rest, &datatype);
}

static void call_large(void *in, void *inout, MPI_Count length, MPI_Datatype datatype, void *context)
{
    const struct tf_op *op = context;
    op->fn_c(in, inout, &length, &datatype);
}

static int create(MPIX_User_function_x *fn, int commute, struct tf_op **op_p)
{
    static uint64_t latest;
    struct tf_op *op = tf_pool_take(&tf_op_pool);
    if (op == NULL)
        return MPI_ERR_NO_MEM;
    op->number = ++latest;
    op->commutative = commute != 0;
    op->fn = fn;
    op->context = op;
    *op_p = op;
    return MPI_SUCCESS;
}

static int check_function(bool given)
{
    return given ? MPI_SUCCESS : tf_error(MPI_ERR_ARG, "the operator's function is a null pointer");
}

static MPI_Op handle_of(const struct tf_op *op)
{
    return (MPI_Op)(uintptr_t)op->obj.handle;
}

int tf_op_create(MPI_User_function *fn, int commute, MPI_Op *op_p)
{
    struct tf_op *op;
    int err = check_function(fn != NULL);
    if (!err)
        err = create(call_int, commute, &op);
    if (err)
        return err;
    op->fn_int = fn;
    *op_p = handle_of(op);
    return MPI_SUCCESS;
}

int tf_op_create_c(MPI_User_function_c *fn, int commute, MPI_Op *op_p)
{
    struct tf_op *op;
    int err = check_function(fn != NULL);
    if (!err)
        err = create(call_large, commute, &op);
    if (err)
        return err;
    op->fn_c = fn;
    *op_p = handle_of(op);
    return MPI_SUCCESS;
}

int tf_op_create_x(MPIX_User_function_x *fn, MPIX_Destructor_function *destructor, int commute, void *context,
                   MPI_Op *op_p)
{
    struct tf_op *op;
    int err = check_function(fn != NULL);
    if (!err)
        err = create(fn, commute, &op);
    if (err)
        return err;
    op->context = context;
    op->destructor = destructor;
    *op_p = handle_of(op);
    return MPI_SUCCESS;
}

int tf_op_free(struct tf_op *op)
{
    if (op->name != NULL)
        return tf_error(MPI_ERR_OP, "%s is predefined and cannot be freed", op->name);
    /* A second free while an operation still uses it would take that operation's reference. */
    if (op->freed)
        return tf_error(MPI_ERR_OP, "this operator was already freed");
    op->freed = true;
    tf_op_release(op);
    return MPI_SUCCESS;
}

int tf_op_commutative(const struct tf_op *op, int *commute)
{
    *commute = op->commutative;
    return MPI_SUCCESS;
}

/* The sum that the settings ask for, of elements that have one. */
static TF_COLD int add_exactly(const void *in, void *inout, MPI_Count count, struct tf_type *type, struct tf_op *op)
{
    struct tf_binned_form form = tf_binned_form((enum tf_basic)type->basic);
    if (form.parts > 0)
        tf_binned_local(in, inout, (size_t)count, form);
    else
        tf_op_apply(op, (void *)in, inout, count, type);
    return MPI_SUCCESS;
}

/* With threads, of which others may use MPI meanwhile, and free both. */
static TF_COLD int call_among_threads(const void *in, void *inout, MPI_Count count, struct tf_type *type,
                                      struct tf_op *op)
{
    tf_lock_enter();
    tf_type_retain(type);
    tf_op_retain(op);
    tf_lock_leave();
    tf_op_apply(op, (void *)in, inout, count, type);
    tf_lock_enter();
    tf_op_release(op);
    tf_type_release(type);
    tf_lock_leave();
    return MPI_SUCCESS;
}

/* What the function frees itself is not looked at behind it. */
static int call(const void *in, void *inout, MPI_Count count, struct tf_type *type, struct tf_op *op)
{
    if (TF_UNLIKELY(tf_library.locking))
        return call_among_threads(in, inout, count, type, op);
    MPI_Datatype datatype = (MPI_Datatype)(uintptr_t)type->obj.handle;
    int length = (int)count;
    if (TF_LIKELY(op->fn == call_int && length == count)) /* without the trampoline */
        op->fn_int((void *)in, inout, &length, &datatype);
    else
        op->fn((void *)in, inout, count, datatype, op->context);
    return MPI_SUCCESS;
}

int tf_reduce_local(const void *in, void *inout, MPI_Count count, struct tf_type *type, struct tf_op *op)
{
    if (!op->kernels)
        return count > 0 ? call(in, inout, count, type, op) : MPI_SUCCESS;
    tf_kernel *kernel = tf_op_kernel(op, type);
    if (TF_UNLIKELY(!kernel))
        return tf_op_mismatch(op, type);
    if (TF_UNLIKELY(op->obj.handle == (uintptr_t)MPI_SUM && tf_settings.reproducible[0] == 'e'))
        return add_exactly(in, inout, count, type, op);
    kernel(inout, in, inout, (size_t)count);
    return MPI_SUCCESS;
}
