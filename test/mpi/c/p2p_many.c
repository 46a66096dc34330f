/* Many receives that wait, and many messages that nobody receives yet: each meets its own whatever the order (MPI-5.0
 * section 3.5), and in a time that does not grow with how many there are, or this test does not end.
 *
 * np: 2 3
 * timeout: 120
 * only: treefold
 */
#include "check.h"

enum { MANY = 10000 / CHECK_SLOW, MIXED = 2000 / CHECK_SLOW, TAGS = 300, COMMS = 20, EACH = 100 };
enum { REVERSED, SCATTERED, ORDERS };

static MPI_Request requests[MANY];
static MPI_Status statuses[MANY];
static int got[MANY], sent[MANY];

/* The i-th of n in that order; 7919 is a prime that does not divide n. */
static int nth(int i, int n, int order)
{
    return order == REVERSED ? n - 1 - i : (int)((long long)i * 7919 % n);
}

static void barrier(void)
{
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Messages of rank 1 with tags 0 to n - 1 in that order; each holds its tag. */
static void send_tags(int n, int order)
{
    for (int i = 0; i < n; i++) {
        sent[i] = nth(i, n, order);
        CHECK_OK(MPI_Isend(&sent[i], 1, MPI_INT, 0, sent[i], MPI_COMM_WORLD, &requests[i]));
    }
}

static void wait_sent(int n)
{
    CHECK_OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
}

static void check_tags(int n)
{
    CHECK_OK(MPI_Waitall(n, requests, statuses));
    for (int i = 0; i < n; i++)
        CHECK_NOTED(got[i] == i && statuses[i].MPI_TAG == i && statuses[i].MPI_SOURCE == 1, "tag %d got %d", i, got[i]);
}

static void post_tags(int n, int order, int source)
{
    check_wipe(got, sizeof got);
    for (int i = 0; i < n; i++) {
        int tag = nth(i, n, order);
        CHECK_OK(MPI_Irecv(&got[tag], 1, MPI_INT, source, tag, MPI_COMM_WORLD, &requests[tag]));
    }
}

static void posted(int order, int source)
{
    if (check_rank == 0)
        post_tags(MANY, SCATTERED, source);
    barrier();
    if (check_rank == 1) {
        send_tags(MANY, order);
        wait_sent(MANY);
    }
    if (check_rank == 0)
        check_tags(MANY);
}

static void unexpected(int order, int source)
{
    if (check_rank == 1)
        send_tags(MANY, SCATTERED);
    barrier();
    if (check_rank == 0) {
        post_tags(MANY, order, source);
        check_tags(MANY);
    }
    if (check_rank == 1)
        wait_sent(MANY);
}

/* ---- probes among many ---- */

/* Among messages of all tags those of tag 1 come by a probe that knows tag and source, of any tag the first. */
static void probes(void)
{
    int flag, value;
    MPI_Message message;
    MPI_Status status;
    if (check_rank == 1)
        send_tags(MANY, REVERSED);
    barrier();
    for (int i = 0; check_rank == 0 && i < MANY; i++) {
        int any = i % 2, tag = any ? MANY - 1 - i / 2 : i / 2;
        do
            CHECK_OK(MPI_Improbe(i % 3 ? 1 : MPI_ANY_SOURCE, any ? MPI_ANY_TAG : tag, MPI_COMM_WORLD, &flag, &message,
                                 &status));
        while (!flag);
        CHECK_NOTED(status.MPI_TAG == tag, "probe %d finds tag %d, not %d", i, status.MPI_TAG, tag);
        check_wipe(&value, sizeof value);
        CHECK_OK(MPI_Mrecv(&value, 1, MPI_INT, &message, &status));
        CHECK_INT(value, tag);
    }
    if (check_rank == 1)
        wait_sent(MANY);
}

/* ---- wildcards, beside a model of one sender ---- */

static struct {
    int source, tag, met; /* the message that it gets, -1: none */
} wanted[MIXED];
static int tags[MIXED];
static bool taken[MIXED];
static unsigned rng;

static int draw(int below)
{
    rng = rng * 1664525 + 1013904223;
    return (int)((unsigned long long)(rng >> 8) * (unsigned)below >> 24);
}

/* The same on all ranks. */
static void draw_mixed(unsigned seed)
{
    rng = seed;
    for (int i = 0; i < MIXED; i++) {
        wanted[i].source = draw(4) ? 1 : MPI_ANY_SOURCE;
        wanted[i].tag = draw(50) ? draw(TAGS) : MPI_ANY_TAG;
        wanted[i].met = -1;
        tags[i] = draw(TAGS);
        taken[i] = false;
    }
}

static bool fits(int receive, int message)
{
    return wanted[receive].met < 0 && !taken[message] &&
           (wanted[receive].tag == MPI_ANY_TAG || wanted[receive].tag == tags[message]);
}

/* Whichever of the two come first, each of the others takes the first that fits. */
static void model(bool receives_first)
{
    for (int i = 0; i < MIXED; i++)
        for (int k = 0; k < MIXED; k++) {
            int receive = receives_first ? k : i, message = receives_first ? i : k;
            if (!fits(receive, message))
                continue;
            wanted[receive].met = message;
            taken[message] = true;
            break;
        }
}

static void send_mixed(void)
{
    for (int i = 0; i < MIXED; i++) {
        sent[i] = i;
        CHECK_OK(MPI_Isend(&sent[i], 1, MPI_INT, 0, tags[i], MPI_COMM_WORLD, &requests[i]));
    }
}

static void post_mixed(void)
{
    check_wipe(got, sizeof got);
    for (int i = 0; i < MIXED; i++)
        CHECK_OK(MPI_Irecv(&got[i], 1, MPI_INT, wanted[i].source, wanted[i].tag, MPI_COMM_WORLD, &requests[i]));
}

/* Those that get nothing are cancelled, and what nobody got is received in order. */
static void check_mixed(void)
{
    MPI_Status status;
    int cancelled, value;
    for (int i = 0; i < MIXED; i++) {
        if (wanted[i].met < 0)
            CHECK_OK(MPI_Cancel(&requests[i]));
        CHECK_OK(MPI_Wait(&requests[i], &status));
        CHECK_OK(MPI_Test_cancelled(&status, &cancelled));
        CHECK_NOTED(cancelled == (wanted[i].met < 0), "receive %d", i);
        CHECK_NOTED(cancelled || got[i] == wanted[i].met, "receive %d got %d, not %d", i, got[i], wanted[i].met);
    }
    for (int i = 0; i < MIXED; i++)
        if (!taken[i]) {
            check_wipe(&value, sizeof value);
            CHECK_OK(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_INT(value, i);
        }
}

static void mixed(unsigned seed, bool receives_first)
{
    draw_mixed(seed);
    model(receives_first);
    if (check_rank == 0 && receives_first)
        post_mixed();
    if (check_rank == 1 && !receives_first)
        send_mixed();
    barrier();
    if (check_rank == 1 && receives_first)
        send_mixed();
    if (check_rank == 0 && !receives_first)
        post_mixed();
    if (check_rank == 1) /* rank 0 cancels when all has come */
        CHECK_OK(MPI_Send(NULL, 0, MPI_INT, 0, TAGS, MPI_COMM_WORLD));
    if (check_rank == 0) {
        CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, 1, TAGS, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        check_mixed();
    }
    if (check_rank == 1)
        wait_sent(MIXED);
    barrier();
}

/* ---- receives that go ---- */

/* Two of three in the middle are cancelled or given up; those that are given up still get theirs. */
static void withdrawn(void)
{
    MPI_Status status;
    int cancelled;
    if (check_rank == 0) {
        post_tags(MANY, REVERSED, 1);
        for (int i = 0; i < MANY; i++) {
            int tag = nth(i, MANY, SCATTERED);
            if (tag % 3 == 1) {
                CHECK_OK(MPI_Cancel(&requests[tag]));
                CHECK_OK(MPI_Wait(&requests[tag], &status));
                CHECK_OK(MPI_Test_cancelled(&status, &cancelled));
                CHECK_INT(cancelled, 1);
            } else if (tag % 3 == 2) {
                CHECK_OK(MPI_Request_free(&requests[tag]));
            }
        }
    }
    barrier();
    if (check_rank == 1) {
        for (int tag = 0; tag < MANY; tag++)
            if (tag % 3 != 1)
                CHECK_OK(MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD));
        CHECK_OK(MPI_Send(NULL, 0, MPI_INT, 0, MANY, MPI_COMM_WORLD));
    }
    if (check_rank != 0)
        return;
    CHECK_OK(MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, 1, MANY, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int tag = 0; tag < MANY; tag++)
        if (tag % 3 != 1)
            CHECK_NOTED(got[tag] == tag, "tag %d got %d", tag, got[tag]);
}

/* ---- communicators, and more than one sender ---- */

/* Each rank sends EACH messages of one tag on each communicator; rank 0 takes them by source, the last rank first. */
static void communicators(void)
{
    static MPI_Comm comms[COMMS];
    int value, n = check_rank > 0 ? COMMS * EACH : 0;
    for (int c = 0; c < COMMS; c++)
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]));
    for (int i = 0; i < n; i++) {
        sent[i] = check_rank * 1000 + i / COMMS;
        CHECK_OK(MPI_Isend(&sent[i], 1, MPI_INT, 0, 5, comms[i % COMMS], &requests[i]));
    }
    barrier();
    for (int i = 0; check_rank == 0 && i < (check_size - 1) * COMMS * EACH; i++) {
        int c = COMMS - 1 - i / EACH % COMMS, source = check_size - 1 - i / EACH / COMMS;
        check_wipe(&value, sizeof value);
        CHECK_OK(MPI_Recv(&value, 1, MPI_INT, source, i % 2 ? 5 : MPI_ANY_TAG, comms[c], MPI_STATUS_IGNORE));
        CHECK_INT(value, source * 1000 + i % EACH);
    }
    wait_sent(n);
    for (int c = 0; c < COMMS; c++)
        CHECK_OK(MPI_Comm_free(&comms[c]));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int order = 0; order < ORDERS; order++) {
        posted(order, order ? MPI_ANY_SOURCE : 1);
        unexpected(order, order ? 1 : MPI_ANY_SOURCE);
    }
    probes();
    for (unsigned seed = 0; seed < 3; seed++) {
        mixed(seed, true);
        mixed(seed, false);
    }
    withdrawn();
    communicators();
    return check_end();
}
