/* What MPI-3.0 removed and programs of the MPI-1 years call: addresses, bounds, their markers, constructors, error
 * handlers.
 *
 * np: - 1 2 4
 * only: treefold
 */
#include "check.h"

static int errors, last_code;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    errors++;
    last_code = *code;
}

/* By the removed procedures, and by those of today. */
static void bounds(MPI_Datatype type, long lb, long ub, const char *what)
{
    MPI_Aint got[5] = {-1, -1, -1, -1, -1};
    CHECK_OK(MPI_Type_lb(type, &got[0]));
    CHECK_OK(MPI_Type_ub(type, &got[1]));
    CHECK_OK(MPI_Type_extent(type, &got[2]));
    CHECK_OK(MPI_Type_get_extent(type, &got[3], &got[4]));
    CHECK_NOTED(got[0] == lb && got[1] == ub && got[2] == ub - lb && got[3] == lb && got[4] == ub - lb,
                "%s: lb %ld ub %ld extent %ld, today's %ld %ld, not %ld %ld", what, (long)got[0], (long)got[1],
                (long)got[2], (long)got[3], (long)got[4], lb, ub);
}

static void error_handlers(void)
{
    MPI_Errhandler handler, found;
    MPI_Handler_function *function = on_error;
    MPI_Comm_errhandler_fn *later = on_error;
    MPI_Win_errhandler_fn *of_window = 0;
    MPI_File_errhandler_fn *of_file = 0;
    MPI_Comm comm;
    int x = 0;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_create_errhandler(later, &handler));
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_CLASS(MPI_Win_create_errhandler(of_window, &handler), MPI_ERR_ARG);
    CHECK_CLASS(MPI_File_create_errhandler(of_file, &handler), MPI_ERR_ARG);
    CHECK_OK(MPI_Errhandler_create(function, &handler));
    CHECK_OK(MPI_Errhandler_set(comm, handler));
    CHECK_OK(MPI_Errhandler_get(comm, &found));
    CHECK(found == handler);
    CHECK_OK(MPI_Errhandler_free(&found));
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_CLASS(MPI_Send(&x, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
    CHECK_INT(errors, 1);
    CHECK_CLASS(last_code, MPI_ERR_COUNT);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_CLASS(PMPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
}

/* An array of records goes around the ring, its layout found by addresses, its extent by markers. */
static void records(void)
{
    struct record {
        char letter;
        double value[2];
        short spare;
        int number;
    } given[5], got[5];
    MPI_Aint places[5];
    int lengths[] = {1, 1, 2, 1, 1};
    MPI_Datatype types[] = {MPI_LB, MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_UB}, record;
    memset(given, 0, sizeof given);
    memset(got, 0, sizeof got);
    for (int i = 0; i < 5; i++)
        given[i] = (struct record){'a' + i, {check_rank + .5, i}, 7, 100 * check_rank + i};
    CHECK_OK(MPI_Address(&given[0], &places[0]));
    CHECK_OK(MPI_Address(&given[0].letter, &places[1]));
    CHECK_OK(MPI_Address(given[0].value, &places[2]));
    CHECK_OK(MPI_Address(&given[0].number, &places[3]));
    CHECK_OK(PMPI_Address(&given[1], &places[4]));
    for (int i = 4; i >= 0; i--)
        places[i] -= places[0];
    CHECK_OK(MPI_Type_struct(5, lengths, places, types, &record));
    CHECK_OK(MPI_Type_commit(&record));
    bounds(record, 0, sizeof(struct record), "a record");
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    CHECK_OK(MPI_Sendrecv(given, 5, record, right, 1, got, 5, record, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < 5; i++)
        CHECK(got[i].letter == 'a' + i && got[i].value[0] == left + .5 && got[i].value[1] == i && got[i].spare == 0 &&
              got[i].number == 100 * left + i);
    MPI_Datatype two;
    CHECK_OK(MPI_Type_contiguous(2, record, &two));
    bounds(two, 0, 2 * sizeof(struct record), "two records");
    CHECK_OK(MPI_Type_free(&two));
    CHECK_OK(MPI_Type_free(&record));
}

/* A column of a matrix whose extent is an element: what MPI_UB was for. */
static void columns(void)
{
    enum { ROWS = 3, COLUMNS = 4 };
    int matrix[ROWS][COLUMNS], turned[COLUMNS][ROWS], one[] = {1, 1};
    MPI_Aint places[] = {0, sizeof(int)};
    MPI_Datatype column, types[] = {MPI_DATATYPE_NULL, MPI_UB}, next;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        matrix[i / COLUMNS][i % COLUMNS] = i;
    CHECK_OK(MPI_Type_hvector(ROWS, 1, sizeof matrix[0], MPI_INT, &column));
    types[0] = column;
    CHECK_OK(MPI_Type_struct(2, one, places, types, &next));
    CHECK_OK(MPI_Type_commit(&next));
    bounds(column, 0, 36, "hvector");
    bounds(next, 0, 4, "a column beside the next");
    CHECK_OK(MPI_Sendrecv(matrix, COLUMNS, next, check_rank, 2, turned, ROWS * COLUMNS, MPI_INT, check_rank, 2,
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        CHECK_INT(turned[i % COLUMNS][i / COLUMNS], i);
    CHECK_OK(MPI_Type_free(&next));
    CHECK_OK(MPI_Type_free(&column));
}

static void markers(void)
{
    MPI_Datatype many[] = {MPI_INT, MPI_UB, MPI_LB, MPI_UB}, t, u, inside[4];
    int lengths[] = {1, 2, 1, 0}, integers[5], n[3], combiner, size = -1, length;
    MPI_Aint places[] = {8, 40, -4, 400}, addresses[4];
    char name[MPI_MAX_OBJECT_NAME];
    bounds(MPI_UB, 0, 0, "MPI_UB");
    CHECK_OK(MPI_Type_size(MPI_LB, &size));
    CHECK_INT(size, 0);
    CHECK_OK(MPI_Type_get_name(MPI_LB, name, &length));
    CHECK_STRING(name, "MPI_LB");
    CHECK_OK(MPI_Type_struct(4, lengths, places, many, &t));
    bounds(t, -4, 40, "the outermost markers");
    CHECK_OK(MPI_Type_get_true_extent(t, &places[0], &places[1]));
    CHECK(places[0] == 8 && places[1] == 4);
    CHECK_OK(MPI_Type_get_envelope(t, &n[0], &n[1], &n[2], &combiner));
    CHECK(n[0] == 5 && n[1] == 4 && n[2] == 4 && combiner == MPI_COMBINER_STRUCT);
    CHECK_OK(MPI_Type_get_contents(t, 5, 4, 4, integers, addresses, inside));
    CHECK(integers[0] == 4 && integers[2] == 2 && addresses[2] == -4 && inside[0] == MPI_INT && inside[1] == MPI_UB &&
          inside[2] == MPI_LB);
    CHECK_OK(MPI_Type_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){100, 0}, t, &u));
    bounds(u, -4, 140, "in an hindexed");
    CHECK_OK(MPI_Type_free(&u));
    CHECK_OK(MPI_Type_create_resized(t, 0, 8, &u));
    bounds(u, 0, 8, "resized");
    CHECK_OK(MPI_Type_free(&u));
    CHECK_OK(MPI_Type_dup(t, &u));
    bounds(u, -4, 40, "a copy");
    CHECK_OK(MPI_Type_free(&u));
    CHECK_OK(MPI_Type_free(&t));
    CHECK_OK(MPI_Type_get_envelope(MPI_UB, &n[0], &n[1], &n[2], &combiner));
    CHECK_INT(combiner, MPI_COMBINER_NAMED);
    CHECK(MPI_COMBINER_HVECTOR_INTEGER != MPI_COMBINER_HVECTOR && MPI_COMBINER_STRUCT_INTEGER != MPI_COMBINER_STRUCT &&
          MPI_COMBINER_HINDEXED_INTEGER != MPI_COMBINER_HINDEXED);
}

/* A marker has nothing to communicate. */
static void refused(void)
{
    int x = 3;
    char words[MPI_MAX_ERROR_STRING];
    int code, length;
    MPI_Datatype ub = MPI_UB;
    CHECK_OK(MPI_Type_commit(&ub));
    code = MPI_Sendrecv(&x, 1, MPI_UB, check_rank, 3, &x, 1, MPI_INT, check_rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_CLASS(code, MPI_ERR_TYPE);
    CHECK_OK(MPI_Error_string(code, words, &length));
    CHECK_NOTED(strstr(words, "MPI_UB, which marks a bound"), "%.100s", words);
    CHECK_CLASS(MPI_Bcast(&x, 1, MPI_LB, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_free(&ub), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_extent(MPI_DATATYPE_NULL, &(MPI_Aint){0}), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_hvector(-1, 1, 8, MPI_INT, &ub), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Address(&x, NULL), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    error_handlers();
    records();
    columns();
    markers();
    refused();
    return check_end();
}
