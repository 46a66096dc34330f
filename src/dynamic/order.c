/* order.c - see order.h. */
#include "dynamic/order.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "launch/soft.h"
#include "object/info.h"

/* ---- how many ---- */

static int choose_number(const char *soft, int maxprocs, int *number)
{
    *number = maxprocs;
    if (!soft)
        return MPI_SUCCESS;
    int best = tf_soft_choose(soft, maxprocs);
    if (best == TF_SOFT_WRONG)
        return tf_error(MPI_ERR_INFO_VALUE, "the hint soft is \"%s\"; it must be " TF_SOFT_WORDS, soft);
    if (best == TF_SOFT_NONE)
        return tf_error(MPI_ERR_SPAWN, "maxprocs is %d, and the hint soft, \"%s\", has no number up to that", maxprocs,
                        soft);
    *number = best;
    return MPI_SUCCESS;
}

/* ---- hints ---- */

static int add_hint(struct tf_launch_app *app, const char *key, const char *value)
{
    const char *(*more)[2] = realloc(app->hints, ((size_t)app->nhints + 1) * sizeof *more);
    app->hints = more ? more : app->hints;
    char *k = strdup(key), *v = strdup(value);
    if (!more || !k || !v) {
        free(k);
        free(v);
        return tf_error(MPI_ERR_NO_MEM, "no memory for the hints of a program");
    }
    app->hints[app->nhints][0] = k;
    app->hints[app->nhints++][1] = v;
    return MPI_SUCCESS;
}

/* Those that the launcher does not get. */
static bool is_own(const char *key)
{
    return strcmp(key, "soft") == 0 || strcmp(key, "file") == 0;
}

static char *trimmed(char *word)
{
    char *end = word + strlen(word);
    while (isspace((unsigned char)*word))
        word++;
    while (end > word && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return word;
}

static int take_line(struct tf_launch_app *app, const char *path, char *line, char soft[MPI_MAX_INFO_VAL])
{
    char *word = trimmed(line), *value = strchr(word, '=');
    if (*word == '\0' || *word == '#')
        return MPI_SUCCESS;
    if (!value)
        return tf_error(MPI_ERR_INFO_VALUE,
                        "the file \"%s\" of the hint file has the line \"%s\"; it must be KEY=VALUE", path, word);
    *value++ = '\0';
    char *key = trimmed(word);
    value = trimmed(value);
    if (strcmp(key, "soft") == 0)
        snprintf(soft, MPI_MAX_INFO_VAL, "%s", value);
    return is_own(key) ? MPI_SUCCESS : add_hint(app, key, value);
}

static int read_file(struct tf_launch_app *app, const char *path, char soft[MPI_MAX_INFO_VAL])
{
    char *line = NULL;
    size_t capacity = 0;
    int err = MPI_SUCCESS;
    FILE *file = fopen(path, "re");
    if (!file)
        return tf_error(MPI_ERR_INFO_VALUE, "the hint file is \"%s\", which cannot be read: %s", path, strerror(errno));
    while (!err && getline(&line, &capacity, file) >= 0)
        err = take_line(app, path, line, soft);
    free(line);
    fclose(file);
    return err;
}

/* What the user has given goes before what is in the file: launchers take the first. */
static int take_hints(struct tf_launch_app *app, MPI_Info info, char soft[MPI_MAX_INFO_VAL])
{
    char key[MPI_MAX_INFO_KEY];
    int n = 0, err = MPI_SUCCESS;
    struct tf_info *hints = info == MPI_INFO_NULL ? NULL : tf_info_find(info);
    if (info != MPI_INFO_NULL && !hints)
        return tf_error(MPI_ERR_INFO, "info is no info object");
    if (hints)
        err = tf_info_get_nkeys(hints, &n);
    const char *value = hints ? tf_info_value(hints, "soft") : NULL;
    for (int i = 0; i < n && !err; i++) {
        err = tf_info_get_nthkey(hints, i, key);
        if (!err && !is_own(key))
            err = add_hint(app, key, tf_info_value(hints, key));
    }
    if (!err && hints && tf_info_value(hints, "file"))
        err = read_file(app, tf_info_value(hints, "file"), soft);
    if (value)
        snprintf(soft, MPI_MAX_INFO_VAL, "%s", value);
    return err;
}

/* ---- programs ---- */

/* `at`: "[1]" where there are several. */
static int take_app(struct tf_launch_app *app, const char *command, char **argv, int maxprocs, MPI_Info info,
                    const char *at)
{
    static char *const nothing[] = {NULL};
    char soft[MPI_MAX_INFO_VAL] = "";
    if (!command || !*command)
        return tf_error(MPI_ERR_ARG, "command%s is %s; it must be the name of a program", at,
                        command ? "empty" : "a null pointer");
    if (maxprocs < 0)
        return tf_error(MPI_ERR_ARG, "maxprocs%s is %d; it must be at least 0", at, maxprocs);
    *app = (struct tf_launch_app){.command = command, .argv = argv ? argv : nothing};
    int err = take_hints(app, info, soft);
    return err ? err : choose_number(*soft ? soft : NULL, maxprocs, &app->nprocs);
}

int tf_order_take(struct tf_spawn_order *order, int count, char *const commands[], char **const argvs[],
                  const int maxprocs[], const MPI_Info infos[])
{
    int err = MPI_SUCCESS;
    *order = (struct tf_spawn_order){0};
    if (count < 1)
        return tf_error(MPI_ERR_COUNT, "count is %d; it must be at least 1", count);
    if (!commands || !maxprocs || !infos)
        return tf_error(MPI_ERR_ARG, "the arrays of commands, of maxprocs and of infos must be given at the root");
    order->apps = calloc((size_t)count, sizeof *order->apps);
    if (!order->apps)
        return tf_error(MPI_ERR_NO_MEM, "no memory for %d programs", count);
    for (int i = 0; i < count; i++) {
        char at[16] = "";
        if (count > 1)
            snprintf(at, sizeof at, "[%d]", i);
        if (!err)
            err =
                take_app(&order->apps[order->napps++], commands[i], argvs ? argvs[i] : NULL, maxprocs[i], infos[i], at);
        if (maxprocs[i] > INT_MAX - order->wanted)
            return err ? err : tf_error(MPI_ERR_ARG, "maxprocs are more than %d in all", INT_MAX);
        order->wanted += maxprocs[i] > 0 ? maxprocs[i] : 0;
        order->number += err ? 0 : order->apps[i].nprocs;
        if (!err && count > 1 && order->apps[i].nprocs == 0)
            err = tf_error(MPI_ERR_SPAWN, "maxprocs[%d] is 0, for \"%s\"; launchers start at least one process of each",
                           i, commands[i]);
    }
    if (!err && order->number == 0)
        err = tf_error(MPI_ERR_SPAWN, "there is no process to be started: maxprocs is 0");
    return err;
}

void tf_order_free(struct tf_spawn_order *order)
{
    for (int i = 0; i < order->napps; i++) {
        for (int h = 0; h < order->apps[i].nhints; h++) {
            free((char *)order->apps[i].hints[h][0]);
            free((char *)order->apps[i].hints[h][1]);
        }
        free(order->apps[i].hints);
    }
    free(order->apps);
}
