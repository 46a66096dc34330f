/* spawner.c - a program of which mpiexec's tests start parents that start children: `spawner WHAT [COMMAND ARGS...]`.
 *
 *     spawner good                 children say a line and are parted from
 *     spawner exits, killed        a child ends so while it is connected
 *     spawner apart                a child exits with a failure when it is not connected any more
 *     spawner waits                the parent is in MPI_Comm_spawn of what follows
 *     spawner open                 nobody disconnects
 *     spawner missing              as good, after what is not there was an error
 *     spawner multiple             as good, with two programs
 *     spawner hinted               the same, of which the second has hints and an argument more
 *     spawner named                as good; children find a service that their parents have published
 *
 *     spawner accepts FILE         meets a job of whatever launcher, at a port whose name is written to the file
 *     spawner connects FILE
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SERVICE "of spawner, a test"

static void must(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "spawner: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

/* ---- children ---- */

static void look_at_program(int argc, char **argv, int rank)
{
    char folder[100];
    int *appnum, flag;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &flag);
    must(flag && *appnum == rank, "MPI_APPNUM is not that of the program");
    must(argc == 2 + rank && (rank == 0 || strcmp(argv[2], "two  words") == 0), "the arguments are others");
    must(rank == 0 || (getcwd(folder, sizeof folder) && strcmp(folder, "/") == 0), "the folder is not wdir");
}

static void look_up_port(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    must(MPI_Lookup_name(SERVICE, MPI_INFO_NULL, port) == MPI_SUCCESS && *port, "there is no such service");
}

static void child(const char *what, int rank, MPI_Comm parent)
{
    printf("child %d\n", rank);
    fflush(stdout);
    if (strcmp(what, "exits") == 0 && rank == 1)
        _exit(17);
    if (strcmp(what, "killed") == 0 && rank == 1)
        raise(SIGKILL);
    if (strcmp(what, "open") != 0)
        MPI_Comm_disconnect(&parent);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "apart") == 0)
        _exit(3);
    MPI_Finalize();
}

/* ---- parents ---- */

static void spawn_missing(void)
{
    int codes[2] = {-1, -1};
    MPI_Comm inter;
    int err =
        MPI_Comm_spawn("there-is-no-such-program", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes);
    must(class_of(err) == MPI_ERR_SPAWN, "a program that is not there is no MPI_ERR_SPAWN");
    must(codes[0] == MPI_ERR_SPAWN && codes[1] == MPI_ERR_SPAWN, "the codes are others");
}

static void spawn_two(char **argv, MPI_Comm *inter)
{
    int hinted = strcmp(argv[1], "hinted") == 0;
    char *second[] = {argv[1], hinted ? "two  words" : NULL, NULL};
    char *commands[] = {argv[0], argv[0]}, **argvs[] = {argv + 1, second};
    int maxprocs[] = {1, 1}, codes[2] = {-1, -1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    if (hinted) {
        MPI_Info_create(&infos[1]);
        MPI_Info_set(infos[1], "wdir", "/");
    }
    MPI_Comm_spawn_multiple(2, commands, argvs, maxprocs, infos, 0, MPI_COMM_WORLD, inter, codes);
    must(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS, "the codes are no success");
    if (hinted)
        MPI_Info_free(&infos[1]);
}

static void publish(char *port)
{
    MPI_Open_port(MPI_INFO_NULL, port);
    must(MPI_Publish_name(SERVICE, MPI_INFO_NULL, port) == MPI_SUCCESS, "the name is not published");
    must(class_of(MPI_Publish_name(SERVICE, MPI_INFO_NULL, port)) == MPI_ERR_SERVICE, "it is published twice");
}

static void unpublish(const char *port)
{
    char none[MPI_MAX_PORT_NAME];
    must(MPI_Unpublish_name(SERVICE, MPI_INFO_NULL, port) == MPI_SUCCESS, "the name is not taken back");
    must(class_of(MPI_Lookup_name(SERVICE, MPI_INFO_NULL, none)) == MPI_ERR_NAME, "it is found all the same");
    must(class_of(MPI_Unpublish_name(SERVICE, MPI_INFO_NULL, port)) == MPI_ERR_SERVICE, "it is taken back twice");
}

/* ---- jobs that meet ---- */

static void write_port(const char *file, const char *port)
{
    char other[1000];
    snprintf(other, sizeof other, "%s.new", file);
    FILE *f = fopen(other, "w");
    must(f && fputs(port, f) >= 0 && fclose(f) == 0 && rename(other, file) == 0, "the port cannot be written");
}

static void read_port(const char *file, char *port)
{
    FILE *f;
    while (!(f = fopen(file, "r")))
        usleep(10000);
    must(fgets(port, MPI_MAX_PORT_NAME, f) != NULL, "the port cannot be read");
    fclose(f);
}

static void meet(const char *file, int rank, int accepts)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int all, sum, one = 1;
    MPI_Comm inter, both;
    if (rank == 0 && accepts) {
        MPI_Open_port(MPI_INFO_NULL, port);
        write_port(file, port);
    } else if (rank == 0)
        read_port(file, port);
    if (accepts)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
    MPI_Intercomm_merge(inter, accepts, &both);
    MPI_Comm_size(both, &all);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, both);
    must(sum == all, "the sum of both jobs is another");
    printf("rank %d has met %d\n", rank, sum);
    MPI_Comm_disconnect(&both);
    MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    int rank;
    MPI_Comm parent, inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        if (strcmp(argv[1], "hinted") == 0)
            look_at_program(argc, argv, rank);
        if (strcmp(argv[1], "named") == 0)
            look_up_port();
        child(argv[1], rank, parent);
        return 0;
    }
    if (strcmp(argv[1], "accepts") == 0 || strcmp(argv[1], "connects") == 0) {
        meet(argv[2], rank, argv[1][0] == 'a');
        MPI_Finalize();
        return 0;
    }
    int waits = strcmp(argv[1], "waits") == 0, named = strcmp(argv[1], "named") == 0;
    char *command = waits ? argv[2] : argv[0];
    if (strcmp(argv[1], "missing") == 0 || named)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (strcmp(argv[1], "missing") == 0)
        spawn_missing();
    if (named && rank == 0)
        publish(port);
    if (strcmp(argv[1], "multiple") == 0 || strcmp(argv[1], "hinted") == 0)
        spawn_two(argv, &inter);
    else
        MPI_Comm_spawn(command, waits ? argv + 3 : argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
    if (strcmp(argv[1], "open") != 0)
        MPI_Comm_disconnect(&inter);
    if (named && rank == 0)
        unpublish(port);
    if (strcmp(argv[1], "apart") == 0)
        sleep(1);
    printf("parent %d\n", rank);
    MPI_Finalize();
    return 0;
}
