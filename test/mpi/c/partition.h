/* partition.h - what the tests of partitioned communication share. */
#ifndef PARTITION_H
#define PARTITION_H

#include "check.h"

/* Marks all partitions, in an order that is not theirs. */
static inline void ready_all(int partitions, MPI_Request request)
{
    int step = partitions % 7 ? 7 : partitions % 5 ? 5 : 1;
    for (int i = 0; i < partitions; i++)
        CHECK_OK(MPI_Pready((int)((long long)i * step % partitions), request));
}

/* Waits until that partition is there. */
static inline void await_partition(MPI_Request request, int partition)
{
    int flag = 0;
    while (!flag)
        if (!CHECK_OK(MPI_Parrived(request, partition, &flag)))
            return;
}

#endif
