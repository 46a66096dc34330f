/* attr.c - attributes: each object has a short list of (keyval, value), in the order in which they were set.
 *
 * A keyval lives as long as its handle is not freed or an attribute uses it.  Callbacks may themselves set, delete and
 * free: no list is walked across a callback, each round starts from the list as it then is.
 */
#include "object/attr.h"
#include "base/settings.h"

struct keyval {
    struct tf_object obj;
    enum tf_kind owner;
    bool freed;                           /* by the user; obj.refs counts the attributes too */
    tf_attr_function *copy, *delete;      /* functions of the owner's types */
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

static char *chunks[TF_POOL_CHUNKS];

struct tf_pool tf_keyval_pool = {
    .what = "attribute key", .kind = TF_KIND_KEYVAL, .size = sizeof(struct keyval), .chunks = chunks, .lasting = true};

/* ---- keyvals ---- */

static void keyval_retain(struct keyval *keyval)
{
    tf_lock_take();
    keyval->obj.refs++;
    tf_lock_drop();
}

static void keyval_release(struct keyval *keyval)
{
    tf_lock_take();
    MPIX_Destructor_function *destructor = keyval->destructor;
    void *extra_state = keyval->extra_state;
    bool last = --keyval->obj.refs == 0;
    if (last)
        tf_pool_give(&tf_keyval_pool, keyval);
    tf_lock_drop();
    if (!last || !destructor)
        return;
    bool lent = tf_lock_lend();
    destructor(extra_state);
    tf_lock_take_back(lent);
}

/* "communicators" */
static const char *owners(enum tf_kind owner)
{
    switch (owner) {
#define TF_ATTRIBUTES(object, KIND, Stem, ctype, words)                                                                \
    case TF_KIND_##KIND:                                                                                               \
        return words;
#include "base/gen/handles.def"
    default:
        return "other objects";
    }
}

static int keyval_find(int keyval, enum tf_kind owner, struct keyval **found)
{
    struct keyval *k = keyval > 0 ? tf_pool_find_kind(&tf_keyval_pool, TF_KIND_KEYVAL, (uintptr_t)keyval) : NULL;
    enum tf_kind known = keyval >= MPI_WIN_BASE ? TF_KIND_WIN : TF_KIND_COMM;
    if (keyval >= MPI_TAG_UB && keyval <= MPI_WIN_MODEL && known == owner)
        return tf_error(MPI_ERR_KEYVAL, "keyval is a predefined one (%d), whose attribute cannot be changed here",
                        keyval);
    if (keyval >= MPI_TAG_UB && keyval <= MPI_WIN_MODEL)
        return tf_error(MPI_ERR_KEYVAL, "keyval is a predefined one (%d) for %s, not for %s", keyval, owners(known),
                        owners(owner));
    if (keyval < 0)
        return tf_error(MPI_ERR_KEYVAL, "keyval is %d; there is none below 0", keyval);
    if (!k)
        return tf_error(MPI_ERR_KEYVAL, "keyval is %s", tf_handle_describe(&tf_keyval_pool, (uintptr_t)keyval));
    if (k->owner != owner)
        return tf_error(MPI_ERR_KEYVAL, "keyval is one for %s, not for %s", owners(k->owner), owners(owner));
    *found = k;
    return MPI_SUCCESS;
}

int tf_keyval_create(enum tf_kind owner, tf_attr_function *copy_fn, tf_attr_function *delete_fn,
                     MPIX_Destructor_function *destructor, void *extra_state, int *keyval)
{
    struct keyval *k = tf_pool_take(&tf_keyval_pool);
    if (!k)
        return MPI_ERR_NO_MEM;
    k->owner = owner;
    k->copy = copy_fn;
    k->delete = delete_fn;
    k->destructor = destructor;
    k->extra_state = extra_state;
    *keyval = (int)k->obj.handle;
    return MPI_SUCCESS;
}

int tf_keyval_free(enum tf_kind owner, int *keyval)
{
    struct keyval *k;
    int err = keyval_find(*keyval, owner, &k);
    if (err)
        return err;
    if (k->freed && tf_strict())
        return tf_error(MPI_ERR_KEYVAL, "keyval 0x%x was freed before and lives on only in attributes", *keyval);
    if (!k->freed) {
        k->freed = true;
        keyval_release(k);
    }
    *keyval = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/* ---- callbacks ---- */

/* MPI_COMM_NULL_COPY_FN and those of the other classes are 0, the ..._DUP_FN are 1: no functions to call. */
static bool copies_nothing(const struct keyval *k)
{
    return k->copy == (tf_attr_function *)MPI_COMM_NULL_COPY_FN;
}

static bool copies_value(const struct keyval *k)
{
    return k->copy == (tf_attr_function *)MPI_COMM_DUP_FN;
}

static int call_copy(const struct attr *attr, uintptr_t handle, void **value, int *flag)
{
    struct keyval *k = attr->keyval;
    int key = (int)k->obj.handle, err = MPI_SUCCESS;
    *flag = copies_value(k);
    if (copies_value(k))
        *value = attr->value;
    if (copies_nothing(k) || copies_value(k))
        return MPI_SUCCESS;
    bool lent = tf_lock_lend();
    switch (k->owner) {
#define TF_ATTRIBUTES(object, KIND, Stem, ctype, words)                                                                \
    case TF_KIND_##KIND:                                                                                               \
        err = ((MPI_##Stem##_copy_attr_function *)k->copy)((ctype)handle, key, k->extra_state, attr->value, value,     \
                                                           flag);                                                      \
        break;
#include "base/gen/handles.def"
    default:
        break;
    }
    tf_lock_take_back(lent);
    if (err)
        tf_error(err, "the copy function of attribute key 0x%x returned %d", (unsigned)key, err);
    return err;
}

static int call_delete(const struct attr *attr, uintptr_t handle)
{
    struct keyval *k = attr->keyval;
    int key = (int)k->obj.handle, err = MPI_SUCCESS;
    if (k->delete == (tf_attr_function *)MPI_COMM_NULL_DELETE_FN)
        return MPI_SUCCESS;
    bool lent = tf_lock_lend();
    switch (k->owner) {
#define TF_ATTRIBUTES(object, KIND, Stem, ctype, words)                                                                \
    case TF_KIND_##KIND:                                                                                               \
        err = ((MPI_##Stem##_delete_attr_function *)k->delete)((ctype)handle, key, attr->value, k->extra_state);       \
        break;
#include "base/gen/handles.def"
    default:
        break;
    }
    tf_lock_take_back(lent);
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
    keyval_retain(attr.keyval);
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
    keyval_retain(attr.keyval);
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
        keyval_retain(attr.keyval);
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

int tf_attrs_set(struct tf_attrs **attrs, enum tf_kind owner, uintptr_t handle, int keyval, void *value)
{
    struct keyval *k;
    int err = keyval_find(keyval, owner, &k);
    if (err)
        return err;
    if (k->freed)
        return tf_error(MPI_ERR_KEYVAL, "keyval 0x%x was freed; only attributes set before keep it", (unsigned)keyval);
    keyval_retain(k); /* the delete function may free the key */
    int i = attr_index(*attrs, k);
    if (i >= 0)
        err = attr_delete(attrs, i, handle);
    if (!err)
        err = attr_append(attrs, (struct attr){k, value});
    keyval_release(k);
    return err;
}

int tf_attrs_get(const struct tf_attrs *attrs, enum tf_kind owner, int keyval, void *value, int *flag)
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

int tf_attrs_delete(struct tf_attrs **attrs, enum tf_kind owner, uintptr_t handle, int keyval)
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
