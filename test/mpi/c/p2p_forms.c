/* Every form of receiving: blocking, nonblocking, persistent, matched, together with a send and in its place, each with
 * plain and with large counts.  Messages of many sizes go around a ring.
 *
 * np: 1 2 3 4
 */
#include "check.h"

#if MPI_VERSION >= 4

enum { MOST = 50000 };

static int right, left, in[MOST + 1], out[MOST + 1];

static void fill(int n)
{
    for (int i = 0; i < n; i++)
        out[i] = check_value(check_rank, i);
    check_wipe(in, ((size_t)n + 1) * sizeof *in);
}

static void verify(const int *got, int n, int form, const MPI_Status *status)
{
    int wrong = 0, count = -1;
    for (int i = 0; i < n; i++)
        wrong += got[i] != check_value(left, i);
    CHECK_NOTED(wrong == 0, "form %d: %d of %d ints wrong", form, wrong, n);
    CHECK_INT(status->MPI_SOURCE, left);
    CHECK_INT(status->MPI_TAG, form);
    CHECK_OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK_INT(count, n);
}

static void start(int form, int n, MPI_Request *request)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    if (form == 0)
        CHECK_OK(MPI_Irecv(in, n, MPI_INT, left, form, w, request));
    else if (form == 1)
        CHECK_OK(MPI_Irecv_c(in, n, MPI_INT, left, form, w, request));
    else if (form == 2)
        CHECK_OK(MPI_Recv_init(in, n, MPI_INT, left, form, w, request));
    else
        CHECK_OK(MPI_Recv_init_c(in, n, MPI_INT, left, form, w, request));
    if (form >= 2)
        CHECK_OK(MPI_Start(request));
}

/* 0..3: posted before the message is sent. */
static void posted(int form, int n)
{
    MPI_Request request;
    MPI_Status status;
    fill(n);
    start(form, n, &request);
    CHECK_OK(MPI_Send(out, n, MPI_INT, right, form, MPI_COMM_WORLD));
    CHECK_OK(MPI_Wait(&request, &status));
    if (form >= 2)
        CHECK_OK(MPI_Request_free(&request));
    CHECK(request == MPI_REQUEST_NULL);
    verify(in, n, form, &status);
}

/* 4..9: received after it was sent, those from 6 on by a matched probe. */
static void sent(int form, int n)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    MPI_Request request, sending;
    MPI_Message message;
    MPI_Status status;
    fill(n);
    CHECK_OK(MPI_Isend(out, n, MPI_INT, right, form, w, &sending));
    if (form >= 6)
        CHECK_OK(MPI_Mprobe(left, form, w, &message, MPI_STATUS_IGNORE));
    if (form == 4)
        CHECK_OK(MPI_Recv(in, n, MPI_INT, left, form, w, &status));
    else if (form == 5)
        CHECK_OK(MPI_Recv_c(in, n, MPI_INT, left, form, w, &status));
    else if (form == 6)
        CHECK_OK(MPI_Mrecv(in, n, MPI_INT, &message, &status));
    else if (form == 7)
        CHECK_OK(MPI_Mrecv_c(in, n, MPI_INT, &message, &status));
    else if (form == 8)
        CHECK_OK(MPI_Imrecv(in, n, MPI_INT, &message, &request));
    else
        CHECK_OK(MPI_Imrecv_c(in, n, MPI_INT, &message, &request));
    if (form >= 8)
        CHECK_OK(MPI_Wait(&request, &status));
    verify(in, n, form, &status);
    CHECK_OK(MPI_Wait(&sending, MPI_STATUS_IGNORE));
}

/* Together with a send. */
static void exchanged(int form, int n)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    fill(n);
    if (form == 10)
        CHECK_OK(MPI_Sendrecv(out, n, MPI_INT, right, form, in, n, MPI_INT, left, form, w, &status));
    else if (form == 11)
        CHECK_OK(MPI_Sendrecv_c(out, n, MPI_INT, right, form, in, n, MPI_INT, left, form, w, &status));
    else if (form == 12)
        CHECK_OK(MPI_Isendrecv(out, n, MPI_INT, right, form, in, n, MPI_INT, left, form, w, &request));
    else
        CHECK_OK(MPI_Isendrecv_c(out, n, MPI_INT, right, form, in, n, MPI_INT, left, form, w, &request));
    if (form >= 12)
        CHECK_OK(MPI_Wait(&request, &status));
    verify(in, n, form, &status);
}

/* In place of what is sent. */
static void replaced(int form, int n)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    fill(n);
    if (form == 14)
        CHECK_OK(MPI_Sendrecv_replace(out, n, MPI_INT, right, form, left, form, w, &status));
    else if (form == 15)
        CHECK_OK(MPI_Sendrecv_replace_c(out, n, MPI_INT, right, form, left, form, w, &status));
    else if (form == 16)
        CHECK_OK(MPI_Isendrecv_replace(out, n, MPI_INT, right, form, left, form, w, &request));
    else
        CHECK_OK(MPI_Isendrecv_replace_c(out, n, MPI_INT, right, form, left, form, w, &request));
    if (form >= 16)
        CHECK_OK(MPI_Wait(&request, &status));
    verify(out, n, form, &status);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    const int sizes[] = {0, 1, 17, 1000, MOST};
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    for (int k = 0; k < 5; k++) {
        for (int form = 0; form < 4; form++)
            posted(form, sizes[k]);
        for (int form = 4; form < 10; form++)
            sent(form, sizes[k]);
        for (int form = 10; form < 14; form++)
            exchanged(form, sizes[k]);
        for (int form = 14; form < 18; form++)
            replaced(form, sizes[k]);
    }
    return check_end();
}

#else

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK(MPI_VERSION < 4);
    return check_end();
}

#endif
