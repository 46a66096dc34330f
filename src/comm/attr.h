/* attr.h - attribute caching (MPI-5.0 section 7.7): keyvals, and the attributes of communicators and datatypes.
 *
 * An object that caches attributes has a `struct tf_attrs *attrs`, NULL while it has none.  It calls tf_attrs_copy()
 * when it is duplicated and tf_attrs_delete_all() when it is freed; a callback's failure is returned as the code it
 * gave. Callbacks run with the big lock held and may call MPI.  Keyvals are ints, coded like handles.
 */
#ifndef TF_ATTR_H
#define TF_ATTR_H

#include "base/handle.h"

struct tf_comm;
struct tf_type;
struct tf_attrs;

/* Copy what the copy callbacks let through, in the order in which it was set.  *to starts as NULL and does so again if
 * a callback fails.  `handle` is the object that is duplicated, `copy` the new one: what was copied before a failure is
 * deleted from it again. */
int tf_attrs_copy(const struct tf_attrs *from, uintptr_t handle, struct tf_attrs **to, uintptr_t copy);
/* Delete all, last set first, and with them *attrs.  A callback that fails keeps its attribute and the earlier ones. */
int tf_attrs_delete_all(struct tf_attrs **attrs, uintptr_t handle);
/* Forget all, without callbacks. */
void tf_attrs_discard(struct tf_attrs **attrs);

int tf_comm_create_keyval(MPI_Comm_copy_attr_function *copy_fn, MPI_Comm_delete_attr_function *delete_fn, int *keyval,
                          void *extra_state);
/* The destructor, if there is one, gets extra_state once: when the keyval was freed and no attribute uses it. */
int tf_comm_create_keyval_x(MPI_Comm_copy_attr_function *copy_fn, MPI_Comm_delete_attr_function *delete_fn,
                            MPIX_Destructor_function *destructor, void *extra_state, int *keyval);
int tf_comm_free_keyval(int *keyval);
int tf_comm_set_attr(struct tf_comm *comm, int keyval, void *value);
int tf_comm_get_attr(struct tf_comm *comm, int keyval, void *value, int *flag);
int tf_comm_delete_attr(struct tf_comm *comm, int keyval);

int tf_type_create_keyval(MPI_Type_copy_attr_function *copy_fn, MPI_Type_delete_attr_function *delete_fn, int *keyval,
                          void *extra_state);
int tf_type_create_keyval_x(MPI_Type_copy_attr_function *copy_fn, MPI_Type_delete_attr_function *delete_fn,
                            MPIX_Destructor_function *destructor, void *extra_state, int *keyval);
int tf_type_free_keyval(int *keyval);
int tf_type_set_attr(struct tf_type *type, int keyval, void *value);
int tf_type_get_attr(struct tf_type *type, int keyval, void *value, int *flag);
int tf_type_delete_attr(struct tf_type *type, int keyval);

#endif
