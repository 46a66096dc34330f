/* names_other.cc - another file of the program of names.cc; it has macros with names of the namespace. */
#define VERSION "1.2.3"
#define INT 7
#define SUCCESS (there is no such thing)
#define IN_PLACE (nor this)
#include <mpi.h>

static_assert(sizeof VERSION == 6 && INT == 7, "the program's macros are as they were");
#undef SUCCESS
static_assert(MPI::SUCCESS == MPI_SUCCESS, "and the namespace is whole");

MPI::Comm *comm_world_elsewhere();

MPI::Comm *comm_world_elsewhere()
{
    return &MPI::COMM_WORLD;
}
