/* test_share.c - the two ways of accumulates exclude each other, most of all when the first bulk meets singles. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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

/* ---- the fence that a single does without ---- */

static bool deaf; /* the system does nothing when it is asked for a fence everywhere */

/* As the C library's it takes as many as there can be, some of which nobody gave. */
__attribute__((no_sanitize_address)) long syscall(long number, ...)
{
    static long (*real)(long number, ...);
    long given[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        given[i] = va_arg(arguments, long);
    va_end(arguments);
    if (deaf && number == SYS_membarrier && given[0] == MEMBARRIER_CMD_GLOBAL_EXPEDITED)
        return 0;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

enum { DUELS = 20000, LINES = 48, DELAYS = 6000 };

struct duel {
    struct tf_share shares[PLACES];
    char flags[4096];
    struct {
        _Alignas(TF_CACHE_LINE) volatile int word;
    } lines[LINES];
    _Alignas(TF_CACHE_LINE) _Atomic int ready[PLACES];
    _Alignas(TF_CACHE_LINE) volatile uint64_t counter;
};

/* Both begin within some nanoseconds, if they have a processor each. */
static void face(struct duel *duel, int place, int round)
{
    atomic_store(&duel->ready[place], round);
    for (int i = 0; atomic_load(&duel->ready[!place]) < round; i++)
        if (i > 2000)
            sched_yield();
}

/* On the first or second processor of those that it may run on. */
static void pin(int place)
{
    cpu_set_t allowed, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof allowed, &allowed) || CPU_COUNT(&allowed) < 2)
        return;
    for (int i = 0, n = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &allowed) && n++ == place)
            CPU_SET(i, &one);
    sched_setaffinity(0, sizeof one, &one);
}

static void delay(int turns)
{
    for (volatile int i = 0; i < turns; i++)
        ;
}

static void count(struct duel *duel)
{
    uint64_t was = duel->counter;
    delay(100);
    duel->counter = was + 1;
}

/* What it stores before keeps the word that says where it is from being seen at once: these lines are the other's. */
static void duel_single(struct duel *duel)
{
    for (int i = 0; i < LINES; i++)
        duel->lines[i].word = 0;
    tf_share_enter(&duel->shares[0], 64, &duel->shares[0]);
    count(duel);
    tf_share_leave(&duel->shares[0]);
}

static void duel_bulk(struct duel *duel)
{
    tf_share_take(&duel->shares[0], 0);
    count(duel);
    tf_share_drop(&duel->shares[0], 0);
}

/* One single and the first bulk, as close as it can be had; how often one of their increments was lost. */
static int fight(struct duel *duel, int place)
{
    uint32_t random = (uint32_t)place + 1;
    int lost = 0;
    for (int round = 0; round < DUELS; round++) {
        if (place == 0) {
            duel->counter = 0;
            atomic_store(&duel->shares[0].bulk, TF_BULK_NEVER);
        } else
            for (int i = 0; i < LINES; i++)
                duel->lines[i].word++;
        face(duel, place, 3 * round + 1);
        random = random * 1664525u + 1013904223u;
        if (place == 1) /* the other has its lines to write */
            delay((int)(random >> 8) % DELAYS);
        (place == 0 ? duel_single : duel_bulk)(duel);
        face(duel, place, 3 * round + 2);
        lost += place == 0 && duel->counter != 2;
        face(duel, place, 3 * round + 3);
    }
    return lost;
}

static int lost_in_duels(bool without_fence)
{
    cpu_set_t before;
    struct duel *duel = mmap(NULL, sizeof *duel, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;
    assert_true(duel != MAP_FAILED);
    tf_share_set_up(duel->shares, PLACES);
    deaf = without_fence;
    pid_t child = fork();
    assert_true(child >= 0);
    sched_getaffinity(0, sizeof before, &before);
    pin(child == 0);
    tf_share_join(duel->shares);
    int lost = fight(duel, child == 0);
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    deaf = false;
    sched_setaffinity(0, sizeof before, &before);
    munmap(duel, sizeof *duel);
    return lost;
}

/* Where nothing is lost without it either, this shows nothing. */
static void fence_everywhere(void **state)
{
    (void)state;
    assert_int_equal(lost_in_duels(false), 0);
    int lost = lost_in_duels(true);
    print_message("%d of %d duels lost an update where there was no fence\n", lost, DUELS);
    if (lost == 0)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bulk_and_single), cmocka_unit_test(single_alone),
                                       cmocka_unit_test(fence_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
