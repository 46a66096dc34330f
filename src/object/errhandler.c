/* errhandler.c - error handlers, and what becomes of an error at the end of a procedure.
 *
 * MPI_ERRORS_ABORT ends the processes of the communicator, or the group behind another object; a job of which some
 * processes are gone cannot go on, so it ends them all, like MPI_ERRORS_ARE_FATAL.
 */
#include "object/errhandler.h"

#include "base/caller.h"
#include "base/settings.h"
#include "object/error_class.h"

#include <stdio.h>

#define PREDEFINED(name) .obj = {.handle = (uint32_t)(uintptr_t)name, .refs = 1}

struct tf_errhandler tf_errors_are_fatal = {PREDEFINED(MPI_ERRORS_ARE_FATAL), .fatal = true};
static struct tf_errhandler errors_abort = {PREDEFINED(MPI_ERRORS_ABORT), .abort = true};
static struct tf_errhandler errors_return = {PREDEFINED(MPI_ERRORS_RETURN)};
static struct tf_object *predefined[] = {NULL, &tf_errors_are_fatal.obj, &errors_abort.obj, &errors_return.obj};

static char *chunks[TF_POOL_CHUNKS];

struct tf_pool tf_errhandler_pool = {.what = "error handler",
                                     .kind = TF_KIND_ERRHANDLER,
                                     .chunks = chunks,
                                     .lasting = true,
                                     .size = sizeof(struct tf_errhandler),
                                     .predef_first = (uint32_t)(uintptr_t)MPI_ERRHANDLER_NULL,
                                     .predef_count = TF_ARRAY_LEN(predefined),
                                     .predef = predefined};

struct tf_errhandler *tf_errhandler_initial(void)
{
    struct tf_errhandler *const words[] = {&tf_errors_are_fatal, &errors_abort, &errors_return};
    return words[tf_settings.initial_errhandler];
}

/* ---- objects ---- */

static bool is_predefined(const struct tf_errhandler *errhandler)
{
    return !errhandler->fn && !errhandler->fn_x;
}

void tf_errhandler_retain(struct tf_errhandler *errhandler)
{
    if (is_predefined(errhandler))
        return;
    tf_lock_take();
    errhandler->obj.refs++;
    tf_lock_drop();
}

static void let_go(struct tf_errhandler *errhandler, bool lends)
{
    if (is_predefined(errhandler))
        return;
    tf_lock_take();
    MPIX_Destructor_function *destructor = errhandler->destructor;
    void *context = errhandler->context;
    bool last = --errhandler->obj.refs == 0;
    if (last)
        tf_pool_give(&tf_errhandler_pool, errhandler);
    tf_lock_drop();
    if (!last || !destructor)
        return;
    bool lent = lends && tf_lock_lend();
    destructor(context);
    tf_lock_take_back(lent);
}

/* By what had it, which is half gone: nobody else may see that. */
void tf_errhandler_release(struct tf_errhandler *errhandler)
{
    let_go(errhandler, false);
}

int tf_errhandler_create(enum tf_kind owner, tf_errhandler_function *fn, tf_errhandler_function *fn_x,
                         MPIX_Destructor_function *destructor, void *context, MPI_Errhandler *errhandler)
{
    if (!fn && !fn_x)
        return tf_error(MPI_ERR_ARG, "the function of the error handler is a null pointer");
    struct tf_errhandler *e = tf_pool_take(&tf_errhandler_pool);
    if (!e)
        return MPI_ERR_NO_MEM;
    e->owner = owner;
    e->fn = fn;
    e->fn_x = fn_x;
    e->destructor = destructor;
    e->context = context;
    e->held = 1;
    *errhandler = (MPI_Errhandler)(uintptr_t)e->obj.handle;
    return MPI_SUCCESS;
}

/* "communicator" */
static const char *word_of(enum tf_kind kind)
{
    switch (kind) {
#define TF_ERRHANDLER(object, KIND, Stem, ctype, word)                                                                 \
    case TF_KIND_##KIND:                                                                                               \
        return word;
#include "base/gen/handles.def"
    default:
        return "object";
    }
}

int tf_errhandler_attach(struct tf_errhandler **of, enum tf_kind kind, struct tf_errhandler *errhandler)
{
    if (!is_predefined(errhandler) && errhandler->owner != kind)
        return tf_error(MPI_ERR_ERRHANDLER, "errhandler is one for a %s, not for a %s", word_of(errhandler->owner),
                        word_of(kind));
    struct tf_errhandler *before = *of;
    tf_errhandler_retain(errhandler);
    *of = errhandler;
    let_go(before, true);
    return MPI_SUCCESS;
}

int tf_errhandler_share(struct tf_errhandler *of, MPI_Errhandler *errhandler)
{
    if (!is_predefined(of)) {
        tf_lock_take();
        tf_errhandler_retain(of);
        of->held++;
        tf_handle_revive(&of->obj);
        tf_lock_drop();
    }
    *errhandler = (MPI_Errhandler)(uintptr_t)of->obj.handle;
    return MPI_SUCCESS;
}

int tf_errhandler_free(struct tf_errhandler *errhandler)
{
    /* A predefined one may have come from MPI_Comm_get_errhandler, which tells the user to free it. */
    if (is_predefined(errhandler))
        return MPI_SUCCESS;
    if (--errhandler->held == 0)
        tf_handle_retire(&errhandler->obj);
    let_go(errhandler, true);
    return MPI_SUCCESS;
}

/* ---- raising ---- */

/* "MPI_Reduce: root is 7; it must be between 0 and 3 (communicator MPI_COMM_WORLD) [MPI_ERR_ROOT]" */
static void end_job(const struct tf_error_site *site, const char *procedure, int errorcode)
{
    char who[40] = "", where[MPI_MAX_OBJECT_NAME + 40] = "", what[MPI_MAX_ERROR_STRING];
    int errclass = 0, length;
    const char *text = tf_error_text(errorcode);
    /* Copied, since asking after an unknown code records an error of its own. */
    if (text)
        snprintf(what, sizeof what, "%s", text);
    else if (tf_error_string(errorcode, what, &length) || length == 0)
        snprintf(what, sizeof what, "error code %d", errorcode);
    if (tf_library.users > 0)
        snprintf(who, sizeof who, "rank %d: ", tf_job.rank);
    if (site->name)
        snprintf(where, sizeof where, " (%s %s)", word_of(site->kind), site->name);
    tf_error_class(errorcode, &errclass);
    tf_fatal(errclass > 0 && errclass < 126 ? errclass : 1, "treefold: %s%s: %s%s [%s]\n", who, procedure, what, where,
             tf_error_name(errorcode));
}

/* *code is the one "to be returned by the MPI routine that raised the error" (section 9.3.1): the function may change
 * it, as in other MPI libraries. */
static void call_user(const struct tf_errhandler *e, uint32_t object, const char *procedure, int *code)
{
    switch (e->owner) {
#define TF_ERRHANDLER(object_, KIND, Stem, ctype, word)                                                                \
    case TF_KIND_##KIND: {                                                                                             \
        ctype handle = (ctype)(uintptr_t)object;                                                                       \
        if (e->fn)                                                                                                     \
            ((MPI_##Stem##_errhandler_function *)e->fn)(&handle, code, procedure);                                     \
        else                                                                                                           \
            ((MPIX_##Stem##_errhandler_function_x *)e->fn_x)(handle, *code, e->context);                               \
        break;                                                                                                         \
    }
#include "base/gen/handles.def"
    default:
        break;
    }
}

int tf_error_raise(struct tf_error_site site, const char *procedure, int errclass)
{
    if (errclass == MPI_SUCCESS)
        return MPI_SUCCESS;
    struct tf_errhandler *e = site.errhandler ? site.errhandler : &tf_errors_are_fatal;
    tf_error_raised(procedure);
    if (e->fatal || e->abort)
        end_job(&site, procedure, errclass);
    if (!is_predefined(e)) {
        /* It may set another, or free the object; only its context has to last.  It need not return. */
        const struct tf_errhandler called = *e;
        if (called.destructor)
            tf_errhandler_retain(e);
        int depth = tf_caller_lend();
        bool lent = tf_lock_lend();
        call_user(&called, site.handle & 0x7fffffffu, procedure, &errclass);
        tf_lock_take_back(lent);
        tf_caller_take_back(depth);
        if (called.destructor)
            let_go(e, true);
    }
    return errclass;
}

/* The null handle of a class. */
static uint32_t null_of(enum tf_kind kind)
{
    switch (kind) {
#define TF_HANDLE(object, KIND, ctype, a_word, null, first, last, errclass)                                            \
    case TF_KIND_##KIND:                                                                                               \
        return first;
#include "base/gen/handles.def"
    default:
        return 0;
    }
}

struct tf_error_site tf_errhandler_site(struct tf_errhandler *errhandler)
{
    enum tf_kind kind = errhandler->owner;
    return (struct tf_error_site){.errhandler = errhandler, .kind = kind, .handle = null_of(kind)};
}

int tf_error_call(struct tf_error_site site, const char *procedure, int errorcode)
{
    tf_error_raise(site, procedure, errorcode);
    return MPI_SUCCESS;
}

int tf_error_tell(struct tf_error_site site, const char *procedure, int errclass, const char *words)
{
    tf_error_record(errclass, "%s", words);
    return tf_error_call(site, procedure, errclass);
}
