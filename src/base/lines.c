/* lines.c - see lines.h. */
#include "base/lines.h"

#include "base/settings.h"

bool tf_lines_are_taken(void)
{
#if defined __x86_64__
    if (strcmp(tf_settings.take_lines, "auto") == 0)
        return __builtin_cpu_is("amd");
#endif
    return strcmp(tf_settings.take_lines, "on") == 0;
}
