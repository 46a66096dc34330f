/* algo.h - the registry of algorithms: one row each in algos.def, one generator a file. */
#ifndef TF_ALGO_H
#define TF_ALGO_H

#include "plan/collective.h"
#include "plan/plan.h"

/* What is so of an algorithm: what it needs (a rule of selection only ranks, this is checked), which parameter it
 * takes, if any (it is shape->parameter), and what it gives, a promise. */
enum tf_algo_trait {
    TF_NEEDS_NOTHING = 0,
    TF_NEEDS_COMMUTATIVE = 1, /* does not keep rank order */
    TF_NEEDS_ELEMENTWISE = 2, /* cuts the vector: the operator must be applicable to parts */
    TF_NEEDS_POWER_OF_TWO = 4,
    TF_NEEDS_LEVELS = 8,         /* uses that ranks are in several domains */
    TF_NEEDS_PERSISTENT = 16,    /* asks other ranks, before its plan is made, what a program repeats only then */
    TF_TAKES_RADIX = 1 << 16,    /* radix: children a level of a tree, or ranks that meet in a round, and so log_radix p
                                    rounds */
    TF_TAKES_SEGMENTS = 2 << 16, /* segments: parts of the vector that follow each other through a pipeline */
    TF_TAKES_WINDOW = 16 << 16,  /* window: messages that one rank lets be under way at a time */
    TF_GIVES_FIXED = 4 << 16,    /* with the default radix: brackets operands as tf_plan_check_fixed() shows */
    TF_GIVES_ONCE = 8 << 16,     /* combines all operands of an element in one step, TF_COMBINE */
};

struct tf_algo {
    const char *name; /* "recursive_doubling"; unique within the collective */
    enum tf_coll coll;
    unsigned traits; /* enum tf_algo_trait */
    tf_algo_generate *generate;
};

/* The generators. */
#define TF_ALGO(coll, name, traits, generate) tf_algo_generate generate;
#include "algo/algos.def"
#undef TF_ALGO

extern const struct tf_algo tf_algos[];
extern const int tf_algo_count;

/* The row of that name, or NULL. */
const struct tf_algo *tf_algo_find(enum tf_coll coll, const char *name);
/* What it needs of a call, in words: "an operator that commutes"; "" if nothing.  Returns `text`. */
const char *tf_algo_needs(const struct tf_algo *algo, char *text, size_t capacity);
/* The parameter that it takes, with the least and the most that make sense; NULL: none. */
struct tf_algo_parameter {
    const char *name;
    int least, most;
};
const struct tf_algo_parameter *tf_algo_parameter(const struct tf_algo *algo);
/* Whether it may be used for that many ranks and that operator; whether there are several domains, or the call is
 * persistent, is not asked. */
bool tf_algo_fits(const struct tf_algo *algo, int size, bool commutative, bool elementwise);

#endif
