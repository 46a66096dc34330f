/* type.c - the life of a datatype: references, commit, free, duplicate, name, the simple queries.
 *
 * A type lives while a user, another type or an operation refers to it.  Users' references are counted apart, so that
 * freeing once too often is an error even while the object lives.
 */
#include "object/attr.h"
#include "type/build.h"
#include "type/construct.h"
#include "type/contents.h"

#include <stdio.h>

static bool is_predefined(const struct tf_type *type)
{
    return type->obj.handle < 4096;
}

static bool is_f90(const struct tf_type *type)
{
    return type->contents->combiner >= MPI_COMBINER_F90_REAL && type->contents->combiner <= MPI_COMBINER_F90_INTEGER;
}

void tf_type_retain(struct tf_type *type)
{
    if (!is_predefined(type))
        type->obj.refs++;
}

void tf_type_release(struct tf_type *type)
{
    struct tf_type_contents *contents = type->contents;
    if (is_predefined(type) || --type->obj.refs > 0)
        return;
    for (MPI_Count i = 0; i < contents->ntypes; i++)
        if (contents->types[i])
            tf_type_release(contents->types[i]);
    if (contents->inner)
        tf_type_release(contents->inner);
    tf_attrs_discard(&type->attrs);
    tf_build_free(type->nest.chunks);
    free(contents);
    tf_pool_give(&tf_type_pool, type);
}

const char *tf_type_describe(const struct tf_type *type)
{
    static const char *const made_by[] = {
        [MPI_COMBINER_DUP - MPI_COMBINER_NAMED] = "a derived datatype (dup)",
        [MPI_COMBINER_CONTIGUOUS - MPI_COMBINER_NAMED] = "a derived datatype (contiguous)",
        [MPI_COMBINER_VECTOR - MPI_COMBINER_NAMED] = "a derived datatype (vector)",
        [MPI_COMBINER_HVECTOR - MPI_COMBINER_NAMED] = "a derived datatype (hvector)",
        [MPI_COMBINER_INDEXED - MPI_COMBINER_NAMED] = "a derived datatype (indexed)",
        [MPI_COMBINER_HINDEXED - MPI_COMBINER_NAMED] = "a derived datatype (hindexed)",
        [MPI_COMBINER_INDEXED_BLOCK - MPI_COMBINER_NAMED] = "a derived datatype (indexed_block)",
        [MPI_COMBINER_HINDEXED_BLOCK - MPI_COMBINER_NAMED] = "a derived datatype (hindexed_block)",
        [MPI_COMBINER_STRUCT - MPI_COMBINER_NAMED] = "a derived datatype (struct)",
        [MPI_COMBINER_SUBARRAY - MPI_COMBINER_NAMED] = "a derived datatype (subarray)",
        [MPI_COMBINER_DARRAY - MPI_COMBINER_NAMED] = "a derived datatype (darray)",
        [MPI_COMBINER_F90_REAL - MPI_COMBINER_NAMED] = "a datatype of MPI_Type_create_f90_real",
        [MPI_COMBINER_F90_COMPLEX - MPI_COMBINER_NAMED] = "a datatype of MPI_Type_create_f90_complex",
        [MPI_COMBINER_F90_INTEGER - MPI_COMBINER_NAMED] = "a datatype of MPI_Type_create_f90_integer",
        [MPI_COMBINER_RESIZED - MPI_COMBINER_NAMED] = "a derived datatype (resized)",
    };
    if (type->contents->name[0])
        return type->contents->name;
    return made_by[type->contents->combiner - MPI_COMBINER_NAMED];
}

bool tf_type_is_marker(const struct tf_type *type)
{
    return is_predefined(type) && type->size == 0;
}

int tf_type_commit(struct tf_type *type)
{
    if (tf_type_is_marker(type))
        return MPI_SUCCESS;
    int err = type->committed ? MPI_SUCCESS : tf_type_lay_out(type);
    if (!err)
        type->committed = true;
    return err;
}

int tf_type_free(struct tf_type *type)
{
    if (is_predefined(type))
        return tf_error(MPI_ERR_TYPE, "datatype is %s, which is predefined and cannot be freed", type->contents->name);
    if (is_f90(type))
        return tf_error(MPI_ERR_TYPE, "datatype is %s, which cannot be freed", tf_type_describe(type));
    if (type->contents->handles == 0)
        return tf_error(MPI_ERR_TYPE, "datatype %#x was freed already; another datatype or an operation still uses it",
                        type->obj.handle);
    if (type->contents->handles == 1) {
        int err = tf_attrs_delete_all(&type->attrs, type->obj.handle);
        if (err)
            return err;
    }
    type->contents->handles--;
    tf_type_release(type);
    return MPI_SUCCESS;
}

int tf_type_get_attr(const struct tf_type *type, int keyval, void *value, int *flag)
{
    return tf_attrs_get(type->attrs, TF_KIND_TYPE, keyval, value, flag);
}

int tf_type_size(const struct tf_type *type, MPI_Count *size)
{
    *size = type->size;
    return MPI_SUCCESS;
}

int tf_type_get_extent(const struct tf_type *type, MPI_Count *lb, MPI_Count *extent)
{
    *lb = type->lb;
    *extent = type->extent;
    return MPI_SUCCESS;
}

int tf_type_extent(const struct tf_type *type, MPI_Count *extent)
{
    *extent = type->extent;
    return MPI_SUCCESS;
}

int tf_type_lb(const struct tf_type *type, MPI_Count *displacement)
{
    *displacement = type->lb;
    return MPI_SUCCESS;
}

int tf_type_ub(const struct tf_type *type, MPI_Count *displacement)
{
    *displacement = type->lb + type->extent;
    return MPI_SUCCESS;
}

int tf_type_get_true_extent(const struct tf_type *type, MPI_Count *true_lb, MPI_Count *true_extent)
{
    *true_lb = type->true_lb;
    *true_extent = type->true_extent;
    return MPI_SUCCESS;
}
