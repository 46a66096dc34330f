/* rounds.h - who of a collective access reads and writes which part of the file, and when.  Pure: all ranks know the
 * same facts and come to the same answer without a message.
 *
 *     low                                        high
 *     |--- 0 ---|--- 1 ---|--- 2 ---|--- 3 ---|--4--|      rounds of at most `chunk` bytes
 *         A         B         A         B        A         their aggregators, in turn
 *
 * In a round all ranks that have bytes there exchange them with its aggregator.  Aggregators take turns, so that one
 * writes while the next one gets its data.  There is no exchange where it does not pay: each rank then accesses the
 * file by itself.
 */
#ifndef TF_ROUNDS_H
#define TF_ROUNDS_H

#include "file/file.h"

/* What a rank tells of its part in a collective access. */
struct tf_facts {
    MPI_Offset begin, end; /* offsets of its first byte and behind its last one */
    MPI_Count bytes;       /* 0: it has no data, and the above mean nothing */
    MPI_Count pieces;      /* gap-free, about */
    int32_t error;         /* class of what went wrong before, or MPI_SUCCESS */
    bool ordered;          /* tf_walk_is_ordered() */
    bool atomic;
};

struct tf_rounds {
    const struct tf_facts *facts; /* [size] */
    int size;
    bool near;     /* all ranks are of one node, where they exchange by copying */
    int error;     /* some rank cannot take part: nobody begins */
    bool exchange; /* else each rank for itself, and the rest means nothing */
    MPI_Offset low, high, chunk;
    MPI_Count n;            /* rounds */
    const int *aggregators; /* [naggregators], ranks */
    int naggregators;
};

/* rounds: facts, size, near and aggregators, of which there is at least one, are filled in. */
void tf_rounds_decide(struct tf_rounds *rounds, bool write, const struct tf_file_hints *hints);

static inline MPI_Offset tf_rounds_begin(const struct tf_rounds *rounds, MPI_Count k)
{
    MPI_Offset begin = rounds->low - rounds->low % rounds->chunk + k * rounds->chunk;
    return begin > rounds->low ? begin : rounds->low;
}
static inline MPI_Offset tf_rounds_end(const struct tf_rounds *rounds, MPI_Count k)
{
    return k + 1 < rounds->n ? tf_rounds_begin(rounds, k + 1) : rounds->high;
}
static inline int tf_rounds_aggregator(const struct tf_rounds *rounds, MPI_Count k)
{
    return rounds->aggregators[k % rounds->naggregators];
}
/* Whether that rank may have bytes in that round, so that it and the aggregator hear of each other. */
bool tf_rounds_has(const struct tf_rounds *rounds, int rank, MPI_Count k);

#endif
