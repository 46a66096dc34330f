/* strings.c - strings between Fortran and C.
 */
#include <stdlib.h>
#include <string.h>

#include "fortran.h"

char *tf_string_c(const char *text, size_t length, bool leading)
{
    while (length > 0 && text[length - 1] == ' ')
        length--;
    while (leading && length > 0 && *text == ' ') {
        text++;
        length--;
    }
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

void tf_string_f(char *to, size_t length, const char *from)
{
    size_t n = strnlen(from, length);
    memcpy(to, from, n);
    memset(to + n, ' ', length - n);
}
