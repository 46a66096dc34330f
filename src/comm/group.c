/* group.c - groups: an ordered list of processes each, by their numbers (net/process.h), and the set operations on
 * them.
 *
 * Set operations look a number up in a hash table over one of the groups (open addressing, at most half full), so they
 * are linear in the sizes of the groups whatever the size of the job.
 */
#include "comm/group.h"

#include "net/others.h"

struct tf_group tf_group_empty = {.obj = {.handle = (uint32_t)(uintptr_t)MPI_GROUP_EMPTY, .refs = 1},
                                  .rank = MPI_UNDEFINED};
static struct tf_object *predefined[] = {NULL, &tf_group_empty.obj};

static char *chunks[TF_POOL_CHUNKS];
struct tf_pool tf_group_pool = {.what = "group",
                                .kind = TF_KIND_GROUP,
                                .size = sizeof(struct tf_group),
                                .predef_first = (uint32_t)(uintptr_t)MPI_GROUP_NULL,
                                .predef_count = TF_ARRAY_LEN(predefined),
                                .predef = predefined,
                                .chunks = chunks,
                                .lasting = true};

/* ---- objects ---- */

struct tf_group *tf_group_create_object(int size, int *processes)
{
    struct tf_group *group = tf_pool_take(&tf_group_pool);
    if (!group) {
        free(processes);
        return NULL;
    }
    group->size = size;
    group->processes = processes;
    group->rank = tf_group_rank_of(group, tf_job.rank);
    for (int r = 0; r < size && !group->mixed; r++)
        group->mixed = processes[r] >= tf_job.size;
    if (group->mixed)
        tf_others_hold(processes, size);
    tf_handle_retire(&group->obj);
    return group;
}

void tf_group_retain(struct tf_group *group)
{
    if (group != &tf_group_empty)
        group->obj.refs++;
}

void tf_group_release(struct tf_group *group)
{
    if (group == &tf_group_empty || --group->obj.refs > 0)
        return;
    if (group->mixed)
        tf_others_drop(group->processes, group->size);
    free(group->processes);
    tf_pool_give(&tf_group_pool, group);
}

MPI_Group tf_group_share(struct tf_group *group)
{
    if (group != &tf_group_empty) {
        tf_group_retain(group);
        group->held++;
        tf_handle_revive(&group->obj);
    }
    return (MPI_Group)(uintptr_t)group->obj.handle;
}

int tf_group_free(struct tf_group *group)
{
    if (group == &tf_group_empty)
        return MPI_SUCCESS;
    if (--group->held == 0)
        tf_handle_retire(&group->obj);
    tf_group_release(group);
    return MPI_SUCCESS;
}

int tf_group_deliver(int size, int *processes, const struct tf_group *of, MPI_Group *newgroup)
{
    if (size == 0) {
        free(processes);
        *newgroup = MPI_GROUP_EMPTY;
        return MPI_SUCCESS;
    }
    struct tf_group *group = tf_group_create_object(size, processes);
    if (!group)
        return MPI_ERR_NO_MEM;
    group->session = of->session;
    *newgroup = tf_group_share(group);
    tf_group_release(group);
    return MPI_SUCCESS;
}

static int *ranks_alloc(size_t n)
{
    return tf_alloc((n ? n : 1) * sizeof(int), "the ranks of a group");
}

/* ---- looking processes up ---- */

struct map {
    const struct tf_group *group;
    uint32_t mask;
    int *slots; /* rank in the group + 1, 0: none */
};

static uint32_t hash(int process)
{
    return (uint32_t)process * 2654435769u;
}

static int map_open(struct map *map, const struct tf_group *group)
{
    uint32_t n = 4;
    while (n < 2 * (uint32_t)group->size)
        n *= 2;
    *map = (struct map){.group = group, .mask = n - 1, .slots = calloc(n, sizeof(int))};
    if (!map->slots)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes to look up the ranks of a group of %d processes",
                        n * sizeof(int), group->size);
    for (int r = 0; r < group->size; r++) {
        uint32_t i = hash(group->processes[r]) & map->mask;
        while (map->slots[i])
            i = (i + 1) & map->mask;
        map->slots[i] = r + 1;
    }
    return MPI_SUCCESS;
}

static int map_find(const struct map *map, int process)
{
    for (uint32_t i = hash(process) & map->mask; map->slots[i]; i = (i + 1) & map->mask) {
        if (map->group->processes[map->slots[i] - 1] == process)
            return map->slots[i] - 1;
    }
    return MPI_UNDEFINED;
}

static void map_close(struct map *map)
{
    free(map->slots);
}

int tf_group_rank_of(const struct tf_group *group, int process)
{
    if (process < group->size && group->processes[process] == process)
        return process;
    for (int r = 0; r < group->size; r++) {
        if (group->processes[r] == process)
            return r;
    }
    return MPI_UNDEFINED;
}

int tf_group_contains(const struct tf_group *whole, const struct tf_group *part, bool *contains, int *process)
{
    struct map map;
    int err = map_open(&map, whole);
    if (err)
        return err;
    *contains = true;
    for (int r = 0; r < part->size && *contains; r++) {
        if (map_find(&map, part->processes[r]) == MPI_UNDEFINED) {
            *contains = false;
            *process = part->processes[r];
        }
    }
    map_close(&map);
    return MPI_SUCCESS;
}

/* ---- accessors ---- */

int tf_group_size(const struct tf_group *group, int *size)
{
    *size = group->size;
    return MPI_SUCCESS;
}

int tf_group_rank(const struct tf_group *group, int *rank)
{
    *rank = group->rank;
    return MPI_SUCCESS;
}

/* "ranks[3] is 9; the group's ranks are 0 to 3" */
static int rank_check(const struct tf_group *group, const char *array, int i, int rank)
{
    if (rank >= 0 && rank < group->size)
        return MPI_SUCCESS;
    if (group->size == 0)
        return tf_error(MPI_ERR_RANK, "%s[%d] is %d; the group is empty", array, i, rank);
    return tf_error(MPI_ERR_RANK, "%s[%d] is %d; the ranks of the group are 0 to %d", array, i, rank, group->size - 1);
}

static int count_check(int n)
{
    return n >= 0 ? MPI_SUCCESS : tf_error(MPI_ERR_ARG, "n is %d; it must be at least 0", n);
}

int tf_group_translate_ranks(const struct tf_group *group1, int n, const int *ranks1, const struct tf_group *group2,
                             int *ranks2)
{
    int err = count_check(n);
    for (int i = 0; i < n && !err; i++) {
        if (ranks1[i] != MPI_PROC_NULL)
            err = rank_check(group1, "ranks1", i, ranks1[i]);
    }
    if (err)
        return err;
    /* A table pays only for more than a few ranks. */
    struct map map = {.slots = NULL};
    if (n > 4 && (err = map_open(&map, group2)))
        return err;
    for (int i = 0; i < n; i++) {
        if (ranks1[i] == MPI_PROC_NULL)
            ranks2[i] = MPI_PROC_NULL;
        else if (map.slots)
            ranks2[i] = map_find(&map, group1->processes[ranks1[i]]);
        else
            ranks2[i] = tf_group_rank_of(group2, group1->processes[ranks1[i]]);
    }
    map_close(&map);
    return MPI_SUCCESS;
}

int tf_group_compare(const struct tf_group *group1, const struct tf_group *group2, int *result)
{
    bool same = group1->size == group2->size;
    if (same && (group1 == group2 || group1->size == 0 ||
                 memcmp(group1->processes, group2->processes, (size_t)group1->size * sizeof(int)) == 0)) {
        *result = MPI_IDENT;
        return MPI_SUCCESS;
    }
    int missing, err = MPI_SUCCESS;
    if (same)
        err = tf_group_contains(group1, group2, &same, &missing);
    if (!err)
        *result = same ? MPI_SIMILAR : MPI_UNEQUAL;
    return err;
}

/* ---- set operations: the order is group1's, then (union) group2's, section 7.3.2 ---- */

/* Append to processes[*n...] the members of `from` that are (`in`) or are not in the group of `map`. */
static void ranks_select(const struct tf_group *from, const struct map *map, bool in, int *processes, int *n)
{
    for (int r = 0; r < from->size; r++) {
        if ((map_find(map, from->processes[r]) != MPI_UNDEFINED) == in)
            processes[(*n)++] = from->processes[r];
    }
}

int tf_group_union(struct tf_group *group1, struct tf_group *group2, MPI_Group *newgroup)
{
    struct map map;
    int n = group1->size;
    int err = map_open(&map, group1);
    if (err)
        return err;
    int *processes = ranks_alloc((size_t)group1->size + (size_t)group2->size);
    if (processes) {
        if (n)
            memcpy(processes, group1->processes, (size_t)n * sizeof(int));
        ranks_select(group2, &map, false, processes, &n);
        err = tf_group_deliver(n, processes, group1->size ? group1 : group2, newgroup);
    }
    map_close(&map);
    return processes ? err : MPI_ERR_NO_MEM;
}

/* Those of group1 that are (`in`) or are not in group2. */
static int group_filter(struct tf_group *group1, struct tf_group *group2, bool in, MPI_Group *newgroup)
{
    struct map map;
    int n = 0;
    int err = map_open(&map, group2);
    if (err)
        return err;
    int *processes = ranks_alloc((size_t)group1->size);
    if (processes) {
        ranks_select(group1, &map, in, processes, &n);
        err = tf_group_deliver(n, processes, group1, newgroup);
    }
    map_close(&map);
    return processes ? err : MPI_ERR_NO_MEM;
}

int tf_group_intersection(struct tf_group *group1, struct tf_group *group2, MPI_Group *newgroup)
{
    return group_filter(group1, group2, true, newgroup);
}

int tf_group_difference(struct tf_group *group1, struct tf_group *group2, MPI_Group *newgroup)
{
    return group_filter(group1, group2, false, newgroup);
}

/* ---- incl and excl ---- */

/* Which ranks of the group are named so far: one byte each. */
static int rank_mark(const struct tf_group *group, char *marked, const char *array, int i, int rank)
{
    int err = rank_check(group, array, i, rank);
    if (err)
        return err;
    if (marked[rank])
        return tf_error(MPI_ERR_RANK, "%s[%d] gives rank %d, which is named before; each may occur once", array, i,
                        rank);
    marked[rank] = 1;
    return MPI_SUCCESS;
}

/* A list of distinct ranks of `group`, checked: the group of them, or of all others. */
static int group_pick(struct tf_group *group, int n, const int *ranks, int ranges[][3], bool incl, MPI_Group *newgroup)
{
    const char *array = ranks ? "ranks" : "ranges";
    int picked = 0;
    int err = count_check(n);
    if (err)
        return err;
    char *marked = calloc((size_t)group->size + 1, 1);
    int *processes = ranks_alloc((size_t)group->size);
    if (!marked || !processes) {
        err = tf_error(MPI_ERR_NO_MEM, "cannot allocate the marks of a group of %d processes", group->size);
        goto free_arrays;
    }
    for (int i = 0; i < n && !err; i++) {
        int64_t first = ranks ? ranks[i] : ranges[i][0], last = ranks ? ranks[i] : ranges[i][1];
        int64_t stride = ranks ? 1 : ranges[i][2];
        if (stride == 0 || (stride > 0 ? first > last : first < last)) {
            err = tf_error(MPI_ERR_ARG, "ranges[%d] goes from %d to %d by %d, which leads nowhere", i, (int)first,
                           (int)last, (int)stride);
            break;
        }
        for (int64_t r = first; !err && (stride > 0 ? r <= last : r >= last); r += stride) {
            err = rank_mark(group, marked, array, i, (int)r);
            if (!err && incl)
                processes[picked++] = group->processes[r];
        }
    }
    for (int r = 0; r < group->size && !incl; r++) {
        if (!marked[r])
            processes[picked++] = group->processes[r];
    }
    if (!err) {
        err = tf_group_deliver(picked, processes, group, newgroup);
        processes = NULL;
    }
free_arrays:
    free(processes);
    free(marked);
    return err;
}

int tf_group_incl(struct tf_group *group, int n, const int *ranks, MPI_Group *newgroup)
{
    static const int none;
    return group_pick(group, n, n > 0 ? ranks : &none, NULL, true, newgroup);
}

int tf_group_excl(struct tf_group *group, int n, const int *ranks, MPI_Group *newgroup)
{
    static const int none;
    return group_pick(group, n, n > 0 ? ranks : &none, NULL, false, newgroup);
}

int tf_group_range_incl(struct tf_group *group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return group_pick(group, n, NULL, ranges, true, newgroup);
}

int tf_group_range_excl(struct tf_group *group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return group_pick(group, n, NULL, ranges, false, newgroup);
}
