/* np: 1 2 3
 *
 * Every predefined operator on every predefined datatype: what all ranks accumulate on one is what MPI_Reduce_local
 * makes of it, and what each fetches is what it finds, together or element by element; MPI_REPLACE and MPI_NO_OP on all
 * datatypes; compare and swap on all that it takes; in memory that others can map and in memory that they cannot.
 */
#include "rma.h"

enum { COUNT = 37, BYTES = 64 * COUNT };

static const MPI_Op *operators(int *n)
{
    static MPI_Op ops[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const MPI_Op list[] = {MPI_MAX,  MPI_MIN,  MPI_SUM, MPI_PROD, MPI_LAND,   MPI_LOR,
                           MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
    memcpy(ops, list, sizeof list);
    *n = (int)(sizeof list / sizeof *list);
    return ops;
}

static const MPI_Datatype *datatypes(int *n)
{
    static MPI_Datatype types[80];
    const MPI_Datatype list[] = {MPI_SIGNED_CHAR,
                                 MPI_SHORT,
                                 MPI_INT,
                                 MPI_LONG,
                                 MPI_LONG_LONG,
                                 MPI_INT8_T,
                                 MPI_INT16_T,
                                 MPI_INT32_T,
                                 MPI_INT64_T,
                                 MPI_UNSIGNED_CHAR,
                                 MPI_UNSIGNED_SHORT,
                                 MPI_UNSIGNED,
                                 MPI_UNSIGNED_LONG,
                                 MPI_UNSIGNED_LONG_LONG,
                                 MPI_UINT8_T,
                                 MPI_UINT16_T,
                                 MPI_UINT32_T,
                                 MPI_UINT64_T,
                                 MPI_INTEGER,
                                 MPI_AINT,
                                 MPI_OFFSET,
                                 MPI_COUNT,
                                 MPI_BYTE,
                                 MPI_C_BOOL,
                                 MPI_CXX_BOOL,
                                 MPI_LOGICAL,
                                 MPI_FLOAT,
                                 MPI_DOUBLE,
                                 MPI_LONG_DOUBLE,
                                 MPI_REAL,
                                 MPI_DOUBLE_PRECISION,
                                 MPI_COMPLEX,
                                 MPI_DOUBLE_COMPLEX,
                                 MPI_C_COMPLEX,
                                 MPI_C_DOUBLE_COMPLEX,
                                 MPI_C_LONG_DOUBLE_COMPLEX,
                                 MPI_CHAR,
                                 MPI_WCHAR,
                                 MPI_CHARACTER,
                                 MPI_PACKED,
                                 MPI_FLOAT_INT,
                                 MPI_DOUBLE_INT,
                                 MPI_LONG_INT,
                                 MPI_2INT,
                                 MPI_SHORT_INT,
                                 MPI_LONG_DOUBLE_INT,
                                 MPI_2REAL,
                                 MPI_2DOUBLE_PRECISION,
                                 MPI_2INTEGER};
    memcpy(types, list, sizeof list);
    *n = (int)(sizeof list / sizeof *list);
    return types;
}

/* Elements that are small numbers in every type: bytes of a value of its own kind, made by what converts integers. */
static void elements(char *at, MPI_Datatype type, int rank, int turn)
{
    MPI_Aint lb, extent;
    memset(at, 0, BYTES);
    MPI_Type_get_extent(type, &lb, &extent);
    for (int i = 0; i < COUNT; i++) {
        int value = (rank * 3 + i * 7 + turn) % 5 + 1;
        char *e = at + i * extent;
        if (type == MPI_FLOAT || type == MPI_REAL || type == MPI_COMPLEX || type == MPI_C_COMPLEX)
            *(float *)e = (float)value;
        else if (type == MPI_DOUBLE || type == MPI_DOUBLE_PRECISION || type == MPI_DOUBLE_COMPLEX ||
                 type == MPI_C_DOUBLE_COMPLEX)
            *(double *)e = value;
        else if (type == MPI_LONG_DOUBLE || type == MPI_C_LONG_DOUBLE_COMPLEX)
            *(long double *)e = value;
        else if (type == MPI_FLOAT_INT)
            *(float *)e = (float)value, ((int *)e)[1] = rank + i;
        else if (type == MPI_DOUBLE_INT)
            *(double *)e = value, ((int *)e)[2] = rank + i;
        else if (type == MPI_LONG_INT)
            *(long *)e = value, ((int *)e)[2] = rank + i;
        else if (type == MPI_SHORT_INT)
            *(short *)e = (short)value, ((int *)e)[1] = rank + i;
        else if (type == MPI_LONG_DOUBLE_INT)
            *(long double *)e = value, ((int *)e)[4] = rank + i;
        else if (type == MPI_2REAL)
            *(float *)e = (float)value, ((float *)e)[1] = (float)(rank + i);
        else if (type == MPI_2DOUBLE_PRECISION)
            *(double *)e = value, ((double *)e)[1] = rank + i;
        else if (type == MPI_2INT || type == MPI_2INTEGER)
            *(int *)e = value, ((int *)e)[1] = rank + i;
        else
            *e = type == MPI_C_BOOL || type == MPI_CXX_BOOL ? value % 2 : (char)value;
    }
}

/* Padding is nobody's. */
static bool same(MPI_Datatype type, const char *a, const char *b)
{
    char one[BYTES], two[BYTES];
    int at = 0;
    MPI_Pack(a, COUNT, type, one, BYTES, &at, MPI_COMM_SELF);
    int length = at;
    at = 0;
    MPI_Pack(b, COUNT, type, two, BYTES, &at, MPI_COMM_SELF);
    if (type == MPI_LONG_DOUBLE || type == MPI_C_LONG_DOUBLE_COMPLEX) { /* the last 6 of 16 bytes are padding */
        for (int i = 0; i < length; i += 16)
            if (memcmp(one + i, two + i, 10) != 0)
                return false;
        return true;
    }
    return memcmp(one, two, (size_t)length) == 0;
}

static int fetch(struct window *w, MPI_Datatype type, MPI_Op op, const char *mine, char *old, int root)
{
    MPI_Aint lb, extent;
    int err = MPI_SUCCESS;
    MPI_Type_get_extent(type, &lb, &extent);
    for (int i = 0; i < COUNT && !err; i++)
        err = MPI_Fetch_and_op(mine + i * extent, old + i * extent, type, root, rma_disp(w, root, i * extent), op,
                               w->win);
    return err;
}

/* One rank after the other, so that each knows what it finds. */
static void one(struct window *w, MPI_Datatype type, MPI_Op op, int turn, bool single)
{
    char mine[BYTES], start[BYTES], expected[BYTES], old[BYTES], theirs[BYTES];
    int root = turn % w->size;
    elements(start, type, 40, turn);
    memcpy(expected, start, BYTES);
    elements(mine, type, w->rank, turn);
    if (op != MPI_REPLACE && op != MPI_NO_OP && MPI_Reduce_local(mine, expected, COUNT, type, op) != MPI_SUCCESS) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, root, 0, w->win));
        CHECK_CLASS(single ? fetch(w, type, op, mine, old, root)
                           : MPI_Accumulate(mine, COUNT, type, root, rma_disp(w, root, 0), COUNT, type, op, w->win),
                    MPI_ERR_OP);
        CHECK_OK(MPI_Win_unlock(root, w->win));
        return;
    }
    memcpy(w->base, start, BYTES);
    memcpy(expected, start, BYTES);
    CHECK_OK(MPI_Barrier(w->comm));
    for (int r = 0; r < w->size; r++) {
        if (r == w->rank) {
            check_wipe(old, BYTES);
            CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, root, 0, w->win));
            CHECK_OK(single ? fetch(w, type, op, mine, old, root)
                            : MPI_Get_accumulate(mine, COUNT, type, old, COUNT, type, root, rma_disp(w, root, 0), COUNT,
                                                 type, op, w->win));
            CHECK_OK(MPI_Win_unlock(root, w->win));
            CHECK_NOTED(same(type, old, expected), "turn %d: what was there before", turn);
        }
        elements(theirs, type, r, turn);
        if (op == MPI_REPLACE)
            memcpy(expected, theirs, BYTES);
        else if (op != MPI_NO_OP)
            CHECK_OK(MPI_Reduce_local(theirs, expected, COUNT, type, op));
        CHECK_OK(MPI_Barrier(w->comm));
    }
    if (w->rank == root)
        CHECK_NOTED(same(type, w->base, expected), "turn %d: the result", turn);
    CHECK_OK(MPI_Barrier(w->comm));
}

static void swap(struct window *w, MPI_Datatype type, MPI_Aint at)
{
    char value[16] = {1, 0}, compare[16] = {3, 0}, old[16];
    int size, other = (w->rank + 1) % w->size;
    MPI_Type_size(type, &size);
    memset(w->base, 0, 64);
    w->base[at] = 3;
    w->base[at + size] = 77;
    CHECK_OK(MPI_Barrier(w->comm));
    check_wipe(old, sizeof old);
    CHECK_OK(MPI_Win_lock_all(0, w->win));
    CHECK_OK(MPI_Compare_and_swap(value, compare, old, type, other, rma_disp(w, other, at), w->win));
    CHECK_OK(MPI_Win_flush(other, w->win));
    CHECK_BYTES(old, compare, (size_t)size);
    CHECK_OK(MPI_Compare_and_swap(value, compare, old, type, other, rma_disp(w, other, at), w->win));
    CHECK_OK(MPI_Win_unlock_all(w->win));
    CHECK_BYTES(old, value, (size_t)size);
    CHECK_OK(MPI_Barrier(w->comm));
    CHECK_BYTES(w->base + at, value, (size_t)size);
    CHECK_INT(w->base[at + size], 77);
    CHECK_OK(MPI_Barrier(w->comm));
}

static void all(enum flavor flavor)
{
    int nops, ntypes, turn = 0;
    const MPI_Op *ops = operators(&nops);
    const MPI_Datatype *types = datatypes(&ntypes);
    struct window w;
    rma_open(&w, flavor, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    for (int t = 0; t < ntypes; t++)
        for (int single = 0; single < 2; single++) {
            for (int o = 0; o < nops; o++)
                one(&w, types[t], ops[o], turn++, single);
            one(&w, types[t], MPI_REPLACE, turn++, single);
            one(&w, types[t], MPI_NO_OP, turn++, single);
        }
    const MPI_Datatype swapped[] = {MPI_SIGNED_CHAR, MPI_SHORT,   MPI_INT,     MPI_LONG,   MPI_UINT8_T,
                                    MPI_UINT64_T,    MPI_INTEGER, MPI_LOGICAL, MPI_C_BOOL, MPI_AINT,
                                    MPI_OFFSET,      MPI_COUNT,   MPI_BYTE};
    for (size_t i = 0; i < sizeof swapped / sizeof *swapped; i++)
        for (MPI_Aint at = 0; at < 2; at++)
            swap(&w, swapped[i], at);
    rma_close(&w);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    all(ALLOCATE);
    all(CREATE);
    return check_end();
}
