/* enum.c - enumerations: names for the values of variables that are words.
 *
 * An enumeration is no object: its handle says of which row it names the values, from 1 on as 0 is the null handle.
 */
#include "tool/tool.h"

#include <stdio.h>

#include "base/settings.h"

enum { NAME = 100 };

static bool has_words(int row)
{
    const struct tf_setting *setting = &tf_setting_table[row];
    return setting->type != TF_SETTING_INT && setting->allowed[0];
}

MPI_T_enum tf_enum_of_setting(int row)
{
    return has_words(row) ? (MPI_T_enum)(uintptr_t)(row + 1) : MPI_T_ENUM_NULL;
}

/* Of which setting it is. */
static int find(MPI_T_enum enumtype, const struct tf_setting **setting)
{
    uintptr_t number = (uintptr_t)enumtype - 1;
    if (number >= (uintptr_t)tf_setting_count || !has_words((int)number))
        return tf_error(MPI_T_ERR_INVALID_HANDLE, "enumtype is %s", enumtype ? "no enumeration" : "MPI_T_ENUM_NULL");
    *setting = &tf_setting_table[number];
    return MPI_SUCCESS;
}

int tf_t_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
    const struct tf_setting *setting;
    char text[NAME];
    int err = find(enumtype, &setting);
    if (err)
        return err;
    snprintf(text, sizeof text, "treefold_%s", setting->name);
    tf_tool_put(num, tf_settings_words(setting->allowed));
    tf_tool_put_text(text, name, name_len);
    return MPI_SUCCESS;
}

int tf_t_enum_get_item(MPI_T_enum enumtype, int index, int *value, char *name, int *name_len)
{
    const struct tf_setting *setting;
    char text[NAME];
    int err = find(enumtype, &setting);
    if (err)
        return err;
    int count = tf_settings_words(setting->allowed);
    if (index < 0 || index >= count)
        return tf_error(MPI_T_ERR_INVALID_ITEM, "index is %d; the enumeration has %d items, numbered from 0", index,
                        count);
    tf_settings_show_word(setting->allowed, index, text, sizeof text);
    tf_tool_put(value, index);
    tf_tool_put_text(text, name, name_len);
    return MPI_SUCCESS;
}
