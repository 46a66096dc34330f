/* meet.c - see meet.h. */
#include "coll/meet.h"

#include "base/settings.h"
#include "coll/choice.h"
#include "msg/fingerprint.h"
#include "msg/match.h"

void tf_meet_begin(struct tf_meet *meet, struct tf_comm *comm, enum tf_caller caller)
{
    meet->sequence = tf_choice_number(comm);
    meet->asked = 0;
    if (meet->comm != comm) {
        struct tf_call call = {.coll = TF_BARRIER, .caller = caller, .comm = comm};
        meet->comm = comm;
        meet->terms = tf_choice_terms(&call, TF_FORM_BLOCKING, 0, 0);
    }
    tf_accord_note(tf_accord_of(comm), meet->sequence, &meet->terms);
    comm->colls->standings.noted = NULL;
}

static TF_COLD void ask(const struct tf_meet *meet)
{
    for (int r = 0; r < meet->comm->size; r++)
        if (meet->awaits(meet, r))
            tf_accord_ask(tf_accord_of(meet->comm), meet->comm->peers[r], meet->sequence, &meet->terms);
}

struct looking {
    struct tf_accord_call call;
    const struct tf_meet *meet;
};

static bool awaits(const struct tf_accord_call *call, const struct tf_peer *peer)
{
    const struct tf_meet *meet = TF_CONTAINER(call, struct looking, call)->meet;
    int r = 0;
    while (r < meet->comm->size && meet->comm->peers[r] != peer)
        r++;
    return r < meet->comm->size && meet->awaits(meet, r);
}

static TF_COLD int look_for_dissents(const struct tf_meet *meet)
{
    uint32_t theirs;
    struct tf_accord *accord = tf_accord_of(meet->comm);
    struct looking looking = {{meet->sequence, &meet->terms, true, awaits}, meet};
    int err = tf_accord_look(accord, &looking.call, &theirs);
    if (!err)
        return MPI_SUCCESS;
    uint32_t word = tf_fingerprint_give_up(err, meet->comm->rank, meet->terms.fingerprint, theirs);
    ask(meet); /* they learn what this is */
    tf_accord_settle(accord, meet->sequence);
    tf_accord_give_up(accord, meet->sequence, word);
    tf_accord_tell_all(accord, meet->sequence, word);
    return err;
}

int tf_meet_look(struct tf_meet *meet)
{
    if (TF_UNLIKELY(meet->comm->match->coll_kept))
        return look_for_dissents(meet);
    if (meet->asked == 0)
        meet->asked = tf_pause_now;
    if (tf_pause_now - meet->asked <= tf_settings.mismatch_after * TF_MILLISECOND || tf_settings.mismatch_after == 0)
        return MPI_SUCCESS;
    meet->asked = tf_pause_now;
    ask(meet);
    return MPI_SUCCESS;
}
