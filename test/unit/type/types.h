/* types.h - what the tests of datatypes share: short names for the constructors, which must succeed, and the end of
 * every test, an empty pool.
 */
#ifndef TYPES_H
#define TYPES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"
#include "type/construct.h"

/* Arrays of the plain form, and the large ones (always so for byte displacements). */
#define INTS(...) ((struct tf_counts){(const int[]){__VA_ARGS__}, false})
#define LARGE(...) ((struct tf_counts){(const MPI_Count[]){__VA_ARGS__}, true})

static inline struct tf_type *find(MPI_Datatype handle)
{
    struct tf_type *type = tf_type_find(handle);
    assert_non_null(type);
    return type;
}

static inline MPI_Datatype handle_of(const struct tf_type *type)
{
    return (MPI_Datatype)(uintptr_t)type->obj.handle;
}

#define MAKE(constructor, ...)                                                                                         \
    ({                                                                                                                 \
        MPI_Datatype made_;                                                                                            \
        assert_int_equal(constructor(__VA_ARGS__), MPI_SUCCESS);                                                       \
        find(made_);                                                                                                   \
    })

static inline struct tf_type *contiguous(MPI_Count count, struct tf_type *old)
{
    return MAKE(tf_type_contiguous, count, old, &made_, false);
}

static inline struct tf_type *vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, struct tf_type *old)
{
    return MAKE(tf_type_vector, count, blocklength, stride, old, &made_, false);
}

static inline struct tf_type *hvector(MPI_Count count, MPI_Count blocklength, MPI_Count stride, struct tf_type *old)
{
    return MAKE(tf_type_create_hvector, count, blocklength, stride, old, &made_, false);
}

static inline struct tf_type *resized(struct tf_type *old, MPI_Count lb, MPI_Count extent)
{
    return MAKE(tf_type_create_resized, old, lb, extent, &made_, false);
}

static inline struct tf_type *structure(MPI_Count count, struct tf_counts lengths, struct tf_counts displacements,
                                        const MPI_Datatype *types)
{
    return MAKE(tf_type_create_struct, count, lengths, displacements, types, &made_, false);
}

static inline struct tf_type *commit(struct tf_type *type)
{
    assert_int_equal(tf_type_commit(type), MPI_SUCCESS);
    return type;
}

static inline void release(struct tf_type *type)
{
    assert_int_equal(tf_type_free(type), MPI_SUCCESS);
}

/* lb, extent, true lb, true extent, size. */
static inline void check_bounds(const struct tf_type *type, MPI_Count lb, MPI_Count extent, MPI_Count true_lb,
                                MPI_Count true_extent, MPI_Count size)
{
    assert_int_equal(type->lb, lb);
    assert_int_equal(type->extent, extent);
    assert_int_equal(type->true_lb, true_lb);
    assert_int_equal(type->true_extent, true_extent);
    assert_int_equal(type->size, size);
}

/* The error of that class, with these words in it. */
#define CHECK_ERROR(errclass, words, call)                                                                             \
    do {                                                                                                               \
        assert_int_equal(call, errclass);                                                                              \
        const char *text_ = tf_error_text(errclass);                                                                   \
        assert_non_null(text_);                                                                                        \
        if (!strstr(text_, words))                                                                                     \
            fail_msg("\"%s\" does not say \"%s\"", text_, words);                                                      \
    } while (0)

static inline int pool_is_empty(void **state)
{
    (void)state;
    return tf_type_pool.live == 0 ? 0 : -1;
}

#endif
