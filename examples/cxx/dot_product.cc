/* MPI::Comm::Reduce: the dot product of two vectors that are spread over the ranks.
 *
 * Each rank has a slice of a and b, multiplies it out, and the sum of all slices arrives at rank 0.
 */
#include <mpi.h>

#include <cstdio>

int main(int argc, char **argv)
{
    const long long n = 100000; /* length of the whole vectors: a[i] = i, b[i] = n - i */
    MPI::Init(argc, argv);
    const int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();

    const long long first = n * rank / size, last = n * (rank + 1) / size;
    double slice = 0, dot = 0;
    for (long long i = first; i < last; i++)
        slice += double(i) * double(n - i);

    MPI::COMM_WORLD.Reduce(&slice, &dot, 1, MPI::DOUBLE, MPI::SUM, 0);

    if (rank == 0) {
        std::printf("a . b = %.0f\n", dot);
        std::printf("exact = %.0f\n", double((n - 1) * n * (n + 1) / 6));
    }
    MPI::Finalize();
    return 0;
}
