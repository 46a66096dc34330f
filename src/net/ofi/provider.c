/* provider.c - libfabric, and the provider of it that is used.
 *
 * It is opened when the setting net asks for it, or where the machine has a device that it may drive.  libfabric lists
 * its providers best first, and keeps to FI_PROVIDER and its other variables by itself; here only those that can be
 * used are asked for, with memory modes that all of them know.
 */
#include "net/ofi/ofi.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"

enum { OLDEST = FI_VERSION(1, 9), INTERFACE = FI_VERSION(1, 17) };

struct tf_ofi_library tf_ofi_library;
static void *library;

/* Where the user has not set them. */
static void set_variables(void)
{
    static const char *const variables[][2] = {
        /* What libfabric loads for these devices would catch the program's signals to print where it crashed. */
        {"IPATH_NO_BACKTRACE", "1"},
        {"HFI_NO_BACKTRACE", "1"},
        /* ofi_rxm would take 64 MiB to receive into with TCP, as if messages came for everybody at once. */
        {"FI_OFI_RXM_MSG_RX_SIZE", "128"},
        /* 16 KiB of a message and its headers go at once. */
        {"FI_OFI_RXM_BUFFER_SIZE", "17408"},
        {"FI_OFI_RXM_EAGER_LIMIT", "17408"},
    };
    for (size_t i = 0; i < TF_ARRAY_LEN(variables); i++)
        setenv(variables[i][0], variables[i][1], 0);
}

static bool open_library(const char **why)
{
    static const char *const names[] = {TF_OFI_FUNCTIONS(TF_LIBRARY_NAME) NULL};
    static char words[120];
    if (!library) {
        set_variables();
        library = tf_library_open(TF_OFI_LIBRARY, names, &tf_ofi_library, why);
    }
    if (!library)
        return false;
    uint32_t version = tf_ofi_library.fi_version();
    snprintf(words, sizeof words, "libfabric is of version %u.%u; 1.9 and later can be used", FI_MAJOR(version),
             FI_MINOR(version));
    *why = words;
    return FI_VERSION_GE(version, OLDEST);
}

/* The level of the interface that both sides know. */
static uint32_t level(void)
{
    uint32_t version = tf_ofi_library.fi_version(), built = FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION);
    version = FI_VERSION_LT(version, built) ? version : built;
    return FI_VERSION_LT(version, INTERFACE) ? version : INTERFACE;
}

static struct fi_info *ask(uint64_t caps, const char *provider)
{
    struct fi_info *hints = tf_ofi_library.fi_dupinfo(NULL), *found = NULL;
    if (!hints)
        return NULL;
    hints->caps = caps;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->ep_attr->max_msg_size = TF_OFI_PACKET;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_LOCAL | FI_MR_ENDPOINT;
    if (provider[0])
        hints->fabric_attr->prov_name = strdup(provider);
    if (tf_ofi_library.fi_getinfo(level(), NULL, NULL, 0, hints, &found))
        found = NULL;
    tf_ofi_library.fi_freeinfo(hints);
    return found;
}

/* Of the interfaces of the best provider, the one that tcp_interface names if it is among them. */
static struct fi_info *pick(struct fi_info *list)
{
    struct fi_info *best = list;
    for (struct fi_info *at = list; at; at = at->next)
        if (tf_settings.tcp_interface[0] && strcmp(at->domain_attr->name, tf_settings.tcp_interface) == 0 &&
            strcmp(at->fabric_attr->prov_name, list->fabric_attr->prov_name) == 0) {
            best = at;
            break;
        }
    struct fi_info *own = tf_ofi_library.fi_dupinfo(best);
    tf_ofi_library.fi_freeinfo(list);
    return own;
}

struct fi_info *tf_ofi_provider(const char **why)
{
    static const uint64_t remote = FI_RMA | FI_READ | FI_REMOTE_READ | FI_WRITE | FI_REMOTE_WRITE;
    static char words[200];
    const uint64_t wishes[] = {FI_MSG | FI_REMOTE_COMM | FI_MULTI_RECV | remote, FI_MSG | FI_MULTI_RECV | remote,
                               FI_MSG | FI_MULTI_RECV, FI_MSG};
    struct fi_info *list = NULL;
    if (!open_library(why))
        return NULL;
    for (size_t i = 0; i < TF_ARRAY_LEN(wishes) && !list; i++)
        list = ask(wishes[i], tf_settings.ofi_provider);
    if (list)
        return pick(list);
    const char *variable = getenv("FI_PROVIDER");
    if (tf_settings.ofi_provider[0])
        snprintf(words, sizeof words, "libfabric has no provider \"%.40s\" (TREEFOLD_OFI_PROVIDER) that works here%s",
                 tf_settings.ofi_provider, variable ? " and that FI_PROVIDER allows" : "");
    else
        snprintf(words, sizeof words, "libfabric has no provider of reliable messages that works here%s%.40s",
                 variable ? ", with FI_PROVIDER=" : "", variable ? variable : "");
    *why = words;
    return NULL;
}

/* ---- what is said without a job ---- */

bool tf_ofi_describe(char *words, size_t n)
{
    const char *why = "";
    char address[64] = "";
    struct fi_info *info = tf_ofi_provider(&why);
    if (!info) {
        snprintf(words, n, "%s; 'fi_info' lists what libfabric finds", why);
        return false;
    }
    uint32_t version = tf_ofi_library.fi_version();
    if (info->src_addr && (info->addr_format == FI_SOCKADDR_IN || info->addr_format == FI_SOCKADDR_IN6)) {
        struct sockaddr_storage at = {0};
        memcpy(&at, info->src_addr, info->src_addrlen < sizeof at ? info->src_addrlen : sizeof at);
        tf_address_show(&at, address, sizeof address);
    }
    snprintf(words, n, "libfabric %u.%u, provider %s on %s%s%s", FI_MAJOR(version), FI_MINOR(version),
             info->fabric_attr->prov_name, info->domain_attr->name, address[0] ? ", address " : "", address);
    tf_ofi_library.fi_freeinfo(info);
    return true;
}

static bool has_entries(const char *folder)
{
    DIR *directory = opendir(folder);
    bool any = false;
    const struct dirent *entry;
    while (directory && !any && (entry = readdir(directory)))
        any = entry->d_name[0] != '.';
    if (directory)
        closedir(directory);
    return any;
}

/* Devices for whose networks libfabric has providers of its own. */
static bool has_fabric(void)
{
    return has_entries("/sys/class/infiniband") || has_entries("/sys/class/cxi") || !access("/dev/hfi1_0", F_OK);
}

/* Others reach another machine through the system's sockets, or none at all. */
bool tf_ofi_drives_fabric(const char *provider)
{
    static const char *const plain[] = {"tcp", "net", "sockets", "udp", "shm"};
    for (size_t i = 0; i < TF_ARRAY_LEN(plain); i++)
        if (strncmp(provider, plain[i], strlen(plain[i])) == 0)
            return false;
    return true;
}

/* A container may see a device and not be let in. */
static bool opens(struct fi_info *info)
{
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    if (tf_ofi_library.fi_fabric(info->fabric_attr, &fabric, NULL))
        return false;
    bool opened = fi_domain(fabric, info, &domain, NULL) == 0;
    if (opened)
        fi_close(&domain->fid);
    else
        tf_log(1, "cannot open %s of provider %s", info->domain_attr->name, info->fabric_attr->prov_name);
    fi_close(&fabric->fid);
    return opened;
}

enum tf_net_grade tf_ofi_grade(void)
{
    const char *why;
    bool forced = strcmp(tf_settings.net, "ofi") == 0;
    if (!forced && !has_fabric())
        return TF_NET_SPARE;
    struct fi_info *info = tf_ofi_provider(&why);
    if (!info)
        return TF_NET_UNUSABLE;
    bool fabric = tf_ofi_drives_fabric(info->fabric_attr->prov_name), usable = forced || !fabric || opens(info);
    tf_ofi_library.fi_freeinfo(info);
    if (!usable)
        return TF_NET_UNUSABLE;
    return fabric ? TF_NET_FABRIC : TF_NET_SPARE;
}
