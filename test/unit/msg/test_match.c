/* test_match.c - which message meets which receive (MPI-5.0 section 3.5): random traffic beside a naive model, probes,
 * cancellation, and messages of communicators that are not there yet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "fake_net.h"
#include "msg/accord.h"
#include "msg/fingerprint.h"

static uint32_t rng = 99;
static int draw(int below)
{
    rng = rng * 1664525 + 1013904223;
    return (int)((uint64_t)(rng >> 8) * (uint32_t)below >> 24);
}

static struct tf_type *int_type(void)
{
    return tf_type_find(MPI_INT);
}

/* ---- the model: two lists in order of time ---- */

enum { MOST = 400 };

struct modelled {
    int comm, source, tag;
    int number; /* of the message, or of the receive */
    bool gone;
};
static struct {
    struct modelled list[MOST];
    int n;
} sent, posted;
static int met[MOST]; /* the message that each receive got, -1: none yet */

static bool may_meet(const struct modelled *recv, const struct modelled *message)
{
    return recv->comm == message->comm && (recv->source == MPI_ANY_SOURCE || recv->source == message->source) &&
           (recv->tag == MPI_ANY_TAG || recv->tag == message->tag);
}

/* The first of the list that fits; messages look for receives and receives for messages. */
static struct modelled *first_fit(struct modelled *list, int n, const struct modelled *one, bool is_message)
{
    for (int i = 0; i < n; i++)
        if (!list[i].gone && (is_message ? may_meet(&list[i], one) : may_meet(one, &list[i])))
            return &list[i];
    return NULL;
}

static void model_message(struct modelled message)
{
    struct modelled *recv = first_fit(posted.list, posted.n, &message, true);
    if (recv) {
        recv->gone = message.gone = true;
        met[recv->number] = message.number;
    }
    sent.list[sent.n++] = message;
}

static void model_receive(struct modelled recv)
{
    struct modelled *message = first_fit(sent.list, sent.n, &recv, false);
    if (message) {
        recv.gone = message->gone = true;
        met[recv.number] = message->number;
    }
    posted.list[posted.n++] = recv;
}

/* ---- random traffic ---- */

static MPI_Request requests[MOST];
static int values[MOST];

static void check_receive(int i)
{
    MPI_Status status;
    struct tf_object *comm = NULL;
    int flag;
    assert_int_equal(tf_test(&requests[i], &flag, &status, &comm), MPI_SUCCESS);
    assert_int_equal(flag, met[i] >= 0);
    if (!flag)
        return;
    assert_int_equal(values[i], met[i]);
    assert_int_equal(status.MPI_SOURCE, sent.list[met[i]].source);
    assert_int_equal(status.MPI_TAG, sent.list[met[i]].tag);
    assert_int_equal(tf_status_bytes(&status), sizeof(int));
    assert_ptr_equal(requests[i], MPI_REQUEST_NULL);
}

static void check_probe(struct tf_comm *comm, struct modelled wanted)
{
    int flag;
    MPI_Status status;
    assert_int_equal(tf_iprobe(wanted.source, wanted.tag, comm, &flag, &status), MPI_SUCCESS);
    struct modelled *message = first_fit(sent.list, sent.n, &wanted, false);
    assert_int_equal(flag, message != NULL);
    if (message) {
        assert_int_equal(status.MPI_SOURCE, message->source);
        assert_int_equal(status.MPI_TAG, message->tag);
    }
}

/* Takes a message out by a matched probe, and receives it: no other receive can get it in between. */
static void check_mprobe(struct tf_comm *comm, struct modelled wanted)
{
    int flag, value = -1;
    MPI_Message handle;
    MPI_Status status;
    struct tf_object *where = NULL;
    assert_int_equal(tf_improbe(wanted.source, wanted.tag, comm, &flag, &handle, &status), MPI_SUCCESS);
    struct modelled *message = first_fit(sent.list, sent.n, &wanted, false);
    assert_int_equal(flag, message != NULL);
    if (!message)
        return;
    assert_int_equal(tf_mrecv(&value, 1, int_type(), &handle, &status, &where), MPI_SUCCESS);
    assert_int_equal(value, message->number);
    assert_int_equal(status.MPI_SOURCE, message->source);
    assert_ptr_equal(handle, MPI_MESSAGE_NULL);
    message->gone = true;
}

static void cancel_one(int i)
{
    MPI_Status status;
    struct tf_object *comm = NULL;
    if (i >= posted.n || requests[i] == MPI_REQUEST_NULL || met[i] >= 0)
        return;
    assert_int_equal(tf_cancel(&requests[i], &comm), MPI_SUCCESS);
    assert_int_equal(tf_wait(&requests[i], &status, &comm), MPI_SUCCESS);
    assert_int_equal(status.MPI_internal[2], 1);
    posted.list[i].gone = true;
    met[i] = -2;
}

static struct modelled draw_wanted(int comm)
{
    return (struct modelled){.comm = comm,
                             .source = draw(3) ? draw(FAKE_RANKS - 1) + 1 : MPI_ANY_SOURCE,
                             .tag = draw(3) ? draw(3) : MPI_ANY_TAG};
}

static void random_traffic(void **state)
{
    struct tf_comm *comms[2] = {tf_comm_world, NULL};
    (void)state;
    comms[1] = tf_comm_create_object(tf_comm_world->group, (uint64_t)1 << 32 | 77, tf_comm_world, 0);
    for (int seed = 0; seed < 40; seed++) {
        rng = (uint32_t)seed;
        sent.n = posted.n = 0;
        for (int step = 0; step < 300; step++) {
            struct modelled one = draw_wanted(draw(2));
            struct tf_comm *comm = comms[one.comm];
            switch (draw(7)) {
            case 0:
            case 1:
            case 2:
                one.source = draw(FAKE_RANKS - 1) + 1;
                one.tag = draw(3);
                one.number = sent.n;
                model_message(one);
                fake_eager(one.source, comm, one.tag, &one.number, sizeof one.number);
                tf_msg_progress();
                break;
            case 3:
            case 4:
                one.number = posted.n;
                met[one.number] = -1;
                values[one.number] = -1;
                model_receive(one);
                assert_int_equal(
                    tf_irecv(&values[one.number], 1, int_type(), one.source, one.tag, comm, &requests[one.number]),
                    MPI_SUCCESS);
                break;
            case 5:
                draw(2) ? check_probe(comm, one) : check_mprobe(comm, one);
                break;
            default:
                cancel_one(draw(posted.n + 1));
            }
        }
        for (int i = 0; i < posted.n; i++) {
            if (met[i] == -1)
                cancel_one(i);
            else if (met[i] >= 0)
                check_receive(i);
        }
        /* What nobody received is taken out in order, for the next round. */
        for (int c = 0; c < 2; c++)
            for (int left = 0; left < sent.n; left++)
                check_mprobe(comms[c], (struct modelled){.comm = c, .source = MPI_ANY_SOURCE, .tag = MPI_ANY_TAG});
    }
    tf_comm_release(comms[1]);
}

static void wildcards_do_not_match_the_library(void **state)
{
    int flag, value = 5, got = 0;
    (void)state;
    fake_eager(1, tf_comm_world, TF_TAG_INTERNAL, &value, sizeof value);
    tf_iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, tf_comm_world, &flag, MPI_STATUS_IGNORE);
    assert_false(flag);
    assert_int_equal(tf_recv(&got, 1, int_type(), MPI_ANY_SOURCE, TF_TAG_INTERNAL, tf_comm_world, MPI_STATUS_IGNORE),
                     MPI_SUCCESS);
    assert_int_equal(got, 5);
}

/* A message may come before the communicator that it is for, and meets only receives on that one. */
static void early_messages_wait_for_their_communicator(void **state)
{
    const uint64_t context = (uint64_t)1 << 32 | 1234;
    struct tf_comm ghost = {.context = context}, other = {.context = context + 1};
    int flag, got[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        fake_eager(1 + k % 2, &ghost, 7, &k, sizeof k);
        fake_eager(3, &other, 7, &k, sizeof k);
        tf_msg_progress();
    }
    tf_iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, tf_comm_world, &flag, MPI_STATUS_IGNORE);
    assert_false(flag);
    struct tf_comm *comm = tf_comm_create_object(tf_comm_world->group, context, tf_comm_world, 0);
    for (int k = 0; k < 3; k++) {
        tf_recv(&got[k], 1, int_type(), MPI_ANY_SOURCE, 7, comm, MPI_STATUS_IGNORE);
        assert_int_equal(got[k], k);
    }
    tf_iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
    assert_false(flag);
    tf_comm_release(comm);
    comm = tf_comm_create_object(tf_comm_world->group, context + 1, tf_comm_world, 0);
    tf_iprobe(3, 7, comm, &flag, MPI_STATUS_IGNORE);
    assert_true(flag);
    tf_comm_release(comm); /* with messages that nobody receives */
}

/* ---- collectives' messages: by peer, number and tag; never by wildcards ---- */

static int ended;

static void coll_done(struct tf_recv *recv)
{
    (void)recv;
    ended++;
}

static struct tf_recv coll_recv(int rank, uint32_t sequence, int tag, int *buf)
{
    return (struct tf_recv){.comm = tf_comm_world,
                            .peer = tf_net_peer(rank),
                            .sequence = sequence,
                            .tag = tag,
                            .fingerprint = 42,
                            .buf = (char *)buf,
                            .capacity = sizeof *buf,
                            .done = coll_done};
}

static void fake_coll(int rank, uint32_t sequence, int tag, uint32_t fingerprint, int value)
{
    struct tf_header header = {.kind = TF_MSG_COLL,
                               .tag = tag,
                               .context = tf_comm_world->context,
                               .sequence = sequence,
                               .fingerprint = fingerprint};
    fake_send(rank, header, &value, sizeof value);
}

static void collectives_match_exactly(void **state)
{
    int buf[4] = {0}, flag;
    (void)state;
    ended = 0;
    struct tf_recv first = coll_recv(1, 9, 0, &buf[0]), second = coll_recv(2, 9, 1, &buf[1]),
                   third = coll_recv(1, 10, 0, &buf[2]);
    tf_recv_post_coll(&first);
    tf_recv_post_coll(&second);
    fake_coll(1, 10, 0, 42, 100); /* the next collective already */
    fake_coll(2, 9, 0, 42, 101);  /* another step */
    tf_msg_progress();
    assert_int_equal(ended, 0);
    assert_int_equal(tf_comm_world->match->coll_kept, 2);
    tf_iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, tf_comm_world, &flag, MPI_STATUS_IGNORE);
    assert_false(flag);
    fake_coll(2, 9, 1, 42, 102);
    fake_coll(1, 9, 0, 42, 103);
    tf_msg_progress();
    assert_int_equal(ended, 2);
    assert_int_equal(buf[0], 103);
    assert_int_equal(buf[1], 102);
    tf_recv_post_coll(&third);
    assert_int_equal(buf[2], 100);
    struct tf_unexpected *kept = tf_match_find_coll(tf_comm_world, tf_net_peer(2), 9, 0, true);
    assert_non_null(kept);
    free(kept);
    assert_int_equal(tf_comm_world->match->coll_kept, 0);
    assert_null(tf_match_find_coll(tf_comm_world, tf_net_peer(2), 9, 0, false));
}

static void note(struct tf_match *match, uint32_t sequence, uint32_t fingerprint)
{
    tf_accord_note(&match->accord, sequence, &(struct tf_terms){.fingerprint = fingerprint});
}

/* What came before its call was made, or comes after, is compared with what the call was. */
static void dissents_are_noted(void **state)
{
    struct tf_match *match = tf_comm_world->match;
    (void)state;
    fake_coll(3, 20, 0, 42, 1);
    fake_coll(3, 21, 0, 43, 1);
    tf_msg_progress();
    tf_comm_world->coll_seq = 22;
    note(match, 20, 42);
    tf_match_sift(match);
    assert_int_equal(match->accord.ndissents, 1);
    assert_int_equal(match->accord.dissents[0].peer->rank, 3);
    assert_int_equal(match->accord.dissents[0].sequence, 21);
    fake_coll(2, 21, 0, 44, 1);
    fake_coll(1, 21, 0, 42, 1);
    tf_msg_progress();
    assert_int_equal(match->accord.ndissents, 2);
    assert_int_equal(match->coll_kept, 4);
    assert_int_equal(tf_accord_left(&match->accord, TF_FINGERPRINT_COMM_FREE), MPI_ERR_OTHER);
    assert_int_equal(match->accord.ndissents, 0);
    tf_match_discard_all(match);
    assert_int_equal(match->coll_kept, 0);
}

/* Whoever waits for us is told that we called something else, or gave up; and nothing as long as we may still come. */
static void who_asks_is_answered(void **state)
{
    struct tf_match *match = tf_comm_world->match;
    struct tf_header h,
        ask = {.kind = TF_MSG_ASK, .context = tf_comm_world->context, .sequence = 31, .fingerprint = 42};
    (void)state;
    tf_comm_world->coll_seq = 31;
    fake_send(1, ask, NULL, 0);
    tf_msg_progress();
    assert_false(fake_next(1, &h, NULL));
    tf_comm_world->coll_seq = 33;
    note(match, 30, 42);
    fake_send(1, ask, NULL, 0);
    tf_msg_progress();
    assert_false(fake_next(1, &h, NULL));
    note(match, 32, 43);
    ask.sequence = 32;
    fake_send(1, ask, NULL, 0);
    tf_msg_progress();
    assert_true(fake_next(1, &h, NULL));
    assert_int_equal(h.kind, TF_MSG_DIFFERS);
    assert_int_equal(h.sequence, 32);
    assert_int_equal(h.fingerprint, 43);
    assert_int_equal(match->accord.ndissents, 1);
    tf_accord_give_up(&match->accord, 32, TF_FINGERPRINT_GIVEN_UP);
    assert_int_equal(match->accord.ndissents, 0);
    fake_send(2, ask, NULL, 0);
    tf_msg_progress();
    assert_true(fake_next(2, &h, NULL));
    assert_int_equal(h.fingerprint, TF_FINGERPRINT_GIVEN_UP);
    assert_int_equal(match->coll_kept, 0);
}

/* Whoever has found that our call is not its own is told what it was, as far as we remember. */
static void who_has_a_question_is_answered(void **state)
{
    struct tf_match *match = tf_comm_world->match;
    struct tf_terms terms = {.fingerprint = 43, .count = 7, .coll = TF_SCAN, .form = TF_FORM_PERSISTENT}, said;
    struct tf_header h, question = {.kind = TF_MSG_QUESTION, .context = tf_comm_world->context, .sequence = 31};
    (void)state;
    tf_comm_world->coll_seq = 33;
    tf_accord_note(&match->accord, 32, &terms);
    tf_accord_give_up(&match->accord, 32, TF_FINGERPRINT_GIVEN_UP); /* it is remembered all the same */
    fake_send(1, question, NULL, 0);
    question.sequence = 32;
    fake_send(1, question, NULL, 0);
    question.context = 12345; /* nobody knows it */
    fake_send(1, question, NULL, 0);
    tf_msg_progress();
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(fake_next(1, &h, &said));
        assert_int_equal(h.kind, TF_MSG_ANSWER);
        assert_int_equal(h.sequence, i == 0 ? 31 : 32);
        assert_int_equal(h.length, i == 1 ? sizeof said : 0);
        if (i == 1)
            assert_memory_equal(&said, &terms, sizeof said);
    }
    assert_int_equal(match->coll_kept, 0);
}

/* The sender of a long message that nobody will receive gets an answer, and does not send its data. */
static void stray_announcements_end(void **state)
{
    struct tf_match *match = tf_comm_world->match;
    struct tf_header h, rts = {.kind = TF_MSG_COLL_RTS, .context = tf_comm_world->context, .sequence = 40, .id = 7};
    struct tf_rts facts = {100, 0, {77}};
    (void)state;
    tf_comm_world->coll_seq = 41;
    note(match, 40, 78);
    fake_send(1, rts, &facts, sizeof facts);
    tf_msg_progress();
    assert_true(fake_next(1, &h, NULL));
    assert_int_equal(h.kind, TF_MSG_ACK);
    assert_int_equal(h.id, 7);
    tf_accord_left(&match->accord, TF_FINGERPRINT_COMM_FREE);
}

static void note_in(struct tf_history *history, uint32_t sequence, uint32_t fingerprint)
{
    tf_history_note(history, sequence, &(struct tf_terms){.fingerprint = fingerprint});
}

/* Equal calls are one entry; persistent ones are told apart; what is too long ago is not known. */
static void the_history_is_exact(void **state)
{
    struct tf_history history = {0};
    struct tf_terms terms;
    (void)state;
    assert_false(tf_history_find(&history, 3, &terms));
    note_in(&history, 5, 100);
    note_in(&history, 6, 100);
    note_in(&history, 9, 101);
    note_in(&history, 10 | TF_SEQUENCE_PERSISTENT, 101);
    note_in(&history, 11, 102);
    note_in(&history, 11, 103);
    assert_int_equal(history.ncalls, 4);
    assert_false(tf_history_find(&history, 4, &terms));
    const struct {
        uint32_t sequence, print;
    } known[] = {{5, 100},
                 {8, 100},
                 {9, 101},
                 {11, 103},
                 {500, 103},
                 {10 | TF_SEQUENCE_PERSISTENT, 101},
                 {10, TF_FINGERPRINT_OTHER_SERIES},
                 {9 | TF_SEQUENCE_PERSISTENT, TF_FINGERPRINT_OTHER_SERIES}};
    for (size_t i = 0; i < TF_ARRAY_LEN(known); i++) {
        assert_true(tf_history_find(&history, known[i].sequence, &terms));
        assert_int_equal(terms.fingerprint, known[i].print);
    }
    history = (struct tf_history){0};
    for (uint32_t i = 0; i < TF_HISTORY_CALLS + 4; i++)
        note_in(&history, (0x7ffffff8 + i) & 0x7fffffff, i % 2 ? 7 : 8);
    assert_false(tf_history_find(&history, 0x7ffffffb, &terms));
    assert_true(tf_history_find(&history, 3, &terms));
    assert_int_equal(terms.fingerprint, 7);
}

/* A receive that meets a message of another call ends with an error that names both. */
static void disagreement_is_an_error(void **state)
{
    int buf = 7;
    (void)state;
    ended = 0;
    struct tf_recv recv = coll_recv(1, 30, 0, &buf);
    recv.fingerprint = tf_fingerprint_make(TF_ALLREDUCE, MPI_SUM, 4, 0, 0);
    tf_recv_post_coll(&recv);
    fake_coll(1, 30, 0, tf_fingerprint_make(TF_ALLREDUCE, MPI_MAX, 4, 0, 0), 1);
    tf_msg_progress();
    assert_int_equal(ended, 1);
    assert_int_equal(recv.error, MPI_ERR_OP);
    assert_non_null(strstr(tf_error_text(MPI_ERR_OP), "MPI_SUM"));
    assert_non_null(strstr(tf_error_text(MPI_ERR_OP), "MPI_MAX"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_job_open, fake_job_close)
    const struct CMUnitTest tests[] = {
        TEST(random_traffic),
        TEST(wildcards_do_not_match_the_library),
        TEST(early_messages_wait_for_their_communicator),
        TEST(collectives_match_exactly),
        TEST(dissents_are_noted),
        TEST(who_asks_is_answered),
        TEST(who_has_a_question_is_answered),
        TEST(stray_announcements_end),
        TEST(the_history_is_exact),
        TEST(disagreement_is_an_error),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
