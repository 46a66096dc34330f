/* listen.c - see listen.h. */
#include "base/listen.h"

unsigned tf_listen_to;
void (*tf_listen_hear)(enum tf_news news, const int64_t *elements);
