/* test_failure.c - a process that cannot be reached: whoever listens hears of it, once, before the job ends in words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/listen.h"
#include "net/net.h"

static void hear(enum tf_news news, const int64_t *elements)
{
    fprintf(stderr, "news %d of %d; ", (int)news, (int)elements[0]);
}

/* What a child says to whom it happens, who wants to hear of `wanted`. */
static void words_of_failure(unsigned wanted, char *said, size_t n)
{
    int words[2], status;
    size_t length = 0;
    assert_int_equal(pipe(words), 0);
    pid_t child = fork();
    if (child == 0) {
        struct tf_peer peer = {.rank = 7};
        dup2(words[1], STDERR_FILENO);
        tf_listen_hear = hear;
        tf_listen_to = wanted;
        tf_net_peer_failed(&peer, "rank %d is gone", peer.rank);
        _exit(0);
    }
    close(words[1]);
    for (ssize_t got = 1; got > 0 && length<n - 1; length += got> 0 ? (size_t)got : 0)
        got = read(words[0], said + length, n - 1 - length);
    said[length] = '\0';
    close(words[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static void who_listens_hears_first(void **state)
{
    char said[500], news[50];
    (void)state;
    snprintf(news, sizeof news, "news %d of 7; ", (int)TF_NEWS_FAILED);
    words_of_failure(1u << TF_NEWS_FAILED, said, sizeof said);
    assert_memory_equal(said, news, strlen(news));
    assert_non_null(strstr(said, "rank 7 is gone"));
    assert_null(strstr(said + strlen(news), "news"));
}

static void others_hear_nothing(void **state)
{
    char said[500];
    (void)state;
    words_of_failure(~(1u << TF_NEWS_FAILED), said, sizeof said);
    assert_null(strstr(said, "news"));
    assert_non_null(strstr(said, "rank 7 is gone"));
}

/* What comes after everybody has left is of no importance, nor what is said again. */
static void nothing_is_said_twice(void **state)
{
    struct tf_peer peer = {.rank = 7, .failed = true};
    (void)state;
    tf_listen_hear = hear;
    tf_listen_to = 1u << TF_NEWS_FAILED;
    tf_net_peer_failed(&peer, "rank %d is gone", peer.rank);
    tf_listen_to = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_listens_hears_first),
        cmocka_unit_test(others_hear_nothing),
        cmocka_unit_test(nothing_is_said_twice),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
