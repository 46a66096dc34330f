/* pvar.c - the rows of the performance variables, and what they are now. */
#include "tool/pvar.h"

#include <stdio.h>

#include "comm/comm.h"
#include "exec/exec.h"
#include "msg/match.h"
#include "msg/transfer.h"
#include "type/construct.h"

/* ---- values that are no words of memory ---- */

static uint64_t objects(void)
{
    return tf_pools_live(NULL) - tf_tool_pool.live - tf_type_f90_made;
}

static uint64_t collectives(void)
{
    uint64_t sum = tf_match_collectives;
    const struct tf_comm *comm;
    for (uint32_t place = 0; (comm = tf_pool_each(&tf_comm_pool, &place));)
        sum += comm->coll_seq;
    return sum;
}

/* A plan that no collective has begun with yet is none that was there. */
static uint64_t plans_reused(void)
{
    uint64_t begun = collectives();
    return begun > tf_plan_cache_built ? begun - tf_plan_cache_built : 0;
}

/* ---- the rows ---- */

#define TF_PVAR(name, folder, class, now, sentence)                                                                    \
    static uint64_t name##_now(const struct tf_pvar *pvar)                                                             \
    {                                                                                                                  \
        (void)pvar;                                                                                                    \
        return now;                                                                                                    \
    }
#define TF_TRANSPORT(name, class, count, sentence)
#include "tool/pvars.def"
#undef TF_PVAR
#undef TF_TRANSPORT

static uint64_t transport_now(const struct tf_pvar *pvar)
{
    return tf_net_count(pvar->net, pvar->count);
}

#define ONE(prefix, class, count, sentence, net)                                                                       \
    {#prefix #net, #net, sentence, MPI_T_PVAR_CLASS_##class, transport_now, &tf_net_##net, count, TF_NCOLL},
#define EACH_self(prefix, class, count, sentence) ONE(prefix, class, count, sentence, self)
#define EACH_shm(prefix, class, count, sentence) ONE(prefix, class, count, sentence, shm)
#define EACH_beside(prefix, class, count, sentence) ONE(prefix, class, count, sentence, beside)
#define EACH_tcp(prefix, class, count, sentence) ONE(prefix, class, count, sentence, tcp)
#ifdef TF_HAVE_OFI
#define EACH_ofi(prefix, class, count, sentence) ONE(prefix, class, count, sentence, ofi)
#else
#define EACH_ofi(prefix, class, count, sentence)
#endif
#ifdef TF_HAVE_UCX
#define EACH_ucx(prefix, class, count, sentence) ONE(prefix, class, count, sentence, ucx)
#else
#define EACH_ucx(prefix, class, count, sentence)
#endif

static const struct tf_pvar rows[] = {
#define TF_PVAR(name, folder, class, now, sentence)                                                                    \
    {#name, #folder, sentence, MPI_T_PVAR_CLASS_##class, name##_now, NULL, TF_NET_COUNTS, TF_NCOLL},
#define TF_TRANSPORT(name, class, count, sentence)                                                                     \
    EACH_self(name, class, count, sentence) EACH_shm(name, class, count, sentence)                                     \
        EACH_beside(name, class, count, sentence) EACH_tcp(name, class, count, sentence)                               \
            EACH_ofi(name, class, count, sentence) EACH_ucx(name, class, count, sentence)
#include "tool/pvars.def"
#undef TF_PVAR
#undef TF_TRANSPORT
};
enum { ROWS = TF_ARRAY_LEN(rows) };

/* Whose algorithm it is the object of the handle says (session.c). */
struct tf_pvar tf_pvar_row(int row)
{
    if (row < ROWS)
        return rows[row];
    return (struct tf_pvar){.name = "algorithm_",
                            .folder = "coll",
                            .sentence = "The algorithm that was chosen last for this collective on a communicator.",
                            .class = MPI_T_PVAR_CLASS_STATE,
                            .coll = (enum tf_coll)(row - ROWS)};
}

int tf_pvar_count(void)
{
    return ROWS + TF_NCOLL;
}

int tf_pvar_of_coll(enum tf_coll coll)
{
    return ROWS + (int)tf_coll_base(coll);
}

const char *tf_pvar_folder(int row)
{
    return tf_pvar_row(row).folder;
}

uint64_t tf_pvar_now(const struct tf_pvar *pvar)
{
    return pvar->now(pvar);
}

/* ---- what there is ---- */

#define PREFIX "treefold_"

static void name_of(const struct tf_pvar *pvar, char *text, size_t capacity)
{
    bool is_state = pvar->class == MPI_T_PVAR_CLASS_STATE;
    snprintf(text, capacity, PREFIX "%s%s", pvar->name, is_state ? tf_coll_name(pvar->coll) : "");
}

static MPI_Datatype datatype_of(const struct tf_pvar *pvar)
{
    return pvar->class == MPI_T_PVAR_CLASS_STATE   ? MPI_INT
           : pvar->class == MPI_T_PVAR_CLASS_TIMER ? MPI_DOUBLE
                                                   : MPI_UNSIGNED_LONG_LONG;
}

int tf_t_pvar_get_num(int *num_pvar)
{
    *num_pvar = tf_pvar_count();
    return MPI_SUCCESS;
}

int tf_t_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                       MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
                       int *readonly, int *continuous, int *atomic)
{
    char text[100];
    int err = tf_tool_index(pvar_index, tf_pvar_count(), "performance variables");
    if (err)
        return err;
    struct tf_pvar pvar = tf_pvar_row(pvar_index);
    bool is_state = pvar.class == MPI_T_PVAR_CLASS_STATE;
    name_of(&pvar, text, sizeof text);
    tf_tool_put_text(text, name, name_len);
    tf_tool_put(verbosity, MPI_T_VERBOSITY_TUNER_BASIC);
    tf_tool_put(var_class, pvar.class);
    tf_tool_put(datatype, datatype_of(&pvar));
    tf_tool_put(enumtype, is_state ? tf_enum_of_coll(pvar.coll) : MPI_T_ENUM_NULL);
    tf_tool_put_text(pvar.sentence, desc, desc_len);
    tf_tool_put(bind, is_state ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT);
    tf_tool_put(readonly, tf_pvar_is_continuous(&pvar));
    tf_tool_put(continuous, tf_pvar_is_continuous(&pvar));
    tf_tool_put(atomic, !tf_pvar_is_continuous(&pvar));
    return MPI_SUCCESS;
}

int tf_t_pvar_get_index(const char *name, int var_class, int *pvar_index)
{
    char text[100];
    for (int row = 0; row < tf_pvar_count(); row++) {
        struct tf_pvar pvar = tf_pvar_row(row);
        name_of(&pvar, text, sizeof text);
        if (pvar.class == var_class && strcmp(text, name) == 0) {
            *pvar_index = row;
            return MPI_SUCCESS;
        }
    }
    return tf_error(MPI_T_ERR_INVALID_NAME, "there is no performance variable \"%s\" of that class", name);
}
