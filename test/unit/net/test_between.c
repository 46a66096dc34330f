/* test_between.c - which transport a job takes between nodes, and what is said where there is none: what
 * three ranks offer is made by hand.
 */
#include "net/net.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"
#include "launch/combine.h"

static int test_combine(const struct tf_combine *how, struct tf_facts *facts);

#define tf_launch_combine test_combine
#include "net/between.c"

enum { RANKS = 3 };
static struct offer offers[RANKS];
static bool shorter;

/* In the order of ranks, to the same answer on each. */
static int test_combine(const struct tf_combine *how, struct tf_facts *facts)
{
    struct offer *all = facts->bytes;
    *all = offers[0];
    for (int r = 1; r < RANKS; r++) {
        struct tf_facts theirs = {.bytes = &offers[r], .length = sizeof offers[r] - (shorter ? 1 : 0)};
        int err = how->merge(facts, &theirs);
        if (err)
            return err;
    }
    return MPI_SUCCESS;
}

static int set_up(void **state)
{
    (void)state;
    tf_job.size = RANKS;
    shorter = false;
    return 0;
}

/* What a rank has to offer: TCP and nothing else, or nothing. */
static void offer(int rank, const char *setting, bool tcp)
{
    tf_job.rank = rank;
    tf_settings.net = setting;
    make_offer(&offers[rank]);
    snprintf(offers[rank].first.host, HOST, "h%d", rank);
    offers[rank].against.rank = -1;
    for (int i = 0; i < NETMODS; i++)
        offers[rank].grades[i] = tcp && netmods[i] == &tf_net_tcp ? TF_NET_PLAIN : TF_NET_UNUSABLE;
    if (!tcp) {
        object(&offers[rank]);
        snprintf(offers[rank].why, WORDS, "the cable of %s is not plugged in", offers[rank].first.host);
    }
}

static void chosen(const char *name)
{
    const struct tf_net *net = NULL;
    assert_int_equal(tf_between_choose(&net), MPI_SUCCESS);
    assert_string_equal(net->name, name);
}

/* On each rank. */
static void fails(const char *words)
{
    const struct tf_net *net = NULL;
    for (int r = 0; r < RANKS; r++) {
        tf_job.rank = r;
        tf_settings.net = offers[r].first.setting;
        assert_int_equal(tf_between_choose(&net), MPI_ERR_OTHER);
        assert_null(net);
        assert_non_null(strstr(tf_error_text(MPI_ERR_OTHER), words));
    }
}

/* Every transport between nodes that was built, and no other one. */
static void transports_are_words_of_the_setting(void **state)
{
    static const char *const good[] = {
#define GOOD_within(name)
#define GOOD_between(name) #name,
#define TF_NETMOD(name, where) GOOD_##where(name)
#include "net/netmods.def"
#undef TF_NETMOD
        "auto"};
    static const char *const bad[] = {"self", "shm", "tc", "tcp|auto", ""};
    (void)state;
    tf_between_setup();
    for (size_t i = 0; i < TF_ARRAY_LEN(good); i++) {
        setenv("TREEFOLD_NET", good[i], 1);
        assert_int_equal(tf_settings_load(true), 0);
        assert_string_equal(tf_settings.net, good[i]);
    }
    for (size_t i = 0; i < TF_ARRAY_LEN(bad); i++) {
        setenv("TREEFOLD_NET", bad[i], 1);
        assert_int_equal(tf_settings_load(false), 1);
        assert_string_equal(tf_settings.net, "auto");
    }
    unsetenv("TREEFOLD_NET");
}

static void the_one_that_was_asked_for(void **state)
{
    (void)state;
    for (int r = 0; r < RANKS; r++)
        offer(r, "tcp", true);
    chosen("tcp");
}

static void the_best_of_those_that_all_have(void **state)
{
    (void)state;
    for (int r = 0; r < RANKS; r++)
        offer(r, "auto", true);
    offers[1].grades[0] = TF_NET_FABRIC;
    chosen("tcp");
}

static void settings_that_differ(void **state)
{
    (void)state;
    offer(0, "tcp", true);
    offer(1, "tcp", true);
    offer(2, "auto", true);
    fails("rank 2 on host h2 has TREEFOLD_NET=auto and rank 0 has tcp; all processes of a job need the same");
}

/* Every rank says what only one can know. */
static void one_that_cannot_be_used_everywhere(void **state)
{
    (void)state;
    offer(0, "tcp", true);
    offer(1, "tcp", false);
    offer(2, "tcp", false);
    fails("TREEFOLD_NET=tcp cannot be used by rank 1 on host h1: the cable of h1 is not plugged in");
}

static void a_rank_that_has_none(void **state)
{
    (void)state;
    offer(0, "auto", true);
    offer(1, "auto", true);
    offer(2, "auto", false);
    fails("no transport reaches rank 2 on host h2 from other nodes: the cable of h2 is not plugged in");
}

static void none_that_all_have(void **state)
{
    (void)state;
    for (int r = 0; r < RANKS; r++)
        offer(r, "auto", true);
    memset(offers[1].grades, TF_NET_UNUSABLE, NETMODS);
    fails("no transport reaches the other nodes of the job; 'treefold info'");
}

static void builds_that_differ(void **state)
{
    (void)state;
    for (int r = 0; r < RANKS; r++)
        offer(r, "tcp", true);
    shorter = true;
    fails("different builds of Treefold");
    shorter = false;
    offers[2].transports[0] = 'x';
    fails("different builds of Treefold: not all have the transports self shm beside tcp ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, set_up)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(transports_are_words_of_the_setting, set_up),
        TEST(the_one_that_was_asked_for),
        TEST(the_best_of_those_that_all_have),
        TEST(settings_that_differ),
        TEST(one_that_cannot_be_used_everywhere),
        TEST(a_rank_that_has_none),
        TEST(none_that_all_have),
        TEST(builds_that_differ),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
