/* Ranks that call different procedures on a window are told so, instead of waiting for each other: those who hear of it
 * first in words that name both; and the window can still be used and freed.
 *
 * np: 2 3 4
 * only: treefold
 * timeout: 20
 */
#include "rma.h"

static void must_disagree(int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code)
        MPI_Error_string(code, text, &length);
    CHECK_NOTED(code != MPI_SUCCESS && strstr(text, "disagree") && strstr(text, call), "%s: %.150s", call,
                code ? text : "success");
    CHECK_NOTED(check_size > 2 || (strstr(text, "MPI_Win_fence") && strstr(text, "MPI_Win_free")), "%s: %.150s", call,
                text);
}

static void fence_and_free(enum flavor flavor, int fences, bool first)
{
    struct window w;
    rma_open(&w, flavor, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, 0);
    for (int i = 0; i < fences; i++)
        CHECK_OK(MPI_Win_fence(0, w.win));
    if ((w.rank == 0) == first)
        must_disagree(MPI_Win_fence(0, w.win), "MPI_Win_fence");
    else {
        MPI_Win win = w.win;
        must_disagree(MPI_Win_free(&win), "MPI_Win_free");
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win));
    rma_close(&w);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    fence_and_free(ALLOCATE, 0, true);
    fence_and_free(ALLOCATE, 3, false);
    fence_and_free(CREATE, 1, true);
    return check_end();
}
