/* address.c - where a process can be reached: its listening socket, and the addresses that it publishes.
 *
 *     treefold-at-RANK    "KEY,PORT,HOST,ADDRESS,ADDRESS..."
 *
 * The socket listens on every address of the host, and published are those of interfaces that are up; where the other
 * side looks, it tries in this order.  Of an interface that the setting tcp_interface names, it is the first address
 * alone.  A host may have addresses that other hosts have too (bridges of containers): who connects finds out whom by
 * the proofs.  Where no interface is up there are still processes of other jobs on this host, which find an address
 * that the system has made for a socket of the family AF_UNIX, written with "@" before it.
 */
#include "net/remote/remote.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/settings.h"
#include "launch/launch.h"
#include "net/others.h"

enum { FACT = TF_ADDRESS_FACT, HOST = 64 };

static bool usable(const struct ifaddrs *at, int family, bool loopback)
{
    if (!at->ifa_addr || at->ifa_addr->sa_family != family || !(at->ifa_flags & IFF_UP))
        return false;
    if (family == AF_INET6 &&
        IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)at->ifa_addr)->sin6_addr))
        return false;
    if (tf_settings.tcp_interface[0])
        return strcmp(at->ifa_name, tf_settings.tcp_interface) == 0;
    return !(at->ifa_flags & IFF_LOOPBACK) == !loopback;
}

/* Addresses of IPv4 before those of IPv6, and that of the loopback interface only where there is no other. */
static int collect(struct sockaddr_storage address[TF_ADDRESSES])
{
    static const struct {
        int family;
        bool loopback;
    } kinds[] = {{AF_INET, false}, {AF_INET6, false}, {AF_INET, true}};
    struct ifaddrs *all;
    int n = 0;
    if (getifaddrs(&all))
        return 0;
    for (size_t k = 0; k < TF_ARRAY_LEN(kinds) && !(kinds[k].loopback && n > 0); k++)
        for (const struct ifaddrs *at = all; at && n < TF_ADDRESSES; at = at->ifa_next)
            if (usable(at, kinds[k].family, kinds[k].loopback)) {
                size_t bytes = kinds[k].family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
                memcpy(&address[n++], at->ifa_addr, bytes);
            }
    freeifaddrs(all);
    return n;
}

void tf_address_show(const struct sockaddr_storage *address, char *text, size_t n)
{
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    if (address->ss_family == AF_UNIX) {
        snprintf(text, n, "@%s", ((const struct sockaddr_un *)address)->sun_path + 1);
        return;
    }
    const void *bytes = address->ss_family == AF_INET ? (const void *)&four->sin_addr : &six->sin6_addr;
    if (!inet_ntop(address->ss_family, bytes, text, (socklen_t)n))
        snprintf(text, n, "an unknown address");
}

bool tf_address_describe(char *words, size_t n)
{
    struct sockaddr_storage address[TF_ADDRESSES];
    int found = collect(address);
    words[0] = '\0';
    if (found == 0 && tf_settings.tcp_interface[0])
        snprintf(words, n, "no interface \"%s\" (TREEFOLD_TCP_INTERFACE) with an address is up",
                 tf_settings.tcp_interface);
    else if (found == 0)
        snprintf(words, n, "no network interface with an address is up");
    for (int i = 0; i < found; i++) {
        size_t length = strlen(words);
        char text[INET6_ADDRSTRLEN];
        tf_address_show(&address[i], text, sizeof text);
        snprintf(words + length, n - length, "%s%s", i ? ", " : "", text);
    }
    return found > 0;
}

static int listen_at(const struct sockaddr_storage *at)
{
    int off = 0, fd = socket(at->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if ((at->ss_family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off)) ||
        bind(fd, (const struct sockaddr *)at, tf_address_length(at)) || listen(fd, SOMAXCONN)) {
        close(fd);
        return -1;
    }
    return fd;
}

static int port_of(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_UNIX)
        return 0;
    return ntohs(address->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)address)->sin6_port
                                                : ((const struct sockaddr_in *)address)->sin_port);
}

/* At that address; NULL: at every one of both families, or of IPv4 alone where there is no other. */
static int open_listener(const struct sockaddr_storage *only, struct sockaddr_storage *bound)
{
    struct sockaddr_storage six = {.ss_family = AF_INET6}, four = {.ss_family = AF_INET};
    socklen_t length = sizeof *bound;
    int fd = listen_at(only ? only : &six);
    if (fd < 0 && !only)
        fd = listen_at(&four);
    *bound = (struct sockaddr_storage){0};
    if (fd >= 0 && getsockname(fd, (struct sockaddr *)bound, &length)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The host's name as one word of letters, digits, dots and hyphens. */
static void host_name(char *name, size_t n)
{
    if (gethostname(name, n - 1))
        strcpy(name, "unknown");
    name[n - 1] = '\0';
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", *c))
            *c = '_';
}

static int check_interfaces(void)
{
    char words[200];
    if (tf_address_describe(words, sizeof words))
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_OTHER, "processes of other nodes cannot reach rank %d: %s", tf_job.rank, words);
}

int tf_address_open(int *fd, char fact[FACT])
{
    struct sockaddr_storage address[TF_ADDRESSES], bound;
    char host[HOST];
    int n = collect(address);
    bool named = tf_settings.tcp_interface[0] != '\0', one = named || n == 0;
    int err = named ? check_interfaces() : MPI_SUCCESS;
    if (err)
        return err;
    if (n == 0)
        address[0] = (struct sockaddr_storage){.ss_family = AF_UNIX};
    *fd = open_listener(one ? &address[0] : NULL, &bound);
    if (*fd < 0)
        return tf_error(MPI_ERR_OTHER, "cannot listen for connections: %s", strerror(errno));
    if (n == 0)
        address[0] = bound;
    n = one ? 1 : n;
    host_name(host, sizeof host);
    int length = snprintf(fact, FACT, "%d,%s", port_of(&bound), host);
    for (int i = 0; i < n; i++) {
        char text[INET6_ADDRSTRLEN];
        tf_address_show(&address[i], text, sizeof text);
        if (length + (int)strlen(text) + 1 < FACT)
            length += snprintf(fact + length, (size_t)(FACT - length), ",%s", text);
    }
    return MPI_SUCCESS;
}

void tf_address_name(int rank, char name[TF_ADDRESS_NAME])
{
    snprintf(name, TF_ADDRESS_NAME, "treefold-at-%d", rank);
}

int tf_address_listen(int *fd, char fact[FACT])
{
    char name[TF_ADDRESS_NAME], value[TF_KEY_TEXT + FACT];
    int err = check_interfaces();
    if (!err)
        err = tf_address_open(fd, fact);
    if (!err)
        err = tf_key_make_own();
    if (err)
        return err;
    tf_log(1, "listens for processes of other nodes: %s", fact);
    tf_address_name(tf_job.rank, name);
    tf_key_write(tf_key_own(), value);
    sprintf(value + strlen(value), ",%s", fact);
    return tf_launch_put(name, value);
}

static bool read_address(const char *text, int port, struct sockaddr_storage *address)
{
    struct sockaddr_in *four = (struct sockaddr_in *)address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
    if (text[0] == '@') {
        struct sockaddr_un *name = (struct sockaddr_un *)address;
        *address = (struct sockaddr_storage){.ss_family = AF_UNIX};
        return snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "%s", text + 1) > 0;
    }
    *address = (struct sockaddr_storage){.ss_family = strchr(text, ':') ? AF_INET6 : AF_INET};
    if (address->ss_family == AF_INET) {
        four->sin_port = htons((uint16_t)port);
        return inet_pton(AF_INET, text, &four->sin_addr) == 1;
    }
    six->sin6_port = htons((uint16_t)port);
    return inet_pton(AF_INET6, text, &six->sin6_addr) == 1;
}

bool tf_address_read(const char *fact, struct tf_address *address)
{
    char value[FACT], *rest = value, *word;
    snprintf(value, sizeof value, "%s", fact);
    word = strsep(&rest, ",");
    address->port = atoi(word);
    address->n = 0;
    word = strsep(&rest, ",");
    snprintf(address->host, sizeof address->host, "%s", word ? word : "?");
    while ((word = strsep(&rest, ",")) && address->n < TF_ADDRESSES)
        address->n += read_address(word, address->port, &address->at[address->n]);
    bool has_port = address->port >= 1 && address->port <= 65535;
    return address->n > 0 && (has_port || address->at[0].ss_family == AF_UNIX);
}

int tf_address_get(int rank, struct tf_address *address)
{
    char name[TF_ADDRESS_NAME], value[TF_KEY_TEXT + FACT];
    tf_address_name(rank, name);
    int err = tf_launch_get(rank, name, value, sizeof value);
    const char *rest = err ? NULL : strchr(value, ',');
    if (!err && !(rest && tf_key_read(value, address->key) && tf_address_read(rest + 1, address)))
        err = tf_error(MPI_ERR_OTHER, "rank %d has published no address at which it can be reached", rank);
    return err;
}

int tf_address_of(const struct tf_peer *peer, struct tf_address *address)
{
    const struct tf_card *card = tf_others_card_of(peer);
    if (!card)
        return tf_address_get(peer->rank, address);
    tf_others_key(card, address->key);
    return tf_address_read(card->address, address)
               ? MPI_SUCCESS
               : tf_error(MPI_ERR_OTHER, "%s has told no address at which it can be reached", tf_net_name(peer));
}

/* One of AF_UNIX without a name asks the system for it. */
socklen_t tf_address_length(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_UNIX) {
        const char *name = ((const struct sockaddr_un *)address)->sun_path;
        return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (name[1] ? 1 + strlen(name + 1) : 0));
    }
    return address->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

const char *tf_address_host(int rank)
{
    static struct tf_address address;
    return tf_address_get(rank, &address) ? "unknown" : address.host;
}

const char *tf_address_host_of(const struct tf_peer *peer)
{
    static struct tf_address address;
    return tf_address_of(peer, &address) ? "unknown" : address.host;
}
