/* endpoint.c - what is opened of the provider: one endpoint and one completion queue for all processes, and one piece
 * of memory for the packets.
 *
 *     treefold-ofi-RANK    struct contact, with as many bytes of the address as there are
 */
#include "net/ofi/ofi.h"

#include <stdio.h>
#include <sys/mman.h>

#include "launch/launch.h"

struct contact {
    char provider[64];
    unsigned char address[512];
};

struct tf_ofi tf_ofi;

const char *tf_ofi_name(void)
{
    return tf_ofi.info->fabric_attr->prov_name;
}

static TF_COLD int complain(const char *what, int error)
{
    return tf_error(MPI_ERR_OTHER,
                    "cannot %s of provider %s on %s: %s; TREEFOLD_OFI_PROVIDER chooses another, 'fi_info' "
                    "lists them",
                    what, tf_ofi_name(), tf_ofi.info->domain_attr->name, tf_ofi_library.fi_strerror(-error));
}

/* ---- opening ---- */

/* With a file to sleep on, if the provider has one. */
static int open_queue(void)
{
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD};
    int err = fi_cq_open(tf_ofi.domain, &attr, &tf_ofi.cq, NULL);
    tf_ofi.sleeps = !err && !fi_control(&tf_ofi.cq->fid, FI_GETWAIT, &tf_ofi.file);
    if (err) {
        attr.wait_obj = FI_WAIT_NONE;
        err = fi_cq_open(tf_ofi.domain, &attr, &tf_ofi.cq, NULL);
    }
    return err;
}

static int set_up_endpoint(void)
{
    size_t least = TF_OFI_PACKET;
    int err = fi_ep_bind(tf_ofi.ep, &tf_ofi.av->fid, 0);
    if (!err)
        err = fi_ep_bind(tf_ofi.ep, &tf_ofi.cq->fid, FI_TRANSMIT | FI_RECV);
    if (!err)
        err = fi_enable(tf_ofi.ep);
    if (!err && tf_ofi.multi)
        err = fi_setopt(&tf_ofi.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, sizeof least);
    return err ? complain("set up an endpoint", err) : MPI_SUCCESS;
}

static int open_all(void)
{
    struct fi_av_attr av = {.type = tf_ofi.info->domain_attr->av_type, .count = (size_t)tf_job.size};
    const char *what = "open the fabric";
    int err = tf_ofi_library.fi_fabric(tf_ofi.info->fabric_attr, &tf_ofi.fabric, NULL);
    if (!err)
        what = "open the domain", err = fi_domain(tf_ofi.fabric, tf_ofi.info, &tf_ofi.domain, NULL);
    if (!err)
        what = "open a completion queue", err = open_queue();
    if (!err)
        what = "open a table of addresses", err = fi_av_open(tf_ofi.domain, &av, &tf_ofi.av, NULL);
    if (!err)
        what = "open an endpoint", err = fi_endpoint(tf_ofi.domain, tf_ofi.info, &tf_ofi.ep, NULL);
    return err ? complain(what, err) : set_up_endpoint();
}

int tf_ofi_register(const void *at, size_t bytes, uint64_t access, struct fid_mr **mr)
{
    static uint64_t key; /* where the provider does not choose it */
    int err = fi_mr_reg(tf_ofi.domain, at, bytes, access, 0, key++, 0, mr, NULL);
    if (err || !(tf_ofi.info->domain_attr->mr_mode & FI_MR_ENDPOINT))
        return err;
    err = fi_mr_bind(*mr, &tf_ofi.ep->fid, 0);
    err = err ? err : fi_mr_enable(*mr);
    if (err)
        fi_close(&(*mr)->fid);
    return err;
}

static int open_memory(void)
{
    tf_ofi.memory_bytes = (size_t)TF_OFI_PACKET * (TF_OFI_SLOTS + TF_OFI_SINGLES);
    void *at = mmap(NULL, tf_ofi.memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate %zu bytes for packets", tf_ofi.memory_bytes);
    tf_ofi.memory = at;
    if (!(tf_ofi.info->domain_attr->mr_mode & FI_MR_LOCAL))
        return MPI_SUCCESS;
    int err = tf_ofi_register(at, tf_ofi.memory_bytes, FI_SEND | FI_RECV, &tf_ofi.mr);
    if (err)
        return complain("register memory for packets (is the limit of locked memory, 'ulimit -l', too low?)", err);
    tf_ofi.desc = fi_mr_desc(tf_ofi.mr);
    return MPI_SUCCESS;
}

/* ---- addresses ---- */

static int publish(void)
{
    char key[40];
    struct contact contact = {.provider = ""};
    size_t n = sizeof contact.address;
    int err = fi_getname(&tf_ofi.ep->fid, contact.address, &n);
    if (err)
        return complain("learn the address of the endpoint", err);
    snprintf(contact.provider, sizeof contact.provider, "%s", tf_ofi_name());
    snprintf(key, sizeof key, "treefold-ofi-%d", tf_job.rank);
    return tf_launch_put_bytes(key, &contact, offsetof(struct contact, address) + n);
}

static TF_COLD fi_addr_t no_address(int rank, const char *why)
{
    tf_net_peer_failed(tf_net_peer(rank), "provider %s cannot use the address of rank %d on host %s: %s", tf_ofi_name(),
                       rank, tf_address_host(rank), why);
    return FI_ADDR_UNSPEC;
}

fi_addr_t tf_ofi_find(int rank)
{
    struct contact contact = {.provider = ""};
    char key[40], words[160];
    size_t n;
    fi_addr_t found = FI_ADDR_UNSPEC;
    snprintf(key, sizeof key, "treefold-ofi-%d", rank);
    int err = tf_launch_get_bytes(rank, key, &contact, sizeof contact, &n);
    if (err)
        return no_address(rank, tf_error_text(err));
    contact.provider[sizeof contact.provider - 1] = '\0';
    if (strcmp(contact.provider, tf_ofi_name()) != 0) {
        snprintf(words, sizeof words, "it is of provider %s; TREEFOLD_OFI_PROVIDER chooses one for all",
                 contact.provider);
        return no_address(rank, words);
    }
    err = fi_av_insert(tf_ofi.av, contact.address, 1, &found, 0, NULL);
    if (err != 1)
        return no_address(rank, err < 0 ? tf_ofi_library.fi_strerror(-err) : "it is of another kind");
    return found;
}

/* ---- */

/* ofi_rxm (of libfabric 1.17) says that a piece is full while packets of more than 16 KiB are still being read into it:
 * what would be received there next and they would write over each other. */
static bool keeps_pieces(void)
{
    return !strstr(tf_ofi_name(), "ofi_rxm");
}

int tf_ofi_endpoint_open(void)
{
    const char *why;
    tf_ofi = (struct tf_ofi){.info = tf_ofi_provider(&why)};
    if (!tf_ofi.info)
        return tf_error(MPI_ERR_OTHER, "TREEFOLD_NET=ofi cannot be used: %s", why);
    tf_ofi.multi = tf_ofi.info->caps & FI_MULTI_RECV && keeps_pieces();
    tf_ofi.reads = tf_ofi.info->caps & FI_RMA && tf_ofi.info->caps & FI_READ && tf_ofi.info->caps & FI_WRITE;
    int err = open_all();
    if (!err)
        err = open_memory();
    if (!err)
        err = publish();
    if (!err)
        tf_log(1, "uses provider %s of libfabric on %s", tf_ofi_name(), tf_ofi.info->domain_attr->name);
    return err;
}

void tf_ofi_endpoint_close(void)
{
    if (tf_ofi.ep)
        fi_close(&tf_ofi.ep->fid);
    if (tf_ofi.mr)
        fi_close(&tf_ofi.mr->fid);
    if (tf_ofi.av)
        fi_close(&tf_ofi.av->fid);
    if (tf_ofi.cq)
        fi_close(&tf_ofi.cq->fid);
    if (tf_ofi.domain)
        fi_close(&tf_ofi.domain->fid);
    if (tf_ofi.fabric)
        fi_close(&tf_ofi.fabric->fid);
    if (tf_ofi.info)
        tf_ofi_library.fi_freeinfo(tf_ofi.info);
    tf_ofi = (struct tf_ofi){.memory = tf_ofi.memory, .memory_bytes = tf_ofi.memory_bytes};
}

void tf_ofi_memory_close(void)
{
    if (tf_ofi.memory)
        munmap(tf_ofi.memory, tf_ofi.memory_bytes);
    tf_ofi.memory = NULL;
}
