/* rounds.h - who of a collective access reads and writes which part of the file, and when.  Pure: all ranks know the
 * same facts and come to the same answer without a message.
 *
 *     low                                        high
 *     |--- 0 ---|--- 1 ---|--- 2 ---|--- 3 ---|--4--|      rounds of at most `chunk` bytes
 *         A         B         A         B        A         their aggregators, in turn
 *
 * Of a file that is striped a round lies within a stripe, or is some of them as a whole, and rounds take turns by
 * stripes. In a round all ranks that have bytes there exchange them with its aggregator.  Aggregators take turns, so
 * that one writes while the next one gets its data.  There is no exchange where it does not pay: each rank then
 * accesses the file by itself.
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
    bool ordered;          /* tf_walk_ordered() */
    bool atomic;
};

struct tf_rounds {
    const struct tf_facts *facts; /* [size] */
    int size;
    bool near;     /* all ranks are of one node, where they exchange by copying */
    bool crowded;  /* and share processors there: who waits for another one waits for its turn */
    bool movable;  /* and whoever waits for the access can be moved to another one (spread.h) */
    int error;     /* some rank cannot take part: nobody begins */
    bool spread;   /* so much that ranks had better be spread over the processors first */
    bool exchange; /* else each rank for itself, and the rest means nothing */
    MPI_Offset low, high, chunk;
    MPI_Count n;            /* rounds */
    MPI_Count first, turn;  /* the number of the first one in the whole file, if it is striped, else 0; and how many in
                               sequence are of one aggregator */
    MPI_Offset stripe;      /* bytes on a device of the file system; 0: not known */
    const int *aggregators; /* [naggregators], ranks */
    int naggregators;       /* fewer once it is decided, if fewer do better */
};

/* Of n aggregators so many that a device of a striped file has no more than `sharers` of them, and always the same
 * ones, unless that leaves out half of them: each other one takes the locks on the device's part of the file away from
 * those that had them. */
int tf_rounds_fit(int n, int devices, int sharers);

/* rounds: facts, size, near, crowded, movable, stripe and aggregators, of which there is at least one, are filled in.
 */
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
    return rounds->aggregators[(rounds->first + k) / rounds->turn % rounds->naggregators];
}
/* Whether that rank may have bytes in that round, so that it and the aggregator hear of each other. */
bool tf_rounds_has(const struct tf_rounds *rounds, int rank, MPI_Count k);

#endif
