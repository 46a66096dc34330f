/* tool.h - what the tests of the tool interface share. */
#ifndef TOOL_H
#define TOOL_H

#include "check.h"

/* These codes are returned, whatever the error handler is, and have words. */
#define CHECK_CODE(call, code) check_code((call), (code), __FILE__, __LINE__, #call)
static inline void check_code(int got, int want, const char *file, int line, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (got)
        MPI_Error_string(got, text, &length);
    if (check_report(got == want && (got == 0 || length > 0)))
        printf("rank %d, %s:%d: %s returns %d, not %d: %s\n", check_rank, file, line, what, got, want, text);
}

/* Ranks in twos, each with another, so that what comes from whom is known however many they are. */
static MPI_Comm tool_pair;
static int tool_rank; /* in it */

static inline void tool_start(int *argc, char ***argv)
{
    check_start(argc, argv);
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank / 2, check_rank, &tool_pair));
    CHECK_OK(MPI_Comm_rank(tool_pair, &tool_rank));
}

static inline int tool_end(void)
{
    CHECK_OK(MPI_Comm_free(&tool_pair));
    return check_end();
}

static inline int cvar(const char *name)
{
    int index = -1;
    CHECK_CODE(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
    return index;
}

static inline MPI_T_cvar_handle cvar_handle(const char *name, int *count)
{
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    CHECK_CODE(MPI_T_cvar_handle_alloc(cvar(name), NULL, &handle, count), MPI_SUCCESS);
    return handle;
}

static inline int cvar_int(const char *name)
{
    int count = 0, value = -999;
    MPI_T_cvar_handle handle = cvar_handle(name, &count);
    CHECK_CODE(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
    CHECK_INT(count, 1);
    CHECK_CODE(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
    return value;
}

static inline int cvar_set(const char *name, const void *value)
{
    int count;
    MPI_T_cvar_handle handle = cvar_handle(name, &count);
    int err = MPI_T_cvar_write(handle, value);
    CHECK_CODE(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    return err;
}

#endif
