/* memory_calls.c - the program's memory calls stay libc's, whatever library carries the messages.
 *
 * np: 2
 * only: treefold
 *
 * Libraries of networks whose memory has to be registered follow it by patching the beginnings of libc's functions.
 * Where there is nothing to register they have no business there, and leave nothing in the environment that would tell
 * programs that are started from here.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const calls[] = {"mmap",  "munmap", "mremap", "madvise", "brk",    "sbrk",
                                    "shmat", "shmdt",  "malloc", "free",    "dlopen", "posix_memalign"};
enum { CALLS = sizeof calls / sizeof calls[0], BYTES = 16, LONG = 1 << 20 };

static unsigned char before[CALLS][BYTES];

static int compare(const char *when)
{
    int changed = 0;
    for (int i = 0; i < CALLS; i++)
        if (memcmp(dlsym(RTLD_DEFAULT, calls[i]), before[i], BYTES)) {
            printf("%s %s has been patched\n", when, calls[i]);
            changed++;
        }
    return changed;
}

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    char *sent = malloc(LONG), *got = calloc(1, LONG);
    memset(sent, 7, LONG);
    for (int i = 0; i < CALLS; i++)
        memcpy(before[i], dlsym(RTLD_DEFAULT, calls[i]), BYTES);
    setenv("UCX_TLS", "tcp,self", 1); /* even where there are networks that register memory */
    unsetenv("UCX_MEM_EVENTS");
    MPI_Init(&argc, &argv);
    wrong += compare("after MPI_Init");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(sent, LONG, MPI_BYTE, 1 - rank, 0, got, LONG, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    wrong += compare("after a long message");
    if (memcmp(sent, got, LONG) != 0) {
        printf("the long message has not come\n");
        wrong++;
    }
    if (getenv("UCX_MEM_EVENTS")) {
        printf("UCX_MEM_EVENTS is left in the environment\n");
        wrong++;
    }
    MPI_Finalize();
    free(sent);
    free(got);
    return wrong > 0;
}
