/* Stripes of a file on Lustre, which this program is for its ranks: hints that are asked for when it is made, what is
 * told of a file that is open, layouts that are refused or not understood, and aggregators that keep to their devices.
 *
 * np: 1 2 4
 * only: treefold
 */
#include "syscalls.h"

enum { LUSTRE = 0x0bd00bd0, V1 = 0x0bd10bd0, V3 = 0x0bd30bd0, PARTS = 0x0bd60bd0 };
enum { KIB = 1024, USUAL_UNIT = 1024 * KIB, DEVICES = 16 };

/* ---- Lustre, as rank 0 sees it: lustre_user.h ---- */

struct layout {
    uint32_t magic, pattern;
    uint64_t id[2];
    uint32_t unit;
    uint16_t count, first;
};
struct object {
    uint64_t id[2];
    uint32_t generation, device;
};

static struct {
    struct layout asked, given;
    int first; /* device of the file */
    uint32_t magic;
    int refuse; /* an errno, or 0 */
    int delayed, sets;
} lustre;

static int lustre_open(const char *path, int flags, mode_t mode)
{
    if ((flags & (O_NOCTTY | O_ASYNC)) == (O_NOCTTY | O_ASYNC))
        lustre.delayed++;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags & ~(O_ASYNC | 0100000000), mode);
}

static int lustre_set(int fd, const char *name, const void *value, size_t bytes)
{
    (void)fd;
    CHECK_STRING(name, "lustre.lov");
    CHECK_INT(bytes, 32);
    CHECK_INT(lustre.delayed, 1); /* else it has stripes already */
    lustre.sets++;
    memcpy(&lustre.asked, value, sizeof lustre.asked);
    CHECK_INT(lustre.asked.magic, V1);
    if (lustre.refuse)
        return failing(lustre.refuse);
    lustre.given = lustre.asked;
    lustre.given.count = lustre.asked.count == 0xffff ? DEVICES : lustre.asked.count ? lustre.asked.count : 1;
    lustre.given.unit = lustre.asked.unit ? lustre.asked.unit : USUAL_UNIT;
    lustre.first = lustre.asked.first == 0xffff ? 5 : lustre.asked.first;
    return 0;
}

static int lustre_get(int fd, const char *name, void *value, size_t bytes)
{
    size_t pool = lustre.magic == V3 ? 16 : 0, n = sizeof(struct layout) + pool;
    struct object object = {.device = (uint32_t)lustre.first};
    (void)fd;
    CHECK_STRING(name, "lustre.lov");
    if (bytes < n + lustre.given.count * sizeof object)
        return failing(ERANGE);
    lustre.given.magic = lustre.magic;
    lustre.given.first = 3; /* the generation of the layout, when it is read */
    memcpy(value, &lustre.given, sizeof lustre.given);
    memset((char *)value + sizeof lustre.given, 'p', pool);
    for (int i = 0; i < lustre.given.count; i++, object.device = (object.device + 1) % DEVICES)
        memcpy((char *)value + n + (size_t)i * sizeof object, &object, sizeof object);
    return (int)(n + lustre.given.count * sizeof object);
}

static void mount_lustre(uint32_t magic, int refuse)
{
    memset(&lustre, 0, sizeof lustre);
    lustre.given = (struct layout){.unit = USUAL_UNIT, .count = 1};
    lustre.first = 9;
    lustre.magic = magic;
    lustre.refuse = refuse;
    rows.magic = LUSTRE;
    rows.open = lustre_open;
    rows.set = lustre_set;
    rows.get = lustre_get;
}

/* ---- hints ---- */

static MPI_File open_so(const char *name, int amode, const char *const hints[][2])
{
    MPI_File f = MPI_FILE_NULL;
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    for (int i = 0; hints[i][0]; i++)
        CHECK_OK(MPI_Info_set(info, hints[i][0], hints[i][1]));
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, info, &f));
    CHECK_OK(MPI_Info_free(&info));
    return f;
}

static void check_hint(MPI_File f, const char *key, const char *want)
{
    char value[MPI_MAX_INFO_VAL] = "";
    MPI_Info used;
    int length = sizeof value, flag = 0;
    CHECK_OK(MPI_File_get_info(f, &used));
    CHECK_OK(MPI_Info_get_string(used, key, &length, value, &flag));
    CHECK_OK(MPI_Info_free(&used));
    CHECK_STRING(flag ? value : "", want);
}

static void check_stripes(MPI_File f, const char *factor, const char *unit, const char *first)
{
    check_hint(f, "striping_factor", factor);
    check_hint(f, "striping_unit", unit);
    check_hint(f, "start_iodevice", first);
    check_hint(f, "romio_lustre_start_iodevice", first);
}

/* Hints of a file that is there already mean nothing. */
static void check_asked(const char *name)
{
    static const char *const hints[][2] = {
        {"striping_factor", "4"}, {"striping_unit", "262144"}, {"start_iodevice", "2"}, {NULL, NULL}};
    static const char *const others[][2] = {{"striping_factor", "7"}, {"romio_lustre_co_ratio", "2"}, {NULL, NULL}};
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE;
    mount_lustre(V1, 0);
    MPI_File f = open_so(name, amode, hints);
    check_stripes(f, "4", "262144", "2");
    CHECK_INT(lustre.sets, check_rank == 0);
    if (check_rank == 0) {
        CHECK_INT(lustre.asked.count, 4);
        CHECK_INT(lustre.asked.unit, 262144);
        CHECK_INT(lustre.asked.first, 2);
    }
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "striping_factor", "11"));
    CHECK_OK(MPI_File_set_info(f, info));
    CHECK_OK(MPI_Info_free(&info));
    check_stripes(f, "4", "262144", "2");
    CHECK_OK(MPI_File_close(&f));
    f = open_so(name, amode, others);
    CHECK_INT(lustre.sets, check_rank == 0);
    check_stripes(f, "4", "262144", "2");
    check_hint(f, "romio_lustre_co_ratio", "2");
    CHECK_OK(MPI_File_close(&f));
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0)
        CHECK(unlink(name) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All devices; from any of them on; of a pool; what is no number; none at all. */
static void check_forms(const char *name)
{
    static const char *const all[][2] = {{"striping_factor", "-1"}, {NULL, NULL}};
    static const char *const one[][2] = {
        {"romio_lustre_start_iodevice", "0"}, {"striping_unit", "65536"}, {NULL, NULL}};
    static const char *const wrong[][2] = {
        {"striping_factor", "many"}, {"striping_unit", "0"}, {"start_iodevice", "-7"}, {NULL, NULL}};
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    mount_lustre(V3, 0);
    MPI_File f = open_so(name, amode, all);
    check_stripes(f, "16", "1048576", "5");
    CHECK_OK(MPI_File_close(&f));
    mount_lustre(V1, 0);
    f = open_so(name, amode, one);
    check_stripes(f, "1", "65536", "0");
    check_hint(f, "cb_nodes", "1");
    CHECK_OK(MPI_File_close(&f));
    mount_lustre(V1, 0);
    f = open_so(name, amode, wrong);
    CHECK_INT(lustre.sets, 0);
    CHECK_INT(lustre.delayed, 0);
    check_stripes(f, "1", "1048576", "9");
    CHECK_OK(MPI_File_close(&f));
}

/* The file is there all the same, as the system likes. */
static void check_refused(const char *name)
{
    static const char *const hints[][2] = {{"striping_unit", "1000"}, {NULL, NULL}};
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE, value = 17 + check_rank;
    mount_lustre(V1, EINVAL);
    MPI_File f = open_so(name, amode, hints);
    CHECK_INT(lustre.sets, check_rank == 0);
    check_stripes(f, "1", "1048576", "9");
    CHECK_OK(MPI_File_write_at_all(f, check_rank * (int)sizeof value, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_File_close(&f));
    mount_lustre(PARTS, 0);
    f = open_so(name, amode, hints);
    check_stripes(f, "", "", "");
    CHECK_OK(MPI_File_close(&f));
    rows.magic = 0;
    rows.set = NULL;
    rows.get = NULL;
    f = open_so(name, amode, hints);
    check_stripes(f, "", "", "");
    CHECK_OK(MPI_File_close(&f));
}

/* ---- who writes where ---- */

static int unit, factor;
static int devices[DEVICES], crossed;

static ssize_t note_write(int fd, const void *data, size_t bytes, off_t offset)
{
    crossed += bytes > 0 && offset / unit != (offset + (off_t)bytes - 1) / unit;
    devices[offset / unit % factor]++;
    return system_write(fd, data, bytes, offset);
}

/* Blocks of all ranks in turn, from an offset that is no stripe's. */
static void check_places(const char *name, int count, const char *const hints[][2])
{
    enum { BLOCK = 5000, TURNS = 900 };
    static char data[BLOCK * TURNS];
    const MPI_Offset from = 12345;
    int own[DEVICES] = {0}, all[DEVICES], amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    MPI_Datatype block, turn;
    mount_lustre(V1, 0);
    MPI_File f = open_so(name, amode, hints);
    CHECK_OK(MPI_Type_contiguous(BLOCK, MPI_BYTE, &block));
    CHECK_OK(MPI_Type_create_resized(block, 0, (MPI_Aint)BLOCK * check_size, &turn));
    CHECK_OK(MPI_Type_commit(&turn));
    CHECK_OK(MPI_File_set_view(f, from + (MPI_Offset)BLOCK * check_rank, MPI_BYTE, turn, "native", MPI_INFO_NULL));
    for (int i = 0; i < BLOCK * TURNS; i++)
        data[i] = (char)(check_value(check_rank, i / BLOCK) + i);
    memset(devices, 0, sizeof devices);
    crossed = 0;
    rows.write = note_write;
    CHECK_OK(MPI_File_write_at_all(f, 0, data, BLOCK * TURNS, MPI_BYTE, MPI_STATUS_IGNORE));
    rows.write = NULL;
    CHECK_INT(crossed, 0);
    for (int d = 0; d < factor; d++)
        own[d] = devices[d] > 0;
    CHECK_OK(MPI_Allreduce(own, all, DEVICES, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    for (int d = 0; d < factor; d++)
        CHECK_INT(all[d], count);
    check_wipe(data, sizeof data);
    CHECK_OK(MPI_File_read_at_all(f, 0, data, BLOCK * TURNS, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int i = 0; i < BLOCK * TURNS; i++)
        CHECK(data[i] == (char)(check_value(check_rank, i / BLOCK) + i));
    CHECK_OK(MPI_Type_free(&turn));
    CHECK_OK(MPI_Type_free(&block));
    CHECK_OK(MPI_File_close(&f));
}

/* Stripes that are shorter than rounds, as long, and longer; devices that aggregators share. */
static void check_aggregators(const char *name)
{
    static const char *const plain[][2] = {{"striping_factor", "4"},      {"striping_unit", "262144"},
                                           {"romio_cb_write", "enable"},  {"romio_cb_read", "enable"},
                                           {"cb_buffer_size", "2097152"}, {NULL, NULL}};
    static const char *const longer[][2] = {{"striping_factor", "2"},     {"striping_unit", "786432"},
                                            {"romio_cb_write", "enable"}, {"romio_cb_read", "enable"},
                                            {"cb_buffer_size", "600000"}, {NULL, NULL}};
    static const char *const shared[][2] = {{"striping_factor", "1"},       {"striping_unit", "1048576"},
                                            {"romio_cb_write", "enable"},   {"romio_cb_read", "enable"},
                                            {"romio_lustre_co_ratio", "2"}, {NULL, NULL}};
    factor = 4, unit = 256 * KIB;
    check_places(name, 1, plain);
    factor = 2, unit = 768 * KIB;
    check_places(name, 1, longer);
    factor = 1, unit = 1024 * KIB;
    check_places(name, check_size > 1 ? 2 : 1, shared);
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    check_start(&argc, &argv);
    file_name(name, "striping");
    check_asked(name);
    check_forms(name);
    check_refused(name);
    if (check_size > 1)
        check_aggregators(name);
    return check_end();
}
