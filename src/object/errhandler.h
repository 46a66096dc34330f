/* errhandler.h - error handlers, and what becomes of an error at the end of a procedure (MPI-5.0 section 9.3).
 *
 * An object on which errors can be raised holds a reference to an error handler, and its folder tells the site.
 */
#ifndef TF_ERRHANDLER_H
#define TF_ERRHANDLER_H

#include "base/handle.h"

typedef void tf_errhandler_function(void);

struct tf_errhandler {
    struct tf_object obj;
    bool fatal, abort;            /* MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT */
    enum tf_kind owner;           /* of a user's function: the kind of objects that it is for */
    tf_errhandler_function *fn;   /* MPI_..._errhandler_function or MPIX_..._errhandler_function_x of that kind, or */
    tf_errhandler_function *fn_x; /* neither: MPI_ERRORS_RETURN */
    MPIX_Destructor_function *destructor; /* of context, which fn_x gets */
    void *context;
    int held; /* references that are handles of the user; at 0 the handle is stale (see tf_handle_retire) */
};

extern struct tf_errhandler tf_errors_are_fatal;
/* That of the communicators that are there from the beginning (section 9.3): the setting initial_errhandler. */
struct tf_errhandler *tf_errhandler_initial(void);

/* ---- raising ---- */

/* Where an error is raised. */
struct tf_error_site {
    struct tf_errhandler *errhandler; /* NULL: MPI_ERRORS_ARE_FATAL */
    enum tf_kind kind;                /* of the object, and */
    uint32_t handle;                  /* its handle, which the error handler gets */
    const char *name;                 /* for words: "MPI_COMM_WORLD"; NULL: the call concerned no object */
};

/* The end of every binding whose procedure failed: applies the error handler to `errclass` with the text of tf_error(),
 * names the procedure, and returns the code that the procedure returns. */
int tf_error_raise(struct tf_error_site site, const char *procedure, int errclass) TF_COLD;
/* What MPI_..._call_errhandler does: the same, and MPI_SUCCESS once the handler has returned (section 9.5). */
int tf_error_call(struct tf_error_site site, const char *procedure, int errorcode) TF_COLD;
/* The same, in words, for a procedure whose name stays where it is. */
int tf_error_tell(struct tf_error_site site, const char *procedure, int errclass, const char *words) TF_COLD;

/* tf_comm_site() and so on: the site of an object, which its folder implements; of NULL, where there is none because
 * the handle was wrong, that which the standard gives such errors.  What concerns no object at all is raised on
 * MPI_COMM_SELF (section 9.3): tf_comm_site(NULL). */
#define TF_ERRHANDLER(object, KIND, Stem, ctype, word)                                                                 \
    struct tf_##object;                                                                                                \
    struct tf_error_site tf_##object##_site(const struct tf_##object *object) TF_COLD;
#include "base/gen/handles.def"

/* The site of procedures that get an error handler as an argument and have no object yet: the null handle of what it is
 * for. */
struct tf_error_site tf_errhandler_site(struct tf_errhandler *errhandler) TF_COLD;

/* ---- objects: arguments in MPI's order, handlers as objects ---- */

/* A handler of a function, or of one with a context; the destructor, if there is one, gets that once, when nothing uses
 * the handler. */
int tf_errhandler_create(enum tf_kind owner, tf_errhandler_function *fn, tf_errhandler_function *fn_x,
                         MPIX_Destructor_function *destructor, void *context, MPI_Errhandler *errhandler);
/* Make it the handler of an object of that kind, which has it in *of. */
int tf_errhandler_attach(struct tf_errhandler **of, enum tf_kind kind, struct tf_errhandler *errhandler);
/* A new handle of the handler in force, which the user frees. */
int tf_errhandler_share(struct tf_errhandler *of, MPI_Errhandler *errhandler);
/* The caller sets the user's variable to MPI_ERRHANDLER_NULL. */
int tf_errhandler_free(struct tf_errhandler *errhandler);

void tf_errhandler_retain(struct tf_errhandler *errhandler);
void tf_errhandler_release(struct tf_errhandler *errhandler);

/* tf_comm_create_errhandler() and so on, as MPI_Comm_create_errhandler has it, for each class that has error handlers.
 */
#define TF_ERRHANDLER(object, KIND, Stem, ctype, word)                                                                 \
    static inline int tf_##object##_create_errhandler(MPI_##Stem##_errhandler_function *fn,                            \
                                                      MPI_Errhandler *errhandler)                                      \
    {                                                                                                                  \
        return tf_errhandler_create(TF_KIND_##KIND, (tf_errhandler_function *)fn, NULL, NULL, NULL, errhandler);       \
    }                                                                                                                  \
    static inline int tf_##object##_create_errhandler_x(MPIX_##Stem##_errhandler_function_x *fn,                       \
                                                        MPIX_Destructor_function *destructor, void *context,           \
                                                        MPI_Errhandler *errhandler)                                    \
    {                                                                                                                  \
        return tf_errhandler_create(TF_KIND_##KIND, NULL, (tf_errhandler_function *)fn, destructor, context,           \
                                    errhandler);                                                                       \
    }
#include "base/gen/handles.def"

#endif
