/* mpiexec_output.c - whole lines from the ranks' pipes to our standard output and error.
 *
 * A sink is one of the two.  What does not go in at once waits there; when much waits, the ranks are read no more, so a
 * slow reader of ours slows them down, and never makes this process deaf to signals.
 */
#include "cmd/mpiexec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SINK_FULL 262144
#define LINE_LIMIT 1048576 /* a "line" longer than this is passed on in pieces */

struct sink {
    int fd;
    char *text;
    size_t start, end, capacity;
    bool broken;     /* nothing can be written any more */
    bool unfinished; /* a rank has ended within a line */
};
static struct sink sinks[MPIEXEC_SINKS] = {{.fd = STDOUT_FILENO}, {.fd = STDERR_FILENO}};

/* A terminal's input on its way to rank 0. */
static struct {
    int fd; /* the pipe's end, -1 if there is none */
    char text[4096];
    size_t start, end;
} input = {.fd = -1};

int tf_mpiexec_sink_fd(int sink)
{
    return sinks[sink].end > sinks[sink].start ? sinks[sink].fd : -1;
}

bool tf_mpiexec_sink_full(int sink)
{
    return sinks[sink].end - sinks[sink].start >= SINK_FULL;
}

/* Its reader has gone: the ranks find out in the same way, by SIGPIPE.  Anything else, a full disk say, ends the job.
 */
static void break_sink(int sink, int error)
{
    sinks[sink].broken = true;
    sinks[sink].start = sinks[sink].end = 0;
    for (int r = 0; r < mpiexec_job.size; r++) {
        struct mpiexec_stream *stream = sink ? &mpiexec_job.ranks[r].err : &mpiexec_job.ranks[r].out;
        if (stream->fd >= 0)
            close(stream->fd);
        stream->fd = -1;
        stream->length = 0;
    }
    if (error != EPIPE)
        tf_mpiexec_fail(EXIT_FAILURE, 0, "cannot write to standard %s: %s", sink ? "error" : "output", strerror(error));
}

static bool is_writable(int fd, int milliseconds)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, milliseconds) > 0;
}

static void write_some(int sink)
{
    struct sink *s = &sinks[sink];
    /* A pipe that poll calls writable takes PIPE_BUF bytes without waiting, perhaps no more. */
    size_t length = s->end - s->start < PIPE_BUF ? s->end - s->start : PIPE_BUF;
    ssize_t n = write(s->fd, s->text + s->start, length);
    if (n > 0)
        s->start += (size_t)n;
    else if (n < 0 && errno != EINTR && errno != EAGAIN)
        break_sink(sink, errno);
    if (s->start == s->end)
        s->start = s->end = 0;
}

void tf_mpiexec_sink_write(int sink)
{
    while (tf_mpiexec_sink_fd(sink) >= 0 && is_writable(sinks[sink].fd, 0))
        write_some(sink);
}

void tf_mpiexec_sink_finish(void)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* whoever reads us may never do so */
    for (int sink = 0; sink < MPIEXEC_SINKS; sink++)
        while (tf_mpiexec_sink_fd(sink) >= 0) {
            is_writable(sinks[sink].fd, -1);
            write_some(sink);
        }
}

static void reserve(char **text, size_t *capacity, size_t need)
{
    if (need <= *capacity)
        return;
    size_t bytes = need + need / 2 + 4096;
    char *more = realloc(*text, bytes);
    if (!more)
        tf_mpiexec_give_up("cannot allocate %zu bytes for the output", bytes);
    *text = more;
    *capacity = bytes;
}

void tf_mpiexec_sink_add(int sink, const char *text, size_t length)
{
    struct sink *s = &sinks[sink];
    if (s->broken)
        return;
    if (s->start > 0 && s->end + length > s->capacity) { /* a reader that is never quite done must not make this grow */
        memmove(s->text, s->text + s->start, s->end - s->start);
        s->end -= s->start;
        s->start = 0;
    }
    reserve(&s->text, &s->capacity, s->end + length);
    memcpy(s->text + s->end, text, length);
    s->end += length;
}

static void finish_line(int sink)
{
    if (sinks[sink].unfinished)
        tf_mpiexec_sink_add(sink, "\n", 1);
    sinks[sink].unfinished = false;
}

/* Lines of a rank; the last one may lack its newline. */
static void add_lines(int rank, int sink, const char *text, size_t length)
{
    finish_line(sink);
    char tag[256];
    const char *prefix = mpiexec_job.options.prefix;
    if (!prefix && !mpiexec_job.options.tag) {
        tf_mpiexec_sink_add(sink, text, length);
        return;
    }
    if (!prefix)
        prefix = mpiexec_job.ranks[rank].world->number ? "[%g:%r] " : "[%r] ";
    size_t tag_length = tf_mpiexec_fill_in(prefix, rank, tag, sizeof tag);
    while (length > 0) {
        const char *end = memchr(text, '\n', length);
        size_t line = end ? (size_t)(end - text) + 1 : length;
        tf_mpiexec_sink_add(sink, tag, tag_length);
        tf_mpiexec_sink_add(sink, text, line);
        text += line;
        length -= line;
    }
}

/* Pass the unfinished line on as it is; at the rank's `end` it gets the newline that it lacks as soon as anybody else
 * says something, and not in what one rank alone writes: that may be no text.  On standard error this process may do
 * so. */
static void flush_partial(int rank, int sink, struct mpiexec_stream *stream, bool end)
{
    if (stream->length == 0)
        return;
    add_lines(rank, sink, stream->line, stream->length);
    stream->length = 0;
    sinks[sink].unfinished = end && mpiexec_job.size > 1;
    if (sink == 1)
        finish_line(sink);
}

/* Read once; false when there is nothing more now. */
static bool read_once(int rank, int sink, struct mpiexec_stream *stream)
{
    if (stream->fd < 0)
        return false;
    reserve(&stream->line, &stream->capacity, stream->length + 65536);
    ssize_t n = read(stream->fd, stream->line + stream->length, 65536);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) {
        close(stream->fd);
        stream->fd = -1;
        flush_partial(rank, sink, stream, true);
        return false;
    }
    const char *fresh = stream->line + stream->length, *newline = memrchr(fresh, '\n', (size_t)n);
    stream->length += (size_t)n;
    size_t whole = newline ? (size_t)(newline - stream->line) + 1 : stream->length > LINE_LIMIT ? stream->length : 0;
    if (whole > 0) {
        add_lines(rank, sink, stream->line, whole);
        stream->length -= whole;
        memmove(stream->line, stream->line + whole, stream->length);
    }
    return true;
}

void tf_mpiexec_stream_read(int rank, bool is_error)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    read_once(rank, is_error, is_error ? &r->err : &r->out);
    if (rank == 0)
        tf_mpiexec_other_look();
    tf_mpiexec_sink_write(is_error);
}

void tf_mpiexec_stream_drain(int rank)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    if (!r->world)
        return;
    struct mpiexec_stream *streams[MPIEXEC_SINKS] = {&r->out, &r->err};
    for (int sink = 0; sink < MPIEXEC_SINKS; sink++) {
        while (read_once(rank, sink, streams[sink]))
            continue;
        flush_partial(rank, sink, streams[sink], true);
    }
}

void tf_mpiexec_stream_close(int rank)
{
    struct mpiexec_rank *r = &mpiexec_job.ranks[rank];
    struct mpiexec_stream *streams[MPIEXEC_SINKS] = {&r->out, &r->err};
    for (int sink = 0; sink < MPIEXEC_SINKS; sink++) {
        if (streams[sink]->fd >= 0)
            close(streams[sink]->fd);
        free(streams[sink]->line);
        *streams[sink] = (struct mpiexec_stream){.fd = -1};
    }
}

void tf_mpiexec_stream_show_partial(int rank)
{
    flush_partial(rank, 0, &mpiexec_job.ranks[rank].out, false);
    tf_mpiexec_sink_write(0);
}

/* ---- input ---- */

bool tf_mpiexec_input_is_terminal(void)
{
    return input.fd >= 0;
}

int tf_mpiexec_input_open(void)
{
    int ends[2];
    /* Rank 0 is in a process group of its own: it may not read a terminal, but may read anything else itself. */
    if (!isatty(STDIN_FILENO) || pipe2(ends, O_CLOEXEC) != 0)
        return STDIN_FILENO;
    input.fd = ends[1];
    fcntl(input.fd, F_SETFL, O_NONBLOCK);
    return ends[0];
}

/* Where there is no /dev/null, as in a folder that is made a root, a pipe that nobody writes to serves as well. */
int tf_mpiexec_input_none(void)
{
    int ends[2], fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 || pipe2(ends, O_CLOEXEC) != 0)
        return fd;
    close(ends[1]);
    return ends[0];
}

bool tf_mpiexec_input_is_in_background(void)
{
    return input.fd >= 0 && tcgetpgrp(STDIN_FILENO) != getpgrp();
}

int tf_mpiexec_input_poll_fd(short *events)
{
    if (input.fd < 0)
        return -1;
    if (input.end > input.start) {
        *events = POLLOUT;
        return input.fd;
    }
    *events = POLLIN;
    return tf_mpiexec_input_is_in_background() ? -1 : STDIN_FILENO;
}

void tf_mpiexec_input_move(void)
{
    ssize_t n = 1;
    if (input.end == input.start) {
        n = read(STDIN_FILENO, input.text, sizeof input.text);
        input.start = 0;
        input.end = n > 0 ? (size_t)n : 0;
    }
    if (input.end > input.start) {
        n = write(input.fd, input.text + input.start, input.end - input.start);
        if (n > 0)
            input.start += (size_t)n;
    }
    /* The end of the input, or rank 0 reads no more. */
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close(input.fd);
        input.fd = -1;
    }
}
