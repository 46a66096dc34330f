/* psets.c - see psets.h. */
#include "launch/psets.h"

static struct set {
    struct tf_launch_pset pset;
    struct set *next;
} * first;

bool *tf_launch_psets_add(const char *name)
{
    size_t length = strlen(name) + 1, size = (size_t)tf_job.size;
    struct set **end = &first;
    struct set *set = tf_alloc(sizeof *set + size + length, "a process set that the launcher has named");
    if (!set)
        return NULL;
    bool *has = (bool *)(set + 1);
    memset(has, 0, size);
    *set = (struct set){.pset = {.name = memcpy(has + size, name, length), .has = has}};
    while (*end)
        end = &(*end)->next;
    *end = set;
    return has;
}

const struct tf_launch_pset *tf_launch_psets_at(int i)
{
    const struct set *set = first;
    while (set && i-- > 0)
        set = set->next;
    return set ? &set->pset : NULL;
}

void tf_launch_psets_forget(void)
{
    while (first) {
        struct set *next = first->next;
        free(first);
        first = next;
    }
}
