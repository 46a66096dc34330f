/* mpiexec_hosts.c - the hosts that a job is for: from the command line, a file, or Slurm's allocation; and whether they
 * are all this machine.
 */
#include "cmd/mpiexec.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void refuse(const char *where, const char *word)
{
    fprintf(stderr, "mpiexec: \"%s\" in %s is no host; it must be NAME or NAME:PROCESSES\n", word, where);
    exit(MPIEXEC_USAGE_ERROR);
}

/* "NAME" or "NAME:SLOTS"; of an address of IPv6, which has colons, "[ADDRESS]:SLOTS". */
static void add(struct mpiexec_options *options, const char *where, const char *word, long slots)
{
    const char *colon = strrchr(word, ':'), *bracket = strchr(word, ']');
    size_t length = strlen(word);
    char *end = "";
    if (colon && (bracket ? bracket + 1 == colon : strchr(word, ':') == colon)) {
        slots = strtol(colon + 1, &end, 10);
        length = (size_t)(colon - word);
        if (!strcmp(colon, ":*")) /* Open MPI's word for as many as there are */
            slots = 0, end = "";
        else if (end == colon + 1 || slots < 1)
            end = "not a number of processes";
    }
    if (length == 0 || *end || slots > 1000000 || strspn(word, "-") > 0)
        refuse(where, word);
    struct mpiexec_host host = {.name = strndup(word, length), .slots = (int)slots};
    struct mpiexec_host *hosts = realloc(options->hosts, ((size_t)options->nhosts + 1) * sizeof *hosts);
    if (!host.name || !hosts) {
        fprintf(stderr, "mpiexec: no memory for %d hosts\n", options->nhosts + 1);
        exit(EXIT_FAILURE);
    }
    options->hosts = hosts;
    options->hosts[options->nhosts++] = host;
}

void tf_mpiexec_hosts_add(struct mpiexec_options *options, const char *option, const char *list)
{
    char *words = strdup(list), *rest = words, *word;
    while (rest && (word = strsep(&rest, ",")))
        add(options, option, word, 0);
    free(words);
}

void tf_mpiexec_hosts_read(struct mpiexec_options *options, const char *file)
{
    char *line = NULL;
    size_t capacity = 0;
    int before = options->nhosts;
    FILE *f = fopen(file, "r");
    if (!f) {
        fprintf(stderr, "mpiexec: cannot read the hosts in \"%s\": %s\n", file, strerror(errno));
        exit(MPIEXEC_USAGE_ERROR);
    }
    while (getline(&line, &capacity, f) >= 0) {
        char *rest = line, *save, *word;
        line[strcspn(line, "#")] = '\0';
        word = strtok_r(rest, " \t\r\n", &save);
        if (!word)
            continue;
        long slots = 0;
        for (char *more; (more = strtok_r(NULL, " \t\r\n", &save));)
            if (strncmp(more, "max", 3) != 0 && (sscanf(more, "slots=%ld", &slots) != 1 || slots < 1))
                refuse(file, more);
        add(options, file, word, slots);
    }
    free(line);
    if (ferror(f)) {
        fprintf(stderr, "mpiexec: cannot read the hosts in \"%s\": %s\n", file, strerror(errno));
        exit(MPIEXEC_USAGE_ERROR);
    }
    fclose(f);
    if (options->nhosts == before) {
        fprintf(stderr, "mpiexec: there is no host in \"%s\"; it should have lines NAME or NAME:PROCESSES\n", file);
        exit(MPIEXEC_USAGE_ERROR);
    }
}

/* An address belongs to this machine if a socket can be bound to it. */
bool tf_mpiexec_hosts_is_here(const char *name)
{
    char own[256] = "";
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *addresses = NULL;
    size_t length = strlen(name);
    char address[INET6_ADDRSTRLEN];
    if (name[0] == '[' && name[length - 1] == ']' && length < sizeof address) { /* of an address of IPv6 */
        snprintf(address, sizeof address, "%.*s", (int)length - 2, name + 1);
        name = address;
    }
    gethostname(own, sizeof own - 1);
    if (!strcmp(name, "localhost") || !strcmp(name, own))
        return true;
    bool here = false;
    if (getaddrinfo(name, NULL, &hints, &addresses) != 0)
        return false;
    for (const struct addrinfo *a = addresses; a && !here; a = a->ai_next) {
        int fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        here = fd >= 0 && bind(fd, a->ai_addr, a->ai_addrlen) == 0;
        if (fd >= 0)
            close(fd);
    }
    freeaddrinfo(addresses);
    return here;
}

bool tf_mpiexec_in_slurm(void)
{
    return getenv("SLURM_JOB_ID") != NULL;
}

/* Within an allocation of one node the shell may be somewhere else, on the machine where users log in. */
static bool allocation_is_elsewhere(void)
{
    const char *nodes = getenv("SLURM_JOB_NUM_NODES"), *list = getenv("SLURM_JOB_NODELIST");
    if (!tf_mpiexec_in_slurm() || !nodes)
        return false;
    return atoi(nodes) > 1 || (!getenv("SLURMD_NODENAME") && list && !tf_mpiexec_hosts_is_here(list));
}

bool tf_mpiexec_hosts_elsewhere(const struct mpiexec_options *options)
{
    for (int i = 0; i < options->nhosts; i++)
        if (!tf_mpiexec_hosts_is_here(options->hosts[i].name))
            return true;
    return options->nhosts == 0 && allocation_is_elsewhere();
}
