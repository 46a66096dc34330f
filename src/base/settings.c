/* settings.c - parsing of the settings and where each value comes from. */
#include "base/settings.h"

#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TF_SETTING(type, name, default_, ...) .name = default_,
static const struct tf_settings defaults = {
#include "base/settings.def"
};
struct tf_settings tf_settings = {
#include "base/settings.def"
};
#undef TF_SETTING

#define TF_NET_WORDS "" /* until net/ says them, see tf_settings_allow() */

enum { TYPE_int = TF_SETTING_INT, TYPE_size = TF_SETTING_SIZE, TYPE_bool = TF_SETTING_BOOL };
enum { TYPE_string = TF_SETTING_STRING, TYPE_word = TF_SETTING_WORD };
enum { WHEN_start, WHEN_live, WHERE_local = 0, WHERE_equal, WHOM_user = 0, WHOM_tuner };

struct tf_setting tf_setting_table[] = {
#define TF_SETTING(type, name, default_, allowed, folder, when, where, whom, sentence)                                 \
    {#name,                                                                                                            \
     NULL,                                                                                                             \
     (enum tf_setting_type)TYPE_##type,                                                                                \
     allowed,                                                                                                          \
     sentence,                                                                                                         \
     #folder,                                                                                                          \
     WHEN_##when,                                                                                                      \
     WHERE_##where,                                                                                                    \
     WHOM_##whom,                                                                                                      \
     &tf_settings.name,                                                                                                \
     &defaults.name,                                                                                                   \
     false,                                                                                                            \
     false},
#include "base/settings.def"
#undef TF_SETTING
};
#define COUNT ((int)(sizeof tf_setting_table / sizeof tf_setting_table[0]))
const int tf_setting_count = COUNT;

static char variables[COUNT][64];
static char *strings[COUNT]; /* values that were given */

/* "TREEFOLD_" and the name in capitals. */
static const char *variable_of(int row)
{
    char *variable = variables[row];
    snprintf(variable, sizeof variables[row], "TREEFOLD_%s", tf_setting_table[row].name);
    for (char *c = variable; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return variable;
}

static bool parse_int(const struct tf_setting *setting, const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10), low = INT_MIN, high = INT_MAX;
    sscanf(setting->allowed, "%ld..%ld", &low, &high);
    if (end == text || *end || errno || value < low || value > high)
        return false;
    *(int *)setting->value = (int)value;
    return true;
}

static bool parse_size(const struct tf_setting *setting, const char *text)
{
    static const char units[] = "KMG";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || errno)
        return false;
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (unit)
        end++;
    if (*end || value > (SIZE_MAX >> shift))
        return false;
    *(size_t *)setting->value = (size_t)value << shift;
    return true;
}

static bool parse_bool(const struct tf_setting *setting, const char *text)
{
    static const char *const words[] = {"off", "on", "0", "1", "no", "yes", "false", "true"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!strcasecmp(text, words[i])) {
            *(bool *)setting->value = i % 2;
            return true;
        }
    }
    return false;
}

int tf_settings_words(const char *words)
{
    int n = words[0] != '\0';
    while ((words = strchr(words, '|'))) {
        words++;
        n++;
    }
    return n;
}

int tf_settings_word_of(const char *words, const char *text)
{
    size_t length = strlen(text);
    int i = 0;
    for (const char *word = words; word; word = strchr(word, '|'), i++) {
        word += *word == '|';
        if (strcspn(word, "|") == length && !strncasecmp(word, text, length))
            return i;
    }
    return -1;
}

static bool parse_word(const struct tf_setting *setting, const char *text)
{
    int word = tf_settings_word_of(setting->allowed, text);
    if (word >= 0)
        *(tf_setting_word *)setting->value = (tf_setting_word)word;
    return word >= 0;
}

static bool parse_string(const struct tf_setting *setting, const char *text)
{
    if (setting->allowed[0] && tf_settings_word_of(setting->allowed, text) < 0)
        return false;
    char **kept = &strings[setting - tf_setting_table];
    char *copy = strdup(text);
    if (!copy)
        return false;
    /* Words are compared without regard to case here so that nobody else need bother. */
    for (char *c = copy; setting->allowed[0] && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    free(*kept);
    *(const char **)setting->value = *kept = copy;
    return true;
}

static bool parse(const struct tf_setting *setting, const char *text)
{
    switch (setting->type) {
    case TF_SETTING_INT:
        return parse_int(setting, text);
    case TF_SETTING_SIZE:
        return parse_size(setting, text);
    case TF_SETTING_BOOL:
        return parse_bool(setting, text);
    case TF_SETTING_WORD:
        return parse_word(setting, text);
    default:
        return parse_string(setting, text);
    }
}

static void complain_about(const struct tf_setting *setting, const char *text)
{
    static const char *const what[] = {"a whole number", "a number of bytes such as 65536, 64K, 16M or 1G",
                                       "on or off (also yes, no, 1, 0, true, false)", "one of the words",
                                       "one of the words"};
    char initial[64];
    tf_settings_show(setting, setting->initial, initial, sizeof initial);
    bool show_allowed = setting->allowed[0] && setting->type != TF_SETTING_BOOL;
    fprintf(stderr, "treefold: %s is \"%s\"; it must be %s%s%s; using the default, %s\n", setting->variable, text,
            what[setting->type], show_allowed ? " " : "", show_allowed ? setting->allowed : "", initial);
}

static void set_initial(const struct tf_setting *setting)
{
    static const size_t sizes[] = {sizeof(int), sizeof(size_t), sizeof(bool), sizeof(const char *),
                                   sizeof(tf_setting_word)};
    memcpy(setting->value, setting->initial, sizes[setting->type]);
}

void tf_settings_allow(const void *value, const char *words)
{
    for (int row = 0; row < COUNT; row++)
        if (tf_setting_table[row].value == value)
            tf_setting_table[row].allowed = words;
}

int tf_settings_load(bool complain)
{
    int wrong = 0;
    for (int row = 0; row < COUNT; row++) {
        struct tf_setting *setting = &tf_setting_table[row];
        setting->variable = variable_of(row);
        const char *text = getenv(setting->variable);
        setting->from_environment = text && !setting->given && parse(setting, text);
        if (setting->from_environment || setting->given)
            continue;
        set_initial(setting);
        if (text) {
            wrong++;
            if (complain)
                complain_about(setting, text);
        }
    }
    return wrong;
}

bool tf_settings_give(struct tf_setting *setting, const char *text)
{
    if (!parse(setting, text))
        return false;
    setting->given = true;
    setting->from_environment = false;
    return true;
}

void tf_settings_show_word(const char *words, int i, char *text, size_t capacity)
{
    while (i-- > 0)
        words = strchr(words, '|') + 1;
    snprintf(text, capacity, "%.*s", (int)strcspn(words, "|"), words);
}

void tf_settings_show(const struct tf_setting *setting, const void *value, char *text, size_t capacity)
{
    switch (setting->type) {
    case TF_SETTING_INT:
        snprintf(text, capacity, "%d", *(const int *)value);
        break;
    case TF_SETTING_SIZE:
        snprintf(text, capacity, "%zu", *(const size_t *)value);
        break;
    case TF_SETTING_BOOL:
        snprintf(text, capacity, "%s", *(const bool *)value ? "on" : "off");
        break;
    case TF_SETTING_STRING:
        snprintf(text, capacity, "%s", *(const char *const *)value);
        break;
    case TF_SETTING_WORD:
        tf_settings_show_word(setting->allowed, *(const tf_setting_word *)value, text, capacity);
        break;
    }
}
