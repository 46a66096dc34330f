/* arguments.c - wrong arguments: each is reported with the right class, and in words that name the argument.
 *
 * Runs as one process.  Prints a line a test and "N passed, N failed".
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int passed, failed;

/* `err` is of class `errclass` and its words contain `words`. */
static void expect(const char *call, int err, int errclass, const char *words)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, found = MPI_SUCCESS;
    if (err != MPI_SUCCESS) {
        MPI_Error_class(err, &found);
        MPI_Error_string(err, text, &length);
    }
    int right = found == errclass && strstr(text, words);
    *(right ? &passed : &failed) += 1;
    printf("%s - %s\n", right ? "ok" : "not ok", call);
    if (!right)
        printf("    class %d, expected %d; \"%s\" should contain \"%s\"\n", found, errclass, text, words);
}
#define EXPECT(errclass, words, call) expect(#call, call, errclass, words)
#define FINE(call) expect(#call, call, MPI_SUCCESS, "")

static MPI_Comm comm, stale_comm;
static MPI_Datatype uncommitted, stale_type;
static MPI_Op stale_op;
static int a[4], b[4];
static MPI_Request request;
static MPI_Status status;

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *len; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void make_objects(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &stale_comm);
    MPI_Comm freed = stale_comm;
    MPI_Comm_free(&freed);
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    MPI_Type_contiguous(2, MPI_INT, &stale_type);
    MPI_Datatype freed_type = stale_type;
    MPI_Type_free(&freed_type);
    MPI_Op_create(add, 1, &stale_op);
    MPI_Op freed_op = stale_op;
    MPI_Op_free(&freed_op);
    expect("freed handles become null",
           freed == MPI_COMM_NULL && freed_type == MPI_DATATYPE_NULL && freed_op == MPI_OP_NULL ? MPI_SUCCESS
                                                                                                : MPI_ERR_OTHER,
           MPI_SUCCESS, "");
}

static void handles(void)
{
    EXPECT(MPI_ERR_COMM, "comm", MPI_Barrier(MPI_COMM_NULL));
    EXPECT(MPI_ERR_COMM, "comm", MPI_Barrier(stale_comm));
    EXPECT(MPI_ERR_COMM, "datatype", MPI_Barrier((MPI_Comm)MPI_INT));
    EXPECT(MPI_ERR_COMM, "comm2", MPI_Comm_compare(comm, stale_comm, a));
    EXPECT(MPI_ERR_TYPE, "datatype", MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, comm));
    EXPECT(MPI_ERR_TYPE, "datatype", MPI_Bcast(a, 1, stale_type, 0, comm));
    EXPECT(MPI_ERR_TYPE, "committed", MPI_Bcast(a, 1, uncommitted, 0, comm));
    EXPECT(MPI_ERR_COMM, "comm", MPI_Comm_get_name(stale_comm, (char *)a, b));
    EXPECT(MPI_ERR_TYPE, "datatype", MPI_Type_get_name(stale_type, (char *)a, b));
    EXPECT(MPI_ERR_TYPE, "datatype", MPI_Recv(a, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, comm, &status));
    EXPECT(MPI_ERR_TYPE, "datatype", MPI_Send(a, 1, MPI_DATATYPE_NULL, 0, 0, comm));
    EXPECT(MPI_ERR_TYPE, "datatype",
           MPI_Sendrecv_replace(a, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, 0, 0, comm, &status));
    EXPECT(MPI_ERR_TYPE, "committed", MPI_Send(a, 1, uncommitted, 0, 0, comm));
    EXPECT(MPI_ERR_OP, "op", MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, comm));
    EXPECT(MPI_ERR_OP, "op", MPI_Allreduce(a, b, 1, MPI_INT, stale_op, comm));
    EXPECT(MPI_ERR_OP, "MPI_BAND", MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_BAND, comm));
    EXPECT(MPI_ERR_GROUP, "group", MPI_Group_size(MPI_GROUP_NULL, a));
    EXPECT(MPI_ERR_INFO, "info", MPI_Info_set(MPI_INFO_NULL, "key", "value"));
    EXPECT(MPI_ERR_ERRHANDLER, "errhandler", MPI_Comm_set_errhandler(comm, MPI_ERRHANDLER_NULL));
    EXPECT(MPI_ERR_TYPE, "oldtype", MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &stale_type));
    MPI_Message message = MPI_MESSAGE_NULL;
    EXPECT(MPI_ERR_REQUEST, "message", MPI_Mrecv(a, 1, MPI_INT, &message, &status));
}

static void numbers(void)
{
    EXPECT(MPI_ERR_COUNT, "count is -3", MPI_Bcast(a, -3, MPI_INT, 0, comm));
    EXPECT(MPI_ERR_COUNT, "count is -5000000000", MPI_Bcast_c(a, -5000000000, MPI_INT, 0, comm));
    EXPECT(MPI_ERR_COUNT, "recvcounts[0] is -1", MPI_Reduce_scatter(a, b, (int[]){-1}, MPI_INT, MPI_SUM, comm));
    EXPECT(MPI_ERR_COUNT, "recvcounts[0] is -1", MPI_Reduce_scatter_c(a, b, (MPI_Count[]){-1}, MPI_INT, MPI_SUM, comm));
    EXPECT(MPI_ERR_ROOT, "root is 1", MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, 1, comm));
    EXPECT(MPI_ERR_ROOT, "root is -1", MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, -1, comm));
    EXPECT(MPI_ERR_RANK, "dest is 1", MPI_Send(a, 1, MPI_INT, 1, 0, comm));
    EXPECT(MPI_ERR_RANK, "dest is -1", MPI_Isend(a, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &request));
    EXPECT(MPI_ERR_RANK, "source is 7", MPI_Recv(a, 1, MPI_INT, 7, 0, comm, &status));
    EXPECT(MPI_ERR_TAG, "tag is -7", MPI_Send(a, 1, MPI_INT, 0, -7, comm));
    EXPECT(MPI_ERR_TAG, "MPI_ANY_TAG", MPI_Send(a, 1, MPI_INT, 0, MPI_ANY_TAG, comm));
    EXPECT(MPI_ERR_TAG, "recvtag is -9", MPI_Sendrecv(a, 1, MPI_INT, 0, 0, b, 1, MPI_INT, 0, -9, comm, &status));
    EXPECT(MPI_ERR_COUNT, "count is -1", MPI_Waitall(-1, &request, MPI_STATUSES_IGNORE));
    EXPECT(MPI_ERR_COUNT, "count is -1", MPI_Type_contiguous(-1, MPI_INT, &stale_type));
}

static void buffers(void)
{
    EXPECT(MPI_ERR_BUFFER, "sendbuf", MPI_Allreduce(NULL, b, 1, MPI_INT, MPI_SUM, comm));
    EXPECT(MPI_ERR_BUFFER, "recvbuf", MPI_Allreduce(a, NULL, 1, MPI_INT, MPI_SUM, comm));
    EXPECT(MPI_ERR_BUFFER, "MPI_IN_PLACE", MPI_Allreduce(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm));
    EXPECT(MPI_ERR_BUFFER, "MPI_IN_PLACE", MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm));
    EXPECT(MPI_ERR_BUFFER, "same buffer", MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, comm));
    EXPECT(MPI_ERR_BUFFER, "same buffer", MPI_Iallreduce(a, a, 1, MPI_INT, MPI_SUM, comm, &request));
    EXPECT(MPI_ERR_BUFFER, "same buffer", MPI_Reduce_local(a, a, 1, MPI_INT, MPI_SUM));
    const int one[] = {1}, zero[] = {0};
    const MPI_Datatype ints[] = {MPI_INT};
    EXPECT(MPI_ERR_BUFFER, "same buffer", MPI_Gatherv(a, 1, MPI_INT, a, one, zero, MPI_INT, 0, comm));
    EXPECT(MPI_ERR_BUFFER, "same buffer", MPI_Gatherv(a, 2, MPI_INT, a, one, one, MPI_INT, 0, comm));
    EXPECT(MPI_ERR_BUFFER, "same buffer", MPI_Scatterv(a, one, zero, MPI_INT, a, 1, MPI_INT, 0, comm));
    EXPECT(MPI_ERR_BUFFER, "same buffer", MPI_Allgatherv(a, 1, MPI_INT, a, one, zero, MPI_INT, comm));
    EXPECT(MPI_ERR_BUFFER, "same buffer", MPI_Alltoallv(a, one, zero, MPI_INT, a, one, zero, MPI_INT, comm));
    EXPECT(MPI_ERR_BUFFER, "same buffer", MPI_Alltoallw(a, one, zero, ints, a, one, zero, ints, comm));
    EXPECT(MPI_ERR_BUFFER, "buf", MPI_Send(NULL, 1, MPI_INT, 0, 0, comm));
    EXPECT(MPI_ERR_BUFFER, "recvbuf", MPI_Gatherv(a, 1, MPI_INT, NULL, (int[]){1}, (int[]){0}, MPI_INT, 0, comm));
    EXPECT(MPI_ERR_ARG, "newcomm", MPI_Comm_dup(comm, NULL));
    EXPECT(MPI_ERR_ARG, "request", MPI_Ibarrier(comm, NULL));
    EXPECT(MPI_ERR_ARG, "size", MPI_Comm_size(comm, NULL));
    EXPECT(MPI_ERR_ARG, "recvcounts", MPI_Reduce_scatter(a, b, NULL, MPI_INT, MPI_SUM, comm));
    EXPECT(MPI_ERR_ARG, "array_of_requests", MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE));
    EXPECT(MPI_ERR_ARG, "displs", MPI_Gatherv(a, 1, MPI_INT, b, (int[]){1}, NULL, MPI_INT, 0, comm));
    EXPECT(MPI_ERR_ARG, "array_of_types", MPI_Type_create_struct(1, a, (MPI_Aint[]){0}, NULL, &stale_type));
    EXPECT(MPI_ERR_ARG, "ranks", MPI_Group_incl(MPI_GROUP_EMPTY, 1, NULL, &(MPI_Group){0}));
    MPI_Datatype child;
    EXPECT(MPI_ERR_ARG, "array_of_integers is a null pointer, but max_integers is 1",
           MPI_Type_get_contents(uncommitted, 1, 0, 1, NULL, NULL, &child));
    EXPECT(MPI_ERR_ARG, "array_of_addresses", MPI_Type_get_contents(uncommitted, 1, 3, 1, a, NULL, &child));
    EXPECT(MPI_ERR_ARG, "array_of_datatypes", MPI_Type_get_contents(uncommitted, 1, 0, 1, a, NULL, NULL));
    EXPECT(MPI_ERR_ARG, "array_of_large_counts",
           MPI_Type_get_contents_c(uncommitted, 1, 0, 2, 1, a, NULL, NULL, &child));
    FINE(MPI_Type_get_contents(uncommitted, 1, 0, 1, a, NULL, &child));
    EXPECT(MPI_ERR_ARG, "user_fn", MPI_Op_create(NULL, 1, &stale_op));
}

/* What looks odd and is right. */
static void allowed(void)
{
    FINE(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, comm));
    FINE(MPI_Allreduce(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, comm));
    FINE(MPI_Reduce(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, 0, comm));
    FINE(MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, b, 1, MPI_INT, 0, comm));
    FINE(MPI_Scatter(a, 1, MPI_INT, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, 0, comm));
    FINE(MPI_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, b, 1, MPI_INT, comm));
    FINE(MPI_Send(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, comm));
    FINE(MPI_Recv(NULL, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE));
    FINE(MPI_Send(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, comm));
    FINE(MPI_Bsend(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, comm));
    FINE(MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE));
    FINE(MPI_Irecv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, comm, &request));
    FINE(MPI_Wait(&request, MPI_STATUS_IGNORE));
    FINE(MPI_Recv_init(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, comm, &request));
    FINE(MPI_Start(&request));
    FINE(MPI_Wait(&request, MPI_STATUS_IGNORE));
    FINE(MPI_Request_free(&request));
    FINE(MPI_Sendrecv(a, 1, MPI_INT, 0, 0, b, 1, MPI_INT, 0, 0, comm, &status));
    FINE(MPI_Sendrecv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, comm,
                      &status));
    FINE(MPI_Sendrecv_replace(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_PROC_NULL, 0, comm, &status));
    FINE(MPI_Sendrecv(a, 1, MPI_INT, MPI_PROC_NULL, 0, a, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &status));
    FINE(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
    const int zero[] = {0}, one[] = {1}, four[] = {4};
    const MPI_Datatype ints[] = {MPI_INT};
    FINE(MPI_Gatherv(a, 1, MPI_INT, a, one, one, MPI_INT, 0, comm));
    FINE(MPI_Gatherv(a, 0, MPI_INT, a, zero, zero, MPI_INT, 0, comm));
    FINE(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, one, zero, MPI_INT, comm));
    FINE(MPI_Alltoallv(a, zero, zero, MPI_INT, a, zero, zero, MPI_INT, comm));
    FINE(MPI_Alltoallv(a, one, zero, MPI_INT, a, one, one, MPI_INT, comm));
    FINE(MPI_Alltoallw(a, one, zero, ints, a, one, four, ints, comm));
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    FINE(MPI_Comm_get_name(MPI_COMM_NULL, name, &length));
    FINE(length == 13 && !strcmp(name, "MPI_COMM_NULL") ? MPI_SUCCESS : MPI_ERR_OTHER);
    FINE(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
    FINE(length == 17 && !strcmp(name, "MPI_DATATYPE_NULL") ? MPI_SUCCESS : MPI_ERR_OTHER);
    MPI_Aint address;
    MPI_Datatype absolute;
    MPI_Get_address(a, &address);
    MPI_Type_create_hindexed(1, (int[]){4}, &address, MPI_INT, &absolute);
    MPI_Type_commit(&absolute);
    FINE(MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, comm));
    MPI_Type_free(&absolute);
    FINE(MPI_Comm_free_keyval(&(int){MPI_KEYVAL_INVALID}) == MPI_SUCCESS ? MPI_ERR_OTHER : MPI_SUCCESS);
}

static void results(void)
{
    MPI_Datatype huge;
    int size;
    MPI_Count large;
    MPI_Type_contiguous_c(3000000000, MPI_INT, &huge);
    FINE(MPI_Type_size(huge, &size));
    FINE(size == MPI_UNDEFINED ? MPI_SUCCESS : MPI_ERR_OTHER);
    FINE(MPI_Type_size_c(huge, &large));
    FINE(large == 12000000000 ? MPI_SUCCESS : MPI_ERR_OTHER);
    MPI_Type_free(&huge);
    FINE(MPI_Comm_f2c(MPI_Comm_c2f(comm)) == comm ? MPI_SUCCESS : MPI_ERR_OTHER);
    FINE(MPI_Type_fromint(MPI_Type_toint(MPI_DOUBLE)) == MPI_DOUBLE ? MPI_SUCCESS : MPI_ERR_OTHER);
    MPI_Fint fortran[MPI_F_STATUS_SIZE];
    MPI_Status again;
    MPI_Status_set_source(&status, 3);
    MPI_Status_set_tag(&status, 4);
    MPI_Status_c2f(&status, fortran);
    MPI_Status_f2c(fortran, &again);
    FINE(fortran[MPI_F_SOURCE] == 3 && again.MPI_TAG == 4 ? MPI_SUCCESS : MPI_ERR_OTHER);
}

int main(void)
{
    int flag;
    MPI_Initialized(&flag);
    expect("not initialized", flag, 0, "");
    MPI_Init(NULL, NULL);
    make_objects();
    handles();
    numbers();
    buffers();
    allowed();
    results();
    MPI_Type_free(&uncommitted);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    MPI_Finalized(&flag);
    expect("finalized", !flag, 0, "");
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
