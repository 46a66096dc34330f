/* What may be called at any time is safe for threads at every level of them (MPI-5.0 section 11.4.1), before MPI_Init
 * and beside calls of the thread that may: infos, error handlers, keys of attributes, error classes.
 *
 * np: 1 2
 * flags: -pthread
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "check.h"

enum { THREADS = 4, TURNS = 60, AT_ONCE = 40 };

static atomic_int copied, deleted;

static int copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)comm, (void)keyval, (void)state;
    copied++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    deleted++;
    return MPI_SUCCESS;
}

static void handle(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static void infos(int thread)
{
    MPI_Info info[AT_ONCE], twin;
    char mine[20], value[20];
    snprintf(mine, sizeof mine, "thread %d", thread);
    for (int i = 0; i < AT_ONCE; i++) {
        CHECK_OK(MPI_Info_create(&info[i]));
        CHECK_OK(MPI_Info_set(info[i], "whose", mine));
    }
    for (int i = 0; i < AT_ONCE; i++) {
        int length = sizeof value, flag = 0;
        CHECK_OK(MPI_Info_dup(info[i], &twin));
        CHECK_OK(MPI_Info_free(&info[i]));
        CHECK_OK(MPI_Info_get_string(twin, "whose", &length, value, &flag));
        CHECK_INT(flag, 1);
        CHECK_STRING(value, mine);
        CHECK_OK(MPI_Info_free(&twin));
    }
}

static void handlers_and_keys(void)
{
    MPI_Errhandler errhandler[AT_ONCE];
    int key[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++) {
        CHECK_OK(MPI_Comm_create_errhandler(handle, &errhandler[i]));
        CHECK_OK(MPI_Comm_create_keyval(copy, delete, &key[i], NULL));
        CHECK(i == 0 || (key[i] != key[i - 1] && errhandler[i] != errhandler[i - 1]));
    }
    for (int i = 0; i < AT_ONCE; i++) {
        CHECK_OK(MPI_Errhandler_free(&errhandler[i]));
        CHECK_OK(MPI_Comm_free_keyval(&key[i]));
    }
}

static void classes(int thread)
{
    int class, code, length, found;
    char mine[20], text[MPI_MAX_ERROR_STRING];
    snprintf(mine, sizeof mine, "of thread %d", thread);
    CHECK_OK(MPI_Add_error_class(&class));
    CHECK_OK(MPI_Add_error_code(class, &code));
    CHECK_OK(MPI_Add_error_string(code, mine));
    CHECK_OK(MPI_Error_class(code, &found));
    CHECK_INT(found, class);
    CHECK_OK(MPI_Error_string(code, text, &length));
    CHECK_STRING(text, mine);
    CHECK_OK(MPI_Remove_error_string(code));
    CHECK_OK(MPI_Remove_error_code(code));
    CHECK_OK(MPI_Remove_error_class(class));
}

static void *at_any_time(void *number)
{
    for (int i = 0; i < TURNS; i++) {
        infos(*(int *)number);
        handlers_and_keys();
        classes(*(int *)number);
    }
    return NULL;
}

/* The one thread that may: what it calls uses infos, error handlers and keys. */
static void communicators(void)
{
    for (int i = 0; i < TURNS; i++) {
        MPI_Comm dup, twin;
        MPI_Errhandler errhandler;
        MPI_Info info;
        int key, flag;
        void *value = NULL;
        copied = deleted = 0;
        CHECK_OK(MPI_Info_create(&info));
        CHECK_OK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
        CHECK_OK(MPI_Comm_create_errhandler(handle, &errhandler));
        CHECK_OK(MPI_Comm_create_keyval(copy, delete, &key, NULL));
        CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &dup));
        CHECK_OK(MPI_Comm_set_errhandler(dup, errhandler));
        CHECK_OK(MPI_Comm_set_attr(dup, key, &copied));
        CHECK_OK(MPI_Comm_dup(dup, &twin));
        CHECK_OK(MPI_Errhandler_free(&errhandler));
        CHECK_OK(MPI_Comm_get_attr(twin, key, &value, &flag));
        CHECK(flag && value == &copied);
        CHECK_OK(MPI_Comm_free_keyval(&key));
        CHECK_OK(MPI_Info_free(&info));
        CHECK_OK(MPI_Comm_get_errhandler(twin, &errhandler));
        CHECK_OK(MPI_Errhandler_free(&errhandler));
        CHECK_OK(MPI_Comm_get_info(twin, &info));
        CHECK_OK(MPI_Info_free(&info));
        CHECK_OK(MPI_Comm_free(&dup));
        CHECK_OK(MPI_Comm_free(&twin));
        CHECK_INT(copied, 1);
        CHECK_INT(deleted, 2);
    }
}

static void begin(pthread_t *threads)
{
    static int number[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        CHECK(pthread_create(&threads[i], NULL, at_any_time, &number[i]) == 0);
    }
}

static void end(pthread_t *threads)
{
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    begin(threads);
    check_start(&argc, &argv);
    end(threads);
    begin(threads);
    communicators();
    end(threads);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    return check_end();
}
