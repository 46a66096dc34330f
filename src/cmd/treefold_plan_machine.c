/* treefold_plan_machine.c - the machines of `treefold plan --network`: those that come with it, and those of a file. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#include "cmd/treefold.h"

const char tf_cmd_machines[] =
#include "cmd/gen/machines.inc"
    ;

/* Where the text is from, for messages; the machine that is looked for, "": the first one. */
struct search {
    const char *file, *wanted;
    bool (*take)(void *context, const char *key, const char *value);
    void *context;
    bool here, found;
    int line;
};

/* Cuts the comment and the spaces at both ends off. */
static char *trim(char *line)
{
    line[strcspn(line, "#\n")] = 0;
    while (isspace((unsigned char)*line))
        line++;
    for (size_t n = strlen(line); n > 0 && isspace((unsigned char)line[n - 1]); n--)
        line[n - 1] = 0;
    return line;
}

static void read_line(struct search *s, char *line)
{
    char *key = trim(line), *value = key + strcspn(key, " \t");

    s->line++;
    if (!*key)
        return;
    if (*value)
        *value++ = 0;
    value += strspn(value, " \t");
    if (strcmp(key, "machine") == 0) {
        s->here = !s->found && (!*s->wanted || strcmp(value, s->wanted) == 0);
        s->found |= s->here;
    } else if (!*value)
        tf_cmd_plan_refuse("%s, line %d: \"%s\" has no value", s->file, s->line, key);
    else if (s->here && !s->take(s->context, key, value))
        tf_cmd_plan_refuse("%s, line %d: a machine has no \"%s\"", s->file, s->line, key);
}

static bool search_stream(struct search *s, FILE *stream)
{
    char *line = NULL;
    size_t capacity = 0;

    while (getline(&line, &capacity, stream) >= 0)
        read_line(s, line);
    free(line);
    fclose(stream);
    return s->found;
}

/* The names of the machines that come with the command. */
static const char *known(char *text, size_t size)
{
    size_t used = 0;

    for (const char *at = tf_cmd_machines; (at = strstr(at, "\nmachine ")) != NULL;) {
        at += strlen("\nmachine ");
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? ", " : "", (int)strcspn(at, "\n"), at);
        if (used >= size)
            break;
    }
    return text;
}

void tf_cmd_plan_machine(const char *name, bool (*take)(void *context, const char *key, const char *value),
                         void *context)
{
    char *path = strdup(name), *colon = strrchr(path, ':'), names[512];
    struct search shipped = {"machines", name, take, context, false, false, 0}, file = shipped;
    FILE *stream = fmemopen((void *)tf_cmd_machines, sizeof tf_cmd_machines - 1, "r");

    if (!stream)
        tf_cmd_plan_refuse("there is no memory for the machines");
    if (!search_stream(&shipped, stream)) {
        if (colon)
            *colon = 0;
        file.wanted = colon ? colon + 1 : "";
        file.file = path;
        stream = fopen(path, "r");
        if (!stream)
            tf_cmd_plan_refuse("--network %s: there is no such machine, and no file %s (%s); there are %s", name, path,
                               strerror(errno), known(names, sizeof names));
        if (!search_stream(&file, stream))
            tf_cmd_plan_refuse("%s has no machine%s%s", path, colon ? " " : "", file.wanted);
    }
    free(path);
}
