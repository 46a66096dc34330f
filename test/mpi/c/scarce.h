/* scarce.h - memory that runs out when a test wants it to: the program's own malloc and its kin, which the library
 * calls too, since a program's symbols go before those of libraries.
 *
 *     scarce_begin(k, for_good);   the k-th allocation from now on fails, or it and all after it
 *     ...
 *     if (scarce_end()) ...        whether one has failed
 *     scarce_largest               bytes of the largest one since then
 */
#ifndef SCARCE_H
#define SCARCE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#ifdef __SANITIZE_ADDRESS__
#define SCARCE_REAL(name) __interceptor_##name
#else
#define SCARCE_REAL(name) __libc_##name
#endif
extern void *SCARCE_REAL(malloc)(size_t bytes);
extern void *SCARCE_REAL(calloc)(size_t n, size_t bytes);
extern void *SCARCE_REAL(realloc)(void *old, size_t bytes);
extern void *SCARCE_REAL(memalign)(size_t alignment, size_t bytes);

/* Called before a sanitizer has its shadow of the memory, which what it compiles looks at. */
#define SCARCE_EARLY __attribute__((no_sanitize_address))

/* Of the thread that wants it: a new one of the library, or of a sanitizer, has what it needs to begin. */
static _Thread_local bool scarce_on, scarce_for_good, scarce_hit;
static _Thread_local int scarce_left;
static _Thread_local size_t scarce_largest;

/* Now and then the others get ahead, so that their messages come before they are expected.  (Not part of what is called
 * early.) */
static __attribute__((noinline)) void scarce_dawdle(void)
{
    struct timespec pause = {.tv_sec = 0, .tv_nsec = random() % 2000000};
    if (random() % 32 == 0)
        nanosleep(&pause, NULL);
}

SCARCE_EARLY static bool scarce_refuses(size_t bytes)
{
    if (scarce_on)
        scarce_dawdle();
    if (scarce_on && bytes > scarce_largest)
        scarce_largest = bytes;
    if (!scarce_on || --scarce_left >= 0 || (scarce_hit && !scarce_for_good))
        return false;
    errno = ENOMEM;
    return scarce_hit = true;
}

SCARCE_EARLY void *malloc(size_t bytes)
{
    return scarce_refuses(bytes) ? NULL : SCARCE_REAL(malloc)(bytes);
}

SCARCE_EARLY void *calloc(size_t n, size_t bytes)
{
    return scarce_refuses(n * bytes) ? NULL : SCARCE_REAL(calloc)(n, bytes);
}

SCARCE_EARLY void *realloc(void *old, size_t bytes)
{
    return scarce_refuses(bytes) ? NULL : SCARCE_REAL(realloc)(old, bytes);
}

SCARCE_EARLY void *aligned_alloc(size_t alignment, size_t bytes)
{
    return scarce_refuses(bytes) ? NULL : SCARCE_REAL(memalign)(alignment, bytes);
}

static inline void scarce_begin(int k, bool for_good)
{
    scarce_left = k;
    scarce_for_good = for_good;
    scarce_hit = false;
    scarce_largest = 0;
    scarce_on = true;
}

static inline bool scarce_end(void)
{
    scarce_on = false;
    return scarce_hit;
}

#endif
