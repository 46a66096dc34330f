/* attributes.c - attributes and their callbacks, with the address-sized values of MPI-2 and with the INTEGER values of
 * the deprecated procedures.
 */
#include "boxes.h"
#include "fortran.h"

#define TF_ATTRIBUTES(Stem, ...)                                                                                       \
    extern __typeof(MPIX_##Stem##_create_keyval_x) MPIX_##Stem##_create_keyval_x __attribute__((weak));
#include "handles.def"

/* ---- the callbacks of a keyval ---- */

typedef void fortran_copy(MPI_Fint *object, MPI_Fint *keyval, MPI_Aint *extra_state, MPI_Aint *in, MPI_Aint *out,
                          MPI_Fint *flag, MPI_Fint *ierror);
typedef void fortran_delete(MPI_Fint *object, MPI_Fint *keyval, MPI_Aint *value, MPI_Aint *extra_state,
                            MPI_Fint *ierror);
typedef void fortran_copy10(MPI_Fint *object, MPI_Fint *keyval, MPI_Fint *extra_state, MPI_Fint *in, MPI_Fint *out,
                            MPI_Fint *flag, MPI_Fint *ierror);
typedef void fortran_delete10(MPI_Fint *object, MPI_Fint *keyval, MPI_Fint *value, MPI_Fint *extra_state,
                              MPI_Fint *ierror);

struct keyval {
    tf_function *copy, *delete;
    MPI_Aint extra_state;
    bool integers; /* of MPI_KEYVAL_CREATE: the functions take INTEGER values */
};

static int call_copy(MPI_Fint object, MPI_Fint key, void *extra_state, void *value, void *result, int *flag)
{
    struct keyval *k = extra_state;
    MPI_Aint in = tf_unbox(key, value), out = 0;
    MPI_Fint logical = TF_FORTRAN_FALSE, ierror = MPI_SUCCESS;

    if (k->integers) {
        MPI_Fint extra10 = (MPI_Fint)k->extra_state, in10 = (MPI_Fint)in, out10 = 0;
        ((fortran_copy10 *)k->copy)(&object, &key, &extra10, &in10, &out10, &logical, &ierror);
        out = out10;
    } else {
        ((fortran_copy *)k->copy)(&object, &key, &k->extra_state, &in, &out, &logical, &ierror);
    }
    *flag = tf_logical_c(logical);
    if (ierror != MPI_SUCCESS || !*flag)
        return ierror;
    /* A pointer that C set and that is copied as it is stays one. */
    void *copy = out == (MPI_Aint)value && !tf_is_box(value) ? value : tf_box(out);
    *(void **)result = copy;
    return copy || out == 0 ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int call_delete(MPI_Fint object, MPI_Fint key, void *value, void *extra_state)
{
    struct keyval *k = extra_state;
    MPI_Aint old = tf_unbox(key, value);
    MPI_Fint ierror = MPI_SUCCESS;

    if (k->integers) {
        MPI_Fint extra10 = (MPI_Fint)k->extra_state, old10 = (MPI_Fint)old;
        ((fortran_delete10 *)k->delete)(&object, &key, &old10, &extra10, &ierror);
    } else {
        ((fortran_delete *)k->delete)(&object, &key, &old, &k->extra_state, &ierror);
    }
    if (ierror == MPI_SUCCESS)
        tf_box_free(value);
    return ierror;
}

static struct keyval *new_keyval(tf_function *copy, tf_function *delete, MPI_Aint extra_state, bool integers)
{
    struct keyval *k = malloc(sizeof *k);
    if (k)
        *k = (struct keyval){copy, delete, extra_state, integers};
    return k;
}

/* Without the extension, what a keyval has is never freed: nothing tells when its last attribute is gone. */
#define TF_ATTRIBUTES(Stem, stem, STEM, ctype, argument)                                                               \
    static int copy_##stem(ctype object, int keyval, void *extra_state, void *in, void *out, int *flag)                \
    {                                                                                                                  \
        return call_copy(tf_##stem##_f(object), keyval, extra_state, in, out, flag);                                   \
    }                                                                                                                  \
    static int delete_##stem(ctype object, int keyval, void *value, void *extra_state)                                 \
    {                                                                                                                  \
        return call_delete(tf_##stem##_f(object), keyval, value, extra_state);                                         \
    }                                                                                                                  \
    static void create_##stem(struct keyval *k, MPI_Fint *keyval, MPI_Fint *ierror)                                    \
    {                                                                                                                  \
        int key;                                                                                                       \
        if (!k)                                                                                                        \
            *ierror = tf_no_memory("MPI_" #Stem "_create_keyval");                                                     \
        else if (MPIX_##Stem##_create_keyval_x)                                                                        \
            *ierror = MPIX_##Stem##_create_keyval_x(copy_##stem, delete_##stem, free, k, &key);                        \
        else                                                                                                           \
            *ierror = MPI_##Stem##_create_keyval(copy_##stem, delete_##stem, &key, k);                                 \
        if (*ierror == MPI_SUCCESS)                                                                                    \
            *keyval = key;                                                                                             \
        else                                                                                                           \
            free(k);                                                                                                   \
    }                                                                                                                  \
    TF_PUBLIC void FC_FUNC_(pmpi_##stem##_create_keyval, PMPI_##STEM##_CREATE_KEYVAL)(                                 \
        tf_function * copy_fn, tf_function * delete_fn, MPI_Fint * keyval, MPI_Aint * extra_state, MPI_Fint * ierror)  \
    {                                                                                                                  \
        create_##stem(new_keyval(copy_fn, delete_fn, *extra_state, false), keyval, ierror);                            \
    }                                                                                                                  \
    TF_ALIAS(mpi_##stem##_create_keyval, MPI_##STEM##_CREATE_KEYVAL)
#include "handles.def"

TF_PUBLIC void FC_FUNC_(pmpi_keyval_create, PMPI_KEYVAL_CREATE)(tf_function *copy_fn, tf_function *delete_fn,
                                                                MPI_Fint *keyval, MPI_Fint *extra_state,
                                                                MPI_Fint *ierror)
{
    create_comm(new_keyval(copy_fn, delete_fn, *extra_state, true), keyval, ierror);
}
TF_ALIAS(mpi_keyval_create, MPI_KEYVAL_CREATE)

/* ---- values ---- */

#define TF_ATTRIBUTES(Stem, stem, STEM, ctype, argument)                                                               \
    TF_PUBLIC void FC_FUNC_(pmpi_##stem##_set_attr, PMPI_##STEM##_SET_ATTR)(                                           \
        MPI_Fint * argument, MPI_Fint * keyval, MPI_Aint * attribute_val, MPI_Fint * ierror)                           \
    {                                                                                                                  \
        void *box = tf_box(*attribute_val);                                                                            \
        *ierror = box ? MPI_##Stem##_set_attr(tf_##stem##_c(*argument), *keyval, box)                                  \
                      : tf_no_memory("MPI_" #Stem "_set_attr");                                                        \
        if (*ierror != MPI_SUCCESS)                                                                                    \
            tf_box_free(box);                                                                                          \
    }                                                                                                                  \
    TF_ALIAS(mpi_##stem##_set_attr, MPI_##STEM##_SET_ATTR)                                                             \
    TF_PUBLIC void FC_FUNC_(pmpi_##stem##_get_attr, PMPI_##STEM##_GET_ATTR)(                                           \
        MPI_Fint * argument, MPI_Fint * keyval, MPI_Aint * attribute_val, MPI_Fint * flag, MPI_Fint * ierror)          \
    {                                                                                                                  \
        void *value = NULL;                                                                                            \
        int flag_c = TF_UNSET;                                                                                         \
        *ierror = MPI_##Stem##_get_attr(tf_##stem##_c(*argument), *keyval, &value, &flag_c);                           \
        tf_set_logical(flag, flag_c);                                                                                  \
        if (*ierror == MPI_SUCCESS && flag_c)                                                                          \
            *attribute_val = tf_unbox(*keyval, value);                                                                 \
    }                                                                                                                  \
    TF_ALIAS(mpi_##stem##_get_attr, MPI_##STEM##_GET_ATTR)
#include "handles.def"

TF_PUBLIC void FC_FUNC_(pmpi_attr_put, PMPI_ATTR_PUT)(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *attribute_val,
                                                      MPI_Fint *ierror)
{
    void *box = tf_box(*attribute_val);
    *ierror = box ? MPI_Attr_put(tf_comm_c(*comm), *keyval, box) : tf_no_memory("MPI_Attr_put");
    if (*ierror != MPI_SUCCESS)
        tf_box_free(box);
}
TF_ALIAS(mpi_attr_put, MPI_ATTR_PUT)

TF_PUBLIC void FC_FUNC_(pmpi_attr_get, PMPI_ATTR_GET)(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *attribute_val,
                                                      MPI_Fint *flag, MPI_Fint *ierror)
{
    void *value = NULL;
    int flag_c = TF_UNSET;
    *ierror = MPI_Attr_get(tf_comm_c(*comm), *keyval, &value, &flag_c);
    tf_set_logical(flag, flag_c);
    if (*ierror == MPI_SUCCESS && flag_c)
        *attribute_val = (MPI_Fint)tf_unbox(*keyval, value);
}
TF_ALIAS(mpi_attr_get, MPI_ATTR_GET)

/* ---- the predefined functions: as a program might write them, so that nothing has to recognise them ---- */

#define PREDEFINED(lower, UPPER, value)                                                                                \
    TF_PUBLIC void FC_FUNC_(lower##null_copy_fn, UPPER##NULL_COPY_FN)(MPI_Fint * object, MPI_Fint * keyval,            \
                                                                      value * extra_state, value * in, value * out,    \
                                                                      MPI_Fint * flag, MPI_Fint * ierror)              \
    {                                                                                                                  \
        (void)object, (void)keyval, (void)extra_state, (void)in, (void)out;                                            \
        *flag = TF_FORTRAN_FALSE;                                                                                      \
        *ierror = MPI_SUCCESS;                                                                                         \
    }                                                                                                                  \
    TF_OTHERS(lower##null_copy_fn, UPPER##NULL_COPY_FN)                                                                \
    TF_PUBLIC void FC_FUNC_(lower##dup_fn, UPPER##DUP_FN)(MPI_Fint * object, MPI_Fint * keyval, value * extra_state,   \
                                                          value * in, value * out, MPI_Fint * flag, MPI_Fint * ierror) \
    {                                                                                                                  \
        (void)object, (void)keyval, (void)extra_state;                                                                 \
        *out = *in;                                                                                                    \
        *flag = TF_FORTRAN_TRUE;                                                                                       \
        *ierror = MPI_SUCCESS;                                                                                         \
    }                                                                                                                  \
    TF_OTHERS(lower##dup_fn, UPPER##DUP_FN)                                                                            \
    TF_PUBLIC void FC_FUNC_(lower##null_delete_fn, UPPER##NULL_DELETE_FN)(                                             \
        MPI_Fint * object, MPI_Fint * keyval, value * old, value * extra_state, MPI_Fint * ierror)                     \
    {                                                                                                                  \
        (void)object, (void)keyval, (void)old, (void)extra_state;                                                      \
        *ierror = MPI_SUCCESS;                                                                                         \
    }                                                                                                                  \
    TF_OTHERS(lower##null_delete_fn, UPPER##NULL_DELETE_FN)
PREDEFINED(mpi_, MPI_, MPI_Fint)
#define TF_PREDEFINED(STEM, stem) PREDEFINED(mpi_##stem##_, MPI_##STEM##_, MPI_Aint)
#include "handles.def"
