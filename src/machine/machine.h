/* machine.h - the machine below "processors": which of them share a package, memory, a cache, a core.
 *
 * What is known is asked of hwloc, without its discovery of devices, the first time that anybody wants to know: a
 * program that does not loads nothing.  All processes of a machine get the same answers.
 */
#ifndef TF_MACHINE_H
#define TF_MACHINE_H

#include "base/base.h"

/* From the outermost in; the names are those of hwloc's types. */
#define TF_MACHINE_LEVELS(level)                                                                                       \
    level(TF_PACKAGE, "Package", HWLOC_OBJ_PACKAGE) level(TF_NUMA, "NUMANode", HWLOC_OBJ_NUMANODE)                     \
        level(TF_L3, "L3Cache", HWLOC_OBJ_L3CACHE) level(TF_L2, "L2Cache", HWLOC_OBJ_L2CACHE)                          \
            level(TF_CORE, "Core", HWLOC_OBJ_CORE)
#define TF_MACHINE_ROW(id, name, type) id,
enum tf_machine_level { TF_MACHINE_LEVELS(TF_MACHINE_ROW) TF_NLEVELS };
#undef TF_MACHINE_ROW

/* A set of processors, by the system's numbers. */
enum { TF_MACHINE_PROCESSORS = 1024 };
struct tf_processors {
    uint64_t bits[TF_MACHINE_PROCESSORS / 64];
};
static inline int tf_processors_count(const struct tf_processors *set)
{
    int n = 0;
    for (size_t i = 0; i < TF_ARRAY_LEN(set->bits); i++)
        n += __builtin_popcountll(set->bits[i]);
    return n;
}

const char *tf_machine_name(enum tf_machine_level level); /* "Package" */
/* The number of the one object of that level that all the processors belong to; -1: there is none, or nothing is known.
 */
int tf_machine_object(enum tf_machine_level level, const struct tf_processors *set);
/* Where the knowledge comes from, in words, or why there is none: "hwloc, interface 2.8". */
const char *tf_machine_source(void);

#endif
