/* spare.c - see spare.h. */
#include "msg/spare.h"

#include <stdlib.h>

/* What is longer costs more to copy.  Of what is shorter than a kilobyte malloc() holds seven of a size by itself, and
 * takes longer for the others.  Sizes are eight to an octave: hardly longer than what is asked for. */
enum { SHORTEST = 64, OCTAVES = 11, STEPS = 8, MOST = 1024 * 1024 };

struct spare {
    struct spare *next;
};
static struct spare *spares[OCTAVES * STEPS + 1];
static size_t held;

/* Where blocks of that length are held, and their size; NULL: they are not. */
static struct spare **place_of(size_t bytes, size_t *size)
{
    if (bytes < SHORTEST || bytes > (size_t)SHORTEST << OCTAVES)
        return NULL;
    int octave = __builtin_clzl(SHORTEST) - __builtin_clzl(bytes), step = __builtin_ctz(SHORTEST / STEPS) + octave;
    size_t n = (bytes + ((size_t)1 << step) - 1) >> step;
    *size = n << step;
    return &spares[octave * STEPS + (int)n - STEPS];
}

void *tf_spare_take(size_t bytes)
{
    size_t size = bytes;
    struct spare **place = place_of(bytes, &size);
    if (!place || !*place)
        return malloc(size);
    struct spare *spare = *place;
    *place = spare->next;
    held -= size;
    return spare;
}

void tf_spare_give(void *block, size_t bytes)
{
    size_t size = bytes;
    struct spare **place = place_of(bytes, &size);
    if (!place || held + size > MOST) {
        free(block);
        return;
    }
    struct spare *spare = block;
    spare->next = *place;
    *place = spare;
    held += size;
}

void tf_spare_drop(void)
{
    for (size_t i = 0; i < TF_ARRAY_LEN(spares); i++) {
        struct spare *next;
        for (struct spare *spare = spares[i]; spare; spare = next) {
            next = spare->next;
            free(spare);
        }
        spares[i] = NULL;
    }
    held = 0;
}
