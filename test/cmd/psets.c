/* psets.c - sessions and the process sets that the launcher was given names for: `psets [MINE OTHER]`.
 *
 * Each process prints "rank R: " and the sets that it is in, with their sizes, but for those that always are there.
 * With two names the processes of each make a communicator, and an intercommunicator of both, and add up their ranks;
 * it prints " of " and the sums of either side.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Session session;

static MPI_Group group_of(const char *set)
{
    MPI_Group group;
    MPI_Group_from_session_pset(session, set, &group);
    return group;
}

static int size_of(const char *set)
{
    MPI_Info info;
    char value[20];
    int room = sizeof value, flag;
    MPI_Session_get_pset_info(session, set, &info);
    MPI_Info_get_string(info, "mpi_size", &room, value, &flag);
    MPI_Info_free(&info);
    return flag ? atoi(value) : -1;
}

static void tell_sets(char *text)
{
    int n;
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n);
    for (int i = 0; i < n; i++) {
        char name[MPI_MAX_PSET_NAME_LEN];
        int length = sizeof name;
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
        if (strncmp(name, "mpi", 3) != 0)
            sprintf(text + strlen(text), " %s=%d", name, size_of(name));
    }
}

static void meet(int rank, const char *mine, const char *other, char *text)
{
    MPI_Group local = group_of(mine), remote = group_of(other);
    MPI_Comm own, both;
    int sum, others;
    MPI_Comm_create_from_group(local, "own", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &own);
    MPI_Intercomm_create_from_groups(local, 0, remote, 0, "both", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &both);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, own);
    MPI_Allreduce(&rank, &others, 1, MPI_INT, MPI_SUM, both);
    sprintf(text + strlen(text), " of %d %d", sum, others);
    MPI_Comm_free(&own);
    MPI_Comm_free(&both);
    MPI_Group_free(&local);
    MPI_Group_free(&remote);
}

int main(int argc, char **argv)
{
    char text[4000] = "";
    int rank, n, before;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group all = group_of("mpi://WORLD"), none;
    MPI_Group_rank(all, &rank);
    MPI_Group_free(&all);
    MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN);
    if (MPI_Group_from_session_pset(session, "nobody", &none) == MPI_SUCCESS || none != MPI_GROUP_NULL)
        sprintf(text, " there is a set \"nobody\"");
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &before);
    tell_sets(text);
    if (argc > 2)
        meet(rank, argv[1], argv[2], text);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n);
    if (n < before) /* that of the node may have come */
        sprintf(text + strlen(text), " there were %d sets, now %d", before, n);
    MPI_Session_finalize(&session);
    printf("rank %d:%s\n", rank, text);
    return 0;
}
