/* info.c - info objects: short lists of (key, value), in the order in which the keys came.
 *
 * MPI_INFO_ENV is filled when it is first looked into.
 */
#include "object/info.h"

#include <stdio.h>

static struct tf_info env = {.obj = {.handle = (uint32_t)(uintptr_t)MPI_INFO_ENV, .refs = 1}};
static bool env_filled;
static struct tf_object *predefined[] = {NULL, &env.obj};

static char *chunks[TF_POOL_CHUNKS];

struct tf_pool tf_info_pool = {.what = "info object",
                               .kind = TF_KIND_INFO,
                               .chunks = chunks,
                               .lasting = true,
                               .size = sizeof(struct tf_info),
                               .predef_first = (uint32_t)(uintptr_t)MPI_INFO_NULL,
                               .predef_count = TF_ARRAY_LEN(predefined),
                               .predef = predefined};

/* ---- the list ---- */

static int pair_index(const struct tf_info *info, const char *key)
{
    for (int i = 0; i < info->nkeys; i++) {
        if (strcmp(info->pairs[i].key, key) == 0)
            return i;
    }
    return -1;
}

static int pair_put(struct tf_info *info, const char *key, const char *value)
{
    int i = pair_index(info, key);
    if (i < 0 && info->nkeys == info->cap) {
        int cap = info->cap ? 2 * info->cap : 8;
        struct tf_info_pair *pairs = realloc(info->pairs, (size_t)cap * sizeof *pairs);
        if (!pairs)
            return tf_error(MPI_ERR_NO_MEM, "cannot allocate an info object of %d keys", cap);
        info->pairs = pairs;
        info->cap = cap;
    }
    char *new_value = strdup(value);
    char *new_key = i < 0 ? strdup(key) : NULL;
    if (!new_value || (i < 0 && !new_key)) {
        free(new_value);
        free(new_key);
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the value of the info key \"%s\"", key);
    }
    if (i < 0) {
        info->pairs[info->nkeys++] = (struct tf_info_pair){new_key, new_value};
    } else {
        free(info->pairs[i].value);
        info->pairs[i].value = new_value;
    }
    return MPI_SUCCESS;
}

static void pairs_clear(struct tf_info *info)
{
    for (int i = 0; i < info->nkeys; i++) {
        free(info->pairs[i].key);
        free(info->pairs[i].value);
    }
    free(info->pairs);
    info->pairs = NULL;
    info->nkeys = info->cap = 0;
}

static int pairs_copy(const struct tf_info *from, struct tf_info *to)
{
    int err = MPI_SUCCESS;
    for (int i = 0; i < from->nkeys && !err; i++)
        err = pair_put(to, from->pairs[i].key, from->pairs[i].value);
    return err;
}

/* Every look goes through here. */
static struct tf_info *ready(struct tf_info *info)
{
    if (info != &env)
        return info;
    tf_lock_take();
    if (!env_filled) {
        /* By way of another object, since tf_info_set() takes this one for read-only; what there is no memory for is
         * left out. */
        struct tf_info facts = {.nkeys = 0};
        tf_info_env_fill(&facts);
        env.pairs = facts.pairs;
        env.nkeys = facts.nkeys;
        env.cap = facts.cap;
        env_filled = true;
    }
    tf_lock_drop();
    return info;
}

static int key_check(const char *key)
{
    size_t length = key ? strnlen(key, MPI_MAX_INFO_KEY) : 0;
    if (length == 0)
        return tf_error(MPI_ERR_INFO_KEY, "key is %s", key ? "empty" : "a null pointer");
    if (length >= MPI_MAX_INFO_KEY)
        return tf_error(MPI_ERR_INFO_KEY, "key \"%.40s...\" is too long; a key has at most %d characters", key,
                        MPI_MAX_INFO_KEY - 1);
    return MPI_SUCCESS;
}

static int change_check(const struct tf_info *info)
{
    if (info == &env)
        return tf_error(MPI_ERR_INFO, "MPI_INFO_ENV can be read only; MPI_Info_dup gives a copy to change");
    return MPI_SUCCESS;
}

/* ---- procedures ---- */

static struct tf_info *make(void)
{
    tf_lock_take();
    struct tf_info *info = tf_pool_take(&tf_info_pool);
    tf_lock_drop();
    return info;
}

int tf_info_create(MPI_Info *info)
{
    struct tf_info *i = make();
    if (!i)
        return MPI_ERR_NO_MEM;
    *info = (MPI_Info)(uintptr_t)i->obj.handle;
    return MPI_SUCCESS;
}

int tf_info_free(struct tf_info *info)
{
    if (info == &env)
        return tf_error(MPI_ERR_INFO, "MPI_INFO_ENV is predefined and cannot be freed");
    pairs_clear(info);
    tf_lock_take();
    tf_pool_give(&tf_info_pool, info);
    tf_lock_drop();
    return MPI_SUCCESS;
}

struct tf_info *tf_info_copy(const struct tf_info *info)
{
    struct tf_info *copy = make();
    if (copy && info && pairs_copy(ready((struct tf_info *)info), copy)) {
        tf_info_free(copy);
        return NULL;
    }
    return copy;
}

int tf_info_dup(const struct tf_info *info, MPI_Info *newinfo)
{
    struct tf_info *copy = tf_info_copy(info);
    if (!copy)
        return MPI_ERR_NO_MEM;
    *newinfo = (MPI_Info)(uintptr_t)copy->obj.handle;
    return MPI_SUCCESS;
}

int tf_info_create_env(int argc, char *argv[], MPI_Info *info)
{
    /* The program's arguments are known from the system: those given are not needed (section 10 lets them be NULL). */
    (void)argc, (void)argv;
    return tf_info_dup(&env, info);
}

int tf_info_set(struct tf_info *info, const char *key, const char *value)
{
    int err = change_check(info);
    if (!err)
        err = key_check(key);
    if (err)
        return err;
    if (!value)
        return tf_error(MPI_ERR_INFO_VALUE, "the value of the key \"%s\" is a null pointer", key);
    if (strnlen(value, MPI_MAX_INFO_VAL) >= MPI_MAX_INFO_VAL)
        return tf_error(MPI_ERR_INFO_VALUE, "the value of the key \"%s\" is too long; it has at most %d characters",
                        key, MPI_MAX_INFO_VAL - 1);
    return pair_put(info, key, value);
}

int tf_info_delete(struct tf_info *info, const char *key)
{
    int err = change_check(info);
    if (!err)
        err = key_check(key);
    if (err)
        return err;
    int i = pair_index(info, key);
    if (i < 0)
        return tf_error(MPI_ERR_INFO_NOKEY, "key \"%s\" is not in the info object", key);
    free(info->pairs[i].key);
    free(info->pairs[i].value);
    info->nkeys--;
    memmove(&info->pairs[i], &info->pairs[i + 1], (size_t)(info->nkeys - i) * sizeof *info->pairs);
    return MPI_SUCCESS;
}

int tf_info_get_nkeys(struct tf_info *info, int *nkeys)
{
    *nkeys = ready(info)->nkeys;
    return MPI_SUCCESS;
}

int tf_info_get_nthkey(struct tf_info *info, int n, char *key)
{
    int nkeys = ready(info)->nkeys;
    if (n < 0 || n >= nkeys)
        return tf_error(MPI_ERR_ARG, "n is %d; the info object has %d keys, numbered from 0", n, nkeys);
    strcpy(key, info->pairs[n].key);
    return MPI_SUCCESS;
}

const char *tf_info_value(const struct tf_info *info, const char *key)
{
    int i = info ? pair_index(ready((struct tf_info *)info), key) : -1;
    return i < 0 ? NULL : info->pairs[i].value;
}

size_t tf_info_alignment(const struct tf_info *info)
{
    const char *value = tf_info_value(info, "mpi_minimum_memory_alignment");
    char *end = NULL;
    unsigned long long wanted = value ? strtoull(value, &end, 10) : 1;
    bool good = !value || (value[0] >= '0' && value[0] <= '9' && *end == '\0');
    return good && __builtin_popcountll(wanted) == 1 ? (size_t)wanted : 1;
}

/* The value of `key`; *flag says whether there is one. */
static int value_get(struct tf_info *info, const char *key, const char **value, int *flag)
{
    int err = key_check(key);
    if (err)
        return err;
    *value = tf_info_value(info, key);
    *flag = *value != NULL;
    return MPI_SUCCESS;
}

int tf_info_get_string(struct tf_info *info, const char *key, int *buflen, char *value, int *flag)
{
    const char *found;
    if (*buflen < 0)
        return tf_error(MPI_ERR_ARG, "buflen is %d; it must be at least 0", *buflen);
    if (*buflen > 0 && !value)
        return tf_error(MPI_ERR_ARG, "value is NULL, which it may be only if buflen is 0; that is %d", *buflen);
    int err = value_get(info, key, &found, flag);
    if (err || !found)
        return err;
    if (*buflen > 0)
        snprintf(value, (size_t)*buflen, "%s", found);
    *buflen = (int)strlen(found) + 1;
    return MPI_SUCCESS;
}

int tf_info_get(struct tf_info *info, const char *key, int valuelen, char *value, int *flag)
{
    const char *found;
    if (valuelen < 0)
        return tf_error(MPI_ERR_ARG, "valuelen is %d; it must be at least 0", valuelen);
    int err = value_get(info, key, &found, flag);
    if (!err && found)
        snprintf(value, (size_t)valuelen + 1, "%s", found);
    return err;
}

int tf_info_get_valuelen(struct tf_info *info, const char *key, int *valuelen, int *flag)
{
    const char *found;
    int err = value_get(info, key, &found, flag);
    if (!err && found)
        *valuelen = (int)strlen(found);
    return err;
}

int tf_info_take(struct tf_info **of, const struct tf_info *info,
                 bool (*take)(void *object, const char *key, const char *value), void *object)
{
    int err = MPI_SUCCESS;
    if (!*of && !(*of = tf_info_copy(NULL)))
        return MPI_ERR_NO_MEM;
    ready((struct tf_info *)info);
    for (int i = 0; i < info->nkeys && !err; i++)
        if (take(object, info->pairs[i].key, info->pairs[i].value))
            err = tf_info_set(*of, info->pairs[i].key, info->pairs[i].value);
    return err;
}
