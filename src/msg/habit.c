/* habit.c - see habit.h. */
#include "msg/habit.h"

#include "msg/wire.h"

/* After so many reads, MANY, slow ones are news. */
enum { IN_A_ROW = 4, LEAST_COPIES = 32, MOST_COPIES = 512, MANY = 64 };

/* Of the messages with so many bits of bytes. */
static struct habit {
    int slow[2];  /* in a row, as the peers say, and as we say */
    int copies;   /* that are still to be sent before the next read */
    int reads;    /* since the last ones, up to MANY */
    int row;      /* how many were sent then */
    bool doubted; /* no read since them was not slow: one at a time is tried */
} habits[64];

static struct habit *habit_of(size_t bytes)
{
    return &habits[__builtin_clzll(bytes)];
}

static void copy_next(struct habit *habit, int copies)
{
    habit->copies = habit->copies < copies ? copies : habit->copies;
}

static void copy_on(struct habit *habit)
{
    bool longer = habit->reads < MANY && habit->row > 0;
    habit->row = !longer ? LEAST_COPIES : habit->row < MOST_COPIES ? 2 * habit->row : MOST_COPIES;
    habit->reads = habit->slow[0] = habit->slow[1] = 0;
    habit->doubted = true;
    copy_next(habit, habit->row);
}

static void count(struct habit *habit, int *slow, uint8_t flags)
{
    bool is_slow = flags & TF_FLAG_SLOW;
    *slow = is_slow ? *slow + 1 : 0;
    habit->doubted = habit->doubted && is_slow;
    habit->reads += habit->reads < MANY;
    if (*slow == IN_A_ROW)
        copy_on(habit);
    else if (flags & TF_FLAG_TRY)
        copy_next(habit, TF_HABIT_TRIES);
}

void tf_habit_hear(size_t bytes, uint8_t flags)
{
    struct habit *habit = habit_of(bytes);
    count(habit, &habit->slow[0], flags);
}

void tf_habit_say(size_t bytes, uint8_t flags)
{
    struct habit *habit = habit_of(bytes);
    habit->copies = 0; /* that one tries again, and so do we */
    count(habit, &habit->slow[1], flags);
}

bool tf_habit_copies(size_t bytes, bool others_are_read)
{
    struct habit *habit = habit_of(bytes);
    if (habit->copies == 0)
        return habit->doubted && others_are_read;
    habit->copies--;
    return true;
}
