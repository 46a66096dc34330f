/* stretch.h - pieces of a file as few numbers: what a rank tells an aggregator of its view, a range at a time.
 *
 *     xxx..xxx..xxx..xxx.....yy      {0, 3, 5, 4} and {23, 2, 0, 1}
 *
 * Pure.
 */
#ifndef TF_STRETCH_H
#define TF_STRETCH_H

#include "file/cursor.h"

/* `count` pieces of `length` bytes, the first at `offset`, each `stride` behind the one before. */
struct tf_stretch {
    MPI_Offset offset;
    MPI_Count length, stride, count;
};

/* Pieces in ascending order. */
struct tf_stretches {
    struct tf_stretch *at;
    size_t n, room;
    MPI_Count bytes; /* of all pieces */
};

/* The next `bytes` bytes of the cursor's view, instead of what was there.  MPI_ERR_NO_MEM, recorded. */
int tf_stretch_list(struct tf_stretches *list, struct tf_walk *cursor, MPI_Count bytes);
/* n more, as they came in a message; their bytes count after an error too. */
int tf_stretch_append(struct tf_stretches *list, const void *more, size_t n);
void tf_stretch_free(struct tf_stretches *list);

/* A walk over the pieces. */
struct tf_stretch_walk {
    const struct tf_stretches *list;
    size_t i;
    MPI_Count k, skip; /* the piece of the stretch; its bytes behind us */
};
/* What is left of the piece, at most `most`: its length, 0 at the end, and where it lies. */
MPI_Count tf_stretch_look(const struct tf_stretch_walk *walk, MPI_Offset *offset);
void tf_stretch_pass(struct tf_stretch_walk *walk, MPI_Count bytes); /* at most what is left of the piece */
/* Copy the next `bytes` bytes between their places, of which that of offset `begin` is at `range`, and `data`. */
void tf_stretch_scatter(struct tf_stretch_walk *walk, char *range, MPI_Offset begin, const char *data, size_t bytes);
void tf_stretch_gather(struct tf_stretch_walk *walk, const char *range, MPI_Offset begin, char *data, size_t bytes);
/* Of the bytes of the list those before `end`. */
MPI_Count tf_stretch_before(const struct tf_stretches *list, MPI_Offset end);

/* What several lists cover together, in ranges one after the other, whose gaps are shorter than `gap`; 1: none.
 * walks[n] are at their beginnings first.  False at the end.  `last`: 0 first, and then the walk's own. */
bool tf_stretch_cover(struct tf_stretch_walk *walks, int n, MPI_Count gap, int *last, MPI_Offset *begin,
                      MPI_Offset *end);

#endif
