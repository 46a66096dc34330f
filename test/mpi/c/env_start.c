/* The beginning and the end: initialized and finalized, versions, the processor's name, the clock, alone or launched.
 *
 * np: - 1 2 8
 * wrong: openmpi (4.1: the length of the library version is off by one)
 */
#include "check.h"

static int deleted;

static int at_the_end(MPI_Comm comm, int key, void *value, void *extra)
{
    int flag = 1, rank = -1;
    (void)key, (void)extra;
    CHECK_OK(MPI_Finalized(&flag)); /* section 11.4.1: attributes of MPI_COMM_SELF go first, MPI still works */
    CHECK_OK(MPI_Comm_rank(comm, &rank));
    deleted += flag == 0 && rank == 0 && value == (void *)&deleted;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int flag = -1, version = 0, subversion = 0, len = 0, key, provided;
    char text[MPI_MAX_LIBRARY_VERSION_STRING], name[MPI_MAX_PROCESSOR_NAME];
    CHECK_OK(MPI_Initialized(&flag));
    CHECK_INT(flag, 0);
    CHECK_OK(MPI_Finalized(&flag));
    CHECK_INT(flag, 0);
    CHECK_OK(MPI_Get_version(&version, &subversion));
    CHECK_INT(version, MPI_VERSION);
    CHECK_INT(subversion, MPI_SUBVERSION);
    CHECK_OK(MPI_Get_library_version(text, &len));
    CHECK(len > 0 && (int)strlen(text) == len);

    CHECK_OK(MPI_Init(NULL, NULL));
    CHECK(argc == 1 && argv[1] == NULL);
    CHECK_OK(MPI_Initialized(&flag));
    CHECK_INT(flag, 1);
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    CHECK(check_rank >= 0 && check_rank < check_size);
    CHECK_OK(MPI_Query_thread(&provided));
    CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
    CHECK_OK(MPI_Get_processor_name(name, &len));
    CHECK(len > 0 && len < MPI_MAX_PROCESSOR_NAME && (int)strlen(name) == len);

    double before = MPI_Wtime(), tick = MPI_Wtick();
    CHECK(tick > 0 && tick < 0.1);
    for (int k = 0; k < 1000; k++) {
        double now = MPI_Wtime();
        CHECK(now >= before);
        before = now;
    }
    void *memory = NULL;
    CHECK_OK(MPI_Alloc_mem(1000, MPI_INFO_NULL, &memory));
    memset(memory, 1, 1000);
    CHECK_OK(MPI_Free_mem(memory));

    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &key, NULL));
    CHECK_OK(MPI_Comm_set_attr(MPI_COMM_SELF, key, &deleted));
    CHECK_OK(MPI_Comm_free_keyval(&key));
    CHECK_INT(deleted, 0);
    int failed = check_end();
    CHECK_OK(MPI_Finalized(&flag));
    return failed || deleted != 1 || !flag;
}
