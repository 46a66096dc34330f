/* check.h - what the launched tests share: checks that count, tell, and decide the exit status.
 *
 * A check that fails prints one line (rank, place, expression, values) and counts; check_end() adds the counts of all
 * ranks, finalizes, and returns the exit status.  A program that made no check at all fails too, so that a test that
 * stopped testing is noticed.  Checks may be made by several threads.
 */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef TREEFOLD
#include <errno.h>
#include <sys/syscall.h>

#include "../../filter.h"
#endif

#define CHECK(cond) check_that((cond) ? 1 : 0, __FILE__, __LINE__, #cond)
#define CHECK_INT(got, want) check_int((long long)(got), (long long)(want), __FILE__, __LINE__, #got)
#define CHECK_DOUBLE(got, want) check_double((got), (want), __FILE__, __LINE__, #got)
#define CHECK_STRING(got, want) check_string((got), (want), __FILE__, __LINE__, #got)
#define CHECK_BYTES(got, want, len) check_bytes((got), (want), (len), __FILE__, __LINE__, #got)
#define CHECK_OK(call) check_class((call), MPI_SUCCESS, __FILE__, __LINE__, #call)
#define CHECK_CLASS(call, errclass) check_class((call), (errclass), __FILE__, __LINE__, #call)
/* For values in a loop: `note` (printf words) says which. */
#define CHECK_NOTED(cond, ...)                                                                                         \
    do {                                                                                                               \
        char check_note[200] = "";                                                                                     \
        bool check_holds = (cond);                                                                                     \
        if (!check_holds)                                                                                              \
            snprintf(check_note, sizeof check_note, __VA_ARGS__);                                                      \
        check_noted(check_holds, __FILE__, __LINE__, #cond, check_note);                                               \
    } while (0)
#define CHECK_PATIENCE 10 /* failures printed by each rank */
/* Long loops are shorter by this where a sanitizer makes everything several times slower. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CHECK_SLOW = 4 };
#else
enum { CHECK_SLOW = 1 };
#endif

/* libfabric 1.17 looks twice through all symbols of the kernel when it is opened, for one that has to do with GPUs,
 * which takes each process a tenth of a second or two.  It finds this function before that of the C library, whose
 * other name is fopen64, and no symbols. */
#if defined(TREEFOLD) && defined(__GLIBC__)
FILE *fopen64(const char *path, const char *mode);
__attribute__((weak)) FILE *fopen(const char *path, const char *mode)
{
    return fopen64(strcmp(path, "/proc/kallsyms") == 0 ? "/dev/null" : path, mode);
}
#endif

static int check_rank, check_size;
static long long check_count, check_failures;

static inline bool check_report(bool holds)
{
    __atomic_fetch_add(&check_count, 1, __ATOMIC_RELAXED);
    return !holds && __atomic_fetch_add(&check_failures, 1, __ATOMIC_RELAXED) < CHECK_PATIENCE;
}

static inline bool check_that(bool holds, const char *file, int line, const char *what)
{
    if (check_report(holds))
        printf("rank %d of %d, %s:%d: not so: %s\n", check_rank, check_size, file, line, what);
    return holds;
}

static inline bool check_noted(bool holds, const char *file, int line, const char *what, const char *note)
{
    if (check_report(holds))
        printf("rank %d of %d, %s:%d: not so: %s (%s)\n", check_rank, check_size, file, line, what, note);
    return holds;
}

static inline bool check_int(long long got, long long want, const char *file, int line, const char *what)
{
    if (check_report(got == want))
        printf("rank %d of %d, %s:%d: %s is %lld, not %lld\n", check_rank, check_size, file, line, what, got, want);
    return got == want;
}

static inline bool check_double(double got, double want, const char *file, int line, const char *what)
{
    if (check_report(got == want))
        printf("rank %d of %d, %s:%d: %s is %.17g, not %.17g\n", check_rank, check_size, file, line, what, got, want);
    return got == want;
}

static inline bool check_string(const char *got, const char *want, const char *file, int line, const char *what)
{
    bool same = strcmp(got, want) == 0;
    if (check_report(same))
        printf("rank %d of %d, %s:%d: %s is \"%s\", not \"%s\"\n", check_rank, check_size, file, line, what, got, want);
    return same;
}

static inline bool check_bytes(const void *got, const void *want, size_t len, const char *file, int line,
                               const char *what)
{
    const unsigned char *g = (const unsigned char *)got, *w = (const unsigned char *)want;
    size_t i = len > 0 && memcmp(g, w, len) == 0 ? len : 0;
    while (i < len && g[i] == w[i])
        i++;
    if (check_report(i == len))
        printf("rank %d of %d, %s:%d: %s differs at byte %zu of %zu: 0x%02x, not 0x%02x\n", check_rank, check_size,
               file, line, what, i, len, g[i], w[i]);
    return i == len;
}

static inline bool check_class(int code, int want, const char *file, int line, const char *what)
{
    int got = MPI_SUCCESS, len;
    char text[MPI_MAX_ERROR_STRING] = "";
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &got);
    if (code != MPI_SUCCESS && (MPI_Error_string(code, text, &len) != MPI_SUCCESS || len <= 0 || !text[0]))
        snprintf(text, sizeof text, "(no error string)");
    if (check_report(got == want))
        printf("rank %d of %d, %s:%d: %s gives class %d, not %d: %s\n", check_rank, check_size, file, line, what, got,
               want, text);
    return got == want;
}

/* MPI_Init with errors returned, so that a failing call is a failed check and not the end of the program. */
/* CHECK_FORBID, a variable of the environment: the system refuses processes each other's memory, as some containers do.
 */
static inline void check_forbid(void)
{
#ifdef TREEFOLD
    if (getenv("CHECK_FORBID") && !filter_calls(SYS_process_vm_readv, SYS_process_vm_writev, EPERM)) {
        printf("skipped: the system does not filter calls (seccomp)\n");
        exit(0);
    }
#endif
}

static inline void check_start(int *argc, char ***argv)
{
    check_forbid();
    MPI_Init(argc, argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

/* Objects that there are after MPI_Finalize: all have to be gone, but for those that the library keeps (session.h). */
static unsigned check_kept;

static inline unsigned long long check_left(void)
{
    unsigned long long left = 0;
#ifdef TREEFOLD
    int level, index, count;
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &level) ||
        MPI_T_pvar_get_index("treefold_objects", MPI_T_PVAR_CLASS_LEVEL, &index) ||
        MPI_T_pvar_session_create(&session) || MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) ||
        MPI_T_pvar_read(session, handle, &left))
        left = 1;
    MPI_T_pvar_handle_free(session, &handle);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    left = left > check_kept ? left - check_kept : 0;
    if (left > 0)
        printf("rank %d of %d: %llu objects are left after MPI_Finalize\n", check_rank, check_size, left);
    fflush(stdout);
#endif
    return left;
}

static inline int check_end(void)
{
    long long mine[2] = {check_failures, check_count}, all[2] = {0, 0};
    if (PMPI_Allreduce(mine, all, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
        all[0] = mine[0] + 1;
    if (check_rank == 0)
        printf("%lld checks, %lld failed\n", all[1], all[0]);
    fflush(stdout);
    MPI_Finalize();
    return all[0] != 0 || all[1] == 0 || mine[0] != 0 || check_left() != 0;
}

/* Memory whose every byte is `fill`; the program is allowed to die when there is none. */
static inline void *check_alloc(size_t bytes, int fill)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        abort();
    }
    return memset(p, fill, bytes);
}

/* Whatever an earlier call left in a buffer is no answer of the next one: before each call that delivers. */
static inline void check_wipe(void *buffer, size_t bytes)
{
    memset(buffer, 0xe5, bytes);
}

/* A value that tells its origin: never 0, different for neighbouring ranks and places. */
static inline int check_value(int rank, long long i)
{
    return (int)((rank + 1) * 1000003LL + i * 31 + (i >> 7)) & 0x3fffffff;
}

#endif
