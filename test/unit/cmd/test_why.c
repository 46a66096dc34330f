/* test_why.c - what follows from what ranks wait for, and how it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/why.h"

enum { RANKS = 8 };
static struct why_rank ranks[RANKS];
static struct why_job job;
static char report[8000];

static void begin(int size)
{
    for (int r = 0; r < RANKS; r++) {
        tf_why_free(&ranks[r]);
        ranks[r].state = WHY_OUTSIDE;
        ranks[r].process = 'S';
    }
    job = (struct why_job){size, ranks, 100};
    report[0] = '\0';
}

/* For those of the peers, as on the board; the call is "MPI_X". */
static void waits(int rank, const char *peers)
{
    char text[300];
    snprintf(text, sizeof text, "90.5\t-\t%s\tMPI_X\tsomething\n", peers);
    tf_why_read(&ranks[rank], text);
    ranks[rank].state = WHY_WAITS;
}

static void in_call(int rank, const char *name, const char *peers)
{
    char text[300];
    snprintf(text, sizeof text, "90.5\t%s\t%s\tMPI_Barrier on W\trank %d\n", name, peers, rank);
    tf_why_read(&ranks[rank], text);
    ranks[rank].state = WHY_WAITS;
}

static void take(const char *line)
{
    strcat(strcat(report, line), "\n");
}

static void tell(void)
{
    tf_why_judge(&job);
    tf_why_report(&job, take);
}

#define TOLD(words)                                                                                                    \
    do {                                                                                                               \
        if (!strstr(report, words))                                                                                    \
            fail_msg("\"%s\" is missing in:\n%s", words, report);                                                      \
    } while (0)
#define NOT_TOLD(words)                                                                                                \
    do {                                                                                                               \
        if (strstr(report, words))                                                                                     \
            fail_msg("\"%s\" is in:\n%s", words, report);                                                              \
    } while (0)

static void two_that_both_receive_first(void **state)
{
    (void)state;
    begin(2);
    waits(0, "s1");
    waits(1, "s0");
    tell();
    assert_true(ranks[0].dead && ranks[1].dead);
    assert_string_equal(report, "    ranks 0-1 have waited 9.5 s in MPI_X, for something\n"
                                "    deadlock: 0 waits for a send of 1, 1 for a send of 0\n");
}

/* The cycle begins with its lowest rank; who only waits for it is no part of it. */
static void a_cycle_and_its_tail(void **state)
{
    (void)state;
    begin(5);
    waits(0, "s3");
    waits(3, "r1");
    waits(1, "s4");
    waits(4, "s3");
    tell();
    TOLD("deadlock: 1 waits for a send of 4, 4 for a send of 3, 3 for 1 to receive\n");
    NOT_TOLD("0 waits");
    TOLD("rank 2 sleeps, outside MPI\n");
    NOT_TOLD("in the end");
    assert_true(ranks[0].dead && !ranks[2].dead);
}

static void two_cycles(void **state)
{
    (void)state;
    begin(4);
    waits(0, "s2");
    waits(2, "s0");
    waits(1, "s1");
    waits(3, "s0");
    tell();
    TOLD("deadlock: 0 waits for a send of 2, 2 for a send of 0\n");
    TOLD("deadlock: 1 waits for a send of itself\n");
}

static void any_of_several(void **state)
{
    (void)state;
    begin(3);
    waits(0, "s1-2");
    waits(1, "s0");
    tell(); /* 2 may send */
    assert_false(ranks[0].dead || ranks[1].dead);
    TOLD("in the end it is rank 2 that the 2 others wait for\n");
    begin(3);
    waits(0, "s1-2");
    waits(1, "s0");
    waits(2, "s0,s1");
    tell();
    TOLD("deadlock: 0 waits for a send of any of 1-2, 1 for a send of 0\n");
}

static void all_of_several(void **state)
{
    (void)state;
    begin(3);
    waits(0, "s2;s1");
    waits(1, "s0");
    tell(); /* 2 is alive, which does not help */
    TOLD("deadlock: 0 waits for a send of 1, 1 for a send of 0\n");
}

static void what_is_not_known_may_end(void **state)
{
    (void)state;
    begin(3);
    waits(0, "s1");
    waits(1, "-");
    waits(2, "nonsense");
    tell();
    assert_false(ranks[0].dead || ranks[1].dead || ranks[2].dead);
    NOT_TOLD("deadlock");
    NOT_TOLD("in the end");
}

static void somebody_who_has_gone(void **state)
{
    (void)state;
    begin(4);
    waits(0, "s1");
    waits(2, "s0");
    waits(3, "x2");
    ranks[1].state = WHY_LEFT;
    tell();
    TOLD("for ever: 0 waits for a send of 1, which has called MPI_Finalize\n");
    TOLD("rank 1 has called MPI_Finalize\n");
    NOT_TOLD("deadlock");
    assert_true(ranks[3].dead);
    begin(2);
    waits(0, "s1");
    ranks[1].state = WHY_ENDED;
    tell();
    TOLD("for ever: 0 waits for a send of 1, which has ended\n");
}

static void a_collective_that_somebody_keeps_away_from(void **state)
{
    (void)state;
    begin(4);
    in_call(0, "a.1", "c1");
    in_call(1, "a.1", "c3");
    in_call(2, "a.1", "c0");
    ranks[3].process = 'R';
    ranks[3].left = 80;
    strcpy(ranks[3].last, "bcast");
    tell();
    assert_string_equal(report, "    ranks 0-2 have waited 9.5 s in MPI_Barrier on W:\n"
                                "        0: for rank 0\n"
                                "        1: for rank 1\n"
                                "        2: for rank 2\n"
                                "    rank 3 computes, outside MPI; it last waited in MPI 20 s ago, in MPI_Bcast\n"
                                "    in the end it is rank 3 that the 3 others wait for\n");
}

/* The thread of rank 1 waits for 0, but its part in the barrier does not depend on that. */
static void a_collective_in_the_background(void **state)
{
    (void)state;
    begin(3);
    in_call(0, "a.1", "c1");
    tf_why_read(&ranks[1], "=\ta.1\tc2\n90.0\t-\ts0\tMPI_Recv on W\ta message\n");
    ranks[1].state = WHY_WAITS;
    tell();
    assert_false(ranks[0].dead || ranks[1].dead);
    begin(3);
    in_call(0, "a.1", "c1");
    tf_why_read(&ranks[1], "=\ta.1\tc2\n90.0\t-\ts0\tMPI_Recv on W\ta message\n");
    ranks[1].state = WHY_WAITS;
    waits(2, "s0");
    tell();
    TOLD("deadlock: 0 waits for 2 in MPI_Barrier on W, 2 for a send of 0\n");
}

static void messages_that_are_read_meanwhile(void **state)
{
    (void)state;
    begin(2);
    waits(0, "r1");
    tf_why_read(&ranks[1], "~\n90.0\t-\ts0\tMPI_Recv on W\ta message\n");
    ranks[1].state = WHY_WAITS;
    tell();
    assert_false(ranks[0].dead);
}

static void threads(void **state)
{
    (void)state;
    begin(2); /* one of two can go on */
    tf_why_read(&ranks[0], "90.0\t-\ts1\tMPI_Recv on W\ta\n91.0\t-\ts2\tMPI_Recv on W\tb\n");
    ranks[0].state = WHY_WAITS;
    waits(1, "s0");
    job.size = 3;
    tell();
    assert_false(ranks[0].dead);
    begin(2); /* others may call MPI too */
    tf_why_read(&ranks[0], "+\t3\n90.0\t-\ts1\tMPI_Recv on W\ta\n");
    ranks[0].state = WHY_WAITS;
    waits(1, "s0");
    tell();
    TOLD("deadlock: 0 waits for a send of 1, 1 for a send of 0, unless another of their threads");
}

/* What has moved between two looks is no deadlock. */
static void two_answers(void **state)
{
    struct why_rank earlier[2] = {{.state = WHY_WAITS}, {.state = WHY_WAITS}};
    (void)state;
    begin(2);
    waits(0, "s1");
    waits(1, "s0");
    tf_why_read(&earlier[0], "90.5\t-\ts1\tMPI_X\tsomething\n");
    tf_why_read(&earlier[1], "90.4\t-\ts0\tMPI_X\tsomething\n");
    for (int r = 0; r < 2; r++)
        tf_why_compare(&ranks[r], &earlier[r]);
    tell();
    assert_false(ranks[0].dead || ranks[1].dead);
    begin(2);
    waits(0, "s1");
    waits(1, "s0");
    tf_why_free(&earlier[1]);
    tf_why_read(&earlier[1], "90.5\t-\ts0\tMPI_X\tsomething\n");
    for (int r = 0; r < 2; r++)
        tf_why_compare(&ranks[r], &earlier[r]);
    tell();
    assert_true(ranks[0].dead && ranks[1].dead);
    for (int r = 0; r < 2; r++)
        tf_why_free(&earlier[r]);
}

static void states_of_all_kinds(void **state)
{
    (void)state;
    begin(8);
    ranks[0].state = WHY_UNKNOWN;
    ranks[1].state = WHY_NEVER;
    ranks[2].state = WHY_STARTING;
    ranks[3].state = WHY_SILENT;
    ranks[4].process = 'T';
    ranks[5].state = WHY_UNKNOWN;
    tf_why_read(&ranks[6], "?\ta message of rank 1\n");
    ranks[6].state = WHY_LOOKS;
    ranks[7].catches = true;
    tell();
    TOLD("    ranks 0, 5 are not on this machine\n");
    TOLD("    rank 1 has not called MPI_Init\n");
    TOLD("    rank 2 is about to start MPI");
    TOLD("    rank 3 waits in MPI and does not say for what\n");
    TOLD("    rank 4 is stopped");
    TOLD("    rank 6 looks again and again, without waiting, for a message of rank 1\n");
    TOLD("    rank 7 handles SIGUSR1, so the signal was passed on there\n");
}

/* Whatever comes, nobody is read over the end of. */
static void text_that_makes_no_sense(void **state)
{
    static const char *const texts[] = {"",
                                        "\n\n",
                                        "\t",
                                        "=",
                                        "=\t",
                                        "+",
                                        "?",
                                        "90",
                                        "90\t",
                                        "a\tb",
                                        "90\t-\ts1",
                                        "90\t-\ts1,\tc\td",
                                        "90\t-\ts9-1;\tc",
                                        "90\t-\ts1;\tc",
                                        "90\t-\t\tc",
                                        "90\t-\t;\tc",
                                        "90\t-\ts77;r-5\tx\ty"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        begin(2);
        tf_why_read(&ranks[0], texts[i]);
        ranks[0].state = ranks[0].nwaits ? WHY_WAITS : WHY_SILENT;
        waits(1, "s0");
        tell();
    }
    begin(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_that_both_receive_first),
        cmocka_unit_test(a_cycle_and_its_tail),
        cmocka_unit_test(two_cycles),
        cmocka_unit_test(any_of_several),
        cmocka_unit_test(all_of_several),
        cmocka_unit_test(what_is_not_known_may_end),
        cmocka_unit_test(somebody_who_has_gone),
        cmocka_unit_test(a_collective_that_somebody_keeps_away_from),
        cmocka_unit_test(a_collective_in_the_background),
        cmocka_unit_test(messages_that_are_read_meanwhile),
        cmocka_unit_test(threads),
        cmocka_unit_test(two_answers),
        cmocka_unit_test(states_of_all_kinds),
        cmocka_unit_test(text_that_makes_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
