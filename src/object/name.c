/* name.c - see name.h. */
#include "object/name.h"
#include "base/base.h"

int tf_name_set(char *of, const char *name)
{
    size_t length = strnlen(name, MPI_MAX_OBJECT_NAME - 1);
    memmove(of, name, length); /* a program may have it from where it is */
    of[length] = '\0';
    return MPI_SUCCESS;
}

int tf_name_get(const char *of, char *name, int *length)
{
    strcpy(name, of);
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}
