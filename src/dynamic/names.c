/* names.c - names of services (MPI-5.0 section 11.9.4): the launcher's, or, with the setting `names`, files of a
 * directory that jobs of any launcher may share.
 *
 *     DIRECTORY/treefold-SERVICE    the name of the port; only its owner may read it
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/settings.h"
#include "dynamic/dynamic.h"
#include "launch/launch.h"

static bool in_files(void)
{
    return tf_settings.names[0] != '\0';
}

/* Characters that names of files do not have are told by their numbers. */
static int path_of(const char *service, char path[PATH_MAX])
{
    int n = snprintf(path, PATH_MAX, "%s/treefold-", tf_settings.names);
    for (; *service && n < PATH_MAX - 8; service++)
        n += isalnum((unsigned char)*service) || strchr("._-", *service)
                 ? snprintf(path + n, PATH_MAX - (size_t)n, "%c", *service)
                 : snprintf(path + n, PATH_MAX - (size_t)n, "%%%02X", (unsigned char)*service);
    return *service ? tf_error(MPI_ERR_ARG, "the name of the service is too long for the name of a file") : MPI_SUCCESS;
}

/* It is there at once with what is in it, and only if there was none. */
static int publish_file(const char *service, const char *port)
{
    char path[PATH_MAX], fresh[PATH_MAX + 32];
    int err = path_of(service, path);
    if (err)
        return err;
    snprintf(fresh, sizeof fresh, "%s.%d", path, (int)getpid());
    int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool written = fd >= 0 && write(fd, port, strlen(port)) == (ssize_t)strlen(port);
    bool linked = written && link(fresh, path) == 0;
    int reason = errno;
    if (fd >= 0) {
        close(fd);
        unlink(fresh);
    }
    if (linked)
        return MPI_SUCCESS;
    if (reason == EEXIST)
        return tf_error(MPI_ERR_SERVICE, "the service \"%s\" cannot be published: that name is taken already", service);
    return tf_error(MPI_ERR_SERVICE, "the service \"%s\" cannot be published in \"%s\" (TREEFOLD_NAMES): %s", service,
                    tf_settings.names, strerror(reason));
}

static int unpublish_file(const char *service)
{
    char path[PATH_MAX];
    int err = path_of(service, path);
    if (!err && unlink(path))
        err = tf_error(MPI_ERR_SERVICE, "the service \"%s\" was not published in \"%s\" (TREEFOLD_NAMES): %s", service,
                       tf_settings.names, strerror(errno));
    return err;
}

static int lookup_file(const char *service, char port[MPI_MAX_PORT_NAME])
{
    char path[PATH_MAX];
    int err = path_of(service, path);
    if (err)
        return err;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, port, MPI_MAX_PORT_NAME - 1) : -1;
    if (fd >= 0)
        close(fd);
    port[n > 0 ? n : 0] = '\0';
    return n > 0 ? MPI_SUCCESS
                 : tf_error(MPI_ERR_NAME, "no service \"%s\" is published in \"%s\" (TREEFOLD_NAMES)", service,
                            tf_settings.names);
}

static int check(const char *service)
{
    return *service ? MPI_SUCCESS : tf_error(MPI_ERR_ARG, "service_name is empty");
}

/* A line break or a blank in it would be no name of a port to anybody. */
static int check_port(const char *port)
{
    size_t length = strlen(port);
    if (length == 0 || length >= MPI_MAX_PORT_NAME || strcspn(port, " \t\n") != length)
        return tf_error(MPI_ERR_PORT, "port_name is \"%.100s\", which is no name of a port", port);
    return MPI_SUCCESS;
}

int tf_publish_name(const char *service, const struct tf_info *info, const char *port)
{
    int err = check(service);
    (void)info;
    if (!err)
        err = check_port(port);
    if (err)
        return err;
    return in_files() ? publish_file(service, port) : tf_launch_publish(service, port);
}

int tf_unpublish_name(const char *service, const struct tf_info *info, const char *port)
{
    int err = check(service);
    (void)info, (void)port;
    if (err)
        return err;
    return in_files() ? unpublish_file(service) : tf_launch_unpublish(service);
}

int tf_lookup_name(const char *service, const struct tf_info *info, char *port)
{
    char found[MPI_MAX_PORT_NAME];
    int err = check(service);
    (void)info;
    if (!err)
        err = in_files() ? lookup_file(service, found) : tf_launch_lookup(service, found, sizeof found);
    if (!err)
        strcpy(port, found);
    return err;
}
