/* modes.h - a collective called in one of its six forms: blocking, nonblocking, persistent, each with plain and with
 * large counts.
 *
 *     for (int mode = 0; mode < MODES; mode++)
 *         CHECK_OK(CALL(mode, reduce, Reduce, sendbuf, recvbuf, count, datatype, op, root, comm));
 *
 * The value is the error code of the call, or of the start or wait if that fails.  CALL_V has the arguments twice,
 * each time in parentheses, since the _c forms take arrays of MPI_Count and MPI_Aint.  A library of MPI 3 has fewer
 * forms: the others repeat those that it has.
 */
#ifndef MODES_H
#define MODES_H

#include "check.h"

enum mode { BLOCKING, NONBLOCKING, PERSISTENT, BLOCKING_C, NONBLOCKING_C, PERSISTENT_C, MODES };

static const char *const mode_names[] = {"blocking",         "nonblocking",    "persistent",
                                         "blocking _c form", "nonblocking _c", "persistent _c"};

/* Starts what was prepared, waits for what was begun; frees a persistent request. */
static inline int mode_end(int mode, int code, MPI_Request *request)
{
    if (code != MPI_SUCCESS || mode % 3 == BLOCKING)
        return code;
    if (mode % 3 == NONBLOCKING)
        return MPI_Wait(request, MPI_STATUS_IGNORE);
    code = MPI_Start(request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(request, MPI_STATUS_IGNORE);
    int freed = MPI_Request_free(request);
    return code != MPI_SUCCESS ? code : freed;
}

#define MODE_ARGS(...) __VA_ARGS__
#if MPI_VERSION >= 4
#define CALL_V(mode, lower, upper, plain, large)                                                                       \
    ({                                                                                                                 \
        MPI_Request mode_request = MPI_REQUEST_NULL;                                                                   \
        int mode_code = (mode) == BLOCKING      ? MPI_##upper(MODE_ARGS plain)                                         \
                        : (mode) == NONBLOCKING ? MPI_I##lower(MODE_ARGS plain, &mode_request)                         \
                        : (mode) == PERSISTENT  ? MPI_##upper##_init(MODE_ARGS plain, MPI_INFO_NULL, &mode_request)    \
                        : (mode) == BLOCKING_C  ? MPI_##upper##_c(MODE_ARGS large)                                     \
                        : (mode) == NONBLOCKING_C                                                                      \
                            ? MPI_I##lower##_c(MODE_ARGS large, &mode_request)                                         \
                            : MPI_##upper##_init_c(MODE_ARGS large, MPI_INFO_NULL, &mode_request);                     \
        mode_end(mode, mode_code, &mode_request);                                                                      \
    })
#else
#define CALL_V(mode, lower, upper, plain, large)                                                                       \
    ({                                                                                                                 \
        MPI_Request mode_request = MPI_REQUEST_NULL;                                                                   \
        int mode_form = (mode) % 3 == NONBLOCKING ? NONBLOCKING : BLOCKING;                                            \
        int mode_code =                                                                                                \
            mode_form == BLOCKING ? MPI_##upper(MODE_ARGS plain) : MPI_I##lower(MODE_ARGS plain, &mode_request);       \
        mode_end(mode_form, mode_code, &mode_request);                                                                 \
    })
#endif
#define CALL(mode, lower, upper, ...) CALL_V(mode, lower, upper, (__VA_ARGS__), (__VA_ARGS__))

/* One array of counts and one of displacements in both forms. */
struct layout {
    int counts[64], displs[64];
    MPI_Count counts_c[64];
    MPI_Aint displs_c[64];
};

static inline void layout_set(struct layout *l, int i, int count, int displ)
{
    l->counts[i] = count;
    l->displs[i] = displ;
    l->counts_c[i] = count;
    l->displs_c[i] = displ;
}

#endif
