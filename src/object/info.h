/* info.h - info objects (MPI-5.0 chapter 10): arguments in MPI's order, infos as objects, new ones as handles.
 *
 * Keys and values are strings of at most MPI_MAX_INFO_KEY - 1 and MPI_MAX_INFO_VAL - 1 characters; upper and lower case
 * differ.  Everything here may be called before MPI_Init and after MPI_Finalize (section 11.4.1).
 */
#ifndef TF_INFO_H
#define TF_INFO_H

#include "base/handle.h"

struct tf_info {
    struct tf_object obj;
    int nkeys, cap;
    struct tf_info_pair {
        char *key, *value;
    } * pairs; /* in order of insertion */
};

int tf_info_create(MPI_Info *info);
int tf_info_create_env(int argc, char *argv[], MPI_Info *info);
int tf_info_dup(const struct tf_info *info, MPI_Info *newinfo); /* of NULL: an empty one */
int tf_info_free(struct tf_info *info); /* the caller sets the user's variable to MPI_INFO_NULL */
int tf_info_set(struct tf_info *info, const char *key, const char *value);
int tf_info_delete(struct tf_info *info, const char *key);
int tf_info_get_nkeys(struct tf_info *info, int *nkeys);
int tf_info_get_nthkey(struct tf_info *info, int n, char *key);
/* *buflen: room in `value`, the final null character included; becomes what the whole value needs. */
int tf_info_get_string(struct tf_info *info, const char *key, int *buflen, char *value, int *flag);
/* Deprecated: lengths are without the final null character, for which `value` has room besides. */
int tf_info_get(struct tf_info *info, const char *key, int valuelen, char *value, int *flag);
int tf_info_get_valuelen(struct tf_info *info, const char *key, int *valuelen, int *flag);

/* For the library itself: the value of a key, NULL if there is none or `info` is NULL; owned by the info object. */
const char *tf_info_value(const struct tf_info *info, const char *key);
/* The alignment that the hint mpi_minimum_memory_alignment asks for, if it is a power of two; otherwise 1. */
size_t tf_info_alignment(const struct tf_info *info);
/* A copy for the library, NULL: no memory.  `info` may be NULL: no key. */
struct tf_info *tf_info_copy(const struct tf_info *info);
/* Hints for an object, which has those in force in *of, NULL while it has none: each that it takes is kept there.  The
 * others, which have no meaning to it, are ignored and MPI_X_get_info does not show them. */
int tf_info_take(struct tf_info **of, const struct tf_info *info,
                 bool (*take)(void *object, const char *key, const char *value), void *object);
/* Set what MPI_INFO_ENV says, as far as it is known now. */
int tf_info_env_fill(struct tf_info *info);

#endif
