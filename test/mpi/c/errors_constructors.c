/* A constructor of communicators that fails gives MPI_COMM_NULL, whatever the variable held: programs compare with it.
 *
 * np: 1 2 3
 * only: treefold
 */
#include "check.h"

static MPI_Comm made;

/* `call` assigns to `made`, and fails. */
#define FAILS(call)                                                                                                    \
    do {                                                                                                               \
        made = MPI_COMM_SELF;                                                                                          \
        int code = (call);                                                                                             \
        CHECK_NOTED(code != MPI_SUCCESS && made == MPI_COMM_NULL, #call);                                              \
    } while (0)

static int refuse(MPI_Comm old, int key, void *extra, void *in, void *out, int *flag)
{
    (void)old, (void)key, (void)extra, (void)in, (void)out, (void)flag;
    return MPI_ERR_OTHER;
}

static void of_arguments(void)
{
    const MPI_Comm w = MPI_COMM_WORLD, none = MPI_COMM_NULL;
    int many[] = {check_size, 2}, periods[] = {0, 0}, one = 1, index[] = {1}, edge[] = {check_size};
    MPI_Request request = MPI_REQUEST_NULL;
    FAILS(MPI_Comm_dup(none, &made));
    FAILS(MPI_Comm_dup_with_info(none, MPI_INFO_NULL, &made));
    FAILS(MPI_Comm_idup(none, &made, &request));
    FAILS(MPI_Comm_idup_with_info(none, MPI_INFO_NULL, &made, &request));
    FAILS(MPI_Comm_create(w, MPI_GROUP_NULL, &made));
    FAILS(MPI_Comm_create_group(w, MPI_GROUP_NULL, 0, &made));
    FAILS(MPI_Comm_split(w, -5, 0, &made));
    FAILS(MPI_Comm_split_type(w, -12345, 0, MPI_INFO_NULL, &made));
    FAILS(MPI_Intercomm_create(w, check_size, w, 0, 0, &made));
    FAILS(MPI_Intercomm_merge(w, 0, &made));
    FAILS(MPI_Cart_create(w, 2, many, periods, 0, &made));
    FAILS(MPI_Cart_sub(w, &one, &made));
    FAILS(MPI_Graph_create(w, 1, index, edge, 0, &made));
    FAILS(MPI_Dist_graph_create_adjacent(w, 1, edge, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    FAILS(MPI_Comm_create_from_group(MPI_GROUP_NULL, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made));
    FAILS(MPI_Comm_connect("nowhere", MPI_INFO_NULL, 0, MPI_COMM_SELF, &made));
    FAILS(MPI_Comm_accept("nowhere", MPI_INFO_NULL, 0, MPI_COMM_SELF, &made));
    FAILS(MPI_Comm_join(-1, &made));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK(MPI_Comm_dup(w, NULL) != MPI_SUCCESS); /* where there is nothing to write to */
}

/* After the arguments were found good. */
static void of_the_call(void)
{
    int key, value, one = 1, no = 0;
    MPI_Comm comm;
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_OK(MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    CHECK_OK(MPI_Cart_create(MPI_COMM_SELF, 1, &one, &no, 0, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_attr(comm, key, &value));
    FAILS(MPI_Comm_dup(comm, &made));
    FAILS(MPI_Comm_idup(comm, &made, &request));
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Comm_free_keyval(&key));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    of_arguments();
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    of_the_call();
    return check_end();
}
