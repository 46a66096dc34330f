/* cursor.c - a walk over the data of a typed buffer.
 *
 * The cursor knows the innermost node, that of runs, and where in it it is.  Where the node ends it knows no more: it
 * is looked up again from the top, so that a cursor is small however deep the type is.
 */
#include "type/cursor.h"

void tf_cursor_open(struct tf_cursor *c, const struct tf_type *type, MPI_Count count)
{
    *c = (struct tf_cursor){.type = type};
    if (__builtin_mul_overflow((size_t)count, type->size, &c->end))
        c->end = SIZE_MAX;
}

void tf_cursor_seek(struct tf_cursor *c, size_t position)
{
    c->position = position;
    c->node = NULL;
}

/* Whether its children are runs, or it is one. */
static bool has_runs(const struct tf_node *node)
{
    if (node->kind == TF_NODE_LOOP || node->kind == TF_NODE_BLOCKS)
        return node->child->kind == TF_NODE_LEAF;
    return node->kind != TF_NODE_LIST;
}

/* The run or child that a position lies in, and the bytes of it that come before. */
static size_t find(const struct tf_node *node, size_t position, size_t *within)
{
    size_t i = 0;
    *within = position;
    if (node->kind == TF_NODE_LOOP || node->kind == TF_NODE_BLOCKS) {
        i = position / node->child->size;
        *within = position % node->child->size;
    } else if (node->kind != TF_NODE_LEAF) {
        i = tf_node_find(node, position);
        *within = position - node->before[i];
    }
    return i;
}

static void look_up(struct tf_cursor *c)
{
    const struct tf_nest *nest = &c->type->nest;
    const struct tf_node *node = &nest->elements;
    c->place = nest->offset;
    c->run = find(node, c->position, &c->within);
    while (!has_runs(node)) {
        c->place = (ptrdiff_t)((size_t)c->place + (size_t)tf_node_place(node, c->run));
        node = node->kind == TF_NODE_LIST ? node->children[c->run] : node->child;
        c->run = find(node, c->within, &c->within);
    }
    c->node = node;
}

static size_t length_of_run(const struct tf_cursor *c)
{
    const struct tf_node *node = c->node;
    if (node->kind == TF_NODE_LEAF)
        return node->size;
    return node->kind == TF_NODE_PIECES ? node->before[c->run + 1] - node->before[c->run] : node->child->size;
}

/* Where the next byte is. */
static ptrdiff_t here(const struct tf_cursor *c)
{
    ptrdiff_t of_run = c->node->kind == TF_NODE_LEAF ? 0 : tf_node_place(c->node, c->run);
    return (ptrdiff_t)((size_t)c->place + (size_t)of_run + c->within);
}

/* Bytes of this run, which must not be over. */
static size_t pass(struct tf_cursor *c, size_t most)
{
    size_t left = length_of_run(c) - c->within, n = c->end - c->position;
    n = n < left ? n : left;
    n = n < most ? n : most;
    c->position += n;
    c->within += n;
    if (n == left) {
        c->within = 0;
        if (++c->run == c->node->n)
            c->node = NULL;
    }
    return n;
}

size_t tf_cursor_next(struct tf_cursor *c, size_t most, ptrdiff_t *offset)
{
    size_t length = 0;
    while (length < most && c->position < c->end) {
        if (!c->node)
            look_up(c);
        if (length == 0)
            *offset = here(c);
        else if (here(c) != (ptrdiff_t)((size_t)*offset + length))
            break;
        length += pass(c, most - length);
    }
    return length;
}

/* The last one of a loop may go on in what comes behind it. */
size_t tf_cursor_repeat(struct tf_cursor *c, size_t length, size_t most, ptrdiff_t *stride)
{
    const struct tf_node *node = c->node;
    if (!node || node->kind != TF_NODE_LOOP || c->within > 0 || c->run == 0 || length != node->child->size)
        return 0;
    size_t left = c->end - c->position, n = node->n - 1 - c->run;
    most = (most < left ? most : left) / length;
    n = n < most ? n : most;
    c->run += n;
    c->position += n * length;
    *stride = node->stride;
    return n;
}

/* How many bytes there are to be moved; the cursor is moved. */
static size_t skip(struct tf_cursor *c, size_t length)
{
    size_t left = c->end - c->position, n = length < left ? length : left;
    tf_cursor_seek(c, c->position + n);
    return n;
}

size_t tf_cursor_read(struct tf_cursor *c, const void *buf, void *to, size_t length)
{
    size_t from = c->position, n = skip(c, length);
    tf_type_pack(c->type, buf, 0, from, to, n);
    return n;
}

size_t tf_cursor_write(struct tf_cursor *c, void *buf, const void *from, size_t length)
{
    size_t to = c->position, n = skip(c, length);
    tf_type_unpack(c->type, buf, 0, to, from, n);
    return n;
}

void tf_type_runs(const struct tf_type *type, uintptr_t buf, MPI_Count count, size_t pos, size_t len,
                  void (*run)(void *state, uintptr_t at, size_t length), void *state)
{
    struct tf_cursor c;
    ptrdiff_t offset;
    size_t n;
    tf_cursor_open(&c, type, count);
    tf_cursor_seek(&c, pos);
    for (; len > 0 && (n = tf_cursor_next(&c, len, &offset)) > 0; len -= n)
        run(state, buf + (uintptr_t)offset, n);
}
