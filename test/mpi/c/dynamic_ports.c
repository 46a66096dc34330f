/* Ports, names of services and sockets: ranks of one job meet, as any two processes do; several at one port, strangers
 * that connect, garbage and half-open connections in between; errors in words.
 *
 * np: - 1 2 4
 * only: treefold
 */
#include "spawn.h"

#include <netdb.h>
#include <sys/socket.h>

static bool names(int code, const char *words)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, text, &length);
    bool good = strstr(text, words) != NULL;
    if (!good)
        printf("\"%s\" is not in \"%s\"\n", words, text);
    return good;
}

static void refused(int code, int errclass, const char *words)
{
    CHECK_CLASS(code, errclass);
    CHECK(names(code, words));
}

/* ---- errors ---- */

/* Nobody accepts at that port. */
static void wait_in_vain(const char *port)
{
    MPI_Comm inter = MPI_COMM_WORLD;
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "timeout", "0.05"));
    refused(MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT, "within 0.05 seconds");
    CHECK_OK(MPI_Info_set(info, "timeout", "soon"));
    refused(MPI_Comm_connect(port, info, 0, MPI_COMM_SELF, &inter), MPI_ERR_INFO_VALUE, "the hint timeout is \"soon\"");
    CHECK(inter == MPI_COMM_NULL);
    CHECK_OK(MPI_Info_free(&info));
}

static void wrong_names(void)
{
    char port[MPI_MAX_PORT_NAME], other[MPI_MAX_PORT_NAME + 40];
    MPI_Comm inter = MPI_COMM_WORLD;
    CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK(strlen(port) < MPI_MAX_PORT_NAME);
    refused(MPI_Close_port("harbour"), MPI_ERR_PORT, "\"harbour\" is no name of a port");
    refused(MPI_Comm_accept("", MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT, "is no name of a port");
    refused(MPI_Comm_connect("treefold-port:12", MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT,
            "is no name of a port");
    snprintf(other, sizeof other, "%s,and more", port);
    refused(MPI_Comm_accept(other, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT,
            "is not open in this process");
    refused(MPI_Comm_accept(port, MPI_INFO_NULL, 1, MPI_COMM_SELF, &inter), MPI_ERR_ROOT, "root is 1");
    refused(MPI_Comm_connect(port, MPI_INFO_NULL, -1, MPI_COMM_SELF, &inter), MPI_ERR_ROOT, "root is -1");
    wait_in_vain(port);
    CHECK_OK(MPI_Close_port(port));
    refused(MPI_Close_port(port), MPI_ERR_PORT, "is not open in this process");
    refused(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter), MPI_ERR_PORT, "nobody can be reached");
    CHECK(inter == MPI_COMM_NULL);
    refused(MPI_Comm_join(99999, &inter), MPI_ERR_ARG, "fd is 99999, which is no socket");
}

static void services(void)
{
    char service[80], port[MPI_MAX_PORT_NAME], found[MPI_MAX_PORT_NAME] = "none";
    snprintf(service, sizeof service, "the service = of %d; %ld", check_rank, (long)getpid());
    CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    refused(MPI_Lookup_name(service, MPI_INFO_NULL, found), MPI_ERR_NAME, "is published");
    CHECK_STRING(found, "none");
    refused(MPI_Unpublish_name(service, MPI_INFO_NULL, port), MPI_ERR_SERVICE, "was not published");
    CHECK_OK(MPI_Publish_name(service, MPI_INFO_NULL, port));
    refused(MPI_Publish_name(service, MPI_INFO_NULL, port), MPI_ERR_SERVICE, "taken already");
    CHECK_OK(MPI_Lookup_name(service, MPI_INFO_NULL, found));
    CHECK_STRING(found, port);
    CHECK_OK(MPI_Unpublish_name(service, MPI_INFO_NULL, port));
    CHECK_CLASS(MPI_Lookup_name(service, MPI_INFO_NULL, found), MPI_ERR_NAME);
    refused(MPI_Publish_name("", MPI_INFO_NULL, port), MPI_ERR_ARG, "service_name is empty");
    refused(MPI_Publish_name(service, MPI_INFO_NULL, "two words"), MPI_ERR_PORT, "two words");
    CHECK_OK(MPI_Close_port(port));
}

/* ---- ranks of one job ---- */

/* Rank 0 has a port, at which all others connect, one by one. */
static void one_by_one(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;
    if (check_rank == 0)
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    CHECK_OK(MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD));
    for (int r = 1; r < check_size && check_rank == 0; r++) {
        CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        spawn_use(inter, 1);
        CHECK_OK(MPI_Comm_disconnect(&inter));
    }
    if (check_rank > 0) {
        CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        spawn_use(inter, 0);
        CHECK_OK(MPI_Comm_disconnect(&inter));
    }
    if (check_rank == 0)
        CHECK_OK(MPI_Close_port(port));
}

/* Two halves, whose roots are not their first ranks; the others do not know the port. */
static void halves(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    int upper = check_rank >= check_size / 2;
    MPI_Comm half, inter;
    int size;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, upper, 0, &half));
    CHECK_OK(MPI_Comm_size(half, &size));
    int opener = check_size / 2 - 1; /* the last of the lower half */
    if (check_rank == opener)
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
    if (check_rank == opener)
        CHECK_OK(MPI_Send(port, sizeof port, MPI_CHAR, check_size - 1, 1, MPI_COMM_WORLD));
    if (check_rank == check_size - 1)
        CHECK_OK(MPI_Recv(port, sizeof port, MPI_CHAR, opener, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (upper)
        CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, size - 1, half, &inter));
    else
        CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, size - 1, half, &inter));
    spawn_use(inter, upper);
    CHECK_OK(MPI_Comm_free(&inter));
    CHECK_OK(MPI_Comm_free(&half));
    if (check_rank == opener)
        CHECK_OK(MPI_Close_port(port));
}

static void over_socket(void)
{
    char byte = 0;
    MPI_Comm inter;
    if (check_rank > 1)
        return;
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int fd;
    if (check_rank == 0) {
        int listener = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(listen(listener, 1) == 0);
        CHECK(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
        CHECK_OK(MPI_Send(&address, sizeof address, MPI_BYTE, 1, 2, MPI_COMM_WORLD));
        fd = accept(listener, NULL, NULL);
        close(listener);
    } else {
        CHECK_OK(MPI_Recv(&address, sizeof address, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        fd = socket(AF_INET, SOCK_STREAM, 0);
        CHECK(connect(fd, (struct sockaddr *)&address, sizeof(struct sockaddr_in)) == 0);
    }
    CHECK_OK(MPI_Comm_join(fd, &inter));
    CHECK(inter != MPI_COMM_NULL);
    spawn_use(inter, check_rank);
    /* Quiescent and open: what is said there now is the program's. */
    byte = (char)('a' + check_rank);
    CHECK(write(fd, &byte, 1) == 1);
    CHECK(read(fd, &byte, 1) == 1 && byte == 'b' - check_rank);
    CHECK_OK(MPI_Comm_disconnect(&inter));
    close(fd);
}

/* ---- strangers ---- */

/* The port's number and the first of its addresses, from its name. */
static int stranger(const char *port)
{
    char copy[MPI_MAX_PORT_NAME], *rest = copy, *number, *host;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *found = NULL;
    strcpy(copy, port);
    strsep(&rest, ":");
    strsep(&rest, ":");
    number = strsep(&rest, ",");
    strsep(&rest, ",");
    host = strsep(&rest, ",");
    if (!host || getaddrinfo(host, number, &hints, &found))
        return -1;
    int fd = socket(found->ai_family, SOCK_STREAM, 0);
    if (connect(fd, found->ai_addr, found->ai_addrlen)) {
        close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

/* Rank 0 accepts rank 1, in the middle of connections that say nothing, too little, or nonsense. */
static void among_strangers(void)
{
    enum { STRANGERS = 150 };
    char port[MPI_MAX_PORT_NAME] = "";
    int fds[STRANGERS];
    MPI_Comm inter;
    if (check_rank > 1)
        return;
    if (check_rank == 0) {
        CHECK_OK(MPI_Open_port(MPI_INFO_NULL, port));
        CHECK_OK(MPI_Send(port, sizeof port, MPI_CHAR, 1, 3, MPI_COMM_WORLD));
        CHECK_OK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
    } else {
        CHECK_OK(MPI_Recv(port, sizeof port, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < STRANGERS; i++) {
            static const char garbage[200] = "GET / HTTP/1.1\r\n\r\n";
            fds[i] = stranger(port);
            CHECK(fds[i] >= 0);
            if (i % 3 > 0 && send(fds[i], garbage, i % 3 == 1 ? 5 : sizeof garbage, MSG_NOSIGNAL) < 0)
                CHECK(false);
        }
        CHECK_OK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter));
        for (int i = 0; i < STRANGERS; i++)
            close(fds[i]);
    }
    spawn_use(inter, check_rank);
    CHECK_OK(MPI_Comm_disconnect(&inter));
    if (check_rank == 0)
        CHECK_OK(MPI_Close_port(port));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    wrong_names();
    services();
    one_by_one();
    if (check_size > 1) {
        halves();
        over_socket();
        among_strangers();
    }
    return check_end();
}
