/* Info objects: set, get, delete, order, duplication; hints of a communicator.
 *
 * np: 1 2
 * wrong: mpich (4.0: an error where the value is to be cut short)
 */
#include "check.h"

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    MPI_Info info, dup;
    int n = -1, flag = -1, len = 0;
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_get_nkeys(info, &n));
    CHECK_INT(n, 0);
    CHECK_OK(MPI_Info_set(info, "first", "1"));
    CHECK_OK(MPI_Info_set(info, "second", "two words"));
    CHECK_OK(MPI_Info_set(info, "first", "one"));
    CHECK_OK(MPI_Info_get_nkeys(info, &n));
    CHECK_INT(n, 2);
    CHECK_OK(MPI_Info_get(info, "first", MPI_MAX_INFO_VAL, value, &flag));
    CHECK_INT(flag, 1);
    CHECK_STRING(value, "one");
    CHECK_OK(MPI_Info_get(info, "third", MPI_MAX_INFO_VAL, value, &flag));
    CHECK_INT(flag, 0);
    CHECK_OK(MPI_Info_get_valuelen(info, "second", &len, &flag));
    CHECK(flag && len == 9);
    CHECK_OK(MPI_Info_get(info, "second", 3, value, &flag)); /* cut short, with an end */
    CHECK_STRING(value, "two");
#if MPI_VERSION >= 4
    len = 4;
    CHECK_OK(MPI_Info_get_string(info, "second", &len, value, &flag));
    CHECK_STRING(value, "two");
    CHECK_INT(len, 10); /* what it takes, with its end */
#endif
    CHECK_OK(MPI_Info_dup(info, &dup));
    CHECK_OK(MPI_Info_delete(info, "first"));
    CHECK_CLASS(MPI_Info_delete(info, "first"), MPI_ERR_INFO_NOKEY);
    CHECK_OK(MPI_Info_get_nthkey(info, 0, key));
    CHECK_STRING(key, "second");
    CHECK_OK(MPI_Info_get_nkeys(dup, &n));
    CHECK_INT(n, 2);
    CHECK_OK(MPI_Info_free(&dup));
    CHECK(dup == MPI_INFO_NULL);

    MPI_Comm comm;
    MPI_Info used;
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm)); /* unknown keys are no error: section 10 */
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Comm_get_info(comm, &used));
    CHECK(used != MPI_INFO_NULL);
    CHECK_OK(MPI_Info_free(&used));
    CHECK_OK(MPI_Comm_free(&comm));
    return check_end();
}
