/* test_pause.c - waiting: when it spins, yields, announces itself and sleeps, and who wakes it.
 *
 * Sleeps are made endless here, so a wake-up that is lost hangs the test, and alarm() ends it.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/settings.h"
#include "base/stacked.h"
#include "base/yield.h"
#include "net/awake.h"
#include "net/net.h"
#include "net/remote/remote.h"

static _Atomic int sleepers; /* threads on a futex */

/* Stands before the C library's.  Where there is no fence of the kernel's, wake-ups may be lost and sleeps are short:
 * those are left alone. */
long syscall(long number, ...)
{
    static long (*next)(long, ...);
    const struct timespec *limit;
    va_list list;
    long a[6] = {0};
    int count = number == SYS_futex ? 6 : number == SYS_membarrier ? 3 : 4;

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    va_start(list, number);
    for (int i = 0; i < count; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    limit = (const struct timespec *)a[3];
    bool sleeps = number == SYS_futex && (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT && limit && limit->tv_nsec > 10000000;
    if (sleeps)
        a[3] = 0;
    atomic_fetch_add(&sleepers, sleeps);
    long result = next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    atomic_fetch_sub(&sleepers, sleeps);
    return result;
}

static int setup(void **state)
{
    (void)state;
    tf_job.size = 2; /* a job in which the kernel's fence is needed, so that only a wake-up ends a sleep soon */
    tf_settings.spin = 3;
    tf_settings.sleep_after = 0;
    tf_library.locking = false;
    tf_pause_setup();
    return 0;
}

static uint32_t asleep(void)
{
    return atomic_load(tf_pause_asleep) & ~(uint32_t)TF_ASLEEP_FENCED;
}

static void spin_is_a_setting(void **state)
{
    (void)state;
    assert_int_equal(tf_pause_spin, 3);
    tf_settings.spin = 0;
    tf_pause_crowded = true;
    tf_pause_setup();
    uint32_t crowded = tf_pause_spin;
    tf_pause_crowded = false;
    tf_pause_setup();
    assert_true(crowded > 0 && crowded < tf_pause_spin);
    setup(NULL);
}

static void spins_then_yields(void **state)
{
    struct tf_pause pause = TF_PAUSE_INIT;
    (void)state;
    tf_settings.sleep_after = 1000000000;
    for (int i = 0; i < 3; i++) {
        tf_pause(&pause);
        assert_true(pause.since == 0); /* the clock has not been looked at yet */
    }
    tf_pause(&pause);
    for (int i = 0; i < 100 && tf_yield_pays(); i++) /* it may not, if others compute where the test runs */
        tf_pause(&pause);
    assert_true(pause.since > 0);
    assert_false(pause.announced);
    tf_pause_reset(&pause);
    assert_int_equal(pause.polls, 0);
    assert_true(pause.since == 0);
    tf_settings.sleep_after = 0;
}

static void pause_often(void)
{
    struct tf_pause pause = {.polls = 3};
    for (int i = 0; i < 10; i++) {
        tf_pause(&pause);
        tf_pause_wake(tf_pause_asleep);
    }
    tf_pause_reset(&pause);
}

/* As long as something computes that takes the processor. */
static void sleeps_where_yielding_does_not_pay(void **state)
{
    (void)state;
    tf_settings.sleep_after = 1000000000;
    pause_often();
    while (!tf_yield_pays()) /* if others compute where the test runs */
        pause_often();
    tf_yield_took(4 * TF_MILLISECOND, 0);
    struct tf_pause pause = {.polls = 3};
    tf_pause(&pause);
    assert_true(pause.announced);
    tf_pause_reset(&pause);
    while (!tf_yield_pays())
        pause_often();
    pause.polls = 3;
    tf_pause(&pause);
    assert_false(pause.announced);
    tf_pause_reset(&pause);
    tf_settings.sleep_after = 0;
}

/* Where there is a processor for each, but others take it for long. */
static void looks_for_longer_where_a_yield_is_dear(void **state)
{
    (void)state;
    tf_settings.sleep_after = 1000000000;
    tf_settings.spin = 0;
    tf_pause_setup();
    uint32_t before = tf_pause_spin;
    tf_yield_took(4 * TF_MILLISECOND, 0);
    struct tf_pause pause = {.polls = UINT32_MAX / 2, .pauses = 100};
    tf_pause(&pause);
    tf_pause_reset(&pause);
    assert_true(tf_pause_spin > before);
    tf_pause_crowd(true);
    assert_true(tf_pause_spin < before);
    tf_pause_crowd(false);
    setup(NULL);
    tf_settings.sleep_after = 0;
    while (!tf_yield_pays())
        tf_yield_slept(0);
}

/* More processes than processors, of which so many sleep that the others have one each. */
static void looks_for_longer_where_others_sleep(void **state)
{
    static _Atomic int32_t sleepers;
    (void)state;
    tf_settings.spin = 0;
    tf_pause_crowded = true;
    assert_true(tf_awake_crowd());
    tf_awake_share(&sleepers, 5, 2);
    assert_int_equal(tf_awake_turns(), 3);
    tf_pause_setup();
    uint32_t crowded = tf_pause_spin;
    for (int i = 0; i < 3; i++) {
        assert_true(tf_awake_crowd());
        tf_awake_sleeps(true);
    }
    assert_false(tf_awake_crowd());
    tf_pause_setup();
    assert_true(tf_pause_spin > crowded);
    tf_awake_sleeps(false);
    assert_true(tf_awake_crowd());
    tf_awake_share(NULL, 0, 0);
    tf_pause_crowded = false;
    setup(NULL);
}

/* Who wakes it says so for it, and once. */
static void is_counted_while_it_sleeps(void **state)
{
    static _Atomic int32_t sleepers;
    (void)state;
    tf_awake_share(&sleepers, 2, 1);
    for (int threads = 0; threads < 2; threads++) {
        struct tf_pause pause = {.polls = 3};
        tf_library.locking = threads;
        tf_pause(&pause);
        assert_int_equal(sleepers, !threads);
        assert_int_equal(tf_pause_wake(tf_pause_asleep), -1);
        assert_int_equal(sleepers, 0);
        tf_pause_reset(&pause);
        assert_int_equal(sleepers, 0);
        pause.polls = 3;
        tf_pause(&pause);
        tf_pause_reset(&pause); /* what it waited for is there before it sleeps */
        assert_int_equal(sleepers, 0);
    }
    tf_awake_share(NULL, 0, 0);
    setup(NULL);
}

/* Who shares a processor leaves it to the others, but not before they have had turns. */
static void sleeps_sooner_where_it_is_crowded(void **state)
{
    static _Atomic int32_t sleepers;
    (void)state;
    tf_settings.sleep_after = 20000;
    tf_pause_crowded = true;
    tf_awake_share(&sleepers, 1000, 1);
    for (int few = 0; few < 2; few++) {
        struct tf_pause pause = {.polls = 3, .since = tf_time() - 10 * TF_MILLISECOND};
        if (few)
            tf_awake_share(&sleepers, 4, 1);
        bool pays = tf_yield_pays();
        tf_pause_now = tf_time();
        tf_pause(&pause);
        assert_int_equal(pause.announced, few || !pays);
        tf_pause_reset(&pause);
    }
    tf_awake_share(NULL, 0, 0);
    tf_pause_crowded = false;
    setup(NULL);
}

/* Linux tells since 6.12. */
static uint64_t slice(void)
{
    uint64_t attributes[6] = {0};
    assert_int_equal(syscall(SYS_sched_getattr, 0, attributes, sizeof attributes, 0), 0);
    return attributes[3];
}

static void *yields_once(void *has_asked)
{
    struct tf_pause pause = {.polls = 3};
    tf_pause(&pause);
    uint64_t then = slice();
    tf_yield_ask();
    *(bool *)has_asked = then == slice();
    return NULL;
}

/* If only some had short ones, the others would get fewer turns. */
static void each_of_a_crowd_asks_for_short_slices(void **state)
{
    pthread_t thread;
    bool has_asked;
    (void)state;
    tf_settings.sleep_after = 20000;
    tf_pause_crowded = true;
    assert_int_equal(pthread_create(&thread, NULL, yields_once, &has_asked), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(has_asked);
    tf_pause_crowded = false;
    setup(NULL);
    while (tf_yield_is_dear(tf_pause_now = tf_time())) /* if others compute where the test runs */
        usleep(1000);
    while (!tf_yield_pays())
        tf_yield_slept(0);
}

static int begun, looked, ended;
static void begins(const struct tf_pause *pause, int64_t since)
{
    (void)pause, (void)since;
    begun++;
}

static void lasts(const struct tf_pause *pause, int64_t now)
{
    (void)pause, (void)now;
    looked++;
}

static void ends(const struct tf_pause *pause)
{
    (void)pause;
    ended++;
}

/* It yields, however long one has taken before. */
static void yield(struct tf_pause *pause)
{
    while (!tf_yield_pays())
        tf_yield_slept(0);
    tf_pause(pause);
}

/* A watcher hears of waits that have come to a millisecond, or to sleeping. */
static void a_wait_of_a_moment_is_not_watched(void **state)
{
    static const struct tf_pause_watcher watcher = {begins, lasts, ends, NULL};
    struct tf_pause pause = {.polls = 3};
    (void)state;
    tf_settings.sleep_after = 20000;
    tf_pause_watcher = &watcher;
    yield(&pause);
    assert_int_equal(begun, 0);
    pause.since -= 2 * TF_MILLISECOND;
    for (int i = 1; i < 3; i++) {
        yield(&pause);
        assert_int_equal(begun, 1);
        assert_int_equal(looked, i);
    }
    tf_pause_reset(&pause);
    assert_int_equal(ended, 1);

    setup(NULL);
    pause.polls = 3;
    tf_pause(&pause);
    assert_true(pause.announced);
    tf_pause_wake(tf_pause_asleep); /* so that it does not sleep */
    tf_pause(&pause);
    assert_int_equal(begun, 2);
    tf_pause_reset(&pause);
    assert_int_equal(ended, 2);
    tf_pause_watcher = NULL;
}

static int met;
static bool meets(int64_t now)
{
    (void)now;
    met++;
    return false;
}

/* One that never waits, but has been without a processor. */
static void who_only_tests_may_have_met_another(void **state)
{
    const struct timespec slice = {0, 4000000};
    (void)state;
    tf_pause_meets = meets;
    tf_pause_now = tf_time();
    tf_pause_passes();
    met = 0; /* in what was before */
    nanosleep(&slice, NULL);
    tf_pause_now = tf_time();
    tf_pause_passes();
    assert_int_equal(met, 1);
    tf_pause_passes(); /* at the same time */
    assert_int_equal(met, 1);
    tf_pause_meets = NULL;
}

static void announces_before_it_sleeps(void **state)
{
    struct tf_pause pause = {.polls = 3};
    (void)state;
    assert_int_equal(asleep(), 0);
    tf_pause(&pause);
    assert_true(pause.announced);
    assert_int_equal(asleep() & ~TF_ASLEEP_COUNTS, TF_ASLEEP + pause.time * TF_ASLEEP_TIME);
    tf_pause_reset(&pause);
    assert_int_equal(asleep(), 0);
    assert_false(pause.announced);
}

/* Whoever has slept leaves the fence to those who look, until they have looked often. */
static void the_next_sleeps_ask_for_no_fence(void **state)
{
    (void)state;
    atomic_store(tf_pause_asleep, 0);
    for (int round = 0; round < 2; round++) {
        struct tf_pause pause = {.polls = 3};
        tf_pause(&pause);
        assert_true(pause.announced);
        tf_pause_reset(&pause);
        assert_int_equal(atomic_load(tf_pause_asleep), TF_ASLEEP_FENCED);
        int looks = 0;
        for (; atomic_load(tf_pause_asleep) && looks < 100000; looks++)
            assert_int_equal(tf_pause_wake(tf_pause_asleep), -1);
        assert_int_equal(atomic_load(tf_pause_asleep), 0);
        assert_true(looks > 0 && looks < 5000);
    }
}

static void a_wake_before_the_sleep_is_not_lost(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        struct tf_pause pause = {.polls = 3};
        tf_pause(&pause);
        tf_pause_wake(tf_pause_asleep);
        tf_pause(&pause);
        tf_pause_reset(&pause);
    }
}

/* The word that somebody has taken down is up again, for another thread, which may not be one to see what came. */
static void a_wake_before_the_sleep_is_not_hidden_by_another_thread(void **state)
{
    (void)state;
    tf_library.locking = true;
    tf_lock_enter();
    struct tf_pause pause = {.polls = 3}, another = {.polls = 3};
    tf_pause(&pause);
    tf_pause(&another);
    assert_int_equal(pause.time, another.time);
    tf_pause_wake(tf_pause_asleep);
    tf_pause_reset(&another);
    another.polls = 3;
    tf_pause(&another);
    assert_true(asleep() && another.announced);
    tf_pause(&pause);
    assert_false(pause.announced);
    tf_pause_reset(&another);
    tf_pause_reset(&pause);
    tf_lock_leave();
    setup(NULL);
}

/* ---- a sleeping thread ---- */

static _Atomic int turn;

static void *sleeper(void *rounds)
{
    for (int i = 0; i < *(int *)rounds; i++) {
        struct tf_pause pause = {.polls = 3};
        while (atomic_load(&turn) == 0)
            tf_pause(&pause);
        tf_pause_reset(&pause);
        atomic_store(&turn, 0);
    }
    return NULL;
}

static void is_woken(void **state)
{
    enum { ROUNDS = 40 };
    pthread_t thread;
    int rounds = ROUNDS;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, sleeper, &rounds), 0);
    for (int i = 0; i < ROUNDS; i++) {
        while (!asleep() || atomic_load(&turn))
            sched_yield();
        atomic_store(&turn, 1);
        tf_pause_wake(tf_pause_asleep);
    }
    pthread_join(thread, NULL);
}

/* Several threads share the word: one that goes on must not leave another asleep with nobody knowing of it. */
static void another_thread_that_goes_on_does_not_hide_the_sleeper(void **state)
{
    enum { ROUNDS = 30 };
    pthread_t thread;
    int rounds = ROUNDS;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, sleeper, &rounds), 0);
    for (int i = 0; i < ROUNDS; i++) {
        while (!asleep() || atomic_load(&turn))
            sched_yield();
        usleep(1000); /* it sleeps by now, mostly */
        struct tf_pause mine = {.polls = 3, .announced = true, .lasts = true, .since = 1};
        tf_pause_reset(&mine);
        atomic_store(&turn, 1);
        if (asleep())
            tf_pause_wake(tf_pause_asleep);
    }
    pthread_join(thread, NULL);
}

/* ---- a transport that is asked before a sleep ---- */

static void *try_lock(void *free)
{
    *(bool *)free = tf_lock_try();
    if (*(bool *)free)
        tf_lock_drop();
    return NULL;
}

static int times_asked, times_free;

/* Something has come always, so nobody sleeps. */
static bool is_asked(void)
{
    pthread_t other;
    bool free;
    assert_int_equal(pthread_create(&other, NULL, try_lock, &free), 0);
    pthread_join(other, NULL);
    times_asked++;
    times_free += free;
    return false;
}

static void a_transport_is_asked_with_the_lock_held(void **state)
{
    struct tf_pause pause = {.polls = 3};
    (void)state;
    tf_lock_use();
    tf_lock_enter();
    assert_int_equal(tf_doze_open(-1, is_asked), 0);
    for (int i = 0; i < 10; i++)
        tf_pause(&pause);
    tf_pause_reset(&pause);
    tf_doze_close();
    tf_lock_leave();
    tf_lock_disuse();
    assert_true(times_asked > 0);
    assert_int_equal(times_free, 0);
}

/* ---- several threads, and files to watch ---- */

static int bell[2];
static _Atomic int watchers;
static _Atomic pthread_t last_watcher;

static bool doze(int milliseconds)
{
    char ring;
    (void)milliseconds; /* endless, too */
    last_watcher = pthread_self();
    assert_int_equal(atomic_fetch_add(&watchers, 1), 0);
    assert_int_equal(read(bell[0], &ring, 1), 1);
    atomic_fetch_sub(&watchers, 1);
    return true;
}

static void set_up_bell(void)
{
    assert_int_equal(pipe(bell), 0);
    tf_library.locking = true;
    tf_pause_watch(doze, bell[1]);
}

static void take_down_bell(void)
{
    tf_pause_watch(NULL, -1);
    tf_library.locking = false;
    atomic_store(tf_pause_asleep, 0);
    close(bell[0]);
    close(bell[1]);
}

static void *wait_among_threads(void *over)
{
    struct tf_pause pause = {.polls = 3};
    tf_lock_enter();
    while (!atomic_load((_Atomic bool *)over))
        tf_pause(&pause);
    tf_pause_reset(&pause);
    tf_lock_leave();
    return NULL;
}

static void all_sleep_but(int n, int of)
{
    while (atomic_load(&watchers) != 1 || atomic_load(&sleepers) != of - n - 1)
        sched_yield();
}

/* What comes wakes one that watches, and it may not be for that one: so one does, the others are roused by whoever
 * finds something, and when it has no more to wait for another one does. */
static void one_of_several_threads_watches(void **state)
{
    enum { THREADS = 3 };
    _Atomic bool over[THREADS] = {false};
    pthread_t threads[THREADS];
    (void)state;
    set_up_bell();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_among_threads, &over[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        all_sleep_but(i, THREADS);
        tf_lock_enter();
        atomic_store(&over[i], true);
        tf_pause_rouse();
        tf_lock_leave();
        pthread_join(threads[i], NULL);
    }
    take_down_bell();
}

/* What rang for it has been heard by one that watched before. */
static void who_was_roused_before_it_watches_does_not(void **state)
{
    char ring;
    (void)state;
    set_up_bell();
    tf_lock_enter();
    struct tf_pause pause = {.polls = 3}, another = {.polls = 3};
    tf_pause(&pause);
    assert_true(pause.announced);
    tf_pause_rouse();
    assert_int_equal(read(bell[0], &ring, 1), 1);
    tf_pause(&another);
    tf_pause(&pause);
    assert_false(pause.announced);
    tf_pause_reset(&another);
    tf_pause_reset(&pause);
    tf_lock_leave();
    take_down_bell();
}

/* A process of this node has freed room in a ring, say, and rung once: whoever waits for that looks. */
static void who_hears_a_ring_rouses_the_others(void **state)
{
    enum { THREADS = 3 };
    _Atomic bool over[THREADS] = {false};
    pthread_t threads[THREADS];
    (void)state;
    set_up_bell();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_among_threads, &over[i]), 0);
    all_sleep_but(0, THREADS);
    pthread_t watcher = last_watcher;
    for (int i = 0; i < THREADS; i++)
        over[i] = !pthread_equal(threads[i], watcher);
    assert_int_equal(write(bell[1], "", 1), 1);
    for (int i = 0; i < THREADS; i++)
        if (over[i])
            pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        over[i] = true;
    tf_lock_enter();
    tf_pause_rouse();
    tf_lock_leave();
    pthread_join(watcher, NULL);
    take_down_bell();
}

/* One that has no other threads would be content to yield at once. */
static void a_thread_looks_for_its_own_though_its_waits_end_with_yields(void **state)
{
    struct tf_pause pause = {.polls = 3};
    (void)state;
    assert_true(tf_lock_shared()); /* by what was before */
    tf_settings.spin = 0;
    tf_library.locking = true;
    tf_lock_enter();
    tf_pause_setup();
    for (int64_t now = tf_time(); !tf_stacked();)
        tf_stacked_waited(1, now, now);
    tf_pause(&pause);
    tf_pause_reset(&pause);
    assert_true(tf_pause_spin > 0 && tf_pause_spin_own > 10 * tf_pause_spin);
    tf_lock_leave();
    setup(NULL);
    assert_int_equal(tf_pause_spin_own, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_of_a_crowd_asks_for_short_slices),  /* while nobody has: threads inherit them */
        cmocka_unit_test(looks_for_longer_where_others_sleep),    /* while nobody has been found stacked */
        cmocka_unit_test(looks_for_longer_where_a_yield_is_dear), /* and none has been */
        cmocka_unit_test(spin_is_a_setting),
        cmocka_unit_test(spins_then_yields),
        cmocka_unit_test(sleeps_where_yielding_does_not_pay),
        cmocka_unit_test(is_counted_while_it_sleeps),
        cmocka_unit_test(sleeps_sooner_where_it_is_crowded),
        cmocka_unit_test(a_wait_of_a_moment_is_not_watched),
        cmocka_unit_test(who_only_tests_may_have_met_another),
        cmocka_unit_test(announces_before_it_sleeps),
        cmocka_unit_test(the_next_sleeps_ask_for_no_fence),
        cmocka_unit_test(a_wake_before_the_sleep_is_not_lost),
        cmocka_unit_test(a_wake_before_the_sleep_is_not_hidden_by_another_thread),
        cmocka_unit_test(is_woken),
        cmocka_unit_test(another_thread_that_goes_on_does_not_hide_the_sleeper),
        cmocka_unit_test(a_transport_is_asked_with_the_lock_held),
        cmocka_unit_test(one_of_several_threads_watches),
        cmocka_unit_test(who_was_roused_before_it_watches_does_not),
        cmocka_unit_test(who_hears_a_ring_rouses_the_others),
        cmocka_unit_test(a_thread_looks_for_its_own_though_its_waits_end_with_yields),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, setup, NULL);
}
