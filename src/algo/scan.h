/* scan.h - the doubling that scan and exscan share. */
#ifndef TF_SCAN_H
#define TF_SCAN_H

#include "algo/pattern.h"

/* Ranks base..size-1 hold a value each, this rank's in relay->at; leave in TF_OUTPUT the combination of those of ranks
 * base..rank, or in relay->at where nothing was combined.  relay->left is set by tf_algo_scan_rounds(). */
void tf_algo_scan_double(struct tf_plan *plan, const struct tf_shape *shape, int base, struct tf_relay *relay);
/* How many values this rank combines in it. */
int tf_algo_scan_rounds(const struct tf_shape *shape, int base);

#endif
