/* The assertions about a communicator (MPI-5.0 section 7.4.4): which are in force, what they are good for, that nobody
 * inherits them, and that nothing changes where they are not given.
 *
 * np: 1 2 3 5 9
 * only: treefold
 */
#include "check.h"

static const char *const keys[] = {"mpi_assert_no_any_source", "mpi_assert_no_any_tag", "mpi_assert_exact_length",
                                   "mpi_assert_allow_overtaking"};
enum { KEYS = sizeof keys / sizeof *keys };

static MPI_Comm comm;
static int next, before;

static void must_say(int code, int class, const char *words)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int got = MPI_SUCCESS, length;
    MPI_Error_class(code, &got);
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    CHECK_NOTED(got == class && strstr(text, words), "class %d: %.150s", got, text);
}

static void is_in_force(MPI_Comm of, const char *key, const char *wanted)
{
    char value[32] = "(none)";
    int flag;
    MPI_Info used;
    CHECK_OK(MPI_Comm_get_info(of, &used));
    CHECK_OK(MPI_Info_get(used, key, 31, value, &flag));
    CHECK_STRING(value, wanted);
    CHECK_OK(MPI_Info_free(&used));
}

static MPI_Info hint(const char *key, const char *value)
{
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, key, value));
    return info;
}

static void set(const char *key, const char *value)
{
    MPI_Info info = hint(key, value);
    CHECK_OK(MPI_Comm_set_info(comm, info));
    CHECK_OK(MPI_Info_free(&info));
}

static void with(const char *key)
{
    MPI_Info info = hint(key, "true");
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Info_free(&info));
    is_in_force(comm, key, "true");
}

static void done(void)
{
    CHECK_OK(MPI_Barrier(comm));
    CHECK_OK(MPI_Comm_free(&comm));
}

static void which_are_in_force(void)
{
    MPI_Comm child;
    for (int i = 0; i < KEYS; i++)
        is_in_force(MPI_COMM_WORLD, keys[i], "false"); /* the standard's default */
    for (int i = 0; i < KEYS; i++) {
        with(keys[i]);
        for (int j = 0; j < KEYS; j++)
            is_in_force(comm, keys[j], i == j ? "true" : "false");
        CHECK_OK(MPI_Comm_dup(comm, &child)); /* hints are not passed on: MPI-5.0 section 7.4.2 */
        is_in_force(child, keys[i], "false");
        CHECK_OK(MPI_Comm_free(&child));
        CHECK_OK(MPI_Comm_split(comm, 0, 0, &child));
        is_in_force(child, keys[i], "false");
        CHECK_OK(MPI_Comm_free(&child));
        set(keys[i], "perhaps"); /* means nothing */
        is_in_force(comm, keys[i], "true");
        set(keys[i], "false");
        is_in_force(comm, keys[i], "false");
        done();
    }
    with(keys[0]);
    set("mpi_assert_of_nobody", "true");
    is_in_force(comm, "mpi_assert_of_nobody", "(none)");
    done();
}

static void no_any_source(void)
{
    int flag, out = check_rank, in = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Message message;
    MPI_Status status;
    const char *words = "mpi_assert_no_any_source was given";
    with("mpi_assert_no_any_source");
    must_say(MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &status), MPI_ERR_RANK, words);
    must_say(MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &request), MPI_ERR_RANK, words);
    must_say(MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &request), MPI_ERR_RANK, words);
    must_say(MPI_Iprobe(MPI_ANY_SOURCE, 0, comm, &flag, &status), MPI_ERR_RANK, words);
    must_say(MPI_Mprobe(MPI_ANY_SOURCE, 0, comm, &message, &status), MPI_ERR_RANK, words);
    CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, next, 3, &in, 1, MPI_INT, before, MPI_ANY_TAG, comm, &status));
    CHECK(in == before && status.MPI_TAG == 3);
    set("mpi_assert_no_any_source", "false");
    CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, next, 3, &in, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &status));
    CHECK(in == before && status.MPI_SOURCE == before);
    done();
}

static void no_any_tag(void)
{
    int flag, out = check_rank, in = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    const char *words = "mpi_assert_no_any_tag was given";
    with("mpi_assert_no_any_tag");
    must_say(MPI_Recv(&in, 1, MPI_INT, before, MPI_ANY_TAG, comm, &status), MPI_ERR_TAG, words);
    must_say(MPI_Irecv(&in, 1, MPI_INT, before, MPI_ANY_TAG, comm, &request), MPI_ERR_TAG, words);
    must_say(MPI_Iprobe(before, MPI_ANY_TAG, comm, &flag, &status), MPI_ERR_TAG, words);
    must_say(MPI_Send(&out, 1, MPI_INT, next, MPI_ANY_TAG, comm), MPI_ERR_TAG, "only receives and probes");
    CHECK_OK(MPI_Sendrecv(&out, 1, MPI_INT, next, 3, &in, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, &status));
    CHECK(in == before && status.MPI_SOURCE == before);
    done();
}

/* Long messages too; what came is there all the same. */
static void exact_length(void)
{
    enum { LONG = 100000 };
    static int out[LONG], in[LONG];
    const int lengths[] = {0, 1, 10, LONG};
    MPI_Status status;
    int count;
    with("mpi_assert_exact_length");
    for (int i = 0; i < 4; i++) {
        int n = lengths[i];
        for (int k = 0; k < n; k++)
            out[k] = 7 * i + k;
        memset(in, 0, sizeof in);
        CHECK_OK(MPI_Sendrecv(out, n, MPI_INT, next, 0, in, n, MPI_INT, before, 0, comm, &status));
        CHECK_BYTES(in, out, (size_t)n * sizeof *in);
        if (n == 0)
            continue;
        memset(in, 0, sizeof in);
        must_say(MPI_Sendrecv(out, n - 1, MPI_INT, next, 0, in, n, MPI_INT, before, 0, comm, &status), MPI_ERR_COUNT,
                 "mpi_assert_exact_length was given");
        CHECK_BYTES(in, out, (size_t)(n - 1) * sizeof *in);
        CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
        CHECK_INT(count, n - 1);
        must_say(MPI_Sendrecv(out, n, MPI_INT, next, 0, in, n - 1, MPI_INT, before, 0, comm, &status), MPI_ERR_TRUNCATE,
                 "longer than the receive buffer");
    }
    done();
}

/* From this rank's predecessor come a long message, of which only an announcement is here, and a short one. */
static void two_messages(int tag, MPI_Request *request)
{
    enum { LONG = 1 << 20 };
    static char out[LONG];
    char last = (char)tag;
    MPI_Status status;
    int flag = 0;
    out[0] = 1;
    CHECK_OK(MPI_Isend(out, LONG, MPI_CHAR, next, tag, comm, request));
    CHECK_OK(MPI_Send(&last, 1, MPI_CHAR, next, tag, comm));
    CHECK_OK(MPI_Send(NULL, 0, MPI_CHAR, next, tag + 1, comm));
    while (!flag)
        CHECK_OK(MPI_Iprobe(before, tag + 1, comm, &flag, &status));
    CHECK_OK(MPI_Recv(NULL, 0, MPI_CHAR, before, tag + 1, comm, &status));
}

static int receive(int source, int tag)
{
    static char in[1 << 20];
    MPI_Status status;
    int count;
    CHECK_OK(MPI_Recv(in, sizeof in, MPI_CHAR, source, tag, comm, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_CHAR, &count));
    CHECK_INT(in[0], count == 1 ? status.MPI_TAG : 1);
    return count;
}

static void allow_overtaking(void)
{
    MPI_Request request;
    MPI_Status status;
    int first, count;
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    two_messages(4, &request); /* nobody allows it */
    first = receive(before, 4);
    CHECK(first > 1 && receive(before, 4) == 1);
    CHECK_OK(MPI_Wait(&request, &status));
    done();

    with("mpi_assert_allow_overtaking");
    two_messages(6, &request);
    first = receive(MPI_ANY_SOURCE, MPI_ANY_TAG);
    CHECK(first + receive(before, 6) == (1 << 20) + 1);
    CHECK_INT(first, 1);
    CHECK_OK(MPI_Wait(&request, &status));

    two_messages(8, &request); /* what a probe has told of is what the next receive gets */
    CHECK_OK(MPI_Probe(before, 8, comm, &status));
    CHECK_OK(MPI_Get_count(&status, MPI_CHAR, &count));
    CHECK_INT(receive(before, 8), count);
    CHECK(count + receive(before, 8) == (1 << 20) + 1);
    CHECK_OK(MPI_Wait(&request, &status));
    done();
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    next = (check_rank + 1) % check_size;
    before = (check_rank + check_size - 1) % check_size;
    which_are_in_force();
    no_any_source();
    no_any_tag();
    exact_length();
    allow_overtaking();
    return check_end();
}
