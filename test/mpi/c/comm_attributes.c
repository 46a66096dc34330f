/* Attributes with copy and delete callbacks, names, info and error handlers of communicators.
 *
 * np: 1 2 3
 */
#include "check.h"

static int copies, deletes, handled, handled_class;
static MPI_Comm handled_comm;

static int copy(MPI_Comm old, int key, void *extra, void *in, void *out, int *flag)
{
    (void)old;
    (void)key;
    copies++;
    *(void **)out = (char *)in + *(int *)extra;
    *flag = 1;
    return MPI_SUCCESS;
}

static int no_copy(MPI_Comm old, int key, void *extra, void *in, void *out, int *flag)
{
    (void)old, (void)key, (void)extra, (void)in, (void)out;
    copies++;
    *flag = 0;
    return MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    deletes++;
    return MPI_SUCCESS;
}

static int refusal = MPI_ERR_OTHER;

static int refuse(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    return refusal;
}

static void attributes(void)
{
    int step = 8, keys[4], flag, base[4];
    void *value = NULL;
    MPI_Comm comm, dup;
    CHECK_OK(MPI_Comm_create_keyval(copy, forget, &keys[0], &step));
    CHECK_OK(MPI_Comm_create_keyval(no_copy, forget, &keys[1], &step));
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keys[2], NULL));
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &keys[3], NULL));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_get_attr(comm, keys[0], &value, &flag));
    CHECK_INT(flag, 0);
    for (int k = 0; k < 4; k++)
        CHECK_OK(MPI_Comm_set_attr(comm, keys[k], &base[k]));
    CHECK_OK(MPI_Comm_dup(comm, &dup));
    CHECK_INT(copies, 2);
    CHECK_OK(MPI_Comm_get_attr(dup, keys[0], &value, &flag));
    CHECK(flag && value == (char *)&base[0] + step);
    CHECK_OK(MPI_Comm_get_attr(dup, keys[1], &value, &flag));
    CHECK_INT(flag, 0);
    CHECK_OK(MPI_Comm_get_attr(dup, keys[2], &value, &flag));
    CHECK(flag && value == &base[2]);
    CHECK_OK(MPI_Comm_get_attr(dup, keys[3], &value, &flag));
    CHECK_INT(flag, 0);

    CHECK_OK(MPI_Comm_set_attr(dup, keys[0], &base[1])); /* the old value is deleted */
    CHECK_INT(deletes, 1);
    CHECK_OK(MPI_Comm_delete_attr(dup, keys[0]));
    CHECK_INT(deletes, 2);
    CHECK_OK(MPI_Comm_get_attr(dup, keys[0], &value, &flag));
    CHECK_INT(flag, 0);
    CHECK_OK(MPI_Comm_free(&dup));
    CHECK_INT(deletes, 2);

    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK(MPI_Comm_delete_attr(comm, keys[3]) != MPI_SUCCESS); /* its callback refuses: it stays */
    CHECK_OK(MPI_Comm_get_attr(comm, keys[3], &value, &flag));
    CHECK(flag && value == &base[3]);
#ifdef TREEFOLD
    CHECK(MPI_Comm_free(&comm) != MPI_SUCCESS);
#endif
    refusal = MPI_SUCCESS;
    CHECK_OK(MPI_Comm_free(&comm));
    for (int k = 0; k < 4; k++) {
        CHECK_OK(MPI_Comm_free_keyval(&keys[k]));
        CHECK_INT(keys[k], MPI_KEYVAL_INVALID);
    }
}

#ifdef TREEFOLD
static int bad_copy(MPI_Comm old, int key, void *extra, void *in, void *out, int *flag)
{
    (void)old, (void)key, (void)extra, (void)in, (void)out;
    *flag = 1;
    return MPI_ERR_OTHER;
}

static int bad_type_copy(MPI_Datatype old, int key, void *extra, void *in, void *out, int *flag)
{
    (void)old, (void)key, (void)extra, (void)in, (void)out;
    *flag = 1;
    return MPI_ERR_OTHER;
}

static int deletions;

static int delete_with_key(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)value, (void)extra;
    deletions++;
    CHECK_OK(MPI_Comm_free_keyval(&key));
    CHECK_INT(key, MPI_KEYVAL_INVALID);
    return MPI_SUCCESS;
}

/* As long as attributes have it a key is there, and who frees it once more does no harm. */
static void key_freed_again(void)
{
    int key, copy, value = 0;
    MPI_Comm first, second;
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete_with_key, &key, NULL));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &first));
    CHECK_OK(MPI_Comm_set_attr(first, key, &value));
    CHECK_OK(MPI_Comm_dup(first, &second));
    copy = key;
    CHECK_OK(MPI_Comm_free_keyval(&key));
    key = copy;
    CHECK_OK(MPI_Comm_free_keyval(&key));
    CHECK_INT(key, MPI_KEYVAL_INVALID);
    CHECK_OK(MPI_Comm_free(&first));
    CHECK_INT(deletions, 1);
    CHECK_OK(MPI_Comm_free(&second));
    CHECK_INT(deletions, 2);
    CHECK_CLASS(MPI_Comm_free_keyval(&copy), MPI_ERR_KEYVAL); /* nothing has it any more */
}

/* By the delete function of the value before: the new value has it. */
static void key_freed_by_a_new_value(void)
{
    int key, other, found = 0, values[2], *value = NULL;
    MPI_Comm comm;
    deletions = 0;
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_with_key, &key, NULL));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    CHECK_OK(MPI_Comm_set_attr(comm, key, &values[0]));
    CHECK_OK(MPI_Comm_set_attr(comm, key, &values[1]));
    CHECK_INT(deletions, 1);
    CHECK_OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &other, NULL));
    CHECK(other != key);
    CHECK_OK(MPI_Comm_get_attr(comm, other, &value, &found));
    CHECK_INT(found, 0);
    CHECK_OK(MPI_Comm_get_attr(comm, key, &value, &found));
    CHECK(found && value == &values[1]);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_INT(deletions, 2);
    CHECK_CLASS(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
    CHECK_OK(MPI_Comm_free_keyval(&other));
}

/* The standard leaves open what the new handle is then.  It is null, as in MPICH and Open MPI: programs look at it. */
static void failed_copies(void)
{
    int key, value;
    MPI_Comm comm, dup = MPI_COMM_WORLD;
    MPI_Datatype type, copied = MPI_INT;
    CHECK_OK(MPI_Comm_create_keyval(bad_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_attr(comm, key, &value));
    CHECK_CLASS(MPI_Comm_dup(comm, &dup), MPI_ERR_OTHER);
    CHECK(dup == MPI_COMM_NULL);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Comm_free_keyval(&key));

    CHECK_OK(MPI_Type_create_keyval(bad_type_copy, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
    CHECK_OK(MPI_Type_dup(MPI_INT, &type));
    CHECK_OK(MPI_Type_set_attr(type, key, &value));
    CHECK_CLASS(MPI_Type_dup(type, &copied), MPI_ERR_OTHER);
    CHECK(copied == MPI_DATATYPE_NULL);
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Type_free_keyval(&key));
}
#endif

static void predefined(void)
{
    int *value = NULL, flag = 0;
    const int keys[] = {MPI_TAG_UB, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_HOST, MPI_IO};
    for (int k = 0; k < 6; k++)
        CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, keys[k], &value, &flag));
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
    CHECK(flag && *value >= 32767);
    CHECK_OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag));
    CHECK(flag && (*value == 0 || *value == 1));
}

static void names(void)
{
    MPI_Comm comm;
    char name[MPI_MAX_OBJECT_NAME], longest[MPI_MAX_OBJECT_NAME];
    int len = -1;
    CHECK_OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &len));
    CHECK_STRING(name, "MPI_COMM_WORLD");
    CHECK_INT(len, 14);
    CHECK_OK(MPI_Comm_get_name(MPI_COMM_SELF, name, &len));
    CHECK_STRING(name, "MPI_COMM_SELF");
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_get_name(comm, name, &len));
    CHECK_INT(len, 0); /* a name is not copied: section 7.8 */
    CHECK_STRING(name, "");
    CHECK_OK(MPI_Comm_set_name(comm, "rows of the matrix"));
    CHECK_OK(MPI_Comm_get_name(comm, name, &len));
    CHECK_STRING(name, "rows of the matrix");
    memset(longest, 'n', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    CHECK_OK(MPI_Comm_set_name(comm, longest));
    CHECK_OK(MPI_Comm_get_name(comm, name, &len));
    CHECK_STRING(name, longest);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Type_get_name(MPI_DOUBLE, name, &len));
    CHECK_STRING(name, "MPI_DOUBLE");
}

static void handler(MPI_Comm *comm, int *code, ...)
{
    handled++;
    handled_comm = *comm;
    MPI_Error_class(*code, &handled_class);
}

static void error_handlers(void)
{
    MPI_Errhandler mine, got = MPI_ERRHANDLER_NULL;
    MPI_Comm comm, dup;
    int value = 0;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    CHECK_OK(MPI_Comm_create_errhandler(handler, &mine));
    CHECK_OK(MPI_Comm_set_errhandler(comm, mine));
    CHECK_OK(MPI_Errhandler_free(&mine)); /* the communicator keeps it */
    CHECK(mine == MPI_ERRHANDLER_NULL);
    CHECK_CLASS(MPI_Send(&value, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT);
    CHECK_INT(handled, 1);
    CHECK(handled_comm == comm);
    CHECK_INT(handled_class, MPI_ERR_COUNT);
    CHECK_OK(MPI_Comm_dup(comm, &dup)); /* inherits it */
    CHECK_CLASS(MPI_Bcast(&value, 1, MPI_INT, check_size, dup), MPI_ERR_ROOT);
    CHECK_INT(handled, 2);
    CHECK_INT(handled_class, MPI_ERR_ROOT);
    CHECK_OK(MPI_Comm_call_errhandler(dup, MPI_ERR_TAG));
    CHECK_INT(handled, 3);
    CHECK_OK(MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN));
    CHECK_CLASS(MPI_Send(&value, -1, MPI_INT, 0, 0, dup), MPI_ERR_COUNT);
    CHECK_INT(handled, 3);
    CHECK_OK(MPI_Comm_get_errhandler(dup, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    CHECK_OK(MPI_Comm_free(&comm));
    CHECK_OK(MPI_Comm_free(&dup));
}

static void error_codes(void)
{
    int class, code, code_class, len;
    char text[MPI_MAX_ERROR_STRING];
    for (int c = 1; c <= MPI_ERR_UNKNOWN; c++) {
        text[0] = 0;
        len = 0;
        CHECK_OK(MPI_Error_string(c, text, &len));
        CHECK_NOTED(len > 0 && (int)strlen(text) == len, "no words for error class %d", c);
    }
    CHECK_OK(MPI_Add_error_class(&class));
    CHECK(class > MPI_ERR_LASTCODE);
    CHECK_OK(MPI_Add_error_code(class, &code));
    CHECK_OK(MPI_Add_error_string(code, "the oven is cold"));
    CHECK_OK(MPI_Error_string(code, text, &len));
    CHECK_STRING(text, "the oven is cold");
    CHECK_OK(MPI_Error_class(code, &code_class));
    CHECK_INT(code_class, class);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    attributes();
#ifdef TREEFOLD
    failed_copies();
    key_freed_again();
    key_freed_by_a_new_value();
#endif
    predefined();
    names();
    error_handlers();
    error_codes();
    return check_end();
}
