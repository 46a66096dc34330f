/* meets.c - what the two jobs of test/net/jobs do: the one opens a port and writes its name into a file, the other one
 * connects; ranks of one number talk, and say how many messages went which way.
 *
 *     meets open|call FILE [stay]        stay: for ever, one message after the other
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 1 << 20 };
static const char *const variables[] = {"treefold_messages_sent_beside", "treefold_messages_sent_tcp"};
static MPI_T_pvar_session session;
static MPI_T_pvar_handle counts[2];
static int rank;

static void count(void)
{
    int provided, index, n;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i < 2; i++) {
        MPI_T_pvar_get_index(variables[i], MPI_T_PVAR_CLASS_COUNTER, &index);
        MPI_T_pvar_handle_alloc(session, index, NULL, &counts[i], &n);
        MPI_T_pvar_start(session, counts[i]);
    }
}

static unsigned long long counted(int i)
{
    unsigned long long value = 0;
    MPI_T_pvar_read(session, counts[i], &value);
    return value;
}

/* All at once: who waits for the file finds it whole. */
static void tell(const char *path, const char *port)
{
    char whole[1000];
    snprintf(whole, sizeof whole, "%s.new", path);
    FILE *file = fopen(whole, "w");
    if (!file || fputs(port, file) < 0 || fclose(file) || rename(whole, path))
        MPI_Abort(MPI_COMM_WORLD, 3);
}

static void learn(const char *path, char *port)
{
    FILE *file;
    while (!(file = fopen(path, "r")))
        usleep(2000);
    if (!fgets(port, MPI_MAX_PORT_NAME, file))
        MPI_Abort(MPI_COMM_WORLD, 3);
    fclose(file);
}

static void meet(int opens, const char *path, MPI_Comm *inter)
{
    char port[MPI_MAX_PORT_NAME] = "";
    if (rank == 0 && opens) {
        MPI_Open_port(MPI_INFO_NULL, port);
        tell(path, port);
    } else if (rank == 0)
        learn(path, port);
    if (opens)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter);
}

/* Both send the same. */
static void swap(MPI_Comm inter, int bytes)
{
    static unsigned char out[LONG], in[LONG];
    for (int i = 0; i < bytes; i++)
        out[i] = (unsigned char)(i * 5 + bytes);
    memset(in, 0, sizeof in);
    MPI_Sendrecv(out, bytes, MPI_BYTE, rank, 1, in, bytes, MPI_BYTE, rank, 1, inter, MPI_STATUS_IGNORE);
    if (memcmp(in, out, (size_t)bytes) != 0) {
        printf("%d bytes are wrong\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    count();
    meet(strcmp(argv[1], "open") == 0, argv[2], &inter);
    do
        for (int bytes = 1; bytes <= LONG; bytes *= 4)
            swap(inter, bytes);
    while (argc > 3);
    printf("rank %d: %s\n", rank,
           counted(0) > 0 && counted(1) > 0 ? "both ways"
           : counted(0) > 0                 ? "beside"
           : counted(1) > 0                 ? "tcp"
                                            : "nothing");
    fflush(stdout);
    MPI_Comm_disconnect(&inter);
    MPI_Finalize();
    return 0;
}
