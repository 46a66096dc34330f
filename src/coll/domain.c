/* domain.c - which ranks of a communicator are close to each other.  See domain.h.
 *
 * Ranks of several nodes are separated by these.  Within a node, a rank belongs to the object of a level that holds all
 * the processors it may run on.  The outermost level that separates the ranks is taken: to cross it costs most.  Where
 * a rank is bound to no object there are no domains.
 */
#include "coll/domain.h"

#include "base/settings.h"
#include "net/net.h"
#include "net/process.h"

/* Ranks of a domain are mostly adjacent, so the latest numbers are looked at first. */
int tf_domain_renumber(int32_t *of, int n, int32_t *seen)
{
    int known = 0;
    for (int r = 0; r < n; r++) {
        int d = known - 1;
        while (d >= 0 && seen[d] != of[r])
            d--;
        if (d < 0)
            seen[d = known++] = of[r];
        of[r] = d;
    }
    return known;
}

static void by_node(const struct tf_comm *comm, int32_t *of)
{
    for (int r = 0; r < comm->size; r++)
        of[r] = tf_net_node(comm->group->processes[r]);
}

bool tf_domain_by_level(const struct tf_comm *comm, int n, enum tf_machine_level level, int32_t *of)
{
    if (comm->group->mixed) /* nobody knows them of all */
        return false;
    for (int r = 0; r < n; r++) {
        struct tf_processors set;
        tf_net_processors(comm->group->processes[r], &set);
        of[r] = tf_machine_object(level, &set);
        if (of[r] < 0)
            return false;
    }
    return true;
}

static bool by_number(const struct tf_comm *comm, int each, int32_t *of)
{
    for (int r = 0; r < comm->size; r++)
        of[r] = tf_process_of(comm->group->processes[r]).rank / each;
    return true;
}

/* Whether there are domains, which are then in of[]: more than one, and one of several ranks. */
static bool find(const struct tf_comm *comm, int32_t *of, int32_t *seen)
{
    const char *what = tf_settings.domains;
    int each = atoi(what), n = 0;
    bool any = strcmp(what, "auto") == 0;

    if (each > 0) {
        by_number(comm, each, of);
        n = tf_domain_renumber(of, comm->size, seen);
        return n > 1 && n < comm->size;
    }
    if (any || strcmp(what, "node") == 0) {
        by_node(comm, of);
        n = tf_domain_renumber(of, comm->size, seen);
        if (n > 1)
            return n < comm->size;
    }
    for (int level = TF_PACKAGE; level <= TF_L3; level++) {
        if (!any && strcmp(what, tf_machine_name(level)) != 0)
            continue;
        n = tf_domain_by_level(comm, comm->size, level, of) ? tf_domain_renumber(of, comm->size, seen) : 0;
        if (n > 1 && n < comm->size)
            return true;
    }
    return false;
}

int tf_coll_domains(const struct tf_comm *comm, struct tf_domains *domains)
{
    if (domains->known)
        return MPI_SUCCESS;
    int32_t *of = tf_alloc(2 * (size_t)comm->size * sizeof *of, "the domains of a communicator");
    if (!of) /* one level on this rank alone would not fit the others' plans */
        return MPI_ERR_NO_MEM;
    domains->known = true;
    if (find(comm, of, of + comm->size))
        domains->of = of;
    else
        free(of);
    tf_log(1, "domains of %s: %s", tf_comm_describe(comm), domains->of ? "several" : "one");
    return MPI_SUCCESS;
}

void tf_coll_domains_clear(struct tf_domains *domains)
{
    free(domains->of);
}
