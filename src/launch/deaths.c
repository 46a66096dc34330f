/* deaths.c - what the launcher says of processes that have ended (deaths.h), read. */
#include "launch/deaths.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch/launch.h"

static struct tf_deaths *deaths; /* NULL: the launcher says nothing of it */

void tf_launch_deaths_open(void)
{
    const char *name = getenv(TF_DEATHS_VARIABLE);
    int fd = name && !deaths ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    unsetenv(TF_DEATHS_VARIABLE); /* a program that this one starts is not a rank of this job */
    if (fd < 0)
        return;
    void *memory = mmap(NULL, sizeof *deaths, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    deaths = memory == MAP_FAILED ? NULL : memory;
}

bool tf_launch_tells_deaths(void)
{
    return deaths != NULL;
}

const struct tf_death *tf_launch_death(uint32_t i)
{
    return deaths && i < atomic_load_explicit(&deaths->count, memory_order_acquire) ? &deaths->each[i] : NULL;
}
