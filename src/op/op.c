/* op.c - the predefined operators, the choice of their kernels, and what all operators have in common.
 */
#include "op/binned.h"
#include "op/kernels.h"

#if defined TF_HAVE_AVX2 || defined TF_HAVE_AVX512
#include <cpuid.h>
#endif

int tf_op_logical_true = 1;

#define HANDLE(op) ((uint32_t)(uintptr_t)MPI_##op)
#define HANDLE_FIRST 32 /* MPI_OP_NULL; the ABI keeps 32..63 for operators (MPI-5.0 appendix A) */
#define HANDLE_COUNT 32

static tf_kernel *const no_kernels[TF_NBASIC];

static struct tf_op predefined[TF_OP_NPREDEFINED] = {
#define OP(op)                                                                                                         \
    [TF_OP_##op] = {.obj = {HANDLE(op), 1},                                                                            \
                    .commutative = true,                                                                               \
                    .name = "MPI_" #op,                                                                                \
                    .kernels = tf_op_kernels_baseline[TF_OP_##op]},
    TF_OPS_WITH_KERNELS(OP)
#undef OP
#define OP(op) [TF_OP_##op] = {.obj = {HANDLE(op), 1}, .name = "MPI_" #op, .kernels = no_kernels},
        TF_OPS_WITHOUT_KERNELS(OP)
#undef OP
};

static struct tf_object *predefined_objects[HANDLE_COUNT] = {
#define OP(op) [HANDLE(op) - HANDLE_FIRST] = &predefined[TF_OP_##op].obj,
    TF_OPS_WITH_KERNELS(OP) TF_OPS_WITHOUT_KERNELS(OP)
#undef OP
};

static char *chunks[TF_POOL_CHUNKS];
struct tf_pool tf_op_pool = {
    .what = "operator",
    .kind = TF_KIND_OP,
    .size = sizeof(struct tf_op),
    .predef_first = HANDLE_FIRST,
    .predef_count = HANDLE_COUNT,
    .predef = predefined_objects,
    .chunks = chunks,
    .lasting = true,
};

/* The levels of SIMD instructions, the narrowest first. */
static const struct level {
    const char *name;
    tf_kernel_table *kernels;
    const struct tf_binned_kernels *binned;
} levels[] = {
    {"sse2", &tf_op_kernels_baseline, &tf_binned_kernels_baseline},
#ifdef TF_HAVE_AVX2
    {"avx2", &tf_op_kernels_avx2, &tf_binned_kernels_avx2},
#endif
#ifdef TF_HAVE_AVX512
    {"avx512", &tf_op_kernels_avx512, &tf_binned_kernels_avx512},
#endif
};

static bool processor_has(const char *level)
{
#if defined TF_HAVE_AVX2 || defined TF_HAVE_AVX512
    unsigned a, b, c, d;
    __builtin_cpu_init(); /* not every compiler's knows F16C by name */
    bool avx2 = __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
    if (strcmp(level, "avx2") == 0)
        return avx2;
    if (strcmp(level, "avx512") == 0)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return strcmp(level, "sse2") == 0;
}

void tf_op_setup(const char *limit)
{
    const struct level *chosen = &levels[0];
    for (size_t i = 0; i < TF_ARRAY_LEN(levels) && processor_has(levels[i].name); i++) {
        chosen = &levels[i];
        if (limit != NULL && strcmp(limit, chosen->name) == 0)
            break;
    }
    for (int op = 0; op < TF_OP_NKERNELS; op++)
        predefined[op].kernels = (*chosen->kernels)[op];
    tf_binned_kernels = chosen->binned;
    tf_log(1, "reduction kernels: %s", chosen->name);
}

/* The kernels that the standard does not ask for. */
static const struct {
    enum tf_op_index op;
    enum tf_basic basic;
} beyond[] = {
#define ELEMENT_INTEGER(T) TF_##T
#define ELEMENT_FORTRAN(T) TF_FORTRAN_##T
#define KERNEL(form, op, T)
#define BEYOND(form, op, T) {TF_OP_##op, ELEMENT_##form(T)},
#include "op/kernels.def"
#undef KERNEL
#undef BEYOND
};

void tf_op_restrict(void)
{
    static tf_kernel *portable[TF_OP_NKERNELS][TF_NBASIC];
    for (int op = 0; op < TF_OP_NKERNELS; op++) {
        memcpy(portable[op], predefined[op].kernels, sizeof portable[op]);
        predefined[op].kernels = portable[op];
    }
    for (size_t i = 0; i < TF_ARRAY_LEN(beyond); i++)
        portable[beyond[i].op][beyond[i].basic] = NULL;
}

static const char *what_it_takes(enum tf_op_index op)
{
    switch (op) {
    case TF_OP_MAX:
    case TF_OP_MIN:
        return "it takes integers and reals";
    case TF_OP_SUM:
    case TF_OP_PROD:
        return "it takes integers, reals and complex numbers";
    case TF_OP_LAND:
    case TF_OP_LOR:
    case TF_OP_LXOR:
        return "logical operators take C integers and logicals";
    case TF_OP_BAND:
    case TF_OP_BOR:
    case TF_OP_BXOR:
        return "bitwise operators take integers and MPI_BYTE";
    default:
        return "it takes pairs of a value and an index, such as MPI_DOUBLE_INT";
    }
}

int tf_op_mismatch(const struct tf_op *op, const struct tf_type *type)
{
    enum tf_op_index i = (enum tf_op_index)(op - predefined);
    const char *type_name = tf_type_describe(type);
    if (i >= TF_OP_NKERNELS)
        return tf_error(MPI_ERR_OP, "%s is for one-sided communication only, such as MPI_Accumulate; it cannot reduce",
                        op->name);
    if (type->obj.handle >= 4096)
        return tf_error(MPI_ERR_OP,
                        "%s is not defined on %s; predefined operators take predefined datatypes only: make an "
                        "operator for this datatype with MPI_Op_create",
                        op->name, type_name);
    if (type->obj.handle == (uintptr_t)MPI_CHAR)
        return tf_error(MPI_ERR_OP,
                        "%s is not defined on MPI_CHAR, which holds text; MPI_SIGNED_CHAR and MPI_UNSIGNED_CHAR are "
                        "integers",
                        op->name);
    return tf_error(MPI_ERR_OP, "%s is not defined on %s; %s", op->name, type_name, what_it_takes(i));
}

void tf_op_apply(const struct tf_op *op, void *in, void *inout, MPI_Count count, struct tf_type *type)
{
    tf_kernel *kernel = tf_op_kernel(op, type);
    if (kernel != NULL)
        kernel(inout, in, inout, (size_t)count);
    else
        op->fn(in, inout, count, (MPI_Datatype)(uintptr_t)type->obj.handle, op->context);
}

void tf_op_retain(struct tf_op *op)
{
    if (op->name == NULL)
        op->obj.refs++;
}

void tf_op_release(struct tf_op *op)
{
    if (op->name != NULL || --op->obj.refs > 0)
        return;
    MPIX_Destructor_function *destructor = op->destructor;
    void *context = op->context;
    tf_pool_give(&tf_op_pool, op);
    if (destructor == NULL)
        return;
    bool lent = tf_lock_lend();
    destructor(context);
    tf_lock_take_back(lent);
}
