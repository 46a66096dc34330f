/* spare.c - see spare.h. */
#include "msg/spare.h"

#include <stdlib.h>

/* Sizes are powers of two; what is shorter malloc() holds by itself, and what is longer costs more to copy. */
enum { SHORTEST = 11, LONGEST = 17, MOST = 1024 * 1024 };

struct spare {
    struct spare *next;
};
static struct spare *spares[LONGEST - SHORTEST + 1];
static size_t held;

static int size_of(size_t bytes)
{
    int n = SHORTEST;
    while (n <= LONGEST && (size_t)1 << n < bytes)
        n++;
    return bytes > (size_t)1 << (SHORTEST - 1) && n <= LONGEST ? n : 0;
}

void *tf_spare_take(size_t bytes)
{
    int n = size_of(bytes);
    if (!n)
        return malloc(bytes);
    struct spare *spare = spares[n - SHORTEST];
    if (!spare)
        return malloc((size_t)1 << n);
    spares[n - SHORTEST] = spare->next;
    held -= (size_t)1 << n;
    return spare;
}

void tf_spare_give(void *block, size_t bytes)
{
    int n = size_of(bytes);
    if (!n || held + ((size_t)1 << n) > MOST) {
        free(block);
        return;
    }
    struct spare *spare = block;
    spare->next = spares[n - SHORTEST];
    spares[n - SHORTEST] = spare;
    held += (size_t)1 << n;
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
