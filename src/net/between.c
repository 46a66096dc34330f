/* between.c - which transport carries messages between nodes: one for all processes of the job.
 *
 *     treefold-net-RANK    "SETTING,GRADES,HOST": one digit for each transport between nodes
 *     treefold-net         rank 0's answer: the transport's name, or "!" and why there is none
 *
 * The setting names it.  With auto it is the one that is best where it is worst.
 */
#include "net/between.h"

#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"
#include "launch/launch.h"

static const struct tf_net *const netmods[] = {
#define TF_NETMOD(name) &tf_net_##name,
#include "net/netmods.def"
#undef TF_NETMOD
};
enum { NETMODS = TF_ARRAY_LEN(netmods), VALUE = 256, HOST = 64 };

static const struct tf_net *named(const char *name)
{
    for (int i = 0; i < NETMODS; i++)
        if (netmods[i]->grade && strcmp(netmods[i]->name, name) == 0)
            return netmods[i];
    return NULL;
}

static int publish_offer(void)
{
    char key[40], value[VALUE], host[HOST] = "?", grades[NETMODS + 1];
    gethostname(host, sizeof host - 1);
    for (int i = 0; i < NETMODS; i++) {
        /* A library that is not asked for is not opened. */
        bool wanted = strcmp(tf_settings.net, "auto") == 0 || strcmp(tf_settings.net, netmods[i]->name) == 0;
        grades[i] = (char)('0' + (netmods[i]->grade && wanted ? netmods[i]->grade() : TF_NET_UNUSABLE));
    }
    grades[NETMODS] = '\0';
    snprintf(key, sizeof key, "treefold-net-%d", tf_world.rank);
    snprintf(value, sizeof value, "%s,%s,%s", tf_settings.net, grades, host);
    return tf_launch_put(key, value);
}

/* ---- rank 0 ---- */

struct offer {
    char setting[16], grades[NETMODS + 1], host[HOST];
};

static int take_offer(int rank, struct offer *offer)
{
    char key[40], value[VALUE];
    snprintf(key, sizeof key, "treefold-net-%d", rank);
    int err = tf_launch_get(rank, key, value, sizeof value);
    if (!err && (sscanf(value, "%15[^,],%[0-9],%63s", offer->setting, offer->grades, offer->host) != 3 ||
                 strlen(offer->grades) != NETMODS))
        err = tf_error(MPI_ERR_OTHER, "rank %d has published \"%s\", which is no offer of transports", rank, value);
    return err;
}

/* The common answer, in words without spaces: a value of the key-value space has none. */
static int compare_offers(char answer[VALUE])
{
    struct offer offer;
    char worst[NETMODS];
    memset(worst, '9', sizeof worst);
    answer[0] = '\0';
    for (int r = 0; r < tf_world.size && !answer[0]; r++) {
        int err = take_offer(r, &offer);
        if (err)
            return err;
        if (strcmp(offer.setting, tf_settings.net) != 0)
            snprintf(answer, VALUE, "!%d,%s,%s,%s", r, offer.host, offer.setting, tf_settings.net);
        for (int i = 0; i < NETMODS; i++)
            worst[i] = offer.grades[i] < worst[i] ? offer.grades[i] : worst[i];
        const struct tf_net *forced = named(tf_settings.net);
        for (int i = 0; i < NETMODS && !answer[0]; i++)
            if (netmods[i] == forced && worst[i] == '0' + TF_NET_UNUSABLE)
                snprintf(answer, VALUE, "!%d,%s", r, offer.host);
    }
    int best = -1;
    for (int i = 0; i < NETMODS; i++)
        if (worst[i] > '0' + TF_NET_UNUSABLE && (best < 0 || worst[i] > worst[best]))
            best = i;
    if (!answer[0])
        snprintf(answer, VALUE, "%s", best < 0 ? "!" : netmods[best]->name);
    return MPI_SUCCESS;
}

/* ---- all ---- */

static int complain(const char *answer)
{
    char host[HOST] = "", theirs[16] = "", ours[16] = "", words[300];
    int rank = 0, n = sscanf(answer, "!%d,%63[^,],%15[^,],%15s", &rank, host, theirs, ours);
    if (n >= 4)
        return tf_error(
            MPI_ERR_OTHER,
            "rank %d on host %s has TREEFOLD_NET=%s and rank 0 has %s; all processes of a job need the same", rank,
            host, theirs, ours);
    const struct tf_net *forced = named(tf_settings.net);
    if (n < 2 || !forced)
        return tf_error(MPI_ERR_OTHER, "no transport reaches the other nodes of the job; 'treefold info' on each host "
                                       "says why");
    if (rank != tf_world.rank || forced->describe(words, sizeof words))
        snprintf(words, sizeof words, "'treefold info' there says why");
    return tf_error(MPI_ERR_OTHER, "TREEFOLD_NET=%s cannot be used by rank %d on host %s: %s", forced->name, rank, host,
                    words);
}

int tf_between_choose(const struct tf_net **chosen)
{
    char answer[VALUE];
    int err = publish_offer();
    if (!err)
        err = tf_launch_barrier();
    if (!err && tf_world.rank == 0)
        err = compare_offers(answer);
    if (!err && tf_world.rank == 0)
        err = tf_launch_put("treefold-net", answer);
    if (!err)
        err = tf_launch_barrier();
    if (!err && tf_world.rank > 0)
        err = tf_launch_get(0, "treefold-net", answer, sizeof answer);
    if (err)
        return err;
    *chosen = named(answer);
    if (!*chosen)
        return complain(answer);
    tf_log(1, "messages between nodes go by %s", (*chosen)->name);
    return MPI_SUCCESS;
}
