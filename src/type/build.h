/* build.h - parts of a nest of loops under construction (build.c), of which nest.c makes a type's.
 */
#ifndef TF_TYPE_BUILD_H
#define TF_TYPE_BUILD_H

#include "base/base.h"
#include "type/nest.h"

/* A node at an offset, or a run that is no node yet. */
struct tf_term {
    ptrdiff_t offset;
    size_t size;
    const struct tf_node *node; /* NULL: a run */
};

struct tf_build {
    struct tf_nest_chunk *chunks;
    const struct tf_node *last[2]; /* LEAF and LOOP that were made: lists often have the same again */
};

/* Becomes itself n times, stride bytes apart.  MPI_ERR_NO_MEM, as the others. */
int tf_build_repeat(struct tf_build *build, struct tf_term *term, size_t n, ptrdiff_t stride);
/* Becomes itself n times, at places[i] * unit from where it is. */
int tf_build_scatter(struct tf_build *build, struct tf_term *term, size_t n, const int64_t *places, ptrdiff_t unit);
/* The node of a term; NULL: no memory. */
const struct tf_node *tf_build_node(struct tf_build *build, const struct tf_term *term);

/* One after the other; begins as {0}.  Its array is the owner's to free. */
struct tf_build_list {
    struct tf_term *terms;
    size_t n, room;
    bool nodes; /* some are */
};

/* Room for so many more runs or nodes. */
int tf_build_grow(struct tf_build_list *list, size_t more);
static inline int tf_build_reserve(struct tf_build_list *list, size_t more)
{
    return more <= list->room - list->n ? MPI_SUCCESS : tf_build_grow(list, more);
}

/* For which there is room. */
static inline void tf_build_put_run(struct tf_build_list *list, ptrdiff_t offset, size_t length)
{
    struct tf_term *end = list->terms + list->n;
    if (list->n && !end[-1].node && end[-1].offset + (ptrdiff_t)end[-1].size == offset)
        end[-1].size += length;
    else {
        *end = (struct tf_term){offset, length, NULL};
        list->n++;
    }
}

int tf_build_push(struct tf_build_list *list, const struct tf_term *term);
/* *term = what a list that is not empty comes to; the list changes. */
int tf_build_join(struct tf_build *build, struct tf_build_list *list, struct tf_term *term);

void tf_build_free(struct tf_nest_chunk *chunks);

#endif
