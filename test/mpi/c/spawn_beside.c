/* What carries messages between jobs of one node: shared memory between parents and children, and between jobs that
 * meet at a port or over a socket; TCP where settings leave no memory to share.  Afterwards nothing of it is left.
 *
 * np: - 1 2
 * only: treefold
 */
#include "spawn.h"
#include "tool.h"

#include <sys/socket.h>
#include <sys/un.h>

static MPI_T_pvar_session session;
static MPI_T_pvar_handle beside, tcp;
static bool shares; /* what the settings lead to */

static MPI_T_pvar_handle handle_of(const char *name, int class)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int index = -1, count;
    CHECK_CODE(MPI_T_pvar_get_index(name, class, &index), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count), MPI_SUCCESS);
    return handle;
}

static unsigned long long number(MPI_T_pvar_handle handle)
{
    unsigned long long value = 0;
    CHECK_CODE(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    return value;
}

static bool is_set(const char *variable, const char *word)
{
    const char *value = getenv(variable);
    return value && strcmp(value, word) == 0;
}

static void begin(void)
{
    int provided;
    CHECK_CODE(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    CHECK_CODE(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    beside = handle_of("treefold_messages_sent_beside", MPI_T_PVAR_CLASS_COUNTER);
    tcp = handle_of("treefold_messages_sent_tcp", MPI_T_PVAR_CLASS_COUNTER);
    CHECK_CODE(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    shares = !getenv("TREEFOLD_NODE_SIZE") && !is_set("TREEFOLD_NET", "tcp") && !is_set("TREEFOLD_SHM_BACKING", "file");
}

static void end(void)
{
    CHECK_CODE(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_CODE(MPI_T_finalize(), MPI_SUCCESS);
}

/* ---- messages ---- */

static void swap(MPI_Comm inter, int other, size_t bytes, unsigned char *out, unsigned char *in, int mine, int theirs)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(i * 7 + (size_t)mine);
    check_wipe(in, bytes);
    CHECK_OK(MPI_Sendrecv(out, (int)bytes, MPI_BYTE, other, 3, in, (int)bytes, MPI_BYTE, other, 3, inter,
                          MPI_STATUS_IGNORE));
    bool right = true;
    for (size_t i = 0; i < bytes; i++)
        right = right && in[i] == (unsigned char)(i * 7 + (size_t)theirs);
    CHECK_NOTED(right, "%zu bytes", bytes);
}

/* Each has one partner; long messages also from memory that can be loaded from. */
static void talk(MPI_Comm inter, int mine, int theirs)
{
    static const size_t sizes[] = {0, 1, 8, 32, 33, 96, 97, 4000, 16384, 100000, (1 << 20) + 5};
    enum { MOST = (1 << 20) + 5 };
    unsigned char *out[2] = {check_alloc(MOST, 1)}, *in[2] = {check_alloc(MOST, 2)};
    int rank = -1, remote = 0;
    unsigned long long by_memory = number(beside), by_tcp = number(tcp);
    CHECK_OK(MPI_Alloc_mem(MOST, MPI_INFO_NULL, &out[1]));
    CHECK_OK(MPI_Alloc_mem(MOST, MPI_INFO_NULL, &in[1]));
    CHECK_OK(MPI_Comm_rank(inter, &rank));
    CHECK_OK(MPI_Comm_remote_size(inter, &remote));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && rank < remote; i++)
        for (int kind = 0; kind < 4; kind++)
            swap(inter, rank, sizes[i], out[kind % 2], in[kind / 2], mine, theirs);
    if (rank < remote) {
        CHECK_NOTED((number(beside) > by_memory) == shares, "%llu were %llu", number(beside), by_memory);
        CHECK_NOTED((number(tcp) > by_tcp) == !shares, "%llu were %llu", number(tcp), by_tcp);
    }
    CHECK_OK(MPI_Free_mem(out[1]));
    CHECK_OK(MPI_Free_mem(in[1]));
    free(out[0]);
    free(in[0]);
}

/* Memory of jobs that are gone that is still mapped here. */
static int count_maps(void)
{
    int n = 0;
    char line[500];
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof line, file))
        n += strstr(line, "memfd:treefold-beside") != NULL;
    if (file)
        fclose(file);
    return n;
}

/* ---- the jobs ---- */

static void spawn(MPI_Comm from, const char *what, int n, MPI_Comm *inter)
{
    char kind[20], *argv[] = {kind, NULL};
    snprintf(kind, sizeof kind, "%s", what);
    CHECK_OK(MPI_Comm_spawn(spawn_self(), argv, n, MPI_INFO_NULL, 0, from, inter, MPI_ERRCODES_IGNORE));
}

static void with_children(void)
{
    int files = 0;
    for (int i = 0; i < 3; i++) {
        MPI_Comm inter;
        spawn(MPI_COMM_WORLD, "child", 2, &inter);
        talk(inter, check_rank, check_rank + 40);
        CHECK_INT(count_maps() > 0, shares);
        spawn_windows(inter, 0);
        CHECK_OK(MPI_Comm_disconnect(&inter));
        CHECK_INT(count_maps(), 0);
        if (i == 0)
            files = spawn_count_files();
    }
    CHECK_INT(spawn_count_files(), files);
}

static void child(MPI_Comm parent)
{
    talk(parent, check_rank + 40, check_rank);
    spawn_windows(parent, 1);
    CHECK_OK(MPI_Comm_disconnect(&parent));
    CHECK_INT(count_maps(), 0);
}

/* Two jobs that only know each other by a port's name, and then by a socket. */
static void with_siblings(void)
{
    MPI_Comm first, second;
    char port[MPI_MAX_PORT_NAME];
    if (check_rank > 0)
        return;
    spawn(MPI_COMM_SELF, "opener", 1, &first);
    spawn(MPI_COMM_SELF, "caller", 1, &second);
    CHECK_OK(MPI_Recv(port, sizeof port, MPI_CHAR, 0, 1, first, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Send(port, sizeof port, MPI_CHAR, 0, 1, second));
    CHECK_OK(MPI_Comm_disconnect(&first));
    CHECK_OK(MPI_Comm_disconnect(&second));
}

static struct sockaddr_un place_of(const char *port)
{
    struct sockaddr_un place = {.sun_family = AF_UNIX}; /* of no file system: a name that begins with a zero */
    snprintf(place.sun_path + 1, sizeof place.sun_path - 1, "%.90s", port);
    return place;
}

static void opener(MPI_Comm parent)
{
    MPI_Comm inter;
    char port[MPI_MAX_PORT_NAME];
    CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    struct sockaddr_un place = place_of(port);
    int fd, listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr *)&place, sizeof place) == 0 && listen(listener, 1) == 0);
    CHECK_OK(MPI_Send(port, sizeof port, MPI_CHAR, 0, 1, parent));
    CHECK_OK(MPI_Comm_disconnect(&parent));
    CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    talk(inter, 1, 2);
    CHECK_OK(MPI_Comm_disconnect(&inter));
    CHECK_OK(MPI_Close_port(port));
    CHECK_INT(count_maps(), 0);
    fd = accept(listener, NULL, NULL);
    CHECK_OK(MPI_Comm_join(fd, &inter));
    talk(inter, 3, 4);
    CHECK_OK(MPI_Comm_disconnect(&inter));
    CHECK_INT(count_maps(), 0);
    close(fd);
    close(listener);
}

static void caller(MPI_Comm parent)
{
    MPI_Comm inter;
    char port[MPI_MAX_PORT_NAME];
    CHECK_OK(MPI_Recv(port, sizeof port, MPI_CHAR, 0, 1, parent, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Comm_disconnect(&parent));
    CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    talk(inter, 2, 1);
    CHECK_OK(MPI_Comm_disconnect(&inter));
    struct sockaddr_un place = place_of(port);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(fd, (struct sockaddr *)&place, sizeof place) == 0);
    CHECK_OK(MPI_Comm_join(fd, &inter));
    talk(inter, 4, 3);
    CHECK_OK(MPI_Comm_disconnect(&inter));
    close(fd);
}

/* With the setting sleep_after=0 each sleeps while it waits: who is not woken sleeps for a tenth of a second, and so
 * many of these are more than the time limit. */
static void wake_each_other(MPI_Comm inter, bool begins)
{
    enum { TIMES = 1000 };
    for (int i = 0; i < 2 * TIMES; i++) {
        int got = i;
        if (begins == (i % 2 == 0))
            CHECK_OK(MPI_Send(&got, 1, MPI_INT, 0, 5, inter));
        else
            CHECK_OK(MPI_Recv(&got, 1, MPI_INT, 0, 5, inter, MPI_STATUS_IGNORE));
        CHECK_INT(got, i);
    }
}

static void with_sleeper(void)
{
    MPI_Comm inter;
    if (check_rank > 0)
        return;
    spawn(MPI_COMM_SELF, "sleeper", 1, &inter);
    wake_each_other(inter, true);
    CHECK_OK(MPI_Comm_disconnect(&inter));
}

static void sleeper(MPI_Comm parent)
{
    wake_each_other(parent, false);
    CHECK_OK(MPI_Comm_disconnect(&parent));
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    check_start(&argc, &argv);
    begin();
    CHECK_OK(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        const char *kind = argc > 1 ? argv[1] : "?";
        CHECK_OK(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN));
        (strcmp(kind, "child") == 0    ? child
         : strcmp(kind, "opener") == 0 ? opener
         : strcmp(kind, "caller") == 0 ? caller
                                       : sleeper)(parent);
        end();
        return spawn_end();
    }
    with_children();
    with_siblings();
    with_sleeper();
    end();
    return check_end();
}
