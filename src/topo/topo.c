/* topo.c - which processors share a package, memory, a cache, a core.  See topo.h.
 *
 * hwloc is opened, asked once and closed again; what stays is a table of numbers.
 */
#include "topo/topo.h"

#include "base/base.h"

#ifdef TF_HAVE_HWLOC
#include <dlfcn.h>
#include <hwloc.h>
#endif

static int16_t object[TF_NTOPO][TF_TOPO_PROCESSORS]; /* the object that each processor belongs to, or -1 */
static const char *source;                           /* NULL: not asked yet */

const char *tf_topo_name(enum tf_topo_level level)
{
#define TF_TOPO_ROW(id, name, type) name,
    static const char *const names[] = {TF_TOPO_LEVELS(TF_TOPO_ROW)};
#undef TF_TOPO_ROW
    return names[level];
}

#ifdef TF_HAVE_HWLOC

/* What is used of hwloc. */
#define FUNCTIONS(f)                                                                                                   \
    f(get_api_version) f(topology_init) f(topology_set_flags) f(topology_set_io_types_filter) f(topology_load)         \
        f(topology_destroy) f(get_type_depth) f(get_nbobjs_by_depth) f(get_obj_by_depth) f(bitmap_isset)
#define MEMBER(name) __typeof__(hwloc_##name) *name;
struct hwloc {
    FUNCTIONS(MEMBER)
};
#undef MEMBER

static bool find_functions(void *library, struct hwloc *hwloc)
{
    bool all = true;
#define FIND(name) all = (hwloc->name = (__typeof__(hwloc_##name) *)dlsym(library, "hwloc_" #name)) && all;
    FUNCTIONS(FIND)
#undef FIND
    return all;
}

static void note_objects(const struct hwloc *hwloc, hwloc_topology_t topology)
{
#define TF_TOPO_ROW(id, name, type) type,
    static const hwloc_obj_type_t types[] = {TF_TOPO_LEVELS(TF_TOPO_ROW)};
#undef TF_TOPO_ROW
    for (int level = 0; level < TF_NTOPO; level++) {
        int depth = hwloc->get_type_depth(topology, types[level]);
        if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE)
            continue;
        unsigned n = hwloc->get_nbobjs_by_depth(topology, depth);
        for (unsigned i = 0; i < n && i <= INT16_MAX; i++) {
            hwloc_obj_t o = hwloc->get_obj_by_depth(topology, depth, i);
            for (unsigned cpu = 0; cpu < TF_TOPO_PROCESSORS; cpu++)
                if (hwloc->bitmap_isset(o->cpuset, cpu))
                    object[level][cpu] = (int16_t)i;
        }
    }
}

/* Processors that this process may not use are wanted too: others of the job may. */
static const char *ask_topology(const struct hwloc *hwloc)
{
    static char words[32];
    hwloc_topology_t topology;
    if (hwloc->get_api_version() >> 16 != HWLOC_API_VERSION >> 16)
        return "none: the hwloc that is installed is of another version";
    if (hwloc->topology_init(&topology))
        return "none: hwloc failed";
    bool loaded = !hwloc->topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) &&
                  !hwloc->topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE) &&
                  !hwloc->topology_load(topology);
    if (loaded)
        note_objects(hwloc, topology);
    hwloc->topology_destroy(topology);
    unsigned version = hwloc->get_api_version();
    snprintf(words, sizeof words, "hwloc, interface %u.%u", version >> 16, version >> 8 & 0xff);
    return loaded ? words : "none: hwloc failed";
}

static const char *ask(void)
{
    struct hwloc hwloc;
    void *library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return "none: libhwloc.so.15 is not installed";
    const char *words = find_functions(library, &hwloc) ? ask_topology(&hwloc) : "none: hwloc lacks a function";
    dlclose(library);
    return words;
}

#else

static const char *ask(void)
{
    return "none: built without hwloc";
}

#endif

const char *tf_topo_source(void)
{
    if (source)
        return source;
    memset(object, -1, sizeof object);
    source = ask();
    tf_log(2, "topology of the machine: %s", source);
    return source;
}

int tf_topo_object(enum tf_topo_level level, const struct tf_processors *set)
{
    int found = -1;
    tf_topo_source();
    for (int i = 0; i < TF_TOPO_PROCESSORS; i++) {
        if (!tf_processors_have(set, i))
            continue;
        if (object[level][i] < 0 || (found >= 0 && object[level][i] != found))
            return -1;
        found = object[level][i];
    }
    return found;
}
