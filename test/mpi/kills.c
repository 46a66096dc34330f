/* kills.c - processes are killed, at any time and in the middle of anything, and the others go on: see kills.
 *
 *     kills MODE SEED VICTIM:MICROSECONDS...
 *
 * The operations are drawn from the seed, the same on all ranks.  Each one ends: with the right values, or with
 * MPIX_ERR_PROC_FAILED, or, where the survivors revoke and shrink their communicator, with MPIX_ERR_REVOKED.  In the
 * end the survivors exchange messages until all of them know all who have died.
 */
#include <mpi.h>

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64, LONG = 40000 };

static int rank, size;
static char *program;
static uint64_t state;
static int when[MOST]; /* microseconds after the beginning in which each rank is killed, 0: never */
static double in[LONG * 2], out[LONG * 2], window_memory[LONG];

static uint32_t draw(uint64_t *from)
{
    *from = *from * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*from >> 33);
}

static void bad(const char *what, double got)
{
    printf("rank %d: %s: %g\n", rank, what, got);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static bool may_be_revoked;

/* Whether it has succeeded; everything else must be that somebody has died. */
static bool succeeds(int err, const char *what)
{
    char words[MPI_MAX_ERROR_STRING];
    int class, length;
    MPI_Error_class(err, &class);
    if (class == MPI_SUCCESS || class == MPIX_ERR_PROC_FAILED || (class == MPIX_ERR_REVOKED && may_be_revoked))
        return class == MPI_SUCCESS;
    MPI_Error_string(err, words, &length);
    printf("rank %d: %s: %s\n", rank, what, words);
    bad(what, class);
    return false;
}

static void arm(int microseconds)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec at = {.it_value = {microseconds / 1000000, microseconds % 1000000 * 1000L}};
    timer_t timer;
    if (microseconds && (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &at, NULL)))
        bad("no timer", 0);
}

static void check(const double *got, int n, double want, const char *what)
{
    for (int i = 0; i < n; i++)
        if (got[i] != want + i)
            bad(what, got[i] - i);
}

static void fill(double *to, int n, double with)
{
    for (int i = 0; i < n; i++)
        to[i] = with + i;
}

/* ---- collectives ---- */

static bool allreduce(int n, int root)
{
    (void)root;
    for (int i = 0; i < n; i++)
        out[i] = rank + (rank == 0 ? i : 0);
    bool well = succeeds(MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), "allreduce");
    if (well)
        check(in, n, size * (size - 1) / 2, "allreduce");
    return well;
}

static bool reduce(int n, int root)
{
    fill(out, n, rank == root ? 5 : -1000000);
    bool well = succeeds(MPI_Reduce(out, in, n, MPI_DOUBLE, MPI_MAX, root, MPI_COMM_WORLD), "reduce");
    if (well && rank == root)
        check(in, n, 5, "reduce");
    return well;
}

static bool bcast(int n, int root)
{
    fill(in, n, rank == root ? 7 : -1);
    bool well = succeeds(MPI_Bcast(in, n, MPI_DOUBLE, root, MPI_COMM_WORLD), "bcast");
    if (well)
        check(in, n, 7, "bcast");
    return well;
}

static bool alltoall(int n, int root)
{
    (void)root;
    n = n / size + 1;
    for (int r = 0; r < size; r++)
        fill(out + r * n, n, rank * 100 + r);
    bool well = succeeds(MPI_Alltoall(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD), "alltoall");
    for (int r = 0; well && r < size; r++)
        check(in + r * n, n, r * 100 + rank, "alltoall");
    return well;
}

static bool iallgather(int n, int root)
{
    MPI_Request request;
    (void)root;
    n = n / size + 1;
    fill(out, n, rank);
    bool well = succeeds(MPI_Iallgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, MPI_COMM_WORLD, &request), "begin");
    well = well && succeeds(MPI_Wait(&request, MPI_STATUS_IGNORE), "iallgather");
    for (int r = 0; well && r < size; r++)
        check(in + r * n, n, r, "iallgather");
    return well;
}

static bool barrier(int n, int root)
{
    (void)n, (void)root;
    return succeeds(MPI_Barrier(MPI_COMM_WORLD), "barrier");
}

/* It may succeed on some of them only, so the parts cannot be used here. */
static bool split(int n, int root)
{
    MPI_Comm comm;
    int parts = n % 3 + 1, members;
    (void)root;
    if (!succeeds(MPI_Comm_split(MPI_COMM_WORLD, rank % parts, rank, &comm), "split"))
        return false;
    MPI_Comm_size(comm, &members);
    if (members != (size - rank % parts + parts - 1) / parts)
        bad("split", members);
    MPI_Comm_free(&comm);
    return true;
}

static bool fence(int n, int root)
{
    MPI_Win win;
    fill(window_memory, n, -1);
    fill(out, n, rank);
    if (!succeeds(
            MPI_Win_create(window_memory, LONG * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win),
            "win_create"))
        return false;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    bool well = succeeds(MPI_Win_fence(0, win), "fence");
    int to = (rank + root) % size, from = (rank + size - root) % size;
    well = well && succeeds(MPI_Put(out, n, MPI_DOUBLE, to, 0, n, MPI_DOUBLE, win), "put");
    well = succeeds(MPI_Win_fence(0, win), "fence") && well;
    if (well)
        check(window_memory, n, from, "put");
    return succeeds(MPI_Win_free(&win), "win_free") && well;
}

static void run_collectives(void)
{
    static bool (*const operations[])(int n, int root) = {allreduce, reduce,     bcast, alltoall,
                                                          barrier,   iallgather, split, fence};
    bool well = true;
    while (well) {
        uint32_t which = draw(&state) % 8, length = draw(&state) % 4, n = draw(&state), root = draw(&state);
        n = length == 0 ? 1 : length == 1 ? n % 100 + 1 : length == 2 ? n % 3000 + 1 : n % LONG + 1;
        well = operations[which]((int)n, (int)(root % (uint32_t)size));
    }
}

/* ---- survivors that stay together ---- */

/* Until some of them fail to. */
static void count_members(MPI_Comm comm)
{
    double sum;
    int members;
    MPI_Comm_size(comm, &members);
    while (succeeds(MPI_Allreduce(&(double){1}, &sum, 1, MPI_DOUBLE, MPI_SUM, comm), "allreduce of the survivors"))
        if (sum != members)
            bad("allreduce of the survivors", sum);
}

static MPI_Comm shrink(MPI_Comm comm)
{
    MPI_Comm smaller;
    int flag = rank % 2 ? 7 : 5, members, survivors, failed;
    MPI_Group dead;
    MPIX_Comm_revoke(comm);
    succeeds(MPIX_Comm_agree(comm, &flag), "agree");
    if (flag != 5 && flag != 7)
        bad("agree", flag);
    if (MPIX_Comm_shrink(comm, &smaller))
        bad("shrink", rank);
    MPIX_Comm_get_failed(comm, &dead);
    MPI_Group_size(dead, &failed);
    MPI_Comm_size(comm, &members);
    MPI_Comm_size(smaller, &survivors);
    if (survivors < members - failed)
        bad("shrink lost one who lives", survivors);
    if (dead != MPI_GROUP_EMPTY)
        MPI_Group_free(&dead);
    MPI_Comm_set_errhandler(smaller, MPI_ERRORS_RETURN);
    MPI_Comm_free(&comm);
    return smaller;
}

/* Until all who are to die have, and each time until somebody has. */
static void run_together(void (*act)(MPI_Comm comm), int dying)
{
    MPI_Comm comm;
    int members;
    if (MPIX_Comm_shrink(MPI_COMM_WORLD, &comm))
        bad("shrink", rank);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (MPI_Comm_size(comm, &members); members > size - dying; MPI_Comm_size(comm, &members)) {
        act(comm);
        comm = shrink(comm);
    }
    MPI_Comm_free(&comm);
}

/* ---- revoking at any time ---- */

static int revoked_reduce(MPI_Comm comm, int n, int root, int place, int members)
{
    (void)root;
    fill(out, n, place);
    int err = MPI_Allreduce(out, in, n, MPI_DOUBLE, MPI_MAX, comm);
    if (!err)
        check(in, n, members - 1, "allreduce before it is revoked");
    return err;
}

static int revoked_bcast(MPI_Comm comm, int n, int root, int place, int members)
{
    (void)members;
    fill(in, n, place == root ? 7 : -1);
    int err = MPI_Bcast(in, n, MPI_DOUBLE, root, comm);
    if (!err)
        check(in, n, 7, "bcast before it is revoked");
    return err;
}

static int revoked_gather(MPI_Comm comm, int n, int root, int place, int members)
{
    MPI_Request request;
    (void)root;
    n = n / members + 1;
    fill(out, n, place);
    int err = MPI_Iallgather(out, n, MPI_DOUBLE, in, n, MPI_DOUBLE, comm, &request);
    err = err ? err : MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = 0; !err && r < members; r++)
        check(in + r * n, n, r, "iallgather before it is revoked");
    return err;
}

static int revoked_ring(MPI_Comm comm, int n, int root, int place, int members)
{
    int left = (place + members - 1) % members;
    (void)root;
    fill(out, n, place);
    int err =
        MPI_Sendrecv(out, n, MPI_DOUBLE, (place + 1) % members, 3, in, n, MPI_DOUBLE, left, 3, comm, MPI_STATUS_IGNORE);
    if (!err)
        check(in, n, left, "sendrecv before it is revoked");
    return err;
}

static int revoked_probe(MPI_Comm comm, int n, int root, int place, int members)
{
    MPI_Request request;
    MPI_Status status;
    (void)root;
    fill(out, n, place);
    int err = MPI_Issend(out, n, MPI_DOUBLE, (place + 1) % members, 4, comm, &request), sent;
    if (err)
        return err;
    err = MPI_Probe(MPI_ANY_SOURCE, 4, comm, &status);
    err = err ? err : MPI_Recv(in, n, MPI_DOUBLE, status.MPI_SOURCE, 4, comm, &status);
    if (!err)
        check(in, n, (place + members - 1) % members, "message before it is revoked");
    if (err) /* who sends waits for what the others hear of it */
        MPIX_Comm_revoke(comm);
    sent = MPI_Wait(&request, MPI_STATUS_IGNORE);
    return err ? err : sent;
}

static int revoked_copy(MPI_Comm comm, int n, int root, int place, int members)
{
    MPI_Comm copy;
    (void)root, (void)place, (void)members;
    int err = n % 2 ? MPI_Comm_dup(comm, &copy) : MPI_Comm_split(comm, 0, 0, &copy);
    if (!err)
        MPI_Comm_free(&copy);
    return err;
}

/* Who has a window waits in it for those who had the error instead, and is told. */
static int revoked_window(MPI_Comm comm, int n, int root, int place, int members)
{
    MPI_Win win;
    (void)root;
    int err = MPI_Win_create(window_memory, sizeof window_memory, sizeof(double), MPI_INFO_NULL, comm, &win), freed;
    if (err)
        return err;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    fill(out, n, place);
    err = MPI_Win_fence(0, win);
    err = err ? err : MPI_Put(out, n, MPI_DOUBLE, (place + 1) % members, 0, n, MPI_DOUBLE, win);
    freed = MPI_Win_fence(0, win);
    err = err ? err : freed;
    if (!err)
        check(window_memory, n, (place + members - 1) % members, "put before it is revoked");
    freed = MPI_Win_free(&win);
    return err ? err : freed;
}

static const char *file_name;

static int revoked_file(MPI_Comm comm, int n, int root, int place, int members)
{
    MPI_File file;
    (void)root;
    n = n / members + 1;
    fill(out, n, place);
    int err = MPI_File_open(comm, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), closed;
    if (err)
        return err;
    MPI_Offset bytes = n * (MPI_Offset)sizeof(double);
    err = MPI_File_write_at_all(file, place * bytes, out, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
    err = err ? err : MPI_File_read_at_all(file, place * bytes, in, n, MPI_DOUBLE, MPI_STATUS_IGNORE);
    if (!err)
        check(in, n, place, "file before it is revoked");
    closed = MPI_File_close(&file);
    return err ? err : closed;
}

/* One of them, or two, revoke before they do what the others do; all begin with the same draws. */
static void revoke_in_between(MPI_Comm comm)
{
    static int (*const operations[])(MPI_Comm comm, int n, int root, int place,
                                     int members) = {revoked_reduce, revoked_bcast, revoked_gather, revoked_ring,
                                                     revoked_probe,  revoked_copy,  revoked_window, revoked_file};
    static uint64_t round;
    uint64_t draws = state + 99991 * ++round;
    int place, members, err = MPI_SUCCESS;
    MPI_Comm_rank(comm, &place);
    MPI_Comm_size(comm, &members);
    uint32_t after = draw(&draws) % 20, who = draw(&draws) % (uint32_t)members, also = draw(&draws) % (uint32_t)members;
    for (uint32_t i = 0; !err; i++) {
        uint32_t which = draw(&draws) % 8, n = draw(&draws), root = draw(&draws) % (uint32_t)members;
        n = n % 3 == 0 ? n % 20 + 1 : n % LONG + 1;
        if (i == after && (who == (uint32_t)place || also == (uint32_t)place))
            MPIX_Comm_revoke(comm);
        err = operations[which](comm, (int)n, (int)root, place, members);
        succeeds(err, "an operation in which somebody revokes");
    }
}

/* ---- new processes ---- */

/* What the two sides of an intercommunicator tell each other; each sees how many the other one has. */
static bool meet(MPI_Comm inter)
{
    int others;
    double sum;
    MPI_Comm_remote_size(inter, &others);
    bool well = succeeds(MPI_Allreduce(&(double){1}, &sum, 1, MPI_DOUBLE, MPI_SUM, inter), "allreduce with the others");
    if (well && sum != others)
        bad("allreduce with the others", sum);
    return well;
}

/* Without its parents, or some of them, it ends all the same. */
static int run_child(MPI_Comm parent)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
    may_be_revoked = true;
    if (!meet(parent) || !succeeds(MPI_Comm_disconnect(&parent), "disconnect"))
        MPI_Comm_free(&parent);
    MPI_Finalize();
    return 0;
}

/* Whether all have met them.  Some may have them where others do not: these end their children's wait. */
static bool spawn(MPI_Comm comm, int n, int root)
{
    MPI_Comm inter;
    char *argv[] = {"child", NULL};
    int well =
        succeeds(MPI_Comm_spawn(program, argv, n, MPI_INFO_NULL, root, comm, &inter, MPI_ERRCODES_IGNORE), "spawn");
    bool have = well;
    if (have) {
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
        well = meet(inter);
    }
    well = succeeds(MPIX_Comm_agree(comm, &well), "agree after spawn") && well;
    if (have && !well)
        MPIX_Comm_revoke(inter);
    if (have && (!well || !succeeds(MPI_Comm_disconnect(&inter), "disconnect")))
        MPI_Comm_free(&inter);
    return well;
}

static void spawn_often(MPI_Comm comm)
{
    uint32_t members;
    MPI_Comm_size(comm, (int *)&members);
    while (spawn(comm, (int)(draw(&state) % 3) + 1, (int)(draw(&state) % members)))
        ;
}

/* ---- revoking what goes on all the same ---- */

static void shrink_meanwhile(MPI_Comm comm, int n, int root)
{
    MPI_Comm smaller;
    int members, survivors;
    (void)n, (void)root;
    MPI_Comm_size(comm, &members);
    int err = MPIX_Comm_shrink(comm, &smaller);
    if (err)
        bad("shrink while it is revoked", err);
    MPI_Comm_size(smaller, &survivors);
    if (survivors > members)
        bad("shrink while it is revoked", survivors);
    MPI_Comm_free(&smaller);
}

static void agree_meanwhile(MPI_Comm comm, int n, int root)
{
    int place, flag = -1;
    MPI_Request request;
    MPI_Comm_rank(comm, &place);
    if (place == root)
        flag = n;
    if (n % 2)
        succeeds(MPIX_Comm_agree(comm, &flag), "agree while it is revoked");
    else if (succeeds(MPIX_Comm_iagree(comm, &flag, &request), "begin to agree while it is revoked"))
        succeeds(MPI_Wait(&request, MPI_STATUS_IGNORE), "iagree while it is revoked");
    if (flag != n && flag != -1) /* without the root's */
        bad("agree while it is revoked", flag);
}

static void spawn_meanwhile(MPI_Comm comm, int n, int root)
{
    spawn(comm, n % 2 + 1, root);
}

/* All of them take part in all, as in what they agree on; then they do what ends. */
static void revoke_meanwhile(MPI_Comm comm)
{
    static void (*const operations[])(MPI_Comm comm, int n, int root) = {shrink_meanwhile, agree_meanwhile,
                                                                         spawn_meanwhile};
    static uint64_t round;
    uint64_t draws = state + 77773 * ++round;
    int place, members;
    MPI_Comm_rank(comm, &place);
    MPI_Comm_size(comm, &members);
    uint32_t steps = draw(&draws) % 6, after = draw(&draws) % 8, who = draw(&draws) % (uint32_t)members;
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t which = draw(&draws) % 3, n = draw(&draws), root = draw(&draws) % (uint32_t)members;
        if (i == after && who == (uint32_t)place)
            MPIX_Comm_revoke(comm);
        operations[which](comm, (int)n, (int)root);
    }
    revoke_in_between(comm);
}

/* ---- messages ---- */

/* With one of the others; false: it has died. */
static bool exchange(int with, uint64_t *pair)
{
    uint32_t how = draw(pair) % 5, length = draw(pair), n = length % 2 ? length % 10 + 1 : length % LONG + 1;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    fill(out, (int)n, rank);
    if (how == 0) {
        if (!succeeds(MPI_Sendrecv(out, (int)n, MPI_DOUBLE, with, 1, in, (int)n, MPI_DOUBLE, with, 1, MPI_COMM_WORLD,
                                   MPI_STATUS_IGNORE),
                      "sendrecv"))
            return false;
    } else if (how == 1) {
        MPI_Irecv(in, (int)n, MPI_DOUBLE, with, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, (int)n, MPI_DOUBLE, with, 1, MPI_COMM_WORLD, &requests[1]);
        int err = MPI_Waitall(2, requests, statuses);
        if (err && err != MPI_ERR_IN_STATUS)
            bad("waitall", err);
        if (err && (!succeeds(statuses[0].MPI_ERROR, "irecv") | !succeeds(statuses[1].MPI_ERROR, "isend")))
            return false;
    } else if (rank < with) {
        if (!succeeds((how == 2 ? MPI_Send : MPI_Ssend)(out, (int)n, MPI_DOUBLE, with, 1, MPI_COMM_WORLD), "send") ||
            !succeeds(MPI_Recv(in, (int)n, MPI_DOUBLE, with, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "recv"))
            return false;
    } else {
        if (!succeeds(MPI_Probe(with, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "probe") ||
            !succeeds(MPI_Recv(in, (int)n, MPI_DOUBLE, with, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "recv") ||
            !succeeds(MPI_Send(out, (int)n, MPI_DOUBLE, with, 1, MPI_COMM_WORLD), "send"))
            return false;
    }
    check(in, (int)n, with, "message");
    return true;
}

/* Each with each other, as in a tournament, until all who are to die have. */
static void run_messages(uint64_t seed)
{
    bool gone[MOST] = {false}, over[MOST] = {false};
    uint64_t pairs[MOST];
    int players = size + size % 2, left = 0;
    for (int r = 0; r < size; r++) {
        int low = r < rank ? r : rank, high = r < rank ? rank : r;
        pairs[r] = seed + (uint64_t)(low * MOST + high) * 77777;
        left += when[r] > 0;
    }
    for (int others = size - 1, turn = 0; others > 0; turn = (turn + 1) % (players - 1)) {
        int with =
            rank == players - 1 ? (turn * (players / 2)) % (players - 1) : (turn - rank + players - 1) % (players - 1);
        if (rank != players - 1 && with == rank)
            with = players - 1;
        if (with >= size || with == rank || gone[with] || over[with])
            continue;
        double mine = left == 0, theirs;
        if (!exchange(with, &pairs[with]) ||
            !succeeds(MPI_Sendrecv(&mine, 1, MPI_DOUBLE, with, 2, &theirs, 1, MPI_DOUBLE, with, 2, MPI_COMM_WORLD,
                                   MPI_STATUS_IGNORE),
                      "the end")) {
            if (when[with] == 0)
                bad("this one is not to die", with);
            gone[with] = true;
            left--;
            others--;
        } else if (mine != 0 && theirs != 0) {
            over[with] = true;
            others--;
        }
    }
}

/* ---- windows ---- */

static void run_locks(void)
{
    MPI_Win win;
    double value, *memory;
    uint64_t own = state + (uint64_t)rank;
    int err = MPI_Win_allocate(2 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    if (!succeeds(err, "win_allocate"))
        return;
    memory[0] = memory[1] = 0;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    bool well = succeeds(MPI_Win_fence(0, win), "fence");
    while (well) {
        int to = (int)(draw(&own) % (uint32_t)size), how = (int)(draw(&own) % 3);
        well = succeeds(MPI_Win_lock(how ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, to, 0, win), "lock");
        if (how)
            well = succeeds(MPI_Fetch_and_op(&(double){1}, &value, MPI_DOUBLE, to, 0, MPI_SUM, win), "op") && well;
        else
            well = succeeds(MPI_Put(&(double){2}, 1, MPI_DOUBLE, to, 1, 1, MPI_DOUBLE, win), "put") && well;
        if (how == 2)
            well = succeeds(MPI_Win_flush(to, win), "flush") && well;
        well = succeeds(MPI_Win_unlock(to, win), "unlock") && well;
        if (well && how == 2 && (value < 0 || value > 1e9))
            bad("fetch_and_op", value);
    }
    succeeds(MPI_Win_free(&win), "win_free");
}

/* Whatever it was, the epoch is ended. */
static bool open_to_neighbors(MPI_Win win, int n, int right, int left)
{
    MPI_Group all, before, after;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &left, &before);
    MPI_Group_incl(all, 1, &right, &after);
    bool well = succeeds(MPI_Win_post(before, 0, win), "post");
    bool started = succeeds(MPI_Win_start(after, 0, win), "start");
    well = succeeds(MPI_Put(out, n, MPI_DOUBLE, right, 0, n, MPI_DOUBLE, win), "put") && started && well;
    well = succeeds(MPI_Win_complete(win), "complete") && well;
    well = succeeds(MPI_Win_wait(win), "wait") && well;
    MPI_Group_free(&all);
    MPI_Group_free(&before);
    MPI_Group_free(&after);
    return well;
}

static bool fence_and_put(MPI_Win win, int n, int right, int left)
{
    (void)left;
    bool well = succeeds(MPI_Win_fence(0, win), "fence");
    well = well && succeeds(MPI_Put(out, n, MPI_DOUBLE, right, 0, n, MPI_DOUBLE, win), "put");
    return succeeds(MPI_Win_fence(0, win), "fence") && well;
}

static bool put_and_flush(MPI_Win win, int n, int right, int left)
{
    (void)left;
    bool well = succeeds(MPI_Win_fence(0, win), "fence") && succeeds(MPI_Win_fence(MPI_MODE_NOSUCCEED, win), "fence");
    well = well && succeeds(MPI_Win_lock_all(0, win), "lock_all");
    if (!well)
        return false;
    well = succeeds(MPI_Accumulate(out, n, MPI_DOUBLE, right, 0, n, MPI_DOUBLE, MPI_REPLACE, win), "accumulate");
    well = succeeds(MPI_Win_flush(right, win), "flush") && well;
    well = succeeds(MPI_Win_unlock_all(win), "unlock_all") && well;
    return well && barrier(0, 0);
}

static bool make_window(uint32_t how, double **memory, MPI_Win *win)
{
    MPI_Aint bytes = LONG * sizeof(double);
    *memory = window_memory;
    return succeeds(how % 2 ? MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, memory, win)
                            : MPI_Win_create(window_memory, bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, win),
                    "making a window");
}

static void run_windows(void)
{
    static bool (*const epochs[])(MPI_Win win, int n, int right, int left) = {open_to_neighbors, fence_and_put,
                                                                              put_and_flush};
    bool well = true;
    while (well) {
        MPI_Win win;
        double *memory;
        if (!make_window(draw(&state), &memory, &win))
            return;
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        for (uint32_t i = draw(&state) % 6; well && i < 6; i++) {
            uint32_t which = draw(&state) % 3, n = draw(&state), shift = draw(&state) % (uint32_t)size;
            int right = (rank + (int)shift) % size, left = (rank + size - (int)shift) % size;
            n = n % 2 ? n % 20 + 1 : n % LONG + 1;
            fill(out, (int)n, rank);
            well = epochs[which](win, (int)n, right, left) && barrier(0, 0);
            if (well)
                check(memory, (int)n, left, "what was put");
            well = well && barrier(0, 0);
        }
        well = succeeds(MPI_Win_free(&win), "win_free") && well;
    }
}

/* ---- files ---- */

static bool write_and_read(MPI_File file, int n)
{
    MPI_Offset at = (MPI_Offset)rank * n;
    bool well = succeeds(MPI_File_write_at_all(file, at, out, n, MPI_DOUBLE, MPI_STATUS_IGNORE), "write_at_all");
    at = (rank + 1) % size * (MPI_Offset)n;
    well = well && barrier(0, 0);
    well = well && succeeds(MPI_File_read_at_all(file, at, in, n, MPI_DOUBLE, MPI_STATUS_IGNORE), "read_at_all");
    if (well)
        check(in, n, (rank + 1) % size, "read_at_all");
    return well;
}

static bool iwrite_turns(MPI_File file, int n)
{
    MPI_Datatype turn;
    MPI_Request request;
    MPI_Type_create_resized(MPI_DOUBLE, 0, size * (MPI_Aint)sizeof(double), &turn);
    MPI_Type_commit(&turn);
    bool well =
        succeeds(MPI_File_set_view(file, rank * (MPI_Offset)sizeof(double), MPI_DOUBLE, turn, "native", MPI_INFO_NULL),
                 "set_view");
    MPI_Type_free(&turn);
    well = well && succeeds(MPI_File_iwrite_all(file, out, n, MPI_DOUBLE, &request), "iwrite_all") &&
           succeeds(MPI_Wait(&request, MPI_STATUS_IGNORE), "end of iwrite_all") && barrier(0, 0);
    well = well && succeeds(MPI_File_seek(file, 0, MPI_SEEK_SET), "seek") &&
           succeeds(MPI_File_read_all_begin(file, in, n, MPI_DOUBLE), "read_all_begin") &&
           succeeds(MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE), "read_all_end");
    if (well)
        check(in, n, rank, "read_all");
    return well;
}

static bool write_in_order(MPI_File file, int n)
{
    bool well = succeeds(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "seek_shared") &&
                succeeds(MPI_File_write_ordered(file, out, n, MPI_DOUBLE, MPI_STATUS_IGNORE), "write_ordered") &&
                barrier(0, 0);
    well = well && succeeds(MPI_File_read_at(file, (MPI_Offset)rank * n, in, n, MPI_DOUBLE, MPI_STATUS_IGNORE), "read");
    if (well)
        check(in, n, rank, "write_ordered");
    return well && succeeds(MPI_File_write_shared(file, out, n, MPI_DOUBLE, MPI_STATUS_IGNORE), "write_shared");
}

static bool resize(MPI_File file, int n)
{
    return succeeds(MPI_File_set_size(file, n), "set_size") && succeeds(MPI_File_sync(file), "sync") &&
           succeeds(MPI_File_set_atomicity(file, n % 2), "set_atomicity");
}

static void run_files(void)
{
    static bool (*const accesses[])(MPI_File file, int n) = {write_and_read, iwrite_turns, write_in_order, resize};
    bool well = true;
    while (well) {
        MPI_File file;
        if (!succeeds(MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
                      "open"))
            return;
        for (uint32_t i = draw(&state) % 3; well && i < 3; i++) {
            uint32_t which = draw(&state) % 4, n = draw(&state);
            n = n % 2 ? n % 20 + 1 : n % LONG + 1;
            fill(out, (int)n, rank);
            well = succeeds(MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL), "set_view") &&
                   accesses[which](file, (int)n) && barrier(0, 0);
        }
        well = succeeds(MPI_File_close(&file), "close") && well;
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    MPI_Comm parent;
    program = argv[0];
    file_name = getenv("KILLS_FILE");
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        return run_child(parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    state = seed;
    may_be_revoked = !strcmp(argv[1], "shrinks") || !strcmp(argv[1], "spawns") || !strcmp(argv[1], "revokes");
    for (int i = 3; i < argc; i++)
        when[atoi(argv[i])] = atoi(strchr(argv[i], ':') + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    arm(when[rank]);
    if (!strcmp(argv[1], "collectives"))
        run_collectives();
    else if (!strcmp(argv[1], "locks"))
        run_locks();
    else if (!strcmp(argv[1], "windows"))
        run_windows();
    else if (!strcmp(argv[1], "files"))
        run_files();
    else if (!strcmp(argv[1], "shrinks"))
        run_together(count_members, argc - 3);
    else if (!strcmp(argv[1], "revokes"))
        run_together(revoke_meanwhile, argc - 3);
    else if (!strcmp(argv[1], "spawns"))
        run_together(spawn_often, argc - 3);
    run_messages(seed);
    if (when[rank])
        pause();
    MPI_Finalize();
    printf("rank %d has survived\n", rank);
    return 0;
}
