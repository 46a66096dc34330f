/* Sendrecv and Sendrecv_replace in rings, with oneself and with nobody; buffered sends that outrun their receivers.
 *
 * np: 1 2 3 4
 */
#include "check.h"

static int right, left;

static void ring(int n)
{
    int *out = check_alloc((n + 1) * sizeof *out, 0), *in = check_alloc((n + 1) * sizeof *in, 0x7e), wrong = 0;
    MPI_Status status;
    for (int i = 0; i < n; i++)
        out[i] = check_value(check_rank, i);
    CHECK_OK(MPI_Sendrecv(out, n, MPI_INT, right, 5, in, n + 1, MPI_INT, left, 5, MPI_COMM_WORLD, &status));
    for (int i = 0; i < n; i++)
        wrong += in[i] != check_value(left, i);
    CHECK_INT(wrong, 0);
    CHECK_INT(in[n], 0x7e7e7e7e);
    CHECK_INT(status.MPI_SOURCE, left);

    CHECK_OK(MPI_Sendrecv_replace(out, n, MPI_INT, left, 6, right, 6, MPI_COMM_WORLD, &status));
    for (int i = 0; i < n; i++)
        wrong += out[i] != check_value(right, i);
    CHECK_INT(wrong, 0);
    CHECK_INT(status.MPI_SOURCE, right);

    /* a tag that no rank ahead of this one uses in buffered() */
    CHECK_OK(MPI_Sendrecv_replace(out, n, MPI_INT, check_rank, 1007, MPI_ANY_SOURCE, 1007, MPI_COMM_WORLD, &status));
    CHECK_INT(status.MPI_SOURCE, check_rank);
    for (int i = 0; i < n; i++)
        wrong += out[i] != check_value(right, i);
    CHECK_INT(wrong, 0);

    /* the ends of an open chain */
    int up = check_rank + 1 < check_size ? check_rank + 1 : MPI_PROC_NULL,
        down = check_rank ? check_rank - 1 : MPI_PROC_NULL;
    memset(in, 0x7e, (n + 1) * sizeof *in);
    CHECK_OK(MPI_Sendrecv(out, n, MPI_INT, up, 8, in, n, MPI_INT, down, 8, MPI_COMM_WORLD, &status));
    CHECK_INT(status.MPI_SOURCE, down);
    for (int i = 0; i < n; i++)
        wrong += in[i] != (check_rank ? check_value(check_rank, i) : 0x7e7e7e7e);
    CHECK_INT(wrong, 0);
    free(out);
    free(in);
}

static void buffered(void)
{
    enum { MESSAGES = 100, LENGTH = 50 };
    int size = 0, room = MESSAGES * (LENGTH * (int)sizeof(int) + MPI_BSEND_OVERHEAD), data[LENGTH], got[LENGTH];
    void *back = NULL;
    for (int turn = 0; turn < 3; turn++) {
        char *buffer = check_alloc(room, 0);
        CHECK_OK(MPI_Buffer_attach(buffer, room));
        for (int k = 0; k < MESSAGES; k++) {
            for (int i = 0; i < LENGTH; i++)
                data[i] = check_value(check_rank, k * LENGTH + i);
            CHECK_OK(MPI_Bsend(data, LENGTH, MPI_INT, right, k, MPI_COMM_WORLD));
            memset(data, 0, sizeof data); /* the message has left it */
        }
        int wrong = 0;
        for (int k = MESSAGES - 1; k >= 0; k--) {
            CHECK_OK(MPI_Recv(got, LENGTH, MPI_INT, left, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            for (int i = 0; i < LENGTH; i++)
                wrong += got[i] != check_value(left, k * LENGTH + i);
        }
        CHECK_INT(wrong, 0);
        CHECK_OK(MPI_Buffer_detach(&back, &size)); /* waits until all have gone */
        CHECK(back == buffer && size == room);
        free(buffer);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    const int sizes[] = {0, 1, 17, 1000, 30000, 500000};
    for (int i = 0; i < 6; i++)
        ring(sizes[i]);
    buffered();
    return check_end();
}
