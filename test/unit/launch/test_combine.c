/* test_combine.c - reductions over the key-value space, on forked ranks that this test serves PMI-1. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/combine.h"
#include "launch/launch.h"
#include "launch/nodes.h"

#include <cmocka.h>

enum { MOST = 300, LINE = 2048 };

/* ---- the server ---- */

static struct pair {
    char key[64], value[1100];
} pairs[8 * MOST];
static int npairs, waiting;
static int fds[MOST], gets[MOST];

static void reply(int rank, const char *format, ...)
{
    char line[LINE];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    assert_int_equal(send(fds[rank], line, (size_t)n, MSG_NOSIGNAL), n);
}

static void serve(int rank, int size, const char *line)
{
    char key[64], value[1100];
    if (!strncmp(line, "cmd=init", 8))
        reply(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    else if (!strncmp(line, "cmd=get_my", 10))
        reply(rank, "cmd=my_kvsname kvsname=test rc=0\n");
    else if (sscanf(line, "cmd=put kvsname=test key=%63s value=%1099s", key, value) == 2) {
        strcpy(pairs[npairs].key, key);
        strcpy(pairs[npairs++].value, value);
        reply(rank, "cmd=put_result rc=0\n");
    } else if (sscanf(line, "cmd=get kvsname=test key=%63s", key) == 1) {
        int i = npairs - 1;
        while (i >= 0 && strcmp(pairs[i].key, key))
            i--;
        gets[rank]++;
        reply(rank, i >= 0 ? "cmd=get_result rc=0 value=%s\n" : "cmd=get_result rc=-1\n", pairs[i < 0 ? 0 : i].value);
    } else if (!strncmp(line, "cmd=barrier_in", 14)) {
        waiting = (waiting + 1) % size;
        for (int r = 0; r < size && waiting == 0; r++)
            reply(r, "cmd=barrier_out\n");
    } else
        reply(rank, "cmd=finalize_ack rc=0\n");
}

/* A rank waits for each answer, so what arrives is one whole line. */
static void serve_all(int size)
{
    struct pollfd polled[MOST];
    char line[LINE];
    for (int left = size; left > 0;) {
        for (int r = 0; r < size; r++)
            polled[r] = (struct pollfd){.fd = fds[r], .events = POLLIN};
        assert_true(poll(polled, (nfds_t)size, 20000) > 0);
        for (int r = 0; r < size; r++) {
            if (!polled[r].revents)
                continue;
            ssize_t n = read(fds[r], line, sizeof line - 1);
            if (n <= 0) {
                close(fds[r]);
                fds[r] = -1;
                left--;
                continue;
            }
            line[n] = '\0';
            serve(r, size, line);
        }
    }
}

/* ---- the ranks ---- */

static void run(int size, bool (*rank_body)(int argument), int argument)
{
    npairs = waiting = 0;
    memset(gets, 0, sizeof gets);
    for (int r = 0; r < size; r++) {
        int ends[2];
        char number[16];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        fds[r] = ends[0];
        if (fork() == 0) {
            for (int i = 0; i <= r; i++)
                close(fds[i]);
            snprintf(number, sizeof number, "%d", ends[1]);
            setenv("PMI_FD", number, 1);
            snprintf(number, sizeof number, "%d", r);
            setenv("PMI_RANK", number, 1);
            snprintf(number, sizeof number, "%d", size);
            setenv("PMI_SIZE", number, 1);
            bool good = tf_launch_open() == MPI_SUCCESS && rank_body(argument) && tf_launch_close() == MPI_SUCCESS;
            _exit(good ? 0 : 1);
        }
        close(ends[1]);
    }
    serve_all(size);
    for (int r = 0; r < size; r++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
}

/* ---- what they do ---- */

/* Order shows: the text of rank 2 is "2,", and that of all "0,1,2,..." */
static int append(struct tf_facts *into, const struct tf_facts *from)
{
    into->bytes = realloc(into->bytes, into->length + from->length);
    memcpy((char *)into->bytes + into->length, from->bytes, from->length);
    into->length += from->length;
    return MPI_SUCCESS;
}

static int close_text(struct tf_facts *facts)
{
    const struct tf_facts dot = {.bytes = (void *)".", .length = 1};
    return append(facts, &dot);
}

static bool all_know_all(int unused)
{
    const struct tf_combine how = {.key = "text", .merge = append, .conclude = close_text};
    char own[16], *wanted = calloc(MOST + 1, sizeof own), *at = wanted;
    (void)unused;
    struct tf_facts facts = {.length = (size_t)snprintf(own, sizeof own, "%d,", tf_job.rank)};
    facts.bytes = strdup(own);
    for (int r = 0; r < tf_job.size; r++)
        at += sprintf(at, "%d,", r);
    strcpy(at, ".");
    bool good = tf_launch_combine(&how, &facts) == MPI_SUCCESS && facts.length == strlen(wanted) &&
                memcmp(facts.bytes, wanted, facts.length) == 0;
    free(facts.bytes);
    free(wanted);
    return good;
}

static void facts_of_all_ranks_come_together_in_order(void **state)
{
    static const int sizes[] = {1, 2, 15, 16, 17, 33, 255, 257, 300};
    (void)state;
    for (size_t i = 0; i < TF_ARRAY_LEN(sizes); i++) {
        int size = sizes[i], rounds = size > 256 ? 3 : size > 16 ? 2 : 1;
        run(size, all_know_all, 0);
        for (int r = 0; r < size; r++) /* the text of 300 ranks has two pieces */
            assert_true(gets[r] <= (r % 16 ? 2 : 15 * rounds + 2));
    }
}

static bool nodes_are_of_one_size(int node_size)
{
    if (tf_launch_nodes_open(node_size) != MPI_SUCCESS)
        return false;
    int size = node_size ? node_size : tf_job.size, count = (tf_job.size + size - 1) / size;
    int mine = tf_job.rank / size, last = tf_job.size - (count - 1) * size;
    bool good = tf_nodes.count == count && tf_nodes.size == (mine == count - 1 ? last : size);
    good = good && tf_nodes.first == mine * size && (count > 1) == (tf_nodes.of != NULL);
    for (int r = 0; r < tf_job.size && good; r++)
        good = tf_launch_node(r) == r / size && tf_launch_place(r) == r % size;
    tf_launch_nodes_close();
    return good;
}

static void nodes_are_found(void **state)
{
    static const int sizes[] = {2, 16, 40, 259}, node_sizes[] = {0, 1, 3, 8, 300};
    (void)state;
    for (size_t i = 0; i < TF_ARRAY_LEN(sizes); i++)
        for (size_t n = 0; n < TF_ARRAY_LEN(node_sizes); n++) {
            run(sizes[i], nodes_are_of_one_size, node_sizes[n]);
            for (int r = 1; r < sizes[i]; r++)
                assert_true(gets[r] == 1 || r % 16 == 0); /* however many nodes there are */
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_of_all_ranks_come_together_in_order),
        cmocka_unit_test(nodes_are_found),
    };
    unsetenv("PMIX_RANK");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
