/* between.c - which transport carries messages between nodes: one for all processes of the job.
 *
 * What each process offers is combined.  The setting names the transport; with auto it is the one that is best where it
 * is worst.
 */
#include "net/between.h"

#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"
#include "launch/combine.h"

static const struct tf_net *const netmods[] = {
#define TF_NETMOD(name, where) &tf_net_##name,
#include "net/netmods.def"
#undef TF_NETMOD
};
enum { NETMODS = TF_ARRAY_LEN(netmods), SETTING = 16, HOST = 64, WORDS = 240 };

/* "auto|tcp" */
static const char words_of_setting[] = "auto"
#define WORD_within(name)
#define WORD_between(name) "|" #name
#define TF_NETMOD(name, where) WORD_##where(name)
#include "net/netmods.def"
#undef TF_NETMOD
    ;

static const char transports[] =
#define TF_NETMOD(name, where) #name " "
#include "net/netmods.def"
#undef TF_NETMOD
    ;

/* Who has which setting. */
struct voice {
    int32_t rank;
    char host[HOST], setting[SETTING];
};

/* What ranks can agree upon: the worst grade of each transport; `against` is who cannot agree, of rank -1: nobody. */
struct offer {
    char transports[sizeof transports];
    char grades[NETMODS]; /* enum tf_net_grade */
    struct voice first, against;
    char why[WORDS]; /* nothing can be used there */
};

void tf_between_setup(void)
{
    tf_settings_allow(&tf_settings.net, words_of_setting);
}

static const struct tf_net *named(const char *name)
{
    for (int i = 0; i < NETMODS; i++)
        if (netmods[i]->grade && strcmp(netmods[i]->name, name) == 0)
            return netmods[i];
    return NULL;
}

static void object(struct offer *offer)
{
    const struct tf_net *forced = named(offer->first.setting);
    offer->against = offer->first;
    if ((forced ? forced : &tf_net_tcp)->describe(offer->why, WORDS))
        snprintf(offer->why, WORDS, "'treefold info' there says more");
}

static void make_offer(struct offer *offer)
{
    int usable = 0;
    *offer = (struct offer){.first = {.rank = tf_job.rank, .host = "?"}, .against = {.rank = -1}};
    memcpy(offer->transports, transports, sizeof transports);
    snprintf(offer->first.setting, SETTING, "%s", tf_settings.net);
    gethostname(offer->first.host, HOST - 1);
    for (int i = 0; i < NETMODS; i++) {
        /* A library that is not asked for is not opened. */
        bool forced = strcmp(tf_settings.net, netmods[i]->name) == 0;
        bool wanted = netmods[i]->grade && (forced || strcmp(tf_settings.net, "auto") == 0);
        offer->grades[i] = (char)(wanted ? netmods[i]->grade() : TF_NET_UNUSABLE);
        usable += offer->grades[i] != TF_NET_UNUSABLE;
    }
    if (usable == 0)
        object(offer);
}

/* Of a build that has the same transports, so that its grades are of the same. */
static int check(const struct tf_facts *facts)
{
    const struct offer *offer = facts->bytes;
    if (facts->length == sizeof *offer && memcmp(offer->transports, transports, sizeof transports) == 0)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_OTHER,
                    "the processes of the job run different builds of Treefold: not all have the transports %sand no "
                    "others; 'treefold info' on each host lists them",
                    transports);
}

/* The first complaint stands. */
static int merge(struct tf_facts *into, const struct tf_facts *from)
{
    struct offer *ours = into->bytes;
    const struct offer *theirs = from->bytes;
    int err = check(from);
    if (err)
        return err;
    for (int i = 0; i < NETMODS; i++)
        ours->grades[i] = theirs->grades[i] < ours->grades[i] ? theirs->grades[i] : ours->grades[i];
    if (ours->against.rank < 0) {
        ours->against = strcmp(theirs->first.setting, ours->first.setting) ? theirs->first : theirs->against;
        memcpy(ours->why, theirs->why, WORDS);
    }
    return MPI_SUCCESS;
}

static const struct tf_net *best_of(const struct offer *offer)
{
    int best = -1;
    for (int i = 0; i < NETMODS; i++)
        if (offer->grades[i] > TF_NET_UNUSABLE && (best < 0 || offer->grades[i] > offer->grades[best]))
            best = i;
    return best < 0 ? NULL : netmods[best];
}

static int complain(const struct offer *offer)
{
    const struct voice *against = &offer->against;
    if (against->rank >= 0 && strcmp(against->setting, offer->first.setting) != 0)
        return tf_error(
            MPI_ERR_OTHER,
            "rank %d on host %s has TREEFOLD_NET=%s and rank 0 has %s; all processes of a job need the same",
            against->rank, against->host, against->setting, offer->first.setting);
    if (against->rank < 0)
        return tf_error(MPI_ERR_OTHER, "no transport reaches the other nodes of the job; 'treefold info' on each host "
                                       "says why");
    if (!named(against->setting))
        return tf_error(MPI_ERR_OTHER, "no transport reaches rank %d on host %s from other nodes: %s", against->rank,
                        against->host, offer->why);
    return tf_error(MPI_ERR_OTHER, "TREEFOLD_NET=%s cannot be used by rank %d on host %s: %s", against->setting,
                    against->rank, against->host, offer->why);
}

int tf_between_choose(const struct tf_net **chosen)
{
    static const struct tf_combine how = {.key = "treefold-net", .merge = merge};
    struct tf_facts facts = {.length = sizeof(struct offer)};
    struct offer *own = facts.bytes = tf_alloc(sizeof *own, "the offer of transports");
    if (!own)
        return MPI_ERR_NO_MEM;
    make_offer(own);
    int err = tf_launch_combine(&how, &facts);
    if (!err)
        err = check(&facts);
    if (!err) {
        const struct offer *all = facts.bytes;
        *chosen = all->against.rank < 0 ? best_of(all) : NULL;
        if (*chosen)
            tf_log(1, "messages between nodes go by %s", (*chosen)->name);
        else
            err = complain(all);
    }
    free(facts.bytes);
    return err;
}
