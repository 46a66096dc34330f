/* stacked.c - see stacked.h. */
#include "base/stacked.h"

#include "base/base.h"

/* The partner has his turn in the first yield, which a sleep takes two pauses for, and takes less than a program that
 * computes.  What is in vain so soon after one that was is so for the same reason. */
enum { FEW = 2 };
static const int64_t SHORT = TF_MILLISECOND, SOON = TF_MILLISECOND;

/* From longer than the most waits take one after the other. */
static const int64_t LONG = 8 * TF_MILLISECOND;

enum { LEAST = 8, MOST = 256 };

static uint32_t left;         /* waits that still are to yield at once */
static uint32_t next = LEAST; /* that follow the next one in vain */
static int64_t began;         /* when waits began to look for long again */
static int64_t found;         /* when they last did so in vain */

bool tf_stacked(void)
{
    return left > 0;
}

bool tf_stacked_waited(uint32_t pauses, int64_t since, int64_t now)
{
    bool stacked = pauses <= FEW && now - since < SHORT;
    if (left > 0) {
        if (--left == 0)
            began = now;
    } else if (stacked) {
        next = now - began > SOON ? LEAST : next < MOST ? 2 * next : MOST;
        left = next;
        found = now;
    }
    return stacked;
}

void tf_stacked_end(int64_t now)
{
    left = 0;
    next = LEAST;
    began = now;
}

bool tf_stacked_is_past(int64_t now)
{
    if (left == 0 || now - found < LONG)
        return false;
    left = 0;
    began = now;
    return true;
}
