/* spread.c - see spread.h. */
#include "file/spread.h"

#include <string.h>

int tf_spread_processor(const cpu_set_t *allowed, int rank, bool first_alone)
{
    int n = CPU_COUNT(allowed), processor = 0;
    int turn = first_alone && n > 1 && rank > 0 ? 1 + (rank - 1) % (n - 1) : rank % n;
    while (!CPU_ISSET(processor, allowed) || turn-- > 0)
        processor++;
    return processor;
}

/* Since Linux 6.2 a mask that was asked for outlasts a change of the cpuset, so who may use all of it asks for
 * everything. */
void tf_spread_allow(const cpu_set_t *allowed)
{
    cpu_set_t all, now;
    memset(&all, 0xff, sizeof all);
    if (sched_setaffinity(0, sizeof all, &all) != 0 || sched_getaffinity(0, sizeof now, &now) != 0 ||
        !CPU_EQUAL(&now, allowed))
        sched_setaffinity(0, sizeof *allowed, allowed);
}

/* Who may not go there stays where he is. */
void tf_spread(int rank, bool first_alone)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    int processor = tf_spread_processor(&allowed, rank, first_alone);
    if (processor == sched_getcpu())
        return;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0)
        tf_spread_allow(&allowed);
}
