/* tune.h - what the files of `treefold tune` share: figures that the ranks measured, and what is made of them. */
#ifndef TF_TUNE_H
#define TF_TUNE_H

#include <stdio.h>

#include "coll/family.h"

enum { TF_TUNE_NAME = 80 };

/* How long a call took with one candidate. */
struct tf_tune_figure {
    double seconds;
    char name[TF_TUNE_NAME]; /* "ring", "binomial(radix=4)", or "default": as the rules in force have it */
};

/* The figures of one collective, number of ranks and size; the default's first. */
struct tf_tune_cell {
    enum tf_coll coll;
    int ranks;
    size_t bytes;
    int first, count; /* figure[first] .. figure[first + count - 1] */
};

struct tf_tune_results {
    struct tf_tune_cell *cell; /* by collective, then ranks, then bytes */
    int ncells, cap_cells;
    struct tf_tune_figure *figure;
    int nfigures, cap_figures;
    int processors; /* of this machine */
    int node_size;  /* the setting: so many ranks count as a node, 0: all of the machine */
};

/* Take a line of tune_ranks that ran with so many ranks; false if it is none or there is no memory. */
bool tf_tune_take(struct tf_tune_results *r, int ranks, const char *line);
void tf_tune_sort(struct tf_tune_results *r);
void tf_tune_free(struct tf_tune_results *r);

/* The rules that the figures suggest, with the figures as comments.  A candidate gets a rule where it needs at most
 * 1/margin of the default's time; `all`: the default's algorithms get rules too. */
void tf_tune_write(const struct tf_tune_results *r, FILE *out, double margin, bool all);
/* The default's time by the best candidate's, a line a cell; the worst of them. */
double tf_tune_check(const struct tf_tune_results *r, FILE *out, double target);

#endif
