/* soft.c - see soft.h. */
#include "launch/soft.h"

#include <stdbool.h>
#include <stdlib.h>

/* A number and what follows it; false: there is none. */
static bool read_number(const char **at, long *number)
{
    char *end;
    *number = strtol(*at, &end, 10);
    bool good = end != *at;
    *at = end;
    return good;
}

/* Of first, first + stride, ... up to last, or down to it; of any three numbers of type long, which wider ones hold
 * the sums and differences of. */
static int greatest(__int128 first, __int128 last, __int128 stride, int most)
{
    __int128 best = first, top = last < most ? last : most;
    if (stride > 0)
        best = top < first ? TF_SOFT_NONE : first + (top - first) / stride * stride;
    else if (first > most)
        best = first + (first - most - stride - 1) / -stride * stride;
    return best < 0 || (stride < 0 && best < last) ? TF_SOFT_NONE : (int)best;
}

static int read_triplet(const char **at, int most)
{
    long first, last, stride = 1;
    if (!read_number(at, &first))
        return TF_SOFT_WRONG;
    last = first;
    if (**at == ':' && (++*at, !read_number(at, &last)))
        return TF_SOFT_WRONG;
    if (**at == ':' && (++*at, !read_number(at, &stride)))
        return TF_SOFT_WRONG;
    return stride == 0 || (**at && **at != ',') ? TF_SOFT_WRONG : greatest(first, last, stride, most);
}

int tf_soft_choose(const char *soft, int most)
{
    int best = TF_SOFT_NONE;
    do {
        int one = read_triplet(&soft, most);
        if (one == TF_SOFT_WRONG)
            return one;
        best = one > best ? one : best;
    } while (*soft && *++soft);
    return best;
}
