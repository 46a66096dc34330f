/* algo.c - the registry of algorithms, from algos.def. */
#include "algo/algo.h"

#define TF_ALGO(coll, name, needs, generate) {#name, coll, needs, generate},
const struct tf_algo tf_algos[] = {
#include "algo/algos.def"
};
#undef TF_ALGO

const int tf_nalgos = TF_ARRAY_LEN(tf_algos);

const struct tf_algo *tf_algo_find(enum tf_coll coll, const char *name)
{
    for (int i = 0; i < tf_nalgos; i++)
        if (tf_algos[i].coll == coll && strcmp(tf_algos[i].name, name) == 0)
            return &tf_algos[i];
    return NULL;
}

bool tf_algo_fits(const struct tf_algo *algo, int size, bool commutative, bool elementwise)
{
    if ((algo->needs & TF_NEEDS_COMMUTATIVE) && !commutative)
        return false;
    if ((algo->needs & TF_NEEDS_ELEMENTWISE) && !elementwise)
        return false;
    return !(algo->needs & TF_NEEDS_POWER_OF_TWO) || (size & (size - 1)) == 0;
}
