/* lustre.c - stripes of Lustre, by the extended attribute "lustre.lov".
 *
 * What its bytes mean is Lustre's interface to programs: struct lov_user_md_v1 and _v3, and O_LOV_DELAY_CREATE, of
 * lustre_user.h, and llapi_layout_file_open(3), which sets the attribute of a file that has no objects yet.  Numbers
 * are in the host's order.
 */
#include "file/striping.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <sys/xattr.h>

static const char ATTRIBUTE[] = "lustre.lov";
enum { DELAY_CREATE = 0100000000 | O_NOCTTY | O_ASYNC };
enum { MAGIC_V1 = 0x0bd10bd0, MAGIC_V3 = 0x0bd30bd0 };
enum { ANY = 0xffff, POOL = 16 };

struct layout {
    uint32_t magic, pattern; /* 0: the usual one */
    uint64_t object[2];
    uint32_t stripe_size;
    uint16_t stripe_count, stripe_offset; /* the first device; what is read has something else there */
};
struct object { /* of each stripe, behind the layout and, in V3, the name of a pool */
    uint64_t id[2];
    uint32_t generation, device;
};

static int set(int fd, const struct tf_stripes *wanted)
{
    struct layout layout = {.magic = MAGIC_V1,
                            .stripe_size = wanted->unit <= UINT32_MAX ? (uint32_t)wanted->unit : UINT32_MAX,
                            .stripe_count = (uint16_t)wanted->factor,
                            .stripe_offset = wanted->first > 0 ? (uint16_t)(wanted->first - 1) : ANY};
    return fsetxattr(fd, ATTRIBUTE, &layout, sizeof layout, 0) < 0 ? errno : 0;
}

/* A file whose layout has several parts is striped in several ways, and of another version nothing is known. */
static int read_layout(const char *bytes, size_t n, struct tf_stripes *found)
{
    struct layout layout;
    struct object first;
    if (n < sizeof layout)
        return EINVAL;
    memcpy(&layout, bytes, sizeof layout);
    if (layout.magic != MAGIC_V1 && layout.magic != MAGIC_V3)
        return EOPNOTSUPP;
    *found = (struct tf_stripes){.factor = layout.stripe_count, .unit = layout.stripe_size};
    size_t objects = sizeof layout + (layout.magic == MAGIC_V3 ? POOL : 0);
    if (n >= objects + sizeof first) {
        memcpy(&first, bytes + objects, sizeof first);
        found->first = (int)first.device + 1;
    }
    return 0;
}

static int get(int fd, struct tf_stripes *found)
{
    char *bytes = malloc(XATTR_SIZE_MAX);
    if (!bytes)
        return ENOMEM;
    ssize_t n = fgetxattr(fd, ATTRIBUTE, bytes, XATTR_SIZE_MAX);
    int reason = n < 0 ? errno : read_layout(bytes, (size_t)n, found);
    free(bytes);
    return reason;
}

const struct tf_striping tf_striping_lustre = {DELAY_CREATE, set, get};
