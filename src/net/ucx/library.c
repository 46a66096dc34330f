/* library.c - libucp, opened at run time, and what it finds on this machine.
 *
 * The library stays open once it was opened: it may have put hooks into the program, where there is an adapter whose
 * memory has to be registered.
 */
#include "net/ucx/ucx.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>

#include "base/settings.h"

struct tf_ucx_functions tf_ucx;

static unsigned version[3];

static bool is_adapter_here(void)
{
    DIR *folder = opendir("/sys/class/infiniband");
    bool found = false;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        found |= entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return found;
}

bool tf_ucx_registers_nothing(const char *list)
{
    static const char *const plain[] = {"tcp", "self", "posix", "sysv", "cma", "mm", "sm", "shm"};
    for (size_t length; *list; list += length + (list[length] == ',')) {
        size_t i = 0;
        length = strcspn(list, ",");
        while (i < TF_ARRAY_LEN(plain) && (strlen(plain[i]) != length || strncmp(list, plain[i], length) != 0))
            i++;
        if (i == TF_ARRAY_LEN(plain))
            return false;
    }
    return true;
}

/* UCX patches the program's memory calls while it is loaded, to follow registered memory, unless it is told then that
 * there will be none.  That is for this process, not for those that it starts. */
static void *open_without_hooks(const char *const *names, const char **why)
{
    static const char variable[] = "UCX_MEM_EVENTS";
    const char *list = getenv("UCX_TLS");
    bool silent = !getenv(variable) && (!is_adapter_here() || (list && tf_ucx_registers_nothing(list)));
    if (silent)
        setenv(variable, "no", 1);
    void *library = tf_library_open(TF_UCX_LIBRARY, names, &tf_ucx, why);
    if (silent)
        unsetenv(variable);
    return library;
}

/* UCX catches signals of errors for a report of its own.  They are the program's, unless the user asks UCX for that. */
static const int caught[] = {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGHUP};

static void *open_quietly(const char **why)
{
    static const char *const names[] = {TF_UCX_FUNCTIONS(TF_LIBRARY_NAME) NULL};
    struct sigaction before[TF_ARRAY_LEN(caught)];
    for (size_t i = 0; i < TF_ARRAY_LEN(caught); i++)
        sigaction(caught[i], NULL, &before[i]);
    void *library = open_without_hooks(names, why);
    bool wanted = getenv("UCX_HANDLE_ERRORS") || getenv("UCX_ERROR_SIGNALS") || getenv("UCX_DEBUG_SIGNO");
    for (size_t i = 0; i < TF_ARRAY_LEN(caught) && !wanted; i++)
        sigaction(caught[i], &before[i], NULL);
    return library;
}

static const char *open_library(void)
{
    static char words[200];
    static void *library;
    const char *why;
    if (library)
        return NULL;
    void *found = open_quietly(&why);
    if (!found)
        return why;
    tf_ucx.ucp_get_version(&version[0], &version[1], &version[2]);
    if (version[0] != UCP_API_MAJOR || version[1] < UCP_API_MINOR) {
        snprintf(words, sizeof words, "%s is UCX %u.%u.%u; Treefold was built for %d.%d and later ones of %d",
                 TF_UCX_LIBRARY, version[0], version[1], version[2], UCP_API_MAJOR, UCP_API_MINOR, UCP_API_MAJOR);
        return words;
    }
    library = found;
    return NULL;
}

static const char *or_any(const char *variable)
{
    const char *value = getenv(variable);
    return value ? value : "all";
}

/* What serves packets better than UCX's defaults, unless the user has said something else.  In 1.13 the environment is
 * the one way to tell a transport: ucp_config_modify() knows nothing of it. */
static void set_defaults(void)
{
    static const char *const variables[][2] = {
        /* A packet is not cut by the sender, nor put together by the receiver. */
        {"UCX_TCP_TX_SEG_SIZE", "160K"},
        {"UCX_TCP_RX_SEG_SIZE", "160K"},
        /* Else what is longer than 1 KiB lies in memory for the longest. */
        {"UCX_RX_MPOOL_SIZES", "64,1K,2K,4K,8K,16K,32K,64K"},
    };
    for (size_t i = 0; i < TF_ARRAY_LEN(variables); i++)
        setenv(variables[i][0], variables[i][1], 0);
}

const char *tf_ucx_context_open(ucp_context_h *context)
{
    static char words[300];
    const char *why = open_library();
    if (why)
        return why;
    ucp_params_t params = {.field_mask =
                               UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
                           .features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_WAKEUP,
                           .name = "treefold",
                           .estimated_num_eps = (size_t)tf_job.size};
    set_defaults();
    ucs_status_t status = tf_ucx.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, NULL, context);
    if (status == UCS_OK)
        return NULL;
    snprintf(words, sizeof words,
             "UCX %u.%u.%u finds no transport that it can use (%s); UCX_TLS is %s, "
             "UCX_NET_DEVICES is %s, and 'ucx_info -d' shows what there is",
             version[0], version[1], version[2], tf_ucx.ucs_status_string(status), or_any("UCX_TLS"),
             or_any("UCX_NET_DEVICES"));
    return words;
}

/* ---- what there is ---- */

/* The context tells its resources to people only, a line each that ends in "-- TRANSPORT/DEVICE".  Where it tells them
 * in another way nothing is found. */
static void each_resource(ucp_context_h context, void (*take)(const char *resource, void *to), void *to)
{
    char *text = NULL, *rest, *line;
    size_t length;
    FILE *f = open_memstream(&text, &length);
    if (!f)
        return;
    tf_ucx.ucp_context_print_info(context, f);
    fclose(f);
    for (rest = text; rest && (line = strsep(&rest, "\n"));) {
        char *resource = strstr(line, "-- ");
        if (strstr(line, "resource") && resource)
            take(resource + 3, to);
    }
    free(text);
}

struct list {
    char *words;
    size_t n;
};

static void add_word(const char *resource, void *to)
{
    struct list *list = to;
    size_t length = strlen(list->words);
    snprintf(list->words + length, list->n - length, " %s", resource);
}

bool tf_ucx_describe(char *words, size_t n)
{
    ucp_context_h context;
    const char *why = tf_ucx_context_open(&context);
    if (why) {
        snprintf(words, n, "%s", why);
        return false;
    }
    snprintf(words, n, "UCX %u.%u.%u:", version[0], version[1], version[2]);
    each_resource(context, add_word, &(struct list){words, n});
    tf_ucx.ucp_cleanup(context);
    return true;
}

/* What UCX's transports are called, by the networks they drive. */
static const struct {
    const char *prefix;
    struct tf_ucx_abilities has;
} transports[] = {
    {"tcp/", {.leaves = true}},
    {"rc_", {.leaves = true, .fabric = true, .reads = true}},
    {"dc_", {.leaves = true, .fabric = true, .reads = true}},
    {"ud_", {.leaves = true, .fabric = true}},
    {"ugni_rdma/", {.leaves = true, .fabric = true, .reads = true}},
};

static void note_transport(const char *resource, void *to)
{
    struct tf_ucx_abilities *all = to;
    for (size_t i = 0; i < TF_ARRAY_LEN(transports); i++)
        if (strncmp(resource, transports[i].prefix, strlen(transports[i].prefix)) == 0) {
            all->leaves |= transports[i].has.leaves;
            all->fabric |= transports[i].has.fabric;
            all->reads |= transports[i].has.reads;
        }
}

struct tf_ucx_abilities tf_ucx_find_abilities(ucp_context_h context)
{
    struct tf_ucx_abilities all = {false, false, false};
    each_resource(context, note_transport, &all);
    return all;
}

/* UCX knows more networks, on machines where the library is asked for. */
enum tf_net_grade tf_ucx_grade(void)
{
    ucp_context_h context;
    if (strcmp(tf_settings.net, "ucx") != 0 && !is_adapter_here())
        return TF_NET_SPARE;
    if (tf_ucx_context_open(&context))
        return TF_NET_UNUSABLE;
    bool fabric = tf_ucx_find_abilities(context).fabric;
    tf_ucx.ucp_cleanup(context);
    return fabric ? TF_NET_FABRIC : TF_NET_SPARE;
}
