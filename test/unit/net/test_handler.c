/* test_handler.c - messages go to the handler of their kind; one that nobody handles ends the job, in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/net.h"

static struct tf_peer sender = {.rank = 7};
static char content[] = "content";
static int asked, answered;

static void hear(int *count, const struct tf_peer *peer, const struct tf_header *header, const void *payload)
{
    assert_ptr_equal(peer, &sender);
    assert_int_equal(header->tag, 42);
    assert_ptr_equal(payload, content);
    ++*count;
}

static void hear_ask(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    hear(&asked, peer, header, payload);
}

static void hear_answer(struct tf_peer *peer, const struct tf_header *header, void *payload)
{
    hear(&answered, peer, header, payload);
}

static void arrive(int kind)
{
    tf_net_arrive(&sender, &(struct tf_header){.kind = (uint8_t)kind, .tag = 42}, content);
}

static void each_kind_goes_to_its_handler(void **state)
{
    (void)state;
    tf_net_handle(TF_MSG_ASK, hear_ask);
    tf_net_handle(TF_MSG_ANSWER, hear_answer);
    arrive(TF_MSG_ASK);
    arrive(TF_MSG_ANSWER);
    arrive(TF_MSG_ANSWER);
    assert_int_equal(asked, 1);
    assert_int_equal(answered, 2);
}

/* What a child says that gets a message of that kind, and ends. */
static void words_of_unknown(int kind, char *said, size_t n)
{
    int words[2], status;
    assert_int_equal(pipe(words), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(words[1], STDERR_FILENO);
        arrive(kind);
        _exit(0);
    }
    close(words[1]);
    ssize_t length = read(words[0], said, n - 1);
    said[length > 0 ? length : 0] = '\0';
    close(words[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

static void an_unknown_kind_ends_the_job_in_words(void **state)
{
    const int kinds[] = {0, TF_MSG_CTS, 200, 255};
    char said[500];
    (void)state;
    for (size_t i = 0; i < TF_ARRAY_LEN(kinds); i++) {
        char kind[20];
        words_of_unknown(kinds[i], said, sizeof said);
        snprintf(kind, sizeof kind, "kind %d ", kinds[i]);
        assert_non_null(strstr(said, kind));
        assert_non_null(strstr(said, "rank 7 of the job"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_goes_to_its_handler),
        cmocka_unit_test(an_unknown_kind_ends_the_job_in_words),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
