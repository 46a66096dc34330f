/* facts.c - what may be asked at any time: versions, names, the resolution of the clock. */
#include "env/env.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "object/info.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unversioned"
#endif

const char *tf_env_release(void)
{
    return "Treefold " PACKAGE_VERSION;
}

int tf_env_processor_name(char *name, int *resultlen)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "localhost";
    if (gethostname(host, sizeof host - 1) == 0)
        host[sizeof host - 1] = '\0';
    *resultlen = (int)strlen(host);
    memcpy(name, host, (size_t)*resultlen + 1);
    return MPI_SUCCESS;
}

int tf_env_version(int *version, int *subversion)
{
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int tf_env_library_version(char *version, int *resultlen)
{
    *resultlen = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING, "%s, MPI %d.%d, standard ABI %d.%d",
                          tf_env_release(), MPI_VERSION, MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
    return MPI_SUCCESS;
}

int tf_env_abi_version(int *abi_major, int *abi_minor)
{
    *abi_major = MPI_ABI_VERSION;
    *abi_minor = MPI_ABI_SUBVERSION;
    return MPI_SUCCESS;
}

int tf_env_abi_info(MPI_Info *info)
{
    static const struct {
        const char *key;
        size_t bytes;
    } sizes[] = {{"mpi_aint_size", sizeof(MPI_Aint)},
                 {"mpi_count_size", sizeof(MPI_Count)},
                 {"mpi_offset_size", sizeof(MPI_Offset)}};
    MPI_Info made;
    int err = tf_info_create(&made);
    for (size_t i = 0; i < TF_ARRAY_LEN(sizes) && !err; i++) {
        char value[16];
        snprintf(value, sizeof value, "%zu", sizes[i].bytes);
        err = tf_info_set(tf_info_find(made), sizes[i].key, value);
    }
    if (!err)
        *info = made;
    return err;
}

/* Every step is exact, since a program may have inexact results trap: the time is a whole number of 2^-30 s, and after
 * 97 days, of which a double holds no more, of the next power of two. */
double tf_env_wtime(void)
{
    const uint64_t second = UINT64_C(1) << 30, most = UINT64_C(1) << 53;
    uint64_t now = (uint64_t)tf_time(), rest = now % TF_SECOND,
             ticks = now / TF_SECOND * second + rest * second / TF_SECOND;
    for (uint64_t bit = 1; ticks >= most * bit; bit *= 2)
        ticks &= ~bit;
    return (double)(int64_t)ticks * 0x1p-30;
}

double tf_env_wtick(void)
{
    struct timespec resolution;
    clock_getres(CLOCK_MONOTONIC, &resolution);
    return (double)resolution.tv_sec + 1e-9 * (double)resolution.tv_nsec;
}
