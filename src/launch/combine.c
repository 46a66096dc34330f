/* combine.c - see combine.h.
 *
 *     KEY-RANK    what RANK and the ranks below it in the tree know
 *     KEY         the result
 */
#include "launch/combine.h"

#include <stdio.h>

#include "launch/launch.h"

enum { RADIX = 16, KEY = 48 };

static void name_part(const struct tf_combine *how, int rank, char key[KEY])
{
    snprintf(key, KEY, "%s-%d", how->key, rank);
}

static int take(int rank, const char *key, struct tf_facts *facts)
{
    return tf_launch_get_all(rank, key, &facts->bytes, &facts->length);
}

/* The children of this round, `stride` apart, in order. */
static int merge_children(const struct tf_combine *how, struct tf_facts *facts, int stride)
{
    int err = MPI_SUCCESS;
    for (int i = 1; i < RADIX && !err; i++) {
        int64_t child = tf_job.rank + (int64_t)i * stride;
        struct tf_facts theirs = {0};
        char key[KEY];
        if (child >= tf_job.size)
            break;
        name_part(how, (int)child, key);
        err = take((int)child, key, &theirs);
        if (!err)
            err = how->merge(facts, &theirs);
        free(theirs.bytes);
    }
    return err;
}

/* Everybody is in each barrier, also who has told what it knows. */
static int gather(const struct tf_combine *how, struct tf_facts *facts)
{
    int err = MPI_SUCCESS;
    for (int64_t stride = 1; stride < tf_job.size && !err; stride *= RADIX) {
        bool leads = tf_job.rank % (stride * RADIX) == 0, tells = !leads && tf_job.rank % stride == 0;
        char key[KEY];
        name_part(how, tf_job.rank, key);
        if (tells)
            err = tf_launch_put_bytes(key, facts->bytes, facts->length);
        if (!err)
            err = tf_launch_barrier();
        if (!err && leads)
            err = merge_children(how, facts, (int)stride);
    }
    return err;
}

static int share(const struct tf_combine *how, struct tf_facts *facts)
{
    int err = MPI_SUCCESS;
    if (tf_job.rank == 0 && how->conclude)
        err = how->conclude(facts);
    if (tf_job.rank == 0 && !err)
        err = tf_launch_put_bytes(how->key, facts->bytes, facts->length);
    if (!err)
        err = tf_launch_barrier();
    if (tf_job.rank > 0 && !err) {
        struct tf_facts result = {0};
        err = take(0, how->key, &result);
        if (err)
            return err;
        free(facts->bytes);
        *facts = result;
    }
    return err;
}

int tf_launch_combine(const struct tf_combine *how, struct tf_facts *facts)
{
    int err = gather(how, facts);
    return err ? err : share(how, facts);
}
