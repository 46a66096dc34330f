/* call.h - the operations as the bindings call them (MPI-5.0 sections 12.3 and 12.3.5). */
#ifndef TF_RMA_CALL_H
#define TF_RMA_CALL_H

#include "rma/fetch.h"
#include "rma/op.h"
#include "rma/quick.h"

struct tf_call_rma {
    enum tf_verb verb;
    struct tf_win *win;
    int rank;
    MPI_Aint disp;
    struct tf_win_side from, into, compare; /* .type NULL: there is no such buffer */
    struct tf_win_side target;              /* its buf does not count */
    const struct tf_op *op;
    bool fetches;
    MPI_Request *request; /* or NULL */
};

int tf_call_rma(const struct tf_call_rma *call);

static inline struct tf_win_side tf_call_side(const void *buf, MPI_Count count, struct tf_type *type)
{
    return (struct tf_win_side){(void *)buf, count, type};
}

#define TF_CALL_RMA(...) tf_call_rma(&(struct tf_call_rma){__VA_ARGS__})

/* What is not done at once.  Functions, so that what they need of the stack is not made ready each time. */
int tf_call_put(const void *buf, MPI_Count count, struct tf_type *type, int rank, MPI_Aint disp, MPI_Count target_count,
                struct tf_type *target_type, struct tf_win *win, MPI_Request *request);
int tf_call_get(void *buf, MPI_Count count, struct tf_type *type, int rank, MPI_Aint disp, MPI_Count target_count,
                struct tf_type *target_type, struct tf_win *win, MPI_Request *request);
int tf_call_accumulate(const void *buf, MPI_Count count, struct tf_type *type, int rank, MPI_Aint disp,
                       MPI_Count target_count, struct tf_type *target_type, const struct tf_op *op, struct tf_win *win,
                       MPI_Request *request);
int tf_call_fetch(const void *buf, void *result, struct tf_type *type, int rank, MPI_Aint disp, const struct tf_op *op,
                  struct tf_win *win);
int tf_call_swap(const void *origin_addr, const void *compare_addr, void *result_addr, struct tf_type *datatype,
                 int target_rank, MPI_Aint target_disp, struct tf_win *win);

static inline int tf_rput(const void *buf, MPI_Count count, struct tf_type *type, int rank, MPI_Aint disp,
                          MPI_Count target_count, struct tf_type *target_type, struct tf_win *win, MPI_Request *request)
{
    if (!request && tf_quick_put(win, rank, disp, buf, tf_quick_bytes(count, type, target_count, target_type)))
        return MPI_SUCCESS;
    return tf_call_put(buf, count, type, rank, disp, target_count, target_type, win, request);
}

static inline int tf_rget(void *buf, MPI_Count count, struct tf_type *type, int rank, MPI_Aint disp,
                          MPI_Count target_count, struct tf_type *target_type, struct tf_win *win, MPI_Request *request)
{
    if (!request && tf_quick_get(win, rank, disp, buf, tf_quick_bytes(count, type, target_count, target_type)))
        return MPI_SUCCESS;
    return tf_call_get(buf, count, type, rank, disp, target_count, target_type, win, request);
}

static inline int tf_raccumulate(const void *buf, MPI_Count count, struct tf_type *type, int rank, MPI_Aint disp,
                                 MPI_Count target_count, struct tf_type *target_type, const struct tf_op *op,
                                 struct tf_win *win, MPI_Request *request)
{
    bool quick = !request && op != tf_op_find(MPI_NO_OP);
    bool single = count == 1 && target_count == 1 && type == target_type;
    if (quick && single && tf_quick_combine(win, rank, disp, type, op, buf))
        return MPI_SUCCESS;
    size_t bytes = tf_quick_bytes(count, type, target_count, target_type);
    if (quick && tf_quick_accumulate(win, rank, disp, target_type, count, bytes, op, buf))
        return MPI_SUCCESS;
    return tf_call_accumulate(buf, count, type, rank, disp, target_count, target_type, op, win, request);
}

static inline int tf_rget_accumulate(const void *buf, MPI_Count count, struct tf_type *type, void *result,
                                     MPI_Count result_count, struct tf_type *result_type, int rank, MPI_Aint disp,
                                     MPI_Count target_count, struct tf_type *target_type, const struct tf_op *op,
                                     struct tf_win *win, MPI_Request *request)
{
    bool single = count == 1 && result_count == 1 && target_count == 1 && type == result_type && type == target_type;
    if (!request && single &&
        (tf_quick_fetch(win, rank, disp, type, op, buf, result) ||
         tf_fetch_combine(win, rank, disp, type, op, buf, result)))
        return MPI_SUCCESS;
    return TF_CALL_RMA(.verb = TF_VERB_COMBINE, .win = win, .rank = rank, .disp = disp,
                       .from = tf_call_side(buf, count, type), .into = tf_call_side(result, result_count, result_type),
                       .target = tf_call_side(NULL, target_count, target_type), .op = op, .fetches = true,
                       .request = request);
}

static inline int tf_fetch_and_op(const void *buf, void *result, struct tf_type *type, int rank, MPI_Aint disp,
                                  const struct tf_op *op, struct tf_win *win)
{
    if (tf_quick_fetch(win, rank, disp, type, op, buf, result))
        return MPI_SUCCESS;
    return tf_call_fetch(buf, result, type, rank, disp, op, win);
}

static inline int tf_compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
                                      struct tf_type *datatype, int target_rank, MPI_Aint target_disp,
                                      struct tf_win *win)
{
    if (tf_quick_swap(win, target_rank, target_disp, datatype, compare_addr, origin_addr, result_addr))
        return MPI_SUCCESS;
    return tf_call_swap(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win);
}

#endif
