/* survivors.c - a computation that goes on when a process of it is killed: heat spreads along a rod, of which each rank
 * has a part.
 *
 *     mpiexec -keep-going -n 4 ./survivors
 *
 * Every SAVE steps each rank gives its neighbor a copy of its part.  In step KILLED rank 2 is killed.  Whoever notices
 * revokes the communicator, so that all leave what they wait for; those who are left make a communicator of their own
 * (MPIX_Comm_shrink), start another process in the place of the dead one, and all go back to the last copies.  The
 * answer is that of one process that computes the whole rod.
 */
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 4, CELLS = 25, STEPS = 400, SAVE = 50, KILLED = 170, VICTIM = 2 };

struct part {
    int step;
    double heat[CELLS + 2]; /* with a cell of each neighbor */
};

static MPI_Comm rod; /* rank r has part r */
static int rank;
static struct part now, saved; /* this rank's */
static struct part kept;       /* that of the rank before it, which is `saved` there */

static void begin_part(struct part *part, int place)
{
    memset(part, 0, sizeof *part);
    if (place == 0)
        part->heat[0] = 100; /* the rod's end is kept hot, the other one cold */
}

static void compute(double *heat, int cells)
{
    double before = heat[0];
    for (int i = 1; i <= cells; i++) {
        double old = heat[i];
        heat[i] += 0.25 * (before - 2 * old + heat[i + 1]);
        before = old;
    }
}

/* One step; an error of MPI is returned. */
static int step(void)
{
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < PARTS - 1 ? rank + 1 : MPI_PROC_NULL;
    int err = MPI_Sendrecv(&now.heat[1], 1, MPI_DOUBLE, left, 1, &now.heat[CELLS + 1], 1, MPI_DOUBLE, right, 1, rod,
                           MPI_STATUS_IGNORE);
    if (!err)
        err = MPI_Sendrecv(&now.heat[CELLS], 1, MPI_DOUBLE, right, 2, &now.heat[0], 1, MPI_DOUBLE, left, 2, rod,
                           MPI_STATUS_IGNORE);
    if (!err) {
        compute(now.heat, CELLS);
        now.step++;
    }
    return err;
}

/* The copies count once all have them: either on all ranks or on none. */
static int save(void)
{
    struct part copy;
    int err = MPI_Sendrecv(&now, sizeof now, MPI_BYTE, (rank + 1) % PARTS, 3, &copy, sizeof copy, MPI_BYTE,
                           (rank + PARTS - 1) % PARTS, 3, rod, MPI_STATUS_IGNORE);
    int good = !err, disagreed = MPIX_Comm_agree(rod, &good);
    if (!good || disagreed)
        return err ? err : MPIX_ERR_PROC_FAILED;
    kept = copy;
    saved = now;
    return MPI_SUCCESS;
}

/* All ranks again, in their places; `place` is this one's, -1 for one that is new and gets what is missing. */
static void join(MPI_Comm all, int place)
{
    int places[PARTS], taken[PARTS] = {0}, missing = 0;
    MPI_Allgather(&place, 1, MPI_INT, places, 1, MPI_INT, all);
    for (int r = 0; r < PARTS; r++)
        if (places[r] >= 0)
            taken[places[r]] = 1;
    while (missing < PARTS - 1 && taken[missing])
        missing++;
    rank = place >= 0 ? place : missing;
    MPI_Comm_split(all, 0, rank, &rod);
    MPI_Comm_set_errhandler(rod, MPI_ERRORS_RETURN);
    if (rank == (missing + 1) % PARTS)
        MPI_Send(&kept, sizeof kept, MPI_BYTE, missing, 4, rod);
    if (rank == missing)
        MPI_Recv(&saved, sizeof saved, MPI_BYTE, (missing + 1) % PARTS, 4, rod, MPI_STATUS_IGNORE);
    now = saved;
}

static void replace(char *program)
{
    MPI_Comm left, between, all;
    int n;
    MPIX_Comm_revoke(rod);
    MPIX_Comm_shrink(rod, &left);
    MPI_Comm_size(left, &n);
    MPI_Comm_spawn(program, MPI_ARGV_NULL, PARTS - n, MPI_INFO_NULL, 0, left, &between, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(between, 0, &all);
    MPI_Comm_free(&rod);
    join(all, rank);
    if (rank == 0)
        printf("step %d: all %d are there again\n", now.step, PARTS);
    MPI_Comm_free(&all);
    MPI_Comm_free(&between);
    MPI_Comm_free(&left);
}

static void come_in(MPI_Comm parents)
{
    MPI_Comm all;
    MPI_Intercomm_merge(parents, 1, &all);
    join(all, -1);
    MPI_Comm_free(&all);
    MPI_Comm_free(&parents);
}

static int advance(void)
{
    int err = now.step % SAVE == 0 ? save() : MPI_SUCCESS;
    return err ? err : step();
}

static void tell(void)
{
    static double whole[PARTS * CELLS + 2], parts[PARTS * CELLS];
    double most = 0;
    MPI_Gather(&now.heat[1], CELLS, MPI_DOUBLE, parts, CELLS, MPI_DOUBLE, 0, rod);
    whole[0] = 100;
    for (int i = 0; i < STEPS; i++)
        compute(whole, PARTS * CELLS);
    for (int i = 0; i < PARTS * CELLS; i++)
        most = fmax(most, fabs(parts[i] - whole[i + 1]));
    if (rank == 0)
        printf("after %d steps the first cell has %.3f degrees; difference from one process: %g\n", STEPS, parts[0],
               most);
}

int main(int argc, char **argv)
{
    MPI_Comm parents;
    int first;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parents);
    first = parents == MPI_COMM_NULL;
    if (first) {
        MPI_Comm_dup(MPI_COMM_WORLD, &rod);
        MPI_Comm_set_errhandler(rod, MPI_ERRORS_RETURN);
        MPI_Comm_rank(rod, &rank);
        begin_part(&now, rank);
    } else {
        come_in(parents);
    }
    while (now.step < STEPS) {
        if (first && rank == VICTIM && now.step == KILLED)
            raise(SIGKILL);
        if (advance() != MPI_SUCCESS)
            replace(argv[0]);
    }
    tell();
    MPI_Comm_free(&rod);
    MPI_Finalize();
    return 0;
}
