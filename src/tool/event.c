/* event.c - events: what tools register for, and how they hear of it.
 *
 * An event is delivered where it happens, within MPI and under its lock, in a callback that asks for no more safety
 * than MPI_T_CB_REQUIRE_MPI_RESTRICTED.  Of the callbacks of a registration the one is called that is registered for
 * that level, or for the next stricter one.  Where there are callbacks but none is strict enough, the event is dropped.
 */
#include "tool/event.h"

#include <stdio.h>

#include "base/settings.h"
#include "object/info.h"
#include "tool/pvar.h"

static const struct row {
    enum tf_news news;
    const char *name, *folder, *elements, *sentence;
} rows[] = {
#define TF_EVENT(news, name, folder, elements, sentence) {news, #name, #folder, elements, sentence},
#include "tool/events.def"
#undef TF_EVENT
};
enum { COUNT = TF_ARRAY_LEN(rows) };
#define PREFIX "treefold_"

/* The event that is being delivered; its handle is its number, from 1 on. */
static struct {
    uint32_t number;
    int row;
    MPI_Count elements[TF_NEWS_ELEMENTS];
    MPI_Count timestamp;
} current;

int tf_event_count(void)
{
    return COUNT;
}

const char *tf_event_folder(int row)
{
    return rows[row].folder;
}

const char *tf_event_name(int row)
{
    return rows[row].name;
}

const char *tf_event_elements(int row)
{
    return rows[row].elements;
}

/* ---- types ---- */

int tf_t_event_get_num(int *num_events)
{
    *num_events = COUNT;
    return MPI_SUCCESS;
}

/* At most as many as there is room for are written; *num becomes how many there are. */
static void put_elements(const struct row *row, MPI_Datatype *types, MPI_Aint *displacements, int *num)
{
    int count = tf_settings_words(row->elements);
    if (!num)
        return;
    for (int i = 0; i < count && i < *num; i++) {
        if (types)
            types[i] = MPI_COUNT;
        if (displacements)
            displacements[i] = (MPI_Aint)(i * sizeof(MPI_Count));
    }
    *num = count;
}

int tf_t_event_get_info(int event_index, char *name, int *name_len, int *verbosity, MPI_Datatype *array_of_datatypes,
                        MPI_Aint *array_of_displacements, int *num_elements, MPI_T_enum *enumtype, MPI_Info *info,
                        char *desc, int *desc_len, int *bind)
{
    char text[100];
    int err = tf_tool_index(event_index, COUNT, "types of events");
    if (!err && info)
        err = tf_info_create(info) ? MPI_T_ERR_MEMORY : MPI_SUCCESS;
    if (err)
        return err;
    const struct row *row = &rows[event_index];
    snprintf(text, sizeof text, PREFIX "%s", row->name);
    tf_tool_put_text(text, name, name_len);
    tf_tool_put(verbosity, MPI_T_VERBOSITY_TUNER_BASIC);
    put_elements(row, array_of_datatypes, array_of_displacements, num_elements);
    tf_tool_put(enumtype, tf_enum_of_event(event_index));
    tf_tool_put_text(row->sentence, desc, desc_len);
    tf_tool_put(bind, MPI_T_BIND_NO_OBJECT);
    return MPI_SUCCESS;
}

int tf_t_event_get_index(const char *name, int *event_index)
{
    bool ours = strncmp(name, PREFIX, strlen(PREFIX)) == 0;
    for (int row = 0; ours && row < COUNT; row++) {
        if (strcmp(name + strlen(PREFIX), rows[row].name) == 0) {
            *event_index = row;
            return MPI_SUCCESS;
        }
    }
    return tf_error(MPI_T_ERR_INVALID_NAME, "there is no type of events \"%s\"", name);
}

/* ---- registrations ---- */

static int find(MPI_T_event_registration handle, struct tf_tool **tool)
{
    return tf_tool_get(handle, TF_TOOL_REGISTRATION, tool);
}

/* No hints are known, but it must be an info object. */
static int check_info(MPI_Info info)
{
    return info == MPI_INFO_NULL || tf_info_find(info)
               ? MPI_SUCCESS
               : tf_error(MPI_T_ERR_INVALID, "info is %s", tf_handle_describe(&tf_info_pool, (uintptr_t)info));
}

static int level_of(MPI_T_cb_safety cb_safety, int *level)
{
    static const MPI_T_cb_safety levels[TF_TOOL_LEVELS] = {MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                                           MPI_T_CB_REQUIRE_THREAD_SAFE,
                                                           MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};
    for (int i = 0; i < TF_TOOL_LEVELS; i++) {
        if (levels[i] == cb_safety) {
            *level = i;
            return MPI_SUCCESS;
        }
    }
    return tf_error(MPI_T_ERR_INVALID, "cb_safety is %d, which is none of MPI_T_CB_REQUIRE_...", cb_safety);
}

int tf_t_event_handle_alloc(int event_index, void *obj_handle, MPI_Info info,
                            MPI_T_event_registration *event_registration)
{
    (void)obj_handle; /* none is bound to an object */
    int err = tf_tool_index(event_index, COUNT, "types of events");
    if (!err)
        err = check_info(info);
    struct tf_tool *tool = err ? NULL : tf_tool_take(TF_TOOL_REGISTRATION);
    if (!tool)
        return err ? err : MPI_T_ERR_MEMORY;
    tool->index = event_index;
    *event_registration = tf_tool_handle(tool);
    return MPI_SUCCESS;
}

int tf_t_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info)
{
    struct tf_tool *tool;
    int err = find(event_registration, &tool);
    return err ? err : check_info(info);
}

int tf_t_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used)
{
    struct tf_tool *tool;
    int err = find(event_registration, &tool);
    if (!err)
        err = tf_info_create(info_used) ? MPI_T_ERR_MEMORY : MPI_SUCCESS;
    return err;
}

int tf_t_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
                           MPI_T_event_free_cb_function *free_cb_function)
{
    struct tf_tool *tool;
    int err = find(event_registration, &tool);
    if (err)
        return err;
    tf_tool_give(tool);
    tf_tool_listen();
    if (free_cb_function)
        free_cb_function(event_registration, MPI_T_CB_REQUIRE_NONE, user_data);
    return MPI_SUCCESS;
}

int tf_t_event_register_callback(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info,
                                 void *user_data, MPI_T_event_cb_function *event_cb_function)
{
    struct tf_tool *tool;
    int level = 0, err = find(event_registration, &tool);
    if (!err)
        err = level_of(cb_safety, &level);
    if (!err)
        err = check_info(info);
    if (err)
        return err;
    tool->callbacks[level].function = event_cb_function;
    tool->callbacks[level].user_data = user_data;
    tf_tool_listen();
    return MPI_SUCCESS;
}

/* That callback must be there. */
static int find_callback(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety)
{
    struct tf_tool *tool;
    int level = 0, err = find(event_registration, &tool);
    if (!err)
        err = level_of(cb_safety, &level);
    if (!err && !tool->callbacks[level].function)
        err = tf_error(MPI_T_ERR_INVALID, "no callback is registered for that level of safety");
    return err;
}

int tf_t_event_callback_set_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info info)
{
    int err = find_callback(event_registration, cb_safety);
    return err ? err : check_info(info);
}

int tf_t_event_callback_get_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                                 MPI_Info *info_used)
{
    int err = find_callback(event_registration, cb_safety);
    if (!err)
        err = tf_info_create(info_used) ? MPI_T_ERR_MEMORY : MPI_SUCCESS;
    return err;
}

int tf_t_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                   MPI_T_event_dropped_cb_function *dropped_cb_function)
{
    struct tf_tool *tool;
    int err = find(event_registration, &tool);
    if (!err)
        tool->dropped = dropped_cb_function;
    return err;
}

/* ---- delivery ---- */

enum { RESTRICTED = 1 }; /* the level at which all of it happens */

static bool has_callback(const struct tf_tool *tool)
{
    for (int i = 0; tool->what == TF_TOOL_REGISTRATION && i < TF_TOOL_LEVELS; i++)
        if (tool->callbacks[i].function)
            return true;
    return false;
}

static void deliver(const struct tf_tool *tool)
{
    MPI_T_event_instance instance = (MPI_T_event_instance)(uintptr_t)current.number;
    int level = RESTRICTED;
    while (level < TF_TOOL_LEVELS && !tool->callbacks[level].function)
        level++;
    if (level < TF_TOOL_LEVELS)
        tool->callbacks[level].function(instance, tf_tool_handle(tool), MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                        tool->callbacks[level].user_data);
    else if (tool->dropped)
        tool->dropped(1, tf_tool_handle(tool), 0, MPI_T_CB_REQUIRE_MPI_RESTRICTED, tool->callbacks[0].user_data);
}

/* A collective is told by the variable of its algorithm, an algorithm by a value of that. */
static void translate(enum tf_news news, const int64_t *elements)
{
    memcpy(current.elements, elements, sizeof current.elements);
    if (news == TF_NEWS_BEGUN || news == TF_NEWS_ENDED) {
        current.elements[1] = tf_pvar_of_coll((enum tf_coll)elements[1]);
        current.elements[2] = elements[2] + 1;
    }
}

void tf_event_hear(enum tf_news news, const int64_t *elements)
{
    struct tf_tool *tool;
    tf_t_source_get_timestamp(0, &current.timestamp);
    translate(news, elements);
    current.number += current.number == INT32_MAX ? 2 : 1;
    tf_tool_in_callback = true;
    for (uint32_t place = 0; (tool = tf_pool_each(&tf_tool_pool, &place));) {
        if (!has_callback(tool) || rows[tool->index].news != news)
            continue;
        current.row = tool->index;
        deliver(tool);
    }
    tf_tool_in_callback = false;
}

unsigned tf_event_wants(void)
{
    const struct tf_tool *tool;
    unsigned wants = 0;
    for (uint32_t place = 0; (tool = tf_pool_each(&tf_tool_pool, &place));)
        wants |= has_callback(tool) ? 1u << rows[tool->index].news : 0;
    return wants;
}

/* ---- what an event says ---- */

static int check_instance(MPI_T_event_instance instance)
{
    if (tf_tool_in_callback && (uintptr_t)instance == current.number)
        return MPI_SUCCESS;
    return tf_error(MPI_T_ERR_INVALID_HANDLE, "event_instance is not the event of a callback that is running");
}

int tf_t_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer)
{
    int err = check_instance(event_instance);
    if (!err)
        err = tf_tool_index(element_index, tf_settings_words(rows[current.row].elements), "elements");
    if (!err)
        *(MPI_Count *)buffer = current.elements[element_index];
    return err;
}

int tf_t_event_copy(MPI_T_event_instance event_instance, void *buffer)
{
    int err = check_instance(event_instance);
    if (!err)
        memcpy(buffer, current.elements,
               (size_t)tf_settings_words(rows[current.row].elements) * sizeof current.elements[0]);
    return err;
}

int tf_t_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp)
{
    int err = check_instance(event_instance);
    if (!err)
        *event_timestamp = current.timestamp;
    return err;
}

int tf_t_event_get_source(MPI_T_event_instance event_instance, int *source_index)
{
    int err = check_instance(event_instance);
    if (!err)
        *source_index = 0;
    return err;
}
