/* test_call.c - the one path of all collective calls, in a job of one process: every algorithm blocking, nonblocking
 * and persistent; a call that looks like the one before but is not; and what must agree between ranks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"
#include "coll/choice.h"
#include "env/env.h"
#include "msg/msg.h"
#include "type/construct.h"

static uint64_t contexts = (uint64_t)1 << 32 | 1000;

static struct tf_comm *fresh_comm(void)
{
    return tf_comm_create_object(tf_comm_world->group, contexts++, tf_comm_world, 0);
}

static bool is_reduction(enum tf_coll coll)
{
    return coll >= TF_REDUCE;
}

/* ---- every algorithm ---- */

enum { N = 5 };
static int input[N], output[N];
static const int ones[1] = {N}, zeros[1] = {0};
static MPI_Datatype ints[1];

static struct tf_call call_of(enum tf_coll coll, struct tf_comm *comm, bool inplace)
{
    struct tf_type *type = tf_type_find(MPI_INT);
    struct tf_call call = {.coll = coll,
                           .comm = comm,
                           .sendbuf = input,
                           .recvbuf = output,
                           .sendcount = N,
                           .recvcount = N,
                           .sendtype = type,
                           .recvtype = type};
    call.sendcounts = call.recvcounts = (struct tf_counts){ones, false};
    call.sdispls = call.rdispls = (struct tf_counts){zeros, false};
    call.sendtypes = call.recvtypes = ints;
    ints[0] = MPI_INT;
    if (is_reduction(coll))
        call.op = tf_op_find(MPI_SUM);
    if (inplace && (coll == TF_SCATTER || coll == TF_SCATTERV))
        call.recvbuf = MPI_IN_PLACE;
    else if (inplace)
        call.sendbuf = MPI_IN_PLACE;
    return call;
}

static void set_buffers(int k, bool inplace)
{
    for (int i = 0; i < N; i++) {
        input[i] = 10 * i + k;
        output[i] = inplace ? 10 * i + k : -1;
    }
}

/* One process: what comes out is what went in, but nothing comes out of an exscan or a barrier. */
static void check_output(const struct tf_call *call, int k, bool inplace)
{
    enum tf_coll coll = call->coll;
    bool untouched = coll == TF_BARRIER || coll == TF_EXSCAN || coll == TF_BCAST;
    for (int i = 0; i < N; i++) {
        assert_int_equal(output[i], untouched && !inplace ? -1 : 10 * i + k);
        assert_int_equal(input[i], 10 * i + k);
    }
}

static void run_three_ways(const struct tf_algo *algo, bool inplace)
{
    struct tf_comm *comm = fresh_comm();
    struct tf_object *told = NULL;
    struct tf_call call = call_of(algo->coll, comm, inplace);
    MPI_Request request;
    char setting[100];
    snprintf(setting, sizeof setting, "%s=%s", tf_coll_name(algo->coll), algo->name);
    tf_settings.algorithm = setting;
    for (int k = 0; k < 3; k++) {
        set_buffers(k, inplace);
        assert_int_equal(tf_coll_run(&call), MPI_SUCCESS);
        check_output(&call, k, inplace);
        set_buffers(k + 10, inplace);
        assert_int_equal(tf_coll_begin(&call, &request), MPI_SUCCESS);
        assert_int_equal(tf_wait(&request, MPI_STATUS_IGNORE, &told), MPI_SUCCESS);
        check_output(&call, k + 10, inplace);
    }
    assert_int_equal(tf_coll_prepare(&call, NULL, &request), MPI_SUCCESS);
    for (int k = 20; k < 23; k++) {
        set_buffers(k, inplace);
        assert_int_equal(tf_start(&request, &told), MPI_SUCCESS);
        assert_int_equal(tf_wait(&request, MPI_STATUS_IGNORE, &told), MPI_SUCCESS);
        check_output(&call, k, inplace);
    }
    assert_int_equal(tf_request_free(&request, &told), MPI_SUCCESS);
    tf_settings.algorithm = "";
    tf_comm_free(comm);
}

static bool runs_alone(enum tf_coll coll)
{
    return !tf_coll_is_inter(coll) && !tf_coll_is_neighbor(coll);
}

static void every_algorithm_alone(void **state)
{
    (void)state;
    for (int i = 0; i < tf_algo_count; i++)
        for (int inplace = 0; inplace < (tf_algos[i].coll > TF_BCAST ? 2 : 1) && runs_alone(tf_algos[i].coll);
             inplace++)
            run_three_ways(&tf_algos[i], inplace);
    assert_int_equal(tf_request_pool.live, 0);
}

/* ---- the call before ---- */

static void one_after_the_other(void **state)
{
    struct tf_comm *comm = fresh_comm();
    double from[4] = {1.5, 2.5, 3.5, 4.5}, to[4];
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_INT, MPI_FLOAT, MPI_BYTE, MPI_DOUBLE};
    const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_BOR};
    (void)state;
    struct tf_call call = {.coll = TF_ALLREDUCE, .comm = comm, .sendbuf = from, .recvbuf = to};
    for (int k = 0; k < 200; k++) {
        call.recvtype = tf_type_find(types[k % 6]);
        call.recvcount = k * 7 % 5;
        call.op = tf_op_find(ops[k * 5 % 3]);
        call.sendbuf = k % 11 == 0 ? MPI_IN_PLACE : from;
        call.coll = k % 13 == 0 ? TF_SCAN : TF_ALLREDUCE;
        size_t bytes = (size_t)call.recvcount * (size_t)call.recvtype->size;
        if (k % 7 == 0) {
            assert_int_equal(tf_coll_run(&(struct tf_call){.coll = TF_BARRIER, .comm = comm}), MPI_SUCCESS);
            assert_int_equal(tf_coll_bcast_bytes(comm, TF_CALLER_USER, to, sizeof to, 0), MPI_SUCCESS);
        }
        if (tf_op_check(call.op, call.recvtype))
            continue;
        for (int again = 0; again < 2; again++) {
            memset(to, 0x5a, sizeof to);
            if (call.sendbuf == MPI_IN_PLACE)
                memcpy(to, from, bytes);
            assert_int_equal(tf_coll_run(&call), MPI_SUCCESS);
            assert_memory_equal(to, from, bytes);
            for (size_t i = bytes; i < sizeof to; i++)
                assert_int_equal(((unsigned char *)to)[i], 0x5a);
        }
    }
    tf_comm_free(comm);
}

/* A datatype of the user may be freed, and another one take its place in memory, between two calls. */
static void a_datatype_comes_back_as_another(void **state)
{
    struct tf_comm *comm = fresh_comm();
    double from[4] = {1.5, 2.5, 3.5, 4.5}, to[4];
    MPI_Datatype handle;
    (void)state;
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT, MPI_DOUBLE};
    for (size_t k = 0; k < TF_ARRAY_LEN(types); k++) {
        assert_int_equal(tf_type_dup(tf_type_find(types[k]), &handle), MPI_SUCCESS);
        struct tf_call call = {.coll = TF_ALLREDUCE,
                               .comm = comm,
                               .sendbuf = from,
                               .recvbuf = to,
                               .recvcount = 4,
                               .recvtype = tf_type_find(handle),
                               .op = tf_op_find(MPI_SUM)};
        memset(to, 0x5a, sizeof to);
        assert_int_equal(tf_coll_run(&call), MPI_SUCCESS);
        size_t bytes = 4 * (size_t)call.recvtype->size;
        assert_memory_equal(to, from, bytes);
        for (size_t i = bytes; i < sizeof to; i++)
            assert_int_equal(((unsigned char *)to)[i], 0x5a);
        tf_type_free(tf_type_find(handle));
    }
    tf_comm_free(comm);
}

/* ---- what ranks must agree on ---- */

static uint32_t print_of(struct tf_call call)
{
    return tf_choice_fingerprint(&call, tf_families[call.coll].bytes(&call), 1);
}

/* The same collective as two ranks of three may call it. */
static void what_may_differ_is_not_in_the_fingerprint(void **state)
{
    int counts[2][3] = {{1, 2, 3}, {7, 7, 7}};
    struct tf_comm ranks[2] = {*tf_comm_world, *tf_comm_world};
    MPI_Datatype six, user[2];
    (void)state;
    tf_type_contiguous(6, tf_type_find(MPI_INT), &six, false);
    tf_type_commit(tf_type_find(six));
    for (int r = 0; r < 2; r++) {
        ranks[r].rank = r;
        ranks[r].size = 3;
        tf_type_dup(tf_type_find(MPI_INT), &user[r]);
    }
    for (int coll = TF_BCAST; coll < TF_NCOLL; coll++) {
        struct tf_call root = call_of((enum tf_coll)coll, &ranks[0], false), other = root;
        other.comm = &ranks[1];
        other.recvbuf = input;
        root.recvcount = root.sendcount = 6;
        other.recvcount = other.sendcount = 1;
        other.recvtype = other.sendtype = tf_type_find(six);
        bool agreeing = coll == TF_REDUCE_SCATTER || coll == TF_ALLGATHERV; /* counts must be the same */
        root.sendcounts.array = root.recvcounts.array = counts[0];
        other.sendcounts.array = other.recvcounts.array = agreeing ? counts[0] : counts[1];
        if (coll == TF_GATHER || coll == TF_GATHERV)
            other.recvtype = NULL, other.recvcount = 0, root.sendbuf = MPI_IN_PLACE, root.sendtype = NULL;
        if (coll == TF_SCATTER || coll == TF_SCATTERV)
            other.sendtype = NULL, other.sendcount = 0, root.recvbuf = MPI_IN_PLACE, root.recvtype = NULL;
        if (agreeing || is_reduction((enum tf_coll)coll)) {
            root.recvtype = tf_type_find(user[0]); /* a copy of a type is the same data */
            other.recvtype = tf_type_find(user[1]);
            root.recvcount = other.recvcount = 6;
        }
        if (print_of(root) != print_of(other))
            fail_msg("the ranks of %s seem to disagree", tf_coll_name((enum tf_coll)coll));
    }
    tf_type_free(tf_type_find(six));
    for (int r = 0; r < 2; r++)
        tf_type_free(tf_type_find(user[r]));
}

static void what_must_not_differ_is_in_it(void **state)
{
    (void)state;
    for (int coll = TF_BCAST; coll < TF_NCOLL; coll++) {
        bool v = coll == TF_GATHERV || coll == TF_SCATTERV || coll == TF_ALLTOALLV || coll == TF_ALLTOALLW ||
                 tf_coll_is_neighbor((enum tf_coll)coll);
        struct tf_call call = call_of((enum tf_coll)coll, tf_comm_world, false), changed = call;
        const int more[1] = {N + 1};
        changed.recvcount = changed.sendcount = N + 1;
        changed.recvcounts.array = more;
        assert_int_equal(print_of(call) == print_of(changed), v);
        changed = call;
        changed.root = 1;
        assert_int_equal(print_of(call) != print_of(changed), tf_coll_is_rooted((enum tf_coll)coll));
        size_t bytes = tf_families[coll].bytes(&call);
        assert_true(tf_choice_fingerprint(&call, bytes, 2) != tf_choice_fingerprint(&call, bytes, 3));
        assert_true(tf_choice_fingerprint(&call, bytes, 1 << 16) != tf_choice_fingerprint(&call, bytes, 2 << 16));
        changed = call;
        changed.recvtype = tf_type_find(MPI_FLOAT);
        if (is_reduction((enum tf_coll)coll) && coll != TF_REDUCE_SCATTER)
            assert_true(print_of(call) != print_of(changed));
    }
}

static int open_alone(void **state)
{
    (void)state;
    return tf_env_init(MPI_THREAD_SINGLE, NULL);
}

static int close_alone(void **state)
{
    (void)state;
    int err = tf_env_finalize();
    return err || tf_comm_pool.live || tf_request_pool.live || tf_type_pool.live ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_alone),
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(a_datatype_comes_back_as_another),
        cmocka_unit_test(what_may_differ_is_not_in_the_fingerprint),
        cmocka_unit_test(what_must_not_differ_is_in_it),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, open_alone, close_alone);
}
