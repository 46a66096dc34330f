/* limits SECONDS CASE:BYTES ... - what this machine can do at best; no MPI.  Prints lines as bench does, operator "-".
 *
 *   handover:N   the one-way hand-over of a cache line from one core to another, as messages go: two processes, each on
 *                its own core and with a line that only it writes, answer each other; half the round trip.  N does not
 *                matter.
 *   bounce:N     the same with one line that both write, a number that they count up in turn: less, since the line
 * comes with the right to write it, but no two directions of messages can share a line. stream:N     b[i] += a[i] on N
 * bytes of doubles each, in one process. direct:N     an allreduce of two processes, each on its own core, that load
 * directly from each other's vectors of N bytes of doubles in shared memory.  Like bench's inputs, the vectors do not
 * change between calls, so small ones stay in both caches. fresh:N      the same, but the result of a call is the input
 * of the next, so every call moves data that the other core has just written, as in a program that computes between its
 * calls.
 *
 * The two cores belong to one package where that can be.
 */
#define _GNU_SOURCE
#include "common.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 256 }; /* far enough apart that no prefetcher brings a neighbour along */

struct counter {
    _Alignas(LINE) atomic_long value;
};

/* What is measured, as one of the processes has it. */
struct limit {
    const char *name;
    void (*call)(struct limit *l, int me, long calls); /* calls so many times as process `me` */
    int one_way;                                       /* a call is two of what is measured */
    struct counter *turn;                              /* shared. bounce: [0]; handover: each writes its own of two */
    struct counter *done;                              /* direct, shared: calls that each of the two has finished */
    double *vectors[2][2];                             /* by process: the input and the result of the first call */
    int fresh;                                         /* the two change places after each call */
    size_t count;                                      /* elements of a vector */
    long started;                                      /* calls this process has made */
};

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static int topology(int cpu, const char *what)
{
    char path[128];
    int value = -1;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
    FILE *f = fopen(path, "r");
    if (f) {
        if (fscanf(f, "%d", &value) != 1)
            value = -1;
        fclose(f);
    }
    return value;
}

/* Finds two processors this process may use: the first, and one on another core, of the same package if possible. */
static int processors(int cpus[2])
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        fail("sched_getaffinity");
    int found = 0, best = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        if (!found++) {
            cpus[0] = cpu;
            continue;
        }
        int package = topology(cpu, "physical_package_id") == topology(cpus[0], "physical_package_id");
        int core = !package || topology(cpu, "core_id") != topology(cpus[0], "core_id") || topology(cpu, "core_id") < 0;
        if (2 * core + package > best) {
            best = 2 * core + package;
            cpus[1] = cpu;
        }
    }
    return found >= 2 ? 0 : -1;
}

static void pin(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one))
        fail("sched_setaffinity");
}

static void *shared_new(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail("mmap");
    return memory;
}

static void wait_until(struct counter *counter, long value)
{
    while (atomic_load_explicit(&counter->value, memory_order_acquire) < value)
        ;
}

static void set(struct counter *counter, long value)
{
    atomic_store_explicit(&counter->value, value, memory_order_release);
}

static void handover(struct limit *l, int me, long calls)
{
    for (; calls > 0; calls--, l->started++) {
        if (me == 1)
            wait_until(&l->turn[0], l->started + 1);
        set(&l->turn[me], l->started + 1);
        if (me == 0)
            wait_until(&l->turn[1], l->started + 1);
    }
}

/* Each call hands the line over twice. */
static void bounce(struct limit *l, int me, long calls)
{
    for (; calls > 0; calls--, l->started++) {
        wait_until(l->turn, 2 * l->started + me);
        set(l->turn, 2 * l->started + me + 1);
    }
    if (me == 0)
        wait_until(l->turn, 2 * l->started);
}

/* The other process stores into the vector that this one reads in this call only after it has seen this call's end. */
static void direct(struct limit *l, int me, long calls)
{
    for (; calls > 0; calls--, l->started++) {
        long i = l->started;
        wait_until(&l->done[1 - me], i);
        int in = l->fresh && i % 2;
        const double *a = l->vectors[0][in], *b = l->vectors[1][in];
        double *restrict c = l->vectors[me][!in];
        for (size_t k = 0; k < l->count; k++)
            c[k] = a[k] + b[k];
        set(&l->done[me], i + 1);
    }
    wait_until(&l->done[1 - me], l->started);
}

__attribute__((noinline)) static void add(double *restrict b, const double *restrict a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        b[i] += a[i];
}

static void stream(struct limit *l, int me, long calls)
{
    (void)me;
    for (; calls > 0; calls--)
        add(l->vectors[0][1], l->vectors[0][0], l->count);
}

/* Starts the other process, which calls for ever; it stays in step since each call waits for this process's. */
static pid_t other_start(struct limit *l, const int cpus[2])
{
    pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pin(cpus[1]);
        l->call(l, 1, LONG_MAX);
        _exit(0);
    }
    pin(cpus[0]);
    return pid;
}

static double block(void *what, long calls)
{
    struct limit *l = what;
    double start = now();
    l->call(l, 0, calls);
    return now() - start;
}

static void time_blocks(struct limit *l, double budget)
{
    double seconds[MOST_BLOCKS];
    long calls;
    int blocks = blocks_time(block, l, budget, seconds, &calls);
    result_print(l->name, "-", l->count * sizeof(double), l->one_way ? 2 * calls : calls, blocks, seconds);
}

static void measure_stream(struct limit *l, double budget)
{
    for (int i = 0; i < 2; i++) {
        l->vectors[0][i] = buffer_new(l->count * sizeof(double), i);
        for (size_t k = 0; k < l->count; k++)
            l->vectors[0][i][k] = 1;
    }
    time_blocks(l, budget);
    for (int i = 0; i < 2; i++)
        buffer_free(l->vectors[0][i], i);
}

/* The inputs of the first call cancel each other, so the sums stay 0 however many calls follow. */
static void vectors_fill(struct limit *l)
{
    for (size_t k = 0; k < l->count; k++) {
        l->vectors[0][0][k] = 1 + (double)k;
        l->vectors[1][0][k] = -1 - (double)k;
        l->vectors[0][1][k] = l->vectors[1][1][k] = 7;
    }
}

static void vectors_verify(const struct limit *l)
{
    for (size_t k = 0; k < l->count; k++)
        if (l->vectors[0][1][k] != 0 || l->vectors[1][1][k] != 0) {
            fprintf(stderr, "limits: element %zu of the direct sum is wrong\n", k);
            exit(1);
        }
}

static void measure_pair(struct limit *l, double budget, const int cpus[2])
{
    size_t bytes = l->count * sizeof(double), apart = (bytes / PAGE + 2) * PAGE;
    struct counter *counters = shared_new(4 * sizeof *counters);
    char *memory = shared_new(4 * apart);
    l->turn = &counters[0];
    l->done = &counters[2];
    for (int i = 0; i < 4; i++)
        l->vectors[i / 2][i % 2] = (double *)(memory + (size_t)i * apart + (i % 2 ? PAGE / 2 : 0));
    vectors_fill(l);
    pid_t other = other_start(l, cpus);
    if (l->call == direct) {
        l->call(l, 0, 1);
        vectors_verify(l);
    }
    time_blocks(l, budget);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    munmap(memory, 4 * apart);
    munmap(counters, 4 * sizeof *counters);
}

static void measure(const char *which, double budget, const int *cpus)
{
    const struct limit limits[] = {
        {.name = "handover", .call = handover, .one_way = 1},
        {.name = "bounce", .call = bounce, .one_way = 1},
        {.name = "direct", .call = direct},
        {.name = "fresh", .call = direct, .fresh = 1},
        {.name = "stream", .call = stream},
    };
    char name[32];
    size_t bytes;
    if (sscanf(which, "%31[^:]:%zu", name, &bytes) == 2)
        for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
            if (strcmp(name, limits[i].name))
                continue;
            struct limit l = limits[i];
            l.count = bytes / sizeof(double);
            if (l.call == stream)
                measure_stream(&l, budget);
            else if (cpus)
                measure_pair(&l, budget, cpus);
            return;
        }
    fprintf(stderr, "limits: %s is not handover, bounce, stream, direct or fresh, a colon and bytes\n", which);
    exit(2);
}

int main(int argc, char **argv)
{
    int cpus[2], two = processors(cpus) == 0;
    for (int i = 2; i < argc; i++)
        measure(argv[i], atof(argv[1]), two ? cpus : NULL);
    return 0;
}
