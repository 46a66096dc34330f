/* attr.c - attributes: each object has a short list of (keyval, value), in the order in which they were set.
 *
 * A keyval lives as long as its handle is not freed or an attribute uses it.  Callbacks may themselves set, delete and
 * free: no list is walked across a callback, each round starts from the list as it then is.
 */
#include "comm/attr.h"

#include "comm/comm.h"
#include "comm/error_class.h"
#include "launch/launch.h"
#include "net/net.h"
#include "type/type.h"

enum owner { ON_COMM, ON_TYPE };

struct keyval {
    struct tf_object obj;
    enum owner owner;
    bool freed; /* by the user; obj.refs counts the attributes too */
    union {
        MPI_Comm_copy_attr_function *comm;
        MPI_Type_copy_attr_function *type;
    } copy;
    union {
        MPI_Comm_delete_attr_function *comm;
        MPI_Type_delete_attr_function *type;
    } del;
    MPIX_Destructor_function *destructor; /* of extra_state */
    void *extra_state;
};

struct attr {
    struct keyval *keyval; /* a reference */
    void *value;
};

struct tf_attrs {
    int n, cap;
    struct attr *list;
};

struct tf_pool tf_keyval_pool = {.what = "attribute key", .kind = TF_KIND_KEYVAL, .size = sizeof(struct keyval)};

static const char *const owner_words[] = {[ON_COMM] = "communicators", [ON_TYPE] = "datatypes"};

/* ---- keyvals ---- */

static void keyval_release(struct keyval *keyval)
{
    if (--keyval->obj.refs > 0)
        return;
    MPIX_Destructor_function *destructor = keyval->destructor;
    void *extra_state = keyval->extra_state;
    tf_pool_give(&tf_keyval_pool, keyval);
    if (destructor)
        destructor(extra_state);
}

static int keyval_find(int keyval, enum owner owner, struct keyval **found)
{
    struct keyval *k = keyval > 0 ? tf_pool_find(&tf_keyval_pool, (uintptr_t)keyval) : NULL;
    if (keyval >= MPI_TAG_UB && keyval <= MPI_WIN_MODEL)
        return tf_error(MPI_ERR_KEYVAL, "keyval is a predefined one (%d), whose attribute cannot be changed here",
                        keyval);
    if (!k)
        return tf_error(MPI_ERR_KEYVAL, "keyval is %s",
                        keyval < 0 ? "negative" : tf_handle_describe(&tf_keyval_pool, (uintptr_t)keyval));
    if (k->owner != owner)
        return tf_error(MPI_ERR_KEYVAL, "keyval is one for %s, not for %s", owner_words[k->owner], owner_words[owner]);
    *found = k;
    return MPI_SUCCESS;
}

static struct keyval *keyval_create(enum owner owner, MPIX_Destructor_function *destructor, void *extra_state,
                                    int *keyval)
{
    struct keyval *k = tf_pool_take(&tf_keyval_pool);
    if (k) {
        k->owner = owner;
        k->destructor = destructor;
        k->extra_state = extra_state;
        *keyval = (int)k->obj.handle;
    }
    return k;
}

static int keyval_free(int *keyval, enum owner owner)
{
    struct keyval *k;
    int err = keyval_find(*keyval, owner, &k);
    if (err)
        return err;
    if (k->freed)
        return tf_error(MPI_ERR_KEYVAL, "keyval 0x%x was freed before and lives on only in attributes", *keyval);
    k->freed = true;
    keyval_release(k);
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/* ---- callbacks ---- */

static int call_copy(const struct attr *attr, uintptr_t handle, void **value, int *flag)
{
    struct keyval *k = attr->keyval;
    int key = (int)k->obj.handle, err = MPI_SUCCESS;
    *flag = 0;
    /* MPI_COMM_NULL_COPY_FN and MPI_TYPE_NULL_COPY_FN are 0, the ..._DUP_FN are 1: no functions to call. */
    if (k->copy.comm == MPI_COMM_NULL_COPY_FN)
        return MPI_SUCCESS;
    if (k->copy.comm == MPI_COMM_DUP_FN) {
        *value = attr->value;
        *flag = 1;
        return MPI_SUCCESS;
    }
    if (k->owner == ON_COMM)
        err = k->copy.comm((MPI_Comm)handle, key, k->extra_state, attr->value, value, flag);
    else
        err = k->copy.type((MPI_Datatype)handle, key, k->extra_state, attr->value, value, flag);
    if (err)
        tf_error(err, "the copy function of attribute key 0x%x returned %d", (unsigned)key, err);
    return err;
}

static int call_delete(const struct attr *attr, uintptr_t handle)
{
    struct keyval *k = attr->keyval;
    int key = (int)k->obj.handle, err;
    if (k->del.comm == MPI_COMM_NULL_DELETE_FN)
        return MPI_SUCCESS;
    if (k->owner == ON_COMM)
        err = k->del.comm((MPI_Comm)handle, key, attr->value, k->extra_state);
    else
        err = k->del.type((MPI_Datatype)handle, key, attr->value, k->extra_state);
    if (err)
        tf_error(err, "the delete function of attribute key 0x%x returned %d", (unsigned)key, err);
    return err;
}

/* ---- lists ---- */

static int attr_index(const struct tf_attrs *attrs, const struct keyval *keyval)
{
    for (int i = 0; attrs && i < attrs->n; i++) {
        if (attrs->list[i].keyval == keyval)
            return i;
    }
    return -1;
}

/* Put a new attribute last.  The reference to its keyval is taken. */
static int attr_append(struct tf_attrs **attrs, struct attr attr)
{
    if (!*attrs && !(*attrs = calloc(1, sizeof **attrs)))
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate a list of attributes");
    struct tf_attrs *a = *attrs;
    if (a->n == a->cap) {
        int cap = a->cap ? 2 * a->cap : 4;
        struct attr *list = realloc(a->list, (size_t)cap * sizeof *list);
        if (!list)
            return tf_error(MPI_ERR_NO_MEM, "cannot allocate a list of %d attributes", cap);
        a->list = list;
        a->cap = cap;
    }
    attr.keyval->obj.refs++;
    a->list[a->n++] = attr;
    return MPI_SUCCESS;
}

static void attr_remove(struct tf_attrs *attrs, int i)
{
    struct keyval *keyval = attrs->list[i].keyval;
    memmove(&attrs->list[i], &attrs->list[i + 1], (size_t)(attrs->n - i - 1) * sizeof *attrs->list);
    attrs->n--;
    keyval_release(keyval);
}

/* Call the delete function, then take the attribute out: it may have gone by then, or have moved. */
static int attr_delete(struct tf_attrs **attrs, int i, uintptr_t handle)
{
    struct attr attr = (*attrs)->list[i];
    attr.keyval->obj.refs++;
    int err = call_delete(&attr, handle);
    i = attr_index(*attrs, attr.keyval);
    if (!err && i >= 0)
        attr_remove(*attrs, i);
    keyval_release(attr.keyval);
    return err;
}

void tf_attrs_discard(struct tf_attrs **attrs)
{
    while (*attrs && (*attrs)->n > 0)
        attr_remove(*attrs, (*attrs)->n - 1);
    if (*attrs)
        free((*attrs)->list);
    free(*attrs);
    *attrs = NULL;
}

int tf_attrs_delete_all(struct tf_attrs **attrs, uintptr_t handle)
{
    while (*attrs && (*attrs)->n > 0) {
        int err = attr_delete(attrs, (*attrs)->n - 1, handle);
        if (err)
            return err;
    }
    tf_attrs_discard(attrs);
    return MPI_SUCCESS;
}

int tf_attrs_copy(const struct tf_attrs *from, uintptr_t handle, struct tf_attrs **to, uintptr_t copy)
{
    int err = MPI_SUCCESS;
    for (int i = 0; from && i < from->n && !err; i++) {
        struct attr attr = from->list[i];
        int flag;
        attr.keyval->obj.refs++;
        err = call_copy(&attr, handle, &attr.value, &flag);
        if (!err && flag)
            err = attr_append(to, attr);
        keyval_release(attr.keyval);
    }
    if (err && *to) {
        /* The caller reports the copy's failure, whatever the delete functions say. */
        char text[200];
        const char *latest = tf_error_text(err);
        strncpy(text, latest ? latest : "an attribute could not be copied", sizeof text - 1);
        text[sizeof text - 1] = '\0';
        tf_attrs_delete_all(to, copy);
        tf_attrs_discard(to);
        tf_error(err, "%s", text);
    }
    return err;
}

static int attrs_set(struct tf_attrs **attrs, enum owner owner, uintptr_t handle, int keyval, void *value)
{
    struct keyval *k;
    int err = keyval_find(keyval, owner, &k);
    if (err)
        return err;
    if (k->freed)
        return tf_error(MPI_ERR_KEYVAL, "keyval 0x%x was freed; only attributes set before keep it", (unsigned)keyval);
    int i = attr_index(*attrs, k);
    if (i >= 0)
        err = attr_delete(attrs, i, handle);
    return err ? err : attr_append(attrs, (struct attr){k, value});
}

static int attrs_get(const struct tf_attrs *attrs, enum owner owner, int keyval, void *value, int *flag)
{
    struct keyval *k;
    int err = keyval_find(keyval, owner, &k);
    if (err)
        return err;
    int i = attr_index(attrs, k);
    *flag = i >= 0;
    if (i >= 0)
        *(void **)value = attrs->list[i].value;
    return MPI_SUCCESS;
}

static int attrs_delete(struct tf_attrs **attrs, enum owner owner, uintptr_t handle, int keyval)
{
    struct keyval *k;
    int err = keyval_find(keyval, owner, &k);
    if (err)
        return err;
    int i = attr_index(*attrs, k);
    if (i < 0)
        return tf_error(MPI_ERR_KEYVAL, "no attribute with key 0x%x is set", (unsigned)keyval);
    return attr_delete(attrs, i, handle);
}

/* ---- communicators ---- */

static bool launched(void)
{
    return strcmp(tf_launch_name(), "singleton") != 0;
}

/* The predefined attributes, MPI-5.0 section 9.1.2.  In C the value is a pointer to an int. */
static bool predefined_get(int keyval, int **value, int *flag)
{
    static int tag_ub = 0x7fffffff, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, wtime_is_global, appnum;
    static int universe_size, last_used;
    *flag = 1;
    switch (keyval) {
    case MPI_TAG_UB:
        *value = &tag_ub;
        break;
    case MPI_HOST:
        *value = &host;
        break;
    case MPI_IO:
        *value = &io;
        break;
    case MPI_WTIME_IS_GLOBAL:
        wtime_is_global = tf_net_local_size() == tf_world.size; /* one machine, one clock */
        *value = &wtime_is_global;
        break;
    case MPI_APPNUM:
        *value = &appnum;
        *flag = launched();
        break;
    case MPI_UNIVERSE_SIZE:
        universe_size = tf_world.size;
        *value = &universe_size;
        *flag = launched();
        break;
    case MPI_LASTUSEDCODE:
        last_used = tf_last_used_code();
        *value = &last_used;
        break;
    default:
        return false;
    }
    return true;
}

int tf_comm_create_keyval_x(MPI_Comm_copy_attr_function *copy_fn, MPI_Comm_delete_attr_function *delete_fn,
                            MPIX_Destructor_function *destructor, void *extra_state, int *keyval)
{
    struct keyval *k = keyval_create(ON_COMM, destructor, extra_state, keyval);
    if (!k)
        return MPI_ERR_NO_MEM;
    k->copy.comm = copy_fn;
    k->del.comm = delete_fn;
    return MPI_SUCCESS;
}

int tf_comm_create_keyval(MPI_Comm_copy_attr_function *copy_fn, MPI_Comm_delete_attr_function *delete_fn, int *keyval,
                          void *extra_state)
{
    return tf_comm_create_keyval_x(copy_fn, delete_fn, NULL, extra_state, keyval);
}

int tf_comm_free_keyval(int *keyval)
{
    return keyval_free(keyval, ON_COMM);
}

int tf_comm_set_attr(struct tf_comm *comm, int keyval, void *value)
{
    return attrs_set(&comm->attrs, ON_COMM, comm->obj.handle, keyval, value);
}

int tf_comm_get_attr(struct tf_comm *comm, int keyval, void *value, int *flag)
{
    int *predefined;
    if (!predefined_get(keyval, &predefined, flag))
        return attrs_get(comm->attrs, ON_COMM, keyval, value, flag);
    if (*flag)
        *(int **)value = predefined;
    return MPI_SUCCESS;
}

int tf_comm_delete_attr(struct tf_comm *comm, int keyval)
{
    return attrs_delete(&comm->attrs, ON_COMM, comm->obj.handle, keyval);
}

/* ---- datatypes ---- */

int tf_type_create_keyval_x(MPI_Type_copy_attr_function *copy_fn, MPI_Type_delete_attr_function *delete_fn,
                            MPIX_Destructor_function *destructor, void *extra_state, int *keyval)
{
    struct keyval *k = keyval_create(ON_TYPE, destructor, extra_state, keyval);
    if (!k)
        return MPI_ERR_NO_MEM;
    k->copy.type = copy_fn;
    k->del.type = delete_fn;
    return MPI_SUCCESS;
}

int tf_type_create_keyval(MPI_Type_copy_attr_function *copy_fn, MPI_Type_delete_attr_function *delete_fn, int *keyval,
                          void *extra_state)
{
    return tf_type_create_keyval_x(copy_fn, delete_fn, NULL, extra_state, keyval);
}

int tf_type_free_keyval(int *keyval)
{
    return keyval_free(keyval, ON_TYPE);
}

int tf_type_set_attr(struct tf_type *type, int keyval, void *value)
{
    return attrs_set(&type->attrs, ON_TYPE, type->obj.handle, keyval, value);
}

int tf_type_get_attr(struct tf_type *type, int keyval, void *value, int *flag)
{
    return attrs_get(type->attrs, ON_TYPE, keyval, value, flag);
}

int tf_type_delete_attr(struct tf_type *type, int keyval)
{
    return attrs_delete(&type->attrs, ON_TYPE, type->obj.handle, keyval);
}
