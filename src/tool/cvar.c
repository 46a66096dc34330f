/* cvar.c - control variables (MPI-5.0 section 15.3.6): the settings, by the name treefold_<setting>.
 *
 * A setting of words is an int with an enumeration, one of any text an array of characters.  A value is read and
 * written by way of its text, so that what is allowed is said once, in settings.def.
 */
#include "tool/tool.h"

#include <stdio.h>

#include "base/settings.h"
#include "coll/choice.h"
#include "comm/comm.h"

/* Room for a text, at least. */
enum { TEXT = 1024 };
#define PREFIX "treefold_"

static const struct tf_setting *row_of(const struct tf_tool *tool)
{
    return &tf_setting_table[tool->index];
}

static MPI_Datatype datatype_of(int row)
{
    switch (tf_setting_table[row].type) {
    case TF_SETTING_SIZE:
        return MPI_UNSIGNED_LONG_LONG;
    case TF_SETTING_STRING:
        return tf_enum_of_setting(row) ? MPI_INT : MPI_CHAR;
    default:
        return MPI_INT;
    }
}

const char *tf_cvar_folder(int row)
{
    return tf_setting_table[row].folder;
}

int tf_t_cvar_get_num(int *num_cvar)
{
    *num_cvar = tf_setting_count;
    return MPI_SUCCESS;
}

int tf_t_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype,
                       MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope)
{
    char text[100];
    int err = tf_tool_index(cvar_index, tf_setting_count, "control variables");
    if (err)
        return err;
    const struct tf_setting *setting = &tf_setting_table[cvar_index];
    snprintf(text, sizeof text, PREFIX "%s", setting->name);
    tf_tool_put_text(text, name, name_len);
    tf_tool_put(verbosity, setting->for_tuners ? MPI_T_VERBOSITY_TUNER_BASIC : MPI_T_VERBOSITY_USER_BASIC);
    tf_tool_put(datatype, datatype_of(cvar_index));
    tf_tool_put(enumtype, tf_enum_of_setting(cvar_index));
    tf_tool_put_text(setting->sentence, desc, desc_len);
    tf_tool_put(bind, MPI_T_BIND_NO_OBJECT);
    tf_tool_put(scope, setting->equal ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL);
    return MPI_SUCCESS;
}

int tf_t_cvar_get_index(const char *name, int *cvar_index)
{
    bool ours = strncmp(name, PREFIX, strlen(PREFIX)) == 0;
    for (int row = 0; ours && row < tf_setting_count; row++) {
        if (strcmp(name + strlen(PREFIX), tf_setting_table[row].name) == 0) {
            *cvar_index = row;
            return MPI_SUCCESS;
        }
    }
    return tf_error(MPI_T_ERR_INVALID_NAME, "there is no control variable \"%s\"", name);
}

int tf_t_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count)
{
    (void)obj_handle; /* none is bound to an object */
    int err = tf_tool_index(cvar_index, tf_setting_count, "control variables");
    struct tf_tool *tool = err ? NULL : tf_tool_take(TF_TOOL_CVAR);
    if (!tool)
        return err ? err : MPI_T_ERR_MEMORY;
    tool->index = cvar_index;
    tool->count = 1;
    if (datatype_of(cvar_index) == MPI_CHAR) {
        size_t now = strlen(*(const char **)tf_setting_table[cvar_index].value) + 1;
        tool->count = now > TEXT ? (int)now : TEXT;
    }
    *handle = tf_tool_handle(tool);
    *count = tool->count;
    return MPI_SUCCESS;
}

int tf_t_cvar_handle_free(MPI_T_cvar_handle *handle)
{
    struct tf_tool *tool;
    int err = tf_tool_get(*handle, TF_TOOL_CVAR, &tool);
    if (err)
        return err;
    tf_tool_give(tool);
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

/* ---- values ---- */

int tf_t_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
    struct tf_tool *tool;
    char text[100];
    int err = tf_tool_get(handle, TF_TOOL_CVAR, &tool);
    if (err)
        return err;
    const struct tf_setting *setting = row_of(tool);
    MPI_Datatype type = datatype_of(tool->index);
    if (type == MPI_CHAR) {
        tf_settings_show(setting, setting->value, buf, (size_t)tool->count);
        return MPI_SUCCESS;
    }
    tf_settings_show(setting, setting->value, text, sizeof text);
    if (type == MPI_UNSIGNED_LONG_LONG)
        *(unsigned long long *)buf = strtoull(text, NULL, 10);
    else
        *(int *)buf = tf_enum_of_setting(tool->index) ? tf_settings_word_of(setting->allowed, text) : atoi(text);
    return MPI_SUCCESS;
}

/* What a buffer says, in `text`, unless it is a text by itself; NULL: nothing that can be. */
static const char *text_of(const struct tf_tool *tool, const void *buf, char *text, size_t capacity)
{
    const struct tf_setting *setting = row_of(tool);
    MPI_Datatype type = datatype_of(tool->index);
    if (type == MPI_CHAR)
        return memchr(buf, '\0', (size_t)tool->count);
    if (type == MPI_UNSIGNED_LONG_LONG) {
        snprintf(text, capacity, "%llu", *(const unsigned long long *)buf);
        return text;
    }
    int value = *(const int *)buf;
    if (!tf_enum_of_setting(tool->index)) {
        snprintf(text, capacity, "%d", value);
        return text;
    }
    if (value < 0 || value >= tf_settings_words(setting->allowed))
        return NULL;
    tf_settings_show_word(setting->allowed, value, text, capacity);
    return text;
}

/* Rules of selection can be changed where no other thread may be in a collective. */
static int may_write(const struct tf_setting *setting, bool rules)
{
    if (tf_library.users == 0 || (setting->live && !(rules && tf_library.locking)))
        return MPI_SUCCESS;
    return tf_error(MPI_T_ERR_CVAR_SET_NOT_NOW, "treefold_%s cannot be set while MPI is in use%s", setting->name,
                    setting->live ? " by several threads" : "");
}

/* What communicators have chosen by the rules so far. */
static void forget_choices(void)
{
    struct tf_comm *comm;
    for (uint32_t place = 0; (comm = tf_pool_each(&tf_comm_pool, &place));)
        if (comm->colls)
            tf_choice_forget(comm);
}

int tf_t_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
    struct tf_tool *tool;
    char text[100];
    int err = tf_tool_get(handle, TF_TOOL_CVAR, &tool);
    if (err)
        return err;
    struct tf_setting *setting = &tf_setting_table[tool->index];
    bool rules = setting->value == (void *)&tf_settings.algorithm || setting->value == (void *)&tf_settings.rules;
    err = may_write(setting, rules);
    if (err)
        return err;
    const char *given = text_of(tool, buf, text, sizeof text);
    if (given && datatype_of(tool->index) == MPI_CHAR)
        given = buf;
    if (!given || !tf_settings_give(setting, given))
        return tf_error(MPI_T_ERR_INVALID, "treefold_%s cannot be that; it can be %s", setting->name,
                        setting->allowed[0] ? setting->allowed : "a number or a text that fits");
    if (rules)
        forget_choices();
    return MPI_SUCCESS;
}
