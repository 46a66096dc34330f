/* build.c - the parts of a nest of loops: repeated, put into lists.
 *
 * What can be said in less is: runs that touch are one run, a loop of a loop whose strides meet is one loop, a list of
 * equal things at one distance a loop.  A few runs within a list become runs of that list, which is faster than to go
 * down and up again.  Short runs of different lengths become runs of one length.
 */
#include "type/build.h"

#include "base/base.h"

enum {
    FEW = 8, /* runs that are written out in a list */
    /* Short runs of different lengths cost a wrong guess of the processor each: where all are multiples of such a unit,
     * and at most SHORT units long on average, units are moved. */
    LEAST_UNIT = 4,
    LARGEST_UNIT = 16,
    SHORT = 4
};

/* ---- memory of nodes ---- */

struct tf_nest_chunk {
    struct tf_nest_chunk *next;
    size_t used, room;
    max_align_t data[];
};

enum { LARGEST_CHUNK = 64 * 1024 };

static void *take(struct tf_build *build, size_t bytes)
{
    struct tf_nest_chunk *chunk = build->chunks;
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (!chunk || bytes > chunk->room - chunk->used) {
        size_t room = chunk ? 2 * chunk->room : bytes;
        room = room < LARGEST_CHUNK ? room : LARGEST_CHUNK;
        room = room < bytes ? bytes : room;
        chunk = tf_alloc(sizeof *chunk + room, "the loops of a datatype");
        if (!chunk)
            return NULL;
        *chunk = (struct tf_nest_chunk){.next = build->chunks, .room = room};
        build->chunks = chunk;
    }
    void *memory = (char *)chunk->data + chunk->used;
    chunk->used += bytes;
    return memory;
}

void tf_build_free(struct tf_nest_chunk *chunks)
{
    while (chunks) {
        struct tf_nest_chunk *next = chunks->next;
        free(chunks);
        chunks = next;
    }
}

/* ---- terms ---- */

static bool is_same(const struct tf_node *a, const struct tf_node *b)
{
    return a->kind == b->kind && a->size == b->size && a->n == b->n && a->stride == b->stride && a->child == b->child;
}

/* A LEAF or a LOOP; NULL: no memory. */
static const struct tf_node *make(struct tf_build *build, const struct tf_node *want)
{
    if (build->last[want->kind] && is_same(build->last[want->kind], want))
        return build->last[want->kind];
    struct tf_node *node = take(build, sizeof *node);
    if (!node)
        return NULL;
    *node = *want;
    return build->last[want->kind] = node;
}

const struct tf_node *tf_build_node(struct tf_build *build, const struct tf_term *term)
{
    return term->node ? term->node
                      : make(build, &(struct tf_node){.kind = TF_NODE_LEAF, .size = term->size, .n = 1, .runs = 1});
}

static size_t times(size_t n, size_t runs)
{
    size_t product;
    return __builtin_mul_overflow(n, runs, &product) ? SIZE_MAX : product;
}

int tf_build_repeat(struct tf_build *build, struct tf_term *term, size_t n, ptrdiff_t stride)
{
    const struct tf_node *inner = term->node;
    if (n == 1)
        return MPI_SUCCESS;
    term->size *= n;
    if (!inner && stride == (ptrdiff_t)(term->size / n))
        return MPI_SUCCESS;
    struct tf_node loop = {.kind = TF_NODE_LOOP, .size = term->size, .n = n, .stride = stride};
    if (inner && inner->kind == TF_NODE_LOOP && stride == (ptrdiff_t)(inner->n * (size_t)inner->stride)) {
        loop.n *= inner->n;
        loop.stride = inner->stride;
        loop.child = inner->child;
    } else
        loop.child = tf_build_node(build, &(struct tf_term){term->offset, term->size / n, inner});
    if (!loop.child)
        return MPI_ERR_NO_MEM;
    loop.runs = times(loop.n, loop.child->runs);
    term->node = make(build, &loop);
    return term->node ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* ---- a list of terms ---- */

int tf_build_grow(struct tf_build_list *list, size_t more)
{
    size_t room = list->n + more > 2 * list->room ? list->n + more + FEW : 2 * list->room;
    struct tf_term *terms = realloc(list->terms, room * sizeof *terms);
    if (!terms)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes for a datatype of at least %zu blocks",
                        room * sizeof *terms, list->n + more);
    list->terms = terms;
    list->room = room;
    return MPI_SUCCESS;
}

static void push_runs(struct tf_build_list *list, ptrdiff_t offset, const struct tf_node *node)
{
    if (node->kind == TF_NODE_LEAF) {
        tf_build_put_run(list, offset, node->size);
        return;
    }
    for (size_t i = 0; i < node->n; i++) {
        ptrdiff_t at = offset + tf_node_place(node, i);
        if (node->kind == TF_NODE_PIECES)
            tf_build_put_run(list, at, node->before[i + 1] - node->before[i]);
        else
            push_runs(list, at, node->kind == TF_NODE_LIST ? node->children[i] : node->child);
    }
}

int tf_build_push(struct tf_build_list *list, const struct tf_term *term)
{
    int err = tf_build_reserve(list, FEW);
    if (err)
        return err;
    if (!term->node)
        tf_build_put_run(list, term->offset, term->size);
    else if (term->node->runs <= FEW)
        push_runs(list, term->offset, term->node);
    else {
        list->terms[list->n++] = *term;
        list->nodes = true;
    }
    return MPI_SUCCESS;
}

static bool is_equal(const struct tf_build_list *list)
{
    const struct tf_term *t = list->terms;
    for (size_t i = 1; i < list->n; i++)
        if (t[i].node != t[0].node || t[i].size != t[0].size)
            return false;
    return true;
}

static bool is_at_one_distance(const struct tf_build_list *list)
{
    const struct tf_term *t = list->terms;
    for (size_t i = 2; i < list->n; i++)
        if (t[i].offset - t[i - 1].offset != t[1].offset - t[0].offset)
            return false;
    return true;
}

/* Where in the stream the terms begin and end. */
static int fill_before(struct tf_build *build, struct tf_node *node, const struct tf_build_list *list)
{
    size_t *before = take(build, (list->n + 1) * sizeof *before), sum = 0;
    if (!before)
        return MPI_ERR_NO_MEM;
    for (size_t i = 0; i < list->n; i++) {
        before[i] = sum;
        sum += list->terms[i].size;
    }
    before[list->n] = sum;
    node->before = before;
    node->size = sum;
    return MPI_SUCCESS;
}

static int fill_children(struct tf_build *build, struct tf_node *node, const struct tf_build_list *list)
{
    const struct tf_node **children = take(build, list->n * sizeof *children);
    node->runs = 0;
    for (size_t i = 0; i < list->n && children; i++) {
        children[i] = tf_build_node(build, &list->terms[i]);
        if (!children[i])
            return MPI_ERR_NO_MEM;
        if (__builtin_add_overflow(node->runs, children[i]->runs, &node->runs))
            node->runs = SIZE_MAX;
    }
    node->children = children;
    return children ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* n of a term.  Its offsets, which are to be filled in; NULL: no memory. */
static ptrdiff_t *make_blocks(struct tf_build *build, struct tf_term *term, size_t n)
{
    const struct tf_node *child = tf_build_node(build, term);
    struct tf_node *node = child ? take(build, sizeof *node) : NULL;
    ptrdiff_t *offsets = node ? take(build, n * sizeof *offsets) : NULL;
    if (!offsets)
        return NULL;
    *node = (struct tf_node){.kind = TF_NODE_BLOCKS,
                             .size = n * term->size,
                             .n = n,
                             .runs = times(n, child->runs),
                             .child = child,
                             .offsets = offsets};
    *term = (struct tf_term){0, node->size, node};
    return offsets;
}

static int join_equal(struct tf_build *build, const struct tf_build_list *list, struct tf_term *term)
{
    *term = list->terms[0];
    ptrdiff_t *offsets = make_blocks(build, term, list->n);
    for (size_t i = 0; i < list->n && offsets; i++)
        offsets[i] = list->terms[i].offset;
    return offsets ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int join_different(struct tf_build *build, const struct tf_build_list *list, struct tf_term *term)
{
    struct tf_node *node = take(build, sizeof *node);
    ptrdiff_t *offsets = node ? take(build, list->n * sizeof *offsets) : NULL;
    if (!offsets)
        return MPI_ERR_NO_MEM;
    for (size_t i = 0; i < list->n; i++)
        offsets[i] = list->terms[i].offset;
    *node = (struct tf_node){
        .kind = list->nodes ? TF_NODE_LIST : TF_NODE_PIECES, .n = list->n, .runs = list->n, .offsets = offsets};
    int err = fill_before(build, node, list);
    if (!err && list->nodes)
        err = fill_children(build, node, list);
    *term = (struct tf_term){0, node->size, node};
    return err;
}

/* The largest power of two, up to LARGEST_UNIT, of which all runs are multiples; 0 if they are not short ones. */
static size_t find_unit(const struct tf_build_list *list)
{
    size_t all = LARGEST_UNIT, sum = 0;
    for (size_t i = 0; i < list->n; i++) {
        all |= list->terms[i].size;
        sum += list->terms[i].size;
    }
    size_t unit = all & -all;
    return unit >= LEAST_UNIT && sum / unit <= SHORT * list->n ? unit : 0;
}

static int split(struct tf_build_list *list, size_t unit)
{
    struct tf_build_list units = {0};
    int err = MPI_SUCCESS;
    for (size_t i = 0; i < list->n && !err; i++) {
        const struct tf_term *term = &list->terms[i];
        err = tf_build_reserve(&units, term->size / unit);
        for (size_t at = 0; at < term->size && !err; at += unit)
            units.terms[units.n++] = (struct tf_term){term->offset + (ptrdiff_t)at, unit, NULL};
    }
    free(list->terms);
    *list = units;
    return err;
}

int tf_build_join(struct tf_build *build, struct tf_build_list *list, struct tf_term *term)
{
    *term = list->terms[0];
    if (list->n == 1)
        return MPI_SUCCESS;
    bool equal = is_equal(list);
    if (equal && is_at_one_distance(list))
        return tf_build_repeat(build, term, list->n, list->terms[1].offset - list->terms[0].offset);
    size_t unit = list->nodes || equal ? 0 : find_unit(list);
    if (unit) {
        int err = split(list, unit);
        if (err)
            return err;
        equal = true;
    }
    return equal ? join_equal(build, list, term) : join_different(build, list, term);
}

/* ---- a term at places ---- */

static size_t distance(const int64_t *places, size_t i)
{
    return (size_t)places[i] - (size_t)places[i - 1];
}

static bool is_regular(const int64_t *places, size_t n)
{
    for (size_t i = 2; i < n; i++)
        if (distance(places, i) != distance(places, 1))
            return false;
    return true;
}

/* Whether a run ends where the next one begins. */
static bool touches(const int64_t *places, size_t n, ptrdiff_t unit, size_t size)
{
    for (size_t i = 1; i < n; i++)
        if (distance(places, i) * (size_t)unit == size)
            return true;
    return false;
}

static int join_places(struct tf_build *build, struct tf_term *term, size_t n, const int64_t *places, ptrdiff_t unit)
{
    struct tf_build_list list = {0};
    struct tf_term one = *term;
    int err = tf_build_reserve(&list, n);
    for (size_t i = 0; i < n && !err; i++) {
        one.offset = term->offset + places[i] * unit;
        err = tf_build_push(&list, &one);
    }
    if (!err)
        err = tf_build_join(build, &list, term);
    free(list.terms);
    return err;
}

/* Without a list, unless what touches is to become one run, or a few runs are to be written out. */
int tf_build_scatter(struct tf_build *build, struct tf_term *term, size_t n, const int64_t *places, ptrdiff_t unit)
{
    bool regular = is_regular(places, n);
    if (n > 1 && (term->node ? term->node->runs <= FEW : !regular && touches(places, n, unit, term->size)))
        return join_places(build, term, n, places, unit);
    if (regular) {
        term->offset += places[0] * unit;
        return tf_build_repeat(build, term, n, n > 1 ? (ptrdiff_t)(distance(places, 1) * (size_t)unit) : 0);
    }
    ptrdiff_t base = term->offset, *offsets = make_blocks(build, term, n);
    for (size_t i = 0; i < n && offsets; i++)
        offsets[i] = base + places[i] * unit;
    return offsets ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}
