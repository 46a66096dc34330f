/* What else needs a process that has died ends with MPIX_ERR_PROC_FAILED: persistent, partitioned and cancelled
 * requests, intercommunicators, new communicators, windows, files, new processes.
 *
 * np: 2 3 5
 * option: -keep-going
 * fails: ft_rest: all is well
 * status: 137
 * timeout: 20
 * only: treefold
 */
#include "ft.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 60000, PARTS = 4 };

static int rank, size, dead;
static MPI_Comm reversed, inter;
static MPI_Win fenced, posted, locked, everywhere;
static double memory[3][4], *shared;
static MPI_File file;
static char file_name[100];
static double many[LONG], parts[PARTS], x;
enum { RECV, SEND, BARRIER, PARTS_OUT, PARTS_IN, PERSISTENT };
static MPI_Request persistent[PERSISTENT];

static void wait_fails(MPI_Request *request, const char *what)
{
    ft_must_fail(MPI_Wait(request, MPI_STATUS_IGNORE), what);
    if (*request != MPI_REQUEST_NULL)
        CHECK_OK(MPI_Request_free(request));
}

/* ---- while it lives ---- */

static void open_windows(void)
{
    MPI_Win *const windows[] = {&fenced, &posted, &locked, &everywhere};
    for (int i = 0; i < 3; i++)
        CHECK_OK(
            MPI_Win_create(memory[i], sizeof memory[i], sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, windows[i]));
    CHECK_OK(MPI_Win_allocate(4 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &everywhere));
    for (int i = 0; i < 4; i++)
        CHECK_OK(MPI_Win_set_errhandler(*windows[i], MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_fence(0, fenced));
    CHECK_OK(MPI_Win_lock_all(0, everywhere));
}

static void open_file(void)
{
    const char *folder = getenv("TMPDIR");
    int pid = (int)getpid();
    CHECK_OK(MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD));
    snprintf(file_name, sizeof file_name, "%s/treefold-ft-%d", folder ? folder : "/tmp", pid);
    CHECK_OK(MPI_File_open(reversed, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
}

/* On both sides of an intercommunicator there are survivors only if there are three processes. */
static void open_all(void)
{
    MPI_Comm part;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed));
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part));
    CHECK_OK(MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - rank % 2, 77, &inter));
    CHECK_OK(MPI_Comm_free(&part));
    CHECK_OK(MPI_Recv_init(&x, 1, MPI_DOUBLE, dead, 1, MPI_COMM_WORLD, &persistent[RECV]));
    CHECK_OK(MPI_Ssend_init(&x, 1, MPI_DOUBLE, dead, 2, MPI_COMM_WORLD, &persistent[SEND]));
    CHECK_OK(MPI_Barrier_init(reversed, MPI_INFO_NULL, &persistent[BARRIER]));
    CHECK_OK(
        MPI_Psend_init(parts, PARTS, 1, MPI_DOUBLE, dead, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent[PARTS_OUT]));
    CHECK_OK(
        MPI_Precv_init(parts, PARTS, 1, MPI_DOUBLE, dead, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent[PARTS_IN]));
    open_windows();
    open_file();
}

/* ---- while it dies ---- */

static MPI_Request pending[6];

static void begin_all(void)
{
    CHECK_OK(MPI_Irecv(&x, 1, MPI_DOUBLE, dead, 11, MPI_COMM_WORLD, &pending[0]));
    CHECK_OK(MPI_Isend(many, LONG, MPI_DOUBLE, dead, 12, MPI_COMM_WORLD, &pending[1]));
    CHECK_OK(MPI_Ibarrier(reversed, &pending[2]));
    CHECK_OK(MPI_Issend(&x, 1, MPI_DOUBLE, dead, 13, MPI_COMM_WORLD, &pending[3]));
    CHECK_OK(MPI_Start(&persistent[PARTS_OUT]));
    CHECK_OK(MPI_Start(&persistent[PARTS_IN]));
    CHECK_OK(MPI_Pready_range(0, PARTS - 1, persistent[PARTS_OUT]));
    CHECK_OK(MPI_Comm_idup(reversed, &(MPI_Comm){MPI_COMM_NULL}, &pending[4]));
}

/* ---- when it is dead ---- */

static void wait_for_end(MPI_Request *receive, int *arrived)
{
    int err = MPI_SUCCESS;
    while (!err)
        err = MPI_Parrived(*receive, 0, arrived);
    ft_must_fail(err, "parrived");
}

static void end_requests(void)
{
    MPI_Status status;
    MPI_Request request;
    int flag, arrived;
    for (int i = 0; i < 3; i++)
        wait_fails(&pending[i], "what was begun before");
    CHECK_OK(MPI_Cancel(&pending[3]));
    ft_may_fail(MPI_Wait(&pending[3], &status), "a cancelled send");
    wait_fails(&pending[4], "idup");
    wait_for_end(&persistent[PARTS_IN], &arrived);
    wait_fails(&persistent[PARTS_OUT], "partitioned send");
    wait_fails(&persistent[PARTS_IN], "partitioned receive");
    for (int i = 0; i < 2; i++)
        for (int again = 0; again < 2; again++) {
            ft_may_fail(MPI_Start(&persistent[i]), "start");
            ft_must_fail(MPI_Wait(&persistent[i], MPI_STATUS_IGNORE), i == RECV ? "persistent receive" : "and send");
        }
    int err = MPI_Start(&persistent[BARRIER]);
    ft_must_fail(err ? err : MPI_Wait(&persistent[BARRIER], MPI_STATUS_IGNORE), "persistent barrier");
    for (int i = 0; i < PARTS_OUT; i++)
        CHECK_OK(MPI_Request_free(&persistent[i]));
    CHECK_OK(MPI_Irecv(&x, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 5, reversed, &request));
    CHECK_OK(MPI_Cancel(&request));
    CHECK_OK(MPI_Wait(&request, &status));
    CHECK_OK(MPI_Test_cancelled(&status, &flag));
    CHECK(flag);
    ft_must_fail(MPI_Improbe(dead, 1, MPI_COMM_WORLD, &flag, &(MPI_Message){MPI_MESSAGE_NULL}, &status), "improbe");
    ft_must_fail(MPI_Mprobe(dead, 1, MPI_COMM_WORLD, &(MPI_Message){MPI_MESSAGE_NULL}, &status), "mprobe");
}

static void make_partitioned(void)
{
    MPI_Request request;
    int err = MPI_Psend_init(parts, PARTS, 1, MPI_DOUBLE, dead, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (!err)
        err = MPI_Start(&request);
    if (!err)
        err = MPI_Pready_range(0, PARTS - 1, request);
    ft_must_fail(err ? err : MPI_Wait(&request, MPI_STATUS_IGNORE), "psend to the dead");
    err = MPI_Precv_init(parts, PARTS, 1, MPI_DOUBLE, dead, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (!err)
        err = MPI_Start(&request);
    ft_must_fail(err ? err : MPI_Wait(&request, MPI_STATUS_IGNORE), "precv from the dead");
}

static void end_inter(void)
{
    double sum;
    ft_must_fail(MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, inter), "allreduce between groups");
    ft_must_fail(MPI_Barrier(inter), "barrier between groups");
    if (rank % 2 != dead % 2) {
        ft_must_fail(MPI_Recv(&x, 1, MPI_DOUBLE, dead / 2, 7, inter, MPI_STATUS_IGNORE), "recv from the other group");
        ft_must_fail(MPI_Ssend(&x, 1, MPI_DOUBLE, dead / 2, 7, inter), "ssend to the other group");
    }
    MPI_Comm merged;
    ft_must_fail(MPI_Intercomm_merge(inter, 0, &merged), "merge");
}

/* Those that the dead one is no member of are made as ever. */
static void make_comms(void)
{
    MPI_Comm comm, parent_side;
    MPI_Group world, living, all;
    double sum, one = 1;
    int codes[1];
    ft_must_fail(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "dup");
    ft_must_fail(MPI_Comm_split(reversed, 0, 0, &comm), "split");
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    CHECK_OK(MPI_Group_excl(all, 1, &dead, &living));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    ft_must_fail(MPI_Comm_create(MPI_COMM_WORLD, living, &comm), "create");
    ft_must_fail(MPI_Comm_create_group(MPI_COMM_WORLD, world, 3, &comm), "create_group");
    CHECK_OK(MPI_Comm_create_group(MPI_COMM_WORLD, living, 4, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm));
    CHECK_DOUBLE(sum, size - 1);
    CHECK_OK(MPI_Comm_free(&comm));
    ft_must_fail(MPI_Comm_create_from_group(world, "ft_rest", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), "from group");
    CHECK_OK(MPI_Comm_create_from_group(living, "ft_rest/living", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm));
    CHECK_DOUBLE(sum, size - 1);
    if (size > 2) {
        MPI_Comm bridge;
        CHECK_OK(MPI_Comm_split(comm, rank == 0, rank, &bridge));
        ft_must_fail(MPI_Intercomm_create(bridge, 0, MPI_COMM_WORLD, dead, 9, &parent_side),
                     "intercomm_create with a leader who is dead");
        CHECK_OK(MPI_Comm_free(&bridge));
    }
    ft_must_fail(MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &parent_side, codes),
                 "spawn");
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Group_free(&world));
    CHECK_OK(MPI_Group_free(&all));
    CHECK_OK(MPI_Group_free(&living));
}

/* Who knows of a death does not come any more, so nobody is waited for. */
static void await_living(MPI_Group all)
{
    MPI_Group one;
    int next = (rank + 1) % size;
    next = next == dead ? (next + 1) % size : next;
    CHECK_OK(MPI_Group_incl(all, 1, &next, &one));
    ft_may_fail(MPI_Win_post(one, 0, posted), "post for one who lives");
    ft_must_fail(MPI_Win_wait(posted), "wait for one who lives");
    CHECK_OK(MPI_Group_free(&one));
}

static void end_windows(void)
{
    MPI_Group all;
    double y = 0;
    ft_must_fail(MPI_Win_fence(0, fenced), "fence");
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    if (size > 2)
        await_living(all);
    ft_may_fail(MPI_Win_post(all, 0, posted), "post");
    ft_must_fail(MPI_Win_start(all, 0, posted), "start");
    ft_must_fail(MPI_Win_complete(posted), "complete");
    ft_must_fail(MPI_Win_wait(posted), "wait");
    CHECK_OK(MPI_Group_free(&all));
    ft_may_fail(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, dead, 0, locked), "lock");
    ft_must_fail(MPI_Put(&y, 1, MPI_DOUBLE, dead, 0, 1, MPI_DOUBLE, locked), "put");
    ft_must_fail(MPI_Win_unlock(dead, locked), "unlock");
    ft_must_fail(MPI_Win_flush(dead, everywhere), "flush");
    ft_must_fail(MPI_Win_unlock_all(everywhere), "unlock_all");
    ft_must_fail(MPI_Win_free(&locked), "win_free");
}

/* The one that has the shared pointer is the dead one. */
static void end_file(void)
{
    MPI_Status status;
    MPI_Offset at;
    double y = rank;
    /* Behind what others, who may be ahead, write by the shared pointer. */
    const MPI_Offset own = (size + rank) * (MPI_Offset)sizeof y;
    CHECK_OK(MPI_File_write_at(file, own, &y, 1, MPI_DOUBLE, &status));
    y = -1;
    CHECK_OK(MPI_File_read_at(file, own, &y, 1, MPI_DOUBLE, &status));
    CHECK_DOUBLE(y, rank);
    /* Where it has just written: others may still read theirs. */
    ft_must_fail(MPI_File_write_at_all(file, own, &y, 1, MPI_DOUBLE, &status), "write_at_all");
    ft_must_fail(MPI_File_set_size(file, 100), "set_size");
    ft_may_fail(MPI_File_write_shared(file, &y, 1, MPI_DOUBLE, &status), "write_shared");
    ft_may_fail(MPI_File_get_position_shared(file, &at), "get_position_shared");
    ft_must_fail(MPI_File_close(&file), "close");
    unlink(file_name);
}

int main(int argc, char **argv)
{
    CHECK_OK(MPI_Init(&argc, &argv));
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    check_rank = rank;
    check_size = size;
    dead = size - 1;
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    open_all();
    CHECK_OK(MPI_Comm_set_errhandler(reversed, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    if (rank == dead) {
        for (int i = 0; i < dead; i++)
            CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, i, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        raise(SIGKILL);
    }
    begin_all();
    ft_may_fail(MPI_Send(NULL, 0, MPI_INT, dead, 6, MPI_COMM_WORLD), "the token");
    ft_must_fail(MPI_Recv(&x, 1, MPI_DOUBLE, dead, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "recv");
    end_requests();
    make_partitioned();
    end_inter();
    make_comms();
    end_windows();
    end_file();
    ft_tell_the_end("ft_rest", dead);
    CHECK_OK(MPI_Finalize());
    return check_failures != 0;
}
