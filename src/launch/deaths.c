/* deaths.c - what the launcher says of processes that have ended (deaths.h), read. */
#include "launch/deaths.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch/launch.h"

static int file = -1;
static const tf_deaths_count *count;  /* NULL: the launcher says nothing of it */
static const struct tf_death *window; /* NULL: none is mapped */
static uint32_t mapped;               /* which */

static const void *map(size_t bytes, int64_t offset)
{
    void *memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, offset);
    return memory == MAP_FAILED ? NULL : memory;
}

void tf_launch_deaths_open(void)
{
    const char *name = getenv(TF_DEATHS_VARIABLE);
    if (name && !count)
        file = open(name, O_RDONLY | O_CLOEXEC);
    unsetenv(TF_DEATHS_VARIABLE); /* a program that this one starts is not a rank of this job */
    if (file < 0 || count)
        return;
    count = map(TF_DEATHS_PAGE, 0);
    if (count)
        return;
    close(file);
    file = -1;
}

bool tf_launch_tells_deaths(void)
{
    return count != NULL;
}

uint32_t tf_launch_deaths(void)
{
    return count ? atomic_load_explicit(count, memory_order_acquire) : 0;
}

/* Where there is no memory for the window now, the entry is read later. */
const struct tf_death *tf_launch_death(uint32_t i)
{
    if (i >= tf_launch_deaths())
        return NULL;
    if (!window || i / TF_DEATHS_WINDOW != mapped) {
        if (window)
            munmap((void *)window, TF_DEATHS_WINDOW * sizeof *window);
        window = map(TF_DEATHS_WINDOW * sizeof *window, tf_deaths_offset(i));
        mapped = i / TF_DEATHS_WINDOW;
    }
    return window ? &window[i % TF_DEATHS_WINDOW] : NULL;
}
