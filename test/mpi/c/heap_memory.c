/* heap_memory.c - MPI_Alloc_mem and MPI_Free_mem (MPI-5.0 section 9.2), and the memory in a child of the program.
 *
 * np: - 1 3
 * only: treefold
 */
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static void sizes(void)
{
    for (MPI_Aint bytes = 0; bytes < 10000000; bytes = 3 * bytes + 1) {
        unsigned char *at = NULL;
        CHECK_OK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &at));
        CHECK(at != NULL);
        CHECK_INT((uintptr_t)at % _Alignof(max_align_t), 0);
        memset(at, 0xa5, (size_t)bytes);
        CHECK_OK(MPI_Free_mem(at));
    }
}

/* Values that are no powers of two are ignored, as a hint may be. */
static void alignments(void)
{
    static const char *const odd[] = {"", "0", "-64", "24", "64 bytes", "99999999999999999999999", "word"};
    MPI_Info info;
    char text[30];
    void *at;
    CHECK_OK(MPI_Info_create(&info));
    for (size_t alignment = 1; alignment <= (size_t)1 << 24; alignment *= 2) {
        snprintf(text, sizeof text, "%zu", alignment);
        CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", text));
        at = NULL;
        CHECK_OK(MPI_Alloc_mem(1000, info, &at));
        CHECK(at != NULL);
        CHECK_INT((uintptr_t)at % alignment, 0);
        memset(at, 1, 1000);
        CHECK_OK(MPI_Free_mem(at));
    }
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        CHECK_OK(MPI_Info_set(info, "mpi_minimum_memory_alignment", odd[i]));
        at = NULL;
        CHECK_OK(MPI_Alloc_mem(1000, info, &at));
        CHECK(at != NULL);
        CHECK_OK(MPI_Free_mem(at));
    }
    CHECK_OK(MPI_Info_free(&info));
}

static void wrong_addresses(void)
{
    char *at = NULL, *other = NULL;
    void *huge = &at;
    const char *setting = getenv("TREEFOLD_SHARED_HEAP");
    bool off = setting && strcmp(setting, "off") == 0; /* then the C library looks at addresses, and aborts */
    CHECK_OK(MPI_Alloc_mem(100000, MPI_INFO_NULL, &at));
    CHECK_OK(MPI_Alloc_mem(100000, MPI_INFO_NULL, &other));
    if (!off)
        CHECK_CLASS(MPI_Free_mem(at + 64), MPI_ERR_BASE);
    CHECK_OK(MPI_Free_mem(at));
    if (!off)
        CHECK_CLASS(MPI_Free_mem(at), MPI_ERR_BASE);
    CHECK_OK(MPI_Free_mem(other));
    CHECK_OK(MPI_Free_mem(NULL));
    CHECK_CLASS(MPI_Alloc_mem((MPI_Aint)1 << 61, MPI_INFO_NULL, &huge), MPI_ERR_NO_MEM);
    CHECK(huge == &at);
}

/* What a child writes its parent does not see. */
static void child(void)
{
    enum { BYTES = 1 << 20 };
    unsigned char *at = NULL;
    int status = -1;
    CHECK_OK(MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &at));
    memset(at, 1, BYTES);
    pid_t pid = fork();
    if (pid == 0) {
        bool same = at[0] == 1 && at[BYTES - 1] == 1;
        memset(at, 2, BYTES);
        _exit(!same || at[BYTES / 2] != 2);
    }
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK_INT(status, 0);
    int changed = 0;
    for (int i = 0; i < BYTES; i++)
        changed += at[i] != 1;
    CHECK_INT(changed, 0);
    CHECK_OK(MPI_Free_mem(at));
}

/* What only such memory leads to is not lost, which a search for leaks at the end has to see. */
static void **kept;
static void leads_to_more(void)
{
    CHECK_OK(MPI_Alloc_mem(sizeof *kept, MPI_INFO_NULL, &kept));
    *kept = malloc(1000);
    CHECK(*kept != NULL);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    sizes();
    alignments();
    wrong_addresses();
    child();
    leads_to_more();
    return check_end();
}
