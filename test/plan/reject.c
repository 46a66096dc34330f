/* reject.c - plans broken on purpose: the prover must reject each, and say what is wrong with it.
 *
 * Prints a line a plan, with the prover's words, and "N passed, N failed"; exits with 1 if any failed.
 */
#include <stdio.h>

#include "algo/algo.h"
#include "plan/check.h"

#define MAX_SIZE 8

typedef void emit_function(struct tf_plan *plan, int rank, int size);

struct broken {
    const char *what;
    struct tf_contract call;
    emit_function *emit;                           /* writes the plan of one rank, or */
    tf_algo_generate *borrow;                      /* a right generator, used for a call it is not for */
    void (*spoil)(struct tf_plan *plan, int rank); /* after tf_plan_finish(); may be NULL */
    const char *words;                             /* must occur in what the prover says */
};

static const struct tf_ref input = {TF_INPUT, 0, 1}, output = {TF_OUTPUT, 0, 1};

/* ---- reductions to rank 0 ---- */

static void wrong_order(struct tf_plan *plan, int rank, int size)
{
    if (rank != 0) {
        tf_plan_send(plan, 0, input);
        return;
    }
    for (int peer = size - 1; peer > 0; peer--)
        tf_plan_recv_reduce(plan, peer, TF_RIGHT, peer == size - 1 ? input : output, output);
}

static void wrong_side(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    if (rank != 0)
        tf_plan_send(plan, 0, input);
    else
        tf_plan_recv_reduce(plan, 1, TF_LEFT, input, output);
}

static void lost_contribution(struct tf_plan *plan, int rank, int size)
{
    if (rank != 0 && rank != 2)
        tf_plan_send(plan, 0, input);
    for (int peer = 1; rank == 0 && peer < size; peer++)
        if (peer != 2)
            tf_plan_recv_reduce(plan, peer, TF_RIGHT, peer == 1 ? input : output, output);
}

static void double_contribution(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    for (int i = 0; i < 2; i++) {
        if (rank != 0)
            tf_plan_send(plan, 0, input);
        else
            tf_plan_recv_reduce(plan, 1, TF_RIGHT, i == 0 ? input : output, output);
    }
}

static void missing_receive(struct tf_plan *plan, int rank, int size)
{
    if (rank != 0)
        tf_plan_send(plan, 0, input);
    for (int peer = 1; rank == 0 && peer < size - 1; peer++)
        tf_plan_recv_reduce(plan, peer, TF_RIGHT, peer == 1 ? input : output, output);
}

static void missing_send(struct tf_plan *plan, int rank, int size)
{
    if (rank != 0 && rank != size - 1)
        tf_plan_send(plan, 0, input);
    for (int peer = 1; rank == 0 && peer < size; peer++)
        tf_plan_recv_reduce(plan, peer, TF_RIGHT, peer == 1 ? input : output, output);
}

static void linear(struct tf_plan *plan, int rank, int size)
{
    if (rank != 0)
        tf_plan_send(plan, 0, input);
    for (int peer = 1; rank == 0 && peer < size; peer++)
        tf_plan_recv_reduce(plan, peer, TF_RIGHT, peer == 1 ? input : output, output);
}

static void forget_dependencies(struct tf_plan *plan, int rank)
{
    (void)rank;
    for (uint32_t i = 0; i < plan->nsteps; i++)
        plan->steps[i].ndeps = 0;
}

static void stream_everything(struct tf_plan *plan, int rank)
{
    (void)rank;
    for (uint32_t i = 0; i < plan->ndeps; i++)
        plan->deps[i].streamed = 1;
}

static void same_tags(struct tf_plan *plan, int rank)
{
    (void)rank;
    for (uint32_t i = 0; i < plan->nsteps; i++)
        plan->steps[i].tag = 0;
}

static void depend_forward(struct tf_plan *plan, int rank)
{
    (void)rank;
    for (uint32_t i = 0; i < plan->ndeps; i++)
        plan->deps[i].step = plan->nsteps - 1;
}

static void result_at_others(struct tf_plan *plan, int rank, int size)
{
    linear(plan, rank, size);
    if (rank == 1)
        tf_plan_copy(plan, input, output);
}

static void input_written(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    if (rank != 0)
        tf_plan_send(plan, 0, input);
    else
        tf_plan_recv_reduce(plan, 1, TF_RIGHT, input, input);
}

static void nothing_read(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    if (rank != 0)
        tf_plan_send(plan, 0, tf_blocks(tf_plan_temp(plan, 0, 1), 0, 1));
    else
        tf_plan_recv_reduce(plan, 1, TF_RIGHT, input, output);
}

static void nothing_done(struct tf_plan *plan, int rank, int size)
{
    (void)plan, (void)rank, (void)size;
}

static void to_itself(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    tf_plan_send(plan, rank, input);
}

static void other_blocks(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    tf_plan_blocks(plan, 2);
    if (rank != 0)
        tf_plan_send(plan, 0, tf_blocks(TF_INPUT, 0, 2));
    else
        tf_plan_recv_reduce(plan, 1, TF_RIGHT, tf_blocks(TF_INPUT, 0, 1), tf_blocks(TF_OUTPUT, 1, 1));
}

static void mixed_blocks(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    tf_plan_blocks(plan, 2);
    for (int b = 0; b < 2; b++) {
        if (rank != 0)
            tf_plan_send(plan, 0, tf_blocks(TF_INPUT, 1 - b, 1));
        else
            tf_plan_recv_reduce(plan, 1, TF_RIGHT, tf_blocks(TF_INPUT, b, 1), tf_blocks(TF_OUTPUT, b, 1));
    }
}

/* ---- others ---- */

static void overwrites_what_it_sends(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    tf_plan_send(plan, 1 - rank, output);
    tf_plan_recv_reduce(plan, 1 - rank, rank == 0 ? TF_RIGHT : TF_LEFT, output, output);
}

static void receives_first(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    tf_plan_blocks(plan, 2);
    tf_plan_recv(plan, 1 - rank, tf_blocks(TF_OUTPUT, 1 - rank, 1));
    tf_plan_send(plan, 1 - rank, input);
    tf_plan_copy(plan, input, tf_blocks(TF_OUTPUT, rank, 1));
}

static void overwritten(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    tf_plan_blocks(plan, 2);
    tf_plan_send(plan, 1 - rank, input);
    tf_plan_recv(plan, 1 - rank, tf_blocks(TF_OUTPUT, 1 - rank, 1));
    tf_plan_copy(plan, input, tf_blocks(TF_OUTPUT, rank, 1));
    if (rank == 1)
        tf_plan_copy(plan, input, tf_blocks(TF_OUTPUT, 0, 1));
}

static void other_tree(struct tf_plan *plan, int rank, int size)
{
    for (int k = 1; k < size; k++)
        tf_plan_send(plan, (rank + k) % size, input);
    for (int k = 1; k < size; k++)
        tf_plan_recv_reduce(plan, (rank + k) % size, TF_RIGHT, k == 1 ? input : output, output);
}

static void one_round(struct tf_plan *plan, int rank, int size)
{
    tf_plan_send(plan, (rank + 1) % size, TF_NO_REF);
    tf_plan_recv(plan, (rank + size - 1) % size, TF_NO_REF);
}

/* Passes the signal on without waiting for it where the dependency is dropped. */
static void two_rounds(struct tf_plan *plan, int rank, int size)
{
    for (int distance = 1; distance < size; distance *= 2) {
        tf_plan_send(plan, (rank + distance) % size, TF_NO_REF);
        tf_plan_recv(plan, (rank + size - distance) % size, TF_NO_REF);
    }
}

static void overlap_not_said(struct tf_plan *plan, int rank, int size)
{
    tf_plan_blocks(plan, size);
    tf_plan_send(plan, 1 - rank, tf_blocks(TF_INPUT, 1 - rank, 1));
    tf_plan_recv_reduce(plan, 1 - rank, TF_LEFT, tf_blocks(TF_INPUT, rank, 1), output);
}

static void overlap_in_a_step(struct tf_plan *plan, int rank, int size)
{
    tf_plan_alias(plan);
    overlap_not_said(plan, rank, size);
}

static void overlap_overwritten(struct tf_plan *plan, int rank, int size)
{
    int temp = tf_plan_temp(plan, rank, 1);

    tf_plan_blocks(plan, size);
    tf_plan_alias(plan);
    tf_plan_send(plan, 1 - rank, tf_blocks(TF_INPUT, 1 - rank, 1));
    tf_plan_recv_reduce(plan, 1 - rank, TF_LEFT, tf_blocks(TF_INPUT, rank, 1), tf_blocks(temp, 0, 1));
    tf_plan_copy(plan, tf_blocks(temp, 0, 1), output);
    tf_plan_copy(plan, tf_blocks(TF_INPUT, rank, 1), tf_blocks(temp, 0, 1));
}

/* Rank 2 takes rank 3's block on its way to the root. */
static void gatherv_through_another(struct tf_plan *plan, int rank, int size)
{
    struct tf_ref scratch = rank == 2 ? tf_blocks(tf_plan_temp(plan, 3, 1), 0, 1) : TF_NO_REF;

    tf_plan_blocks(plan, size);
    if (rank == 3)
        tf_plan_send(plan, 2, input);
    if (rank == 2)
        tf_plan_recv(plan, 3, scratch);
    if (rank == 1 || rank == 2)
        tf_plan_send(plan, 0, input);
    if (rank == 2)
        tf_plan_send(plan, 0, scratch);
    if (rank == 0) {
        tf_plan_copy(plan, input, output);
        tf_plan_recv(plan, 1, tf_blocks(TF_OUTPUT, 1, 1));
        tf_plan_recv(plan, 2, tf_blocks(TF_OUTPUT, 2, 1));
        tf_plan_recv(plan, 2, tf_blocks(TF_OUTPUT, 3, 1));
    }
}

static void root_overwritten(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    if (rank == 0) {
        tf_plan_send(plan, 1, output);
        tf_plan_recv(plan, 1, output);
    } else {
        tf_plan_recv(plan, 0, output);
        tf_plan_send(plan, 0, output);
    }
}

static void wrong_block(struct tf_plan *plan, int rank, int size)
{
    for (int peer = 0; peer < size; peer++)
        if (peer != rank) {
            tf_plan_send(plan, peer, tf_blocks(TF_INPUT, (peer + 1) % size, 1));
            tf_plan_recv(plan, peer, tf_blocks(TF_OUTPUT, peer, 1));
        }
    tf_plan_copy(plan, tf_blocks(TF_INPUT, rank, 1), tf_blocks(TF_OUTPUT, rank, 1));
}

static void exscan_writes_rank_0(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    if (rank == 0)
        tf_plan_send(plan, 1, input);
    else
        tf_plan_recv(plan, 0, output);
    if (rank == 0)
        tf_plan_copy(plan, input, output);
}

/* ---- intercommunicators: `size` ranks, the first two are the first group ---- */

/* Without regard to the group, as on an intracommunicator. */
/* ---- between neighbors: a ring of two, a graph with two edges from 0 to 1, a grid that ends ---- */

static const int32_t other_of_two[2][2] = {{1, 1}, {0, 0}}, nobody_below[2] = {-1, 1}, nobody_above[2] = {0, -1};
static const struct tf_neighbors ring_of_two[] = {{2, 2, other_of_two[0], other_of_two[0], true},
                                                  {2, 2, other_of_two[1], other_of_two[1], true}};
static const struct tf_neighbors two_edges[] = {{0, 2, NULL, other_of_two[0], false},
                                                {2, 0, other_of_two[1], NULL, false}};
static const struct tf_neighbors line_of_two[] = {{2, 2, nobody_below, nobody_below, true},
                                                  {2, 2, nobody_above, nobody_above, true}};

static void neighbors_not_crossed(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    for (int i = 0; i < 2; i++)
        tf_plan_send(plan, 1 - rank, tf_blocks(TF_INPUT, i, 1));
    for (int i = 0; i < 2; i++)
        tf_plan_recv(plan, 1 - rank, tf_blocks(TF_OUTPUT, i, 1));
}

static void neighbors_out_of_order(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    for (int i = 0; i < 2 && rank == 0; i++)
        tf_plan_send(plan, 1, tf_blocks(TF_INPUT, i, 1));
    for (int i = 1; i >= 0 && rank == 1; i--)
        tf_plan_recv(plan, 0, tf_blocks(TF_OUTPUT, i, 1));
}

static void neighbors_all_written(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    tf_plan_send(plan, 1 - rank, tf_blocks(TF_INPUT, 1 - rank, 1));
    tf_plan_recv(plan, 1 - rank, tf_blocks(TF_OUTPUT, 1 - rank, 1));
    tf_plan_copy(plan, tf_blocks(TF_INPUT, 0, 1), tf_blocks(TF_OUTPUT, rank, 1));
}

static void inter_own_result(struct tf_plan *plan, int rank, int size)
{
    int peer = rank ^ 1;
    (void)size;
    tf_plan_send(plan, peer, input);
    tf_plan_recv_reduce(plan, peer, rank < peer ? TF_RIGHT : TF_LEFT, input, output);
}

/* Rank 1 of each group sends across what has not seen rank 0's. */
static void inter_half(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    tf_plan_send(plan, rank ^ 2, input);
    tf_plan_recv(plan, rank ^ 2, output);
}

/* The vector of a reduce_scatter crosses block by block, but the other group cuts it elsewhere. */
static void inter_block_across(struct tf_plan *plan, int rank, int size)
{
    int temp = tf_plan_temp(plan, 0, 2), peer = rank ^ 1;
    (void)size;
    tf_plan_blocks(plan, 2);
    tf_plan_send(plan, peer, tf_blocks(TF_INPUT, peer % 2, 1));
    tf_plan_recv_reduce(plan, peer, rank < peer ? TF_RIGHT : TF_LEFT, tf_blocks(TF_INPUT, rank % 2, 1),
                        tf_blocks(temp, rank % 2, 1));
    tf_plan_send(plan, rank ^ 2, tf_blocks(temp, rank % 2, 1));
    tf_plan_recv(plan, rank ^ 2, output);
}

/* A group of two signals to each other, and nobody across. */
static void inter_signals_at_home(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    tf_plan_send(plan, rank ^ 1, TF_NO_REF);
    tf_plan_recv(plan, rank ^ 1, TF_NO_REF);
}

static void inter_root_gets(struct tf_plan *plan, int rank, int size)
{
    (void)size;
    tf_plan_blocks(plan, 2);
    if (rank >= 2)
        tf_plan_send(plan, 0, input);
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            tf_plan_recv(plan, 2 + i, tf_blocks(TF_OUTPUT, 1 - i, 1));
}

static const int32_t in_turn[] = {0, 1, 0, 1};

static void domains_in_turn(struct tf_plan *plan, int rank, int size)
{
    tf_algo_allreduce_two_level(plan,
                                &(struct tf_shape){.rank = rank, .size = size, .commutes = true, .domain = in_turn});
}

static void domains_unlike(struct tf_plan *plan, int rank, int size)
{
    tf_algo_allreduce_two_level(
        plan, &(struct tf_shape){.rank = rank, .size = size, .commutes = true, .domain = rank == 1 ? NULL : in_turn});
}

#define REDUCE(p, commutes)                                                                                            \
    {                                                                                                                  \
        TF_REDUCE, p, 0, false, commutes, true, 0, NULL, NULL, NULL                                                    \
    }

static const struct broken cases[] = {
    {"a wrong order", REDUCE(3, false), wrong_order, NULL, NULL, "holds ranks 0,2,1, combined in this order"},
    {"a wrong side", REDUCE(2, false), wrong_side, NULL, NULL, "holds ranks 1,0, combined in this order"},
    {"a lost contribution", REDUCE(4, true), lost_contribution, NULL, NULL,
     "rank 0: block 0 of OUTPUT holds ranks 0-1,3; rank 2's contribution is missing"},
    {"a double contribution", REDUCE(2, true), double_contribution, NULL, NULL, "rank 1's contribution is in it twice"},
    {"a missing receive", REDUCE(3, true), missing_receive, NULL, NULL, "rank 0 has no receive for it"},
    {"a missing send", REDUCE(3, true), missing_send, NULL, NULL, "rank 2 has no send for it"},
    {"a race", REDUCE(3, true), linear, NULL, forget_dependencies,
     "a race: block 0 of OUTPUT is also touched by step 0"},
    {"a stream from what is not sent", REDUCE(3, true), linear, NULL, stream_everything,
     "does not send what that step"},
    {"messages with one tag", REDUCE(2, true), double_contribution, NULL, same_tags,
     "numbered from 0, each number once"},
    {"a dependency on a later step", REDUCE(3, true), linear, NULL, depend_forward, "a step that is not before it"},
    {"a buffer that is not there", REDUCE(2, true), result_at_others, NULL, NULL,
     "OUTPUT has no block 0 here, it has 0"},
    {"an input written", REDUCE(2, true), input_written, NULL, NULL, "INPUT of this rank must not be written"},
    {"nothing in what is read", REDUCE(2, true), nothing_read, NULL, NULL,
     "block 0 of TEMP0 is read, but nothing is in it"},
    {"no result", REDUCE(2, true), nothing_done, NULL, NULL, "block 0 of OUTPUT holds nothing at the end"},
    {"a message to itself", REDUCE(2, true), to_itself, NULL, NULL, "there is no other rank 0 among 2"},
    {"messages of other lengths", REDUCE(2, true), other_blocks, NULL, NULL,
     "it takes 1 blocks, but step 0 of rank 1 sends 2"},
    {"blocks mixed up", REDUCE(2, true), mixed_blocks, NULL, NULL, "it combines block 1 with block 0"},
    {"a deadlock",
     {TF_ALLREDUCE, 2, 0, true, true, true, 0, NULL, NULL, NULL},
     overwrites_what_it_sends,
     NULL,
     NULL,
     "deadlock: rank 0, step"},
    {"a deadlock in order",
     {TF_ALLGATHER, 2, 0, false, true, true, 0, NULL, NULL, NULL},
     receives_first,
     NULL,
     NULL,
     "rank 0, step 0 (recv OUTPUT[1] from rank 1 (message 0)): waits for ever if steps run in order"},
    {"an overwritten buffer",
     {TF_ALLGATHER, 2, 0, false, true, true, 0, NULL, NULL, NULL},
     overwritten,
     NULL,
     NULL,
     "rank 1: block 0 of OUTPUT holds block 1 of rank 1, not block 0"},
    {"another tree on each rank",
     {TF_ALLREDUCE, 3, 0, false, true, true, 0, NULL, NULL, NULL},
     other_tree,
     NULL,
     NULL,
     "bits may differ"},
    {"a barrier of one round",
     {TF_BARRIER, 3, 0, false, true, true, 0, NULL, NULL, NULL},
     one_round,
     NULL,
     NULL,
     "without knowing that rank"},
    {"a barrier whose signals do not wait",
     {TF_BARRIER, 4, 0, false, true, true, 0, NULL, NULL, NULL},
     two_rounds,
     NULL,
     forget_dependencies,
     "without knowing that rank"},
    {"an overlap not said",
     {TF_REDUCE_SCATTER_BLOCK, 2, 0, true, true, true, 0, NULL, NULL, NULL},
     overlap_not_said,
     NULL,
     NULL,
     "INPUT and OUTPUT overlap in place, but the plan does not say so"},
    {"an overlap in a step",
     {TF_REDUCE_SCATTER_BLOCK, 2, 0, true, true, true, 0, NULL, NULL, NULL},
     overlap_in_a_step,
     NULL,
     NULL,
     "INPUT and OUTPUT overlap in this plan"},
    {"an overlapping input overwritten",
     {TF_REDUCE_SCATTER_BLOCK, 2, 0, true, true, true, 0, NULL, NULL, NULL},
     overlap_overwritten,
     NULL,
     NULL,
     "of INPUT is read, but nothing is in it"},
    {"the root of a bcast overwritten",
     {TF_BCAST, 2, 0, false, true, true, 0, NULL, NULL, NULL},
     root_overwritten,
     NULL,
     NULL,
     "OUTPUT of this rank must not be written"},
    {"a wrong block",
     {TF_ALLTOALL, 3, 0, false, true, true, 0, NULL, NULL, NULL},
     wrong_block,
     NULL,
     NULL,
     "not block"},
    {"a size unlike the buffer's",
     {TF_ALLTOALLV, 3, 0, false, true, true, 0, NULL, NULL, NULL},
     wrong_block,
     NULL,
     NULL,
     "whose size is another"},
    {"exscan's rank 0 written",
     {TF_EXSCAN, 2, 0, false, true, true, 0, NULL, NULL, NULL},
     exscan_writes_rank_0,
     NULL,
     NULL,
     "OUTPUT has no block 0 here"},
    {"an operator applied to parts",
     {TF_ALLREDUCE, 4, 0, false, true, false, 0, NULL, NULL, NULL},
     NULL,
     tf_algo_allreduce_rabenseifner,
     NULL,
     "but may not be applied to parts"},
    {"an order that needs commuting",
     {TF_ALLREDUCE, 4, 0, false, false, true, 0, NULL, NULL, NULL},
     NULL,
     tf_algo_allreduce_ring,
     NULL,
     "not in rank order"},
    {"domains in turn where order counts",
     {TF_ALLREDUCE, 4, 0, false, false, true, 0, NULL, NULL, NULL},
     domains_in_turn,
     NULL,
     NULL,
     "holds ranks 0,2,1,3, combined in this order"},
    {"ranks that see other domains",
     {TF_ALLREDUCE, 4, 0, false, true, true, 0, NULL, NULL, NULL},
     domains_unlike,
     NULL,
     NULL,
     "rank 1 has no receive for it"},
    {"blocks that are not adjacent",
     {TF_ALLGATHERV, 4, 0, false, true, true, 0, NULL, NULL, NULL},
     NULL,
     tf_algo_allgather_recursive_doubling,
     NULL,
     "it names 2 blocks of OUTPUT at once"},
    {"sizes that a rank cannot know",
     {TF_GATHERV, 4, 0, false, true, true, 0, NULL, NULL, NULL},
     gatherv_through_another,
     NULL,
     NULL,
     "goes into block 0 of TEMP0, whose size is another"},
    {"a power of two that is none",
     {TF_ALLGATHER, 6, 0, false, true, true, 0, NULL, NULL, NULL},
     NULL,
     tf_algo_allgather_recursive_doubling,
     NULL,
     "OUTPUT has no block 7 here, it has 6"},
    {"the result of the own group",
     {TF_INTER + TF_ALLREDUCE, 4, 0, false, true, true, 2, NULL, NULL, NULL},
     inter_own_result,
     NULL,
     NULL,
     "rank 0: block 0 of OUTPUT holds ranks 0-1; rank 2's contribution is missing"},
    {"half of the other group",
     {TF_INTER + TF_ALLREDUCE, 4, 0, false, true, true, 2, NULL, NULL, NULL},
     inter_half,
     NULL,
     NULL,
     "rank 3's contribution is missing"},
    {"a block for a group that cuts elsewhere",
     {TF_INTER + TF_REDUCE_SCATTER, 4, 0, false, true, true, 2, NULL, NULL, NULL},
     inter_block_across,
     NULL,
     NULL,
     "it must go as a whole"},
    {"a barrier of each group alone",
     {TF_INTER + TF_BARRIER, 4, 0, false, true, true, 2, NULL, NULL, NULL},
     inter_signals_at_home,
     NULL,
     NULL,
     "rank 0 leaves the barrier without knowing that rank 2"},
    {"blocks of the other group mixed up",
     {TF_INTER + TF_GATHER, 4, 0, false, true, true, 2, NULL, NULL, NULL},
     inter_root_gets,
     NULL,
     NULL,
     "block 0 of OUTPUT holds block 1 of rank 3, not block 0"},
    {"a ring of two whose directions are mixed up",
     {TF_NEIGHBOR_ALLTOALL, 2, 0, false, true, true, 0, NULL, ring_of_two, NULL},
     neighbors_not_crossed,
     NULL,
     NULL,
     "block 0 of OUTPUT holds block 0 of rank 1, not block 1"},
    {"two edges that come in the wrong order",
     {TF_NEIGHBOR_ALLTOALL, 2, 0, false, true, true, 0, NULL, two_edges, NULL},
     neighbors_out_of_order,
     NULL,
     NULL,
     "rank 1: block 0 of OUTPUT holds block 1 of rank 0, not block 0"},
    {"two edges of different lengths",
     {TF_NEIGHBOR_ALLTOALLV, 2, 0, false, true, true, 0, NULL, two_edges, NULL},
     neighbors_out_of_order,
     NULL,
     NULL,
     "whose size is another"},
    {"what is for nobody",
     {TF_NEIGHBOR_ALLTOALL, 2, 0, false, true, true, 0, NULL, line_of_two, NULL},
     neighbors_all_written,
     NULL,
     NULL,
     "block 0 of OUTPUT is written, but has to stay as it is"},
    {"an algorithm for one group",
     {TF_INTER + TF_BCAST, 4, 0, false, true, true, 2, NULL, NULL, NULL},
     NULL,
     tf_algo_bcast_binomial,
     NULL,
     "OUTPUT has no block 0 here"},
};

static bool rejected(const struct broken *b)
{
    struct tf_plan *plans[MAX_SIZE];
    char words[4096] = "";

    for (int rank = 0; rank < b->call.size; rank++) {
        struct tf_shape shape = tf_contract_shape(&b->call, rank, 0);
        plans[rank] = tf_plan_create();
        if (b->emit)
            b->emit(plans[rank], rank, b->call.size);
        else
            b->borrow(plans[rank], &shape);
        if (tf_plan_finish(plans[rank]) != MPI_SUCCESS)
            abort();
        if (b->spoil)
            b->spoil(plans[rank], rank);
    }
    bool accepted = tf_plan_check(&b->call, (const struct tf_plan *const *)plans, words, sizeof words);
    bool right = !accepted && strstr(words, b->words);
    if (accepted)
        printf("not ok - %s was not noticed\n", b->what);
    else if (!right)
        printf("not ok - %s was called \"%s\", without \"%s\"\n", b->what, words, b->words);
    else
        printf("ok - %s: %s\n", b->what, words);
    for (int rank = 0; rank < b->call.size; rank++)
        tf_plan_destroy(plans[rank]);
    return right;
}

/* Right, but with other brackets than the one way: ((x0 op x1) op x2) op x3. */
static bool other_brackets_rejected(void)
{
    const struct tf_contract call = {.coll = TF_ALLREDUCE, .size = 4, .commutes = true, .elementwise = true};
    struct tf_plan *plans[4];
    char words[4096] = "";

    for (int rank = 0; rank < 4; rank++) {
        struct tf_shape shape = {.rank = rank, .size = 4, .commutes = true};
        plans[rank] = tf_plan_create();
        tf_algo_allreduce_linear(plans[rank], &shape);
        if (tf_plan_finish(plans[rank]) != MPI_SUCCESS)
            abort();
    }
    const struct tf_plan *const *these = (const struct tf_plan *const *)plans;
    bool right = tf_plan_check(&call, these, words, sizeof words) &&
                 !tf_plan_check_fixed(&call, these, words, sizeof words) && strstr(words, "not bracketed");
    printf("%sok - brackets from the left: %s\n", right ? "" : "not ", words);
    for (int rank = 0; rank < 4; rank++)
        tf_plan_destroy(plans[rank]);
    return right;
}

int main(void)
{
    int passed = 0, failed = 0;

    for (size_t i = 0; i < TF_ARRAY_LEN(cases); i++) {
        if (rejected(&cases[i]))
            passed++;
        else
            failed++;
    }
    if (other_brackets_rejected())
        passed++;
    else
        failed++;
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
