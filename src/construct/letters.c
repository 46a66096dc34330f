/* letters.c - see letters.h.
 *
 * Whoever waits takes in whatever letter has come to this process and looks whether its own is among them: threads take
 * in each other's.
 */
#include "construct/letters.h"

#include "comm/comm.h"
#include "msg/await.h"
#include "msg/lost.h"
#include "msg/msg.h"
#include "net/net.h"
#include "type/construct.h"

enum { TAG = -50 };

/* As it travels: the name follows without its 0. */
struct sheet {
    struct tf_letter letter;
    int32_t purpose;
    char name[TF_LETTER_NAME + 1];
};

/* One that has come. */
struct received {
    struct received *next;
    int from;
    struct sheet sheet;
};

static struct tf_comm *lobby;
static struct received *first, **end = &first;

static struct tf_group *everybody(void)
{
    int *processes = tf_alloc((size_t)tf_job.size * sizeof *processes, "the ranks of the job");
    if (!processes)
        return NULL;
    for (int r = 0; r < tf_job.size; r++)
        processes[r] = r;
    return tf_group_create_object(tf_job.size, processes);
}

int tf_letters_open(bool all)
{
    int err = tf_net_join(all);
    if (err || lobby)
        return err;
    struct tf_group *group = everybody();
    if (!group)
        return MPI_ERR_NO_MEM;
    lobby = tf_comm_create_internal(group, TF_INTERNAL_LOBBY, "the lobby of the job");
    tf_group_release(group);
    return lobby ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* ---- out ---- */

static int take_in(bool *moved);

struct sending {
    MPI_Request request;
    int err;
};

/* Two may send to each other, and a letter may be too long to leave before it is taken in. */
static bool is_sent(void *state, bool *moved)
{
    struct sending *sending = state;
    int sent = 0;
    sending->err = take_in(moved);
    if (!sending->err)
        sending->err = tf_test(&sending->request, &sent, MPI_STATUS_IGNORE, NULL);
    return sent || sending->err;
}

static bool has_come(void *state, bool *moved)
{
    (void)moved;
    return tf_net_has_come(((const struct tf_letter_key *)state)->process);
}

int tf_letters_send(const struct tf_letter_key *to, const struct tf_letter *letter)
{
    if (!tf_net_has_come(to->process))
        tf_await(TF_AWAITS_LETTER, to, has_come, (void *)to);
    struct sheet sheet = {.letter = *letter, .purpose = (int32_t)to->purpose};
    struct sending sending = {MPI_REQUEST_NULL, MPI_SUCCESS};
    size_t length = strlen(to->name);
    memcpy(sheet.name, to->name, length);
    int err = tf_isend(&sheet, (MPI_Count)(offsetof(struct sheet, name) + length), tf_type_find(MPI_BYTE), to->process,
                       TAG, lobby, TF_STANDARD, &sending.request);
    if (err)
        return err;
    tf_await(TF_AWAITS_LETTER, to, is_sent, &sending);
    return sending.err;
}

/* ---- in ---- */

static int take_one(MPI_Message *message, const MPI_Status *status)
{
    struct received *received = tf_alloc(sizeof *received, "what another process says of a new communicator");
    struct sheet rest;
    struct sheet *to = received ? &received->sheet : &rest;
    struct tf_object *on = NULL;
    MPI_Count bytes = 0;
    if (received)
        *received = (struct received){.from = status->MPI_SOURCE};
    int err = tf_get_count(status, tf_type_find(MPI_BYTE), &bytes);
    if (!err)
        err = tf_mrecv(to, bytes, tf_type_find(MPI_BYTE), message, MPI_STATUS_IGNORE, &on);
    if (err || !received) {
        free(received);
        return err ? err : MPI_ERR_NO_MEM;
    }
    *end = received;
    end = &received->next;
    return MPI_SUCCESS;
}

static int take_in(bool *moved)
{
    int came = 1, err = MPI_SUCCESS;
    if (TF_UNLIKELY(tf_failure_count > 0)) /* letters of the others come as ever */
        tf_lost_acknowledge(lobby, tf_lost_count(lobby));
    while (came && !err) {
        MPI_Message message;
        MPI_Status status;
        err = tf_improbe(MPI_ANY_SOURCE, TAG, lobby, &came, &message, &status);
        if (!err && came) {
            *moved = true;
            err = take_one(&message, &status);
        }
    }
    return err;
}

static struct received *take_out(const struct tf_letter_key *key)
{
    for (struct received **place = &first; *place; place = &(*place)->next) {
        struct received *r = *place;
        if (r->from != key->process || r->sheet.purpose != (int32_t)key->purpose ||
            strcmp(r->sheet.name, key->name) != 0)
            continue;
        *place = r->next;
        if (!*place)
            end = place;
        return r;
    }
    return NULL;
}

struct receiving {
    const struct tf_letter_key *key;
    struct received *received;
    int err;
};

static bool is_there(void *state, bool *moved)
{
    struct receiving *receiving = state;
    const struct tf_peer *writer = lobby->peers[receiving->key->process];
    receiving->err = take_in(moved);
    receiving->received = take_out(receiving->key);
    if (!receiving->received && !receiving->err && tf_failure_is(writer))
        receiving->err = tf_lost_error(lobby, writer);
    return receiving->received || receiving->err;
}

int tf_letters_receive(const struct tf_letter_key *from, struct tf_letter *letter)
{
    struct receiving receiving = {from, NULL, MPI_SUCCESS};
    tf_await(TF_AWAITS_LETTER, from, is_there, &receiving);
    if (!receiving.received)
        return receiving.err;
    *letter = receiving.received->sheet.letter;
    free(receiving.received);
    return MPI_SUCCESS;
}
