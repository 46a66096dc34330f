/* hints.c - hints of a communicator: which there are, what they mean, which are in force.
 *
 * Those of the standard are assertions (MPI-5.0 section 7.4.4), each of which is about this process alone.  Others are
 * the library's own; treefold_algorithm is read by coll/.
 */
#include "comm/hints.h"

#include "base/memory.h"
#include "base/settings.h"
#include "comm/part.h"
#include "object/info.h"

static const struct {
    const char *key;
    enum tf_assertion asserts;
} assertions[] = {
    {"mpi_assert_no_any_source", TF_ASSERTS_NO_ANY_SOURCE},
    {"mpi_assert_no_any_tag", TF_ASSERTS_NO_ANY_TAG},
    {"mpi_assert_exact_length", TF_ASSERTS_EXACT_LENGTH},
    {"mpi_assert_allow_overtaking", TF_ASSERTS_OVERTAKING},
};

/* Whether the word is one of those of the setting; then *order is what it means. */
static bool order_of(const char *word, enum tf_order *order)
{
    static const char *const words[] = {[TF_ORDER_ANY] = "no", [TF_ORDER_FIXED] = "fixed", [TF_ORDER_EXACT] = "exact"};
    for (size_t i = 0; i < TF_ARRAY_LEN(words); i++) {
        if (strcmp(words[i], word) == 0) {
            *order = (enum tf_order)i;
            return true;
        }
    }
    return false;
}

/* The words that hints have for it (MPI-5.0 chapter 10). */
static bool truth_of(const char *word, bool *truth)
{
    bool yes = strcmp(word, "true") == 0, known = yes || strcmp(word, "false") == 0;
    if (known)
        *truth = yes;
    return known;
}

void tf_hints_default(struct tf_comm *comm)
{
    order_of(tf_settings.reproducible, &comm->order);
    comm->whole_operators = tf_settings.whole_operators;
}

static bool take_assertion(struct tf_comm *comm, enum tf_assertion asserts, const char *value)
{
    bool yes;
    if (!truth_of(value, &yes))
        return false;
    comm->asserted = yes ? comm->asserted | asserts : comm->asserted & ~(unsigned)asserts;
    return true;
}

/* False: the hint has no meaning here, and is ignored (MPI-5.0 chapter 10).  What kinds of memory an application uses
 * is remembered for it: there is only one here. */
static bool take(void *object, const char *key, const char *value)
{
    struct tf_comm *comm = object;
    for (size_t i = 0; i < TF_ARRAY_LEN(assertions); i++)
        if (strcmp(key, assertions[i].key) == 0)
            return take_assertion(comm, assertions[i].asserts, value);
    if (strcmp(key, "treefold_reproducible") == 0)
        return order_of(value, &comm->order);
    if (strcmp(key, "treefold_whole_operators") == 0)
        return truth_of(value, &comm->whole_operators);
    return strcmp(key, "mpi_assert_memory_alloc_kinds") == 0 || strncmp(key, "treefold_", 9) == 0;
}

int tf_comm_set_info(struct tf_comm *comm, const struct tf_info *info)
{
    if (!info)
        return MPI_SUCCESS;
    int err = tf_info_take(&comm->info, info, take, comm);
    tf_part_hint(comm);
    return err;
}

/* Also those that have their defaults, for which the standard has values. */
static int add_defaults(struct tf_info *info)
{
    int err = MPI_SUCCESS;
    for (size_t i = 0; i < TF_ARRAY_LEN(assertions) && !err; i++)
        if (!tf_info_value(info, assertions[i].key))
            err = tf_info_set(info, assertions[i].key, "false");
    return err ? err : tf_info_set(info, TF_MEMORY_KINDS_HINT, TF_MEMORY_KINDS);
}

int tf_comm_get_info(const struct tf_comm *comm, MPI_Info *info_used)
{
    struct tf_info *info = tf_info_copy(comm->info);
    int err = info ? add_defaults(info) : MPI_ERR_NO_MEM;
    if (!err)
        *info_used = (MPI_Info)(uintptr_t)info->obj.handle;
    else if (info)
        tf_info_free(info);
    return err;
}
