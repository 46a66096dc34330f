/* files.h - what the tests of files share: a name that no other test has, and errors that are returned. */
#ifndef FILES_H
#define FILES_H

#include "check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_NAME = 200 };

/* The same on all ranks; nothing of that name is there. */
static inline void file_name(char name[FILE_NAME], const char *what)
{
    const char *folder = getenv("TMPDIR");
    snprintf(name, FILE_NAME, "%s/treefold-%d-%s", folder ? folder : "/tmp", (int)getpid(), what);
    MPI_Bcast(name, FILE_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (check_rank == 0)
        unlink(name);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline bool file_is_there(const char *name)
{
    struct stat found;
    return stat(name, &found) == 0;
}

static inline long long file_length(const char *name)
{
    struct stat found;
    return stat(name, &found) == 0 ? (long long)found.st_size : -1;
}

/* The words of an error contain those. */
#define CHECK_WORDS(code, part) check_words((code), (part), __FILE__, __LINE__)
static inline void check_words(int code, const char *part, const char *file, int line)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    bool holds = strstr(text, part) != NULL;
    if (check_report(holds))
        printf("rank %d of %d, %s:%d: \"%s\" does not say \"%s\"\n", check_rank, check_size, file, line, text, part);
}

/* A generator of numbers that all ranks have alike. */
static inline unsigned file_random(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return below ? (*state >> 8) % below : 0;
}

#endif
