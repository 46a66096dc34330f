/* algo.c - the registry of algorithms, from algos.def. */
#include "algo/algo.h"

#include <stdio.h>

#define TF_ALGO(coll, name, traits, generate) {#name, coll, traits, generate},
const struct tf_algo tf_algos[] = {
#include "algo/algos.def"
};
#undef TF_ALGO

const int tf_algo_count = TF_ARRAY_LEN(tf_algos);

const struct tf_algo *tf_algo_find(enum tf_coll coll, const char *name)
{
    for (int i = 0; i < tf_algo_count; i++)
        if (tf_algos[i].coll == coll && strcmp(tf_algos[i].name, name) == 0)
            return &tf_algos[i];
    return NULL;
}

const char *tf_algo_needs(const struct tf_algo *algo, char *text, size_t capacity)
{
    static const struct {
        enum tf_algo_trait need;
        const char *words;
    } needs[] = {{TF_NEEDS_COMMUTATIVE, "an operator that commutes"},
                 {TF_NEEDS_ELEMENTWISE, "an operator that may be applied to parts of the vector"},
                 {TF_NEEDS_POWER_OF_TWO, "a power of two as number of processes"},
                 {TF_NEEDS_LEVELS, "ranks in several domains, to be of use"},
                 {TF_NEEDS_PERSISTENT, "a persistent call"}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < TF_ARRAY_LEN(needs) && used < capacity; i++)
        if (algo->traits & needs[i].need)
            used += (size_t)snprintf(text + used, capacity - used, "%s%s", used ? " and " : "", needs[i].words);
    return text;
}

const struct tf_algo_parameter *tf_algo_parameter(const struct tf_algo *algo)
{
    static const struct tf_algo_parameter radix = {"radix", 2, 16}, segments = {"segments", 1, 4096},
                                          window = {"window", 1, 4096};
    return algo->traits & TF_TAKES_RADIX      ? &radix
           : algo->traits & TF_TAKES_SEGMENTS ? &segments
           : algo->traits & TF_TAKES_WINDOW   ? &window
                                              : NULL;
}

bool tf_algo_fits(const struct tf_algo *algo, int size, bool commutative, bool elementwise)
{
    if ((algo->traits & TF_NEEDS_COMMUTATIVE) && !commutative)
        return false;
    if ((algo->traits & TF_NEEDS_ELEMENTWISE) && !elementwise)
        return false;
    return !(algo->traits & TF_NEEDS_POWER_OF_TWO) || (size & (size - 1)) == 0;
}
