/* collective.c - the names of the collectives. */
#include "plan/collective.h"

#include <stddef.h>

const char *tf_coll_name(enum tf_coll coll)
{
    static const char *const names[TF_NCOLL] = {
        [TF_BARRIER] = "barrier",
        [TF_BCAST] = "bcast",
        [TF_GATHER] = "gather",
        [TF_GATHERV] = "gatherv",
        [TF_SCATTER] = "scatter",
        [TF_SCATTERV] = "scatterv",
        [TF_ALLGATHER] = "allgather",
        [TF_ALLGATHERV] = "allgatherv",
        [TF_ALLTOALL] = "alltoall",
        [TF_ALLTOALLV] = "alltoallv",
        [TF_ALLTOALLW] = "alltoallw",
        [TF_REDUCE] = "reduce",
        [TF_ALLREDUCE] = "allreduce",
        [TF_REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
        [TF_REDUCE_SCATTER] = "reduce_scatter",
        [TF_SCAN] = "scan",
        [TF_EXSCAN] = "exscan",
    };
    return (int)coll >= 0 && coll < TF_NCOLL ? names[coll] : "an unknown collective";
}
