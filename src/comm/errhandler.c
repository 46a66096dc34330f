/* errhandler.c - error handlers, and what becomes of an error at the end of a procedure.
 *
 * MPI_ERRORS_ABORT ends the processes of the communicator; a job of which some processes are gone cannot go on, so it
 * ends them all, like MPI_ERRORS_ARE_FATAL.
 */
#include "comm/errhandler.h"

#include <stdio.h>

#define PREDEFINED(name) .obj = {.handle = (uint32_t)(uintptr_t)name, .refs = 1}

struct tf_errhandler tf_errors_are_fatal = {PREDEFINED(MPI_ERRORS_ARE_FATAL), .fatal = true};
static struct tf_errhandler errors_abort = {PREDEFINED(MPI_ERRORS_ABORT), .abort = true};
static struct tf_errhandler errors_return = {PREDEFINED(MPI_ERRORS_RETURN)};
static struct tf_object *predefined[] = {NULL, &tf_errors_are_fatal.obj, &errors_abort.obj, &errors_return.obj};

struct tf_pool tf_errhandler_pool = {.what = "error handler",
                                     .kind = TF_KIND_ERRHANDLER,
                                     .size = sizeof(struct tf_errhandler),
                                     .predef_first = (uint32_t)(uintptr_t)MPI_ERRHANDLER_NULL,
                                     .predef_count = TF_ARRAY_LEN(predefined),
                                     .predef = predefined};

/* ---- objects ---- */

static bool is_predefined(const struct tf_errhandler *errhandler)
{
    return !errhandler->comm && !errhandler->comm_x;
}

void tf_errhandler_retain(struct tf_errhandler *errhandler)
{
    if (!is_predefined(errhandler))
        errhandler->obj.refs++;
}

void tf_errhandler_release(struct tf_errhandler *errhandler)
{
    if (is_predefined(errhandler) || --errhandler->obj.refs > 0)
        return;
    MPIX_Destructor_function *destructor = errhandler->destructor;
    void *context = errhandler->context;
    tf_pool_give(&tf_errhandler_pool, errhandler);
    if (destructor)
        destructor(context);
}

static int create(bool given, struct tf_errhandler **created, MPI_Errhandler *errhandler)
{
    if (!given)
        return tf_error(MPI_ERR_ARG, "comm_errhandler_fn is a null pointer");
    struct tf_errhandler *e = tf_pool_take(&tf_errhandler_pool);
    if (!e)
        return MPI_ERR_NO_MEM;
    e->held = 1;
    *created = e;
    *errhandler = (MPI_Errhandler)(uintptr_t)e->obj.handle;
    return MPI_SUCCESS;
}

int tf_comm_create_errhandler(MPI_Comm_errhandler_function *fn, MPI_Errhandler *errhandler)
{
    struct tf_errhandler *e;
    int err = create(fn != NULL, &e, errhandler);
    if (!err)
        e->comm = fn;
    return err;
}

int tf_comm_create_errhandler_x(MPIX_Comm_errhandler_function_x *fn, MPIX_Destructor_function *destructor,
                                void *context, MPI_Errhandler *errhandler)
{
    struct tf_errhandler *e;
    int err = create(fn != NULL, &e, errhandler);
    if (err)
        return err;
    e->comm_x = fn;
    e->destructor = destructor;
    e->context = context;
    return MPI_SUCCESS;
}

int tf_comm_set_errhandler(struct tf_comm *comm, struct tf_errhandler *errhandler)
{
    tf_errhandler_retain(errhandler);
    tf_errhandler_release(comm->errhandler);
    comm->errhandler = errhandler;
    return MPI_SUCCESS;
}

int tf_comm_get_errhandler(struct tf_comm *comm, MPI_Errhandler *errhandler)
{
    struct tf_errhandler *e = comm->errhandler;
    if (!is_predefined(e)) {
        tf_errhandler_retain(e);
        e->held++;
        tf_handle_revive(&e->obj);
    }
    *errhandler = (MPI_Errhandler)(uintptr_t)e->obj.handle;
    return MPI_SUCCESS;
}

int tf_errhandler_free(struct tf_errhandler *errhandler)
{
    /* A predefined one may have come from MPI_Comm_get_errhandler, which tells the user to free it. */
    if (is_predefined(errhandler))
        return MPI_SUCCESS;
    if (--errhandler->held == 0)
        tf_handle_retire(&errhandler->obj);
    tf_errhandler_release(errhandler);
    return MPI_SUCCESS;
}

/* ---- raising ---- */

/* "MPI_Reduce: root is 7; it must be between 0 and 3 (communicator MPI_COMM_WORLD) [MPI_ERR_ROOT]" */
static void end_job(const struct tf_comm *comm, const char *procedure, int errorcode)
{
    char who[40] = "", where[MPI_MAX_OBJECT_NAME + 40] = "", what[MPI_MAX_ERROR_STRING];
    int errclass = 0, length;
    const char *text = tf_error_text(errorcode);
    /* Copied, since asking after an unknown code records an error of its own. */
    if (text)
        snprintf(what, sizeof what, "%s", text);
    else if (tf_error_string(errorcode, what, &length) || length == 0)
        snprintf(what, sizeof what, "error code %d", errorcode);
    if (tf_world.initialized && !tf_world.finalized)
        snprintf(who, sizeof who, "rank %d: ", tf_world.rank);
    if (comm)
        snprintf(where, sizeof where, " (communicator %s)", tf_comm_describe(comm));
    tf_error_class(errorcode, &errclass);
    tf_fatal(errclass > 0 && errclass < 126 ? errclass : 1, "treefold: %s%s: %s%s [%s]\n", who, procedure, what, where,
             tf_error_name(errorcode));
}

int tf_errhandler_raise(struct tf_comm *comm, const char *procedure, int errclass)
{
    if (errclass == MPI_SUCCESS)
        return MPI_SUCCESS;
    /* What concerns no communicator goes to MPI_COMM_SELF (section 9.3); without one it is fatal. */
    struct tf_comm *to = comm ? comm : tf_comm_self;
    struct tf_errhandler *e = to && to->errhandler ? to->errhandler : &tf_errors_are_fatal;
    if (e->fatal || e->abort)
        end_job(comm, procedure, errclass);
    if (!is_predefined(e)) {
        MPI_Comm handle = (MPI_Comm)(uintptr_t)(to->obj.handle & 0x7fffffffu);
        int code = errclass;
        /* The handler may set another, or free the communicator. */
        tf_errhandler_retain(e);
        if (e->comm)
            e->comm(&handle, &code, procedure);
        else
            e->comm_x(handle, code, e->context);
        tf_errhandler_release(e);
    }
    return errclass;
}

int tf_comm_call_errhandler(struct tf_comm *comm, int errorcode)
{
    tf_errhandler_raise(comm, "MPI_Comm_call_errhandler", errorcode);
    return MPI_SUCCESS;
}
