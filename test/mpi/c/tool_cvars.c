/* np: - 3 9
 * only: treefold
 *
 * The tool interface before MPI_Init, while MPI runs and after MPI_Finalize: how it begins and ends, strings,
 * enumerations, control variables and what becomes of values written, categories.
 */
#include "tool.h"

static void nothing_before_init(void)
{
    int n = -7, value;
    char name[10];
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    CHECK_CODE(MPI_T_cvar_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_cvar_get_info(0, name, &n, &n, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_cvar_get_index("treefold_verbose", &n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_cvar_handle_alloc(0, NULL, &handle, &n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_cvar_read(handle, &value), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_cvar_write(handle, &value), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, NULL, NULL), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &n, NULL, NULL), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_category_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_category_get_info(0, NULL, NULL, NULL, NULL, &n, &n, &n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_category_get_index("net", &n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_category_get_cvars(0, 1, &n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_category_get_pvars(0, 1, &n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_category_get_events(0, 1, &n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_category_get_num_events(0, &n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_category_get_categories(0, 1, &n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_category_changed(&n), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_CODE(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_INT(n, -7);
}

/* MPI-5.0 section 15.3.3. */
static void strings(void)
{
    char text[100];
    int verbose = cvar("treefold_verbose"), whole = (int)strlen("treefold_verbose") + 1;

    int n = sizeof text;
    check_wipe(text, sizeof text);
    CHECK_CODE(MPI_T_cvar_get_info(verbose, text, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
    CHECK_STRING(text, "treefold_verbose");
    CHECK_INT(n, whole);
    CHECK_INT((unsigned char)text[whole], 0xe5); /* nothing past its end is touched */
    n = 5;                                       /* what does not fit is cut, and how long it is is told */
    CHECK_CODE(MPI_T_cvar_get_info(verbose, text, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
    CHECK_STRING(text, "tree");
    CHECK_INT(n, whole);
    n = 0; /* asks for the length alone */
    CHECK_CODE(MPI_T_cvar_get_info(verbose, text, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
    CHECK_STRING(text, "tree");
    CHECK_INT(n, whole);
    n = 1000;
    CHECK_CODE(MPI_T_cvar_get_info(verbose, NULL, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
    CHECK_INT(n, whole);
    CHECK_CODE(MPI_T_cvar_get_info(verbose, text, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MPI_SUCCESS);
    CHECK_STRING(text, "tree");
}

/* A setting of words is an int with an enumeration of them, one of text an array of characters. */
static void enumeration_is_whole(MPI_T_enum enumtype, const char *name)
{
    char text[200];
    int num = 0, length = sizeof text;
    CHECK_CODE(MPI_T_enum_get_info(enumtype, &num, text, &length), MPI_SUCCESS);
    CHECK_STRING(text, name);
    CHECK(num >= 2);
    for (int i = 0; i < num; i++) {
        int value = -1;
        length = sizeof text;
        check_wipe(text, sizeof text);
        CHECK_CODE(MPI_T_enum_get_item(enumtype, i, &value, text, &length), MPI_SUCCESS);
        CHECK_INT(value, i);
        CHECK_INT(length, strlen(text) + 1);
    }
    CHECK_CODE(MPI_T_enum_get_item(enumtype, num, &num, NULL, NULL), MPI_T_ERR_INVALID_ITEM);
    CHECK_CODE(MPI_T_enum_get_item(enumtype, -1, &num, NULL, NULL), MPI_T_ERR_INVALID_ITEM);
}

static void every_variable(void)
{
    int num = 0, enums = 0, texts = 0, counts = 0;
    CHECK_CODE(MPI_T_cvar_get_num(&num), MPI_SUCCESS);
    CHECK(num > 15);
    for (int i = 0; i < num; i++) {
        char name[100], desc[500];
        int n = sizeof name, d = sizeof desc, verbosity = -1, bind = -1, scope = -1, count = -1, found = -1;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        MPI_T_enum enumtype = MPI_T_ENUM_NULL;
        MPI_T_cvar_handle handle;
        CHECK_CODE(MPI_T_cvar_get_info(i, name, &n, &verbosity, &type, &enumtype, desc, &d, &bind, &scope),
                   MPI_SUCCESS);
        CHECK_CODE(MPI_T_cvar_get_index(name, &found), MPI_SUCCESS);
        CHECK_INT(found, i);
        CHECK(strlen(desc) > 10);
        CHECK_INT(bind, MPI_T_BIND_NO_OBJECT);
        CHECK(verbosity == MPI_T_VERBOSITY_USER_BASIC || verbosity == MPI_T_VERBOSITY_TUNER_BASIC);
        CHECK(scope == MPI_T_SCOPE_LOCAL || scope == MPI_T_SCOPE_ALL_EQ);
        CHECK(type == MPI_INT || type == MPI_CHAR || type == MPI_UNSIGNED_LONG_LONG);
        texts += type == MPI_CHAR;
        counts += type == MPI_UNSIGNED_LONG_LONG;
        if (enumtype != MPI_T_ENUM_NULL) {
            enums++;
            CHECK(type == MPI_INT);
            enumeration_is_whole(enumtype, name);
        }
        union {
            char text[5000];
            int number;
            unsigned long long count;
        } value, again;
        CHECK_CODE(MPI_T_cvar_handle_alloc(i, NULL, &handle, &count), MPI_SUCCESS);
        CHECK(type == MPI_CHAR ? count > 100 && count <= 5000 : count == 1);
        memset(&value, 0, sizeof value);
        CHECK_CODE(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
        if (type == MPI_CHAR)
            CHECK(strlen(value.text) < (size_t)count);
        else if (enumtype != MPI_T_ENUM_NULL)
            CHECK(value.number >= 0);
        memset(&again, 0, sizeof again);
        CHECK_CODE(MPI_T_cvar_read(handle, &again), MPI_SUCCESS);
        CHECK_BYTES(&again, &value, sizeof value);
        CHECK_CODE(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    }
    CHECK(enums >= 5 && texts >= 3 && counts >= 3);
}

static void wrong_arguments(void)
{
    int n, value = 0;
    char name[10];
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL, kept;
    CHECK_CODE(MPI_T_cvar_get_num(NULL), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_cvar_get_num(&n), MPI_SUCCESS);
    CHECK_CODE(MPI_T_cvar_get_info(n, name, &n, &n, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    CHECK_CODE(MPI_T_cvar_get_info(-1, name, &n, &n, NULL, NULL, NULL, NULL, NULL, NULL), MPI_T_ERR_INVALID_INDEX);
    CHECK_CODE(MPI_T_cvar_get_index("treefold_", &n), MPI_T_ERR_INVALID_NAME);
    CHECK_CODE(MPI_T_cvar_get_index("verbose", &n), MPI_T_ERR_INVALID_NAME);
    CHECK_CODE(MPI_T_cvar_get_index(NULL, &n), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_cvar_get_index("treefold_verbose", NULL), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_cvar_handle_alloc(1000, NULL, &handle, &n), MPI_T_ERR_INVALID_INDEX);
    CHECK_CODE(MPI_T_cvar_handle_alloc(0, NULL, NULL, &n), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_INVALID_HANDLE);
    CHECK_CODE(MPI_T_cvar_handle_free(NULL), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_cvar_read(handle, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_CODE(MPI_T_cvar_read((MPI_T_cvar_handle)(uintptr_t)MPI_COMM_WORLD, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_CODE(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_CODE(MPI_T_enum_get_info((MPI_T_enum)(uintptr_t)100000, &n, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    handle = kept = cvar_handle("treefold_verbose", &n);
    CHECK_CODE(MPI_T_cvar_read(handle, NULL), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_cvar_write(handle, NULL), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    CHECK_CODE(MPI_T_cvar_read(kept, &value), MPI_T_ERR_INVALID_HANDLE);
    value = 4;
    CHECK_CODE(cvar_set("treefold_verbose", &value), MPI_T_ERR_INVALID);
    CHECK_INT(cvar_int("treefold_verbose"), 0);
}

/* What is written before MPI_Init the library begins with; a text that has no end is none. */
static void written_before_init(void)
{
    unsigned long long limit = 12345, got = 0;
    int count, spin = 77, exact = 2, wrong = 3;
    char text[5000];
    CHECK_CODE(cvar_set("treefold_eager_limit", &limit), MPI_SUCCESS);
    CHECK_CODE(cvar_set("treefold_spin", &spin), MPI_SUCCESS);
    CHECK_CODE(cvar_set("treefold_reproducible", &exact), MPI_SUCCESS);
    CHECK_CODE(cvar_set("treefold_reproducible", &wrong), MPI_T_ERR_INVALID);
    wrong = -1;
    CHECK_CODE(cvar_set("treefold_reproducible", &wrong), MPI_T_ERR_INVALID);
    CHECK_INT(cvar_int("treefold_spin"), 77);
    CHECK_INT(cvar_int("treefold_reproducible"), 2);
    MPI_T_cvar_handle handle = cvar_handle("treefold_eager_limit", &count);
    CHECK_CODE(MPI_T_cvar_read(handle, &got), MPI_SUCCESS);
    CHECK_INT(got, 12345);
    CHECK_CODE(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);

    handle = cvar_handle("treefold_domains", &count);
    memset(text, 'x', sizeof text);
    CHECK_CODE(MPI_T_cvar_write(handle, text), MPI_T_ERR_INVALID);
    strcpy(text, "none");
    CHECK_CODE(MPI_T_cvar_write(handle, text), MPI_SUCCESS);
    check_wipe(text, sizeof text);
    CHECK_CODE(MPI_T_cvar_read(handle, text), MPI_SUCCESS);
    CHECK_STRING(text, "none");
    CHECK_CODE(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
}

/* The setting `reproducible` is in force: three doubles whose exact sum is 1, and 0 is what adding them in order gives.
 */
static void sum_is_exact(void)
{
    double parts[3] = {1e16, 1, -1e16}, nothing = 0, sum = -7;
    CHECK_OK(
        MPI_Allreduce(check_rank < 3 ? &parts[check_rank] : &nothing, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK_DOUBLE(sum, check_size >= 3 ? 1 : 1e16);
}

static void while_mpi_runs(void)
{
    int value = 5, after = 777;
    CHECK_INT(cvar_int("treefold_spin"), 77); /* MPI_Init has not taken it away */
    CHECK_INT(cvar_int("treefold_reproducible"), 2);
    CHECK_CODE(cvar_set("treefold_spin", &value), MPI_T_ERR_CVAR_SET_NOT_NOW);
    CHECK_CODE(cvar_set("treefold_reproducible", &value), MPI_T_ERR_CVAR_SET_NOT_NOW);
    CHECK_INT(cvar_int("treefold_spin"), 77);
    CHECK_CODE(cvar_set("treefold_mismatch_after", &after), MPI_SUCCESS);
    CHECK_INT(cvar_int("treefold_mismatch_after"), 777);
    sum_is_exact();
}

/* Another algorithm from now on, for calls that have been made before too. */
static void algorithms(void)
{
    const char *const names[] = {"allreduce=linear", "allreduce=recursive_doubling", "allreduce=reduce_broadcast", ""};
    char text[5000];
    int count, threads;
    MPI_T_cvar_handle handle = cvar_handle("treefold_algorithm", &count);
    CHECK_OK(MPI_Query_thread(&threads));
    for (int i = 0; i < 4; i++) {
        int sum = -1, one = 1;
        memset(text, 0, sizeof text);
        strcpy(text, names[i]);
        CHECK_CODE(MPI_T_cvar_write(handle, text), MPI_SUCCESS);
        check_wipe(text, sizeof text);
        CHECK_CODE(MPI_T_cvar_read(handle, text), MPI_SUCCESS);
        CHECK_STRING(text, names[i]);
        for (int again = 0; again < 3; again++) {
            check_wipe(&sum, sizeof sum);
            CHECK_OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
            CHECK_INT(sum, check_size);
        }
    }
    CHECK_CODE(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
}

/* All is in one category below the first, and in no other. */
static void categories(void)
{
    int num = 0, cvars = 0, below = 0, stamp = -1, stamp2 = -2, n, index;
    CHECK_CODE(MPI_T_category_changed(&stamp), MPI_SUCCESS);
    CHECK_CODE(MPI_T_category_get_num(&num), MPI_SUCCESS);
    CHECK(num > 5);
    for (int c = 0; c < num; c++) {
        char name[100], desc[200];
        int nn = sizeof name, nd = sizeof desc, nc = -1, np = -1, ns = -1, ne = -1, list[200];
        CHECK_CODE(MPI_T_category_get_info(c, name, &nn, desc, &nd, &nc, &np, &ns), MPI_SUCCESS);
        CHECK_CODE(MPI_T_category_get_num_events(c, &ne), MPI_SUCCESS);
        CHECK_CODE(MPI_T_category_get_index(name, &index), MPI_SUCCESS);
        CHECK_INT(index, c);
        CHECK(nc >= 0 && np >= 0 && ns >= 0 && ne >= 0 && nc + np + ns + ne < 200);
        check_wipe(list, sizeof list);
        CHECK_CODE(MPI_T_category_get_cvars(c, 200, list), MPI_SUCCESS);
        for (int i = 0; i < nc; i++)
            CHECK(list[i] >= 0 && list[i] < 1000);
        CHECK_INT(list[nc], (int)0xe5e5e5e5);
        check_wipe(list, sizeof list);
        CHECK_CODE(MPI_T_category_get_categories(c, 200, list), MPI_SUCCESS);
        for (int i = 0; i < ns; i++)
            CHECK(list[i] > c && list[i] < num);
        check_wipe(list, sizeof list); /* no more than there is room for */
        CHECK_CODE(MPI_T_category_get_categories(c, 1, list), MPI_SUCCESS);
        CHECK_INT(list[1], (int)0xe5e5e5e5);
        CHECK_CODE(MPI_T_category_get_pvars(c, 200, list), MPI_SUCCESS);
        CHECK_CODE(MPI_T_category_get_events(c, 200, list), MPI_SUCCESS);
        cvars += nc;
        below += ns;
    }
    CHECK_CODE(MPI_T_cvar_get_num(&n), MPI_SUCCESS);
    CHECK_INT(cvars, n);
    CHECK_INT(below, num - 1);
    CHECK_CODE(MPI_T_category_get_info(num, NULL, NULL, NULL, NULL, &n, &n, &n), MPI_T_ERR_INVALID_INDEX);
    CHECK_CODE(MPI_T_category_get_index("nothing", &n), MPI_T_ERR_INVALID_NAME);
    CHECK_CODE(MPI_T_category_get_cvars(num, 1, &n), MPI_T_ERR_INVALID_INDEX);
    CHECK_CODE(MPI_T_category_get_cvars(0, -1, &n), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_category_get_cvars(0, 1, NULL), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_category_get_cvars(0, 0, NULL), MPI_SUCCESS);
    CHECK_CODE(MPI_T_category_changed(&stamp2), MPI_SUCCESS);
    CHECK_INT(stamp2, stamp);
}

int main(int argc, char **argv)
{
    int provided = -1;
    nothing_before_init();
    CHECK_CODE(MPI_T_init_thread(17, &provided), MPI_T_ERR_INVALID);
    CHECK_CODE(MPI_T_init_thread(MPI_THREAD_FUNNELED, NULL), MPI_T_ERR_INVALID);
    nothing_before_init();
    CHECK_CODE(MPI_T_init_thread(MPI_THREAD_FUNNELED, &provided), MPI_SUCCESS);
    CHECK_INT(provided, MPI_THREAD_FUNNELED);
    CHECK_CODE(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    CHECK_CODE(MPI_T_finalize(), MPI_SUCCESS); /* as often as it was begun */
    strings();
    every_variable();
    wrong_arguments();
    written_before_init();
    categories();

    check_start(&argc, &argv);
    /* Its errors are nobody's. */
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
    every_variable();
    while_mpi_runs();
    algorithms();
    CHECK_CODE(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    CHECK_INT(provided, MPI_THREAD_SERIALIZED); /* MPI runs without a lock */
    CHECK_CODE(MPI_T_finalize(), MPI_SUCCESS);
    int failed = check_end();

    long long before = check_failures;
    int spin = 99, count;
    CHECK_CODE(cvar_set("treefold_spin", &spin), MPI_SUCCESS);
    CHECK_INT(cvar_int("treefold_spin"), 99);
    MPI_T_cvar_handle kept = cvar_handle("treefold_spin", &count);
    CHECK_CODE(MPI_T_finalize(), MPI_SUCCESS); /* handles end with it */
    nothing_before_init();
    CHECK_CODE(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    CHECK_CODE(MPI_T_cvar_read(kept, &spin), MPI_T_ERR_INVALID_HANDLE);
    CHECK_CODE(MPI_T_finalize(), MPI_SUCCESS);
    return failed || check_failures != before;
}
