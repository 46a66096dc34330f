/* rules.h - rules of selection as text, the same form wherever they stand: the shipped ones (rules.txt), a file, the
 * setting `algorithm`, an info key.
 *
 *     COLLECTIVE [CONDITION...] = ALGORITHM [(PARAMETER=VALUE)]        # comment
 *
 *     allreduce  ranks 3..5  bytes <2K  crowded  = flat
 *     allreduce  = recursive_multiplying(radix=8)
 *
 * One rule a line; a comma or a semicolon ends a rule too, so that several fit into a setting.  Conditions, all of
 * which must hold: "ranks RANGE", "bytes RANGE", and the words below.  A RANGE is N, N..M, N.., ..M or <N; bytes may
 * end in K, M or G.  Bytes are of the vector (bcast, the reductions but reduce_scatter_block) or of one rank's block
 * (the others).
 */
#ifndef TF_RULES_H
#define TF_RULES_H

#include "algo/algo.h"

/* The conditions that are one word. */
enum tf_rule_when {
    TF_WHEN_COMMUTATIVE = 1,
    TF_WHEN_ELEMENTWISE = 2,  /* the operator may be applied to parts of the vector */
    TF_WHEN_ROOMY = 4,        /* every rank of the node has a processor, or they are on several nodes */
    TF_WHEN_CROWDED = 8,      /* ranks share processors: whoever waits for a message costs a switch between processes */
    TF_WHEN_NODE = 16,        /* all ranks of the communicator share the memory of one machine */
    TF_WHEN_NETWORK = 32,     /* they do not */
    TF_WHEN_LEVELS = 256,     /* nor is each on a node of its own: what is of two levels (domain.h) is of use */
    TF_WHEN_PERSISTENT = 512, /* a persistent call between neighbors, which may ask other ranks first; with levels its
                                 bytes are those of the longest block */
    TF_WHEN_FIXED = 64,       /* treefold_reproducible: operands are bracketed in the one way */
    TF_WHEN_EXACT = 128,      /* or, sums that are exact: all operands of an element are combined in one step */
};

struct tf_rule {
    enum tf_coll coll;
    int from, to;     /* ranks from <= p <= to */
    size_t low, high; /* bytes low <= n < high, where SIZE_MAX has no end */
    unsigned when;    /* enum tf_rule_when, all of them */
    const struct tf_algo *algo;
    int parameter; /* 0: not given */
    int line;      /* of the text, from 1 */
    bool told;     /* that its algorithm does not fit */
};

struct tf_rules {
    char *source; /* what the text is called in messages */
    int first[TF_NKINDS +
              1]; /* those of collective c, in the order of the text: rule[first[c]].. rule[first[c + 1] - 1] */
    int wrong;    /* rules that made no sense */
    struct tf_rule *rule;
};

/* Rules that make no sense are left out, after complain("SOURCE:LINE: what is wrong, what was expected") if it is not
 * NULL; the rest of the text counts.  NULL: no memory. */
struct tf_rules *tf_rules_parse(const char *text, const char *source, void (*complain)(const char *words));
/* The rules in that file; *rules is NULL if it cannot be read, after complain().  Fails for lack of memory only. */
int tf_rules_read(const char *path, void (*complain)(const char *words), struct tf_rules **rules);
void tf_rules_free(struct tf_rules *rules); /* may be NULL */
/* A rule as text, without a newline: "allreduce  ranks 3..5  = flat".  Returns `text`. */
char *tf_rule_show(const struct tf_rule *rule, char *text, size_t capacity);
/* What stands before the algorithm: "allreduce  ranks 3..5  = ". */
char *tf_rule_show_match(const struct tf_rule *rule, char *text, size_t capacity);
/* An algorithm with its parameter: "binomial(radix=4)", without if 0. */
char *tf_rule_show_algo(const struct tf_algo *algo, int parameter, char *text, size_t capacity);

#endif
