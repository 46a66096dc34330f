/* Memory that runs out on one rank at each allocation of each way to send and to receive in turn: the call that fails
 * says so and has done nothing, so that the same call with memory delivers the message, once and whole.
 *
 * np: 2
 * only: treefold
 * timeout: 120
 */
#include "shortage.h"

enum { SHORT = 5, LONG = 20000 }; /* elements: sent at once, and announced */
enum { TAG = 7, SENDER = 0, RECEIVER = 1 };

struct gapped { /* has a hole, so that it is packed and unpacked */
    uint32_t first, hole, last;
};

static MPI_Datatype types[2]; /* plain and gapped */
static MPI_Comm comm;         /* new for each message */
static struct gapped *data, *want;

struct scene {
    MPI_Datatype type;
    int n;
};

/* ---- ways to send; each is one attempt, after whose failure nothing is under way ---- */

static int send_plain(const struct scene *s)
{
    return MPI_Send(data, s->n, s->type, RECEIVER, TAG, comm);
}

static int send_synchronous(const struct scene *s)
{
    return MPI_Ssend(data, s->n, s->type, RECEIVER, TAG, comm);
}

static int waited(int code, MPI_Request *request)
{
    return code ? code : MPI_Wait(request, MPI_STATUS_IGNORE);
}

static int send_isend(const struct scene *s)
{
    MPI_Request request;
    int code = MPI_Isend(data, s->n, s->type, RECEIVER, TAG, comm, &request);
    return waited(code, &request);
}

static int send_issend(const struct scene *s)
{
    MPI_Request request;
    int code = MPI_Issend(data, s->n, s->type, RECEIVER, TAG, comm, &request);
    return waited(code, &request);
}

static int send_buffered(const struct scene *s)
{
    static char room[LONG * sizeof(struct gapped) + 1000];
    void *buffer;
    int bytes, code = MPI_Buffer_attach(room, sizeof room);
    if (code)
        return code;
    code = MPI_Bsend(data, s->n, s->type, RECEIVER, TAG, comm);
    int detached = MPI_Buffer_detach(&buffer, &bytes);
    return code ? code : detached;
}

/* Started and waited for; freed in any case. */
static int persistent(int code, MPI_Request *request)
{
    if (code)
        return code;
    code = MPI_Start(request);
    if (!code)
        code = MPI_Wait(request, MPI_STATUS_IGNORE);
    CHECK_OK(MPI_Request_free(request));
    return code;
}

static int send_persistent(const struct scene *s)
{
    MPI_Request request;
    int code = MPI_Send_init(data, s->n, s->type, RECEIVER, TAG, comm, &request);
    return persistent(code, &request);
}

/* ---- ways to receive ---- */

static int receive_plain(const struct scene *s)
{
    return MPI_Recv(data, s->n, s->type, SENDER, TAG, comm, MPI_STATUS_IGNORE);
}

static int receive_any(const struct scene *s)
{
    return MPI_Recv(data, s->n, s->type, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
}

static int receive_irecv(const struct scene *s)
{
    MPI_Request request;
    int code = MPI_Irecv(data, s->n, s->type, SENDER, TAG, comm, &request);
    return waited(code, &request);
}

static int receive_persistent(const struct scene *s)
{
    MPI_Request request;
    int code = MPI_Recv_init(data, s->n, s->type, SENDER, TAG, comm, &request);
    return persistent(code, &request);
}

static int receive_probed(const struct scene *s)
{
    MPI_Status status;
    int n = -1, code = MPI_Probe(MPI_ANY_SOURCE, TAG, comm, &status);
    if (code)
        return code;
    CHECK_OK(MPI_Get_count(&status, s->type, &n));
    CHECK_INT(n, s->n);
    return MPI_Recv(data, n, s->type, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
}

/* A message that was matched stays so: if its receive fails it is received again. */
static int receive_matched(const struct scene *s)
{
    static MPI_Message message = MPI_MESSAGE_NULL;
    int code = MPI_SUCCESS;
    if (message == MPI_MESSAGE_NULL)
        code = MPI_Mprobe(SENDER, TAG, comm, &message, MPI_STATUS_IGNORE);
    return code ? code : MPI_Mrecv(data, s->n, s->type, &message, MPI_STATUS_IGNORE);
}

static int receive_imatched(const struct scene *s)
{
    static MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;
    int code = MPI_SUCCESS;
    if (message == MPI_MESSAGE_NULL)
        code = MPI_Mprobe(SENDER, TAG, comm, &message, MPI_STATUS_IGNORE);
    if (!code)
        code = MPI_Imrecv(data, s->n, s->type, &message, &request);
    return waited(code, &request);
}

static const struct way {
    const char *name;
    int (*attempt)(const struct scene *s);
} sends[] = {{"MPI_Send", send_plain},    {"MPI_Ssend", send_synchronous}, {"MPI_Isend", send_isend},
             {"MPI_Issend", send_issend}, {"MPI_Bsend", send_buffered},    {"MPI_Send_init", send_persistent}},
  receives[] = {{"MPI_Recv", receive_plain},           {"MPI_Recv of any", receive_any}, {"MPI_Irecv", receive_irecv},
                {"MPI_Recv_init", receive_persistent}, {"MPI_Probe", receive_probed},    {"MPI_Mrecv", receive_matched},
                {"MPI_Imrecv", receive_imatched}};
enum { SENDS = sizeof sends / sizeof *sends, RECEIVES = sizeof receives / sizeof *receives };

/* ---- requests ---- */

/* The library makes room for many requests at a time: these take what it has, so that the next request takes memory. */
static MPI_Request taken[1 << 18];
static int ntaken;

static void take_requests(void)
{
    for (int code = MPI_SUCCESS; code == MPI_SUCCESS; ntaken += code == MPI_SUCCESS) {
        CHECK(ntaken < 1 << 18);
        scarce_begin(0, true);
        code = MPI_Send_init(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_SELF, &taken[ntaken]);
        scarce_end();
    }
}

static void give_requests(void)
{
    while (ntaken > 0)
        CHECK_OK(MPI_Request_free(&taken[--ntaken]));
}

/* ---- a message ---- */

static void fill(struct gapped *to, const struct scene *s)
{
    memset(to, 0x5a, LONG * sizeof *to);
    for (int i = 0; i < s->n; i++) {
        if (s->type == types[0])
            ((uint32_t *)to)[i] = (uint32_t)check_value(SENDER, i);
        else
            to[i] = (struct gapped){(uint32_t)check_value(SENDER, i), 0x5a5a5a5a, (uint32_t)check_value(1, i)};
    }
}

/* Without memory first, and with it if that fails.  Whether an allocation failed. */
static bool deliver(const struct way *way, const struct scene *s, bool victim, const char *what)
{
    int code = way->attempt(s);
    bool hit = victim && scarce_end();
    CHECK_NOTED(hit || code == MPI_SUCCESS, "fails though nothing went wrong, %s", what);
    if (code != MPI_SUCCESS) {
        must_tell(code, what);
        code = way->attempt(s);
        CHECK_NOTED(code == MPI_SUCCESS, "fails with memory, %s", what);
    }
    return hit;
}

static bool fails_at(const struct way *send, const struct way *receive, const struct scene *s, int victim, int k,
                     bool for_good)
{
    char what[110];
    int flag = -1, hit;
    snprintf(what, sizeof what, "%s, %s, %d elements%s, allocation %d of rank %d%s", send->name, receive->name, s->n,
             s->type == types[1] ? " with holes" : "", k, victim, for_good ? " and all later ones" : "");
    if (getenv("ERRORS_MEMORY_TELLS") && check_rank == 0)
        puts(what);
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    fill(want, s);
    memset(data, 0x5a, LONG * sizeof *data);
    if (check_rank == SENDER)
        fill(data, s);
    take_requests();
    begin_shortage(victim, k, for_good);
    hit = deliver(check_rank == SENDER ? send : receive, s, check_rank == victim, what);
    CHECK_NOTED(memcmp(data, want, LONG * sizeof *data) == 0, "wrong data, %s", what);
    CHECK_OK(MPI_Bcast(&hit, 1, MPI_INT, victim, MPI_COMM_WORLD));
    CHECK_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE));
    CHECK_NOTED(flag == 0, "another message, %s", what);
    sums_to(comm, what);
    CHECK_OK(MPI_Comm_free(&comm));
    return hit;
}

static void sweep(const struct way *send, const struct way *receive, int victim)
{
    for (int t = 0; t < 2; t++)
        for (int n = SHORT; n <= LONG; n += LONG - SHORT)
            for (int for_good = 0; for_good < 2; for_good++)
                for (int k = 0; fails_at(send, receive, &(struct scene){types[t], n}, victim, k, for_good); k++)
                    ;
}

int main(int argc, char **argv)
{
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {offsetof(struct gapped, first), offsetof(struct gapped, last)};
    MPI_Datatype parts[2] = {MPI_UINT32_T, MPI_UINT32_T};
    check_start(&argc, &argv);
    share_page();
    data = check_alloc(LONG * sizeof *data, 0);
    want = check_alloc(LONG * sizeof *want, 0);
    types[0] = MPI_UINT32_T;
    CHECK_OK(MPI_Type_create_struct(2, lengths, places, parts, &types[1]));
    CHECK_OK(MPI_Type_commit(&types[1]));
    for (int i = 0; i < SENDS; i++)
        sweep(&sends[i], &receives[i % RECEIVES], SENDER);
    for (int i = 0; i < RECEIVES; i++)
        sweep(&sends[i % SENDS], &receives[i], RECEIVER);
    give_requests();
    CHECK_OK(MPI_Type_free(&types[1]));
    free(data);
    free(want);
    return check_end();
}
