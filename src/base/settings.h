/* settings.h - what a user may set: one struct, filled from the table settings.def and the environment.
 */
#ifndef TF_SETTINGS_H
#define TF_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

typedef int tf_setting_int;
typedef size_t tf_setting_size;
typedef bool tf_setting_bool;
typedef const char *tf_setting_string;
typedef unsigned char tf_setting_word; /* which of the words allowed, from 0 */

enum { TF_CHECK_OFF, TF_CHECK_ON, TF_CHECK_STRICT };     /* the words of `check` */
enum { TF_WINDOWS_AUTO, TF_WINDOWS_OFF, TF_WINDOWS_ON }; /* of `network_windows` */

/* The values in force: tf_settings.verbose and so on.  The defaults until tf_settings_load(). */
struct tf_settings {
#define TF_SETTING(type, name, ...) tf_setting_##type name;
#include "base/settings.def"
#undef TF_SETTING
};
extern struct tf_settings tf_settings;

/* Whether what the standard leaves undefined is refused even where it has a meaning here (doc/portability.md). */
static inline bool tf_strict(void)
{
    return tf_settings.check == TF_CHECK_STRICT;
}

enum tf_setting_type { TF_SETTING_INT, TF_SETTING_SIZE, TF_SETTING_BOOL, TF_SETTING_STRING, TF_SETTING_WORD };

/* A row of the table, as `treefold info` shows it. */
struct tf_setting {
    const char *name, *variable; /* "verbose", "TREEFOLD_VERBOSE" */
    enum tf_setting_type type;
    const char *allowed, *sentence;
    const char *folder;
    bool live, equal, for_tuners; /* the last three columns but one of settings.def */
    void *value;                  /* the member of tf_settings */
    const void *initial;          /* its default */
    bool from_environment;        /* else the default, or: */
    bool given;                   /* by tf_settings_give() */
};
extern struct tf_setting tf_setting_table[];
extern const int tf_setting_count;

/* The words "a|b" that a string may be, where a folder above knows them; before the settings are loaded.  `value`: the
 * member of tf_settings. */
void tf_settings_allow(const void *value, const char *words);
/* Read the environment.  A value that makes no sense is told on standard error if `complain`, and the default is used.
 * Returns how many there were.  May be called again; strings in force belong to this file. */
int tf_settings_load(bool complain);

/* The same for one setting while the program runs, instead of what the environment says; false: the text makes no
 * sense, or there is no memory for it. */
bool tf_settings_give(struct tf_setting *setting, const char *text);

/* Of "a|b|c": how many words these are (of "", none), which of them `text` is, -1 if none, and number i. */
int tf_settings_words(const char *words);
int tf_settings_word_of(const char *words, const char *text);
void tf_settings_show_word(const char *words, int i, char *text, size_t capacity);

/* A value (setting->value or setting->initial) as a user would write it, in `text`. */
void tf_settings_show(const struct tf_setting *setting, const void *value, char *text, size_t capacity);

#endif
