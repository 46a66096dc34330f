/* draw.h - a priced call as a picture: a timeline in SVG, one lane a rank. */
#ifndef TF_DRAW_H
#define TF_DRAW_H

#include <stdio.h>

#include "plan/price.h"

enum { TF_DRAW_MAX_LANES = 64 };

/* Draw a call that was priced with spans, of at most TF_DRAW_MAX_LANES ranks; plain text as title and second line.  The
 * domains of its model, if there are any, are marked beside the lanes. */
void tf_plan_draw(const struct tf_price *price, const struct tf_price_result *result, const char *title,
                  const char *subtitle, FILE *stream);

#endif
