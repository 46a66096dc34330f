/* collective.h - the collectives, what their buffers hold before and after, and how blocks map to elements.
 *
 * The layouts, p = ranks, r = this rank ("-": the buffer does not exist and no plan may name it):
 *
 *   collective             TF_INPUT before             TF_OUTPUT before / after                in place
 *   barrier                -                           -                                       -
 *   bcast                  -                           root: the vector / all: it (EVEN)       always so
 *   gather, gatherv        1 block, block r            root: - / all p blocks                  root: OUTPUT[r] is there
 *   scatter, scatterv      root: p blocks              - / 1 block, block r                    root: no OUTPUT (below)
 *   allgather, allgatherv  1 block, block r            - / p blocks                            OUTPUT[r] is there
 *   alltoall, -v, -w       p blocks, b goes to rank b  - / p blocks, b is from rank b          OUTPUT holds the input
 *   reduce                 the vector (EVEN)           root: - / the result; others: none      root: OUTPUT holds it
 *   allreduce, scan        the vector (EVEN)           - / the result                          OUTPUT holds the input
 *   exscan                 the vector (EVEN)           - / the result; untouched on rank 0     OUTPUT holds the input
 *   reduce_scatter(_block) p blocks                    - / 1 block, block r of the result      both overlap (below)
 *
 * In place there is no TF_INPUT where the table says that TF_OUTPUT holds something.  Scatter's root keeps its block in
 * TF_INPUT; for reduce_scatter the two buffers begin at the same address (tf_plan_alias).
 *
 * In a buffer of one block that block has index 0.  Blocks of EVEN vectors may be empty when count < nblocks; a step
 * whose blocks are all empty moves no message (both sides know); a signal (0 blocks) always does.
 */
#ifndef TF_COLLECTIVE_H
#define TF_COLLECTIVE_H

enum tf_coll {
    TF_BARRIER,
    TF_BCAST,
    TF_GATHER,
    TF_GATHERV,
    TF_SCATTER,
    TF_SCATTERV,
    TF_ALLGATHER,
    TF_ALLGATHERV,
    TF_ALLTOALL,
    TF_ALLTOALLV,
    TF_ALLTOALLW,
    TF_REDUCE,
    TF_ALLREDUCE,
    TF_REDUCE_SCATTER_BLOCK,
    TF_REDUCE_SCATTER,
    TF_SCAN,
    TF_EXSCAN,
    TF_NCOLL
};

/* How blocks map to elements:
 *   TF_EVEN     `count` elements cut into nblocks nearly equal parts: block b is elements
 *               [b*count/nblocks, (b+1)*count/nblocks)
 *   TF_UNIFORM  every block has `count` elements, block b starts at element b*count
 *   TF_VARYING  block b has counts[b] elements at displacement displs[b], or packed in order without displs
 */
enum tf_layout { TF_EVEN, TF_UNIFORM, TF_VARYING };

const char *tf_coll_name(enum tf_coll coll); /* "allreduce" */

#endif
