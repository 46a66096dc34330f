/* from_group.c - communicators of groups alone: MPI_Comm_create_from_group and MPI_Intercomm_create_from_groups
 * (MPI-5.0 sections 7.4.2 and 7.6.2).
 *
 * The processes of a group agree by letters (letters.h) along a binomial tree: what has gone wrong goes to rank 0, and
 * what that one knows, with the context id, to all.  An intercommunicator is made of two such: one of each group, and
 * one of the two leaders, which then is the peer communicator of MPI_Intercomm_create.
 */
#include <stdio.h>

#include "comm/group.h"
#include "construct/letters.h"
#include "construct/newcomm.h"
#include "msg/msg.h"
#include "net/failure.h"
#include "object/errhandler.h"

/* What a leader tells its group, as the class of an error: the other group is empty, and nobody gets anything. */
enum { NOBODY_THERE = -1 };

struct meeting {
    struct tf_group *group;
    struct tf_letter_key key; /* but for the process */
};

static uint64_t fingerprint(const struct tf_group *group)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (int r = 0; r < group->size; r++)
        hash = (hash ^ (uint32_t)group->processes[r]) * 0x100000001b3;
    return hash;
}

static struct tf_letter_key key_of(const struct meeting *meeting, int rank)
{
    struct tf_letter_key key = meeting->key;
    key.process = meeting->group->processes[rank];
    return key;
}

static int send_to(const struct meeting *meeting, int rank, const struct tf_letter *news)
{
    struct tf_letter_key key = key_of(meeting, rank);
    return tf_letters_send(&key, news);
}

static int receive_from(const struct meeting *meeting, int rank, struct tf_letter *letter)
{
    struct tf_letter_key key = key_of(meeting, rank);
    return tf_letters_receive(&key, letter);
}

static void take_news(struct tf_letter *news, const struct tf_letter *heard, int from)
{
    if (news->class)
        return;
    news->class = heard->group == news->group ? heard->class : MPI_ERR_GROUP;
    news->rank = heard->class ? heard->rank : from;
}

/* A letter to or from that rank has failed: who has died, or this process, for which the others are not to wait. */
static void note(const struct meeting *meeting, struct tf_letter *news, int err, int rank)
{
    if (!err || news->class)
        return;
    news->class = err;
    news->rank = err == MPIX_ERR_PROC_FAILED ? rank : meeting->group->rank;
}

/* Parent and children of rank 6 = 110b, lowest bit 2, are 100b and 111b. */
static void agree(const struct meeting *meeting, struct tf_letter *news)
{
    const struct tf_group *group = meeting->group;
    struct tf_letter heard;
    int bit = 1;
    for (; bit < group->size && !(group->rank & bit); bit *= 2) {
        if (group->rank + bit >= group->size)
            continue;
        int err = receive_from(meeting, group->rank + bit, &heard);
        note(meeting, news, err, group->rank + bit);
        if (!err)
            take_news(news, &heard, group->rank + bit);
    }
    if (group->rank > 0) {
        int parent = group->rank - bit;
        note(meeting, news, send_to(meeting, parent, news), parent);
        note(meeting, news, receive_from(meeting, parent, news), parent);
    }
    for (bit /= 2; bit > 0; bit /= 2)
        if (group->rank + bit < group->size)
            note(meeting, news, send_to(meeting, group->rank + bit, news), group->rank + bit);
}

static int complain(const struct meeting *meeting, const struct tf_letter *news)
{
    if (news->class == MPI_ERR_GROUP)
        return tf_error(MPI_ERR_GROUP, "rank %d of the group has called with another group under the tag \"%s\"",
                        news->rank, meeting->key.name);
    if (news->class == MPIX_ERR_PROC_FAILED)
        return tf_error(MPIX_ERR_PROC_FAILED, "rank %d of the group is gone: %s", news->rank,
                        tf_failure_words(tf_net_peer(meeting->group->processes[news->rank])));
    bool memory = news->class == MPI_ERR_NO_MEM;
    return tf_error(memory ? MPI_ERR_NO_MEM : MPI_ERR_OTHER,
                    "rank %d of the group %s in the call with the tag \"%s\", so that no process gets the new "
                    "communicator",
                    news->rank, memory ? "ran out of memory" : "failed", meeting->key.name);
}

static int prepare(struct tf_group *group, struct tf_info *info, struct tf_errhandler *errhandler,
                   struct tf_comm **made)
{
    *made = tf_comm_prepare(group, NULL, false, NULL);
    if (!*made)
        return MPI_ERR_NO_MEM;
    int err = errhandler ? tf_errhandler_attach(&(*made)->errhandler, TF_KIND_COMM, errhandler) : MPI_SUCCESS;
    return err ? err : tf_comm_set_info(*made, info);
}

/* The communicator of the processes of a group, of which this one is.  NOBODY_THERE on all if one has `nobody`. */
static int create(const struct meeting *meeting, bool nobody, struct tf_info *info, struct tf_errhandler *errhandler,
                  MPI_Comm *newcomm)
{
    struct tf_group *group = meeting->group;
    struct tf_comm *made = NULL;
    int err = group->size == 1 ? tf_net_open_self() : tf_letters_open(group->size == tf_job.size);
    if (err) /* nobody can be told */
        return err;
    int own = nobody ? NOBODY_THERE : prepare(group, info, errhandler, &made);
    struct tf_letter news = {group->rank == 0 ? tf_newcomm_context_take() : 0, fingerprint(group), own, group->rank};
    agree(meeting, &news);
    if (!own && news.class)
        own = news.class == NOBODY_THERE ? NOBODY_THERE : complain(meeting, &news);
    err = own ? own : tf_newcomm_context_check(news.context);
    return tf_newcomm_deliver(err, made, news.context, newcomm);
}

static int check_name(const char *name)
{
    if (strlen(name) <= TF_LETTER_NAME)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_ARG, "stringtag has %zu characters; it may have %d, one fewer than MPI_MAX_STRINGTAG_LEN",
                    strlen(name), TF_LETTER_NAME);
}

static int check_member(const char *argument, const struct tf_group *group)
{
    if (group->mixed)
        return tf_error(MPI_ERR_GROUP,
                        "%s holds processes of other jobs, which a communicator of a group alone cannot have",
                        argument);
    if (group->rank != MPI_UNDEFINED)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_GROUP, "%s, of %d processes, does not hold this process, which is rank %d of its job",
                    argument, group->size, tf_job.rank);
}

static int check_errhandler(const struct tf_errhandler *errhandler)
{
    struct tf_errhandler *fits = &tf_errors_are_fatal;
    int err = tf_errhandler_attach(&fits, TF_KIND_COMM, (struct tf_errhandler *)errhandler);
    if (!err)
        tf_errhandler_release(fits);
    return err;
}

int tf_comm_create_from_group(struct tf_group *group, const char *name, struct tf_info *info,
                              struct tf_errhandler *errhandler, MPI_Comm *newcomm)
{
    struct meeting meeting = {group, {.purpose = TF_LETTER_COMM, .name = name}};
    int err = check_name(name);
    if (!err)
        err = check_errhandler(errhandler);
    if (!err && group->size == 0) {
        *newcomm = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    if (!err)
        err = check_member("group", group);
    return err ? err : create(&meeting, false, info, errhandler, newcomm);
}

/* ---- intercommunicators ---- */

/* The leaders' group: both come to the same order. */
static struct tf_group *group_of_two(int mine, int theirs)
{
    int *processes = tf_alloc(2 * sizeof *processes, "the leaders of two groups");
    if (!processes)
        return NULL;
    processes[0] = mine < theirs ? mine : theirs;
    processes[1] = mine < theirs ? theirs : mine;
    return tf_group_create_object(2, processes);
}

static int check_remote(const struct tf_group *remote, int remote_leader)
{
    if (!remote)
        return tf_error(MPI_ERR_GROUP, "remote_group is no group; at the local leader it must be one");
    if (remote_leader < 0 || remote_leader >= remote->size)
        return tf_error(MPI_ERR_RANK,
                        "remote_leader is %d; it must be between 0 and %d, the highest rank of remote_group",
                        remote_leader, remote->size - 1);
    if (remote->mixed)
        return tf_error(MPI_ERR_GROUP,
                        "remote_group holds processes of other jobs, which a communicator of groups alone "
                        "cannot have");
    if (remote->processes[remote_leader] == tf_job.rank)
        return tf_error(MPI_ERR_GROUP, "remote_leader is %d, which is this process itself: the two groups overlap",
                        remote_leader);
    return MPI_SUCCESS;
}

/* At the local leader: the communicator of both leaders. */
static int meet_leader(const struct tf_group *remote, int remote_leader, const char *name, MPI_Comm *leaders)
{
    int err = check_remote(remote, remote_leader);
    if (err)
        return err;
    struct tf_group *two = group_of_two(tf_job.rank, remote->processes[remote_leader]);
    if (!two)
        return MPI_ERR_NO_MEM;
    struct meeting meeting = {two, {.purpose = TF_LETTER_LEADERS, .name = name}};
    err = create(&meeting, false, NULL, NULL, leaders);
    tf_group_release(two);
    return err;
}

/* `err`, if any, is of the leader in its meeting, of which its group is told there: it has no peer communicator. */
static int connect_groups(struct tf_comm *local, int local_leader, MPI_Comm leaders, int err, MPI_Comm *newcomm)
{
    char why[400] = "";
    if (err && tf_error_text(err))
        snprintf(why, sizeof why, "%s", tf_error_text(err));
    struct tf_comm *both = tf_comm_find(leaders);
    int failed = tf_intercomm_create(local, local_leader, leaders, both ? 1 - both->rank : 0, 0, newcomm);
    if (err && *why)
        return tf_error(err, "%s", why);
    return err ? err : failed;
}

static int furnish(struct tf_comm *comm, struct tf_info *info, struct tf_errhandler *errhandler)
{
    int err = tf_errhandler_attach(&comm->errhandler, TF_KIND_COMM, errhandler);
    return err ? err : tf_comm_set_info(comm, info);
}

static int create_inter(const struct meeting *meeting, int local_leader, const struct tf_group *remote,
                        int remote_leader, MPI_Comm *newcomm)
{
    MPI_Comm local, leaders = MPI_COMM_NULL;
    bool leads = meeting->group->rank == local_leader;
    int met = MPI_SUCCESS, err = create(meeting, leads && remote && remote->size == 0, NULL, NULL, &local);
    if (err)
        return err;
    struct tf_comm *comm = tf_comm_find(local);
    snprintf(comm->name, sizeof comm->name, "local_group"); /* the words of errors know no other */
    if (leads)
        met = meet_leader(remote, remote_leader, meeting->key.name, &leaders);
    err = connect_groups(comm, local_leader, leaders, met, newcomm);
    if (leaders != MPI_COMM_NULL)
        tf_comm_part(tf_comm_find(leaders));
    tf_comm_part(tf_comm_find(local));
    return err;
}

int tf_intercomm_create_from_groups(struct tf_group *group, int local_leader, MPI_Group remote_group, int remote_leader,
                                    const char *name, struct tf_info *info, struct tf_errhandler *errhandler,
                                    MPI_Comm *newcomm)
{
    struct meeting meeting = {group, {.purpose = TF_LETTER_LOCAL, .name = name}};
    MPI_Comm made;
    int err = check_name(name);
    if (!err)
        err = check_errhandler(errhandler);
    if (!err && group->size == 0) {
        *newcomm = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    if (!err)
        err = check_member("local_group", group);
    if (!err && (local_leader < 0 || local_leader >= group->size))
        err = tf_error(MPI_ERR_RANK, "local_leader is %d; it must be between 0 and %d, the highest rank of local_group",
                       local_leader, group->size - 1);
    if (!err)
        err = create_inter(&meeting, local_leader, tf_group_find(remote_group), remote_leader, &made);
    if (err == NOBODY_THERE) {
        *newcomm = MPI_COMM_NULL;
        return MPI_SUCCESS;
    }
    if (!err)
        err = furnish(tf_comm_find(made), info, errhandler);
    if (!err)
        *newcomm = made;
    return err;
}
