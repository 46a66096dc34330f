/* noop.c - calls that say MPI_SUCCESS and deliver nothing: test/mpi/noop makes a shared object of it and of
 * noop_calls.h, which it writes, and loads that before the library.
 *
 * A collective that is left out does nothing at all; its request is one of a barrier of this process alone.  A receive
 * that is left out happens, but elsewhere, so that status and matching are right and only the data are missing.
 *
 * NOOP="NAME"           every call of MPI procedure NAME is left out
 * NOOP="NAME SITE FROM" only those that the program makes at SITE, from the FROM-th of each process on
 * NOOP_SITES=PREFIX     nothing is left out; PREFIX.<pid> gets "NAME SITE CALLS" for every site
 *
 * A site is where in the program the call is, as addr2line wants it.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SITES = 4096, MOST_FRAMES = 32 };

static struct site {
    const char *name;
    uintptr_t place;
    long long calls;
} sites[MOST_SITES];
static int site_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

struct program {
    uintptr_t base, begin, end;
};

/* The program is the first that the loader tells of. */
static int find_program(struct dl_phdr_info *info, size_t size, void *found_p)
{
    struct program *found = found_p;
    (void)size;
    found->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            found->begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            found->end = found->begin + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

/* Where in the program this call is, the Fortran binding's frames passed over; 0 if nowhere. */
static uintptr_t place_of_call(void)
{
    static struct program program;
    void *frames[MOST_FRAMES];
    int n = backtrace(frames, MOST_FRAMES);
    if (!program.end)
        dl_iterate_phdr(find_program, &program);
    for (int i = 0; i < n; i++) {
        uintptr_t at = (uintptr_t)frames[i];
        if (at >= program.begin && at < program.end)
            return at - 1 - program.base;
    }
    return 0;
}

/* Counts a call; the value is its number at its site. */
static long long count_call(const char *name, uintptr_t place)
{
    int i = 0;
    pthread_mutex_lock(&mutex);
    while (i < site_count && (sites[i].place != place || strcmp(sites[i].name, name)))
        i++;
    if (i == MOST_SITES)
        abort();
    if (i == site_count)
        sites[site_count++] = (struct site){name, place, 0};
    long long number = ++sites[i].calls;
    pthread_mutex_unlock(&mutex);
    return number;
}

static bool left_out(const char *name)
{
    const char *noop = getenv("NOOP");
    char which[100];
    unsigned long place;
    long long from;
    if (!noop) {
        if (getenv("NOOP_SITES"))
            count_call(name, place_of_call());
        return false;
    }
    int words = sscanf(noop, "%99s %lx %lld", which, &place, &from);
    if (words < 1 || strcmp(which, name))
        return false;
    if (words < 3)
        return true;
    uintptr_t here = place_of_call();
    return here == place && count_call(name, here) >= from;
}

__attribute__((destructor)) static void tell_sites(void)
{
    const char *prefix = getenv("NOOP_SITES");
    char path[4096];
    if (!prefix || !site_count)
        return;
    snprintf(path, sizeof path, "%s.%d", prefix, (int)getpid());
    FILE *out = fopen(path, "w");
    if (!out)
        abort();
    for (int i = 0; i < site_count; i++)
        fprintf(out, "%s %lx %lld\n", sites[i].name, (unsigned long)sites[i].place, sites[i].calls);
    fclose(out);
}

/* Memory for a receive that nobody is to see; what cannot be received at all goes on as it is. */
static void *elsewhere(void *buf, MPI_Count count, MPI_Datatype type)
{
    MPI_Count lb, extent, true_lb, true_extent;
    if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_get_extent_c(type, &lb, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent_c(type, &true_lb, &true_extent) != MPI_SUCCESS)
        return buf;
    MPI_Count before = extent < 0 ? -extent * (count - 1) : 0, span = (extent < 0 ? -extent : extent) * (count - 1);
    char *room = malloc((size_t)(span + true_extent) + 1);
    return room ? (void *)((uintptr_t)room + (uintptr_t)before - (uintptr_t)true_lb) : buf;
}

#include "noop_calls.h"
