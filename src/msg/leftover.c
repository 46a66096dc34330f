/* leftover.c - what MPI_Finalize finds that the program should have ended before (MPI-5.0 section 11.2.2).
 *
 *     announced or synchronous message, never received    its send cannot complete: an error
 *     other message, never received                       a word: its sender was right, and its data go unnoticed
 *     receive that no message came for                    a word
 *
 * Everybody is in MPI_Finalize, so nothing of this will meet any more.  Words are no error, since programs that end so
 * run to their end with every library; a send that does not complete waits there or not as its length has it.
 */
#include "msg/match.h"
#include "msg/transfer.h"
#include <stdio.h>

static bool has_waiting_sender(const struct tf_header *h)
{
    return h->kind == TF_MSG_RTS || (h->flags & TF_FLAG_SYNC);
}

static int refuse(const struct tf_match *match, const struct tf_unexpected *m)
{
    return tf_error(
        MPI_ERR_OTHER,
        "rank %d of %s is in MPI_Finalize and has never received a message of %zu bytes from rank %d with tag "
        "%d, whose send waits for that",
        match->comm->rank, tf_comm_describe(match->comm), (size_t)m->facts.total, (int)m->header.source, m->header.tag);
}

enum { OTHERS = 40 }; /* room for their number */

static const char *and_others(char *words, int others)
{
    words[0] = '\0';
    if (others > 0)
        snprintf(words, OTHERS, ", nor %d other%s there", others, others == 1 ? "" : "s");
    return words;
}

static void mention_message(const struct tf_match *match, const struct tf_unexpected *m, int others)
{
    char more[OTHERS];
    tf_log(0, "MPI_Finalize: a message of %zu bytes from rank %d with tag %d on %s was never received%s",
           (size_t)m->facts.total, (int)m->header.source, m->header.tag, tf_comm_describe(match->comm),
           and_others(more, others));
}

static int tell_messages(const struct tf_match *match)
{
    const struct tf_unexpected *first = NULL;
    int n = 0;
    for (const struct tf_unexpected *m = match->unexpected.list.first; m; m = m->next) {
        if (m->header.tag < 0) /* the library's own */
            continue;
        if (has_waiting_sender(&m->header))
            return refuse(match, m);
        if (n++ == 0)
            first = m;
    }
    if (first)
        mention_message(match, first, n - 1);
    return MPI_SUCCESS;
}

static void mention_receive(const struct tf_match *match, const struct tf_recv *recv, int others)
{
    char source[20] = "any rank", tag[20] = "any tag", more[OTHERS];
    if (recv->source >= 0)
        snprintf(source, sizeof source, "rank %d", recv->source);
    if (recv->tag >= 0)
        snprintf(tag, sizeof tag, "tag %d", recv->tag);
    tf_log(0, "MPI_Finalize: a receive from %s with %s on %s has never got a message and was not cancelled%s", source,
           tag, tf_comm_describe(match->comm), and_others(more, others));
}

static void tell_receives(const struct tf_match *match)
{
    const struct tf_recv *first = NULL;
    int n = 0;
    for (const struct tf_recv *recv = match->posted.first; recv; recv = recv->next)
        if (recv->tag > TF_TAG_INTERNAL && n++ == 0)
            first = recv;
    if (first)
        mention_receive(match, first, n - 1);
}

int tf_leftover_tell(const struct tf_match *match)
{
    if (match->broken) /* what was given up there says nothing of the program */
        return MPI_SUCCESS;
    int err = tell_messages(match);
    if (!err)
        tell_receives(match);
    return err;
}
