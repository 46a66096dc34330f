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

static int reserve(struct tf_build_list *list, size_t more)
{
    if (more <= list->room - list->n)
        return MPI_SUCCESS;
    size_t room = list->n + more > 2 * list->room ? list->n + more : 2 * list->room;
    struct tf_term *terms = realloc(list->terms, room * sizeof *terms);
    if (!terms)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes for a datatype of at least %zu blocks",
                        room * sizeof *terms, list->n + more);
    list->terms = terms;
    list->room = room;
    return MPI_SUCCESS;
}

static void push_run(struct tf_build_list *list, ptrdiff_t offset, size_t length)
{
    struct tf_term *last = list->n ? &list->terms[list->n - 1] : NULL;
    if (last && !last->node && last->offset + (ptrdiff_t)last->size == offset)
        last->size += length;
    else
        list->terms[list->n++] = (struct tf_term){offset, length, NULL};
}

static void push_runs(struct tf_build_list *list, ptrdiff_t offset, const struct tf_node *node)
{
    if (node->kind == TF_NODE_LEAF) {
        push_run(list, offset, node->size);
        return;
    }
    for (size_t i = 0; i < node->n; i++) {
        ptrdiff_t at = offset + tf_node_place(node, i);
        if (node->kind == TF_NODE_PIECES)
            push_run(list, at, node->before[i + 1] - node->before[i]);
        else
            push_runs(list, at, node->kind == TF_NODE_LIST ? node->children[i] : node->child);
    }
}

int tf_build_push(struct tf_build_list *list, const struct tf_term *term)
{
    int err = reserve(list, FEW);
    if (err)
        return err;
    if (!term->node)
        push_run(list, term->offset, term->size);
    else if (term->node->runs <= FEW)
        push_runs(list, term->offset, term->node);
    else
        list->terms[list->n++] = *term;
    return MPI_SUCCESS;
}

/* What all terms of a list have in common. */
struct common {
    bool runs, equal, regular;
};

static struct common compare(const struct tf_build_list *list)
{
    const struct tf_term *t = list->terms;
    struct common all = {t[0].node == NULL, true, true};
    for (size_t i = 1; i < list->n; i++) {
        all.runs &= t[i].node == NULL;
        all.equal &= t[i].node == t[0].node && t[i].size == t[0].size;
        all.regular &= t[i].offset - t[i - 1].offset == t[1].offset - t[0].offset;
    }
    return all;
}

/* The arrays of a node whose children differ. */
static int fill_list(struct tf_build *build, struct tf_node *node, const struct tf_build_list *list, bool runs)
{
    size_t *before = take(build, (list->n + 1) * sizeof *before);
    const struct tf_node **children = before && !runs ? take(build, list->n * sizeof *children) : NULL;
    if (!before || (!runs && !children))
        return MPI_ERR_NO_MEM;
    before[0] = 0;
    for (size_t i = 0; i < list->n; i++) {
        before[i + 1] = before[i] + list->terms[i].size;
        if (runs)
            continue;
        children[i] = tf_build_node(build, &list->terms[i]);
        if (!children[i] || __builtin_add_overflow(node->runs, children[i]->runs, &node->runs))
            node->runs = SIZE_MAX;
        if (!children[i])
            return MPI_ERR_NO_MEM;
    }
    node->before = before;
    node->children = children;
    node->size = before[list->n];
    return MPI_SUCCESS;
}

static int fill_equal(struct tf_build *build, struct tf_node *node, const struct tf_build_list *list)
{
    node->child = tf_build_node(build, &list->terms[0]);
    if (!node->child)
        return MPI_ERR_NO_MEM;
    node->runs = times(list->n, node->child->runs);
    node->size = list->n * list->terms[0].size;
    return MPI_SUCCESS;
}

static int make_list(struct tf_build *build, const struct tf_build_list *list, struct common all, struct tf_term *term)
{
    struct tf_node *node = take(build, sizeof *node);
    ptrdiff_t *offsets = node ? take(build, list->n * sizeof *offsets) : NULL;
    if (!offsets)
        return MPI_ERR_NO_MEM;
    for (size_t i = 0; i < list->n; i++)
        offsets[i] = list->terms[i].offset;
    *node = (struct tf_node){.kind = all.equal  ? TF_NODE_BLOCKS
                                     : all.runs ? TF_NODE_PIECES
                                                : TF_NODE_LIST,
                             .n = list->n,
                             .runs = all.runs ? list->n : 0,
                             .offsets = offsets};
    int err = all.equal ? fill_equal(build, node, list) : fill_list(build, node, list, all.runs);
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
        err = reserve(&units, term->size / unit);
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
    struct common all = compare(list);
    if (all.equal && all.regular)
        return tf_build_repeat(build, term, list->n, list->terms[1].offset - list->terms[0].offset);
    size_t unit = all.runs && !all.equal ? find_unit(list) : 0;
    if (unit) {
        int err = split(list, unit);
        if (err)
            return err;
        all.equal = true;
    }
    return make_list(build, list, all, term);
}
