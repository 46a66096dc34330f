/* test_resolve.c - every reference of every algorithm's plan, bound to the buffers of a call, beside an interpreter
 * that knows nothing but the table in plan/collective.h: the address, the length, and that a run of blocks is
 * contiguous.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "coll/family.h"
#include "type/construct.h"

enum { MOST_RANKS = 9, MOST_COUNT = 40 };

static uint32_t rng = 3;
static int draw(int below)
{
    rng = rng * 1664525 + 1013904223;
    return (int)((uint64_t)(rng >> 8) * (uint32_t)below >> 24);
}

/* ---- a call, as a rank makes it ---- */

static struct tf_comm comm;
static struct tf_call call;
static struct tf_type *type;
static int counts[MOST_RANKS], send_displs[MOST_RANKS], recv_displs[MOST_RANKS];
static MPI_Datatype handles[MOST_RANKS];
static char sendbuf[1 << 20], recvbuf[1 << 20];

static bool is_v(enum tf_coll coll)
{
    return coll == TF_GATHERV || coll == TF_SCATTERV || coll == TF_ALLGATHERV || coll == TF_ALLTOALLV ||
           coll == TF_ALLTOALLW;
}
static bool is_vector(enum tf_coll coll)
{
    return coll == TF_REDUCE || coll == TF_ALLREDUCE || coll == TF_SCAN || coll == TF_EXSCAN;
}
static bool is_scattering(enum tf_coll coll)
{
    return coll == TF_REDUCE_SCATTER || coll == TF_REDUCE_SCATTER_BLOCK;
}
static bool is_gather(enum tf_coll coll)
{
    return coll == TF_GATHER || coll == TF_GATHERV;
}
static bool is_scatter(enum tf_coll coll)
{
    return coll == TF_SCATTER || coll == TF_SCATTERV;
}

/* Counts and displacements with gaps, in an order of their own. */
static void draw_counts(int p)
{
    int at = 0, at_back = 0;
    for (int i = 0; i < p; i++) {
        counts[i] = draw(3) ? draw(MOST_COUNT) : 0;
        recv_displs[i] = at;
        at += counts[i] + draw(3);
    }
    for (int i = p - 1; i >= 0; i--) {
        send_displs[i] = at_back;
        at_back += counts[i] + draw(2);
    }
}

static void make_call(enum tf_coll coll, int rank, int p, int root, bool inplace)
{
    struct tf_counts c = {counts, false}, sd = {send_displs, false}, rd = {recv_displs, false};
    MPI_Count n = draw(4) ? draw(MOST_COUNT) : 0;
    comm = (struct tf_comm){.rank = rank, .size = p, .npeers = p, .joint = &comm};
    call = (struct tf_call){.coll = coll,
                            .root = root,
                            .comm = &comm,
                            .sendbuf = sendbuf,
                            .recvbuf = recvbuf,
                            .sendcount = n,
                            .recvcount = n,
                            .sendtype = type,
                            .recvtype = type};
    if (is_vector(coll) || is_scattering(coll))
        call.op = tf_op_find(MPI_SUM);
    if (is_v(coll)) {
        call.sendcount = call.recvcount = counts[rank];
        call.sendcounts = call.recvcounts = c;
        call.sdispls = sd;
        call.rdispls = rd;
    }
    if (coll == TF_REDUCE_SCATTER)
        call.recvcounts = c;
    if (coll == TF_ALLTOALLW) {
        call.sendtype = call.recvtype = NULL;
        call.sendtypes = call.recvtypes = handles;
    }
    /* What is not significant does not exist. */
    if (is_gather(coll) && rank != root)
        call.recvtype = NULL, call.recvbuf = NULL, call.recvcount = 0;
    if (is_scatter(coll) && rank != root)
        call.sendtype = NULL, call.sendbuf = NULL, call.sendcount = 0;
    if (inplace && is_scatter(coll))
        call.recvbuf = MPI_IN_PLACE, call.recvtype = NULL;
    else if (inplace)
        call.sendbuf = MPI_IN_PLACE, call.sendtype = is_vector(coll) || is_scattering(coll) ? type : NULL;
}

/* ---- the interpreter ---- */

struct place {
    char *at;
    MPI_Count elements;
    size_t bytes;
};

/* The next block after `elements` elements at `base`, each `stride` from the last. */
static struct place at_element(char *base, MPI_Count before, MPI_Count elements, size_t stride, size_t unit)
{
    return (struct place){base + (size_t)before * stride, elements, (size_t)elements * unit};
}

static MPI_Count in_block(const struct tf_plan *plan, int b)
{
    MPI_Count n = plan->nblocks, c = call.recvtype ? call.recvcount : call.sendcount;
    if (call.coll == TF_BCAST)
        c *= type->size;
    if (is_vector(call.coll) || call.coll == TF_BCAST)
        return (b + 1) * c / n - b * c / n;
    if (call.coll == TF_ALLTOALLW)
        return counts[b] * type->size;
    return is_v(call.coll) || call.coll == TF_REDUCE_SCATTER ? counts[b] : c;
}

static MPI_Count before_block(const struct tf_plan *plan, int first, int b)
{
    MPI_Count sum = 0;
    for (int i = 0; i < b; i++)
        sum += in_block(plan, (first + i) % plan->nblocks);
    return sum;
}

static struct place place_of_temp(const struct tf_run *run, int buffer, int b)
{
    const struct tf_temp *temp = &run->plan->temps[buffer - TF_TEMP0];
    size_t unit = call.coll == TF_ALLTOALLW ? 1 : (size_t)type->size;
    assert_in_range(b, 0, temp->nblocks - 1);
    if (temp->alike) {
        MPI_Count each = in_block(run->plan, temp->first);
        return at_element(run->bound[buffer].base, b * each, each, unit, unit);
    }
    return at_element(run->bound[buffer].base, before_block(run->plan, temp->first, b),
                      in_block(run->plan, (temp->first + b) % run->plan->nblocks), unit, unit);
}

static struct place place_of(const struct tf_run *run, int buffer, int b)
{
    const struct tf_plan *plan = run->plan;
    enum tf_coll coll = call.coll;
    size_t extent = (size_t)type->extent, size = (size_t)type->size;
    if (buffer >= TF_TEMP0)
        return place_of_temp(run, buffer, b);
    bool in = buffer == TF_INPUT;
    assert_false(in && call.sendbuf == MPI_IN_PLACE && !is_scattering(coll));
    char *base = in && call.sendbuf != MPI_IN_PLACE ? (char *)call.sendbuf : call.recvbuf;
    assert_non_null(base);
    if (is_scattering(coll) && !in) {
        assert_int_equal(b, 0);
        return at_element(base, 0, in_block(plan, comm.rank), extent, size);
    }
    if (coll == TF_BCAST)
        return at_element(base, before_block(plan, 0, b), in_block(plan, b), 1, 1);
    bool one = in ? is_gather(coll) || coll == TF_ALLGATHER || coll == TF_ALLGATHERV : is_scatter(coll);
    if (one) {
        assert_int_equal(b, 0);
        return at_element(base, 0, in ? call.sendcount : call.recvcount, extent, size);
    }
    if (!is_v(coll))
        return at_element(base, before_block(plan, 0, b), in_block(plan, b), extent, size);
    MPI_Count at = in ? send_displs[b] : recv_displs[b];
    return at_element(base, at, counts[b], coll == TF_ALLTOALLW ? 1 : extent, size);
}

static void check_ref(const struct tf_run *run, const struct tf_algo *algo, struct tf_ref ref)
{
    size_t bytes = 0;
    if (ref.buffer < 0 || ref.count == 0)
        return;
    struct tf_span span = tf_run_resolve(run, ref);
    struct place first = place_of(run, ref.buffer, ref.first), last = first;
    for (int k = 0; k < ref.count; k++) {
        struct place next = place_of(run, ref.buffer, ref.first + k);
        size_t stride = ref.buffer < TF_TEMP0 && call.coll != TF_BCAST ? (size_t)type->extent : (size_t)type->size;
        if (k > 0 && next.bytes && next.at != last.at + (size_t)last.elements * (call.coll == TF_BCAST ? 1 : stride))
            fail_msg("%s %s: %d blocks from %d of buffer %d are not contiguous", tf_coll_name(algo->coll), algo->name,
                     ref.count, ref.first, ref.buffer);
        last = next;
        bytes += next.bytes;
    }
    if (span.bytes != bytes || (bytes && span.buf + (span.type ? span.position : 0) != first.at))
        fail_msg("%s %s, %d ranks: %d blocks from %d of buffer %d are %zu bytes at %td, wanted %zu at %td",
                 tf_coll_name(algo->coll), algo->name, comm.size, ref.count, ref.first, ref.buffer, span.bytes,
                 span.buf - recvbuf, bytes, first.at - recvbuf);
}

/* Scratch buffers lie in the run's scratch and do not overlap. */
static void check_temps(const struct tf_run *run)
{
    char *end = run->room->scratch;
    for (int i = 0; i < run->plan->ntemps; i++) {
        const struct tf_temp *temp = &run->plan->temps[i];
        struct place last = place_of_temp(run, TF_TEMP0 + i, temp->nblocks - 1);
        if (last.at + last.bytes == run->bound[TF_TEMP0 + i].base)
            continue;
        assert_true(run->bound[TF_TEMP0 + i].base >= end);
        end = last.at + last.bytes;
        assert_true(end <= (char *)run->room->scratch + run->room->scratch_cap);
    }
}

static void check_call(struct tf_run *run, const struct tf_algo *algo, int rank, int p, int root, bool inplace)
{
    struct tf_shape shape = {.rank = rank, .size = p, .root = root, .inplace = inplace, .commutes = true};
    struct tf_plan *plan = tf_plan_create();
    algo->generate(plan, &shape);
    assert_int_equal(tf_plan_finish(plan), MPI_SUCCESS);
    for (int round = 0; round < 2; round++) {
        draw_counts(p);
        make_call(algo->coll, rank, p, root, inplace);
        run->plan = plan;
        run->comm = &comm;
        run->plain = false;
        struct tf_type *types[2 * MOST_RANKS];
        for (int i = 0; i < 2 * p; i++)
            types[i] = type;
        run->types = types;
        run->received_types = types + p;
        run->types_kept = true;
        assert_int_equal(tf_families[algo->coll].bind(run, &call), MPI_SUCCESS);
        check_temps(run);
        for (uint32_t s = 0; s < plan->nsteps; s++) {
            check_ref(run, algo, plan->steps[s].src);
            check_ref(run, algo, plan->steps[s].dst);
        }
    }
    run->types = NULL;
    tf_plan_destroy(plan);
}

static bool has_root(enum tf_coll coll)
{
    return coll == TF_BCAST || coll == TF_REDUCE || is_gather(coll) || is_scatter(coll);
}

static void check_algorithm(const struct tf_algo *algo)
{
    struct tf_room room = {0};
    struct tf_run run = {.room = &room};
    bool has_inplace = algo->coll != TF_BARRIER && algo->coll != TF_BCAST;
    for (int p = 1; p <= MOST_RANKS; p++) {
        if (!tf_algo_fits(algo, p, true, true))
            continue;
        for (int root = 0; root < (has_root(algo->coll) ? p : 1); root++)
            for (int rank = 0; rank < p; rank++)
                for (int inplace = 0; inplace <= has_inplace; inplace++)
                    if (!inplace || !has_root(algo->coll) || rank == root)
                        check_call(&run, algo, rank, p, root, inplace);
    }
    tf_run_clear(&run);
    tf_room_clear(&room);
}

static void plain_elements(void **state)
{
    (void)state;
    type = tf_type_find(MPI_INT);
    for (int i = 0; i < MOST_RANKS; i++)
        handles[i] = MPI_INT;
    for (int i = 0; i < tf_algo_count; i++)
        if (!tf_coll_is_inter(tf_algos[i].coll) && !tf_coll_is_neighbor(tf_algos[i].coll))
            check_algorithm(&tf_algos[i]);
}

/* Data of a type with gaps stays where it lies; scratch holds it packed. */
static void elements_with_gaps(void **state)
{
    MPI_Datatype vector;
    (void)state;
    assert_int_equal(tf_type_vector(2, 1, 2, tf_type_find(MPI_INT), &vector, false), MPI_SUCCESS);
    type = tf_type_find(vector);
    tf_type_commit(type);
    for (int i = 0; i < MOST_RANKS; i++)
        handles[i] = vector;
    for (int i = 0; i < tf_algo_count; i++)
        if (!tf_coll_is_inter(tf_algos[i].coll) && !tf_coll_is_neighbor(tf_algos[i].coll) &&
            !is_vector(tf_algos[i].coll) && !is_scattering(tf_algos[i].coll) && tf_algos[i].coll != TF_BCAST)
            check_algorithm(&tf_algos[i]);
    tf_type_free(type);
}

/* The vector of a broadcast is cut by bytes even where its type has gaps. */
static void bytes_of_a_broadcast(void **state)
{
    enum { COUNT = 5, BLOCKS = 3 };
    MPI_Datatype vector;
    struct tf_plan plan = {.nblocks = BLOCKS};
    struct tf_run run = {.plan = &plan};
    char packed[COUNT * 8], together[COUNT * 8];
    (void)state;
    assert_int_equal(tf_type_vector(2, 1, 2, tf_type_find(MPI_INT), &vector, false), MPI_SUCCESS);
    type = tf_type_find(vector);
    tf_type_commit(type);
    for (int i = 0; i < 1000; i++)
        recvbuf[i] = (char)i;
    tf_type_pack(type, recvbuf, COUNT, 0, packed, sizeof packed);
    call = (struct tf_call){.coll = TF_BCAST, .comm = &comm, .recvbuf = recvbuf, .recvcount = COUNT, .recvtype = type};
    assert_int_equal(tf_coll_bind_bcast(&run, &call), MPI_SUCCESS);
    size_t at = 0;
    for (int b = 0; b < BLOCKS; b++) {
        struct tf_span span = tf_run_resolve(&run, tf_blocks(TF_OUTPUT, b, 1));
        assert_int_equal(span.bytes, (b + 1) * COUNT * 8 / BLOCKS - b * COUNT * 8 / BLOCKS);
        tf_span_read(&span, 0, together + at, span.bytes);
        at += span.bytes;
    }
    assert_int_equal(at, sizeof packed);
    assert_memory_equal(together, packed, sizeof packed);
    tf_type_free(type);
}

/* A vector larger than an int can count is cut right. */
static void large_counts(void **state)
{
    struct tf_plan plan = {.nblocks = 7};
    struct tf_run run = {.plan = &plan};
    const MPI_Count count = ((MPI_Count)1 << 40) + 5;
    MPI_Count sum = 0;
    (void)state;
    run.bound[TF_INPUT] = (struct tf_bound){.stride = 8, .unit = 8, .layout = TF_EVEN, .count = count};
    for (int b = 0; b < 7; b++) {
        struct tf_span span = tf_run_resolve(&run, tf_blocks(TF_INPUT, b, 1));
        assert_true((uintptr_t)span.buf == (uintptr_t)sum * 8);
        sum += (MPI_Count)(span.bytes / 8);
    }
    assert_true(sum == count);
    struct tf_span whole = tf_run_resolve(&run, tf_blocks(TF_INPUT, 0, 7));
    assert_true(whole.bytes == (size_t)count * 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_elements),
        cmocka_unit_test(elements_with_gaps),
        cmocka_unit_test(bytes_of_a_broadcast),
        cmocka_unit_test(large_counts),
    };
    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
