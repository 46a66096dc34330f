/* terms.c - the words for two calls that should have been one.
 */
#include "msg/terms.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "algo/algo.h"
#include "base/settings.h"
#include "msg/fingerprint.h"
#include "msg/lost.h"
#include "op/op.h"

/* Blocking and nonblocking. */
static const char *const callers[][2] = {
    [TF_CALLER_COMM_DUP] = {"MPI_Comm_dup", "MPI_Comm_idup"},
    [TF_CALLER_COMM_DUP_WITH_INFO] = {"MPI_Comm_dup_with_info", "MPI_Comm_idup_with_info"},
    [TF_CALLER_COMM_SPLIT] = {"MPI_Comm_split"},
    [TF_CALLER_COMM_SPLIT_TYPE] = {"MPI_Comm_split_type"},
    [TF_CALLER_COMM_CREATE] = {"MPI_Comm_create"},
    [TF_CALLER_INTERCOMM_CREATE] = {"MPI_Intercomm_create"},
    [TF_CALLER_INTERCOMM_MERGE] = {"MPI_Intercomm_merge"},
    [TF_CALLER_COMM_DISCONNECT] = {"MPI_Comm_disconnect"},
    [TF_CALLER_COMM_ACCEPT] = {"MPI_Comm_accept"},
    [TF_CALLER_COMM_CONNECT] = {"MPI_Comm_connect"},
    [TF_CALLER_COMM_JOIN] = {"MPI_Comm_join"},
    [TF_CALLER_COMM_SPAWN] = {"MPI_Comm_spawn"},
    [TF_CALLER_COMM_SPAWN_MULTIPLE] = {"MPI_Comm_spawn_multiple"},
    [TF_CALLER_PARENT] = {"MPI_Init, for who has started the job"},
    [TF_CALLER_CART_CREATE] = {"MPI_Cart_create"},
    [TF_CALLER_CART_SUB] = {"MPI_Cart_sub"},
    [TF_CALLER_GRAPH_CREATE] = {"MPI_Graph_create"},
    [TF_CALLER_DIST_GRAPH_CREATE] = {"MPI_Dist_graph_create"},
    [TF_CALLER_DIST_GRAPH_CREATE_ADJACENT] = {"MPI_Dist_graph_create_adjacent"},
    [TF_CALLER_FILE_OPEN] = {"MPI_File_open"},
    [TF_CALLER_FILE] = {"a procedure of the same file"},
    [TF_CALLER_FINALIZE] = {"MPI_Finalize"},
    [TF_CALLER_WIN_CREATE] = {"MPI_Win_create"},
    [TF_CALLER_WIN_CREATE_DYNAMIC] = {"MPI_Win_create_dynamic"},
    [TF_CALLER_WIN_ALLOCATE] = {"MPI_Win_allocate"},
    [TF_CALLER_WIN_ALLOCATE_SHARED] = {"MPI_Win_allocate_shared"},
    [TF_CALLER_WIN_FENCE] = {"MPI_Win_fence"},
    [TF_CALLER_WIN_FREE] = {"MPI_Win_free"},
};

void tf_terms_name(const struct tf_terms *terms, char *words, size_t n)
{
    const char *op = tf_fingerprint_op(terms->op);
    if (terms->caller != TF_CALLER_USER && terms->caller < TF_ARRAY_LEN(callers)) {
        const char *const *names = callers[terms->caller];
        snprintf(words, n, "%s", names[terms->form == TF_FORM_NONBLOCKING && names[1]]);
        return;
    }
    int length = snprintf(words, n, "MPI_%s%s%s%s%s", terms->form == TF_FORM_NONBLOCKING ? "I" : "",
                          tf_coll_name((enum tf_coll)terms->coll), terms->form == TF_FORM_PERSISTENT ? "_init" : "",
                          op ? " with " : "", op ? op : "");
    if (length > 4 && terms->form != TF_FORM_NONBLOCKING)
        words[4] = (char)toupper((unsigned char)words[4]);
}

const char *tf_terms_instead(const struct tf_terms *terms)
{
    return terms->form == TF_FORM_UNKNOWN ? tf_fingerprint_instead(terms->fingerprint) : NULL;
}

/* "calls MPI_Reduce with MPI_SUM" */
static void describe(const struct tf_terms *terms, char *words, size_t n)
{
    const char *instead = tf_terms_instead(terms);
    if (instead) {
        snprintf(words, n, "%s", instead);
        return;
    }
    strcpy(words, "calls ");
    tf_terms_name(terms, words + 6, n - 6);
}

/* ---- what differs ---- */

struct list {
    char words[300];
    size_t length;
};

static TF_PRINTF(2, 3) void add(struct list *list, const char *format, ...)
{
    va_list args;
    size_t room = sizeof list->words - list->length;
    va_start(args, format);
    int length = vsnprintf(list->words + list->length, room, format, args);
    va_end(args);
    list->length += (size_t)length < room ? (size_t)length : room - 1;
}

struct side {
    int rank;
    const struct tf_terms *terms;
};

static void add_amount(struct list *list, const struct side *side)
{
    const struct tf_terms *t = side->terms;
    const struct tf_type *type = t->type ? tf_type_find((MPI_Datatype)(uintptr_t)t->type) : NULL;
    const char *name = type ? tf_type_describe(type) : "a derived datatype";
    add(list, "%llu x %s on rank %d", (unsigned long long)t->count, name, side->rank);
    if (!type && t->count)
        add(list, " (%llu bytes)", (unsigned long long)t->bytes);
}

static void compare_amounts(struct list *list, const struct side *a, const struct side *b)
{
    const struct tf_terms *x = a->terms, *y = b->terms;
    if (x->bytes == y->bytes && x->signature == y->signature)
        return;
    add(list, list->length ? "; " : "");
    if (x->count == 0 && y->count == 0) {
        add(list, "the counts have different sums");
        return;
    }
    bool types = x->type != y->type || x->type == 0;
    add(list, "the %s differ: ", !types ? "counts" : x->count == y->count ? "datatypes" : "counts and datatypes");
    add_amount(list, a);
    add(list, ", ");
    add_amount(list, b);
}

static const char algorithms_come_from[] = "TREEFOLD_RULES, TREEFOLD_ALGORITHM, info key treefold_algorithm";

static void add_algorithm(struct list *list, const struct side *side)
{
    uint32_t row = side->terms->algorithm >> 16, parameter = side->terms->algorithm & 0xffff;
    add(list, "%s", row < (uint32_t)tf_algo_count ? tf_algos[row].name : "unknown");
    if (parameter)
        add(list, ":%u", parameter);
    add(list, " on rank %d", side->rank);
}

/* Other arguments make other algorithms, which then say nothing, as do calls that do not match. */
static void compare(struct list *list, const struct side *a, const struct side *b)
{
    if (a->terms->root != b->terms->root)
        add(list, "the roots differ: %d on rank %d, %d on rank %d", (int)a->terms->root, a->rank, (int)b->terms->root,
            b->rank);
    compare_amounts(list, a, b);
    if (a->terms->form != b->terms->form && tf_strict())
        add(list, "%sa blocking call and a nonblocking one do not match", list->length ? "; " : "");
    if (list->length || a->terms->algorithm == b->terms->algorithm)
        return;
    add(list, "the algorithms differ: ");
    add_algorithm(list, a);
    add(list, ", ");
    add_algorithm(list, b);
    add(list, " (%s)", algorithms_come_from);
}

/* ---- the whole ---- */

/* ": ranks 0 and 1 both call MPI_Reduce with MPI_SUM" */
static void add_call(struct list *list, const struct side *a, const struct side *b)
{
    char first[100], second[100];
    tf_terms_name(a->terms, first, sizeof first);
    tf_terms_name(b->terms, second, sizeof second);
    if (strcmp(first, second) == 0)
        add(list, "ranks %d and %d both call %s", a->rank, b->rank, first);
    else
        add(list, "rank %d calls %s and rank %d %s", a->rank, first, b->rank, second);
}

/* The other one, or another that it has heard of, has given the call up. */
static int gave_up(const struct tf_comm *comm, const struct tf_terms *mine, uint32_t word)
{
    char ours[100];
    int rank = tf_fingerprint_culprit(word);
    enum tf_given_up reason = tf_fingerprint_reason(word);
    if (reason == TF_GIVEN_UP_DISAGREES) {
        describe(mine, ours, sizeof ours);
        return tf_error(MPI_ERR_OTHER, "the ranks of %s disagree: rank %d %s, rank %d %s", tf_comm_describe(comm),
                        comm->rank, ours, rank, tf_fingerprint_instead(word));
    }
    if (reason == TF_GIVEN_UP_BROKEN)
        return tf_lost_told(comm, rank);
    tf_terms_name(mine, ours, sizeof ours);
    return tf_error(reason == TF_GIVEN_UP_NO_MEMORY ? MPI_ERR_NO_MEM : MPI_ERR_OTHER,
                    "rank %d of %s %s in %s, so rank %d has no result", rank, tf_comm_describe(comm),
                    reason == TF_GIVEN_UP_NO_MEMORY ? "ran out of memory" : "failed", ours, comm->rank);
}

int tf_terms_disagree(const struct tf_comm *comm, const struct tf_terms *mine, size_t expected, int rank,
                      const struct tf_terms *theirs, size_t came)
{
    if (tf_fingerprint_is_given_up(theirs->fingerprint))
        return gave_up(comm, mine, theirs->fingerprint);
    int err = tf_lost_explains(comm);
    if (err)
        return err;
    const char *where = tf_comm_describe(comm);
    bool reduce = mine->caller == TF_CALLER_USER && theirs->caller == TF_CALLER_USER; /* by operators of the program */
    bool other_op = reduce && mine->coll == theirs->coll && mine->op != theirs->op;
    if (!tf_fingerprint_same_call(mine->fingerprint, theirs->fingerprint) || mine->caller != theirs->caller) {
        char ours[100], other[100];
        describe(mine, ours, sizeof ours);
        describe(theirs, other, sizeof other);
        return tf_error(other_op ? MPI_ERR_OP : MPI_ERR_OTHER, "the ranks of %s disagree: rank %d %s, rank %d %s",
                        where, comm->rank, ours, rank, other);
    }
    struct side us = {comm->rank, mine}, them = {rank, theirs};
    const struct side *a = us.rank < rank ? &us : &them, *b = us.rank < rank ? &them : &us;
    bool known = mine->form != TF_FORM_UNKNOWN && theirs->form != TF_FORM_UNKNOWN;
    struct list call = {.length = 0}, what = {.length = 0};
    add_call(&call, a, b);
    if (known)
        compare(&what, a, b);
    if (!what.length && mine->fingerprint != theirs->fingerprint)
        add(&what, "their counts, datatypes or roots differ%s, or their algorithms (%s)",
            tf_strict() ? ", or one of them is nonblocking" : "", algorithms_come_from);
    if (expected != came)
        add(&what, "%srank %d expects %zu bytes from rank %d, which sends %zu", what.length ? "; " : "", comm->rank,
            expected, rank, came);
    if (!what.length) /* as where a second thread has changed a run under way */
        add(&what,
            "a message of rank %d is of another call: do several threads call MPI without MPI_THREAD_MULTIPLE? "
            "TREEFOLD_CHECK=strict finds out",
            rank);
    return tf_error(expected != came ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER, "the ranks of %s disagree: %s, but %s", where,
                    call.words, what.words);
}
