/* system.c - which kind of file system a file lies on. */
#include "file/system.h"

#include <sys/vfs.h>

static const struct tf_system systems[] = {
#define TF_SYSTEM(name, magic, copies, memory, spare, striping) {#name, magic, copies, memory, spare, striping},
#include "file/systems.def"
#undef TF_SYSTEM
};

const struct tf_system *tf_system_named(const char *path)
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
    const struct tf_system *system = tf_system_named(path);
    return system ? path + strlen(system->name) + 1 : path;
}

static const struct tf_system *find(uint32_t magic)
{
    for (size_t i = 1; i < TF_ARRAY_LEN(systems); i++)
        if (systems[i].magic == magic)
            return &systems[i];
    return &systems[0];
}

const struct tf_system *tf_system_of(int fd)
{
    struct statfs known;
    return fstatfs(fd, &known) < 0 ? &systems[0] : find((uint32_t)known.f_type);
}

long long tf_system_free(int fd)
{
    struct statfs known;
    return fstatfs(fd, &known) < 0 ? 0 : (long long)known.f_bavail * known.f_bsize;
}

const struct tf_system *tf_system_around(const char *path)
{
    const char *end = strrchr(path, '/');
    char *folder = end ? strndup(path, (size_t)(end - path) + 1) : strdup(".");
    struct statfs known;
    bool told = folder && statfs(folder, &known) == 0;
    free(folder);
    return told ? find((uint32_t)known.f_type) : &systems[0];
}
