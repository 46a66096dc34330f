/* MPI::Op: the element-wise product of vectors of complex numbers, with an operator of the user's.
 *
 * An error in a call becomes an exception, which main() catches.
 */
#include <mpi.h>

#include <complex>
#include <cstdio>

typedef std::complex<double> number;

/* inout[i] = in[i] * inout[i]; MPI hands over as many elements at once as it likes. */
static void multiply(const void *in, void *inout, int len, const MPI::Datatype &)
{
    for (int i = 0; i < len; i++)
        static_cast<number *>(inout)[i] *= static_cast<const number *>(in)[i];
}

static void run()
{
    number mine[5], product[5];
    const int rank = MPI::COMM_WORLD.Get_rank();
    for (int i = 0; i < 5; i++)
        mine[i] = number(rank + 1, i - 2);

    MPI::Op op;
    op.Init(multiply, true);
    MPI::COMM_WORLD.Reduce(mine, product, 5, MPI::DOUBLE_COMPLEX, op, 0);
    op.Free();

    if (rank == 0)
        for (int i = 0; i < 5; i++)
            std::printf("(1%+di) (2%+di) ... = %.0f%+.0fi\n", i - 2, i - 2, product[i].real(), product[i].imag());
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    try {
        run();
    } catch (const MPI::Exception &exception) {
        std::fprintf(stderr, "%s\n", exception.Get_error_string());
        MPI::COMM_WORLD.Abort(1);
    }
    MPI::Finalize();
    return 0;
}
