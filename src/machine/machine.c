/* machine.c - which processors share a package, memory, a cache, a core.  See machine.h.
 *
 * hwloc is opened, asked once and closed again; what stays is a table of numbers.
 */
#include "machine/machine.h"

#include "base/base.h"
#include "base/library.h"

#ifdef TF_HAVE_HWLOC
#include <dlfcn.h>
#include <hwloc.h>
#endif

static int16_t object[TF_NLEVELS][TF_MACHINE_PROCESSORS]; /* the object that each processor belongs to, or -1 */
static const char *source;                                /* NULL: not asked yet */

const char *tf_machine_name(enum tf_machine_level level)
{
#define TF_MACHINE_ROW(id, name, type) name,
    static const char *const names[] = {TF_MACHINE_LEVELS(TF_MACHINE_ROW)};
#undef TF_MACHINE_ROW
    return names[level];
}

#ifdef TF_HAVE_HWLOC

/* What is used of hwloc. */
#define FUNCTIONS(f)                                                                                                   \
    f(hwloc_get_api_version) f(hwloc_topology_init) f(hwloc_topology_set_flags) f(hwloc_topology_set_io_types_filter)  \
        f(hwloc_topology_load) f(hwloc_topology_destroy) f(hwloc_get_type_depth) f(hwloc_get_nbobjs_by_depth)          \
            f(hwloc_get_obj_by_depth) f(hwloc_bitmap_isset)
struct hwloc {
    FUNCTIONS(TF_LIBRARY_MEMBER)
};
static const char *const names[] = {FUNCTIONS(TF_LIBRARY_NAME) NULL};

static void note_objects(const struct hwloc *hwloc, hwloc_topology_t topology)
{
#define TF_MACHINE_ROW(id, name, type) type,
    static const hwloc_obj_type_t types[] = {TF_MACHINE_LEVELS(TF_MACHINE_ROW)};
#undef TF_MACHINE_ROW
    for (int level = 0; level < TF_NLEVELS; level++) {
        int depth = hwloc->hwloc_get_type_depth(topology, types[level]);
        if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE)
            continue;
        unsigned n = hwloc->hwloc_get_nbobjs_by_depth(topology, depth);
        for (unsigned i = 0; i < n && i <= INT16_MAX; i++) {
            hwloc_obj_t o = hwloc->hwloc_get_obj_by_depth(topology, depth, i);
            for (unsigned cpu = 0; cpu < TF_MACHINE_PROCESSORS; cpu++)
                if (hwloc->hwloc_bitmap_isset(o->cpuset, cpu))
                    object[level][cpu] = (int16_t)i;
        }
    }
}

/* Processors that this process may not use are wanted too: others of the job may. */
static const char *ask_topology(const struct hwloc *hwloc)
{
    static char words[32];
    hwloc_topology_t topology;
    if (hwloc->hwloc_get_api_version() >> 16 != HWLOC_API_VERSION >> 16)
        return "none: the hwloc that is installed is of another version";
    if (hwloc->hwloc_topology_init(&topology))
        return "none: hwloc failed";
    bool loaded = !hwloc->hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) &&
                  !hwloc->hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) &&
                  !hwloc->hwloc_topology_load(topology);
    if (loaded)
        note_objects(hwloc, topology);
    hwloc->hwloc_topology_destroy(topology);
    unsigned version = hwloc->hwloc_get_api_version();
    snprintf(words, sizeof words, "hwloc, interface %u.%u", version >> 16, version >> 8 & 0xff);
    return loaded ? words : "none: hwloc failed";
}

static const char *ask(void)
{
    static char words[100];
    struct hwloc hwloc;
    const char *why;
    void *library = tf_library_open(TF_HWLOC_LIBRARY, names, &hwloc, &why);
    if (!library) {
        snprintf(words, sizeof words, "none: %s", why);
        return words;
    }
    const char *answer = ask_topology(&hwloc);
    dlclose(library);
    return answer;
}

#else

static const char *ask(void)
{
    return "none: built without hwloc";
}

#endif

const char *tf_machine_source(void)
{
    if (source)
        return source;
    memset(object, -1, sizeof object);
    source = ask();
    tf_log(2, "topology of the machine: %s", source);
    return source;
}

int tf_machine_object(enum tf_machine_level level, const struct tf_processors *set)
{
    int found = -1;
    tf_machine_source();
    for (size_t word = 0; word < TF_ARRAY_LEN(set->bits); word++) {
        for (uint64_t rest = set->bits[word]; rest != 0; rest &= rest - 1) {
            int of = object[level][64 * word + (size_t)__builtin_ctzll(rest)];
            if (of < 0 || (found >= 0 && of != found))
                return -1;
            found = of;
        }
    }
    return found;
}
