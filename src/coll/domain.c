/* domain.c - which ranks of a communicator are close to each other.  See domain.h.
 *
 * Ranks of several nodes are separated by these.  Within a node, a rank belongs to the object of a level that holds all
 * the processors it may run on.  The outermost level that separates the ranks is taken: to cross it costs most.  Where
 * a rank is bound to no object there are no domains.
 */
#include "coll/domain.h"

#include "base/settings.h"
#include "net/net.h"

/* Numbers of any kind become 0, 1, 2, ... in the order in which they first appear; returns how many there are.  Ranks
 * of a domain are mostly adjacent, so the latest numbers are looked at first. */
static int renumber(int32_t *of, int size, int32_t *seen)
{
    int n = 0;
    for (int r = 0; r < size; r++) {
        int d = n - 1;
        while (d >= 0 && seen[d] != of[r])
            d--;
        if (d < 0)
            seen[d = n++] = of[r];
        of[r] = d;
    }
    return n;
}

static void by_node(const struct tf_comm *comm, int32_t *of)
{
    for (int r = 0; r < comm->size; r++)
        of[r] = tf_net_node(comm->group->world[r]);
}

static bool by_level(const struct tf_comm *comm, enum tf_topo_level level, int32_t *of)
{
    for (int r = 0; r < comm->size; r++) {
        struct tf_processors set;
        tf_net_processors(comm->group->world[r], &set);
        of[r] = tf_topo_object(level, &set);
        if (of[r] < 0)
            return false;
    }
    return true;
}

static bool by_number(const struct tf_comm *comm, int each, int32_t *of)
{
    for (int r = 0; r < comm->size; r++)
        of[r] = comm->group->world[r] / each;
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
        n = renumber(of, comm->size, seen);
        return n > 1 && n < comm->size;
    }
    if (any || strcmp(what, "node") == 0) {
        by_node(comm, of);
        n = renumber(of, comm->size, seen);
        if (n > 1)
            return n < comm->size;
    }
    for (int level = TF_PACKAGE; level <= TF_L3; level++) {
        if (!any && strcmp(what, tf_topo_name(level)) != 0)
            continue;
        n = by_level(comm, level, of) ? renumber(of, comm->size, seen) : 0;
        if (n > 1 && n < comm->size)
            return true;
    }
    return false;
}

const int32_t *tf_coll_domains(const struct tf_comm *comm, struct tf_domains *domains)
{
    if (domains->known)
        return domains->of;
    int32_t *of = tf_alloc(2 * (size_t)comm->size * sizeof *of, "the domains of a communicator");
    if (!of) /* one level on this rank alone would not fit the others' plans */
        tf_fatal(1, "no memory for the domains of %d ranks", comm->size);
    domains->known = true;
    if (find(comm, of, of + comm->size))
        domains->of = of;
    else
        free(of);
    tf_log(1, "domains of %s: %s", tf_comm_describe(comm), domains->of ? "several" : "one");
    return domains->of;
}

void tf_coll_domains_clear(struct tf_domains *domains)
{
    free(domains->of);
}
