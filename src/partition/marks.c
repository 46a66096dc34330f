/* marks.c - see marks.h.
 *
 * A word of bits is written by an atomic "or", whose result tells what was set before, so that of two threads that mark
 * the same partition one learns of it.
 */
#include "partition/marks.h"

#include "base/base.h"

enum { WORD = 64 };

static int words(int number)
{
    return number / WORD + (number % WORD != 0);
}

/* Bits `low` to `high` of the partitions, as far as they are in that word. */
static uint64_t mask_of(int word, int low, int high)
{
    int from = low / WORD == word ? low % WORD : 0, to = high / WORD == word ? high % WORD : WORD - 1;
    return (~UINT64_C(0) << from) & (~UINT64_C(0) >> (WORD - 1 - to));
}

bool tf_marks_open(struct tf_marks *marks, int number)
{
    size_t bytes = (size_t)words(number) * sizeof(uint64_t);
    char *memory = tf_alloc(2 * bytes, "the marks of partitions");
    if (!memory)
        return false;
    memset(memory, 0xff, 2 * bytes);
    *marks = (struct tf_marks){.number = number, .first = words(number)};
    marks->gone = (uint64_t *)memory;
    marks->ready = (_Atomic uint64_t *)(memory + bytes);
    return true;
}

void tf_marks_close(struct tf_marks *marks)
{
    free(marks->gone);
}

void tf_marks_clear(struct tf_marks *marks)
{
    marks->first = 0;
    atomic_store(&marks->news, false);
    for (int w = 0; w < words(marks->number); w++) {
        marks->gone[w] = 0;
        atomic_store_explicit(&marks->ready[w], 0, memory_order_relaxed);
    }
}

bool tf_marks_has(const struct tf_marks *marks, int i)
{
    return atomic_load_explicit(&marks->ready[i / WORD], memory_order_acquire) >> i % WORD & 1;
}

/* The first of them that is set, or -1. */
static int find_set(const struct tf_marks *marks, int low, int high)
{
    for (int w = low / WORD; w <= high / WORD; w++) {
        uint64_t set = atomic_load_explicit(&marks->ready[w], memory_order_relaxed) & mask_of(w, low, high);
        if (set)
            return w * WORD + __builtin_ctzll(set);
    }
    return -1;
}

int tf_marks_set(struct tf_marks *marks, int low, int high)
{
    int twice = find_set(marks, low, high);
    for (int w = low / WORD; twice < 0 && w <= high / WORD; w++) {
        uint64_t mask = mask_of(w, low, high);
        uint64_t before = atomic_fetch_or_explicit(&marks->ready[w], mask, memory_order_release);
        if (before & mask)
            twice = w * WORD + __builtin_ctzll(before & mask);
    }
    atomic_store(&marks->news, true);
    return twice;
}

static uint64_t fresh(const struct tf_marks *marks, int word)
{
    return atomic_load_explicit(&marks->ready[word], memory_order_acquire) & ~marks->gone[word];
}

static bool is_fresh(const struct tf_marks *marks, int i)
{
    return i < marks->number && fresh(marks, i / WORD) >> i % WORD & 1;
}

/* Whole words that have gone are passed over for good. */
static void advance(struct tf_marks *marks)
{
    while (marks->first < words(marks->number) && marks->gone[marks->first] == ~UINT64_C(0))
        marks->first++;
}

int tf_marks_run(struct tf_marks *marks, int most, int *first)
{
    int length = 0;
    advance(marks);
    for (int w = marks->first; length == 0 && w < words(marks->number); w++)
        if (fresh(marks, w)) {
            *first = w * WORD + __builtin_ctzll(fresh(marks, w));
            length = 1;
        }
    while (length > 0 && length < most && is_fresh(marks, *first + length))
        length++;
    return length;
}

void tf_marks_go(struct tf_marks *marks, int first, int length)
{
    for (int w = first / WORD; w <= (first + length - 1) / WORD; w++)
        marks->gone[w] |= mask_of(w, first, first + length - 1);
}
