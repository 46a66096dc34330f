/* MPIX_Op_create_x: an operator with a context and a destructor that runs once, after its last use.
 *
 * np: 1 2 4
 * only: treefold
 */
#include "check.h"

struct context {
    int modulus, calls, destroyed;
};

static void modular_sum(void *in, void *inout, MPI_Count len, MPI_Datatype type, void *context)
{
    struct context *c = context;
    int *x = in, *y = inout;
    c->calls += type == MPI_INT;
    for (MPI_Count i = 0; i < len; i++)
        y[i] = (y[i] + x[i]) % c->modulus;
}

static void destroy(void *context)
{
    ((struct context *)context)->destroyed++;
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    struct context contexts[2] = {{7, 0, 0}, {11, 0, 0}};
    int a[100], r[2][100], commute = 0;
    for (int i = 0; i < 100; i++)
        a[i] = check_rank * 5 + i;
    MPI_Request requests[2];
    for (int k = 0; k < 2; k++) {
        MPI_Op op;
        CHECK_OK(MPIX_Op_create_x(modular_sum, destroy, 1, &contexts[k], &op));
        CHECK_OK(MPI_Op_commutative(op, &commute));
        CHECK_INT(commute, 1);
        CHECK_OK(MPI_Iallreduce(a, r[k], 100, MPI_INT, op, MPI_COMM_WORLD, &requests[k]));
        CHECK_OK(MPI_Op_free(&op));
    }
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 100; i++) {
            int want = 5 * check_size * (check_size - 1) / 2 + check_size * i;
            CHECK_INT(r[k][i] % contexts[k].modulus, want % contexts[k].modulus);
        }
        CHECK_INT(contexts[k].destroyed, 1);
        CHECK(check_size == 1 || check_rank > 0 || contexts[k].calls > 0);
    }
    return check_end();
}
