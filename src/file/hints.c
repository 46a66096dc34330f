/* hints.c - hints of a file: from strings to values, and back for MPI_File_get_info, which tells those in force.
 *
 * What is not understood is ignored, as MPI wants it (MPI-5.0 chapter 10).
 */
#include "file/file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "base/memory.h"
#include "file/party.h"
#include "object/info.h"

const struct tf_file_hints tf_hints_initial = {
    .cb_buffer_size = 8 << 20, .read_buffer = 1 << 20, .write_buffer = 1 << 20};

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

/* So many of each node, or all: "*:2", "*:*".  Lists of names of hosts are not taken. */
static void take_list(void *member, const char *text)
{
    long long value = INT_MAX;
    if (strncmp(text, "*:", 2) == 0 && (strcmp(text, "*:*") == 0 || read_number(text + 2, 1, INT_MAX, &value)))
        *(int *)member = (int)value;
}

static void tell_list(const void *member, char *text, size_t n)
{
    int value = *(const int *)member;
    if (value == INT_MAX)
        snprintf(text, n, "*:*");
    else if (value > 0)
        snprintf(text, n, "*:%d", value);
}

/* All devices are -1. */
static void take_factor(void *member, const char *text)
{
    long long value;
    if (read_number(text, -1, INT16_MAX, &value) && value != 0)
        *(int *)member = (int)value;
}

/* A device has a number from 0 on; any of them is -1. */
static void take_device(void *member, const char *text)
{
    long long value;
    if (read_number(text, -1, INT16_MAX, &value))
        *(int *)member = (int)value + 1;
}

static void tell_device(const void *member, char *text, size_t n)
{
    if (*(const int *)member > 0)
        snprintf(text, n, "%d", *(const int *)member - 1);
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

static void take_permissions(void *member, const char *text)
{
    char *end;
    unsigned long value = strtoul(text, &end, 8);
    if (*text >= '0' && *text <= '7' && !*end && value > 0 && value <= 0777)
        *(int *)member = (int)value;
}

static void tell_permissions(const void *member, char *text, size_t n)
{
    if (*(const int *)member)
        snprintf(text, n, "0%o", (unsigned)*(const int *)member);
}

static const char *const styles[] = {"read_once",  "write_once",         "read_mostly", "write_mostly",
                                     "sequential", "reverse_sequential", "random"};

/* Words with commas between them (section 14.2.8). */
static void take_styles(void *member, const char *text)
{
    int found = 0;
    for (const char *word = text; *word; word += strspn(word, ", ")) {
        size_t length = strcspn(word, ", ");
        for (size_t i = 0; i < TF_ARRAY_LEN(styles); i++)
            if (strlen(styles[i]) == length && strncmp(word, styles[i], length) == 0)
                found |= 1 << i;
        word += length;
    }
    if (found)
        *(int *)member = found;
}

static void tell_styles(const void *member, char *text, size_t n)
{
    size_t length = 0;
    for (size_t i = 0; i < TF_ARRAY_LEN(styles); i++)
        if (*(const int *)member & 1 << i)
            length += (size_t)snprintf(text + length, n - length, "%s%s", length ? "," : "", styles[i]);
}

/* ---- the table ---- */

enum kind { NUMBER, LIST, SIZE, FACTOR, DEVICE, TOGGLE, PERMISSIONS, STYLES };
static const struct {
    void (*take)(void *member, const char *text);
    void (*tell)(const void *member, char *text, size_t n);
} kinds[] = {[NUMBER] = {take_number, tell_number},
             [LIST] = {take_list, tell_list},
             [SIZE] = {take_size, tell_size},
             [FACTOR] = {take_factor, tell_number},
             [DEVICE] = {take_device, tell_device},
             [TOGGLE] = {take_toggle, tell_toggle},
             [PERMISSIONS] = {take_permissions, tell_permissions},
             [STYLES] = {take_styles, tell_styles}};

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

static int tell_aggregators(struct tf_file *file)
{
    char text[20];
    int err = tf_party_find(file);
    if (err)
        return err;
    snprintf(text, sizeof text, "%d", file->party->naggregators);
    return tf_info_set(file->info, "cb_nodes", text);
}

int tf_hints_tell(struct tf_file *file)
{
    int err = MPI_SUCCESS;
    for (size_t i = 0; i < TF_ARRAY_LEN(hints_known) && !err; i++) {
        const struct hint *hint = &hints_known[i];
        char text[120] = "";
        kinds[hint->kind].tell((const char *)&file->hints + hint->offset, text, sizeof text);
        if (*text)
            err = tf_info_set(file->info, hint->name, text);
    }
    if (!err)
        err = tf_info_set(file->info, TF_MEMORY_KINDS_HINT, TF_MEMORY_KINDS);
    return err ? err : tell_aggregators(file);
}
