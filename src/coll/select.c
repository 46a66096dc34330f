/* select.c - which algorithm a call gets: the first rule that matches and whose algorithm fits, of the communicator's
 * own rules, the setting `algorithm`, the file of the setting `rules`, and the shipped ones, in this order.
 *
 * All of these are read once.  What the choice rests on is the same on every rank; should the rules be different after
 * all, the messages' fingerprints tell, as the algorithm is part of them.
 */
#include "base/settings.h"
#include "coll/family.h"

#include <stdio.h>

static const char shipped[] =
#include "coll/gen/rules.inc"
    ;

/* ---- the rules in force ---- */

static void complain(const char *words)
{
    if (tf_job.rank == 0)
        tf_log(0, "%s", words);
}

/* The rules of one setting, read again where its value is another. */
struct source {
    char *value;
    struct tf_rules *rules;
};

static int parse_setting(const char *value, struct tf_rules **rules)
{
    *rules = tf_rules_parse(value, "setting algorithm", complain);
    return *rules ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int read_file(const char *path, struct tf_rules **rules)
{
    return tf_rules_read(path, complain, rules);
}

static int follow(struct source *source, const char *value, int (*get)(const char *value, struct tf_rules **rules))
{
    if (TF_LIKELY(source->value && strcmp(source->value, value) == 0))
        return MPI_SUCCESS;
    struct tf_rules *rules = NULL;
    char *copy = strdup(value);
    if (!copy)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate rules of selection");
    int err = *value ? get(value, &rules) : MPI_SUCCESS;
    if (err) {
        free(copy);
        return err;
    }
    tf_rules_free(source->rules);
    free(source->value);
    source->value = copy;
    source->rules = rules;
    return MPI_SUCCESS;
}

int tf_coll_rules(struct tf_rules *sets[TF_RULES_SETS])
{
    static struct source setting, file;
    static struct tf_rules *always;
    int err = follow(&setting, tf_settings.algorithm, parse_setting);
    if (!err)
        err = follow(&file, tf_settings.rules, read_file);
    if (!err && !always && !(always = tf_rules_parse(shipped, "shipped rules", complain)))
        err = MPI_ERR_NO_MEM;
    sets[TF_RULES_SETTING] = setting.rules;
    sets[TF_RULES_FILE] = file.rules;
    sets[TF_RULES_SHIPPED] = always;
    return err;
}

/* ---- the choice ---- */

static unsigned conditions_met(const struct tf_coll_case *which)
{
    /* Who is crowded is known of one's own node. */
    unsigned met = which->network ? TF_WHEN_NETWORK | TF_WHEN_ROOMY
                                  : TF_WHEN_NODE | (tf_pause_crowded ? TF_WHEN_CROWDED : TF_WHEN_ROOMY);
    met |= which->levels ? TF_WHEN_LEVELS : 0;
    met |= which->persistent ? TF_WHEN_PERSISTENT : 0;
    met |= which->must_give & TF_GIVES_FIXED ? TF_WHEN_FIXED : 0;
    met |= which->must_give & TF_GIVES_ONCE ? TF_WHEN_EXACT : 0;
    return met | (which->commutative ? TF_WHEN_COMMUTATIVE : 0) | (which->elementwise ? TF_WHEN_ELEMENTWISE : 0);
}

static bool applies(const struct tf_rule *rule, const struct tf_coll_case *which, unsigned met)
{
    return which->size >= rule->from && which->size <= rule->to && which->bytes >= rule->low &&
           (which->bytes < rule->high || rule->high == SIZE_MAX) && !(rule->when & ~met);
}

static bool keeps_promise(const struct tf_rule *rule, const struct tf_coll_case *which)
{
    bool as_proved = !rule->parameter || !(rule->algo->traits & TF_TAKES_RADIX);
    return !which->must_give || ((rule->algo->traits & which->must_give) == which->must_give && as_proved);
}

static bool fits(const struct tf_rule *rule, const struct tf_coll_case *which)
{
    return tf_algo_fits(rule->algo, which->size, which->commutative, which->elementwise) &&
           keeps_promise(rule, which) && (which->persistent || !(rule->algo->traits & TF_NEEDS_PERSISTENT));
}

/* Between two bounds of the rules the choice is the same. */
static void narrow(const struct tf_rule *rule, struct tf_coll_choice *choice, size_t bytes)
{
    size_t bounds[2] = {rule->low, rule->high};
    for (int k = 0; k < 2; k++) {
        if (bounds[k] <= bytes && bounds[k] > choice->low && bounds[k] != SIZE_MAX)
            choice->low = bounds[k];
        if (bounds[k] > bytes && bounds[k] < choice->high)
            choice->high = bounds[k];
    }
}

/* Who asks for one algorithm and gets another wants to know; a file has rules for all kinds of calls. */
static void tell(struct tf_rule *rule, const struct tf_rules *rules, const struct tf_coll_case *which)
{
    char needs[200], words[500];
    if (rule->told)
        return;
    rule->told = true;
    if (keeps_promise(rule, which))
        snprintf(words, sizeof words, "%s: %s for %s needs %s; a call on %d ranks gets another algorithm",
                 rules->source, rule->algo->name, tf_coll_name(which->coll),
                 tf_algo_needs(rule->algo, needs, sizeof needs), which->size);
    else
        snprintf(words, sizeof words,
                 "%s: the bits of %s for %s are not those of treefold_reproducible; a call gets "
                 "another algorithm",
                 rules->source, rule->algo->name, tf_coll_name(which->coll));
    complain(words);
}

/* Whether there is a rule for it. */
static bool look(struct tf_rules *rules, const struct tf_coll_case *which, bool asked, struct tf_coll_choice *choice)
{
    struct tf_rule *unfit = NULL;
    unsigned met = conditions_met(which);
    for (int i = rules->first[which->coll]; i < rules->first[which->coll + 1]; i++) {
        struct tf_rule *rule = &rules->rule[i];
        narrow(rule, choice, which->bytes);
        if (!applies(rule, which, met))
            continue;
        if (fits(rule, which)) {
            choice->algo = rule->algo;
            choice->parameter = rule->parameter;
            choice->from = rules;
            choice->line = rule->line;
            return true;
        }
        if (!unfit)
            unfit = rule;
    }
    if (unfit && asked)
        tell(unfit, rules, which);
    return false;
}

int tf_coll_select(const struct tf_coll_case *which, struct tf_coll_choice *choice)
{
    struct tf_rules *sets[TF_RULES_SETS];
    struct tf_coll_choice found = {.low = 0, .high = SIZE_MAX};
    int err = tf_coll_rules(sets);
    if (err)
        return err;
    bool done = which->own && look(which->own, which, true, &found);
    for (int i = 0; i < TF_RULES_SETS && !done; i++)
        done = sets[i] && look(sets[i], which, i == TF_RULES_SETTING, &found);
    if (!done)
        return tf_error(MPI_ERR_INTERN, "no rule gives an algorithm for %s of %zu bytes on %d ranks",
                        tf_coll_name(which->coll), which->bytes, which->size);
    *choice = found;
    return MPI_SUCCESS;
}
