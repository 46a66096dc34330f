/* program.c - see program.h. */
#include "launch/program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char *tf_program_hint(const struct tf_launch_app *app, const char *key)
{
    for (int i = 0; i < app->nhints; i++)
        if (strcmp(app->hints[i][0], key) == 0)
            return app->hints[i][1];
    return NULL;
}

static bool is_program(const char *file)
{
    struct stat st;
    return stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0;
}

/* Open MPI's mpirun starts it elsewhere then, and says nothing. */
static bool is_folder(const char *name)
{
    struct stat st;
    return stat(name, &st) == 0 && S_ISDIR(st.st_mode);
}

/* In the first of the folders, separated by colons, that has it. */
static bool find_in(const char *folders, const char *name, char file[PATH_MAX])
{
    for (size_t n; folders && *folders; folders += n, folders += *folders == ':') {
        n = strcspn(folders, ":");
        if (n > 0 && snprintf(file, PATH_MAX, "%.*s/%s", (int)n, folders, name) < PATH_MAX && is_program(file))
            return true;
    }
    return false;
}

char *tf_program_find(const struct tf_launch_app *app, int *err)
{
    const char *folder = tf_program_hint(app, "wdir"), *name = app->command;
    char file[PATH_MAX];
    bool found;
    folder = folder ? folder : ".";
    if (*name == '/')
        found = is_program(strcpy(file, strlen(name) < sizeof file ? name : "/"));
    else if (strchr(name, '/'))
        found = find_in(folder, name, file);
    else
        found = find_in(tf_program_hint(app, "path"), name, file) || find_in(getenv("PATH"), name, file) ||
                find_in(folder, name, file);
    char *copy = found ? strdup(file) : NULL;
    if (found && !is_folder(folder)) {
        free(copy);
        copy = NULL;
        *err = tf_error(MPI_ERR_SPAWN,
                        "the hint wdir is \"%s\", which is no folder on this host, so nothing was started", folder);
    } else if (!found)
        *err = tf_error(MPI_ERR_SPAWN, "there is no program \"%s\" on this host, so nothing was started", name);
    else if (!copy)
        *err = tf_error(MPI_ERR_NO_MEM, "no memory for the name of a program");
    return copy;
}
