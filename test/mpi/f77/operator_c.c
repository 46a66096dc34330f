/* operator_c.c - the part of operator.f that is in C. */
#include <mpi.h>

void use_in_c_(MPI_Fint *op, MPI_Fint *value, MPI_Fint *result)
{
    int in = *value, out;
    MPI_Allreduce(&in, &out, 1, MPI_INTEGER, MPI_Op_f2c(*op), MPI_COMM_WORLD);
    *result = out;
}

static void add(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    int *a = in, *b = inout;
    for (int i = 0; i < *length && *datatype == MPI_INTEGER; i++)
        b[i] += a[i];
}

void make_in_c_(MPI_Fint *op)
{
    MPI_Op made;
    MPI_Op_create(add, 1, &made);
    *op = MPI_Op_c2f(made);
}
