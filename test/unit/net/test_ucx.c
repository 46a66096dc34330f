/* test_ucx.c - libucp is opened with care, and what it finds is told in words. */
#include "net/ucx/ucx.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/settings.h"

static char words[400];

static void handler(int number)
{
    (void)number;
}

/* The first test: the library is not open yet. */
static void signals_stay_the_programs(void **state)
{
    struct sigaction mine = {.sa_handler = handler}, before, now; /* cmocka has some too */
    (void)state;
    sigaction(SIGSEGV, &mine, NULL);
    sigaction(SIGFPE, NULL, &before);
    tf_ucx_describe(words, sizeof words);
    sigaction(SIGSEGV, NULL, &now);
    assert_ptr_equal(now.sa_handler, handler);
    sigaction(SIGFPE, NULL, &now);
    assert_ptr_equal(now.sa_handler, before.sa_handler);
    signal(SIGSEGV, SIG_DFL);
}

static void transports_and_devices_are_told(void **state)
{
    (void)state;
    setenv("UCX_TLS", "tcp,self", 1);
    if (!tf_ucx_describe(words, sizeof words)) {
        print_message("%s\n", words);
        skip();
    }
    assert_memory_equal(words, "UCX 1.", 6);
    assert_non_null(strstr(words, "tcp/"));
}

static void where_nothing_is_usable_the_variable_is_named(void **state)
{
    (void)state;
    setenv("UCX_TLS", "carrier_pigeon", 1);
    assert_false(tf_ucx_describe(words, sizeof words));
    assert_non_null(strstr(words, "carrier_pigeon"));
    tf_settings.net = "ucx";
    assert_int_equal(tf_ucx_grade(), TF_NET_UNUSABLE);
}

static void sockets_alone_are_no_fabric(void **state)
{
    (void)state;
    setenv("UCX_TLS", "tcp,self", 1);
    tf_settings.net = "ucx";
    assert_int_equal(tf_ucx_grade(), TF_NET_SPARE);
}

static void abilities_are_those_of_the_transports(void **state)
{
    ucp_context_h context;
    (void)state;
    setenv("UCX_TLS", "tcp,self", 1);
    assert_null(tf_ucx_context_open(&context));
    struct tf_ucx_abilities found = tf_ucx_find_abilities(context);
    tf_ucx.ucp_cleanup(context);
    assert_true(found.leaves && !found.fabric && !found.reads);
    setenv("UCX_TLS", "posix,self", 1);
    assert_null(tf_ucx_context_open(&context));
    found = tf_ucx_find_abilities(context);
    tf_ucx.ucp_cleanup(context);
    assert_false(found.leaves);
}

static void sockets_and_shared_memory_register_nothing(void **state)
{
    (void)state;
    assert_true(tf_ucx_registers_nothing("tcp"));
    assert_true(tf_ucx_registers_nothing("tcp,self,sm,cma"));
    assert_false(tf_ucx_registers_nothing("all"));
    assert_false(tf_ucx_registers_nothing("tcp,rc,self"));
    assert_false(tf_ucx_registers_nothing("^ib"));
    assert_false(tf_ucx_registers_nothing("tcpx"));
    assert_false(tf_ucx_registers_nothing("self,t"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_stay_the_programs),
        cmocka_unit_test(transports_and_devices_are_told),
        cmocka_unit_test(where_nothing_is_usable_the_variable_is_named),
        cmocka_unit_test(sockets_alone_are_no_fabric),
        cmocka_unit_test(sockets_and_shared_memory_register_nothing),
        cmocka_unit_test(abilities_are_those_of_the_transports),
    };
    setenv("UCX_LOG_LEVEL", "fatal", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
