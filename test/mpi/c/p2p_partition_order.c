/* What partitioned operations match (MPI-5.0 section 4.2.3): each other alone, in the order of their initialization,
 * whatever the order of their starts; not what was freed before it was started.  On intercommunicators, on
 * communicators that are freed meanwhile, from and to nobody, and among other persistent requests.
 *
 * np: 1 2 3 4 6 9
 */
#include "partition.h"

static int right, left;

static void psend(const int *buf, int partitions, int count, int tag, MPI_Comm comm, MPI_Request *request)
{
    CHECK_OK(MPI_Psend_init(buf, partitions, count, MPI_INT, right, tag, comm, MPI_INFO_NULL, request));
}

static void precv(int *buf, int partitions, int count, int tag, MPI_Comm comm, MPI_Request *request)
{
    check_wipe(buf, (size_t)partitions * (size_t)count * sizeof *buf);
    CHECK_OK(MPI_Precv_init(buf, partitions, count, MPI_INT, left, tag, comm, MPI_INFO_NULL, request));
}

/* Started in the opposite order of their initialization, some of them on the other side first. */
static void in_order(void)
{
    enum { N = 4 };
    int out[N], in[N];
    MPI_Request sends[N], receives[N];
    for (int i = 0; i < N; i++) {
        out[i] = check_value(check_rank, i);
        psend(&out[i], 1, 1, 3, MPI_COMM_WORLD, &sends[i]);
    }
    for (int i = 0; i < N; i++)
        precv(&in[i], 1, 1, 3, MPI_COMM_WORLD, &receives[i]);
    for (int i = N; i-- > 0;) {
        CHECK_OK(MPI_Start(&sends[(i + check_rank) % N]));
        CHECK_OK(MPI_Start(&receives[i]));
    }
    for (int i = 0; i < N; i++)
        CHECK_OK(MPI_Pready(0, sends[i]));
    CHECK_OK(MPI_Waitall(N, sends, MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Waitall(N, receives, MPI_STATUSES_IGNORE));
    for (int i = 0; i < N; i++) {
        CHECK_INT(in[i], check_value(left, i));
        CHECK_OK(MPI_Request_free(&sends[i]));
        CHECK_OK(MPI_Request_free(&receives[i]));
    }
}

/* Those that are freed before their start do not count. */
static void never_started(bool early)
{
    int out[3] = {7, 8, 9}, in[3];
    MPI_Request sends[3], receives[3];
    for (int i = 0; i < 3; i++)
        psend(&out[i], 1, 1, 4, MPI_COMM_WORLD, &sends[i]);
    if (early)
        MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        precv(&in[i], 1, 1, 4, MPI_COMM_WORLD, &receives[i]);
    CHECK_OK(MPI_Request_free(&sends[0]));
    CHECK_OK(MPI_Request_free(&receives[1]));
    MPI_Barrier(MPI_COMM_WORLD);
    /* sends 1 and 2 belong to receives 0 and 2 */
    CHECK_OK(MPI_Startall(2, &sends[1]));
    CHECK_OK(MPI_Start(&receives[2]));
    CHECK_OK(MPI_Start(&receives[0]));
    CHECK_OK(MPI_Pready(0, sends[1]));
    CHECK_OK(MPI_Pready(0, sends[2]));
    CHECK_OK(MPI_Waitall(2, &sends[1], MPI_STATUSES_IGNORE));
    CHECK_OK(MPI_Wait(&receives[0], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&receives[2], MPI_STATUS_IGNORE));
    CHECK_INT(in[0], 8);
    CHECK_INT(in[2], 9);
    for (int i = 1; i < 3; i++)
        CHECK_OK(MPI_Request_free(&sends[i]));
    CHECK_OK(MPI_Request_free(&receives[0]));
    CHECK_OK(MPI_Request_free(&receives[2]));
    /* a receive that is started already gets the send after the one that goes */
    precv(in, 1, 1, 4, MPI_COMM_WORLD, &receives[0]);
    psend(&out[0], 1, 1, 4, MPI_COMM_WORLD, &sends[0]);
    CHECK_OK(MPI_Start(&receives[0]));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_OK(MPI_Request_free(&sends[0]));
    psend(&out[2], 1, 1, 4, MPI_COMM_WORLD, &sends[2]);
    CHECK_OK(MPI_Start(&sends[2]));
    CHECK_OK(MPI_Pready(0, sends[2]));
    CHECK_OK(MPI_Wait(&sends[2], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&receives[0], MPI_STATUS_IGNORE));
    CHECK_INT(in[0], 9);
    CHECK_OK(MPI_Request_free(&sends[2]));
    CHECK_OK(MPI_Request_free(&receives[0]));
}

/* Ordinary messages with the same tag, and receives of anything, are not met. */
static void apart(void)
{
    int out[2] = {check_value(check_rank, 1), check_value(check_rank, 2)}, in[2], plain, flag;
    MPI_Request parts[2], other[2];
    MPI_Status status;
    check_wipe(&plain, sizeof plain);
    CHECK_OK(MPI_Recv_init(&plain, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &other[1]));
    CHECK_OK(MPI_Send_init(&out[1], 1, MPI_INT, right, 9, MPI_COMM_WORLD, &other[0]));
    psend(out, 1, 1, 9, MPI_COMM_WORLD, &parts[0]);
    precv(in, 1, 1, 9, MPI_COMM_WORLD, &parts[1]);
    CHECK_OK(MPI_Startall(2, parts));
    CHECK_OK(MPI_Start(&other[1]));
    CHECK_OK(MPI_Pready(0, parts[0]));
    CHECK_OK(MPI_Waitall(2, parts, MPI_STATUSES_IGNORE));
    CHECK_INT(in[0], check_value(left, 1));
    CHECK_OK(MPI_Test(&other[1], &flag, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!flag);
    CHECK_OK(MPI_Start(&other[0]));
    CHECK_OK(MPI_Wait(&other[1], &status));
    CHECK_OK(MPI_Wait(&other[0], MPI_STATUS_IGNORE));
    CHECK_INT(plain, check_value(left, 2));
    CHECK_INT(status.MPI_TAG, 9);
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD); /* others go on to send more */
    for (int i = 0; i < 2; i++) {
        CHECK_OK(MPI_Request_free(&parts[i]));
        CHECK_OK(MPI_Request_free(&other[i]));
    }
}

/* All kinds of persistent requests in one array, completed by each of the procedures. */
static void mixed(void)
{
    enum { N = 4 };
    int out[6] = {check_value(check_rank, 0), check_value(check_rank, 1), check_value(check_rank, 2)}, in[3];
    MPI_Request r[N];
    MPI_Status statuses[N];
    psend(out, 2, 1, 1, MPI_COMM_WORLD, &r[0]);
    precv(in, 1, 2, 1, MPI_COMM_WORLD, &r[1]);
    CHECK_OK(MPI_Send_init(&out[2], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &r[2]));
    CHECK_OK(MPI_Recv_init(&in[2], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &r[3]));
    for (int how = 0; how < 6; how++) {
        int flag = 0, index, done = 0, indices[N], n;
        check_wipe(in, sizeof in);
        CHECK_OK(MPI_Startall(N, r));
        CHECK_OK(MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE));
        CHECK(!flag);
        CHECK_OK(MPI_Pready_range(0, 1, r[0]));
        if (how == 0)
            CHECK_OK(MPI_Waitall(N, r, statuses));
        else if (how == 1)
            while (!flag)
                CHECK_OK(MPI_Testall(N, r, &flag, statuses));
        else if (how == 2)
            for (; done < N; done++)
                CHECK_OK(MPI_Waitany(N, r, &index, &statuses[0]));
        else if (how == 3)
            for (; done < N; done += n)
                CHECK_OK(MPI_Waitsome(N, r, &n, indices, statuses));
        else if (how == 4)
            for (; done < N; done += flag && index != MPI_UNDEFINED)
                CHECK_OK(MPI_Testany(N, r, &index, &flag, &statuses[0]));
        else {
            while (!flag)
                CHECK_OK(MPI_Request_get_status(r[1], &flag, &statuses[1]));
            CHECK_INT(statuses[1].MPI_SOURCE, left);
            CHECK_OK(MPI_Get_count(&statuses[1], MPI_INT, &n));
            CHECK_INT(n, 2);
            CHECK_OK(MPI_Waitall(N, r, statuses));
        }
        for (int i = 0; i < 3; i++)
            CHECK_INT(in[i], check_value(left, i));
    }
    for (int i = 0; i < N; i++)
        CHECK_OK(MPI_Request_free(&r[i]));
}

/* The communicator is freed while there are requests; one that was freed after it was complete. */
static void freed(void)
{
    int out[2] = {check_value(check_rank, 5), check_value(check_rank, 6)}, in[2];
    MPI_Comm comm;
    MPI_Request r[2];
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    psend(out, 2, 1, 0, comm, &r[0]);
    precv(in, 2, 1, 0, comm, &r[1]);
    CHECK_OK(MPI_Start(&r[0]));
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Start(&r[1]));
    ready_all(2, r[0]);
    await_partition(r[1], 0);
    await_partition(r[1], 1);
    CHECK_OK(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    CHECK_INT(in[0], check_value(left, 5));
    CHECK_INT(in[1], check_value(left, 6));
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Request_free(&r[i]));
}

static void nobody(void)
{
    int buf[4] = {0}, flag;
    MPI_Request r[2];
    MPI_Status status;
    CHECK_OK(MPI_Psend_init(buf, 4, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
    CHECK_OK(MPI_Precv_init(buf, 2, 2, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
    for (int round = 0; round < 2; round++) {
        check_wipe(buf, sizeof buf);
        int before = buf[1];
        CHECK_OK(MPI_Startall(2, r));
        CHECK_OK(MPI_Pready(3, r[0]));
        CHECK_OK(MPI_Pready_range(0, 2, r[0]));
        CHECK_OK(MPI_Parrived(r[1], 1, &flag));
        CHECK(flag);
        CHECK_OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Wait(&r[1], &status));
        CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
        CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
        CHECK_OK(MPI_Get_count(&status, MPI_INT, &flag));
        CHECK_INT(flag, 0);
        CHECK_INT(buf[1], before);
    }
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Request_free(&r[i]));
    CHECK_OK(MPI_Psend_init(NULL, 1, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
    CHECK_OK(MPI_Request_free(&r[0]));
}

/* Even ranks and odd ones. */
static void between_groups(void)
{
    MPI_Comm half, inter;
    MPI_Request r[2];
    int out[3], in[3], rank, remote;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, check_rank, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - check_rank % 2, 77, &inter));
    CHECK_OK(MPI_Comm_rank(inter, &rank));
    CHECK_OK(MPI_Comm_remote_size(inter, &remote));
    bool alone = rank >= remote; /* the last of an odd number */
    rank = alone ? MPI_PROC_NULL : rank;
    for (int i = 0; i < 3; i++)
        out[i] = check_value(check_rank, i);
    check_wipe(in, sizeof in);
    int untouched = in[0];
    CHECK_OK(MPI_Psend_init(out, 3, 1, MPI_INT, rank, 2, inter, MPI_INFO_NULL, &r[0]));
    CHECK_OK(MPI_Precv_init(in, 1, 3, MPI_INT, rank, 2, inter, MPI_INFO_NULL, &r[1]));
    CHECK_OK(MPI_Startall(2, r));
    ready_all(3, r[0]);
    CHECK_OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 3; i++)
        CHECK_INT(in[i], alone ? untouched : check_value(check_rank ^ 1, i));
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Request_free(&r[i]));
    CHECK_OK(MPI_Comm_free(&inter));
    CHECK_OK(MPI_Comm_free(&half));
}

/* A receive that is late by rounds, and a send that is: neither gets what is not of its round. */
static void late(void)
{
    int out[40] = {0}, in[40];
    MPI_Request r[2];
    psend(out, 40, 1, 11, MPI_COMM_WORLD, &r[0]);
    precv(in, 5, 8, 11, MPI_COMM_WORLD, &r[1]);
    for (int round = 0; round < 6; round++) {
        bool first = round % 2;
        if (first)
            CHECK_OK(MPI_Start(&r[1]));
        CHECK_OK(MPI_Start(&r[0]));
        for (int i = 0; i < 40; i++) {
            out[i] = check_value(check_rank, i + round);
            CHECK_OK(MPI_Pready(i, r[0]));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (!first)
            CHECK_OK(MPI_Start(&r[1]));
        CHECK_OK(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
        for (int i = 0; i < 40; i++)
            CHECK_NOTED(in[i] == check_value(left, i + round), "int %d of round %d", i, round);
        check_wipe(in, sizeof in);
        CHECK_OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    }
    for (int i = 0; i < 2; i++)
        CHECK_OK(MPI_Request_free(&r[i]));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    right = (check_rank + 1) % check_size;
    left = (check_rank + check_size - 1) % check_size;
    in_order();
    never_started(true);
    never_started(false);
    apart();
    mixed();
    freed();
    nobody();
    late();
    if (check_size > 1)
        between_groups();
    return check_end();
}
