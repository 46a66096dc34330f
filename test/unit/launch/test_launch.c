/* test_launch.c - the singleton, and the PMI-1 client against a server that this test plays. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launch/launch.h"

#include <cmocka.h>

static void clear_environment(void)
{
    unsetenv("PMI_FD");
    unsetenv("PMI_RANK");
    unsetenv("PMI_SIZE");
    unsetenv("PMIX_RANK");
    unsetenv("PMIX_NAMESPACE");
    unsetenv("OMPI_COMM_WORLD_SIZE");
}

static void singleton_is_rank_0_of_1(void **state)
{
    (void)state;
    clear_environment();
    assert_int_equal(tf_launch_open(), MPI_SUCCESS);
    assert_string_equal(tf_launch_name(), "singleton");
    assert_int_equal(tf_job.rank, 0);
    assert_int_equal(tf_job.size, 1);
    assert_true(strlen(tf_job.name) > 0);
    assert_int_equal(tf_launch_barrier(), MPI_SUCCESS);
    assert_int_equal(tf_launch_close(), MPI_SUCCESS);
}

static void singleton_gets_what_it_put(void **state)
{
    char value[16];
    (void)state;
    clear_environment();
    tf_launch_open();
    assert_int_equal(tf_launch_put("address", "one"), MPI_SUCCESS);
    assert_int_equal(tf_launch_get(0, "address", value, sizeof value), MPI_SUCCESS);
    assert_string_equal(value, "one");
    assert_int_not_equal(tf_launch_get(0, "nothing", value, sizeof value), MPI_SUCCESS);
    assert_int_not_equal(tf_launch_get(0, "address", value, 3), MPI_SUCCESS);
    assert_int_not_equal(tf_launch_put("address", "two words"), MPI_SUCCESS);
    tf_launch_close();
}

/* A conversation: what must arrive, and what is answered to it. */
struct line {
    const char *expected, *answer;
};

struct server {
    int fd;
    const struct line *lines;
    int nlines, served;
};

static void *serve(void *argument)
{
    struct server *server = argument;
    char text[1024];
    for (; server->served < server->nlines; server->served++) {
        const struct line *line = &server->lines[server->served];
        size_t length = strlen(line->expected);
        if (recv(server->fd, text, length, MSG_WAITALL) != (ssize_t)length || memcmp(text, line->expected, length))
            break;
        /* In two pieces: a client must not take a piece for a line. */
        size_t half = strlen(line->answer) / 2;
        send(server->fd, line->answer, half, MSG_NOSIGNAL);
        usleep(1000);
        send(server->fd, line->answer + half, strlen(line->answer) - half, MSG_NOSIGNAL);
    }
    shutdown(server->fd, SHUT_RDWR);
    return NULL;
}

#define INIT                                                                                                           \
    {                                                                                                                  \
        "cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"      \
    }
#define NAME                                                                                                           \
    {                                                                                                                  \
        "cmd=get_my_kvsname\n", "cmd=my_kvsname kvsname=job-7 rc=0\n"                                                  \
    }
#define FINALIZE                                                                                                       \
    {                                                                                                                  \
        "cmd=finalize\n", "cmd=finalize_ack rc=0\n"                                                                    \
    }

static pthread_t start_server(struct server *server, const char *rank, const char *size)
{
    int ends[2];
    char number[16];
    pthread_t thread;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    server->fd = ends[0];
    snprintf(number, sizeof number, "%d", ends[1]);
    setenv("PMI_FD", number, 1);
    setenv("PMI_RANK", rank, 1);
    setenv("PMI_SIZE", size, 1);
    assert_int_equal(pthread_create(&thread, NULL, serve, server), 0);
    return thread;
}

static void end_server(struct server *server, pthread_t thread)
{
    pthread_join(thread, NULL);
    close(server->fd);
    clear_environment();
}

/* It is asked once, and what is no number of processes is no answer. */
static void pmi_tells_facts(void **state)
{
    static const struct line lines[] = {INIT,
                                        NAME,
                                        {"cmd=get_appnum\n", "cmd=appnum appnum=2 rc=0\n"},
                                        {"cmd=get_universe_size\n", "cmd=universe_size size=12 rc=0\n"},
                                        FINALIZE};
    static const struct line silent[] = {INIT,
                                         NAME,
                                         {"cmd=get_appnum\n", "cmd=appnum rc=-1 msg=what\n"},
                                         {"cmd=get_universe_size\n", "cmd=universe_size size=-1 rc=0\n"},
                                         FINALIZE};
    struct server server = {.lines = lines, .nlines = TF_ARRAY_LEN(lines)},
                  other = {.lines = silent, .nlines = TF_ARRAY_LEN(silent)};
    int value = -7;
    (void)state;
    pthread_t thread = start_server(&server, "0", "2");
    assert_int_equal(tf_launch_open(), MPI_SUCCESS);
    for (int again = 0; again < 2; again++) {
        assert_true(tf_launch_knows(TF_LAUNCH_APPNUM, &value));
        assert_int_equal(value, 2);
        assert_true(tf_launch_knows(TF_LAUNCH_UNIVERSE_SIZE, &value));
        assert_int_equal(value, 12);
    }
    assert_int_equal(tf_launch_close(), MPI_SUCCESS);
    end_server(&server, thread);
    assert_int_equal(server.served, server.nlines);

    thread = start_server(&other, "0", "2");
    assert_int_equal(tf_launch_open(), MPI_SUCCESS);
    for (int again = 0; again < 2; again++) {
        assert_false(tf_launch_knows(TF_LAUNCH_APPNUM, &value));
        assert_false(tf_launch_knows(TF_LAUNCH_UNIVERSE_SIZE, &value));
    }
    assert_int_equal(tf_launch_close(), MPI_SUCCESS);
    end_server(&other, thread);
    assert_int_equal(other.served, other.nlines);
    assert_int_equal(tf_launch_open(), MPI_SUCCESS); /* alone */
    assert_false(tf_launch_knows(TF_LAUNCH_APPNUM, &value));
    tf_launch_close();
}

static void pmi_speaks_version_1(void **state)
{
    static const struct line lines[] = {
        INIT,
        NAME,
        {"cmd=put kvsname=job-7 key=a2 value=xyz\n", "cmd=put_result rc=0 msg=success\n"},
        {"cmd=barrier_in\n", "cmd=barrier_out\n"},
        {"cmd=get kvsname=job-7 key=a0\n", "cmd=get_result rc=0 msg=success value=uvw\n"},
        {"cmd=get kvsname=job-7 key=b0\n", "cmd=get_result rc=-1 msg=key_not_found value=unknown\n"},
        FINALIZE,
    };
    struct server server = {.lines = lines, .nlines = TF_ARRAY_LEN(lines)};
    char value[16];
    (void)state;
    pthread_t thread = start_server(&server, "2", "3");
    assert_int_equal(tf_launch_open(), MPI_SUCCESS);
    assert_string_equal(tf_launch_name(), "pmi1");
    assert_int_equal(tf_job.rank, 2);
    assert_int_equal(tf_job.size, 3);
    assert_string_equal(tf_job.name, "job-7");
    assert_null(getenv("PMI_FD")); /* not for our children */
    assert_int_equal(tf_launch_put("a2", "xyz"), MPI_SUCCESS);
    assert_int_equal(tf_launch_barrier(), MPI_SUCCESS);
    assert_int_equal(tf_launch_get(0, "a0", value, sizeof value), MPI_SUCCESS);
    assert_string_equal(value, "uvw");
    int err = tf_launch_get(0, "b0", value, sizeof value);
    assert_int_not_equal(err, MPI_SUCCESS);
    assert_non_null(strstr(tf_error_text(err), "key_not_found"));
    assert_int_equal(tf_launch_close(), MPI_SUCCESS);
    end_server(&server, thread);
    assert_int_equal(server.served, server.nlines);
}

/* Its answer may come before that to a question in between, or after it. */
static void pmi_meets_in_two_steps(void **state)
{
    static const struct line lines[] = {
        INIT,
        NAME,
        {"cmd=barrier_in\n", ""},
        {"cmd=get kvsname=job-7 key=a0\n", "cmd=barrier_out\ncmd=get_result rc=0 msg=success value=uvw\n"},
        {"cmd=barrier_in\n", ""},
        {"cmd=get kvsname=job-7 key=a0\n", "cmd=get_result rc=0 msg=success value=xyz\ncmd=barrier_out\n"},
        FINALIZE,
    };
    struct server server = {.lines = lines, .nlines = TF_ARRAY_LEN(lines)};
    char value[16];
    int err = -1;
    (void)state;
    pthread_t thread = start_server(&server, "0", "3");
    assert_int_equal(tf_launch_open(), MPI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tf_launch_barrier_begin(), MPI_SUCCESS);
        assert_false(tf_launch_barrier_is_over(&err));
        assert_int_equal(tf_launch_get(0, "a0", value, sizeof value), MPI_SUCCESS);
        assert_string_equal(value, i ? "xyz" : "uvw");
        while (!tf_launch_barrier_is_over(&err))
            usleep(100);
        assert_int_equal(err, MPI_SUCCESS);
    }
    assert_int_equal(tf_launch_close(), MPI_SUCCESS);
    end_server(&server, thread);
    assert_int_equal(server.served, server.nlines);
}

static void pmi_notices_a_launcher_that_has_gone(void **state)
{
    static const struct line lines[] = {INIT, NAME};
    struct server server = {.lines = lines, .nlines = TF_ARRAY_LEN(lines)};
    (void)state;
    pthread_t thread = start_server(&server, "0", "2");
    assert_int_equal(tf_launch_open(), MPI_SUCCESS);
    pthread_join(thread, NULL);
    assert_int_not_equal(tf_launch_barrier(), MPI_SUCCESS);
    assert_int_not_equal(tf_launch_close(), MPI_SUCCESS);
    close(server.fd);
    clear_environment();
}

#define SPAWN                                                                                                          \
    "mcmd=spawn\nnprocs=2\nexecname=/bin/sh\ntotspawns=1\nspawnssofar=1\narg1=-c\nargcnt=1\npreput_num=1\n"            \
    "preput_key_0=PARENT_ROOT_PORT_NAME\npreput_val_0=harbour\ninfo_num=0\nendcmd\n"

/* Of a program that is not there it is not asked for: launchers end the job then. */
static void pmi_hears_what_was_not_started(void **state)
{
    static const struct line lines[] = {
        INIT,
        NAME,
        {SPAWN, "cmd=spawn_result rc=0 errcodes=0,0\n"},
        {SPAWN, "cmd=spawn_result rc=0 job=boats\n"},
        {SPAWN, "cmd=spawn_result rc=0 errcodes=0,1\n"},
        {SPAWN, "cmd=spawn_result rc=-1 reason=no+room\n"},
        FINALIZE,
    };
    char *const argv[] = {"-c", NULL};
    const struct tf_launch_app app = {.command = "/bin/sh", .argv = argv, .nprocs = 2};
    struct tf_launch_app missing = app;
    struct tf_launch_spawned spawned;
    struct server server = {.lines = lines, .nlines = TF_ARRAY_LEN(lines)};
    (void)state;
    pthread_t thread = start_server(&server, "0", "1");
    assert_int_equal(tf_launch_open(), MPI_SUCCESS);
    assert_int_equal(tf_launch_spawn(&app, 1, "harbour", &spawned), MPI_SUCCESS);
    assert_string_equal(spawned.job, "");
    assert_int_equal(tf_launch_spawn(&app, 1, "harbour", &spawned), MPI_SUCCESS);
    assert_string_equal(spawned.job, "boats");
    assert_null(tf_launch_spawned_end(&spawned));
    assert_int_equal(tf_launch_spawn(&app, 1, "harbour", &spawned), MPI_ERR_SPAWN);
    assert_int_equal(tf_launch_spawn(&app, 1, "harbour", &spawned), MPI_ERR_SPAWN);
    assert_non_null(strstr(tf_error_text(MPI_ERR_SPAWN), "no room"));
    missing.command = "/there/is/nothing";
    assert_int_equal(tf_launch_spawn(&missing, 1, "harbour", &spawned), MPI_ERR_SPAWN);
    assert_non_null(strstr(tf_error_text(MPI_ERR_SPAWN), "no program \"/there/is/nothing\""));
    assert_int_equal(tf_launch_close(), MPI_SUCCESS);
    end_server(&server, thread);
    assert_int_equal(server.served, server.nlines);
}

static void pmi_abort_gives_code_and_reason(void **state)
{
    static const struct line lines[] = {INIT, NAME, {"cmd=abort exitcode=7 reason=called+MPI_Abort\n", "cmd=bye\n"}};
    struct server server = {.lines = lines, .nlines = TF_ARRAY_LEN(lines)};
    (void)state;
    pthread_t thread = start_server(&server, "0", "2");
    assert_int_equal(tf_launch_open(), MPI_SUCCESS);
    tf_launch_abort(7, "called MPI_Abort");
    end_server(&server, thread);
    assert_int_equal(server.served, server.nlines);
    tf_launch_close();
}

static void environment_that_makes_no_sense_is_refused(void **state)
{
    static const char *const bad[][3] = {
        {"99", "0", "2"}, {"0", "2", "2"}, {"0", "x", "2"}, {"0", "0", NULL}, {"", "0", "1"}};
    (void)state;
    for (size_t i = 0; i < TF_ARRAY_LEN(bad); i++) {
        static const char *const names[] = {"PMI_FD", "PMI_RANK", "PMI_SIZE"};
        clear_environment();
        for (int v = 0; v < 3; v++)
            if (bad[i][v])
                setenv(names[v], bad[i][v], 1);
        int err = tf_launch_open();
        assert_int_not_equal(err, MPI_SUCCESS);
        assert_non_null(strstr(tf_error_text(err), "PMI_"));
    }
    clear_environment();
}

static void speak_of_pmix(void)
{
    setenv("PMIX_RANK", "1", 1);
    setenv("PMIX_NAMESPACE", "nobody", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "6", 1);
}

/* Of a server that is not there, by a Treefold that was built without PMIx, and where libpmix is missing. */
static void pmix_says_why_it_cannot(void **state)
{
    (void)state;
    clear_environment();
    speak_of_pmix();
    assert_int_equal(tf_launch_size(), 6);
    int err = tf_launch_open();
    assert_int_not_equal(err, MPI_SUCCESS);
    assert_non_null(strstr(tf_error_text(err), "PMIx"));
    assert_non_null(strstr(tf_error_text(err), "PMIX_RANK"));
    clear_environment();
}

static void an_open_socket_of_pmi_comes_before_pmix(void **state)
{
    static const struct line lines[] = {INIT, NAME, FINALIZE};
    struct server server = {.lines = lines, .nlines = TF_ARRAY_LEN(lines)};
    (void)state;
    speak_of_pmix();
    pthread_t thread = start_server(&server, "2", "3");
    assert_int_equal(tf_launch_open(), MPI_SUCCESS);
    assert_string_equal(tf_launch_name(), "pmi1");
    assert_int_equal(tf_launch_close(), MPI_SUCCESS);
    end_server(&server, thread);
}

static void a_closed_socket_of_pmi_does_not(void **state)
{
    (void)state;
    clear_environment();
    speak_of_pmix();
    setenv("PMI_FD", "99", 1);
    int err = tf_launch_open();
    assert_int_not_equal(err, MPI_SUCCESS);
    assert_non_null(strstr(tf_error_text(err), "PMIx"));
    clear_environment();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singleton_is_rank_0_of_1),
        cmocka_unit_test(singleton_gets_what_it_put),
        cmocka_unit_test(pmi_speaks_version_1),
        cmocka_unit_test(pmi_tells_facts),
        cmocka_unit_test(pmi_meets_in_two_steps),
        cmocka_unit_test(pmi_notices_a_launcher_that_has_gone),
        cmocka_unit_test(pmi_hears_what_was_not_started),
        cmocka_unit_test(pmi_abort_gives_code_and_reason),
        cmocka_unit_test(environment_that_makes_no_sense_is_refused),
        cmocka_unit_test(pmix_says_why_it_cannot),
        cmocka_unit_test(an_open_socket_of_pmi_comes_before_pmix),
        cmocka_unit_test(a_closed_socket_of_pmi_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
