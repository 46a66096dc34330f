/* fatal.c - the end of the whole job. */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void (*tf_fatal_tell)(int exit_code, const char *message);

void tf_fatal(int exit_code, const char *format, ...)
{
    char message[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message - 1, format, args);
    va_end(args);
    size_t length = strlen(message);
    if (length > 0 && message[length - 1] != '\n')
        strcpy(message + length++, "\n");
    /* What the program has printed comes first; not stdin too, whose lock a reading thread may hold for ever. */
    fflush(stdout);
    fflush(stderr);
    if (write(STDERR_FILENO, message, length) < 0)
        exit_code = exit_code ? exit_code : EXIT_FAILURE;
    if (tf_fatal_tell)
        tf_fatal_tell(exit_code, "ended the job on a fatal error");
    _exit(exit_code);
}
