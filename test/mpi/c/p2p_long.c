/* Long messages, several of one sender at once, with short ones between them: plain bytes of odd lengths, which a
 * network may put where they are wanted; strided ones; ones that are longer than there is room for; and ones that wait
 * for their receive.
 *
 * np: 2
 */
#include "check.h"

enum { N = 6, GUARD = 64 };
static const int lengths[N] = {131072, 131073, 400001, 131072 + 4095, 1 << 20, 8192};

static unsigned char byte_of(int message, int i)
{
    return (unsigned char)(i * 7 + i / 251 + message * 31);
}

static unsigned char *make(int message)
{
    unsigned char *data = check_alloc(lengths[message] + GUARD, 0x5a);
    for (int i = 0; i < lengths[message] && check_rank == 0; i++)
        data[i] = byte_of(message, i);
    return data;
}

static void compare(const unsigned char *data, int message, int came)
{
    int wrong = 0;
    for (int i = 0; i < came; i++)
        wrong += data[i] != byte_of(message, i);
    for (int i = came; i < lengths[message] + GUARD; i++)
        wrong += data[i] != 0x5a;
    CHECK_INT(wrong, 0);
}

/* All under way at once, the receives posted in another order where `turned`, with room for less where `cut`. */
static void exchange(int turned, int cut)
{
    unsigned char *data[N];
    MPI_Request request[2 * N];
    MPI_Status status[2 * N];
    int words[N], came[N];
    for (int i = 0; i < N; i++)
        data[i] = make(i);
    for (int k = 0; k < N; k++) {
        int i = turned && check_rank ? N - 1 - k : k;
        words[i] = check_rank ? -1 : i * i;
        came[i] = cut && i == 2 ? lengths[i] - 70000 : lengths[i];
        if (check_rank) {
            CHECK_OK(MPI_Irecv(data[i], came[i], MPI_BYTE, 0, i, MPI_COMM_WORLD, &request[i]));
            CHECK_OK(MPI_Irecv(&words[i], 1, MPI_INT, 0, 100 + i, MPI_COMM_WORLD, &request[N + i]));
        } else {
            CHECK_OK(MPI_Isend(data[i], lengths[i], MPI_BYTE, 1, i, MPI_COMM_WORLD, &request[i]));
            CHECK_OK(MPI_Isend(&words[i], 1, MPI_INT, 1, 100 + i, MPI_COMM_WORLD, &request[N + i]));
        }
    }
    int err = MPI_Waitall(2 * N, request, status);
    CHECK_CLASS(err, cut && check_rank ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
    for (int i = 0; i < N && check_rank; i++) {
        CHECK_INT(words[i], i * i);
        if (cut && i == 2)
            CHECK_CLASS(status[i].MPI_ERROR, MPI_ERR_TRUNCATE);
        compare(data[i], i, came[i]);
    }
    for (int i = 0; i < N; i++)
        free(data[i]);
}

/* Every second byte of the receiver's. */
static void strided(void)
{
    enum { LENGTH = 300001 };
    unsigned char *data = check_alloc(2 * LENGTH, 0x5a);
    MPI_Datatype second;
    int wrong = 0;
    CHECK_OK(MPI_Type_vector(LENGTH, 1, 2, MPI_BYTE, &second));
    CHECK_OK(MPI_Type_commit(&second));
    if (check_rank == 0) {
        for (int i = 0; i < LENGTH; i++)
            data[i] = byte_of(9, i);
        CHECK_OK(MPI_Send(data, LENGTH, MPI_BYTE, 1, 9, MPI_COMM_WORLD));
    } else {
        CHECK_OK(MPI_Recv(data, 1, second, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < LENGTH; i++)
            wrong += data[2 * i] != byte_of(9, i) || data[2 * i + 1] != 0x5a;
        CHECK_INT(wrong, 0);
    }
    CHECK_OK(MPI_Type_free(&second));
    free(data);
}

/* Both ways at once. */
static void crossed(void)
{
    enum { LENGTH = 700001 };
    unsigned char *out = check_alloc(LENGTH, 0), *in = check_alloc(LENGTH + GUARD, 0x5a);
    int wrong = 0;
    for (int i = 0; i < LENGTH; i++)
        out[i] = byte_of(check_rank, i);
    CHECK_OK(MPI_Sendrecv(out, LENGTH, MPI_BYTE, !check_rank, 3, in, LENGTH, MPI_BYTE, !check_rank, 3, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE));
    for (int i = 0; i < LENGTH + GUARD; i++)
        wrong += in[i] != (i < LENGTH ? byte_of(!check_rank, i) : 0x5a);
    CHECK_INT(wrong, 0);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    exchange(0, 0);
    exchange(1, 0);
    exchange(0, 1);
    strided();
    crossed();
    return check_end();
}
