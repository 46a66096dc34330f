/* With TREEFOLD_CHECK=strict what is not portable is refused, with the words that say why.
 *
 * np: 1 2
 * only: treefold
 */
#include "files.h"

/* The call gives an error of that class, whose words contain `words`. */
static void refused(int code, int errclass, const char *words, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class = MPI_SUCCESS, length;
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &class);
        MPI_Error_string(code, text, &length);
    }
    CHECK_NOTED(class == errclass && strstr(text, words), "%s gives class %d: %.100s", call, class, text);
}
#define REFUSED(errclass, words, call) refused(call, errclass, words, #call)

static void operators(void)
{
    const MPI_Comm w = MPI_COMM_WORLD;
    long a = 1, r = 0;
    REFUSED(MPI_ERR_OP, "MPI_SUM is not defined on MPI_CHAR, which holds text",
            MPI_Allreduce(&a, &r, 1, MPI_CHAR, MPI_SUM, w));
    REFUSED(MPI_ERR_OP, "MPI_BOR is not defined on MPI_CHARACTER", MPI_Scan(&a, &r, 1, MPI_CHARACTER, MPI_BOR, w));
    REFUSED(MPI_ERR_OP, "MPI_LAND is not defined on MPI_AINT", MPI_Reduce_local(&a, &r, 1, MPI_AINT, MPI_LAND));
    REFUSED(MPI_ERR_OP, "MPI_LXOR is not defined on MPI_INTEGER", MPI_Allreduce(&a, &r, 1, MPI_INTEGER, MPI_LXOR, w));
    CHECK_OK(MPI_Allreduce(&a, &r, 1, MPI_LONG, MPI_LAND, w));
    CHECK_INT(r, 1);
}

/* Two processes along a dimension that is not distributed. */
static void datatypes(void)
{
    const int size[] = {4}, distrib[] = {MPI_DISTRIBUTE_NONE}, darg[] = {MPI_DISTRIBUTE_DFLT_DARG}, processes[] = {2};
    MPI_Datatype type;
    REFUSED(MPI_ERR_ARG, "array_of_psizes[0] is 2",
            MPI_Type_create_darray(2, 0, 1, size, distrib, darg, processes, MPI_ORDER_C, MPI_INT, &type));
}

static void messages(void)
{
    int unused, code, nothing[2] = {0};
    MPI_Datatype none[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}, ints[2] = {MPI_INT, MPI_INT};
    REFUSED(MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL",
            MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    REFUSED(MPI_ERR_TYPE, "sendtypes[0] is MPI_DATATYPE_NULL",
            MPI_Alltoallw(NULL, nothing, nothing, none, NULL, nothing, nothing, ints, MPI_COMM_WORLD));
    CHECK_OK(MPI_Recv(&unused, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    REFUSED(MPI_ERR_ARG, "MPI_SUCCESS, of which there are no error codes", MPI_Add_error_code(MPI_SUCCESS, &code));
}

/* Whose places are longer than what is sent, which is taken otherwise. */
static void collectives(void)
{
    int in = 1, out[4];
    MPI_Comm comm;
    if (check_size == 1)
        return;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    REFUSED(MPI_ERR_TRUNCATE, "expects 8 bytes", MPI_Allgather(&in, 1, MPI_INT, out, 2, MPI_INT, comm));
    MPI_Comm_free(&comm); /* may tell of messages of the call that failed: once */
    if (comm != MPI_COMM_NULL)
        CHECK_OK(MPI_Comm_free(&comm));
}

/* One that has ended and that nobody has waited for, which is freed otherwise. */
static void requests(void)
{
    MPI_Request request;
    CHECK_OK(MPI_Ibarrier(MPI_COMM_SELF, &request));
    REFUSED(MPI_ERR_REQUEST, "collective operation that nobody has waited for, which cannot be freed",
            MPI_Request_free(&request));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void keys(void)
{
    int key, again, value;
    MPI_Comm comm;
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    CHECK_OK(MPI_Comm_set_attr(comm, key, &value));
    again = key;
    CHECK_OK(MPI_Comm_free_keyval(&key));
    REFUSED(MPI_ERR_KEYVAL, "was freed before and lives on only in attributes", MPI_Comm_free_keyval(&again));
    CHECK_OK(MPI_Comm_free(&comm));
}

/* A call with a request and one without (MPI-5.0 section 6.12), which are the same messages. */
static void forms(void)
{
    int value = 7, code;
    MPI_Request request;
    MPI_Comm comm;
    if (check_size == 1)
        return;
    for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
        CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        if (check_rank == nonblocking) {
            CHECK_OK(MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &request));
            code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            code = MPI_Bcast(&value, 1, MPI_INT, 0, comm);
        }
        if (check_rank == 1)
            REFUSED(MPI_ERR_OTHER, "but a blocking call and a nonblocking one do not match", code);
        CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
        if (MPI_Comm_free(&comm)) /* where something is left over it says so, once */
            CHECK_OK(MPI_Comm_free(&comm));
    }
}

/* MPI_Finalize may be called again once it is closed. */
static void files(void)
{
    char name[FILE_NAME];
    MPI_File fh;
    file_name(name, "strict");
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &fh));
    REFUSED(MPI_ERR_OTHER, "is still open: MPI_File_close comes before MPI_Finalize", MPI_Finalize());
    CHECK_OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    setenv("TREEFOLD_CHECK", "strict", 1);
    check_start(&argc, &argv);
    operators();
    datatypes();
    messages();
    collectives();
    requests();
    keys();
    forms();
    files();
    return check_end();
}
