/* revoke.c - see revoke.h. */
#include "survive/revoke.h"

#include "msg/lost.h"
#include "msg/match.h"
#include "msg/progress.h"
#include "msg/revoked.h"
#include "msg/transfer.h"
#include "survive/survive.h"

static void flood(const struct tf_comm *comm)
{
    const struct tf_comm *all = comm->joint;
    for (int r = 0; r < all->size; r++)
        if (r != all->rank)
            tf_lost_say_revoked(comm, all->peers[r]);
}

static void revoke(struct tf_comm *comm)
{
    struct tf_match *made;
    if (comm->match->broken == MPIX_ERR_REVOKED)
        return;
    tf_log(2, "%s is revoked", tf_comm_describe(comm));
    tf_comm_retain(comm); /* its last operation may end */
    flood(comm);
    tf_lost_break(comm->match, MPIX_ERR_REVOKED);
    if (comm->remote)
        tf_lost_break(comm->joint->match, MPIX_ERR_REVOKED);
    while ((made = tf_match_made_of(comm)))
        revoke(made->comm);
    tf_comm_release(comm);
}

static void note(uint64_t context)
{
    tf_revoked_note(context);
    tf_match_refuse_early(context);
}

static void hear(struct tf_peer *peer, const struct tf_header *word, void *payload)
{
    struct tf_match *match = tf_match_of(word->context);
    (void)peer, (void)payload;
    if (match) {
        revoke(match->comm);
        return;
    }
    note(word->context);
    if (word->tag)
        note(word->context + 1);
}

/* Its queues are closed already. */
void tf_revoke_start(struct tf_comm *comm)
{
    if (TF_UNLIKELY(comm->match->broken == MPIX_ERR_REVOKED))
        flood(comm);
}

void tf_revoke_setup(void)
{
    tf_net_handle(TF_MSG_REVOKE, hear);
}

int tf_comm_revoke(struct tf_comm *comm)
{
    revoke(comm);
    return MPI_SUCCESS;
}

int tf_comm_is_revoked(const struct tf_comm *comm, int *flag)
{
    tf_msg_glance(); /* this may be a loop that waits for it */
    *flag = comm->match->broken == MPIX_ERR_REVOKED;
    return MPI_SUCCESS;
}
