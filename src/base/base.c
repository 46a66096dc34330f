/* base.c - the small things of base.h: error texts, memory, the log, the clock, the world.
 *
 * The text of an error is kept per thread: MPI calls of several threads may fail at once.
 */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "base/settings.h"

struct tf_job tf_job = {.rank = 0, .size = 1, .name = ""};
struct tf_library tf_library = {.locking = true, .guarded = true};
struct tf_world tf_world;

struct latest {
    int errclass;
    const char *procedure;
    char text[400];
};
_Static_assert(sizeof(struct latest) <= TF_OWN_BYTES, "it fits into a piece");

void tf_error_record(int errclass, const char *format, ...)
{
    /* Through a second buffer, since an argument may be the latest text itself. */
    struct latest *latest = tf_own(TF_OWN_ERROR);
    char text[sizeof latest->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(latest->text, text, sizeof text);
    latest->errclass = errclass;
    latest->procedure = NULL;
}

void tf_error_raised(const char *procedure)
{
    ((struct latest *)tf_own(TF_OWN_ERROR))->procedure = procedure;
}

const char *tf_error_procedure(void)
{
    return ((struct latest *)tf_own(TF_OWN_ERROR))->procedure;
}

const char *tf_error_text(int errclass)
{
    const struct latest *latest = tf_own(TF_OWN_ERROR);
    return latest->errclass == errclass && errclass != MPI_SUCCESS ? latest->text : NULL;
}

void *tf_alloc(size_t bytes, const char *what)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (TF_UNLIKELY(!memory))
        tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes for %s", bytes, what);
    return memory;
}

void tf_log(int level, const char *format, ...)
{
    if (tf_settings.verbose < level)
        return;
    /* One write a line: the lines of several processes must not run into each other. */
    char line[1000];
    int length = snprintf(line, sizeof line, "treefold[%d]: ", tf_job.rank);
    va_list args;
    va_start(args, format);
    int more = vsnprintf(line + length, sizeof line - (size_t)length - 1, format, args);
    va_end(args);
    length += more < (int)sizeof line - length - 1 ? more : (int)sizeof line - length - 2;
    line[length++] = '\n';
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        return; /* nowhere left to say it */
}

int64_t tf_time_by(clockid_t clock)
{
    struct timespec now;
    return clock_gettime(clock, &now) == 0 ? now.tv_sec * TF_SECOND + now.tv_nsec : TF_NEVER;
}

int64_t tf_time(void)
{
    return tf_time_by(CLOCK_MONOTONIC);
}
