/* Where a job goes on without the dead no network reads what a collective sends: who gives one up says so by a message,
 * which a read would overtake, and the data would be what the program has written since.
 *
 * np: 2 3
 * option: -keep-going
 * only: treefold
 */
#include "check.h"

enum { LONG = 1 << 20 };

static double buffer[LONG];
static const char *const networks[] = {"treefold_bytes_read_ofi", "treefold_bytes_read_ucx"};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

static MPI_T_pvar_session session;
static MPI_T_pvar_handle handles[NETWORKS];

/* Of a network that was not built there is none. */
static void begin_to_count(void)
{
    int provided, index, count;
    CHECK_OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_OK(MPI_T_pvar_session_create(&session));
    for (int i = 0; i < NETWORKS; i++) {
        handles[i] = MPI_T_PVAR_HANDLE_NULL;
        if (MPI_T_pvar_get_index(networks[i], MPI_T_PVAR_CLASS_AGGREGATE, &index) == MPI_SUCCESS) {
            CHECK_OK(MPI_T_pvar_handle_alloc(session, index, NULL, &handles[i], &count));
            CHECK_OK(MPI_T_pvar_start(session, handles[i]));
        }
    }
}

static void nothing_was_read(void)
{
    for (int i = 0; i < NETWORKS; i++) {
        unsigned long long bytes = 0;
        if (handles[i] == MPI_T_PVAR_HANDLE_NULL)
            continue;
        CHECK_OK(MPI_T_pvar_read(session, handles[i], &bytes));
        CHECK_NOTED(bytes == 0, "%s: %llu", networks[i], bytes);
    }
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    begin_to_count();
    for (int root = 0; root < check_size; root++) {
        for (int i = 0; i < LONG; i++)
            buffer[i] = check_rank == root ? i + root : -1;
        CHECK_OK(MPI_Bcast(buffer, LONG, MPI_DOUBLE, root, MPI_COMM_WORLD));
        int right = 0;
        while (right < LONG && buffer[right] == right + root)
            right++;
        CHECK_INT(right, LONG);
    }
    nothing_was_read();
    CHECK_OK(MPI_T_pvar_session_free(&session));
    CHECK_OK(MPI_T_finalize());
    return check_end();
}
