/* part.c - what coll/ keeps with each communicator (comm/part.h): struct tf_colls, of choice.h. */
#include "comm/part.h"
#include "coll/choice.h"

static int create(struct tf_comm *comm)
{
    struct tf_colls *colls = calloc(1, sizeof *colls);
    if (!colls)
        goto fail;
    colls->plans = tf_plan_cache_create(comm->joint);
    if (!colls->plans)
        goto free_colls;
    tf_standings_open(&colls->standings);
    comm->colls = colls;
    return MPI_SUCCESS;

free_colls:
    free(colls);
fail:
    return tf_error(MPI_ERR_NO_MEM, "cannot allocate the collective state of a communicator");
}

void tf_choice_forget(struct tf_comm *comm)
{
    struct tf_colls *colls = comm->colls;
    for (int i = 0; i < TF_NCOLL; i++) {
        if (colls->choices[i].plan)
            tf_plan_cache_release(colls->plans, colls->choices[i].plan);
        colls->choices[i].plan = NULL;
    }
    tf_standings_end(&colls->standings);
    tf_rules_free(colls->rules);
    colls->rules = NULL;
    colls->rules_known = false;
}

static void destroy(struct tf_comm *comm)
{
    struct tf_colls *colls = comm->colls;
    if (!colls)
        return;
    tf_coll_forget_kept(colls);
    tf_standings_close(&colls->standings, colls->plans);
    tf_exact_free(&colls->exact);
    tf_coll_domains_clear(&colls->domains);
    tf_near_clear(&colls->near);
    tf_plan_cache_destroy(colls->plans);
    tf_rules_free(colls->rules);
    free(colls);
}

/* No choice fits any more, and for the next call none is made. */
static void broken(struct tf_comm *comm)
{
    for (int i = 0; comm->colls && i < TF_NCOLL; i++)
        comm->colls->choices[i].high = 0;
    if (comm->colls)
        tf_standings_end(&comm->colls->standings);
}

void tf_coll_setup(void)
{
    static const struct tf_part part = {
        .create = create, .hint = tf_choice_forget, .broken = broken, .destroy = destroy};
    tf_part_hang(TF_PART_COLLS, &part);
}
