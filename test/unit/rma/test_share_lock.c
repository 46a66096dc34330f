/* test_share_lock.c - the lock of MPI_Win_lock: who gets it when, step by step, and several processes at once. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rma/share.h"

enum { PLACES = 4, LOCKS = 2, TURNS = 50000 };

struct ground {
    struct tf_share shares[PLACES];
    char rows[4096]; /* behind them, as tf_share_bytes() says */
    volatile uint64_t counters[LOCKS][2];
    _Atomic uint64_t made[LOCKS];
    _Atomic int come;
};

static struct ground *open_ground(void)
{
    struct ground *ground = mmap(NULL, sizeof *ground, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(ground != MAP_FAILED);
    assert_true(tf_share_bytes(PLACES) <= offsetof(struct ground, counters));
    tf_share_set_up(ground->shares, PLACES);
    return ground;
}

static _Atomic uint32_t *reads(struct ground *ground, int place, int lock)
{
    return tf_share_reads(&ground->shares[place], &ground->shares[lock]);
}

static void rows_apart(void **state)
{
    struct ground *ground = open_ground();
    (void)state;
    for (int i = 0; i < PLACES; i++)
        for (int k = 0; k < PLACES; k++) {
            tf_share_flags(&ground->shares[i], &ground->shares[k])->completes++;
            atomic_fetch_add(reads(ground, i, k), 7);
        }
    for (int i = 0; i < PLACES; i++)
        for (int k = 0; k < PLACES; k++) {
            assert_int_equal(tf_share_flags(&ground->shares[i], &ground->shares[k])->completes, 1);
            assert_int_equal(*reads(ground, i, k), 7);
        }
    assert_int_equal((uintptr_t)reads(ground, 1, 0) % TF_CACHE_LINE, 0);
    munmap(ground, sizeof *ground);
}

/* In the order of the tickets, those that share it together. */
static void queue(void **state)
{
    struct ground *ground = open_ground();
    struct tf_share *lock = &ground->shares[0];
    (void)state;
    uint32_t first = tf_share_ticket(lock);
    assert_true(tf_share_try(lock, first, NULL));
    assert_false(tf_share_read(lock, reads(ground, 1, 0)));
    uint32_t one = tf_share_ticket(lock), two = tf_share_ticket(lock), last = tf_share_ticket(lock);
    assert_false(tf_share_try(lock, one, reads(ground, 1, 0)));
    tf_share_return(lock, NULL);
    assert_false(tf_share_try(lock, two, reads(ground, 2, 0)));
    assert_true(tf_share_try(lock, one, reads(ground, 1, 0)));
    assert_true(tf_share_try(lock, two, reads(ground, 2, 0)));
    assert_false(tf_share_read(lock, reads(ground, 3, 0))); /* the last one waits */
    tf_share_return(lock, reads(ground, 1, 0));
    assert_false(tf_share_try(lock, last, NULL));
    tf_share_return(lock, reads(ground, 2, 0));
    assert_true(tf_share_try(lock, last, NULL));
    assert_true(tf_share_is_wanted(lock));
    tf_share_return(lock, NULL);
    assert_false(tf_share_is_wanted(lock));
    assert_true(tf_share_read(lock, reads(ground, 3, 0)));
    munmap(ground, sizeof *ground);
}

/* One that insists passes who waits for others, not who has it. */
static void insisting(void **state)
{
    struct ground *ground = open_ground();
    struct tf_share *lock = &ground->shares[0];
    (void)state;
    assert_true(tf_share_read(lock, reads(ground, 1, 0)));
    uint32_t alone = tf_share_ticket(lock);
    tf_share_insist(reads(ground, 2, 0));
    assert_false(tf_share_is_let(lock)); /* the one with the turn has not looked yet */
    assert_false(tf_share_try(lock, alone, NULL));
    assert_true(tf_share_is_let(lock));
    tf_share_return(lock, reads(ground, 1, 0));
    assert_false(tf_share_try(lock, alone, NULL));
    tf_share_return(lock, reads(ground, 2, 0));
    assert_true(tf_share_try(lock, alone, NULL));
    tf_share_insist(reads(ground, 2, 0));
    assert_false(tf_share_is_let(lock));
    tf_share_return(lock, NULL);
    assert_true(tf_share_is_let(lock));
    munmap(ground, sizeof *ground);
}

/* ---- several processes ---- */

static void add(struct ground *ground, int lock)
{
    uint64_t was = ground->counters[lock][0];
    for (volatile int i = 0; i < 50; i++)
        ;
    ground->counters[lock][0] = was + 1;
    ground->counters[lock][1]++;
    atomic_fetch_add(&ground->made[lock], 1);
}

/* How often they were seen to differ by one who shared the lock. */
static int compare(struct ground *ground, int lock)
{
    uint64_t was = ground->counters[lock][1];
    for (volatile int i = 0; i < 50; i++)
        ;
    return ground->counters[lock][0] != was;
}

static void take(struct ground *ground, int lock, _Atomic uint32_t *own)
{
    if (own && tf_share_read(&ground->shares[lock], own))
        return;
    uint32_t ticket = tf_share_ticket(&ground->shares[lock]);
    while (!tf_share_try(&ground->shares[lock], ticket, own))
        sched_yield();
}

static void take_further(struct ground *ground, int lock, _Atomic uint32_t *own)
{
    if (tf_share_read(&ground->shares[lock], own))
        return;
    tf_share_insist(own);
    while (!tf_share_is_let(&ground->shares[lock]))
        sched_yield();
}

static int play(struct ground *ground, int place)
{
    int wrong = 0;
    atomic_fetch_add(&ground->come, 1);
    while (atomic_load(&ground->come) < PLACES)
        sched_yield();
    for (uint32_t turn = 0, random = (uint32_t)place + 1; turn < TURNS; turn++) {
        random = random * 1664525u + 1013904223u;
        int lock = (int)(random >> 9) % LOCKS, what = (int)(random >> 12) % 4;
        _Atomic uint32_t *own = what == 0 ? NULL : reads(ground, place, lock);
        take(ground, lock, own);
        if (what == 0)
            add(ground, lock);
        else
            wrong += compare(ground, lock);
        if (what == 1) { /* two of them, in either order */
            take_further(ground, !lock, reads(ground, place, !lock));
            wrong += compare(ground, lock) + compare(ground, !lock);
            tf_share_return(&ground->shares[!lock], reads(ground, place, !lock));
        }
        tf_share_return(&ground->shares[lock], own);
    }
    return wrong;
}

static void crowd(void **state)
{
    struct ground *ground = open_ground();
    (void)state;
    for (int place = 0; place < PLACES; place++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(play(ground, place) > 0);
    }
    for (int place = 0, status; place < PLACES; place++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    for (int lock = 0; lock < LOCKS; lock++) {
        assert_int_equal(ground->counters[lock][0], ground->made[lock]);
        assert_int_equal(ground->counters[lock][1], ground->made[lock]);
        assert_false(tf_share_is_wanted(&ground->shares[lock]));
        for (int place = 0; place < PLACES; place++)
            assert_int_equal(*reads(ground, place, lock), 0);
    }
    munmap(ground, sizeof *ground);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_apart), cmocka_unit_test(queue),
                                       cmocka_unit_test(insisting), cmocka_unit_test(crowd)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
