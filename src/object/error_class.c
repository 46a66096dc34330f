/* error_class.c - what each error class means, and the classes, codes and strings that a program adds.
 *
 * Treefold's own error codes are the classes; what went wrong in the particular case is the text of tf_error(), which
 * MPI_Error_string puts behind the sentence of the class.  Added classes and codes count on from MPI_ERR_LASTCODE in
 * one sequence; the number that was removed last is given out next.
 */
#include "object/error_class.h"

#include <stdio.h>

#include "base/settings.h"

static const struct known {
    int errclass;
    const char *name, *sentence;
} known[] = {
#define KNOWN(name, sentence) {name, #name, sentence},
#include "object/error_class.def"
#undef KNOWN
};

static struct added {
    int errclass; /* of a code; its own number if it is a class */
    bool live;
    int ncodes; /* of a class: its codes */
    int next;   /* of one that was removed: the next such, or NONE */
    char *string;
} * added;
enum { NONE = -1 };
static int nadded, cap_added, first_removed = NONE;

static const struct known *known_find(int errorcode)
{
    /* The classes of the standard count up from 0 without a gap; only those of MPI_T stand apart. */
    if (errorcode >= 0 && errorcode <= MPI_ERR_ABI)
        return &known[errorcode];
    for (size_t i = MPI_ERR_ABI + 1; i < TF_ARRAY_LEN(known); i++) {
        if (known[i].errclass == errorcode)
            return &known[i];
    }
    return NULL;
}

static struct added *added_find(int errorcode)
{
    int i = errorcode - MPI_ERR_LASTCODE - 1;
    return errorcode > MPI_ERR_LASTCODE && i < nadded && added[i].live ? &added[i] : NULL;
}

static int code_unknown(const char *argument, int errorcode)
{
    return tf_error(MPI_ERR_ARG, "%s is %d, which is no error code of MPI or of this program", argument, errorcode);
}

int tf_error_class(int errorcode, int *errorclass)
{
    const struct added *a = added_find(errorcode);
    if (!a && !known_find(errorcode))
        return code_unknown("errorcode", errorcode);
    *errorclass = a ? a->errclass : errorcode;
    return MPI_SUCCESS;
}

int tf_error_string(int errorcode, char *string, int *resultlen)
{
    const struct known *k = known_find(errorcode);
    const struct added *a = added_find(errorcode);
    const char *text = tf_error_text(errorcode);
    if (!k && !a)
        return code_unknown("errorcode", errorcode);
    const char *procedure = tf_error_procedure();
    if (k && text)
        *resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "%s: %s: %s%s%s", k->name, k->sentence,
                              procedure ? procedure : "", procedure ? ": " : "", text);
    else if (k)
        *resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "%s: %s", k->name, k->sentence);
    else
        *resultlen = snprintf(string, MPI_MAX_ERROR_STRING, "%s", a->string ? a->string : "");
    if (*resultlen >= MPI_MAX_ERROR_STRING)
        *resultlen = MPI_MAX_ERROR_STRING - 1;
    return MPI_SUCCESS;
}

const char *tf_error_name(int errorcode)
{
    const struct known *k = known_find(errorcode);
    if (k)
        return k->name;
    return added_find(errorcode) ? "an error code that the program added" : "no error code of MPI";
}

/* ---- what the program adds ---- */

/* A place in the table, its number in *errorcode. */
static int added_take(int *errorcode)
{
    if (first_removed == NONE && nadded == cap_added) {
        int cap = cap_added ? 2 * cap_added : 16;
        struct added *list = realloc(added, (size_t)cap * sizeof *list);
        if (!list)
            return tf_error(MPI_ERR_NO_MEM, "cannot allocate a table of %d error codes", cap);
        added = list;
        cap_added = cap;
    }
    int i = first_removed;
    if (i == NONE)
        i = nadded++;
    else
        first_removed = added[i].next;
    *errorcode = MPI_ERR_LASTCODE + 1 + i;
    added[i] = (struct added){.errclass = *errorcode, .live = true, .next = NONE};
    return MPI_SUCCESS;
}

int tf_add_error_class(int *errorclass)
{
    return added_take(errorclass);
}

int tf_add_error_code(int errorclass, int *errorcode)
{
    const struct added *class = added_find(errorclass);
    if (!known_find(errorclass) && !(class && class->errclass == errorclass))
        return tf_error(MPI_ERR_ARG, "errorclass is %d, which is no error class", errorclass);
    if (errorclass == MPI_SUCCESS && tf_strict())
        return tf_error(MPI_ERR_ARG, "errorclass is MPI_SUCCESS, of which there are no error codes");
    int err = added_take(errorcode);
    if (err)
        return err;
    added_find(*errorcode)->errclass = errorclass;
    if (class)
        added_find(errorclass)->ncodes++; /* the table may have moved */
    return MPI_SUCCESS;
}

int tf_add_error_string(int errorcode, const char *string)
{
    struct added *a = added_find(errorcode);
    if (!a)
        return tf_error(MPI_ERR_ARG, "errorcode is %d, which this program has not added", errorcode);
    if (strlen(string) >= MPI_MAX_ERROR_STRING)
        return tf_error(MPI_ERR_ARG, "string has %zu characters; there may be at most %d", strlen(string),
                        MPI_MAX_ERROR_STRING - 1);
    char *copy = strdup(string);
    if (!copy)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate an error string of %zu characters", strlen(string));
    free(a->string);
    a->string = copy;
    return MPI_SUCCESS;
}

static void added_remove(struct added *a)
{
    free(a->string);
    *a = (struct added){.live = false, .next = first_removed};
    first_removed = (int)(a - added);
}

int tf_remove_error_class(int errorclass)
{
    struct added *a = added_find(errorclass);
    if (!a || a->errclass != errorclass)
        return tf_error(MPI_ERR_ARG, "errorclass is %d, which is no class that this program has added", errorclass);
    if (a->ncodes > 0)
        return tf_error(MPI_ERR_ARG, "errorclass is %d, of which there still %s %d error code%s", errorclass,
                        a->ncodes > 1 ? "are" : "is", a->ncodes, a->ncodes > 1 ? "s" : "");
    added_remove(a);
    return MPI_SUCCESS;
}

int tf_remove_error_code(int errorcode)
{
    struct added *a = added_find(errorcode);
    if (!a || a->errclass == errorcode)
        return tf_error(MPI_ERR_ARG, "errorcode is %d, which is no code that this program has added", errorcode);
    struct added *class = added_find(a->errclass);
    if (class)
        class->ncodes--;
    added_remove(a);
    return MPI_SUCCESS;
}

int tf_remove_error_string(int errorcode)
{
    struct added *a = added_find(errorcode);
    if (!a || !a->string)
        return tf_error(MPI_ERR_ARG, "errorcode is %d, to which this program has added no string", errorcode);
    free(a->string);
    a->string = NULL;
    return MPI_SUCCESS;
}

int tf_error_last_used_code(void)
{
    return MPI_ERR_LASTCODE + nadded;
}
