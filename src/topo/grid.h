/* grid.h - a Cartesian grid of processes: ranks count its positions in row-major order, the last dimension fastest. */
#ifndef TF_GRID_H
#define TF_GRID_H

#include "base/base.h"

struct tf_grid {
    int ndims;
    int *dims;    /* [ndims] each at least 1; their product fits an int */
    int *periods; /* [ndims] whether the dimension is a ring */
};

static inline int tf_grid_size(const struct tf_grid *grid)
{
    int size = 1;
    for (int d = 0; d < grid->ndims; d++)
        size *= grid->dims[d];
    return size;
}

/* How far apart neighbours in dimension d are. */
static inline int tf_grid_stride(const struct tf_grid *grid, int d)
{
    int stride = 1;
    while (++d < grid->ndims)
        stride *= grid->dims[d];
    return stride;
}

static inline void tf_grid_coords(const struct tf_grid *grid, int rank, int *coords)
{
    for (int d = grid->ndims - 1; d >= 0; d--) {
        coords[d] = rank % grid->dims[d];
        rank /= grid->dims[d];
    }
}

/* A coordinate, of any size and sign, of a ring of n. */
static inline int tf_grid_wrap(long long coordinate, int n)
{
    long long rest = coordinate % n;
    return (int)(rest < 0 ? rest + n : rest);
}

#endif
