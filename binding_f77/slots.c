/* slots.c - the tables of trampolines.
 */
#include "slots.h"

#include <stdatomic.h>
#include <stdio.h>

#define FOUR(X, n) X(n##0) X(n##1) X(n##2) X(n##3)
#define SIXTEEN(X, n) FOUR(X, n##0) FOUR(X, n##1) FOUR(X, n##2) FOUR(X, n##3)
#define SIXTY_FOUR(X, n) SIXTEEN(X, n##0) SIXTEEN(X, n##1) SIXTEEN(X, n##2) SIXTEEN(X, n##3)
/* X(0000) to X(3333): numbers with the digits 0 to 3. */
#define EACH(X) SIXTY_FOUR(X, 0) SIXTY_FOUR(X, 1) SIXTY_FOUR(X, 2) SIXTY_FOUR(X, 3)

enum {
#define NUMBER(n) SLOT_##n,
    EACH(NUMBER)
};

/* All handles of the ABI are pointers to something: for a call they are alike. */
struct handle_target;
typedef void call_errhandler(struct handle_target *handle, int error_code, void *context);

static void *operators[TF_SLOTS], *errhandlers[TF_SLOTS];
static call_errhandler *errhandler_calls[TF_SLOTS];
static atomic_int operators_taken, errhandlers_taken;

#define TRAMPOLINES(n)                                                                                                 \
    static void operator_##n(void *in, void *inout, int *length, MPI_Datatype *datatype)                               \
    {                                                                                                                  \
        tf_call_operator(in, inout, *length, *datatype, operators[SLOT_##n]);                                          \
    }                                                                                                                  \
    static void errhandler_##n(struct handle_target **handle, int *error_code, ...)                                    \
    {                                                                                                                  \
        errhandler_calls[SLOT_##n](*handle, *error_code, errhandlers[SLOT_##n]);                                       \
    }
EACH(TRAMPOLINES)

static MPI_User_function *const operator_functions[] = {
#define OPERATOR(n) operator_##n,
    EACH(OPERATOR)};
static tf_function *const errhandler_functions[] = {
#define ERRHANDLER(n) (tf_function *)errhandler_##n,
    EACH(ERRHANDLER)};

/* A new slot with the context in it, or -1. */
static int take(void **slots, atomic_int *taken, void *context, const char *what)
{
    int slot = atomic_fetch_add(taken, 1);
    if (slot >= TF_SLOTS) {
        atomic_store(taken, TF_SLOTS);
        fprintf(stderr,
                "libmpifort_abi: this MPI library has no MPIX procedures, so only %d %s may be made of Fortran "
                "functions\n",
                TF_SLOTS, what);
        return -1;
    }
    slots[slot] = context;
    return slot;
}

int tf_slots_full(void)
{
    PMPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
}

int tf_op_create_by_slot(void *context, int commute, MPI_Op *op)
{
    int slot = take(operators, &operators_taken, context, "operators");
    return slot < 0 ? tf_slots_full() : MPI_Op_create(operator_functions[slot], commute, op);
}

tf_function *tf_errhandler_slot(tf_function *call, void *context)
{
    int slot = take(errhandlers, &errhandlers_taken, context, "error handlers");
    if (slot < 0)
        return NULL;
    errhandler_calls[slot] = (call_errhandler *)call;
    return errhandler_functions[slot];
}
