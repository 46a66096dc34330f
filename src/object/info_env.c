/* info_env.c - the content of MPI_INFO_ENV: how this process was started (MPI-5.0 section 11.2.1).
 *
 * Read from the kernel and the environment, since MPI_Init may have been given no arguments, and may not have been
 * called yet: MPI_Info_create_env answers the same before and after it.
 */
#include "base/settings.h"
#include "launch/launch.h"
#include "object/info.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first string of /proc/self/cmdline is the command; the others, with blanks between, are its arguments.  What does
 * not fit a value is cut. */
static int command_put(struct tf_info *info)
{
    char line[MPI_MAX_INFO_VAL] = "";
    FILE *file = fopen("/proc/self/cmdline", "r");
    if (!file)
        return MPI_SUCCESS;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    if (length == 0)
        return MPI_SUCCESS;
    int err = tf_info_set(info, "command", line);
    size_t first = strlen(line) + 1;
    for (size_t i = first; i + 1 < length; i++) {
        if (line[i] == '\0')
            line[i] = ' ';
    }
    if (!err && first < length)
        err = tf_info_set(info, "argv", line + first);
    return err;
}

/* No thread_level: it is the level that was asked for before the program started, and nothing here can ask for one. */
static int job_put(struct tf_info *info)
{
    char number[16];
    snprintf(number, sizeof number, "%d", tf_launch_asked());
    return tf_info_set(info, "maxprocs", number);
}

/* The setting, which is not read before MPI_Init. */
static int errhandler_put(struct tf_info *info)
{
    const char *words = "mpi_errors_are_fatal|mpi_errors_abort|mpi_errors_return";
    const char *name = getenv("TREEFOLD_INITIAL_ERRHANDLER");
    return tf_info_set(info, "mpi_initial_errhandler",
                       name && tf_settings_word_of(words, name) >= 0 ? name : "mpi_errors_are_fatal");
}

static int machine_put(struct tf_info *info)
{
    struct utsname machine;
    char directory[MPI_MAX_INFO_VAL];
    int err = MPI_SUCCESS;
    if (uname(&machine) == 0) {
        err = tf_info_set(info, "host", machine.nodename);
        if (!err)
            err = tf_info_set(info, "arch", machine.machine);
    }
    if (!err && getcwd(directory, sizeof directory))
        err = tf_info_set(info, "wdir", directory);
    return err;
}

int tf_info_env_fill(struct tf_info *info)
{
    int err = command_put(info);
    if (!err)
        err = job_put(info);
    if (!err)
        err = errhandler_put(info);
    return err ? err : machine_put(info);
}
