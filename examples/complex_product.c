/* MPI_Op_create: the element-wise product of vectors of complex numbers, with an operator of the user's.
 *
 * The operator works on a type of the user's too: two doubles, described by MPI_Type_contiguous.
 */
#include <mpi.h>
#include <stdio.h>

typedef struct {
    double real, imag;
} complex_number;

/* inout[i] = in[i] * inout[i]; MPI hands over as many elements at once as it likes. */
static void multiply(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const complex_number *a = in;
    complex_number *b = inout;
    (void)type;
    for (int i = 0; i < *len; i++) {
        complex_number c = {a[i].real * b[i].real - a[i].imag * b[i].imag,
                            a[i].real * b[i].imag + a[i].imag * b[i].real};
        b[i] = c;
    }
}

int main(int argc, char **argv)
{
    complex_number mine[5], product[5];
    MPI_Datatype type;
    MPI_Op op;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    for (int i = 0; i < 5; i++) {
        mine[i].real = rank + 1;
        mine[i].imag = i - 2;
    }

    MPI_Type_contiguous(2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 1, &op);

    MPI_Reduce(mine, product, 5, type, op, 0, MPI_COMM_WORLD);

    if (rank == 0)
        for (int i = 0; i < 5; i++)
            printf("(1%+di) (2%+di) ... = %.0f%+.0fi\n", i - 2, i - 2, product[i].real, product[i].imag);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
