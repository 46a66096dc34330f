/* call.c - MPI_Put and the like: what the program says becomes an operation, once it is known to be allowed. */
#include "rma/call.h"

#include "msg/request.h"
#include "rma/direct.h"
#include "rma/epoch.h"
#include "rma/fetch.h"
#include "rma/lock.h"
#include "rma/op.h"
#include "type/describe.h"

/* ---- may it be done? ---- */

/* The elements reach beyond what the target has. */
static TF_COLD int out_of_range(const struct tf_call_rma *call, const struct tf_target *target)
{
    return tf_error(MPI_ERR_RMA_RANGE,
                    "from rank %d for rank %d: target_disp is %td (in units of %llu bytes) and target_count %lld of "
                    "%s, which is not inside the %llu bytes that rank %d has in %s",
                    call->win->comm->rank, target->rank, (ptrdiff_t)call->disp, (unsigned long long)target->unit,
                    (long long)call->target.count, tf_type_describe(call->target.type),
                    (unsigned long long)target->size, target->rank, tf_win_describe(call->win));
}

static int check_range(const struct tf_call_rma *call, const struct tf_target *target)
{
    const struct tf_type *type = call->target.type;
    MPI_Count at, reach, low, high;
    if (call->win->flavor == MPI_WIN_FLAVOR_DYNAMIC || call->target.count == 0 || type->size == 0)
        return MPI_SUCCESS;
    bool beyond = __builtin_mul_overflow((MPI_Count)call->disp, (MPI_Count)target->unit, &at) ||
                  __builtin_mul_overflow(call->target.count - 1, type->extent, &reach) ||
                  __builtin_add_overflow(at, type->true_lb + (reach < 0 ? reach : 0), &low) ||
                  __builtin_add_overflow(at, type->true_lb + type->true_extent + (reach > 0 ? reach : 0), &high);
    if (TF_LIKELY(!beyond && low >= 0 && (uint64_t)high <= target->size))
        return MPI_SUCCESS;
    return out_of_range(call, target);
}

static int check_amounts(const struct tf_call_rma *call, const struct tf_win_side *side, const char *name)
{
    if (!side->type)
        return MPI_SUCCESS;
    MPI_Count bytes, target;
    if (__builtin_mul_overflow(side->count, side->type->size, &bytes))
        bytes = -1;
    if (__builtin_mul_overflow(call->target.count, call->target.type->size, &target))
        target = -2;
    if (TF_LIKELY(bytes == target))
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_TYPE,
                    "for rank %d: %lld x %s are %lld bytes at the %s, but %lld x %s are %lld at the target", call->rank,
                    (long long)side->count, tf_type_describe(side->type), (long long)bytes, name,
                    (long long)call->target.count, tf_type_describe(call->target.type), (long long)target);
}

static int check_op(const struct tf_call_rma *call, const struct tf_type **element)
{
    const struct tf_op *op = call->op;
    *element = tf_describe_element(call->target.type);
    if (!op->kernels)
        return tf_error(MPI_ERR_OP,
                        "op was made by MPI_Op_create; operations on windows take predefined operators only");
    if (tf_single_op_is(op, MPI_NO_OP) && !call->fetches)
        return tf_error(MPI_ERR_OP, "op is MPI_NO_OP, which only operations take that fetch what was there before");
    if (call->target.type->size == 0) {
        *element = tf_type_find(MPI_BYTE);
        return MPI_SUCCESS;
    }
    if (!*element)
        return tf_error(MPI_ERR_TYPE, "target_datatype is %s, whose elements are of several predefined datatypes",
                        tf_type_describe(call->target.type));
    if (tf_single_op_is(op, MPI_NO_OP) || tf_single_op_is(op, MPI_REPLACE))
        return MPI_SUCCESS;
    return tf_op_check(op, *element);
}

/* A derived datatype may hold addresses, relative to MPI_BOTTOM, which is null. */
static int check_buffer(const char *name, const struct tf_win_side *side)
{
    const struct tf_type *type = side->type;
    const void *address = side->buf;
    if (!type || side->count == 0 || type->size == 0 || (!address && type->true_lb != 0))
        return MPI_SUCCESS;
    if (!address)
        return tf_error(MPI_ERR_BUFFER, "%s is a null pointer", name);
    if (tf_quick_is_special(address))
        return tf_error(MPI_ERR_BUFFER, "%s is %s, which is not allowed for this argument here", name,
                        address == MPI_IN_PLACE ? "MPI_IN_PLACE" : "a constant for other arguments");
    return MPI_SUCCESS;
}

/* That of MPI_Get_accumulate does not count with MPI_NO_OP, so the binding has not looked. */
static int check_origin(const struct tf_call_rma *call)
{
    const struct tf_type *type = call->from.type;
    if (tf_single_op_is(call->op, MPI_NO_OP))
        return MPI_SUCCESS;
    if (!type)
        return tf_error(MPI_ERR_TYPE, "origin_datatype is MPI_DATATYPE_NULL, but op is not MPI_NO_OP");
    if (!type->committed)
        return tf_error(MPI_ERR_TYPE, "origin_datatype is %s, which is not committed: call MPI_Type_commit first",
                        tf_type_describe(type));
    return check_buffer("origin_addr", &call->from);
}

/* The signatures of both sides are of the same predefined datatype. */
static int check_element(const struct tf_call_rma *call, const struct tf_win_side *side, const struct tf_type *element)
{
    if (!side->type || side->type->size == 0)
        return MPI_SUCCESS;
    const struct tf_type *mine = side->type == call->target.type ? element : tf_describe_element(side->type);
    if (mine == element || (mine && mine->signature == element->signature))
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_TYPE, "the elements of %s are not %s, as those of the target's datatype are",
                    tf_type_describe(side->type), tf_type_describe(element));
}

/* ---- the operation ---- */

static void set_memory(const struct tf_call_rma *call, const struct tf_target *target, struct tf_win_op *op)
{
    struct tf_type *type = call->target.type;
    op->at.at = (uintptr_t)(target->base + (uint64_t)call->disp * target->unit);
    op->at.count = call->target.count;
    op->at.type = type;
    op->at.op = call->op;
    op->total = (size_t)call->target.count * (size_t)type->size;
    if (type->obj.handle < 4096 && type->obj.handle > 0)
        return;
    if (type->dense) { /* as bytes, or as elements in a row */
        const struct tf_type *row = op->at.element ? op->at.element : tf_type_find(MPI_BYTE);
        if (row->dense) {
            op->at.at += (uintptr_t)type->true_lb;
            op->at.count = (MPI_Count)op->total / row->size;
            op->at.type = row;
            return;
        }
    }
    op->type = type;
}

static int start_nothing(struct tf_request *request)
{
    (void)request;
    return MPI_SUCCESS;
}

static int begin(const struct tf_call_rma *call, struct tf_win_op *op)
{
    static const struct tf_request_kind kind = {.name = "one-sided", .start = start_nothing};
    struct tf_request *request = NULL;
    if (call->request) {
        request = tf_request_create(&kind, call->win->comm);
        if (!request)
            return MPI_ERR_NO_MEM;
        tf_request_begin(request);
        op->request = request;
        *call->request = tf_request_handle(request);
    }
    int err = tf_op_begin(op);
    if (err && request) {
        request->active = false;
        tf_request_destroy(request);
        *call->request = MPI_REQUEST_NULL;
    }
    return err;
}

/* Nothing is to be done any more.  Who asks for a request does not flush. */
static int end_at_once(const struct tf_call_rma *call)
{
    if (!call->request)
        return MPI_SUCCESS;
    tf_lock_let_in(call->win);
    return tf_request_finished(call->win->comm, call->request);
}

static bool is_nothing(const struct tf_call_rma *call)
{
    return call->target.count == 0 || call->target.type->size == 0;
}

static int check_all(const struct tf_call_rma *call, const struct tf_target *target, const struct tf_type **element)
{
    int err = tf_epoch_check(call->win, call->rank, call->request != NULL);
    if (!err)
        err = check_range(call, target);
    if (!err && call->op)
        err = check_origin(call);
    if (!err && call->op)
        err = check_buffer("result_addr", &call->into);
    if (!err)
        err = check_buffer("compare_addr", &call->compare);
    if (!err)
        err = check_amounts(call, &call->from, "origin");
    if (!err)
        err = check_amounts(call, &call->into, call->op ? "result" : "origin");
    if (err || !call->op || is_nothing(call)) /* which has no elements, whatever the datatypes */
        return err;
    err = check_op(call, element);
    if (!err)
        err = check_element(call, &call->from, *element);
    if (!err)
        err = check_element(call, &call->into, *element);
    return err;
}

int tf_call_rma(const struct tf_call_rma *call)
{
    const struct tf_type *element = NULL;
    struct tf_call_rma mine = *call;
    int err = tf_win_check_rank(call->win, "target_rank", call->rank);
    if (err)
        return err;
    if (call->rank == MPI_PROC_NULL)
        return end_at_once(call);
    if (mine.op && tf_single_op_is(mine.op, MPI_NO_OP))
        mine.from = (struct tf_win_side){0}; /* none of its arguments counts */
    struct tf_target *target = &call->win->targets[call->rank];
    err = check_all(&mine, target, &element);
    if (err)
        return err;
    if (is_nothing(call))
        return end_at_once(call);
    struct tf_win_op op = {.target = target, .verb = call->verb, .from = mine.from, .into = call->into};
    op.compare = call->compare;
    op.at.element = element;
    set_memory(call, target, &op);
    if (!target->direct)
        return begin(call, &op);
    err = tf_direct(&op);
    return err ? err : end_at_once(call);
}

/* ---- what they are called ---- */

int tf_call_put(const void *buf, MPI_Count count, struct tf_type *type, int rank, MPI_Aint disp, MPI_Count target_count,
                struct tf_type *target_type, struct tf_win *win, MPI_Request *request)
{
    return TF_CALL_RMA(.verb = TF_VERB_PUT, .win = win, .rank = rank, .disp = disp,
                       .from = tf_call_side(buf, count, type), .target = tf_call_side(NULL, target_count, target_type),
                       .request = request);
}

int tf_call_get(void *buf, MPI_Count count, struct tf_type *type, int rank, MPI_Aint disp, MPI_Count target_count,
                struct tf_type *target_type, struct tf_win *win, MPI_Request *request)
{
    return TF_CALL_RMA(.verb = TF_VERB_GET, .win = win, .rank = rank, .disp = disp,
                       .into = tf_call_side(buf, count, type), .target = tf_call_side(NULL, target_count, target_type),
                       .request = request);
}

int tf_call_accumulate(const void *buf, MPI_Count count, struct tf_type *type, int rank, MPI_Aint disp,
                       MPI_Count target_count, struct tf_type *target_type, const struct tf_op *op, struct tf_win *win,
                       MPI_Request *request)
{
    return TF_CALL_RMA(.verb = TF_VERB_COMBINE, .win = win, .rank = rank, .disp = disp,
                       .from = tf_call_side(buf, count, type), .target = tf_call_side(NULL, target_count, target_type),
                       .op = op, .request = request);
}

int tf_call_fetch(const void *buf, void *result, struct tf_type *type, int rank, MPI_Aint disp, const struct tf_op *op,
                  struct tf_win *win)
{
    if (type->obj.handle >= 4096)
        return tf_error(MPI_ERR_TYPE, "datatype is %s; MPI_Fetch_and_op takes predefined datatypes only",
                        tf_type_describe(type));
    if (tf_fetch_combine(win, rank, disp, type, op, buf, result))
        return MPI_SUCCESS;
    return TF_CALL_RMA(.verb = TF_VERB_COMBINE, .win = win, .rank = rank, .disp = disp,
                       .from = tf_call_side(buf, 1, type), .into = tf_call_side(result, 1, type),
                       .target = tf_call_side(NULL, 1, type), .op = op, .fetches = true);
}

static __attribute__((noinline)) int swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                                          struct tf_type *datatype, int target_rank, MPI_Aint target_disp,
                                          struct tf_win *win)
{
    tf_kernel *const *bits = tf_op_find(MPI_BAND)->kernels, *const *truths = tf_op_find(MPI_LAND)->kernels;
    if (datatype->obj.handle >= 4096 || (!bits[datatype->basic] && !truths[datatype->basic]))
        return tf_error(MPI_ERR_TYPE, "datatype is %s; MPI_Compare_and_swap takes integers, logicals and MPI_BYTE",
                        tf_type_describe(datatype));
    struct tf_win_side one = {.count = 1, .type = datatype};
    struct tf_call_rma call = {.verb = TF_VERB_SWAP,
                               .win = win,
                               .rank = target_rank,
                               .disp = target_disp,
                               .from = one,
                               .into = one,
                               .compare = one,
                               .target = one,
                               .op = tf_op_find(MPI_REPLACE),
                               .fetches = true};
    call.from.buf = (void *)origin_addr;
    call.compare.buf = (void *)compare_addr;
    call.into.buf = result_addr;
    return tf_call_rma(&call);
}

int tf_call_swap(const void *origin_addr, const void *compare_addr, void *result_addr, struct tf_type *datatype,
                 int target_rank, MPI_Aint target_disp, struct tf_win *win)
{
    if (tf_fetch_swap(win, target_rank, target_disp, datatype, compare_addr, origin_addr, result_addr))
        return MPI_SUCCESS;
    return swap(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win);
}
