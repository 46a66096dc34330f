/* test_queue.c - queues of receives and of messages beside a plain reference, which walks arrays: short and long ones,
 * keys of all kinds, with memory for an index and without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../mpi/c/scarce.h"
#include "msg/match.h"

static uint32_t rng = 7;
static int draw(int below)
{
    rng = rng * 1664525 + 1013904223;
    return (int)((uint64_t)(rng >> 8) * (uint32_t)below >> 24);
}

/* How a run draws: how many sources and tags there are, of 100 receives how many are wild in each, and about how long
 * the queue gets. */
struct mix {
    int sources, tags, wild, length, internal;
};
static const struct mix mixes[] = {{1, 1, 0, 60, 0},      {1, 400, 0, 400, 0},  {400, 1, 0, 400, 0},
                                   {8, 8, 30, 300, 10},   {2, 100, 5, 300, 20}, {50, 3, 50, 200, 0},
                                   {1, 1000, 90, 300, 5}, {3, 3, 10, 20, 30},   {20, 20, 100, 200, 10}};

static int draw_source(const struct mix *mix)
{
    return draw(mix->sources);
}

static int draw_tag(const struct mix *mix)
{
    return draw(100) < mix->internal ? TF_TAG_INTERNAL - draw(2) : draw(mix->tags);
}

/* ---- the reference: objects in order of time ---- */

/* One key needs no index: its first is the first of all. */
static void check_indexed(const struct mix *mix, bool indexed)
{
    if (mix->length >= 200 || mix->tags * mix->sources == 1)
        assert_int_equal(indexed, mix->length >= 200);
}

enum { MOST = 4000 };
static void *list[MOST];
static int n;

static void forget(int i)
{
    memmove(&list[i], &list[i + 1], (size_t)(--n - i) * sizeof list[0]);
}

static bool meets(int source, int tag, const struct tf_header *h)
{
    bool fits_source = source == MPI_ANY_SOURCE || source == (int)h->source;
    return fits_source && (tag == MPI_ANY_TAG ? h->tag >= 0 : tag == h->tag);
}

/* ---- receives ---- */

static struct tf_posted posted;
static struct tf_peer peers[2];

static void post(const struct mix *mix, bool collective)
{
    struct tf_recv *recv = malloc(sizeof *recv);
    memset(recv, 0xa5, sizeof *recv);
    recv->collective = collective;
    recv->source = draw(100) < mix->wild ? MPI_ANY_SOURCE : draw_source(mix);
    recv->tag = draw(100) < mix->wild ? MPI_ANY_TAG : draw_tag(mix);
    if (collective) {
        recv->peer = &peers[draw(2)];
        recv->sequence = (uint32_t)draw_source(mix);
    }
    tf_posted_append(&posted, recv);
    list[n++] = recv;
}

static void withdraw(void)
{
    int i = draw(n);
    struct tf_recv *recv = list[i];
    tf_posted_withdraw(&posted, recv);
    assert_null(recv->link);
    forget(i);
    free(recv);
}

static int expected_recv(const struct tf_header *h, const struct tf_peer *peer)
{
    for (int i = 0; i < n; i++) {
        const struct tf_recv *r = list[i];
        if (peer ? r->peer == peer && r->sequence == h->sequence && r->tag == h->tag : meets(r->source, r->tag, h))
            return i;
    }
    return -1;
}

static void message_comes(const struct mix *mix, bool collective)
{
    struct tf_header h = {.tag = draw_tag(mix)};
    const struct tf_peer *peer = collective ? &peers[draw(2)] : NULL;
    if (collective)
        h.sequence = (uint32_t)draw_source(mix);
    else
        h.source = (uint32_t)draw_source(mix);
    int i = expected_recv(&h, peer);
    struct tf_recv *got = NULL;
    if (!collective && draw(2))
        got = tf_posted_take_first(&posted, &h);
    if (!got)
        got = collective ? tf_posted_take_coll(&posted, peer, &h) : tf_posted_take(&posted, &h);
    assert_ptr_equal(got, i < 0 ? NULL : list[i]);
    if (!got)
        return;
    assert_null(got->link);
    forget(i);
    free(got);
}

/* The list has what the reference has, whatever the index does. */
static void check_posted(void)
{
    const struct tf_recv *r = posted.first;
    for (int i = 0; i < n; i++, r = r->next)
        assert_ptr_equal(r, list[i]);
    assert_null(r);
    if (n == 0)
        assert_null(posted.index);
}

static void drain_posted(void)
{
    while (n > 0)
        withdraw();
    check_posted();
}

enum { STEPS = 12000 };

/* Grows for a while and shrinks for a while, so that the index comes and goes. */
static bool grows(const struct mix *mix, int step)
{
    int more = step / (4 * mix->length) % 2 ? 25 : 75;
    return n < MOST && draw(100) < more;
}

static void run_posted(const struct mix *mix, bool collective)
{
    tf_posted_open(&posted);
    bool indexed = false;
    for (int step = 0; step < STEPS; step++) {
        if (grows(mix, step))
            post(mix, collective);
        else if (n > 0 && draw(5) == 0)
            withdraw();
        else
            message_comes(mix, collective);
        indexed |= posted.index != NULL;
        if (step % 500 == 0)
            check_posted();
    }
    check_indexed(mix, indexed);
    drain_posted();
}

static void receives_meet_as_in_the_reference(void **state)
{
    (void)state;
    for (size_t m = 0; m < TF_ARRAY_LEN(mixes); m++)
        run_posted(&mixes[m], false);
}

static void collectives_meet_as_in_the_reference(void **state)
{
    (void)state;
    for (size_t m = 1; m < 4; m++)
        run_posted(&mixes[m], true);
}

/* ---- messages ---- */

static struct tf_arrived arrived;

static void arrive(const struct mix *mix)
{
    struct tf_unexpected *message = malloc(sizeof *message);
    memset(message, 0xa5, sizeof *message);
    message->header = (struct tf_header){.source = (uint32_t)draw_source(mix), .tag = draw_tag(mix)};
    tf_arrived_append(&arrived, message);
    list[n++] = message;
}

static void drop_message(int i)
{
    struct tf_unexpected *message = list[i];
    tf_arrived_remove(&arrived, message);
    forget(i);
    free(message);
}

static int expected_message(int source, int tag)
{
    for (int i = 0; i < n; i++)
        if (meets(source, tag, &((struct tf_unexpected *)list[i])->header))
            return i;
    return -1;
}

/* A probe, or a receive. */
static void receive_comes(const struct mix *mix)
{
    int source = draw(100) < mix->wild ? MPI_ANY_SOURCE : draw_source(mix);
    int tag = draw(100) < mix->wild ? MPI_ANY_TAG : draw_tag(mix);
    int i = expected_message(source, tag);
    assert_ptr_equal(tf_arrived_find(&arrived, source, tag), i < 0 ? NULL : list[i]);
    if (i >= 0 && draw(4))
        drop_message(i);
}

static bool any_index(void)
{
    for (int kind = 0; kind < TF_QUEUE_KINDS; kind++)
        if (arrived.index[kind])
            return true;
    return false;
}

static void run_arrived(const struct mix *mix)
{
    bool indexed = false;
    arrived = (struct tf_arrived){0};
    tf_messages_open(&arrived.list);
    for (int step = 0; step < STEPS; step++) {
        if (grows(mix, step))
            arrive(mix);
        else if (n > 0 && draw(8) == 0)
            drop_message(draw(n));
        else
            receive_comes(mix);
        indexed |= any_index();
    }
    check_indexed(mix, indexed);
    while (n > 0)
        drop_message(draw(n));
    assert_null(arrived.list.first);
    assert_false(any_index());
}

static void messages_are_found_as_in_the_reference(void **state)
{
    (void)state;
    for (size_t m = 0; m < TF_ARRAY_LEN(mixes); m++)
        run_arrived(&mixes[m]);
}

/* ---- without memory ---- */

/* All that is posted meets its message in reverse, while the k-th allocation fails, or all from then on. */
enum { LENGTH = 300 };
static void reversed(int k, bool for_good)
{
    static const struct mix none = {1, 1, 0, 1, 0};
    tf_posted_open(&posted);
    arrived = (struct tf_arrived){0};
    tf_messages_open(&arrived.list);
    for (int i = 0; i < LENGTH; i++) {
        post(&none, false);
        ((struct tf_recv *)list[i])->tag = i;
    }
    struct tf_unexpected *messages = calloc(LENGTH, sizeof *messages);
    scarce_begin(k, for_good);
    for (int i = LENGTH; i-- > 0;) {
        struct tf_recv *got = tf_posted_take(&posted, &(struct tf_header){.tag = i});
        messages[i].header.tag = LENGTH - i;
        tf_arrived_append(&arrived, &messages[i]);
        bool good = got == list[i] && tf_arrived_find(&arrived, 0, LENGTH - i) == &messages[i] &&
                    tf_arrived_find(&arrived, MPI_ANY_SOURCE, MPI_ANY_TAG) == &messages[LENGTH - 1] &&
                    tf_arrived_find(&arrived, MPI_ANY_SOURCE, LENGTH - i) == &messages[i];
        if (!good)
            scarce_end();
        assert_true(good);
        free(got);
    }
    scarce_end();
    for (int i = 0; i < LENGTH; i++) {
        assert_ptr_equal(tf_arrived_find(&arrived, 0, LENGTH - i), &messages[i]);
        tf_arrived_remove(&arrived, &messages[i]);
    }
    n = 0;
    assert_null(posted.index);
    assert_false(any_index());
    free(messages);
}

static void without_memory_the_list_is_walked(void **state)
{
    (void)state;
    for (int k = 0; k < 16; k++) {
        reversed(k, false);
        reversed(k, true);
    }
}

/* With a walk for each of them this takes minutes. */
static void many_are_no_slower(void **state)
{
    (void)state;
    static const struct mix none = {1, 1, 0, 1, 0};
    enum { MANY = 200000 };
    tf_posted_open(&posted);
    for (int i = 0; i < MANY; i++) {
        n = 0;
        post(&none, false);
        ((struct tf_recv *)list[0])->tag = i;
    }
    for (int i = MANY; i-- > 0;) {
        struct tf_recv *got = tf_posted_take(&posted, &(struct tf_header){.tag = i});
        assert_int_equal(got->tag, i);
        free(got);
    }
    n = 0;
    check_posted();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receives_meet_as_in_the_reference),
        cmocka_unit_test(collectives_meet_as_in_the_reference),
        cmocka_unit_test(messages_are_found_as_in_the_reference),
        cmocka_unit_test(without_memory_the_list_is_walked),
        cmocka_unit_test(many_are_no_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
