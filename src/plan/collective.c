/* collective.c - the names of the collectives. */
#include "plan/collective.h"

#include "base/base.h"

const char *tf_coll_name(enum tf_coll coll)
{
    static const char *const names[TF_NKINDS] = {
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
        [TF_NEIGHBOR_ALLGATHER] = "neighbor_allgather",
        [TF_NEIGHBOR_ALLGATHERV] = "neighbor_allgatherv",
        [TF_NEIGHBOR_ALLTOALL] = "neighbor_alltoall",
        [TF_NEIGHBOR_ALLTOALLV] = "neighbor_alltoallv",
        [TF_NEIGHBOR_ALLTOALLW] = "neighbor_alltoallw",
        [TF_REDUCE] = "reduce",
        [TF_ALLREDUCE] = "allreduce",
        [TF_REDUCE_SCATTER_BLOCK] = "reduce_scatter_block",
        [TF_REDUCE_SCATTER] = "reduce_scatter",
        [TF_SCAN] = "scan",
        [TF_EXSCAN] = "exscan",
        [TF_INTER + TF_BARRIER] = "inter_barrier",
        [TF_INTER + TF_BCAST] = "inter_bcast",
        [TF_INTER + TF_GATHER] = "inter_gather",
        [TF_INTER + TF_GATHERV] = "inter_gatherv",
        [TF_INTER + TF_SCATTER] = "inter_scatter",
        [TF_INTER + TF_SCATTERV] = "inter_scatterv",
        [TF_INTER + TF_ALLGATHER] = "inter_allgather",
        [TF_INTER + TF_ALLGATHERV] = "inter_allgatherv",
        [TF_INTER + TF_ALLTOALL] = "inter_alltoall",
        [TF_INTER + TF_ALLTOALLV] = "inter_alltoallv",
        [TF_INTER + TF_ALLTOALLW] = "inter_alltoallw",
        [TF_INTER + TF_REDUCE] = "inter_reduce",
        [TF_INTER + TF_ALLREDUCE] = "inter_allreduce",
        [TF_INTER + TF_REDUCE_SCATTER_BLOCK] = "inter_reduce_scatter_block",
        [TF_INTER + TF_REDUCE_SCATTER] = "inter_reduce_scatter",
    };
    return (unsigned)coll < TF_ARRAY_LEN(names) && names[coll] ? names[coll] : "an unknown collective";
}
