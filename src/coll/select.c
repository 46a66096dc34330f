/* select.c - which algorithm a call gets: the setting `algorithm` if it names one that fits, else the rules.
 */
#include "base/settings.h"
#include "coll/family.h"

#include <limits.h>

enum where { ANY, ROOMY, CROWDED };

static const struct rule {
    enum tf_coll coll;
    int from, to;
    size_t low, high;
    enum where where;
    const char *algo;
} rules[] = {
#define MAX INT_MAX
#define TF_RULE(...) TF_RULE_ROW(__VA_ARGS__)
#define TF_RULE_ROW(coll, from, to, low, high, where, algo) {coll, from, to, low, high, where, #algo},
#include "coll/rules.def"
#undef TF_RULE
#undef MAX
};

static bool crowded(void)
{
    return tf_wait_crowded;
}

static bool applies(const struct rule *rule, const struct tf_coll_case *which)
{
    return rule->coll == which->coll && which->size >= rule->from && which->size <= rule->to &&
           which->bytes >= rule->low && which->bytes < rule->high &&
           (rule->where == ANY || (rule->where == CROWDED) == crowded());
}

static bool fits(const struct tf_algo *algo, const struct tf_coll_case *which)
{
    return algo && tf_algo_fits(algo, which->size, which->commutative, which->elementwise);
}

/* "allreduce=ring,bcast=linear": the algorithm named for that collective, or NULL. */
static const struct tf_algo *named(enum tf_coll coll)
{
    static int told[TF_NCOLL];
    const char *name = tf_coll_name(coll);
    size_t n = strlen(name);
    for (const char *s = tf_settings.algorithm; s && *s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
        if (strncmp(s, name, n) != 0 || s[n] != '=')
            continue;
        char algo[64];
        size_t length = strcspn(s + n + 1, ",");
        if (length >= sizeof algo)
            continue;
        memcpy(algo, s + n + 1, length);
        algo[length] = '\0';
        const struct tf_algo *found = tf_algo_find(coll, algo);
        if (!found && tf_world.rank == 0 && !told[coll]++)
            tf_log(0, "setting algorithm: there is no algorithm '%s' for %s", algo, name);
        return found;
    }
    return NULL;
}

/* Between two bounds of the collective's rules the choice is the same. */
static void same_choice_range(enum tf_coll coll, size_t bytes, size_t *low, size_t *high)
{
    *low = 0;
    *high = SIZE_MAX;
    for (size_t i = 0; i < TF_ARRAY_LEN(rules); i++) {
        if (rules[i].coll != coll)
            continue;
        size_t bounds[2] = {rules[i].low, rules[i].high};
        for (int k = 0; k < 2; k++) {
            if (bounds[k] <= bytes && bounds[k] > *low)
                *low = bounds[k];
            if (bounds[k] > bytes && bounds[k] < *high)
                *high = bounds[k];
        }
    }
}

int tf_coll_select(const struct tf_coll_case *which, struct tf_coll_choice *choice)
{
    struct tf_coll_choice found = {.algo = named(which->coll)};
    same_choice_range(which->coll, which->bytes, &found.low, &found.high);
    if (!fits(found.algo, which))
        found.algo = NULL;
    for (size_t i = 0; i < TF_ARRAY_LEN(rules) && !found.algo; i++) {
        if (!applies(&rules[i], which))
            continue;
        const struct tf_algo *algo = tf_algo_find(which->coll, rules[i].algo);
        if (fits(algo, which))
            found.algo = algo;
    }
    if (!found.algo)
        return tf_error(MPI_ERR_INTERN, "no rule gives an algorithm for %s of %zu bytes on %d ranks",
                        tf_coll_name(which->coll), which->bytes, which->size);
    *choice = found;
    return MPI_SUCCESS;
}
