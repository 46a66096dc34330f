/* swing.c - rounds of meetings at distances 1, -1, 3, -5, 11, ...  See swing.h. */
#include "algo/swing.h"

/* The rank at the distance of that round from an even rank, the other way from an odd one. */
static int away(int rank, int size, int round)
{
    int64_t distance = (1 + (round % 2 ? -1 : 1) * ((int64_t)2 << round)) / 3;
    int64_t far = rank % 2 ? rank - distance : rank + distance;

    return (int)((far % size + size) % size);
}

struct tf_swing tf_algo_swing(int rank, int size)
{
    struct tf_swing swing = {.rank = rank, .size = size};

    for (int n = size; n > 1; n /= 2)
        swing.rounds++;
    if (rank % 2)
        swing.bits = away(rank, size, swing.rounds - 1) / 2 + size / 2;
    else
        swing.bits = rank / 2;
    return swing;
}

int tf_algo_swing_peer(const struct tf_swing *swing, int round)
{
    return away(swing->rank, swing->size, round);
}
