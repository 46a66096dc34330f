/* ordered.h - operators that notice order: 2 x 2 matrices and affine maps, modulo 2^32.
 *
 * Both are associative and not commutative.  The value that rank r gives as element i is a pure function of r and i, so
 * every rank knows what the combination of ranks 0..last must be.
 */
#ifndef ORDERED_H
#define ORDERED_H

#include "check.h"

struct matrix {
    uint32_t a, b, c, d;
};

struct affine { /* x -> slope * x + offset */
    uint32_t slope, offset;
};

static inline struct matrix matrix_product(struct matrix x, struct matrix y)
{
    return (struct matrix){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}

static inline struct affine affine_product(struct affine x, struct affine y)
{
    return (struct affine){x.slope * y.slope, x.slope * y.offset + x.offset};
}

static inline struct matrix matrix_value(int rank, int i)
{
    return (struct matrix){1 + rank, 2 + i % 11, rank * 3 + i % 7, 5 + rank * rank};
}

static inline struct affine affine_value(int rank, int i)
{
    return (struct affine){2 * rank + 3 + 2 * (i % 5), 7 * i + rank + 1};
}

static inline struct matrix matrix_expected(int last, int i)
{
    struct matrix m = matrix_value(0, i);
    for (int r = 1; r <= last; r++)
        m = matrix_product(m, matrix_value(r, i));
    return m;
}

static inline struct affine affine_expected(int last, int i)
{
    struct affine m = affine_value(0, i);
    for (int r = 1; r <= last; r++)
        m = affine_product(m, affine_value(r, i));
    return m;
}

static inline void matrix_function(void *in, void *inout, int *len, MPI_Datatype *type)
{
    struct matrix *x = in, *y = inout;
    (void)type;
    for (int i = 0; i < *len; i++)
        y[i] = matrix_product(x[i], y[i]);
}

static inline void affine_function(void *in, void *inout, int *len, MPI_Datatype *type)
{
    struct affine *x = in, *y = inout;
    (void)type;
    for (int i = 0; i < *len; i++)
        y[i] = affine_product(x[i], y[i]);
}

static inline void matrix_setup(MPI_Datatype *type, MPI_Op *op)
{
    CHECK_OK(MPI_Type_contiguous(4, MPI_UINT32_T, type));
    CHECK_OK(MPI_Type_commit(type));
    CHECK_OK(MPI_Op_create(matrix_function, 0, op));
}

static inline void affine_setup(MPI_Datatype *type, MPI_Op *op)
{
    CHECK_OK(MPI_Type_contiguous(2, MPI_UINT32_T, type));
    CHECK_OK(MPI_Type_commit(type));
    CHECK_OK(MPI_Op_create(affine_function, 0, op));
}

static inline void matrix_fill(struct matrix *m, int rank, int first, int n)
{
    for (int i = 0; i < n; i++)
        m[i] = matrix_value(rank, first + i);
}

static inline void affine_fill(struct affine *m, int rank, int first, int n)
{
    for (int i = 0; i < n; i++)
        m[i] = affine_value(rank, first + i);
}

/* Elements first..first+n-1 are the product of ranks 0..last. */
static inline void matrix_verify(const struct matrix *got, int last, int first, int n, const char *where)
{
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        struct matrix want = matrix_expected(last, first + i);
        wrong += memcmp(&want, &got[i], sizeof want) != 0;
    }
    CHECK_NOTED(wrong == 0, "%s of ranks 0..%d: %d of %d matrices wrong", where, last, wrong, n);
}

static inline void affine_verify(const struct affine *got, int last, int first, int n, const char *where)
{
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        struct affine want = affine_expected(last, first + i);
        wrong += memcmp(&want, &got[i], sizeof want) != 0;
    }
    CHECK_NOTED(wrong == 0, "%s of ranks 0..%d: %d of %d maps wrong", where, last, wrong, n);
}

#endif
