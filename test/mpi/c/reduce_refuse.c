/* Operators on types they do not take, and other things a reduction must refuse, each with the right class and words.
 *
 * np: 1 2
 * only: treefold
 */
#include "check.h"

static void refuse(MPI_Op op, MPI_Datatype type, int errclass, const char *what)
{
    char a[64] = {0}, r[64] = {0};
    int code = MPI_Allreduce(a, r, 1, type, op, MPI_COMM_WORLD), class = MPI_SUCCESS, len = 0;
    char text[MPI_MAX_ERROR_STRING] = "";
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &class);
        MPI_Error_string(code, text, &len);
    }
    CHECK_NOTED(class == errclass && len > 10, "%s gives class %d, not %d: %.80s", what, class, errclass, text);
    CHECK_CLASS(MPI_Reduce_local(a, r, 1, type, op), errclass);
    CHECK_CLASS(MPI_Scan(a, r, 1, type, op, MPI_COMM_WORLD), errclass);
    CHECK_CLASS(MPI_Exscan(a, r, 1, type, op, MPI_COMM_WORLD), errclass);
    CHECK_CLASS(MPI_Reduce(a, r, 1, type, op, 0, MPI_COMM_WORLD), errclass);
    CHECK_CLASS(MPI_Reduce_scatter_block(a, r, 1, type, op, MPI_COMM_WORLD), errclass);
}
#define REFUSE(op, type) refuse(op, type, MPI_ERR_OP, #op " on " #type)

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    REFUSE(MPI_MAX, MPI_WCHAR);
    REFUSE(MPI_MAX, MPI_CHARACTER); /* reduce_beyond.c has the operators that text is given */
    REFUSE(MPI_BAND, MPI_FLOAT);
    REFUSE(MPI_BOR, MPI_DOUBLE);
    REFUSE(MPI_BXOR, MPI_LONG_DOUBLE);
    REFUSE(MPI_LAND, MPI_DOUBLE);
    REFUSE(MPI_LOR, MPI_REAL);
    REFUSE(MPI_LAND, MPI_BYTE);
    REFUSE(MPI_SUM, MPI_BYTE);
    REFUSE(MPI_MAX, MPI_BYTE);
    REFUSE(MPI_SUM, MPI_C_BOOL);
    REFUSE(MPI_MAX, MPI_LOGICAL);
    REFUSE(MPI_BAND, MPI_LOGICAL);
    REFUSE(MPI_MAX, MPI_C_DOUBLE_COMPLEX);
    REFUSE(MPI_MIN, MPI_COMPLEX);
    REFUSE(MPI_LAND, MPI_C_FLOAT_COMPLEX);
    REFUSE(MPI_SUM, MPI_DOUBLE_INT);
    REFUSE(MPI_MAXLOC, MPI_DOUBLE);
    REFUSE(MPI_MINLOC, MPI_INT);
    REFUSE(MPI_SUM, MPI_PACKED);
    REFUSE(MPI_OP_NULL, MPI_INT);
    refuse(MPI_SUM, MPI_DATATYPE_NULL, MPI_ERR_TYPE, "MPI_SUM on MPI_DATATYPE_NULL");

    MPI_Datatype derived;
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &derived));
    refuse(MPI_SUM, derived, MPI_ERR_TYPE, "MPI_SUM on an uncommitted type");
    CHECK_OK(MPI_Type_commit(&derived));
    REFUSE(MPI_SUM, derived);
    CHECK_OK(MPI_Type_free(&derived));

    double buffer[2] = {1, 2};
    CHECK_CLASS(MPI_Allreduce(buffer, buffer, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Scan(buffer, buffer, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    if (check_rank > 0) /* rank 0's receive buffer is not significant */
        CHECK_CLASS(MPI_Exscan(buffer, buffer, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_DOUBLE(buffer[1], 2);
    MPI_Op sum = MPI_SUM;
    CHECK_CLASS(MPI_Op_free(&sum), MPI_ERR_OP); /* predefined */
    CHECK_CLASS(MPI_Op_create(NULL, 1, &sum), MPI_ERR_ARG);
    return check_end();
}
