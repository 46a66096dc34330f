/* library.c - see library.h. */
#include "base/library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void *tf_library_open(const char *file, const char *const *names, void *table, const char **why)
{
    static char words[300];
    *why = words;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        bool missing = !reason || (strstr(reason, file) == reason && strstr(reason, "No such file"));
        snprintf(words, sizeof words, missing ? "%s is not installed" : "%s cannot be loaded: %s", file, reason);
        return NULL;
    }
    for (int i = 0; names[i]; i++) {
        void *function = dlsym(library, names[i]);
        memcpy((char *)table + (size_t)i * sizeof function, &function, sizeof function);
        if (!function) {
            snprintf(words, sizeof words, "%s is of another version: it has no %s", file, names[i]);
            dlclose(library);
            return NULL;
        }
    }
    return library;
}
