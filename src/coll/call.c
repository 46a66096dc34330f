/* call.c - the path of a blocking collective call: the choice of the last call of its kind if that fits, the buffers, a
 * run on what the communicator keeps for it.  Nonblocking and persistent ones: nonblocking.c.
 */
#include "coll/choice.h"

/* Only predefined operators and types, since a handle's object may come back as another one.  Not on an
 * intercommunicator, whose joint communicator has calls of its own in between: the history could not tell which. */
static void remember(struct tf_colls *colls, struct tf_choice *c, const struct tf_call *call)
{
    c->again.op = NULL;
    if (!colls->run.plain || !colls->run.kernel || call->recvtype->obj.handle >= 4096 || call->comm->remote)
        return;
    c->again.op = call->op;
    c->again.type = call->recvtype;
    c->again.count = call->recvcount;
    c->again.inplace = call->sendbuf == MPI_IN_PLACE;
    colls->bound = c;
}

static inline bool is_again(const struct tf_choice *c, const struct tf_call *call)
{
    return c->again.op == call->op && call->op && c->again.type == call->recvtype &&
           c->again.count == call->recvcount && c->again.inplace == (call->sendbuf == MPI_IN_PLACE) &&
           c->root == call->root;
}

static int prepare(struct tf_colls *colls, struct tf_choice *c, const struct tf_call *call)
{
    colls->bound = NULL;
    int err = tf_choice_check(call);
    if (err)
        return err;
    size_t bytes = tf_choice_bytes(call);
    err = tf_choice_fits(c, call, bytes) ? MPI_SUCCESS : tf_choice_make(call, bytes, c);
    if (!err && call->coll == TF_ALLTOALLW)
        err = tf_choice_types(&colls->run, call);
    if (!err)
        err = tf_choice_bind(&colls->run, call, c->plan);
    colls->run.fingerprint = tf_choice_fingerprint(call, bytes, c->algorithm);
    tf_history_note(&call->comm->joint->match->history, colls->run.sequence, colls->run.fingerprint);
    if (!err)
        remember(colls, c, call);
    return err;
}

static __attribute__((noinline)) int run_exact(const struct tf_call *call)
{
    struct tf_exact *exact = &call->comm->colls->exact;
    struct tf_call wide;
    int err = tf_exact_prepare(exact, call, &wide);
    if (err)
        return err;
    tf_exact_open(exact);
    err = tf_coll_run(&wide);
    if (!err)
        tf_exact_close(exact);
    return err;
}

int tf_coll_run(const struct tf_call *call)
{
    struct tf_comm *comm = call->comm;
    struct tf_colls *colls = comm->colls;
    struct tf_run *run = &colls->run;
    struct tf_choice *c = &colls->choices[call->coll];
    bool again = TF_LIKELY(colls->bound == c && is_again(c, call));
    if (TF_UNLIKELY(!again && tf_exact_widens(call)))
        return run_exact(call);
    run->sequence = tf_choice_number(comm);
    if (TF_LIKELY(again)) {
        run->bound[TF_INPUT].base = (char *)call->sendbuf;
        run->bound[TF_OUTPUT].base = call->recvbuf;
    } else {
        int err = prepare(colls, c, call);
        if (err)
            return err;
    }
    return tf_exec_run(run);
}

/* ---- the library's own ---- */

struct tf_call tf_coll_bcast_call(struct tf_comm *comm, void *buffer, size_t bytes, int root)
{
    return (struct tf_call){.coll = TF_BCAST,
                            .comm = comm,
                            .root = root,
                            .recvbuf = buffer,
                            .recvcount = (MPI_Count)bytes,
                            .recvtype = tf_type_find(MPI_BYTE)};
}

int tf_coll_bcast_bytes(struct tf_comm *comm, void *buffer, size_t bytes, int root)
{
    struct tf_call call = tf_coll_bcast_call(comm, buffer, bytes, root);
    return tf_coll_run(&call);
}

int tf_coll_allgather_bytes(struct tf_comm *comm, const void *mine, size_t bytes, void *all)
{
    struct tf_type *byte = tf_type_find(MPI_BYTE);
    struct tf_call call = {.coll = TF_ALLGATHER,
                           .comm = comm,
                           .sendbuf = mine,
                           .recvbuf = all,
                           .sendcount = (MPI_Count)bytes,
                           .recvcount = (MPI_Count)bytes,
                           .sendtype = byte,
                           .recvtype = byte};
    return tf_coll_run(&call);
}

int tf_coll_barrier(struct tf_comm *comm, bool last)
{
    struct tf_call call = {.coll = TF_BARRIER, .comm = comm, .root = last ? TF_LAST_BARRIER : 0};
    return tf_coll_run(&call);
}
