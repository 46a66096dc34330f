/* heap.h - memory of MPI_Alloc_mem, and other memory. */
#ifndef HEAP_H
#define HEAP_H

#include "check.h"

enum { OTHER, HEAP };

static inline void *take(int kind, size_t bytes)
{
    void *at = NULL;
    if (kind == OTHER)
        return check_alloc(bytes, 0xe5);
    CHECK_OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &at));
    memset(at, 0xe5, bytes);
    return at;
}

static inline void give(int kind, void *at)
{
    if (kind == OTHER)
        free(at);
    else
        CHECK_OK(MPI_Free_mem(at));
}

#endif
