/* accumulate.c - exact sums as a program sees them.  See accumulate.h.
 */
#include "op/accumulate.h"

#include "object/name.h"
#include "type/construct.h"
#include "type/contents.h"

static int check_form(const struct tf_type *type, struct tf_binned_form *form)
{
    *form = tf_binned_form((enum tf_basic)type->basic);
    if (form->parts)
        return MPI_SUCCESS;
    return tf_error(
        MPI_ERR_TYPE,
        "there are no accumulators for sums of %s; there are for MPI_DOUBLE, MPI_FLOAT, their complex types, "
        "and Fortran's names of these",
        tf_type_describe(type));
}

int tf_type_create_binned(const struct tf_type *type, MPI_Datatype *newtype)
{
    struct tf_binned_form form;
    MPI_Datatype handle;
    int err = check_form(type, &form);
    if (!err)
        err = tf_type_contiguous(form.parts * (MPI_Count)sizeof(struct tf_binned), tf_type_find(MPI_BYTE), &handle,
                                 false);
    if (err)
        return err;
    struct tf_type *binned = tf_type_find(handle);
    err = tf_type_commit(binned);
    if (err) {
        tf_type_free(binned);
        return err;
    }
    binned->basic = form.parts == 1 ? TF_BINNED : TF_COMPLEX_BINNED;
    tf_name_set(binned->contents->name, form.parts == 1 ? "MPIX_Binned" : "MPIX_Binned[2]");
    *newtype = handle;
    return MPI_SUCCESS;
}

int tf_binned_add_buffer(const void *buf, MPI_Count count, const struct tf_type *type, void *accumulator)
{
    struct tf_binned_form form;
    struct tf_binned sum[2];
    int err = check_form(type, &form);
    if (err)
        return err;
    memcpy(sum, accumulator, (size_t)form.parts * sizeof *sum);
    tf_binned_add_all(sum, form, buf, (size_t)count);
    memcpy(accumulator, sum, (size_t)form.parts * sizeof *sum);
    return MPI_SUCCESS;
}

int tf_binned_value_buffer(const void *accumulators, MPI_Count count, const struct tf_type *type, void *values)
{
    struct tf_binned_form form;
    int err = check_form(type, &form);
    if (!err)
        tf_binned_to(values, form, accumulators, (size_t)count);
    return err;
}

void tf_binned_local(const void *in, void *inout, size_t n, struct tf_binned_form form)
{
    size_t width = (size_t)form.parts * (form.single ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < n; i++) {
        struct tf_binned sum[2] = {{0}};
        tf_binned_add_all(sum, form, (const char *)in + i * width, 1);
        tf_binned_add_all(sum, form, (char *)inout + i * width, 1);
        tf_binned_to((char *)inout + i * width, form, sum, 1);
    }
}
