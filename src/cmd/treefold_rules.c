/* treefold_rules.c - treefold rules: the rules of selection in force, as text that TREEFOLD_RULES takes. */
#include <stdio.h>

#include "base/settings.h"
#include "cmd/treefold.h"
#include "coll/family.h"

static void print_set(const struct tf_rules *rules)
{
    enum tf_coll before = TF_NKINDS;
    printf("# %s\n", rules->source);
    for (int i = 0; i < rules->first[TF_NKINDS]; i++) {
        char text[300];
        if (rules->rule[i].coll != before)
            printf("\n");
        before = rules->rule[i].coll;
        puts(tf_rule_show(&rules->rule[i], text, sizeof text));
    }
    printf("\n");
}

int tf_cmd_rules(void)
{
    struct tf_rules *sets[TF_RULES_SETS];
    tf_settings_load(true);
    if (tf_coll_rules(sets))
        return EXIT_FAILURE;
    for (int i = 0; i < TF_RULES_SETS; i++)
        if (sets[i])
            print_set(sets[i]);
    return EXIT_SUCCESS;
}

void tf_cmd_rules_sources(void)
{
    struct tf_rules *sets[TF_RULES_SETS];
    printf("\nRules of selection, the first that matches ('treefold rules' prints them)\n");
    if (tf_coll_rules(sets))
        return;
    for (int i = 0; i < TF_RULES_SETS; i++)
        if (sets[i])
            printf("  %s: %d\n", sets[i]->source, sets[i]->first[TF_NKINDS]);
}
