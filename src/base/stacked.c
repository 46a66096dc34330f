/* stacked.c - see stacked.h. */
#include "base/stacked.h"

/* The partner has his turn in the first yield, which a sleep takes two pauses for, and takes less than a program that
 * computes.  What is in vain so soon after one that was is so for the same reason. */
enum { FEW = 2 };
static const double SHORT = 1e-3, SOON = 1e-3;

enum { LEAST = 8, MOST = 256 };

static uint32_t left;         /* waits that still are to yield at once */
static uint32_t next = LEAST; /* that follow the next one in vain */
static double began;          /* when waits began to look for long again */

bool tf_stacked(void)
{
    return left > 0;
}

void tf_stacked_waited(uint32_t pauses, double since, double now)
{
    if (left > 0) {
        if (--left == 0)
            began = now;
    } else if (pauses <= FEW && now - since < SHORT) {
        next = now - began > SOON ? LEAST : next < MOST ? 2 * next : MOST;
        left = next;
    }
}
