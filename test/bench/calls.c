/* The calls that are measured, one row each in `calls` below, with root 0 where there is a root. */
#include "calls.h"
#include "common.h"

#include <stdint.h>
#include <string.h>

enum { ROOT = 0, TAG = 1, WORDS_OF_A_LINE = 8 };

static void run_allreduce(const struct measured *m)
{
    MPI_Allreduce(m->in, m->out, m->count, m->with.type, m->with.op, m->comm);
}

static void run_reduce(const struct measured *m)
{
    MPI_Reduce(m->in, m->out, m->count, m->with.type, m->with.op, ROOT, m->comm);
}

static void run_scan(const struct measured *m)
{
    MPI_Scan(m->in, m->out, m->count, m->with.type, m->with.op, m->comm);
}

static void run_exscan(const struct measured *m)
{
    MPI_Exscan(m->in, m->out, m->count, m->with.type, m->with.op, m->comm);
}

static void run_reduce_scatter_block(const struct measured *m)
{
    MPI_Reduce_scatter_block(m->in, m->out, m->count, m->with.type, m->with.op, m->comm);
}

static void run_reduce_scatter(const struct measured *m)
{
    MPI_Reduce_scatter(m->in, m->out, m->counts, m->with.type, m->with.op, m->comm);
}

static void run_iallreduce(const struct measured *m)
{
    MPI_Request request;
    MPI_Iallreduce(m->in, m->out, m->count, m->with.type, m->with.op, m->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_reduce_local(const struct measured *m)
{
    MPI_Reduce_local(m->in, m->out, m->count, m->with.type, m->with.op);
}

static void run_bcast(const struct measured *m)
{
    MPI_Bcast(m->rank == ROOT ? m->in : m->out, m->count, m->with.type, ROOT, m->comm);
}

static void run_gather(const struct measured *m)
{
    MPI_Gather(m->in, m->count, m->with.type, m->out, m->count, m->with.type, ROOT, m->comm);
}

static void run_scatter(const struct measured *m)
{
    MPI_Scatter(m->in, m->count, m->with.type, m->out, m->count, m->with.type, ROOT, m->comm);
}

static void run_allgather(const struct measured *m)
{
    MPI_Allgather(m->in, m->count, m->with.type, m->out, m->count, m->with.type, m->comm);
}

static void run_allgatherv(const struct measured *m)
{
    MPI_Allgatherv(m->in, m->count, m->with.type, m->out, m->counts, m->places, m->with.type, m->comm);
}

static void run_alltoall(const struct measured *m)
{
    MPI_Alltoall(m->in, m->count, m->with.type, m->out, m->count, m->with.type, m->comm);
}

/* Rank after rank computes twice as long as the others, which have so many multiplications, some nanosecond each. */
static void compute_in_turn(const struct measured *m, long multiplications)
{
    static int steps;
    volatile double result;
    double x = 1;
    long n = steps++ % m->size == m->rank ? 2 * multiplications : multiplications;
    for (long i = 0; i < n; i++)
        x = x * 1.0000001 + 1e-9;
    result = x;
    (void)result;
}

/* As of a program: all compute, then they meet. */
static void run_step(const struct measured *m)
{
    compute_in_turn(m, 30000);
    run_allreduce(m);
}

/* The same, for longer; then they meet often. */
static void run_phase(const struct measured *m)
{
    compute_in_turn(m, 600000);
    for (int i = 0; i < 20; i++)
        run_allreduce(m);
}

static void run_barrier(const struct measured *m)
{
    MPI_Barrier(m->comm);
}

/* Each of the first ranks, so many, has one of the next. */
static int partner_of(const struct measured *m, int pairs)
{
    return m->rank < pairs ? m->rank + pairs : m->rank < 2 * pairs ? m->rank - pairs : MPI_PROC_NULL;
}

static void round_trips(const struct measured *m, int pairs)
{
    int partner = partner_of(m, pairs);
    if (partner == MPI_PROC_NULL)
        return;
    if (m->rank < partner)
        MPI_Send(m->in, m->count, m->with.type, partner, TAG, m->comm);
    MPI_Recv(m->out, m->count, m->with.type, partner, TAG, m->comm, MPI_STATUS_IGNORE);
    if (m->rank > partner)
        MPI_Send(m->in, m->count, m->with.type, partner, TAG, m->comm);
}

/* The round trip between ranks 0 and 1; the others wait at the end. */
static void run_pingpong(const struct measured *m)
{
    round_trips(m, 1);
}

/* Of each rank of the first half with one of the second, at the same time. */
static void run_pairs(const struct measured *m)
{
    round_trips(m, m->size / 2);
}

static int left_of(const struct measured *m)
{
    return (m->rank + m->size - 1) % m->size;
}

static int right_of(const struct measured *m)
{
    return (m->rank + 1) % m->size;
}

/* A message goes once round the ranks; each tests for it until it is there, and sends on its own. */
static void run_polls(const struct measured *m)
{
    MPI_Request request;
    int there = 0, right = right_of(m);
    MPI_Irecv(m->out, m->count, m->with.type, left_of(m), TAG, m->comm, &request);
    if (m->rank == ROOT)
        MPI_Send(m->in, m->count, m->with.type, right, TAG, m->comm);
    while (!there)
        MPI_Test(&request, &there, MPI_STATUS_IGNORE);
    if (m->rank != ROOT)
        MPI_Send(m->in, m->count, m->with.type, right, TAG, m->comm);
}

/* Each sends to both its neighbours, and takes what completes first. */
static void run_neighbors(const struct measured *m)
{
    int left = left_of(m), right = right_of(m), index;
    MPI_Request requests[4];
    MPI_Irecv(m->out, m->count, m->with.type, left, TAG, m->comm, &requests[0]);
    MPI_Irecv(m->out + (size_t)m->count * m->with.extent, m->count, m->with.type, right, TAG + 1, m->comm,
              &requests[1]);
    MPI_Isend(m->in, m->count, m->with.type, right, TAG, m->comm, &requests[2]);
    MPI_Isend(m->in, m->count, m->with.type, left, TAG + 1, m->comm, &requests[3]);
    for (int i = 0; i < 4; i++)
        MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
}

/* Each of the others sends to the root, who answers as they come. */
static void run_master(const struct measured *m)
{
    MPI_Status status;
    if (m->rank != ROOT) {
        MPI_Send(m->in, m->count, m->with.type, ROOT, TAG, m->comm);
        MPI_Recv(m->out, m->count, m->with.type, ROOT, TAG, m->comm, MPI_STATUS_IGNORE);
        return;
    }
    for (int i = 1; i < m->size; i++) {
        MPI_Recv(m->out, m->count, m->with.type, MPI_ANY_SOURCE, TAG, m->comm, &status);
        MPI_Send(m->in, m->count, m->with.type, status.MPI_SOURCE, TAG, m->comm);
    }
}

static void from_all(const struct measured *m, long i, int *first, int *last, long *index)
{
    *first = 0, *last = m->size - 1, *index = i;
}

static void from_all_at_root(const struct measured *m, long i, int *first, int *last, long *index)
{
    *first = 0, *last = m->rank == ROOT ? m->size - 1 : -1, *index = i;
}

static void from_all_my_block(const struct measured *m, long i, int *first, int *last, long *index)
{
    *first = 0, *last = m->size - 1, *index = (long)m->places[m->rank] + i;
}

static void from_below(const struct measured *m, long i, int *first, int *last, long *index)
{
    *first = 0, *last = m->rank - 1, *index = i;
}

static void from_up_to_me(const struct measured *m, long i, int *first, int *last, long *index)
{
    *first = 0, *last = m->rank, *index = i;
}

/* measured_start puts what rank + 1 would contribute in the result beforehand. */
static void from_me_and_next(const struct measured *m, long i, int *first, int *last, long *index)
{
    *first = m->rank, *last = m->rank + 1, *index = i;
}

static void from_root(const struct measured *m, long i, int *first, int *last, long *index)
{
    *first = ROOT, *last = m->rank == ROOT ? -1 : ROOT, *index = i;
}

static void from_root_my_block(const struct measured *m, long i, int *first, int *last, long *index)
{
    *first = *last = ROOT, *index = (long)m->rank * m->count + i;
}

static void from_each(const struct measured *m, long i, int *first, int *last, long *index)
{
    *first = *last = (int)(i / m->count), *index = i % m->count;
}

static void from_each_at_root(const struct measured *m, long i, int *first, int *last, long *index)
{
    from_each(m, i, first, last, index);
    if (m->rank != ROOT)
        *last = *first - 1;
}

static void from_each_my_block(const struct measured *m, long i, int *first, int *last, long *index)
{
    *first = *last = (int)(i / m->count), *index = (long)m->rank * m->count + i % m->count;
}

static void from(int partner, long i, int *first, int *last, long *index)
{
    *first = *last = partner, *index = i;
    if (partner == MPI_PROC_NULL)
        *last = *first - 1;
}

static void from_partner(const struct measured *m, long i, int *first, int *last, long *index)
{
    from(partner_of(m, 1), i, first, last, index);
}

static void from_pair(const struct measured *m, long i, int *first, int *last, long *index)
{
    from(partner_of(m, m->size / 2), i, first, last, index);
}

static void from_left(const struct measured *m, long i, int *first, int *last, long *index)
{
    from(left_of(m), i, first, last, index);
}

static void from_neighbors(const struct measured *m, long i, int *first, int *last, long *index)
{
    long block = i / m->count;
    from(block == 0 ? left_of(m) : block == 1 ? right_of(m) : MPI_PROC_NULL, i % m->count, first, last, index);
}

static const struct call calls[] = {
    {"allreduce", 1, ONE, ONE, run_allreduce, from_all},
    {"reduce", 1, ONE, ONE, run_reduce, from_all_at_root},
    {"scan", 1, ONE, ONE, run_scan, from_up_to_me},
    {"exscan", 1, ONE, ONE, run_exscan, from_below},
    {"reduce_scatter_block", 1, EACH, ONE, run_reduce_scatter_block, from_all_my_block},
    {"reduce_scatter", 1, EACH, MINE, run_reduce_scatter, from_all_my_block},
    {"iallreduce", 1, ONE, ONE, run_iallreduce, from_all},
    {"reduce_local", 1, ONE, ONE, run_reduce_local, from_me_and_next},
    {"bcast", 1, ONE, ONE, run_bcast, from_root},
    {"gather", 1, ONE, EACH, run_gather, from_each_at_root},
    {"scatter", 1, EACH, ONE, run_scatter, from_root_my_block},
    {"allgather", 1, ONE, EACH, run_allgather, from_each},
    {"allgatherv", 1, ONE, EACH, run_allgatherv, from_each},
    {"alltoall", 1, EACH, EACH, run_alltoall, from_each_my_block},
    {"step", 1, ONE, ONE, run_step, from_all},
    {"phase", 1, ONE, ONE, run_phase, from_all},
    {"barrier", 1, NONE, NONE, run_barrier, NULL},
    {"pingpong", 2, ONE, ONE, run_pingpong, from_partner},
    {"pairs", 2, ONE, ONE, run_pairs, from_pair},
    {"polls", 2, ONE, ONE, run_polls, from_left},
    {"neighbors", 2, ONE, EACH, run_neighbors, from_neighbors},
    {"master", 2, ONE, ONE, run_master, from_root},
};

const struct call *call_find(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (!strcmp(calls[i].name, name))
            return &calls[i];
    return NULL;
}

static long elements(const struct measured *m, enum blocks blocks)
{
    return blocks == NONE   ? 0
           : blocks == ONE  ? m->count
           : blocks == MINE ? m->counts[m->rank]
                            : (long)m->count * m->size;
}

/* Where blocks are unequal the second of two neighbours gets half a block, and the first what that leaves of two. */
static int share(const struct measured *m, int rank)
{
    if (m->call->out != MINE || (rank | 1) >= m->size)
        return m->count;
    return rank % 2 ? m->count / 2 : 2 * m->count - m->count / 2;
}

/* A buffer as buffer_new() gives it, or, with BENCH_ALLOC_MEM in the environment, of MPI_Alloc_mem. */
static char *room_new(size_t bytes, int second)
{
    MPI_Info info;
    char *memory;
    if (!getenv("BENCH_ALLOC_MEM"))
        return buffer_new(bytes, second);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096");
    MPI_Alloc_mem((MPI_Aint)(bytes + PAGE), info, &memory);
    MPI_Info_free(&info);
    return memory + (second ? PAGE / 2 : 0);
}

static void room_free(char *room, int second)
{
    if (getenv("BENCH_ALLOC_MEM"))
        MPI_Free_mem(room - (second ? PAGE / 2 : 0));
    else
        buffer_free(room, second);
}

void measured_start(struct measured *m)
{
    size_t extent = m->with.extent;
    m->counts = malloc(2 * (size_t)m->size * sizeof *m->counts);
    if (!m->counts) {
        fprintf(stderr, "no memory for %d counts\n", m->size);
        exit(1);
    }
    m->places = m->counts + m->size;
    for (int i = 0, place = 0; i < m->size; i++) {
        m->counts[i] = share(m, i);
        m->places[i] = place;
        place += m->counts[i];
    }
    long in = elements(m, m->call->in), out = elements(m, m->call->out);
    m->in = room_new((size_t)in * extent, 0);
    m->out = room_new((size_t)out * extent, 1);
    for (long i = 0; i < in; i++)
        m->with.element(m->in + (size_t)i * extent, m->rank, i);
    if (m->call->source == from_me_and_next)
        for (long i = 0; i < out; i++)
            m->with.element(m->out + (size_t)i * extent, m->rank + 1, i);
    else
        memset(m->out, 0, (size_t)out * extent);
}

static int reads_at_root_only(const struct call *call)
{
    return call->source == from_root || call->source == from_root_my_block;
}

void measured_write(const struct measured *m)
{
    long words = elements(m, m->call->in) * (long)m->with.extent / (long)sizeof(uint64_t);
    volatile uint64_t *in = (volatile uint64_t *)m->in;
    if (m->rank != ROOT && reads_at_root_only(m->call))
        return;
    for (long i = 0; i < words; i += WORDS_OF_A_LINE)
        in[i] = in[i];
}

void measured_end(struct measured *m)
{
    room_free(m->in, 0);
    room_free(m->out, 1);
    free(m->counts);
}

long measured_verify(const struct measured *m)
{
    size_t extent = m->with.extent;
    long wrong = 0;
    m->call->run(m);
    for (long i = 0; i < elements(m, m->call->out); i++) {
        long double expected[2], next[2]; /* room for an element */
        int first, last;
        long index;
        m->call->source(m, i, &first, &last, &index);
        if (first > last)
            continue;
        m->with.element(expected, first, index);
        for (int rank = first + 1; rank <= last; rank++) {
            m->with.element(next, rank, index);
            m->with.combine(expected, next);
        }
        const char *got = m->out + (size_t)i * extent;
        const struct reduction *with = &m->with;
        wrong += memcmp(expected, got, with->data) ||
                 memcmp((char *)expected + with->place, got + with->place, with->end - with->place);
    }
    return wrong;
}
