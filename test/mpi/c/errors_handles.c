/* Null, stale, foreign and random handles are recognised and reported with the class of what was expected; nothing is
 * dereferenced.
 *
 * np: - 1 2
 * only: treefold
 */
#include "check.h"

static int in = 1, out;

static void function(void *a, void *b, int *len, MPI_Datatype *type)
{
    (void)a, (void)b, (void)len, (void)type;
}

static void communicators(void)
{
    MPI_Comm comm, stale, again;
    int n;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    stale = comm;
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_CLASS(MPI_Comm_size(MPI_COMM_NULL, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_rank(stale, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Send(&in, 1, MPI_INT, 0, 0, stale), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, stale), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
    again = stale;
    CHECK_CLASS(MPI_Comm_free(&again), MPI_ERR_COMM);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm)); /* takes the place of the freed one, with another generation */
    CHECK_CLASS(MPI_Comm_size(stale, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_size((MPI_Comm)MPI_INT, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_size((MPI_Comm)MPI_SUM, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_size((MPI_Comm)(uintptr_t)0x12345678, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_size((MPI_Comm)(uintptr_t)0x7fffffffffffffff, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_size((MPI_Comm)&n, &n), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Comm_free(&(MPI_Comm){MPI_COMM_NULL}), MPI_ERR_COMM);
    MPI_Comm world = MPI_COMM_WORLD;
    CHECK_CLASS(MPI_Comm_free(&world), MPI_ERR_COMM);
    CHECK_OK(MPI_Comm_free(&comm));
}

static void types(void)
{
    MPI_Datatype type, stale;
    int n;
    CHECK_OK(MPI_Type_contiguous(3, MPI_INT, &type));
    stale = type;
    CHECK_OK(MPI_Type_free(&type));
    CHECK_CLASS(MPI_Type_size(stale, &n), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_commit(&stale), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Send(&in, 1, stale, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Bcast(&in, 1, stale, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_size((MPI_Datatype)MPI_COMM_WORLD, &n), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_size((MPI_Datatype)(uintptr_t)0x7654321, &n), MPI_ERR_TYPE);
}

static void operators(void)
{
    MPI_Op op, stale;
    int n;
    CHECK_OK(MPI_Op_create(function, 1, &op));
    stale = op;
    CHECK_OK(MPI_Op_free(&op));
    CHECK_CLASS(MPI_Allreduce(&in, &out, 1, MPI_INT, stale, MPI_COMM_WORLD), MPI_ERR_OP);
    CHECK_CLASS(MPI_Op_commutative(stale, &n), MPI_ERR_OP);
    CHECK_CLASS(MPI_Op_free(&stale), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(&in, &out, 1, MPI_INT, (MPI_Op)MPI_INT), MPI_ERR_OP);
    CHECK_CLASS(MPI_Reduce_local(&in, &out, 1, MPI_INT, (MPI_Op)(uintptr_t)0x5555555), MPI_ERR_OP);
}

static void requests_and_others(void)
{
    MPI_Request request, stale;
    MPI_Group group, old;
    MPI_Info info, gone;
    int n, flag;
    CHECK_OK(MPI_Recv_init(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request));
    stale = request;
    CHECK_OK(MPI_Request_free(&request));
    MPI_Request again = stale;
    CHECK_CLASS(MPI_Wait(&again, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    again = stale;
    CHECK_CLASS(MPI_Test(&again, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    again = stale;
    CHECK_CLASS(MPI_Start(&again), MPI_ERR_REQUEST);
    again = stale;
    CHECK_CLASS(MPI_Request_free(&again), MPI_ERR_REQUEST);
    again = (MPI_Request)MPI_COMM_WORLD;
    CHECK_CLASS(MPI_Wait(&again, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    old = group;
    CHECK_OK(MPI_Group_free(&group));
    CHECK_CLASS(MPI_Group_size(old, &n), MPI_ERR_GROUP);
    CHECK_OK(MPI_Info_create(&info));
    gone = info;
    CHECK_OK(MPI_Info_free(&info));
    CHECK_CLASS(MPI_Info_get_nkeys(gone, &n), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    for (int turn = 0; turn < 50; turn++) { /* places are used again and again */
        communicators();
        types();
        operators();
        requests_and_others();
    }
    return check_end();
}
