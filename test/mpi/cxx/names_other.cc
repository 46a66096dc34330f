/* names_other.cc - another file of the program of names.cc. */
#include <mpi.h>

MPI::Comm *comm_world_elsewhere();

MPI::Comm *comm_world_elsewhere()
{
    return &MPI::COMM_WORLD;
}
