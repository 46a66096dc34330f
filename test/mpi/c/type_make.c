/* Derived types: sizes, bounds, extents, true extents, packing and unpacking, and what was said when they were made.
 *
 * np: - 1
 * wrong: mpich (4.0: packs beyond the end of the buffer)
 */
#include "check.h"

static void bounds(MPI_Datatype type, long size, long lb, long extent, long true_lb, long true_extent, const char *what)
{
    int got_size = -1;
    MPI_Aint got[4] = {-1, -1, -1, -1};
    CHECK_OK(MPI_Type_size(type, &got_size));
    CHECK_OK(MPI_Type_get_extent(type, &got[0], &got[1]));
    CHECK_OK(MPI_Type_get_true_extent(type, &got[2], &got[3]));
    CHECK_NOTED(got_size == size && got[0] == lb && got[1] == extent && got[2] == true_lb && got[3] == true_extent,
                "%s: size %d lb %ld extent %ld true %ld %ld, not %ld %ld %ld %ld %ld", what, got_size, (long)got[0],
                (long)got[1], (long)got[2], (long)got[3], size, lb, extent, true_lb, true_extent);
}

static void constructors(void)
{
    MPI_Datatype t, u;
    const int lengths[] = {2, 1}, places[] = {3, 0};
    const MPI_Aint bytes[] = {-16, 40};
    CHECK_OK(MPI_Type_contiguous(5, MPI_INT, &t));
    bounds(t, 20, 0, 20, 0, 20, "contiguous");
    CHECK_OK(MPI_Type_vector(3, 2, 4, t, &u));
    bounds(u, 120, 0, 200, 0, 200, "vector of contiguous");
    CHECK_OK(MPI_Type_free(&u));
    CHECK_OK(MPI_Type_free(&t));
    CHECK_OK(MPI_Type_vector(3, 1, -2, MPI_INT, &t)); /* backwards */
    bounds(t, 12, -16, 20, -16, 20, "vector backwards");
    CHECK_OK(MPI_Type_dup(t, &u));
    CHECK_OK(MPI_Type_free(&t));
    bounds(u, 12, -16, 20, -16, 20, "dup of a freed one");
    CHECK_OK(MPI_Type_free(&u));
    CHECK_OK(MPI_Type_create_hvector(2, 3, 100, MPI_CHAR, &t));
    bounds(t, 6, 0, 103, 0, 103, "hvector");
    CHECK_OK(MPI_Type_free(&t));
    CHECK_OK(MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &t));
    bounds(t, 24, 0, 40, 0, 40, "indexed");
    CHECK_OK(MPI_Type_free(&t));
    CHECK_OK(MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &t));
    bounds(t, 12, -16, 60, -16, 60, "hindexed");
    CHECK_OK(MPI_Type_create_resized(t, -20, 100, &u));
    bounds(u, 12, -20, 100, -16, 60, "resized");
    CHECK_OK(MPI_Type_free(&t));
    CHECK_OK(MPI_Type_contiguous(3, u, &t));
    bounds(t, 36, -20, 300, -16, 260, "contiguous of resized");
    CHECK_OK(MPI_Type_free(&t));
    CHECK_OK(MPI_Type_free(&u));
    const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE};
    const int ones[] = {1, 1};
    const MPI_Aint at[] = {0, 8}, backward[] = {8, 0};
    CHECK_OK(MPI_Type_create_struct(2, ones, at, types, &t));
    bounds(t, 9, 0, 16, 0, 16, "struct");
    CHECK_OK(MPI_Type_free(&t));
    CHECK_OK(
        MPI_Type_create_struct(2, ones, backward, types, &t)); /* ends in a char: padded to the double's alignment */
    bounds(t, 9, 0, 16, 0, 9, "struct with padding");
    CHECK_OK(MPI_Type_free(&t));
    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &t));
    bounds(t, 0, 0, 0, 0, 0, "empty");
    CHECK_OK(MPI_Type_free(&t));
    bounds(MPI_DOUBLE_INT, 12, 0, 16, 0, 12, "MPI_DOUBLE_INT");
    bounds(MPI_SHORT_INT, 6, 0, 8, 0, 8, "MPI_SHORT_INT");
}

static void packing(void)
{
    MPI_Datatype t;
    const int lengths[] = {2, 1, 3}, places[] = {8, 0, 3};
    int a[24], b[24], position = 0, room = 0, x = 77, y = 0;
    double d = 2.5, e = 0;
    char buffer[200];
    CHECK_OK(MPI_Type_indexed(3, lengths, places, MPI_INT, &t));
    CHECK_OK(MPI_Type_commit(&t));
    for (int i = 0; i < 24; i++) {
        a[i] = i;
        b[i] = -1;
    }
    CHECK_OK(MPI_Pack_size(2, t, MPI_COMM_WORLD, &room));
    CHECK(room >= 48);
    CHECK_OK(MPI_Pack(&x, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
    CHECK_OK(MPI_Pack(a, 2, t, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
    CHECK_OK(MPI_Pack(&d, 1, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
    int end = position;
    CHECK(end >= 60);
    position = 0;
    CHECK_OK(MPI_Unpack(buffer, end, &position, &y, 1, MPI_INT, MPI_COMM_WORLD));
    CHECK_OK(MPI_Unpack(buffer, end, &position, b, 2, t, MPI_COMM_WORLD));
    CHECK_OK(MPI_Unpack(buffer, end, &position, &e, 1, MPI_DOUBLE, MPI_COMM_WORLD));
    CHECK_INT(position, end);
    CHECK(y == 77 && e == 2.5);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 10; i++)
            CHECK_INT(b[10 * k + i], i == 8 || i == 9 || i == 0 || (i >= 3 && i < 6) ? 10 * k + i : -1);
    /* what is packed may be sent as MPI_PACKED and received as what it is; and in the order of the type map */
    int got[12] = {0};
    position = 0;
    CHECK_OK(MPI_Pack(a, 2, t, buffer, sizeof buffer, &position, MPI_COMM_SELF));
    CHECK_OK(
        MPI_Sendrecv(buffer, position, MPI_PACKED, 0, 1, got, 12, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    const int order[] = {8, 9, 0, 3, 4, 5};
    for (int i = 0; i < 12; i++)
        CHECK_INT(got[i], order[i % 6] + 10 * (i / 6));
    position = 0;
    CHECK_CLASS(MPI_Pack(a, 2, t, buffer, 20, &position, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    CHECK_OK(MPI_Type_free(&t));
}

static void envelopes(void)
{
    MPI_Datatype t, inside[1];
    int ints = -1, addresses = -1, types = -1, combiner = -1, values[3];
    CHECK_OK(MPI_Type_get_envelope(MPI_INT, &ints, &addresses, &types, &combiner));
    CHECK_INT(combiner, MPI_COMBINER_NAMED);
    CHECK_OK(MPI_Type_vector(3, 2, 7, MPI_FLOAT, &t));
    CHECK_OK(MPI_Type_get_envelope(t, &ints, &addresses, &types, &combiner));
    CHECK(ints == 3 && addresses == 0 && types == 1 && combiner == MPI_COMBINER_VECTOR);
    CHECK_OK(MPI_Type_get_contents(t, 3, 0, 1, values, NULL, inside));
    CHECK(values[0] == 3 && values[1] == 2 && values[2] == 7 && inside[0] == MPI_FLOAT);
    CHECK_OK(MPI_Type_free(&t));
    CHECK(t == MPI_DATATYPE_NULL);
    CHECK_CLASS(MPI_Type_contiguous(-2, MPI_INT, &t), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Type_contiguous(2, MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
    t = MPI_INT;
    CHECK_CLASS(MPI_Type_free(&t), MPI_ERR_TYPE);
    CHECK(t == MPI_INT);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    constructors();
    packing();
    envelopes();
    return check_end();
}
