/* names.cc - the constants of the namespace MPI are C's, are there before any constructor runs, are one object each in
 * a program; mpi.h may be included within extern "C".
 *
 * np: - 1
 * flags: -std=c++20
 * with: names_other.cc
 * only: treefold
 */
extern "C" {
#include <mpi.h>
}
#include "../c/check.h"

MPI::Comm *comm_world_elsewhere();

/* A program's own global: what it uses must be there. */
struct early {
    bool right = MPI::INT == MPI::Datatype(MPI_INT) && MPI::COMM_WORLD == MPI::Intracomm(MPI_COMM_WORLD) &&
                 MPI::SUM == MPI::Op(MPI_SUM) && MPI::COMM_SELF != MPI::COMM_NULL;
} static at_start;

#define SAME(type, name, c) CHECK(MPI::name == MPI::type(c) && static_cast<decltype(c)>(MPI::name) == c)
#define TYPE(name) SAME(Datatype, name, MPI_##name)
#define OP(name) SAME(Op, name, MPI_##name)
#define NUMBER(name) CHECK_INT(MPI::name, MPI_##name)

static void datatypes()
{
    TYPE(CHAR), TYPE(SHORT), TYPE(INT), TYPE(LONG), TYPE(SIGNED_CHAR), TYPE(UNSIGNED_CHAR), TYPE(UNSIGNED_SHORT);
    TYPE(UNSIGNED), TYPE(UNSIGNED_LONG), TYPE(FLOAT), TYPE(DOUBLE), TYPE(LONG_DOUBLE), TYPE(BYTE), TYPE(PACKED);
    TYPE(LONG_LONG), TYPE(UNSIGNED_LONG_LONG), TYPE(WCHAR), TYPE(FLOAT_INT), TYPE(DOUBLE_INT), TYPE(LONG_INT);
    TYPE(SHORT_INT), TYPE(LONG_DOUBLE_INT), TYPE(INTEGER), TYPE(REAL), TYPE(DOUBLE_PRECISION), TYPE(LOGICAL);
    TYPE(CHARACTER), TYPE(INTEGER1), TYPE(INTEGER2), TYPE(INTEGER4), TYPE(INTEGER8), TYPE(REAL4), TYPE(REAL8);
    TYPE(AINT), TYPE(OFFSET), TYPE(INT8_T), TYPE(INT16_T), TYPE(INT32_T), TYPE(INT64_T), TYPE(UINT8_T);
    TYPE(UINT16_T), TYPE(UINT32_T), TYPE(UINT64_T), TYPE(DATATYPE_NULL), TYPE(LB), TYPE(UB);
    SAME(Datatype, BOOL, MPI_CXX_BOOL);
    SAME(Datatype, COMPLEX, MPI_CXX_FLOAT_COMPLEX);
    SAME(Datatype, DOUBLE_COMPLEX, MPI_CXX_DOUBLE_COMPLEX);
    SAME(Datatype, LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX);
    SAME(Datatype, F_COMPLEX, MPI_COMPLEX);
    SAME(Datatype, F_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX);
    SAME(Datatype, TWOINT, MPI_2INT);
    SAME(Datatype, TWOREAL, MPI_2REAL);
    SAME(Datatype, TWODOUBLE_PRECISION, MPI_2DOUBLE_PRECISION);
    SAME(Datatype, TWOINTEGER, MPI_2INTEGER);
}

static void handles()
{
    OP(MAX), OP(MIN), OP(SUM), OP(PROD), OP(MAXLOC), OP(MINLOC), OP(BAND), OP(BOR), OP(BXOR), OP(LAND), OP(LOR);
    OP(LXOR), OP(REPLACE), OP(OP_NULL);
    SAME(Group, GROUP_NULL, MPI_GROUP_NULL);
    SAME(Group, GROUP_EMPTY, MPI_GROUP_EMPTY);
    SAME(Request, REQUEST_NULL, MPI_REQUEST_NULL);
    SAME(Info, INFO_NULL, MPI_INFO_NULL);
    SAME(Errhandler, ERRHANDLER_NULL, MPI_ERRHANDLER_NULL);
    SAME(Errhandler, ERRORS_RETURN, MPI_ERRORS_RETURN);
    SAME(Errhandler, ERRORS_ARE_FATAL, MPI_ERRORS_ARE_FATAL);
    SAME(Intracomm, COMM_WORLD, MPI_COMM_WORLD);
    SAME(Intracomm, COMM_SELF, MPI_COMM_SELF);
    CHECK(MPI::BOTTOM == MPI_BOTTOM && MPI::IN_PLACE == MPI_IN_PLACE);
    CHECK(&MPI::COMM_WORLD == comm_world_elsewhere());
    MPI::Intercomm inter = MPI::COMM_NULL;
    MPI::Cartcomm cart = MPI::COMM_NULL;
    MPI::Graphcomm graph = MPI::COMM_NULL;
    MPI::Distgraphcomm dist_graph = MPI::COMM_NULL;
    CHECK(inter == MPI::COMM_NULL && cart == graph && dist_graph == MPI::COMM_NULL);
    /* From C and back. */
    MPI_Comm c = MPI::COMM_SELF;
    MPI::Intracomm comm = c;
    comm = MPI_COMM_WORLD;
    CHECK(c == MPI_COMM_SELF && comm == MPI::COMM_WORLD);
    static_assert(sizeof(MPI::Datatype) == sizeof(MPI_Datatype) && sizeof(MPI::Prequest) == sizeof(MPI_Request) &&
                      sizeof(MPI::Status) == sizeof(MPI_Status),
                  "arrays of them are C's");
}

static void numbers()
{
    NUMBER(SUCCESS), NUMBER(ERR_BUFFER), NUMBER(ERR_COUNT), NUMBER(ERR_TYPE), NUMBER(ERR_TAG), NUMBER(ERR_COMM);
    NUMBER(ERR_RANK), NUMBER(ERR_REQUEST), NUMBER(ERR_ROOT), NUMBER(ERR_GROUP), NUMBER(ERR_OP), NUMBER(ERR_TOPOLOGY);
    NUMBER(ERR_DIMS), NUMBER(ERR_ARG), NUMBER(ERR_UNKNOWN), NUMBER(ERR_TRUNCATE), NUMBER(ERR_OTHER), NUMBER(ERR_INTERN);
    NUMBER(ERR_PENDING), NUMBER(ERR_IN_STATUS), NUMBER(ERR_NO_MEM), NUMBER(ERR_KEYVAL), NUMBER(ERR_LASTCODE);
    NUMBER(PROC_NULL), NUMBER(ANY_SOURCE), NUMBER(ANY_TAG), NUMBER(UNDEFINED), NUMBER(BSEND_OVERHEAD), NUMBER(ROOT);
    NUMBER(KEYVAL_INVALID), NUMBER(IDENT), NUMBER(CONGRUENT), NUMBER(SIMILAR), NUMBER(UNEQUAL), NUMBER(CART);
    NUMBER(GRAPH), NUMBER(DIST_GRAPH), NUMBER(TAG_UB), NUMBER(IO), NUMBER(HOST), NUMBER(WTIME_IS_GLOBAL);
    NUMBER(UNIVERSE_SIZE), NUMBER(APPNUM), NUMBER(LASTUSEDCODE), NUMBER(THREAD_SINGLE), NUMBER(THREAD_FUNNELED);
    NUMBER(THREAD_SERIALIZED), NUMBER(THREAD_MULTIPLE), NUMBER(ORDER_C), NUMBER(ORDER_FORTRAN), NUMBER(VERSION);
    NUMBER(DISTRIBUTE_BLOCK), NUMBER(DISTRIBUTE_CYCLIC), NUMBER(DISTRIBUTE_NONE), NUMBER(DISTRIBUTE_DFLT_DARG);
    NUMBER(TYPECLASS_INTEGER), NUMBER(TYPECLASS_REAL), NUMBER(TYPECLASS_COMPLEX), NUMBER(COMBINER_NAMED);
    NUMBER(COMBINER_DUP), NUMBER(COMBINER_STRUCT), NUMBER(MAX_PROCESSOR_NAME), NUMBER(MAX_ERROR_STRING);
    NUMBER(MAX_INFO_KEY), NUMBER(MAX_INFO_VAL), NUMBER(MAX_OBJECT_NAME), NUMBER(SUBVERSION);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK(at_start.right);
    datatypes();
    handles();
    numbers();
    return check_end();
}
