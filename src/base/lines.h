/* lines.h - cache lines: of shared memory that one process writes and another one reads, again and again, and of memory
 * that is written once and not fit for the caches.
 *
 * Who has read may write to each line, and so has it to itself.  Of a line that both have read both keep a copy, and
 * the reader's has to go before the writer can store there again: on AMD's processors that takes several times as long
 * as fetching a line that the reader has changed (test/bench/settings).
 */
#ifndef TF_LINES_H
#define TF_LINES_H

#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

#include "base/base.h"

/* Whether that is done: the setting take_lines. */
bool tf_lines_are_taken(void);

/* A line that will be written soon, and that the other process may still have.  (What the compiler has for this would
 * only fetch a copy of the line, which has to be asked for once more.) */
static inline void tf_lines_fetch_to_write(const void *line)
{
#ifdef __x86_64__
    __asm__ volatile("prefetchw %0" ::"m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* The data are of no more use to anybody. */
static inline void tf_lines_take(void *data, size_t length)
{
    for (size_t i = 0; i < length; i += TF_CACHE_LINE)
        *(volatile unsigned char *)((unsigned char *)data + i) = 0;
}

/* Store bytes that nobody reads soon: whole lines without fetching them first, past the caches.  Such stores may come
 * later than others of the thread, up to tf_lines_stored(). */
static inline void tf_lines_store_past(char *to, const char *from, size_t bytes)
{
#ifdef __x86_64__
    size_t first = -(uintptr_t)to % TF_CACHE_LINE, i = first < bytes ? first : bytes;
    memcpy(to, from, i);
    for (; bytes - i >= TF_CACHE_LINE; i += TF_CACHE_LINE)
        for (size_t k = i; k < i + TF_CACHE_LINE; k += sizeof(__m128i))
            _mm_stream_si128((__m128i *)(to + k), _mm_loadu_si128((const __m128i *)(from + k)));
    memcpy(to + i, from + i, bytes - i);
#else
    memcpy(to, from, bytes);
#endif
}

static inline void tf_lines_stored(void)
{
#ifdef __x86_64__
    _mm_sfence();
#endif
}

#endif
