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
 *
 * Between the groups of an intercommunicator, where n is the size of this rank's group, m that of the other, and r the
 * rank in its own; where the table says "root", only one rank of one group has that buffer, and "others" are the ranks
 * of the other group; what is left over in the root's group has no buffers at all.  There is no "in place".
 *
 *   collective             TF_INPUT before                       TF_OUTPUT after
 *   barrier                -                                     -
 *   bcast                  - (root: the vector is in OUTPUT)     others: the vector (EVEN)
 *   gather, gatherv        others: 1 block                       root: m blocks, b is from rank b of the others
 *   scatter, scatterv      root: m blocks, b goes to rank b      others: 1 block
 *   allgather, allgatherv  1 block                               m blocks, b is from rank b of the other group
 *   alltoall, -v, -w       m blocks, b goes to rank b            m blocks, b is from rank b of the other group
 *   reduce                 others: the vector (EVEN)             root: the result
 *   allreduce              the vector (EVEN)                     the result of the other group
 *   reduce_scatter(_block) n blocks, together the vector         1 block, block r of the other group's result
 *
 * The two groups cut the vector of a reduce_scatter at different places: their plans have n blocks each, so what one
 * group sends the other is the whole vector.
 *
 * Between neighbors (neighbors.h), of which this rank has m sources and n destinations:
 *
 *   collective             TF_INPUT before                       TF_OUTPUT after
 *   neighbor_allgather, v  1 block                               m blocks, b is from source b
 *   neighbor_alltoall, v,w n blocks, b goes to destination b     m blocks, b is from source b
 *
 * A block of a neighbor that is none stays as it is.  There is no "in place".
 */
#ifndef TF_COLLECTIVE_H
#define TF_COLLECTIVE_H

#include <stdbool.h>

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
    TF_NEIGHBOR_ALLGATHER,
    TF_NEIGHBOR_ALLGATHERV,
    TF_NEIGHBOR_ALLTOALL,
    TF_NEIGHBOR_ALLTOALLV,
    TF_NEIGHBOR_ALLTOALLW,
    TF_REDUCE,
    TF_ALLREDUCE,
    TF_REDUCE_SCATTER_BLOCK,
    TF_REDUCE_SCATTER,
    TF_SCAN,
    TF_EXSCAN,
    TF_NCOLL,
    TF_INTER = TF_NCOLL, /* TF_INTER + TF_BCAST is the bcast between the groups of an intercommunicator, and so on */
    TF_NKINDS = 2 * TF_NCOLL /* those that do not exist, of neighbors and scans, included */
};

static inline bool tf_coll_is_inter(enum tf_coll coll)
{
    return coll >= TF_INTER;
}
/* The collective whose form between groups it is, or itself. */
static inline enum tf_coll tf_coll_base(enum tf_coll coll)
{
    return coll >= TF_INTER ? (enum tf_coll)(coll - TF_INTER) : coll;
}

/* Whether it goes along the edges of a topology. */
static inline bool tf_coll_is_neighbor(enum tf_coll coll)
{
    return coll >= TF_NEIGHBOR_ALLGATHER && coll <= TF_NEIGHBOR_ALLTOALLW;
}

static inline bool tf_coll_exists(enum tf_coll coll)
{
    enum tf_coll base = tf_coll_base(coll);
    return !tf_coll_is_inter(coll) || !(base == TF_SCAN || base == TF_EXSCAN || tf_coll_is_neighbor(base));
}

static inline bool tf_coll_is_rooted(enum tf_coll coll)
{
    enum tf_coll base = tf_coll_base(coll);
    return base == TF_BCAST || base == TF_REDUCE || (base >= TF_GATHER && base <= TF_SCATTERV);
}

/* Whether there are ranks that need nothing of some others, and so may end it before those begin. */
static inline bool tf_coll_is_one_way(enum tf_coll coll)
{
    return tf_coll_is_rooted(coll) || coll == TF_SCAN || coll == TF_EXSCAN;
}

/* How blocks map to elements:
 *   TF_EVEN     `count` elements cut into nblocks nearly equal parts: block b is elements
 *               [b*count/nblocks, (b+1)*count/nblocks)
 *   TF_UNIFORM  every block has `count` elements, block b starts at element b*count
 *   TF_VARYING  block b has counts[b] elements at displacement displs[b], or packed in order without displs
 */
enum tf_layout { TF_EVEN, TF_UNIFORM, TF_VARYING };

const char *tf_coll_name(enum tf_coll coll); /* "allreduce" */

#endif
