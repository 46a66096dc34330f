/* test_share.c - the two ways of accumulates exclude each other, most of all when the first bulk meets singles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rma/share.h"

enum { PLACES = 2, ROUNDS = 1000, BULKS = 3, SINGLES = 40 };

/* What two processes share; each round has locks that nobody has used. */
struct ground {
    struct tf_share shares[PLACES];
    char flags[4096]; /* behind them, as tf_share_bytes() says */
    _Atomic int come[PLACES], bulks, singles;
    volatile uint64_t counter;
};

static struct ground *open_ground(void)
{
    struct ground *ground = mmap(NULL, sizeof *ground, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(ground != MAP_FAILED);
    tf_share_set_up(ground->shares, PLACES);
    return ground;
}

static void meet(struct ground *ground, int place)
{
    int round = atomic_fetch_add(&ground->come[place], 1) + 1;
    while (atomic_load(&ground->come[!place]) < round)
        sched_yield();
}

/* An increment that loses updates unless nobody else is there. */
static void increment(struct ground *ground, int pause)
{
    uint64_t was = ground->counter;
    for (volatile int i = 0; i < pause; i++)
        ;
    ground->counter = was + 1;
}

static void bulk(struct ground *ground)
{
    tf_share_take(&ground->shares[0], 0);
    increment(ground, 20);
    tf_share_drop(&ground->shares[0], 0);
}

/* The only one of its kind, so it may take its time too. */
static void single(struct ground *ground, int place, int pause)
{
    tf_share_enter(&ground->shares[0], 64, &ground->shares[place]);
    increment(ground, pause);
    tf_share_leave(&ground->shares[place]);
}

/* One makes singles as long as the other has bulks to make.  In how many rounds updates were lost. */
static int play(struct ground *ground, int place)
{
    int lost = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (place == 0) {
            tf_share_set_up(ground->shares, PLACES);
            ground->counter = 0;
            atomic_store(&ground->bulks, 0);
            atomic_store(&ground->singles, 0);
        }
        meet(ground, place);
        tf_share_join(ground->shares);
        meet(ground, place);
        if (place == 0)
            while (atomic_load(&ground->bulks) < BULKS) {
                atomic_fetch_add(&ground->singles, 1);
                single(ground, place, round % 7 * 2000);
            }
        while (place == 1 && atomic_load(&ground->singles) == 0)
            sched_yield();
        for (int i = 0; place == 1 && i < BULKS; i++) {
            bulk(ground);
            atomic_fetch_add(&ground->bulks, 1);
        }
        meet(ground, place);
        lost += place == 0 && ground->counter != (uint64_t)atomic_load(&ground->singles) + BULKS;
        meet(ground, place);
    }
    return lost;
}

static void bulk_and_single(void **state)
{
    struct ground *ground = open_ground();
    int status;
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    int lost = play(ground, child == 0);
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(lost, 0);
    assert_int_equal(ground->shares[0].bulk, TF_BULK_EVER);
    munmap(ground, sizeof *ground);
}

/* Singles alone leave things as they were; where they say that they are is no stripe's word. */
static void single_alone(void **state)
{
    struct ground *ground = open_ground();
    (void)state;
    for (int i = 0; i < SINGLES; i++)
        single(ground, 1, 0);
    assert_int_equal(ground->shares[0].bulk, TF_BULK_NEVER);
    assert_int_equal(ground->shares[1].busy, 0);
    for (int place = 0; place < PLACES; place++)
        for (int stripe = 0; stripe < TF_STRIPES; stripe++)
            for (int other = 0; other < PLACES; other++)
                assert_int_not_equal(tf_share_word(&ground->shares[place], stripe),
                                     tf_share_anywhere(&ground->shares[other]));
    munmap(ground, sizeof *ground);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bulk_and_single), cmocka_unit_test(single_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
