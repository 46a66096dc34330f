/* other.h - libraries of another MPI: by their names, which are all that is known of them. */
#ifndef TF_BASE_OTHER_H
#define TF_BASE_OTHER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether the file of that name, without its folder, is one.  The standard ABI's name, libmpi_abi, is also ours. */
static inline bool tf_other_is(const char *library)
{
    static const char *const names[] = {"libmpi.so", "libmpich", "libmpi_", "libmpicxx.so", "libmpifort.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(library, names[i], strlen(names[i])))
            return !strstr(library, "_abi.so");
    return false;
}

enum { TF_OTHER_NAME = 64 };

/* Whether one is loaded in this process, and its name. */
bool tf_other_loaded(char name[TF_OTHER_NAME]);

#endif
