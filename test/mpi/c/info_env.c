/* MPI_Info_create_env says the same before MPI_Init, while MPI runs, and after MPI_Finalize, and MPI_INFO_ENV agrees
 * (MPI-5.0 section 11.2.1).
 *
 * np: - 1 3
 * only: treefold
 */
#include "check.h"

static const char *const keys[] = {"command", "argv", "maxprocs", "soft",         "host",
                                   "arch",    "wdir", "file",     "thread_level", "mpi_initial_errhandler"};
enum { KEYS = sizeof keys / sizeof keys[0] };
struct facts {
    char value[KEYS][MPI_MAX_INFO_VAL];
};

static void look(MPI_Info info, struct facts *facts)
{
    for (int i = 0; i < KEYS; i++) {
        int flag = 0, length = MPI_MAX_INFO_VAL;
        CHECK_OK(MPI_Info_get_string(info, keys[i], &length, facts->value[i], &flag));
        if (!flag)
            strcpy(facts->value[i], "(not set)");
    }
}

static void look_anew(struct facts *facts)
{
    MPI_Info info = MPI_INFO_NULL;
    CHECK_OK(MPI_Info_create_env(0, NULL, &info));
    look(info, facts);
    CHECK_OK(MPI_Info_free(&info));
}

static void compare(const struct facts *got, const struct facts *want)
{
    for (int i = 0; i < KEYS; i++)
        CHECK_STRING(got->value[i], want->value[i]);
}

int main(int argc, char **argv)
{
    static struct facts before, during, after;
    look_anew(&before);
    check_start(&argc, &argv);
    look_anew(&during);
    compare(&during, &before);
    look(MPI_INFO_ENV, &during);
    compare(&during, &before);
    CHECK_STRING(during.value[0], argv[0]);
    CHECK_INT(atoi(during.value[2]), check_size);
    int status = check_end();
    check_failures = 0;
    look_anew(&after);
    compare(&after, &before);
    return status || check_failures != 0;
}
