/* enum.c - enumerations: names for the values of variables that are words, and for the elements of events.
 *
 * An enumeration is no object: its handle says what it names, from 1 on as 0 is the null handle.
 *
 *     the settings | the algorithms of each collective | the elements of each type of events
 */
#include <stdio.h>

#include "algo/algo.h"
#include "base/settings.h"
#include "tool/event.h"

enum { NAME = 100 };

/* Either words, numbered from 0, or the rows of algos.def for a collective, from 1 (0: none yet). */
struct names {
    char name[NAME];
    const char *words;
    enum tf_coll coll;
};

static bool has_words(int row)
{
    const struct tf_setting *setting = &tf_setting_table[row];
    return setting->type != TF_SETTING_INT && setting->allowed[0];
}

MPI_T_enum tf_enum_of_setting(int row)
{
    return has_words(row) ? (MPI_T_enum)(uintptr_t)(1 + row) : MPI_T_ENUM_NULL;
}

MPI_T_enum tf_enum_of_coll(enum tf_coll coll)
{
    return (MPI_T_enum)(uintptr_t)(1 + tf_setting_count + (int)coll);
}

MPI_T_enum tf_enum_of_event(int row)
{
    return (MPI_T_enum)(uintptr_t)(1 + tf_setting_count + TF_NCOLL + row);
}

static bool find_names(uintptr_t number, struct names *names)
{
    uintptr_t settings = (uintptr_t)tf_setting_count, events = settings + TF_NCOLL;
    if (number < settings) {
        snprintf(names->name, NAME, "treefold_%s", tf_setting_table[number].name);
        names->words = tf_setting_table[number].allowed;
        return has_words((int)number);
    }
    if (number < events) {
        names->coll = (enum tf_coll)(number - settings);
        names->words = NULL;
        snprintf(names->name, NAME, "treefold_algorithm_%s", tf_coll_name(names->coll));
        return true;
    }
    if (number - events >= (uintptr_t)tf_event_count())
        return false;
    snprintf(names->name, NAME, "treefold_%s", tf_event_name((int)(number - events)));
    names->words = tf_event_elements((int)(number - events));
    return true;
}

static int find(MPI_T_enum enumtype, struct names *names)
{
    if (enumtype && find_names((uintptr_t)enumtype - 1, names))
        return MPI_SUCCESS;
    return tf_error(MPI_T_ERR_INVALID_HANDLE, "enumtype is %s", enumtype ? "no enumeration" : "MPI_T_ENUM_NULL");
}

/* The row of a collective's algorithm number i, those between the groups of an intercommunicator too; -1: there are
 * fewer, *i becomes how many. */
static int row_of_algorithm(enum tf_coll coll, int *i)
{
    int n = 0;
    for (int row = 0; row < tf_algo_count; row++)
        if (tf_coll_base(tf_algos[row].coll) == coll && n++ == *i)
            return row;
    *i = n;
    return -1;
}

static int count_of(const struct names *names)
{
    int all = tf_algo_count;
    if (names->words)
        return tf_settings_words(names->words);
    row_of_algorithm(names->coll, &all);
    return 1 + all;
}

static void show_algorithm(enum tf_coll coll, int i, int *value, char *text)
{
    int row = i > 0 ? (i--, row_of_algorithm(coll, &i)) : -1;
    *value = row + 1;
    if (row < 0)
        snprintf(text, NAME, "none");
    else
        snprintf(text, NAME, "%s%s", tf_coll_is_inter(tf_algos[row].coll) ? "inter_" : "", tf_algos[row].name);
}

int tf_t_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
    struct names names;
    int err = find(enumtype, &names);
    if (err)
        return err;
    tf_tool_put(num, count_of(&names));
    tf_tool_put_text(names.name, name, name_len);
    return MPI_SUCCESS;
}

int tf_t_enum_get_item(MPI_T_enum enumtype, int index, int *value, char *name, int *name_len)
{
    struct names names;
    char text[NAME];
    int number = index, err = find(enumtype, &names);
    if (err)
        return err;
    if (index < 0 || index >= count_of(&names))
        return tf_error(MPI_T_ERR_INVALID_ITEM, "index is %d; the enumeration has %d items, numbered from 0", index,
                        count_of(&names));
    if (names.words)
        tf_settings_show_word(names.words, index, text, sizeof text);
    else
        show_algorithm(names.coll, index, &number, text);
    tf_tool_put(value, number);
    tf_tool_put_text(text, name, name_len);
    return MPI_SUCCESS;
}
