/* describe.c - see describe.h. */
#include "type/describe.h"

#include "type/construct.h"
#include "type/contents.h"

/* ---- writing ---- */

struct writer {
    int64_t *words;
    size_t used, room;
    const struct tf_type **nodes; /* those written, by number */
    size_t nnodes, node_room;
    bool failed;
};

static bool grow(struct writer *w, size_t more)
{
    if (w->used + more <= w->room)
        return true;
    size_t room = w->used + more > 2 * w->room ? w->used + more : 2 * w->room;
    int64_t *words = realloc(w->words, room * sizeof *words);
    if (!words) {
        w->failed = true;
        return false;
    }
    w->words = words;
    w->room = room;
    return true;
}

static void write_word(struct writer *w, int64_t word)
{
    if (grow(w, 1))
        w->words[w->used++] = word;
}

static bool add_node(struct writer *w, const struct tf_type *type)
{
    if (w->nnodes == w->node_room) {
        size_t room = w->node_room ? 2 * w->node_room : 16;
        const struct tf_type **nodes = realloc(w->nodes, room * sizeof *nodes);
        if (!nodes)
            return !(w->failed = true);
        w->nodes = nodes;
        w->node_room = room;
    }
    w->nodes[w->nnodes++] = type;
    return true;
}

static const struct tf_type *inmost(const struct tf_type *type)
{
    while (type->obj.handle >= 4096 && type->contents->inner)
        type = type->contents->inner;
    return type;
}

/* What stands for the type in another node; it has been written. */
static int64_t name_of(const struct writer *w, const struct tf_type *type)
{
    type = inmost(type);
    if (type->obj.handle < 4096)
        return type->obj.handle;
    size_t i = 0;
    while (i < w->nnodes && w->nodes[i] != type)
        i++;
    return -1 - (int64_t)i;
}

static bool is_written(const struct writer *w, const struct tf_type *type)
{
    return type->obj.handle < 4096 || name_of(w, type) >= -(int64_t)w->nnodes;
}

static void write_node(struct writer *w, const struct tf_type *type)
{
    type = inmost(type);
    const struct tf_type_contents *contents = type->contents;
    if (w->failed || is_written(w, type))
        return;
    for (MPI_Count i = 0; i < contents->ntypes; i++)
        if (i == 0 || contents->types[i] != contents->types[i - 1])
            write_node(w, contents->types[i]);
    write_word(w, contents->combiner);
    write_word(w, contents->nargs);
    write_word(w, contents->ntypes);
    for (MPI_Count i = 0; i < contents->nargs; i++)
        write_word(w, contents->args[i]);
    for (MPI_Count i = 0; i < contents->ntypes; i++)
        write_word(w, name_of(w, contents->types[i]));
    add_node(w, type);
}

void *tf_describe(struct tf_type *type, size_t *bytes)
{
    struct writer w = {0};
    write_node(&w, type);
    free(w.nodes);
    if (w.failed) {
        free(w.words);
        tf_error(MPI_ERR_NO_MEM, "no memory to describe a datatype to another process");
        return NULL;
    }
    *bytes = w.used * sizeof *w.words;
    return w.words;
}

/* ---- reading ---- */

struct reader {
    const int64_t *words;
    size_t left;
    struct tf_type **nodes;
    size_t nnodes;
};

static struct tf_type *type_of(const struct reader *r, int64_t name)
{
    return name >= 0 ? tf_type_find((MPI_Datatype)(uintptr_t)name) : r->nodes[-1 - name];
}

static struct tf_type *read_node(struct reader *r)
{
    int64_t combiner = r->words[0], nargs = r->words[1], ntypes = r->words[2];
    struct tf_type *type = tf_type_begin((int)combiner, nargs, ntypes);
    MPI_Datatype handle;
    if (!type)
        return NULL;
    r->words += 3;
    memcpy(type->contents->args, r->words, (size_t)nargs * sizeof *r->words);
    r->words += nargs;
    for (int64_t i = 0; i < ntypes; i++) {
        type->contents->types[i] = type_of(r, r->words[i]);
        tf_type_retain(type->contents->types[i]);
    }
    r->words += ntypes;
    r->left -= (size_t)(3 + nargs + ntypes);
    return tf_type_finish(type, MPI_SUCCESS, &handle) ? NULL : type;
}

struct tf_type *tf_describe_read(const void *description, size_t bytes)
{
    size_t most = bytes / (3 * sizeof(int64_t));
    struct reader r = {.words = description, .left = bytes / sizeof(int64_t)};
    struct tf_type *type = NULL;
    r.nodes = tf_alloc((most ? most : 1) * sizeof *r.nodes, "a described datatype");
    if (!r.nodes)
        return NULL;
    while (r.left > 0 && (type = read_node(&r)))
        r.nodes[r.nnodes++] = type;
    if (type && tf_type_commit(type))
        type = NULL;
    for (size_t i = 0; i < r.nnodes; i++)
        if (r.nodes[i] != type)
            tf_type_release(r.nodes[i]);
    free(r.nodes);
    return type;
}

/* ---- elements ---- */

/* A datatype of no bytes, or of a struct's block of length 0, is in no signature. */
static bool is_empty(const struct tf_type_contents *contents, MPI_Count i)
{
    return contents->types[i]->size == 0 || (contents->combiner == MPI_COMBINER_STRUCT && contents->args[1 + i] == 0);
}

const struct tf_type *tf_describe_element(const struct tf_type *type)
{
    if (type->obj.handle < 4096)
        return type;
    if (type->basic == TF_BINNED)
        return &tf_type_binned;
    if (type->basic == TF_COMPLEX_BINNED)
        return &tf_type_complex_binned;
    const struct tf_type_contents *contents = type->contents;
    const struct tf_type *found = NULL, *latest = NULL;
    for (MPI_Count i = 0; i < contents->ntypes; i++) {
        const struct tf_type *child = contents->types[i];
        if (is_empty(contents, i) || child == latest)
            continue;
        latest = child;
        const struct tf_type *element = tf_describe_element(child);
        if (!element || (found && element != found))
            return NULL;
        found = element;
    }
    return found;
}
