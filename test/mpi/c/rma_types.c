/* np: 1 2 3
 *
 * Derived datatypes at both ends: with gaps, negative bounds, of many levels, more of them than a target remembers, and
 * long ones; put, get and accumulates of them.
 */
#include "rma.h"

enum { CELLS = 40000 };

/* Datatypes of ints, each within [-400, 2000) ints of its address; `count` of them are used. */
static int make_types(MPI_Datatype *types, int *counts)
{
    int n = 0;
    MPI_Datatype inner, middle;
    MPI_Type_vector(10, 3, 7, MPI_INT, &types[n]);
    counts[n++] = 1;
    MPI_Type_create_hvector(5, 2, -48, MPI_INT, &types[n]);
    counts[n++] = 3;
    int lengths[] = {3, 0, 1, 4}, displs[] = {40, 7, -9, 11};
    MPI_Type_indexed(4, lengths, displs, MPI_INT, &types[n]);
    counts[n++] = 5;
    MPI_Type_create_indexed_block(4, 2, displs, MPI_INT, &types[n]);
    counts[n++] = 2;
    MPI_Type_vector(3, 1, 2, MPI_INT, &inner);
    MPI_Type_create_resized(inner, -8, 44, &middle);
    MPI_Type_vector(4, 2, 3, middle, &types[n]);
    counts[n++] = 2;
    int sizes[] = {9, 8, 7}, parts[] = {4, 3, 2}, starts[] = {2, 4, 3};
    MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &types[n]);
    counts[n++] = 2;
    int gsizes[] = {20, 10}, distribs[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, dargs[] = {3, 5},
        psizes[] = {2, 2};
    MPI_Type_create_darray(4, 1, 2, gsizes, distribs, dargs, psizes, MPI_ORDER_FORTRAN, MPI_INT, &types[n]);
    counts[n++] = 1;
    MPI_Datatype both[] = {types[0], MPI_INT, MPI_DOUBLE, types[2]}; /* the doubles are none */
    int four[] = {1, 2, 0, 1};
    MPI_Aint places[] = {400, -40, 8, 800};
    MPI_Type_create_struct(4, four, places, both, &types[n]);
    counts[n++] = 2;
    MPI_Type_dup(types[1], &types[n]);
    counts[n++] = 1;
    MPI_Type_contiguous(6, MPI_INT, &types[n]);
    counts[n++] = 7;
    MPI_Type_contiguous(0, MPI_DOUBLE, &types[n]);
    counts[n++] = 3;
    int *many = check_alloc(2000 * sizeof *many, 0);
    for (int i = 0; i < 2000; i++)
        many[i] = i * 997 % 2000;
    MPI_Type_create_indexed_block(1000, 1, many, MPI_INT, &types[n]);
    counts[n++] = 1;
    free(many);
    MPI_Type_free(&inner);
    MPI_Type_free(&middle);
    for (int i = 0; i < n; i++)
        MPI_Type_commit(&types[i]);
    return n;
}

static int packed_ints(MPI_Datatype type, int count)
{
    int size;
    MPI_Type_size(type, &size);
    return size / (int)sizeof(int) * count;
}

/* The elements of `count` of a type at `from` in the order of its map. */
static void pack(const int *from, MPI_Datatype type, int count, int *to)
{
    int position = 0;
    CHECK_OK(MPI_Pack(from, count, type, to, packed_ints(type, count) * (int)sizeof(int), &position, MPI_COMM_SELF));
}

static void unpack(int *to, MPI_Datatype type, int count, const int *from)
{
    int position = 0;
    CHECK_OK(MPI_Unpack(from, packed_ints(type, count) * (int)sizeof(int), &position, to, count, type, MPI_COMM_SELF));
}

/* What the left neighbor does to this process, computed here: `want` is the whole window after it. */
static void expect(int *want, const int *before, MPI_Datatype type, int count, const int *data, bool sum)
{
    int n = packed_ints(type, count), *old = check_alloc((size_t)n * sizeof *old, 0);
    memcpy(want, before, CELLS * sizeof *want);
    pack(before + 1000, type, count, old);
    for (int i = 0; i < n; i++)
        old[i] = sum ? old[i] + data[i] : data[i];
    unpack(want + 1000, type, count, old);
    free(old);
}

static void fill(int *cells, int rank, int turn)
{
    for (int i = 0; i < CELLS; i++)
        cells[i] = check_value(rank + turn, i);
}

/* The type at the target and ints at the origin (`plain`), or the same type at both ends. */
static void one(struct window *w, MPI_Datatype type, int count, bool plain, int turn)
{
    int right = (w->rank + 1) % w->size, left = (w->rank + w->size - 1) % w->size, n = packed_ints(type, count);
    int *base = (int *)w->base, *out = check_alloc(CELLS * sizeof *out, 0),
        *theirs = check_alloc(CELLS * sizeof *out, 0);
    int *before = check_alloc(CELLS * sizeof *out, 0), *want = check_alloc(CELLS * sizeof *out, 0);
    int *data = check_alloc((size_t)n * sizeof *data, 0), *got = check_alloc(CELLS * sizeof *got, 0x33);
    MPI_Datatype origin = plain ? MPI_INT : type;
    int origin_count = plain ? n : count;
    for (int what = 0; what < 4; what++) {
        fill(base, w->rank, turn);
        memcpy(before, base, CELLS * sizeof *before);
        fill(out, w->rank + 50, turn + what);
        fill(theirs, left + 50, turn + what);
        if (plain)
            memcpy(data, theirs + 1000, (size_t)n * sizeof *data);
        else
            pack(theirs + 1000, type, count, data);
        check_wipe(got, CELLS * sizeof *got);
        rma_begin(w, FENCE, right);
        MPI_Aint at = rma_disp(w, right, 1000 * sizeof(int));
        if (what == 0)
            CHECK_OK(MPI_Put(out + 1000, origin_count, origin, right, at, count, type, w->win));
        else if (what == 1)
            CHECK_OK(MPI_Get(got + 1000, origin_count, origin, right, at, count, type, w->win));
        else if (what == 2)
            CHECK_OK(MPI_Accumulate(out + 1000, origin_count, origin, right, at, count, type, MPI_SUM, w->win));
        else
            CHECK_OK(MPI_Get_accumulate(out + 1000, origin_count, origin, got + 1000, origin_count, origin, right, at,
                                        count, type, MPI_SUM, w->win));
        rma_end(w, FENCE, right);
        if (what != 1)
            expect(want, before, type, count, data, what > 1);
        CHECK_BYTES(base, what == 1 ? before : want, CELLS * sizeof *base);
        if (what == 1 || what == 3) { /* what was there, and between it nothing */
            fill(theirs, right, turn);
            check_wipe(want, CELLS * sizeof *want);
            pack(theirs + 1000, type, count, data);
            if (plain)
                memcpy(want + 1000, data, (size_t)n * sizeof *data);
            else
                unpack(want + 1000, type, count, data);
            CHECK_BYTES(got, want, CELLS * sizeof *got);
        }
    }
    free(out);
    free(theirs);
    free(before);
    free(want);
    free(data);
    free(got);
}

/* Pairs have gaps of their own. */
static void pairs(struct window *w)
{
    struct pair {
        double value;
        int index;
    } *base = (struct pair *)w->base, mine[40], old[40];
    int right = (w->rank + 1) % w->size;
    MPI_Datatype spread;
    MPI_Type_vector(10, 1, 3, MPI_DOUBLE_INT, &spread);
    MPI_Type_commit(&spread);
    memset(base, 0x77, 100 * sizeof *base);
    for (int i = 0; i < 100; i++)
        base[i].value = i, base[i].index = 1000 + i;
    memset(mine, 0, sizeof mine);
    for (int i = 0; i < 40; i++)
        mine[i] = (struct pair){i % 2 ? 1e6 : -1e6, i};
    memset(old, 0x44, sizeof old);
    rma_begin(w, FENCE, right);
    CHECK_OK(MPI_Get_accumulate(mine, 20, MPI_DOUBLE_INT, old, 20, MPI_DOUBLE_INT, right, rma_disp(w, right, 0), 20,
                                MPI_DOUBLE_INT, MPI_MAXLOC, w->win));
    CHECK_OK(MPI_Accumulate(mine, 10, MPI_DOUBLE_INT, right, rma_disp(w, right, 40 * sizeof *base), 1, spread,
                            MPI_MAXLOC, w->win));
    rma_end(w, FENCE, right);
    for (int i = 0; i < 20; i++) {
        CHECK(old[i].value == i && old[i].index == 1000 + i);
        CHECK(base[i].value == (i % 2 ? 1e6 : i) && base[i].index == (i % 2 ? i : 1000 + i));
    }
    for (int i = 40; i < 70; i++) {
        bool odd = (i - 40) % 3 == 0 && (i - 40) / 3 % 2;
        CHECK(base[i].value == (odd ? 1e6 : i) && base[i].index == (odd ? (i - 40) / 3 : 1000 + i));
        int gap;
        memcpy(&gap, (char *)&base[i] + 12, 4);
        CHECK_INT(gap, 0x77777777);
    }
    MPI_Type_free(&spread);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    MPI_Datatype types[20];
    int counts[20], n = make_types(types, counts);
    for (enum flavor flavor = CREATE; flavor < FLAVORS; flavor += DYNAMIC) {
        struct window w;
        rma_open(&w, flavor, CELLS * sizeof(int), 4, MPI_INFO_NULL, MPI_COMM_WORLD, 0x5a);
        for (int i = 0; i < n; i++)
            for (int plain = 0; plain < 2; plain++)
                one(&w, types[i], counts[i], plain, i * 3 + plain);
        for (int i = 0; i < 40; i++) { /* made and freed while the window is in use */
            MPI_Datatype type;
            MPI_Type_vector(4 + i, 2, 3, MPI_INT, &type);
            MPI_Type_commit(&type);
            if (i % 7 == 0)
                one(&w, type, 1, true, i);
            else {
                int right = (w.rank + 1) % w.size, out[100] = {0};
                rma_begin(&w, FENCE, right);
                CHECK_OK(MPI_Put(out, 2 * (4 + i), MPI_INT, right, rma_disp(&w, right, 0), 1, type, w.win));
                CHECK_OK(MPI_Type_free(&type));
                rma_end(&w, FENCE, right);
            }
            if (type != MPI_DATATYPE_NULL)
                MPI_Type_free(&type);
        }
        pairs(&w);
        rma_close(&w);
    }
    for (int i = 0; i < n; i++)
        MPI_Type_free(&types[i]);
    return check_end();
}
