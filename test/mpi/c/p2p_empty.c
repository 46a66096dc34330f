/* Messages without data: every mode, into receives of every layout, posted before and after, received after a probe, to
 * a neighbour and to oneself; and collectives that send nothing, or nothing to some.  They need no rendezvous, and
 * where settings have everything announced there are none either that would wait for data.
 *
 * np: - 1 2 3
 * timeout: 30
 */
#include "check.h"

enum { STANDARD, SYNCHRONOUS, READY, BUFFERED, MODES };
enum { LAYOUTS = 4 };
static MPI_Datatype layouts[LAYOUTS];
static int place[8];

static void make_layouts(void)
{
    layouts[0] = MPI_INT;
    CHECK_OK(MPI_Type_vector(2, 1, 3, MPI_INT, &layouts[1]));
    CHECK_OK(MPI_Type_create_resized(MPI_INT, -4, 16, &layouts[2]));
    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &layouts[3]));
    for (int i = 1; i < LAYOUTS; i++)
        CHECK_OK(MPI_Type_commit(&layouts[i]));
}

static void start_send(int mode, const void *buf, MPI_Datatype type, int dest, int tag, MPI_Request *request)
{
    static int (*const sends[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                                MPI_Request *) = {MPI_Isend, MPI_Issend, MPI_Irsend, MPI_Ibsend};
    CHECK_OK(sends[mode](buf, 0, type, dest, tag, MPI_COMM_WORLD, request));
}

static void verify(const MPI_Status *status, int source, int tag)
{
    int count = -1;
    CHECK_OK(MPI_Get_count(status, MPI_INT, &count));
    CHECK_INT(count, 0);
    CHECK_INT(status->MPI_SOURCE, source);
    CHECK_INT(status->MPI_TAG, tag);
    for (int i = 0; i < 8; i++)
        CHECK_INT(place[i], 77);
}

/* Receives room for `count` of the layout, of which nothing comes. */
static void exchange(int mode, int layout, int count, int dest, int source)
{
    MPI_Datatype type = layouts[layout];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Message message;
    int *at = place + 2;

    CHECK_OK(MPI_Irecv(at, count, type, source, 1, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    start_send(mode, place, type, dest, 1, &requests[1]);
    CHECK_OK(MPI_Waitall(2, requests, statuses));
    verify(&statuses[0], source, 1);
    if (mode == READY)
        return;

    start_send(mode, NULL, MPI_INT, dest, 2, &requests[1]);
    CHECK_OK(MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &statuses[0]));
    CHECK_OK(MPI_Recv(at, count, type, source, 2, MPI_COMM_WORLD, &statuses[0]));
    CHECK_OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    verify(&statuses[0], source, 2);

    start_send(mode, NULL, type, dest, 3, &requests[1]);
    CHECK_OK(MPI_Mprobe(source, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &statuses[0]));
    CHECK_OK(MPI_Mrecv(at, count, type, &message, &statuses[0]));
    CHECK_OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    verify(&statuses[0], source, 3);
}

static void exchange_at_once(int layout, int count, int dest, int source)
{
    MPI_Datatype type = layouts[layout];
    MPI_Status status;
    CHECK_OK(MPI_Sendrecv(place, 0, MPI_INT, dest, 4, place + 2, count, type, source, 4, MPI_COMM_WORLD, &status));
    verify(&status, source, 4);
    CHECK_OK(MPI_Sendrecv_replace(place + 2, 0, type, dest, 5, source, 5, MPI_COMM_WORLD, &status));
    verify(&status, source, 5);
    CHECK_OK(MPI_Sendrecv(NULL, 0, type, 0, 6, place + 2, count, type, 0, 6, MPI_COMM_SELF, &status));
    verify(&status, 0, 6);
}

/* A room of no bytes for a message that has some: the error is the receiver's alone. */
static void too_long(int dest, int source)
{
    MPI_Request request;
    int value = 5;
    CHECK_OK(MPI_Isend(&value, 1, MPI_INT, dest, 7, MPI_COMM_WORLD, &request));
    CHECK_CLASS(MPI_Recv(place, 0, layouts[1], source, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void nothing_together(MPI_Datatype type)
{
    MPI_Request requests[5];
    CHECK_OK(MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Ibcast(NULL, 0, type, 0, MPI_COMM_WORLD, &requests[1]));
    CHECK_OK(MPI_Iallgather(NULL, 0, type, NULL, 0, type, MPI_COMM_WORLD, &requests[2]));
    CHECK_OK(MPI_Ialltoall(NULL, 0, type, NULL, 0, type, MPI_COMM_WORLD, &requests[3]));
    CHECK_OK(MPI_Iallreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[4]));
    CHECK_OK(MPI_Waitall(5, requests, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Bcast(NULL, 0, type, 0, MPI_COMM_WORLD));
}

/* Even ranks have an element for everybody, odd ones nothing. */
static void nothing_from_some(void)
{
    int counts[8], displs[8], none[8] = {0}, mine = check_rank % 2 == 0, value = 100 + check_rank, all[8];
    int sends[8], zeros[8] = {0}, receives[8];
    MPI_Request request;
    for (int r = 0; r < check_size; r++) {
        counts[r] = receives[r] = r % 2 == 0;
        displs[r] = r;
        sends[r] = mine;
        all[r] = -1;
    }
    CHECK_OK(MPI_Iallgatherv(&value, mine, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int r = 0; r < check_size; r++)
        CHECK_INT(all[r], r % 2 == 0 ? 100 + r : -1);
    for (int r = 0; r < check_size; r++)
        all[r] = -1;
    CHECK_OK(MPI_Ialltoallv(&value, sends, zeros, MPI_INT, all, receives, displs, MPI_INT, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int r = 0; r < check_size; r++)
        CHECK_INT(all[r], r % 2 == 0 ? 100 + r : -1);
    CHECK_OK(MPI_Alltoallv(NULL, none, zeros, MPI_INT, NULL, none, zeros, layouts[1], MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    static char buffer[10 * MPI_BSEND_OVERHEAD];
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Buffer_attach(buffer, sizeof buffer));
    make_layouts();
    for (int i = 0; i < 8; i++)
        place[i] = 77;
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    for (int layout = 0; layout < LAYOUTS; layout++)
        for (int count = 0; count < 2; count++) {
            for (int mode = 0; mode < MODES; mode++) {
                exchange(mode, layout, count, right, left);
                exchange(mode, layout, count, check_rank, check_rank);
            }
            exchange_at_once(layout, count, right, left);
        }
    too_long(right, left);
    for (int layout = 0; layout < LAYOUTS; layout++)
        nothing_together(layouts[layout]);
    nothing_from_some();
    for (int i = 1; i < LAYOUTS; i++)
        CHECK_OK(MPI_Type_free(&layouts[i]));
    void *back;
    int size;
    CHECK_OK(MPI_Buffer_detach(&back, &size));
    return check_end();
}
