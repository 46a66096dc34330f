/* external32: what one rank packs all others unpack, from messages of bytes; positions, sizes, large counts, errors.
 * test/unit/type/test_external32.c has the bytes of every datatype.
 *
 * np: - 1 2 3 5 9
 * only: treefold
 */
#include "check.h"

#include <stddef.h>

struct record {
    char kind;
    long number;
    double values[3];
    struct {
        long double value;
        int index;
    } best;
};

enum { RECORDS = 5, RECORD_BYTES = 1 + 4 + 24 + 20 };

static MPI_Datatype record_type(void)
{
    MPI_Datatype all, type;
    const int lengths[] = {1, 1, 3, 1};
    const MPI_Aint at[] = {offsetof(struct record, kind), offsetof(struct record, number),
                           offsetof(struct record, values), offsetof(struct record, best)};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_LONG, MPI_DOUBLE, MPI_LONG_DOUBLE_INT};
    CHECK_OK(MPI_Type_create_struct(4, lengths, at, types, &all));
    CHECK_OK(MPI_Type_create_resized(all, 0, sizeof(struct record), &type));
    CHECK_OK(MPI_Type_free(&all));
    CHECK_OK(MPI_Type_commit(&type));
    return type;
}

static struct record record_of(int i)
{
    return (struct record){
        .kind = (char)('a' + i), .number = -i, .values = {i + 0.5, -i / 3.0, 1e300}, .best = {1 / 3.0L + i, 100 + i}};
}

/* Records, then integers behind them, in one buffer. */
static void from_rank_0(void)
{
    MPI_Datatype type = record_type();
    struct record records[RECORDS];
    int numbers[4] = {1, -2, 3, 0x01020304};
    unsigned char stream[RECORDS * RECORD_BYTES + 16];
    MPI_Aint position = 0, size = -1;
    CHECK_OK(MPI_Pack_external_size("external32", RECORDS, type, &size));
    CHECK_INT(size, RECORDS * RECORD_BYTES);
    memset(stream, 0, sizeof stream);
    if (check_rank == 0) {
        for (int i = 0; i < RECORDS; i++)
            records[i] = record_of(i);
        CHECK_OK(MPI_Pack_external("external32", records, RECORDS, type, stream, sizeof stream, &position));
        CHECK_INT(position, size);
        CHECK_OK(MPI_Pack_external("external32", numbers, 4, MPI_INT, stream, sizeof stream, &position));
        CHECK_INT(position, sizeof stream);
    }
    CHECK_OK(MPI_Bcast(stream, sizeof stream, MPI_BYTE, 0, MPI_COMM_WORLD));
    CHECK_BYTES(stream + sizeof stream - 4, "\1\2\3\4", 4);
    CHECK_BYTES(stream + RECORD_BYTES, "b\xff\xff\xff\xff\x3f\xf8", 7);

    position = 0;
    memset(records, 0, sizeof records);
    memset(numbers, 0, sizeof numbers);
    CHECK_OK(MPI_Unpack_external("external32", stream, sizeof stream, &position, records, RECORDS, type));
    CHECK_INT(position, RECORDS * RECORD_BYTES);
    CHECK_OK(MPI_Unpack_external("external32", stream, sizeof stream, &position, numbers, 4, MPI_INT));
    CHECK_INT(position, sizeof stream);
    for (int i = 0; i < RECORDS; i++) {
        const struct record want = record_of(i);
        CHECK_NOTED(records[i].kind == want.kind && records[i].number == want.number &&
                        memcmp(records[i].values, want.values, sizeof want.values) == 0 &&
                        records[i].best.value == want.best.value && records[i].best.index == want.best.index,
                    "record %d", i);
    }
    CHECK(numbers[0] == 1 && numbers[1] == -2 && numbers[2] == 3 && numbers[3] == 0x01020304);
    CHECK_OK(MPI_Type_free(&type));
}

/* The large-count forms; a matrix's column, from absolute addresses. */
static void large(void)
{
    enum { N = 300 };
    static double matrix[N][N], back[N][N];
    static unsigned char stream[8 * N];
    MPI_Datatype column;
    MPI_Count length = 1, position = 0, size = -1;
    MPI_Aint address;
    for (int i = 0; i < N; i++)
        matrix[i][7] = i + 0.25;
    memset(back, 0, sizeof back);
    CHECK_OK(MPI_Get_address(&matrix[0][7], &address));
    MPI_Count at = address;
    MPI_Datatype vector;
    CHECK_OK(MPI_Type_vector_c(N, 1, N, MPI_DOUBLE, &vector));
    CHECK_OK(MPI_Type_create_hindexed_c(1, &length, &at, vector, &column));
    CHECK_OK(MPI_Type_commit(&column));
    CHECK_OK(MPI_Type_commit(&vector));
    CHECK_OK(MPI_Pack_external_c("external32", MPI_BOTTOM, 1, column, stream, sizeof stream, &position));
    CHECK_INT(position, 8 * N);
    position = 0;
    CHECK_OK(MPI_Unpack_external_c("external32", stream, sizeof stream, &position, &back[0][7], 1, vector));
    CHECK_INT(position, 8 * N);
    CHECK_BYTES(back, matrix, sizeof back);
    CHECK_OK(MPI_Pack_external_size_c("external32", (MPI_Count)1 << 40, MPI_LONG, &size));
    CHECK_INT(size, (MPI_Count)1 << 42);
    MPI_Aint plain = -1;
    CHECK_OK(MPI_Pack_external_size("external32", 1 << 30, MPI_LONG_DOUBLE, &plain));
    CHECK_INT(plain, (MPI_Aint)1 << 34);
    CHECK_OK(MPI_Type_free(&column));
    CHECK_OK(MPI_Type_free(&vector));
}

static void errors(void)
{
    long number = 1L << 40, plain = 1;
    char stream[8] = "";
    MPI_Aint position = 5, size = 77;
    MPI_Datatype type;
    CHECK_CLASS(MPI_Pack_external_size("native", 1, MPI_INT, &size), MPI_ERR_UNSUPPORTED_DATAREP);
    CHECK_CLASS(MPI_Pack_external_size("external32", -1, MPI_INT, &size), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Pack_external("external32", &plain, 1, MPI_LONG, stream, 8, &position), MPI_ERR_TRUNCATE);
    CHECK_CLASS(MPI_Unpack_external("external32", stream, 8, &position, &plain, 1, MPI_LONG), MPI_ERR_TRUNCATE);
    CHECK_CLASS(MPI_Unpack_external("external32", stream, 4, &position, &plain, 1, MPI_LONG), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Pack_external("external32", NULL, 1, MPI_LONG, stream, 8, &position), MPI_ERR_BUFFER);
    CHECK_INT(position, 5);
    position = 0;
    CHECK_CLASS(MPI_Pack_external("external32", &number, 1, MPI_LONG, stream, 8, &position), MPI_ERR_CONVERSION);
    CHECK_INT(position, 0);
    CHECK_INT(size, 77);
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &type));
    CHECK_CLASS(MPI_Pack_external("external32", &number, 1, type, stream, 8, &position), MPI_ERR_TYPE);
    CHECK_OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    from_rank_0();
    large();
    errors();
    return check_end();
}
