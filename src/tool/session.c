/* session.c - sessions of performance variables, and their handles: started, stopped, read and set back.
 *
 * What has come since the start, and before the latest stop, is `sum`; of a high water mark `sum` is the mark.
 */
#include "base/listen.h"
#include "coll/choice.h"
#include "tool/pvar.h"

/* ---- one handle ---- */

static struct tf_pvar row_of(const struct tf_tool *tool)
{
    return tf_pvar_row(tool->index);
}

static bool is_mark(const struct tf_pvar *pvar)
{
    return pvar->class == MPI_T_PVAR_CLASS_HIGHWATERMARK;
}

static void start_one(struct tf_tool *tool)
{
    struct tf_pvar pvar = row_of(tool);
    tool->started = true;
    tool->from = tf_pvar_now(&pvar);
    if (is_mark(&pvar) && tool->sum < tool->from)
        tool->sum = tool->from;
}

static uint64_t sum_of(const struct tf_tool *tool)
{
    struct tf_pvar pvar = row_of(tool);
    if (!tool->started || is_mark(&pvar))
        return tool->sum;
    return tool->sum + (tf_pvar_now(&pvar) - tool->from);
}

static void stop_one(struct tf_tool *tool)
{
    tool->sum = sum_of(tool);
    tool->started = false;
}

/* Whether it is started stays as it is. */
static void set_one(struct tf_tool *tool, uint64_t value)
{
    struct tf_pvar pvar = row_of(tool);
    tool->from = tf_pvar_now(&pvar);
    tool->sum = value;
}

static void reset_one(struct tf_tool *tool)
{
    struct tf_pvar pvar = row_of(tool);
    set_one(tool, is_mark(&pvar) ? tf_pvar_now(&pvar) : 0);
}

/* 0: none yet; otherwise 1 + its row of algos.def. */
static int read_state(const struct tf_tool *tool, int *value)
{
    const struct tf_comm *comm = tf_comm_find(tool->comm);
    if (!comm || !comm->colls)
        return tf_error(MPI_T_ERR_INVALID_HANDLE, "the communicator of the handle was freed");
    const struct tf_algo *algo = comm->colls->chosen[row_of(tool).coll];
    *value = algo ? (int)(algo - tf_algos) + 1 : 0;
    return MPI_SUCCESS;
}

static int read_one(const struct tf_tool *tool, void *buf)
{
    struct tf_pvar pvar = row_of(tool);
    if (pvar.class == MPI_T_PVAR_CLASS_STATE)
        return read_state(tool, buf);
    uint64_t value = tf_pvar_is_continuous(&pvar) ? tf_pvar_now(&pvar) : sum_of(tool);
    if (pvar.class == MPI_T_PVAR_CLASS_TIMER)
        *(double *)buf = (double)value * 1e-9;
    else
        *(unsigned long long *)buf = value;
    return MPI_SUCCESS;
}

/* ---- hearing of new marks ---- */

static enum tf_news news_of(const struct tf_tool *tool)
{
    return strcmp(row_of(tool).name, "posted_queue_peak") == 0 ? TF_NEWS_POSTED : TF_NEWS_ARRIVED;
}

static bool hears(const struct tf_tool *tool)
{
    if (tool->what != TF_TOOL_PVAR || !tool->started)
        return false;
    struct tf_pvar pvar = row_of(tool);
    return is_mark(&pvar);
}

void tf_pvar_hear(enum tf_news news)
{
    struct tf_tool *tool;
    for (uint32_t place = 0; (tool = tf_pool_each(&tf_tool_pool, &place));)
        if (hears(tool) && news_of(tool) == news)
            start_one(tool);
}

unsigned tf_pvar_wants(void)
{
    const struct tf_tool *tool;
    unsigned wants = 0;
    bool timed = false;
    for (uint32_t place = 0; (tool = tf_pool_each(&tf_tool_pool, &place));) {
        wants |= hears(tool) ? 1u << news_of(tool) : 0;
        timed |= tool->what == TF_TOOL_PVAR && tool->started && row_of(tool).class == MPI_T_PVAR_CLASS_TIMER;
    }
    tf_pause_measure(timed);
    return wants;
}

/* ---- sessions ---- */

static int find_session(MPI_T_pvar_session session, struct tf_tool **found)
{
    return tf_tool_get(session, TF_TOOL_SESSION, found);
}

/* A handle of that session. */
static int find_handle(MPI_T_pvar_session session, MPI_T_pvar_handle handle, struct tf_tool **found)
{
    struct tf_tool *of;
    int err = find_session(session, &of);
    if (!err)
        err = tf_tool_get(handle, TF_TOOL_PVAR, found);
    if (!err && (*found)->session != session)
        err = tf_error(MPI_T_ERR_INVALID_HANDLE, "the handle is of another session");
    return err;
}

int tf_t_pvar_session_create(MPI_T_pvar_session *pe_session)
{
    struct tf_tool *tool = tf_tool_take(TF_TOOL_SESSION);
    if (!tool)
        return MPI_T_ERR_MEMORY;
    *pe_session = tf_tool_handle(tool);
    return MPI_SUCCESS;
}

int tf_t_pvar_session_free(MPI_T_pvar_session *pe_session)
{
    struct tf_tool *session, *tool;
    int err = find_session(*pe_session, &session);
    if (err)
        return err;
    for (uint32_t place = 0; (tool = tf_pool_each(&tf_tool_pool, &place));)
        if (tool->what == TF_TOOL_PVAR && tool->session == *pe_session)
            tf_tool_give(tool);
    tf_tool_give(session);
    tf_tool_listen();
    *pe_session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
}

static int find_comm(void *obj_handle, MPI_Comm *comm)
{
    int err = tf_tool_given("obj_handle", obj_handle);
    if (err)
        return err;
    *comm = *(const MPI_Comm *)obj_handle;
    return tf_comm_find(*comm)
               ? MPI_SUCCESS
               : tf_error(MPI_T_ERR_INVALID, "*obj_handle is %s", tf_handle_describe(&tf_comm_pool, (uintptr_t)*comm));
}

int tf_t_pvar_handle_alloc(MPI_T_pvar_session pe_session, int pvar_index, void *obj_handle, MPI_T_pvar_handle *handle,
                           int *count)
{
    struct tf_tool *session, *tool;
    MPI_Comm comm = MPI_COMM_NULL;
    int err = find_session(pe_session, &session);
    if (!err)
        err = tf_tool_index(pvar_index, tf_pvar_count(), "performance variables");
    if (!err && tf_pvar_row(pvar_index).class == MPI_T_PVAR_CLASS_STATE)
        err = find_comm(obj_handle, &comm);
    if (err)
        return err;
    tool = tf_tool_take(TF_TOOL_PVAR);
    if (!tool)
        return MPI_T_ERR_MEMORY;
    tool->index = pvar_index;
    tool->count = 1;
    tool->session = pe_session;
    tool->comm = comm;
    if (tf_pvar_row(pvar_index).class != MPI_T_PVAR_CLASS_STATE)
        reset_one(tool);
    *handle = tf_tool_handle(tool);
    *count = 1;
    return MPI_SUCCESS;
}

int tf_t_pvar_handle_free(MPI_T_pvar_session pe_session, MPI_T_pvar_handle *handle)
{
    struct tf_tool *tool;
    int err = find_handle(pe_session, *handle, &tool);
    if (err)
        return err;
    tf_tool_give(tool);
    tf_tool_listen();
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}

/* ---- one or all ---- */

/* That handle, which may not be a continuous variable (then it is `refusal`, in words); or all that can. */
static int change(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void (*one)(struct tf_tool *tool), int refusal,
                  const char *words)
{
    struct tf_tool *tool;
    bool all = handle == MPI_T_PVAR_ALL_HANDLES;
    int err = all ? find_session(session, &tool) : find_handle(session, handle, &tool);
    if (err)
        return err;
    struct tf_pvar pvar = all ? (struct tf_pvar){0} : row_of(tool);
    if (!all && tf_pvar_is_continuous(&pvar))
        return tf_error(refusal, "treefold_%s is what it is now: it cannot be %s", pvar.name, words);
    if (!all)
        one(tool);
    for (uint32_t place = 0; all && (tool = tf_pool_each(&tf_tool_pool, &place));) {
        pvar = tool->what == TF_TOOL_PVAR ? row_of(tool) : (struct tf_pvar){0};
        if (tool->what == TF_TOOL_PVAR && tool->session == session && !tf_pvar_is_continuous(&pvar))
            one(tool);
    }
    tf_tool_listen();
    return MPI_SUCCESS;
}

static void start_if_stopped(struct tf_tool *tool)
{
    if (!tool->started)
        start_one(tool);
}

int tf_t_pvar_start(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
    return change(pe_session, handle, start_if_stopped, MPI_T_ERR_PVAR_NO_STARTSTOP, "started");
}

int tf_t_pvar_stop(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
    return change(pe_session, handle, stop_one, MPI_T_ERR_PVAR_NO_STARTSTOP, "stopped");
}

int tf_t_pvar_reset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle)
{
    return change(pe_session, handle, reset_one, MPI_T_ERR_PVAR_NO_WRITE, "reset");
}

int tf_t_pvar_read(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf)
{
    struct tf_tool *tool;
    int err = find_handle(pe_session, handle, &tool);
    return err ? err : read_one(tool, buf);
}

int tf_t_pvar_write(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, const void *buf)
{
    struct tf_tool *tool;
    int err = find_handle(pe_session, handle, &tool);
    if (err)
        return err;
    struct tf_pvar pvar = row_of(tool);
    if (tf_pvar_is_continuous(&pvar))
        return tf_error(MPI_T_ERR_PVAR_NO_WRITE, "treefold_%s is what it is now: it cannot be written", pvar.name);
    bool timer = pvar.class == MPI_T_PVAR_CLASS_TIMER;
    if (timer && !(*(const double *)buf >= 0))
        return tf_error(MPI_T_ERR_INVALID, "a time is %g; it must be at least 0", *(const double *)buf);
    set_one(tool, timer ? (uint64_t)(*(const double *)buf * 1e9) : *(const unsigned long long *)buf);
    return MPI_SUCCESS;
}

int tf_t_pvar_readreset(MPI_T_pvar_session pe_session, MPI_T_pvar_handle handle, void *buf)
{
    struct tf_tool *tool;
    int err = find_handle(pe_session, handle, &tool);
    if (err)
        return err;
    struct tf_pvar pvar = row_of(tool);
    if (tf_pvar_is_continuous(&pvar))
        return tf_error(MPI_T_ERR_PVAR_NO_ATOMIC, "treefold_%s is what it is now: it cannot be reset", pvar.name);
    err = read_one(tool, buf);
    if (!err)
        reset_one(tool);
    return err;
}
