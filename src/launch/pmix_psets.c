/* pmix_psets.c - process sets that a PMIx launcher was told the names of, as prterun is by its option --pset: questions
 * to the server, which answers from a thread of libpmix.
 */
#include "launch/pmix.h"
#include "launch/psets.h"

#include <semaphore.h>

#ifdef PMIX_QUERY_PSET_MEMBERSHIP

/* One question, and what is made of its answer before that is given back. */
struct query {
    const char *key;
    void (*take)(const pmix_value_t *value, void *to);
    void *to;
    sem_t answered;
};

/* Servers put the answer with its qualifiers in a list of its own, or do not. */
static const pmix_value_t *find(const pmix_info_t *answers, size_t n, const char *key)
{
    const pmix_value_t *found = NULL;
    for (size_t i = 0; i < n && !found; i++) {
        const pmix_value_t *value = &answers[i].value;
        const pmix_data_array_t *inner = value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;
        if (strcmp(answers[i].key, key) == 0)
            found = value;
        else if (inner && inner->type == PMIX_INFO)
            found = find(inner->array, inner->size, key);
    }
    return found;
}

static void hear(pmix_status_t status, pmix_info_t *answers, size_t n, void *data, pmix_release_cbfunc_t release,
                 void *release_data)
{
    struct query *query = data;
    const pmix_value_t *value = status == PMIX_SUCCESS ? find(answers, n, query->key) : NULL;
    if (value)
        query->take(value, query->to);
    if (release)
        release(release_data);
    sem_post(&query->answered);
}

static void ask(char *key, char *pset, void (*take)(const pmix_value_t *, void *), void *to)
{
    char *keys[] = {key, NULL};
    pmix_info_t of = {.key = PMIX_PSET_NAME, .value = {.type = PMIX_STRING, .data.string = pset}};
    pmix_query_t question = {.keys = keys, .qualifiers = pset ? &of : NULL, .nqual = pset ? 1 : 0};
    struct query query = {.key = key, .take = take, .to = to};
    sem_init(&query.answered, 0, 0);
    if (tf_pmix.PMIx_Query_info_nb(&question, 1, hear, &query) == PMIX_SUCCESS)
        while (sem_wait(&query.answered)) /* a signal */
            ;
    sem_destroy(&query.answered);
}

static void take_names(const pmix_value_t *value, void *to)
{
    if (value->type == PMIX_STRING && value->data.string)
        *(char **)to = strdup(value->data.string);
}

struct members {
    pmix_proc_t *list;
    size_t n;
};

static void take_members(const pmix_value_t *value, void *to)
{
    struct members *members = to;
    const pmix_data_array_t *array = value->type == PMIX_DATA_ARRAY ? value->data.darray : NULL;
    size_t bytes = array && array->type == PMIX_PROC ? array->size * sizeof(pmix_proc_t) : 0;
    members->list = bytes ? malloc(bytes) : NULL;
    if (members->list) {
        memcpy(members->list, array->array, bytes);
        members->n = array->size;
    }
}

/* Of no process of other jobs: a session knows those of its own. */
static bool is_of_this_job(const struct members *members)
{
    for (size_t i = 0; i < members->n; i++)
        if (strcmp(members->list[i].nspace, tf_pmix_self.nspace) != 0)
            return false;
    return members->n > 0;
}

static void note(char *name)
{
    struct members members = {NULL, 0};
    ask(PMIX_QUERY_PSET_MEMBERSHIP, name, take_members, &members);
    bool *has = is_of_this_job(&members) ? tf_launch_psets_add(name) : NULL;
    for (size_t i = 0; i < members.n && has; i++)
        for (int rank = 0; rank < tf_job.size; rank++)
            has[rank] |= members.list[i].rank == (pmix_rank_t)rank || members.list[i].rank == PMIX_RANK_WILDCARD;
    free(members.list);
}

/* The names come in one string, with commas between. */
void tf_pmix_psets(void)
{
    char *names = NULL, *rest = NULL;
    ask(PMIX_QUERY_PSET_NAMES, NULL, take_names, &names);
    for (char *name = names ? strtok_r(names, ",", &rest) : NULL; name; name = strtok_r(NULL, ",", &rest))
        note(name);
    free(names);
}

#else

void tf_pmix_psets(void)
{
}

#endif
