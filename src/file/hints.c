/* hints.c - hints of a file: from strings to values, and back for MPI_File_get_info, which tells those in force.
 *
 * What is not understood is ignored, as MPI wants it (MPI-5.0 chapter 10).
 */
#include "file/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "object/info.h"

/* ---- kinds of values ---- */

static bool read_number(const char *text, long long least, long long most, long long *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || end == text || *end || number < least || number > most)
        return false;
    *value = number;
    return true;
}

static void take_number(void *member, const char *text)
{
    long long value;
    if (read_number(text, 0, INT_MAX, &value))
        *(int *)member = (int)value;
}

static void tell_number(const void *member, char *text, size_t n)
{
    if (*(const int *)member > 0)
        snprintf(text, n, "%d", *(const int *)member);
}

static void take_size(void *member, const char *text)
{
    long long value;
    if (read_number(text, 1, LLONG_MAX, &value))
        *(MPI_Count *)member = value;
}

static void tell_size(const void *member, char *text, size_t n)
{
    if (*(const MPI_Count *)member > 0)
        snprintf(text, n, "%lld", (long long)*(const MPI_Count *)member);
}

static const char *const toggles[] = {
    [TF_HINT_AUTOMATIC] = "automatic", [TF_HINT_ENABLE] = "enable", [TF_HINT_DISABLE] = "disable"};

static void take_toggle(void *member, const char *text)
{
    for (size_t i = 0; i < TF_ARRAY_LEN(toggles); i++)
        if (strcmp(text, toggles[i]) == 0)
            *(enum tf_hint *)member = (enum tf_hint)i;
}

static void tell_toggle(const void *member, char *text, size_t n)
{
    snprintf(text, n, "%s", toggles[*(const enum tf_hint *)member]);
}

/* ---- the table ---- */

enum kind { NUMBER, SIZE, TOGGLE };
static const struct {
    void (*take)(void *member, const char *text);
    void (*tell)(const void *member, char *text, size_t n);
} kinds[] = {
    [NUMBER] = {take_number, tell_number}, [SIZE] = {take_size, tell_size}, [TOGGLE] = {take_toggle, tell_toggle}};

static const struct hint {
    const char *name;
    enum kind kind;
    size_t offset;
} hints_known[] = {
#define TF_FILE_HINT(name, kind, member) {#name, kind, offsetof(struct tf_file_hints, member)},
#include "file/hints.def"
#undef TF_FILE_HINT
};

/* MPI's own word for what is two of ROMIO's. */
static void take_collective(struct tf_file_hints *hints, const struct tf_info *info)
{
    const char *word = tf_info_value(info, "collective_buffering");
    if (word && strcmp(word, "true") == 0)
        hints->cb_read = hints->cb_write = TF_HINT_ENABLE;
    if (word && strcmp(word, "false") == 0)
        hints->cb_read = hints->cb_write = TF_HINT_DISABLE;
}

void tf_hints_take(struct tf_file_hints *hints, const struct tf_info *info)
{
    take_collective(hints, info);
    for (size_t i = 0; i < TF_ARRAY_LEN(hints_known); i++) {
        const struct hint *hint = &hints_known[i];
        const char *text = tf_info_value(info, hint->name);
        if (text)
            kinds[hint->kind].take((char *)hints + hint->offset, text);
    }
}

int tf_hints_tell(struct tf_file *file)
{
    int err = MPI_SUCCESS;
    for (size_t i = 0; i < TF_ARRAY_LEN(hints_known) && !err; i++) {
        const struct hint *hint = &hints_known[i];
        char text[40] = "";
        kinds[hint->kind].tell((const char *)&file->hints + hint->offset, text, sizeof text);
        if (*text)
            err = tf_info_set(file->info, hint->name, text);
    }
    return err;
}
