/* Spawned processes that die: their parents learn of it, free what connected them, and go on with others; one that ends
 * its own job in MPI_Abort ends nobody else, and those that end before MPI_Init are an error of MPI_Comm_spawn.
 *
 * np: 1 2 4
 * option: -keep-going
 * fails: ft_spawn: all is well
 * status: 137
 * timeout: 30
 * only: treefold
 */
#include "ft.h"
#include "spawn.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHILDREN = 2 };

static void child(const char *end, MPI_Comm parent)
{
    int word;
    if (!strcmp(end, "leave")) {
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        exit(0);
    }
    MPI_Recv(&word, 1, MPI_INT, 0, 0, parent, MPI_STATUS_IGNORE);
    if (!strcmp(end, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 5);
    raise(SIGKILL);
}

/* All of them die, each by itself or together. */
static void meet(char *self, char *end)
{
    char *argv[] = {end, NULL};
    int codes[CHILDREN], word = 7;
    MPI_Comm inter;
    CHECK_OK(MPI_Comm_spawn(self, argv, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes));
    CHECK_OK(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN));
    for (int r = 0; r < CHILDREN && check_rank == 0; r++)
        CHECK_OK(MPI_Send(&word, 1, MPI_INT, r, 0, inter));
    for (int r = 0; r < CHILDREN; r++)
        ft_must_fail(MPI_Recv(&word, 1, MPI_INT, r, 0, inter, MPI_STATUS_IGNORE), end);
    ft_must_fail(MPI_Comm_disconnect(&inter), "disconnect");
    if (inter != MPI_COMM_NULL)
        CHECK_OK(MPI_Comm_free(&inter));
}

/* mpiexec tells of them all, more than go into one piece of what it writes (launch/deaths.h). */
static void outlive_many(char *self)
{
    enum { MANY = 150 };
    char *argv[] = {"leave", NULL};
    MPI_Comm inter;
    for (int n = 0; n < MANY && check_size == 1; n += CHILDREN) {
        CHECK_OK(MPI_Comm_spawn(self, argv, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE));
        CHECK_OK(MPI_Comm_disconnect(&inter));
    }
}

/* Those that never come to MPI_Init. */
static void miss(char *command)
{
    char *argv[] = {"-c", command, NULL};
    int codes[CHILDREN] = {0}, class;
    MPI_Comm inter = MPI_COMM_NULL;
    CHECK_CLASS(MPI_Comm_spawn("/bin/sh", argv, CHILDREN, MPI_INFO_NULL, check_size - 1, MPI_COMM_WORLD, &inter, codes),
                MPI_ERR_SPAWN);
    CHECK(inter == MPI_COMM_NULL);
    for (int i = 0; i < CHILDREN; i++) {
        MPI_Error_class(codes[i], &class);
        CHECK_INT(class, MPI_ERR_SPAWN);
    }
}

/* Who looks for the dead in it finds none. */
static void go_on(void)
{
    int one = 1, sum = 0;
    MPI_Comm copy;
    MPI_Group dead;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    CHECK_OK(MPIX_Comm_get_failed(copy, &dead));
    CHECK(dead == MPI_GROUP_EMPTY);
    CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy));
    CHECK_INT(sum, check_size);
    CHECK_OK(MPI_Comm_free(&copy));
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    check_start(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        child(argv[1], parent);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    outlive_many(spawn_self());
    for (int i = 0; i < 3; i++) {
        meet(spawn_self(), "kill");
        go_on();
        meet(spawn_self(), "abort");
        go_on();
        miss("exit 0");
        miss("exit 3");
        miss("kill -9 $$");
        go_on();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0 && check_failures == 0)
        fprintf(stderr, "ft_spawn: all is well\n");
    return check_end();
}
