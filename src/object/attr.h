/* attr.h - attribute caching (MPI-5.0 section 7.7): keys, and the attributes of any object.
 *
 * An object that caches attributes has a `struct tf_attrs *attrs`, NULL while it has none.  It calls tf_attrs_copy()
 * when it is duplicated and tf_attrs_delete_all() when it is freed; a callback's failure is returned as the code it
 * gave. Callbacks run with the big lock held and may call MPI.  Keyvals are ints, coded like handles; one is for the
 * objects of one kind.
 */
#ifndef TF_ATTR_H
#define TF_ATTR_H

#include "base/handle.h"

struct tf_attrs;

/* Copy what the copy callbacks let through, in the order in which it was set.  *to starts as NULL and does so again if
 * a callback fails.  `handle` is the object that is duplicated, `copy` the new one: what was copied before a failure is
 * deleted from it again. */
int tf_attrs_copy(const struct tf_attrs *from, uintptr_t handle, struct tf_attrs **to, uintptr_t copy);
/* Delete all, last set first, and with them *attrs.  A callback that fails keeps its attribute and the earlier ones. */
int tf_attrs_delete_all(struct tf_attrs **attrs, uintptr_t handle);
/* Forget all, without callbacks. */
void tf_attrs_discard(struct tf_attrs **attrs);

/* The destructor, if there is one, gets extra_state once: when the keyval was freed and no attribute uses it. */
typedef void tf_attr_function(void);
int tf_keyval_create(enum tf_kind owner, tf_attr_function *copy_fn, tf_attr_function *delete_fn,
                     MPIX_Destructor_function *destructor, void *extra_state, int *keyval);
int tf_keyval_free(enum tf_kind owner, int *keyval);
/* `handle` is that of the object, which has these attributes and is of the kind `owner`. */
int tf_attrs_set(struct tf_attrs **attrs, enum tf_kind owner, uintptr_t handle, int keyval, void *value);
int tf_attrs_get(const struct tf_attrs *attrs, enum tf_kind owner, int keyval, void *value, int *flag);
int tf_attrs_delete(struct tf_attrs **attrs, enum tf_kind owner, uintptr_t handle, int keyval);

/* tf_comm_create_keyval() and so on, as MPI_Comm_create_keyval has it, for each class that caches attributes. */
#define TF_ATTRIBUTES(object, KIND, Stem, ctype, words)                                                                \
    static inline int tf_##object##_create_keyval_x(                                                                   \
        MPI_##Stem##_copy_attr_function *copy_fn, MPI_##Stem##_delete_attr_function *delete_fn,                        \
        MPIX_Destructor_function *destructor, void *extra_state, int *keyval)                                          \
    {                                                                                                                  \
        return tf_keyval_create(TF_KIND_##KIND, (tf_attr_function *)copy_fn, (tf_attr_function *)delete_fn,            \
                                destructor, extra_state, keyval);                                                      \
    }                                                                                                                  \
    static inline int tf_##object##_create_keyval(MPI_##Stem##_copy_attr_function *copy_fn,                            \
                                                  MPI_##Stem##_delete_attr_function *delete_fn, int *keyval,           \
                                                  void *extra_state)                                                   \
    {                                                                                                                  \
        return tf_##object##_create_keyval_x(copy_fn, delete_fn, NULL, extra_state, keyval);                           \
    }                                                                                                                  \
    static inline int tf_##object##_free_keyval(int *keyval)                                                           \
    {                                                                                                                  \
        return tf_keyval_free(TF_KIND_##KIND, keyval);                                                                 \
    }
#include "base/gen/handles.def"

#endif
