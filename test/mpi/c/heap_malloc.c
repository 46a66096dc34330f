/* heap_malloc.c - a program whose large blocks of malloc lie in the shared heap, and that knows nothing of it.
 *
 * np: 1 2 3
 * option: -share-heap
 * needs: lib/treefold/libtreefold_malloc.so
 * flags: -pthread
 * only: treefold
 */
#include "in_heap.h"
#include "tool.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

enum { LARGE = 256 << 10, MIB = 1 << 20 };

extern char **environ;

/* ---- before main ---- */

static unsigned char *oldest;

__attribute__((constructor)) static void begin(void)
{
    oldest = malloc(3 * MIB);
    memset(oldest, 7, 3 * MIB);
}

static int count_of(const unsigned char *at, int value, size_t bytes)
{
    int n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += at[i] == value;
    return n;
}

/* ---- the functions ---- */

static void sizes(void)
{
    for (size_t bytes = 0; bytes < (size_t)100 * MIB; bytes = 3 * bytes + 1) {
        unsigned char *at = malloc(bytes), *zeros = calloc(1, bytes);
        bool large = bytes >= LARGE;
        CHECK(at && zeros);
        CHECK_INT((uintptr_t)at % _Alignof(max_align_t), 0);
        CHECK_INT(in_heap(at, bytes), large);
        CHECK_INT(in_heap(zeros, bytes), large);
        CHECK(malloc_usable_size(at) >= bytes && malloc_usable_size(zeros) >= bytes);
        CHECK_INT(count_of(zeros, 0, bytes), (int)bytes);
        memset(at, 0xa5, bytes);
        memset(zeros, 0x5a, malloc_usable_size(zeros));
        free(at);
        free(zeros);
    }
    CHECK_INT(malloc_usable_size(NULL), 0);
    free(NULL);
}

/* What was used before is zeroed, of odd sizes too. */
static void zeros(void)
{
    unsigned char *held[8] = {0};
    uint32_t random = 5;
    for (int i = 0; i < 400; i++) {
        random = random * 1664525u + 1013904223u;
        unsigned char **at = &held[random >> 29];
        size_t bytes = LARGE + (random >> 11) % (6 * MIB), wrong = 0;
        free(*at);
        *at = calloc(bytes, 1);
        CHECK(in_heap(*at, bytes));
        for (size_t k = 0; k < bytes; k++)
            wrong += (*at)[k] != 0;
        CHECK_INT(wrong, 0);
        memset(*at, 0xff, bytes);
    }
    for (int i = 0; i < 8; i++)
        free(held[i]);
}

static void aligned(void)
{
    for (size_t alignment = sizeof(void *); alignment <= 8 * MIB; alignment *= 2)
        for (size_t bytes = 1000; bytes < 4 * MIB; bytes *= 100) {
            void *at[3] = {NULL, memalign(alignment, bytes), aligned_alloc(alignment, bytes / alignment * alignment)};
            CHECK_INT(posix_memalign(&at[0], alignment, bytes), 0);
            for (int i = 0; i < 2; i++) {
                CHECK_INT((uintptr_t)at[i] % alignment, 0);
                CHECK_INT(in_heap(at[i], bytes), bytes >= LARGE);
                memset(at[i], 1, bytes);
            }
            CHECK_INT((uintptr_t)at[2] % alignment, 0);
            for (int i = 0; i < 3; i++)
                free(at[i]);
        }
    void *none = &none;
    CHECK_INT(posix_memalign(&none, 24, MIB), EINVAL);
    CHECK_INT(posix_memalign(&none, 4, MIB), EINVAL);
    CHECK(none == &none);
}

static bool is_counted(const int *at, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += at[i] != (int)(i * 7);
    return wrong == 0;
}

static int *resized(int *at, size_t had, size_t n)
{
    int *now = realloc(at, n * sizeof *at);
    CHECK(now != NULL);
    CHECK(is_counted(now, had < n ? had : n));
    for (size_t i = had; i < n; i++)
        now[i] = (int)(i * 7);
    CHECK_INT(in_heap(now, n * sizeof *now), n * sizeof *now >= LARGE);
    return now;
}

/* Over the border and back, in steps and in leaps. */
static void resizes(void)
{
    static const size_t sizes[] = {100,   200000, 300000, 10, MIB, 3 * MIB, 2 * MIB, 20 * MIB,
                                   65536, 65535,  65537,  1,  50,  8 * MIB, 70000};
    int *at = NULL, *behind = NULL;
    size_t had = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        at = resized(at, had, sizes[i]);
        had = sizes[i];
        free(behind);
        behind = i % 2 ? malloc(MIB) : NULL; /* in the way, now and then */
    }
    free(behind);
    for (size_t n = had; n < 4 * MIB; n += n / 3) {
        at = resized(at, had, n);
        had = n;
    }
    at = reallocarray(at, 2 * MIB, sizeof *at);
    CHECK(is_counted(at, 2 * MIB));
    CHECK(in_heap(at, 2 * MIB * sizeof *at));
    void *(*volatile again)(void *, size_t) = realloc; /* of which the compiler does not know what it refuses */
    void *(*volatile array)(void *, size_t, size_t) = reallocarray;
    CHECK(again(at, (size_t)1 << 62) == NULL);
    CHECK_INT(errno, ENOMEM);
    CHECK(is_counted(at, 2 * MIB));
    CHECK(again(at, 0) == NULL);
    at = malloc(MIB);
    CHECK(array(at, (size_t)1 << 62, 16) == NULL);
    free(at);
}

/* ---- threads ---- */

enum { THREADS = 4, BLOCKS = 16, ROUNDS = 2000 };
static unsigned char *_Atomic shelf[BLOCKS];

/* Each takes what another has put there. */
static void *trade(void *seed)
{
    uint32_t random = (uint32_t)(uintptr_t)seed;
    long wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        random = random * 1664525u + 1013904223u;
        size_t bytes = 1000 + (random >> 12);
        unsigned char *mine = random & 256 ? malloc(bytes) : realloc(malloc(bytes / 3), bytes), mark = (unsigned char)i;
        mine[0] = mine[bytes - 1] = mark;
        memcpy(mine + 1, &bytes, sizeof bytes);
        unsigned char *other = __atomic_exchange_n(&shelf[random >> 28], mine, __ATOMIC_ACQ_REL);
        if (!other)
            continue;
        memcpy(&bytes, other + 1, sizeof bytes);
        wrong += other[0] != other[bytes - 1] || malloc_usable_size(other) < bytes;
        free(other);
    }
    return (void *)wrong;
}

static void threads(void)
{
    pthread_t others[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&others[i], NULL, trade, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        CHECK_INT(pthread_join(others[i], &wrong), 0);
        CHECK(wrong == NULL);
    }
    for (int i = 0; i < BLOCKS; i++)
        free(shelf[i]);
}

/* ---- other processes ---- */

static int status_of(pid_t pid)
{
    int status = -1;
    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    return status;
}

/* The child has its own: what it writes, takes and gives the parent does not see. */
static void child(void)
{
    unsigned char *at = malloc(MIB), *given = malloc(MIB);
    memset(at, 1, MIB);
    pid_t pid = fork();
    if (pid == 0) {
        bool good = count_of(at, 1, MIB) == MIB && in_heap(at, MIB);
        memset(at, 2, MIB);
        free(given);
        unsigned char *more = malloc(2 * MIB), *larger = realloc(at, 3 * MIB);
        good = good && more && larger && !in_heap(more, 1) && !in_heap(larger, 1) && count_of(larger, 2, MIB) == MIB;
        memset(more, 3, 2 * MIB);
        memset(larger, 3, 3 * MIB);
        free(more);
        free(larger);
        _exit(!good);
    }
    CHECK_INT(status_of(pid), 0);
    CHECK_INT(count_of(at, 1, MIB), MIB);
    free(at);
    free(given);
    CHECK_INT(system("exit 3"), 3 << 8);
}

/* This program once more, alone, with a limit. */
static int limited(void)
{
    struct rlimit limit = {4096, 4096};
    char *block = malloc(MIB); /* the oldest one was made before the limit */
    bool good = block && in_heap(block, MIB) && oldest && !setrlimit(RLIMIT_FSIZE, &limit);
    free(block);
    return !good;
}

static int without(void)
{
    char *block = malloc(MIB);
    bool good = block && oldest && !in_heap(block, MIB) && !in_heap(oldest, MIB);
    block = block ? realloc(block, 2 * MIB) : NULL;
    free(block);
    free(oldest);
    return !good || !block;
}

/* Its standard error comes through a pipe. */
static int run_again(char *word, rlim_t file_size, char *said, size_t capacity)
{
    char path[] = "/proc/self/exe", *argv[] = {path, word, NULL};
    struct rlimit limit = {file_size, file_size};
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDERR_FILENO);
        if (file_size == 0 || !setrlimit(RLIMIT_FSIZE, &limit))
            execv(path, argv);
        _exit(99);
    }
    close(ends[1]);
    size_t filled = 0;
    ssize_t n;
    while ((n = read(ends[0], said + filled, capacity - 1 - filled)) > 0)
        filled += (size_t)n;
    said[filled] = '\0';
    close(ends[0]);
    return status_of(pid);
}

static void other_programs(void)
{
    char said[1000];
    CHECK_INT(run_again("limited", 0, said, sizeof said), 0);
    CHECK_STRING(said, "");
    CHECK_INT(run_again("without", 4096, said, sizeof said), 0);
    CHECK(strstr(said, "treefold: there is no memory that processes of the node could share") == said);
    CHECK(strchr(said, '\n') && strchr(said, '\n')[1] == '\0');
    CHECK(WIFSIGNALED(run_again("twice", 0, said, sizeof said)));
    CHECK(strstr(said, "treefold: free(): 0x") == said);
}

static int free_twice(void)
{
    struct rlimit none = {0, 0};
    void *volatile block = malloc(MIB);
    setrlimit(RLIMIT_CORE, &none);
    free(block);
    free(block);
    return 0;
}

/* More than the machine has is the C library's affair. */
static void beyond_the_machine(void)
{
    struct sysinfo machine;
    CHECK_INT(sysinfo(&machine), 0);
    size_t bytes = (size_t)machine.totalram * machine.mem_unit + (size_t)MIB * MIB;
    void *volatile much = malloc(bytes);
    CHECK(!much || !in_heap(much, bytes));
    free(much);
}

/* ---- messages ---- */

static unsigned long long loaded(void)
{
    static MPI_T_pvar_session session;
    static MPI_T_pvar_handle handle;
    unsigned long long value = 0;
    int index = -1, count;
    if (!handle) {
        CHECK_CODE(MPI_T_pvar_get_index("treefold_bytes_loaded", MPI_T_PVAR_CLASS_AGGREGATE, &index), 0);
        CHECK_CODE(MPI_T_pvar_session_create(&session), 0);
        CHECK_CODE(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count), 0);
        CHECK_CODE(MPI_T_pvar_start(session, handle), 0);
    }
    CHECK_CODE(MPI_T_pvar_read(session, handle, &value), 0);
    return value;
}

/* Buffers that are older than MPI_Init, and new ones. */
static void reduce(int n, double *in, double *out)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        in[i] = check_rank + i;
    CHECK_OK(MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        wrong += out[i] != (double)check_size * i + check_size * (check_size - 1) / 2;
    CHECK_INT(wrong, 0);
}

/* Half of the vector at least comes by loads, to all together: what is passed on while it comes goes by rings. */
static void spread(int n, double *data)
{
    unsigned long long before = loaded(), mine, all = 0;
    int wrong = 0;
    for (int i = 0; i < n; i++)
        data[i] = check_rank == 0 ? i : -1;
    CHECK_OK(MPI_Bcast(data, n, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    for (int i = 0; i < n; i++)
        wrong += data[i] != i;
    CHECK_INT(wrong, 0);
    mine = loaded() - before;
    CHECK_OK(MPI_Allreduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
    CHECK_NOTED(check_size == 1 || all >= sizeof(double) * (unsigned)n / 2, "%llu bytes are loaded", all);
}

static void messages(void)
{
    enum { N = 3 * MIB / 2 / sizeof(double) };
    double *one = (double *)oldest, *other = calloc(N, sizeof *other);
    reduce(N, one, one + N);
    reduce(N, one + N, other);
    spread(N, one);
    spread(N, other);
    free(other);
    other = realloc(malloc(1000), N * sizeof *other);
    reduce(N, other, one);
    free(other);
}

/* ---- */

int main(int argc, char **argv)
{
    int provided, tool_level;
    if (argc > 1)
        return strcmp(argv[1], "limited") == 0 ? limited() : strcmp(argv[1], "twice") == 0 ? free_twice() : without();
    unsigned char *before = malloc(LARGE);
    /* Another program with the same environment: everything below is once more right. */
    if (!getenv("HEAP_MALLOC_AGAIN")) {
        setenv("HEAP_MALLOC_AGAIN", "1", 1);
        execv("/proc/self/exe", argv);
    }
    CHECK(in_heap(before, LARGE));
    CHECK(in_heap(oldest, 3 * MIB));
    CHECK_INT(count_of(oldest, 7, 3 * MIB), 3 * MIB);
    check_start(&argc, &argv);
    CHECK_CODE(MPI_T_init_thread(MPI_THREAD_SINGLE, &tool_level), 0);
    (void)provided;
    free(before);
    messages();
    sizes();
    zeros();
    aligned();
    resizes();
    threads();
    child();
    other_programs();
    beyond_the_machine();
    messages();
    CHECK_CODE(MPI_T_finalize(), 0);
    unsigned char *last = malloc(MIB);
    int status = check_end();
    memset(last, 1, MIB);
    last = realloc(last, 2 * MIB);
    bool good = last && in_heap(last, 2 * MIB) && count_of(last, 1, MIB) == MIB;
    free(last);
    free(oldest);
    return status || !good;
}
