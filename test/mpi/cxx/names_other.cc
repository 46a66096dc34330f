/* names_other.cc - another file of the program of names.cc; it has macros with names of the namespace, as Xlib has
 * Status, and with names that the headers have for their own use, as FORM has functions. */
#define VERSION "1.2.3"
#define INT 7
#define SUCCESS (there is no such thing)
#define IN_PLACE (nor this)
#define Status int
#define functions (there is no such thing)
#define detail (there is no such thing)
#include <mpi.h>

static_assert(sizeof VERSION == 6 && INT == 7 && sizeof(Status) == sizeof(int),
              "the program's macros are as they were");
#undef SUCCESS
#undef Status
static_assert(sizeof(MPI::Status) == sizeof(MPI_Status), "the classes are there");
static_assert(MPI::SUCCESS == MPI_SUCCESS, "and the namespace is whole");

MPI::Comm *comm_world_elsewhere();

MPI::Comm *comm_world_elsewhere()
{
    return &MPI::COMM_WORLD;
}
