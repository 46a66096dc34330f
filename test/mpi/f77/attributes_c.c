/* attributes_c.c - the part of attributes.f that is in C. */
#include <mpi.h>

void see_in_c_(MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *value)
{
    MPI_Aint *found;
    int flag;
    MPI_Comm_get_attr(MPI_Comm_f2c(*comm), *keyval, &found, &flag);
    *value = flag ? *found : -1;
}

void see_int_in_c_(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value)
{
    MPI_Fint *found;
    int flag;
    MPI_Comm_get_attr(MPI_Comm_f2c(*comm), *keyval, &found, &flag);
    *value = flag ? *found : -1;
}

void set_in_c_(MPI_Fint *comm, MPI_Fint *keyval, MPI_Aint *value)
{
    MPI_Comm_set_attr(MPI_Comm_f2c(*comm), *keyval, (void *)*value);
}

void make_key_in_c_(MPI_Fint *keyval)
{
    int made;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &made, 0);
    *keyval = made;
}
