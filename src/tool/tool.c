/* tool.c - the state of the tool interface, its handles, and what its procedures have in common. */
#include "tool/tool.h"

#include <stdio.h>

#include "base/listen.h"
#include "base/settings.h"
#include "coll/choice.h"
#include "tool/event.h"
#include "tool/pvar.h"

struct tf_pool tf_tool_pool = {.what = "tool variable", .kind = TF_KIND_TOOL, .size = sizeof(struct tf_tool)};

bool tf_tool_in_callback;
static int users; /* MPI_T_init_thread without its MPI_T_finalize */

int tf_tool_check(enum tf_tool_state state)
{
    if (tf_tool_in_callback && state != TF_TOOL_RESTRICTED)
        return tf_error(MPI_T_ERR_NOT_ACCESSIBLE, "this cannot be called in a callback of events");
    if (state == TF_TOOL_BEGINS || users > 0)
        return MPI_SUCCESS;
    return tf_error(MPI_T_ERR_NOT_INITIALIZED, "the tool interface is not initialized: call MPI_T_init_thread first");
}

/* A lock that comes into use while another thread is in MPI without it is none: then the threads take turns. */
static int level_for(int required)
{
    if (required != MPI_THREAD_MULTIPLE || tf_library.locking)
        return required;
    if (tf_library.users > 0 || users > 0)
        return MPI_THREAD_SERIALIZED;
    tf_lock_use();
    return required;
}

int tf_t_init_thread(int required, int *provided)
{
    if (required != MPI_THREAD_SINGLE && required != MPI_THREAD_FUNNELED && required != MPI_THREAD_SERIALIZED &&
        required != MPI_THREAD_MULTIPLE)
        return tf_error(MPI_T_ERR_INVALID,
                        "required is %d; it must be one of MPI_THREAD_SINGLE, _FUNNELED, _SERIALIZED and _MULTIPLE",
                        required);
    *provided = level_for(required);
    if (users++ == 0 && tf_library.users == 0)
        tf_settings_load(false);
    return MPI_SUCCESS;
}

int tf_t_finalize(void)
{
    if (--users > 0)
        return MPI_SUCCESS;
    struct tf_tool *tool;
    for (uint32_t place = 0; (tool = tf_pool_each(&tf_tool_pool, &place));)
        tf_tool_give(tool);
    tf_tool_listen();
    return MPI_SUCCESS;
}

/* ---- what happens in the library ---- */

static void hear(enum tf_news news, const int64_t *elements)
{
    tf_pvar_hear(news);
    if (!tf_tool_in_callback)
        tf_event_hear(news, elements);
}

/* A collective that is repeated says nothing: let them begin anew. */
static void interrupt(void)
{
    const struct tf_comm *comm;
    for (uint32_t place = 0; (comm = tf_pool_each(&tf_comm_pool, &place));)
        if (comm->colls)
            tf_standings_end(&comm->colls->standings);
}

void tf_tool_listen(void)
{
    unsigned wants = tf_pvar_wants() | tf_event_wants();
    tf_listen_hear = hear;
    if (wants & ~tf_listen_to & TF_CHOICE_NEWS)
        interrupt();
    tf_listen_to = wants;
}

/* ---- handles ---- */

struct tf_tool *tf_tool_take(enum tf_tool_what what)
{
    struct tf_tool *tool = tf_pool_take(&tf_tool_pool);
    if (!tool)
        tf_error(MPI_T_ERR_MEMORY, "cannot allocate a handle of the tool interface");
    else
        tool->what = what;
    return tool;
}

void tf_tool_give(struct tf_tool *tool)
{
    tf_pool_give(&tf_tool_pool, tool);
}

int tf_tool_get(const void *handle, enum tf_tool_what what, struct tf_tool **tool)
{
    static const char *const words[] = {"a control variable", "a session", "a performance variable",
                                        "a registration of events"};
    int errclass = what == TF_TOOL_SESSION ? MPI_T_ERR_INVALID_SESSION : MPI_T_ERR_INVALID_HANDLE;
    struct tf_tool *found = tf_pool_find(&tf_tool_pool, (uintptr_t)handle);
    if (!found)
        return tf_error(errclass, "the handle is %s",
                        handle ? tf_handle_describe(&tf_tool_pool, (uintptr_t)handle) : "a null handle");
    if (found->what != what)
        return tf_error(errclass, "the handle is of %s, not of %s", words[found->what], words[what]);
    *tool = found;
    return MPI_SUCCESS;
}

/* ---- arguments ---- */

int tf_tool_index(int index, int count, const char *what)
{
    if (index >= 0 && index < count)
        return MPI_SUCCESS;
    return tf_error(MPI_T_ERR_INVALID_INDEX, "the index is %d; there are %d %s, numbered from 0", index, count, what);
}

void tf_tool_put_text(const char *text, char *to, int *length)
{
    if (!length)
        return;
    if (to && *length > 0)
        snprintf(to, (size_t)*length, "%s", text);
    *length = (int)strlen(text) + 1;
}

int tf_tool_in_folder(const char *folder, int count, const char *(*folder_of)(int row), int length, int *indices)
{
    int n = 0;
    for (int row = 0; row < count; row++) {
        if (strcmp(folder_of(row), folder) != 0)
            continue;
        if (indices && n < length)
            indices[n] = row;
        n++;
    }
    return n;
}
