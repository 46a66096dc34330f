/* session.c - sessions: begin, end, what they tell of themselves. */
#include "env/session.h"

#include <stdio.h>

#include "base/caller.h"
#include "base/memory.h"
#include "base/own.h"
#include "dynamic/dynamic.h"
#include "env/fork.h"
#include "env/open.h"
#include "msg/msg.h"
#include "object/info.h"

struct tf_pool tf_session_pool = {.what = "session",
                                  .kind = TF_KIND_SESSION,
                                  .size = sizeof(struct tf_session),
                                  .predef_first = (uint32_t)(uintptr_t)MPI_SESSION_NULL,
                                  .predef_count = 1,
                                  .predef = (struct tf_object *[]){NULL}};

/* What was not asked for is the most: parts of a program that do not know of each other have sessions each. */
static int level_of(const struct tf_info *info)
{
    const char *word = info ? tf_info_value(info, "thread_level") : NULL;
    for (size_t i = 0; i < TF_ARRAY_LEN(tf_thread_levels) && word; i++)
        if (strcmp(tf_thread_levels[i].word, word) == 0)
            return tf_thread_levels[i].level;
    return MPI_THREAD_MULTIPLE;
}

/* ---- life ---- */

static void session_clear(struct tf_session *session)
{
    if (session->errhandler)
        tf_errhandler_release(session->errhandler);
    tf_pool_give(&tf_session_pool, session);
}

static struct tf_session *session_create(const struct tf_info *info, struct tf_errhandler *errhandler, int *err)
{
    struct tf_session *session = tf_pool_take(&tf_session_pool);
    *err = session ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    if (!session)
        return NULL;
    session->thread_level = level_of(info);
    session->errhandler = &tf_errors_are_fatal;
    *err = tf_errhandler_attach(&session->errhandler, TF_KIND_SESSION, errhandler);
    if (!*err)
        *err = tf_env_open(session->thread_level);
    if (!*err)
        return session;
    session_clear(session);
    return NULL;
}

int tf_session_init(const struct tf_info *info, struct tf_errhandler *errhandler, MPI_Session *session)
{
    int err;
    if (tf_fork_is_child())
        return tf_fork_refuse();
    struct tf_session *made = session_create(info, errhandler, &err);
    if (err)
        return err;
    tf_library.lasting = true;
    *session = (MPI_Session)(uintptr_t)made->obj.handle;
    return MPI_SUCCESS;
}

int tf_session_finalize(struct tf_session *session)
{
    tf_buffer_flush(session);
    if (tf_library.users == 1)
        tf_dynamic_finish();
    tf_buffered_forget(session);
    session_clear(session);
    return tf_env_close();
}

struct tf_error_site tf_session_site(const struct tf_session *session)
{
    if (!session)
        return tf_comm_site(NULL);
    char *name = tf_own(TF_OWN_SESSION);
    snprintf(name, TF_OWN_BYTES, "0x%x", session->obj.handle);
    return (struct tf_error_site){session->errhandler, TF_KIND_SESSION, session->obj.handle, name};
}

int tf_session_get_info(const struct tf_session *session, MPI_Info *info)
{
    MPI_Info made;
    int err = tf_info_create(&made);
    if (err)
        return err;
    err = tf_info_set(tf_info_find(made), "thread_level", tf_thread_level_word(session->thread_level));
    if (!err)
        err = tf_info_set(tf_info_find(made), TF_MEMORY_KINDS_HINT, TF_MEMORY_KINDS);
    if (err)
        tf_info_free(tf_info_find(made));
    else
        *info = made;
    return err;
}
