/* agree.c - MPIX_Comm_agree: one agreement, of which the list of a vote is whom its process has acknowledged, and that
 * of the decision who did not vote.
 */
#include "msg/lost.h"
#include "msg/msg.h"
#include "msg/request.h"
#include "survive/pact.h"
#include "survive/survive.h"

struct agreement {
    struct tf_pact_op op;
    struct tf_request *request;
    int *flag;
};

static int judge(const struct tf_comm *comm, const struct tf_sheet *decision)
{
    const struct tf_comm *joint = comm->joint;
    if (!decision->class)
        return MPI_SUCCESS;
    if (decision->class != MPIX_ERR_PROC_FAILED)
        return tf_error(MPI_ERR_OTHER,
                        "MPIX_Comm_agree and MPIX_Comm_shrink were called on %s at the same time, one of them by rank "
                        "%d",
                        tf_comm_describe(comm), decision->from);
    return tf_error(MPIX_ERR_PROC_FAILED, "not all that have agreed on %s had acknowledged that %s",
                    tf_comm_describe(comm), tf_failure_words(joint->peers[decision->from]));
}

static bool decided(struct tf_pact_op *op, const struct tf_sheet *decision)
{
    struct agreement *agreement = TF_CONTAINER(op, struct agreement, op);
    struct tf_request *request = agreement->request;
    const struct tf_comm *comm = request->comm;
    *agreement->flag = decision->flag[comm->remote && tf_comm_leads(comm)];
    request->error = judge(comm, decision);
    tf_request_part_done(request);
    return true;
}

static int start(struct tf_request *request)
{
    struct agreement *agreement = request->survive.operation;
    tf_pact_begin(request->comm, &agreement->op);
    return MPI_SUCCESS;
}

static int release(struct tf_request *request)
{
    struct agreement *agreement = request->survive.operation;
    tf_sheet_free(&agreement->op.vote);
    free(agreement);
    return MPI_SUCCESS;
}

static const struct tf_request_kind kind = {
    .name = "agreement", .collective = true, .start = start, .release = release};

static bool list_acknowledged(const struct tf_comm *comm, struct tf_sheet *vote)
{
    bool there = true;
    for (int i = 0; i < comm->acknowledged && there; i++)
        there = tf_sheet_add(vote, tf_lost_rank(comm, i));
    return there;
}

static int prepare(struct tf_comm *comm, int *flag, struct tf_request **request)
{
    int err = tf_pact_open(comm);
    if (err)
        return err;
    struct agreement *agreement = tf_alloc(sizeof *agreement, "an agreement");
    if (!agreement)
        return MPI_ERR_NO_MEM;
    *agreement = (struct agreement){
        .op = {.kind = TF_SHEET_AGREE, .lower = tf_pact_lower(comm), .vote = {.flag = {*flag}}, .decided = decided},
        .flag = flag};
    if (list_acknowledged(comm, &agreement->op.vote) && (*request = tf_request_create(&kind, comm))) {
        (*request)->survive.operation = agreement;
        agreement->request = *request;
        return MPI_SUCCESS;
    }
    tf_sheet_free(&agreement->op.vote);
    free(agreement);
    return MPI_ERR_NO_MEM;
}

int tf_comm_iagree(struct tf_comm *comm, int *flag, MPI_Request *handle)
{
    struct tf_request *request;
    int err = prepare(comm, flag, &request);
    if (err)
        return err;
    tf_request_begin(request);
    *handle = tf_request_handle(request);
    return MPI_SUCCESS;
}

int tf_comm_agree(struct tf_comm *comm, int *flag)
{
    MPI_Request request;
    struct tf_object *on = NULL;
    int err = tf_comm_iagree(comm, flag, &request);
    return err ? err : tf_wait(&request, MPI_STATUS_IGNORE, &on);
}
