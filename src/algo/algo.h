/* algo.h - the registry of algorithms: one row each in algos.def, one generator a file. */
#ifndef TF_ALGO_H
#define TF_ALGO_H

#include "plan/collective.h"
#include "plan/plan.h"

/* What an algorithm needs; a rule of selection only ranks, this is checked. */
enum tf_needs {
    TF_NEEDS_NOTHING = 0,
    TF_NEEDS_COMMUTATIVE = 1, /* does not keep rank order */
    TF_NEEDS_ELEMENTWISE = 2, /* cuts the vector: the operator must be applicable to parts */
    TF_NEEDS_POWER_OF_TWO = 4,
};

struct tf_algo {
    const char *name; /* "recursive_doubling"; unique within the collective */
    enum tf_coll coll;
    unsigned needs; /* enum tf_needs */
    tf_algo_generate *generate;
};

/* The generators. */
#define TF_ALGO(coll, name, needs, generate) tf_algo_generate generate;
#include "algo/algos.def"
#undef TF_ALGO

extern const struct tf_algo tf_algos[];
extern const int tf_nalgos;

/* The row of that name, or NULL. */
const struct tf_algo *tf_algo_find(enum tf_coll coll, const char *name);
/* Whether it may be used for that many ranks and that operator. */
bool tf_algo_fits(const struct tf_algo *algo, int size, bool commutative, bool elementwise);

#endif
