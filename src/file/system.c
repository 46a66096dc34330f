/* system.c - which kind of file system a file lies on. */
#include "file/system.h"

#include <sys/vfs.h>

static const struct tf_system systems[] = {
#define TF_SYSTEM(name, magic, copies) {#name, magic, copies},
#include "file/systems.def"
#undef TF_SYSTEM
};

/* The one whose name and a colon the path begins with, or NULL. */
static const struct tf_system *named(const char *path)
{
    for (size_t i = 0; i < TF_ARRAY_LEN(systems); i++) {
        size_t length = strlen(systems[i].name);
        if (strncmp(path, systems[i].name, length) == 0 && path[length] == ':')
            return &systems[i];
    }
    return NULL;
}

const char *tf_system_strip(const char *path)
{
    const struct tf_system *system = named(path);
    return system ? path + strlen(system->name) + 1 : path;
}

const struct tf_system *tf_system_of(const char *path, int fd)
{
    const struct tf_system *system = named(path);
    struct statfs known;
    if (system || fstatfs(fd, &known) < 0)
        return system ? system : &systems[0];
    for (size_t i = 1; i < TF_ARRAY_LEN(systems); i++)
        if (systems[i].magic == (uint32_t)known.f_type)
            return &systems[i];
    return &systems[0];
}
