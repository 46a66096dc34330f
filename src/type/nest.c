/* nest.c - from a type's blocks to its nest of loops: what MPI_Type_commit does.
 *
 * A block is its child's nest repeated at the child's extent; equal blocks are the first one repeated, at a stride or
 * at places; other types are lists of blocks.  Nothing is written out of which a count says how much it is.
 */
#include "type/build.h"
#include "type/contents.h"

static bool is_empty(const struct tf_block *block)
{
    return block->count == 0 || block->child->size == 0;
}

static int lay_out_block(struct tf_build *build, const struct tf_block *block, struct tf_term *term)
{
    const struct tf_nest *child = &block->child->nest;
    *term = (struct tf_term){block->offset + child->offset, (size_t)block->child->size,
                             child->element->kind == TF_NODE_LEAF ? NULL : child->element};
    return tf_build_repeat(build, term, (size_t)block->count, block->child->extent);
}

/* The first block repeated at the places of the others. */
static int lay_out_equal(struct tf_build *build, const struct tf_blocks *blocks, struct tf_term *term)
{
    struct tf_block first = {0, blocks->lengths[0], blocks->children[0]};
    int err = lay_out_block(build, &first, term);
    if (err)
        return err;
    if (!blocks->units)
        return tf_build_repeat(build, term, (size_t)blocks->n, blocks->n > 1 ? blocks->stride * blocks->unit : 0);
    return tf_build_scatter(build, term, (size_t)blocks->n, blocks->units, blocks->unit);
}

/* A block of such a child is one run. */
static bool is_gapless(const struct tf_type *child)
{
    return child->nest.element->kind == TF_NODE_LEAF && child->extent == child->size;
}

static int push_block(struct tf_build *build, struct tf_build_list *list, const struct tf_block *block)
{
    struct tf_term term;
    int err = lay_out_block(build, block, &term);
    return err ? err : tf_build_push(list, &term);
}

static int lay_out_list(struct tf_build *build, const struct tf_blocks *blocks, struct tf_term *term)
{
    struct tf_build_list list = {0};
    struct tf_block block;
    int err = tf_build_reserve(&list, (size_t)blocks->n);

    for (MPI_Count i = 0; i < blocks->n && !err; i++) {
        tf_blocks_get(blocks, i, &block);
        if (is_empty(&block))
            continue;
        if (!is_gapless(block.child))
            err = push_block(build, &list, &block);
        else if (!(err = tf_build_reserve(&list, 1)))
            tf_build_put_run(&list, block.offset + block.child->nest.offset, (size_t)(block.count * block.child->size));
    }
    if (!err)
        err = tf_build_join(build, &list, term);
    free(list.terms);
    return err;
}

/* All blocks but one are empty: that one is taken as it is. */
static bool find_only_block(const struct tf_blocks *blocks, struct tf_block *only)
{
    MPI_Count found = 0;
    struct tf_block block;
    for (MPI_Count i = 0; i < blocks->n && found < 2; i++) {
        tf_blocks_get(blocks, i, &block);
        if (is_empty(&block))
            continue;
        *only = block;
        found++;
    }
    return found == 1;
}

static int lay_out_children(struct tf_type *type)
{
    struct tf_type_contents *contents = type->contents;
    int err = contents->inner ? tf_type_lay_out(contents->inner) : MPI_SUCCESS;
    for (MPI_Count i = 0; i < contents->ntypes && !contents->inner && !err; i++)
        err = tf_type_lay_out(contents->types[i]);
    return err;
}

/* The elements in a row: one run if there is no gap, one loop if the element is one that its extent continues. */
static struct tf_node endless(const struct tf_node *element, ptrdiff_t extent)
{
    struct tf_node all = {.size = SIZE_MAX, .runs = SIZE_MAX};
    if (element->kind == TF_NODE_LEAF && extent == (ptrdiff_t)element->size) {
        all.kind = TF_NODE_LEAF;
        all.n = 1;
        return all;
    }
    bool continued = element->kind == TF_NODE_LOOP && extent == (ptrdiff_t)(element->n * (size_t)element->stride);
    all.kind = TF_NODE_LOOP;
    all.n = SIZE_MAX;
    all.stride = continued ? element->stride : extent;
    all.child = continued ? element->child : element;
    return all;
}

int tf_type_lay_out(struct tf_type *type)
{
    struct tf_build build = {0};
    struct tf_block block;
    struct tf_term term;

    if (type->nest.element || type->size == 0) {
        type->dense |= type->size == 0;
        return MPI_SUCCESS;
    }
    int err = lay_out_children(type);
    if (err)
        return err;
    struct tf_blocks blocks = tf_type_blocks(type);
    if (tf_blocks_are_equal(&blocks))
        err = lay_out_equal(&build, &blocks, &term);
    else if (find_only_block(&blocks, &block))
        err = lay_out_block(&build, &block, &term);
    else
        err = lay_out_list(&build, &blocks, &term);
    const struct tf_node *element = err ? NULL : tf_build_node(&build, &term);
    if (!element) {
        tf_build_free(build.chunks);
        return MPI_ERR_NO_MEM;
    }
    type->nest = (struct tf_nest){element, term.offset, endless(element, type->extent), build.chunks};
    type->dense = type->nest.elements.kind == TF_NODE_LEAF;
    return MPI_SUCCESS;
}
