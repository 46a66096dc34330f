/* mpiexec_config.c - `mpiexec -configfile FILE`: each line of the file is what stands between two colons.
 *
 * Words are divided by blanks; quotes, single or double, keep blanks together.  A # begins a comment at the beginning
 * of a word.  A line that ends with a backslash goes on in the next one (MPI-5.0 section 11.5).
 */
#include "cmd/mpiexec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct words {
    char **list;
    size_t n;
};

static void leave(const char *file, const char *why)
{
    fprintf(stderr, "mpiexec: the options in \"%s\" cannot be read: %s\n", file, why);
    exit(MPIEXEC_USAGE_ERROR);
}

static void add(struct words *to, char *word)
{
    to->list = realloc(to->list, (to->n + 2) * sizeof *to->list);
    if (!to->list || !word)
        leave("it", "no memory");
    to->list[to->n++] = word;
    to->list[to->n] = NULL;
}

/* The word that begins here, without its quotes, in its place; where the next may begin. */
static char *end_word(const char *file, char *at)
{
    char quote = 0, *to = at;
    for (; *at && (quote || !strchr(" \t\r\n", *at)); at++)
        if (!quote && strchr("'\"", *at))
            quote = *at;
        else if (*at == quote)
            quote = 0;
        else
            *to++ = *at;
    if (quote)
        leave(file, "a quote is not closed on its line");
    char *rest = *at ? at + 1 : at;
    *to = '\0';
    return rest;
}

static void add_line(struct words *to, const char *file, char *line)
{
    size_t before = to->n;
    for (line += strspn(line, " \t\r\n"); *line && *line != '#'; line += strspn(line, " \t\r\n")) {
        char *word = line;
        line = end_word(file, line);
        if (before && before == to->n)
            add(to, strdup(":"));
        add(to, strdup(word));
    }
}

/* The next line with those in which it goes on; to be freed.  NULL: there is none. */
static char *read_line(FILE *f)
{
    char *all = NULL, *line = NULL;
    size_t length = 0, capacity = 0;
    bool more = true;
    while (more && getline(&line, &capacity, f) >= 0) {
        size_t part = strcspn(line, "\r\n");
        more = part > 0 && line[part - 1] == '\\';
        part -= more;
        all = realloc(all, length + part + 1);
        if (!all)
            leave("it", "no memory");
        memcpy(all + length, line, part);
        length += part;
        all[length] = '\0';
    }
    free(line);
    return all;
}

char **tf_mpiexec_config_read(const char *file)
{
    struct words words = {0};
    FILE *f = fopen(file, "r");
    if (!f)
        leave(file, strerror(errno));
    for (char *line; (line = read_line(f)); free(line))
        add_line(&words, file, line);
    if (ferror(f))
        leave(file, strerror(errno));
    fclose(f);
    if (!words.list)
        leave(file, "there is no program in it");
    return words.list;
}
