/* instructions_cxx.cc - one call in C and in C++ for test/bench/instructions: `instructions_cxx CASE CALLS`, on two
 * ranks.
 */
#include <cstdlib>
#include <cstring>
#include <mpi.h>

static double in, out;

extern "C" __attribute__((noinline)) void called_in_c()
{
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

extern "C" __attribute__((noinline)) void called_in_cxx()
{
    MPI::COMM_WORLD.Allreduce(&in, &out, 1, MPI::DOUBLE, MPI::SUM);
}

int main(int, char **argv)
{
    MPI::Init();
    for (int i = 0; i < std::atoi(argv[2]); i++)
        std::strcmp(argv[1], "in_c") == 0 ? called_in_c() : called_in_cxx();
    MPI::Finalize();
    return 0;
}
