/* f90.c - the datatypes of Fortran's numbers by decimal precision and range (MPI-5.0 section 19.1.9).
 *
 * One for each pair of arguments, made when it is first asked for and never freed: the standard wants the same handle
 * for the same arguments, and forbids to free it.  It is a copy of a predefined datatype that tells its arguments.
 */
#include "type/construct.h"
#include "type/contents.h"

/* What the kinds of x86-64's Fortran compilers hold; SELECTED_REAL_KIND takes the first that is enough. */
static const struct model {
    int combiner, precision, range;
    MPI_Datatype same;
} models[] = {
    {MPI_COMBINER_F90_INTEGER, 0, 2, MPI_INTEGER1},
    {MPI_COMBINER_F90_INTEGER, 0, 4, MPI_INTEGER2},
    {MPI_COMBINER_F90_INTEGER, 0, 9, MPI_INTEGER4},
    {MPI_COMBINER_F90_INTEGER, 0, 18, MPI_INTEGER8},
    {MPI_COMBINER_F90_INTEGER, 0, 38, MPI_INTEGER16},
    {MPI_COMBINER_F90_REAL, 6, 37, MPI_REAL4},
    {MPI_COMBINER_F90_REAL, 15, 307, MPI_REAL8},
    {MPI_COMBINER_F90_REAL, 18, 4931, MPI_LONG_DOUBLE},
    {MPI_COMBINER_F90_REAL, 33, 4931, MPI_REAL16},
    {MPI_COMBINER_F90_COMPLEX, 6, 37, MPI_COMPLEX8},
    {MPI_COMBINER_F90_COMPLEX, 15, 307, MPI_COMPLEX16},
    {MPI_COMBINER_F90_COMPLEX, 18, 4931, MPI_C_LONG_DOUBLE_COMPLEX},
    {MPI_COMBINER_F90_COMPLEX, 33, 4931, MPI_COMPLEX32},
};

static struct made {
    struct made *next;
    int combiner, precision, range;
    MPI_Datatype handle;
} * all_made;
uint32_t tf_type_f90_made;

static struct tf_type *find_model(int combiner, int precision, int range)
{
    for (size_t i = 0; i < TF_ARRAY_LEN(models); i++) {
        const struct model *m = &models[i];
        if (m->combiner == combiner && precision <= m->precision && range <= m->range && tf_type_find(m->same))
            return tf_type_find(m->same);
    }
    return NULL;
}

/* An integer has one argument, the others two. */
static int make(int combiner, int precision, int range, struct tf_type *model, MPI_Datatype *newtype)
{
    struct made *made = tf_alloc(sizeof *made, "a Fortran datatype");
    struct tf_type *type = made ? tf_type_begin(combiner, combiner == MPI_COMBINER_F90_INTEGER ? 1 : 2, 0) : NULL;
    int err = type ? MPI_SUCCESS : MPI_ERR_NO_MEM;

    if (!err) {
        MPI_Count *args = type->contents->args;
        if (combiner != MPI_COMBINER_F90_INTEGER)
            *args++ = precision;
        *args = range;
        type->contents->inner = model;
        type->basic = model->basic;
        err = tf_type_finish(type, MPI_SUCCESS, newtype);
    }
    if (!err && (err = tf_type_commit(type)))
        tf_type_release(type);
    if (err) {
        free(made);
        return err;
    }
    *made = (struct made){all_made, combiner, precision, range, *newtype};
    all_made = made;
    tf_type_f90_made++;
    return MPI_SUCCESS;
}

/* MPI_UNDEFINED is a negative number: any precision or range is enough. */
static int find(const char *what, int combiner, int precision, int range, MPI_Datatype *newtype)
{
    for (const struct made *m = all_made; m; m = m->next) {
        if (m->combiner == combiner && m->precision == precision && m->range == range) {
            *newtype = m->handle;
            return MPI_SUCCESS;
        }
    }
    struct tf_type *model = find_model(combiner, precision, range);
    if (!model && combiner == MPI_COMBINER_F90_INTEGER)
        return tf_error(MPI_ERR_ARG, "no Fortran INTEGER has %d decimal digits", range);
    if (!model)
        return tf_error(MPI_ERR_ARG, "no Fortran %s has %d decimal digits and a range of 10**%d", what, precision,
                        range);
    MPI_Datatype made;
    int err = make(combiner, precision, range, model, &made);
    if (!err)
        *newtype = made;
    return err;
}

int tf_type_create_f90_integer(int r, MPI_Datatype *newtype)
{
    return find("INTEGER", MPI_COMBINER_F90_INTEGER, MPI_UNDEFINED, r, newtype);
}

static int check_defined(int p, int r)
{
    return p != MPI_UNDEFINED || r != MPI_UNDEFINED ? MPI_SUCCESS
                                                    : tf_error(MPI_ERR_ARG, "p and r are both MPI_UNDEFINED");
}

int tf_type_create_f90_real(int p, int r, MPI_Datatype *newtype)
{
    int err = check_defined(p, r);
    return err ? err : find("REAL", MPI_COMBINER_F90_REAL, p, r, newtype);
}

int tf_type_create_f90_complex(int p, int r, MPI_Datatype *newtype)
{
    int err = check_defined(p, r);
    return err ? err : find("COMPLEX", MPI_COMBINER_F90_COMPLEX, p, r, newtype);
}
