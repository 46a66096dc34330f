/* Random programs: every rank draws the same calls from one seed and knows what each has to give.  Communicators of
 * both kinds come and go, collectives block, go on beside others or are persistent, messages cross them; each rank
 * completes what is under way in an order of its own.
 *
 * RANDOM_SEED and RANDOM_CALLS, variables of the environment: another seed than 7, how many calls instead of 300.
 *
 * np: 1 2 3 5
 */
#include "check.h"

enum { COMMS = 8, UNDER_WAY = 16, MESSAGES = 8 };

/* ---- what is drawn ---- */

static uint64_t together, alone; /* the states of what all ranks draw, and of this rank's own */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static int draw_from(uint64_t *state, int n)
{
    return (int)(mix(*state += 0x9e3779b97f4a7c15u) % (unsigned)n);
}

static int draw(int n)
{
    return draw_from(&together, n);
}

static int draw_alone(int n)
{
    return draw_from(&alone, n);
}

/* Mostly short; now and then so long that it is announced, or sent in pieces. */
static int draw_count(void)
{
    int kind = draw(10);
    return kind < 6 ? draw(9) : kind < 9 ? draw(3000) : draw(40000);
}

/* ---- communicators ---- */

/* Known to all ranks, also those that are not in it: the ranks in MPI_COMM_WORLD of its groups, of which an
 * intracommunicator has the same one twice. */
struct place {
    MPI_Comm comm;
    int *ranks[2], sizes[2];
    bool inter;
    int side, rank; /* of this process; -1: it is not in it */
};

static struct place places[COMMS];
static int nplaces;

static void find_self(struct place *p)
{
    p->rank = -1;
    for (int side = 1; side >= 0; side--)
        for (int r = 0; r < p->sizes[side]; r++)
            if (p->ranks[side][r] == check_rank) {
                p->side = side;
                p->rank = r;
            }
}

/* A communicator of the ranks told; of two groups if there are others. */
static struct place *add_place(const int *ranks, int n, const int *others, int nothers)
{
    struct place *p = &places[nplaces++];
    *p = (struct place){.comm = MPI_COMM_NULL, .inter = others, .sizes = {n, others ? nothers : n}};
    for (int side = 0; side < 2; side++) {
        p->ranks[side] = check_alloc((size_t)p->sizes[side] * sizeof(int) + 1, 0);
        memcpy(p->ranks[side], side && others ? others : ranks, (size_t)p->sizes[side] * sizeof(int));
    }
    find_self(p);
    return p;
}

static void drop_place(int i)
{
    if (places[i].rank >= 0)
        CHECK_OK(MPI_Comm_free(&places[i].comm));
    free(places[i].ranks[0]);
    free(places[i].ranks[1]);
    memmove(&places[i], &places[i + 1], (size_t)(--nplaces - i) * sizeof places[0]);
}

static void make_dup(const struct place *from)
{
    struct place *p = add_place(from->ranks[0], from->sizes[0], from->inter ? from->ranks[1] : NULL, from->sizes[1]);
    MPI_Request request;
    bool blocking = draw(2);
    if (p->rank < 0)
        return;
    if (blocking) {
        CHECK_OK(MPI_Comm_dup(from->comm, &p->comm));
    } else {
        CHECK_OK(MPI_Comm_idup(from->comm, &p->comm, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

/* Those that drew 1, backwards: one half of a split. */
static void make_split(const struct place *from)
{
    int n = 0, mine = MPI_UNDEFINED, *ranks = check_alloc((size_t)from->sizes[0] * sizeof *ranks, 0);
    for (int r = from->sizes[0] - 1; r >= 0; r--) {
        if (!draw(2))
            continue;
        ranks[n++] = from->ranks[0][r];
        mine = r == from->rank ? 0 : mine;
    }
    if (n) {
        struct place *p = add_place(ranks, n, NULL, 0);
        if (from->rank >= 0)
            CHECK_OK(MPI_Comm_split(from->comm, mine, -from->rank, &p->comm));
        CHECK((p->comm == MPI_COMM_NULL) == (p->rank < 0));
    }
    free(ranks);
}

/* Between the first few and the others. */
static void make_inter(const struct place *from)
{
    int n = from->sizes[0], first = n > 1 ? 1 + draw(n - 1) : 0;
    if (n < 2)
        return;
    struct place *p = add_place(from->ranks[0], first, from->ranks[0] + first, n - first);
    MPI_Comm half;
    if (from->rank < 0)
        return;
    CHECK_OK(MPI_Comm_split(from->comm, from->rank < first, 0, &half));
    CHECK_OK(MPI_Intercomm_create(half, 0, from->comm, from->rank < first ? first : 0, 3, &p->comm));
    CHECK_OK(MPI_Comm_free(&half));
}

static void communicators(void)
{
    int kind = draw(3), i = draw(nplaces);
    if (nplaces == COMMS)
        drop_place(1 + draw(nplaces - 1));
    else if (kind == 0)
        make_dup(&places[i]);
    else if (places[i].inter)
        drop_place(i);
    else if (kind == 1)
        make_split(&places[i]);
    else
        make_inter(&places[i]);
}

/* ---- data ---- */

static int now; /* the number of the call */

/* Element k of what world rank `from` gives to `to` (-1: to all) in call `call`. */
static unsigned value(int call, int from, int to, int k)
{
    return (unsigned)mix(((uint64_t)call << 40) + ((uint64_t)from << 32) + ((uint64_t)(to + 1) << 24) + (uint64_t)k);
}

/* Ints in a row, every second one, and two as one element of an operator. */
static MPI_Datatype row, spread, pair;

struct data {
    unsigned *at, *want; /* one longer, as it may be empty */
    int ints, step;
};

static struct data data_alloc(int elements, int step)
{
    struct data d = {.ints = elements * step, .step = step};
    d.at = check_alloc(((size_t)d.ints + 1) * sizeof *d.at, 0x5a);
    d.want = check_alloc(((size_t)d.ints + 1) * sizeof *d.want, 0x5a);
    return d;
}

static void data_free(struct data *d)
{
    free(d->at);
    free(d->want);
}

static MPI_Datatype type_of(const struct data *d)
{
    return d->step == 1 ? row : spread;
}

/* ---- what is under way ---- */

struct call {
    MPI_Request request;
    struct data in, out;
    bool persistent;
    const char *name;
    int number;
};

static struct call calls[UNDER_WAY + 2 * MESSAGES];
static int ncalls;

static void verify(const struct call *c, const struct data *d, const char *which)
{
    int i = 0;
    while (i < d->ints && d->at[i] == d->want[i])
        i++;
    CHECK_NOTED(i == d->ints, "call %d, %s, %s: int %d of %d is %x, not %x", c->number, c->name, which, i, d->ints,
                d->at[i], d->want[i]);
}

static void conclude(struct call *c)
{
    verify(c, &c->in, "what was given");
    verify(c, &c->out, "the result");
    data_free(&c->in);
    data_free(&c->out);
}

static void complete(int i)
{
    struct call *c = &calls[i];
    int flag = 0, err = MPI_SUCCESS;
    if (draw_alone(2))
        CHECK_OK(MPI_Wait(&c->request, MPI_STATUS_IGNORE));
    while (!flag && !err)
        err = MPI_Test(&c->request, &flag, MPI_STATUS_IGNORE);
    CHECK_OK(err);
    if (c->persistent)
        CHECK_OK(MPI_Request_free(&c->request));
    conclude(c);
    calls[i] = calls[--ncalls];
}

static void complete_some(int left)
{
    while (ncalls > left)
        complete(draw_alone(ncalls));
}

/* ---- collectives ---- */

enum coll { BARRIER, BCAST, GATHER, SCATTER, ALLGATHER, ALLTOALL, REDUCE, ALLREDUCE, REDUCE_SCATTER, SCAN, COLLS };
static const char *const names[] = {"barrier",  "bcast",  "gather",    "scatter",        "allgather",
                                    "alltoall", "reduce", "allreduce", "reduce_scatter", "scan"};

/* Of unsigned ints in pairs (m, c), as x -> m x + c one after the other: it does not commute. */
static MPI_Op compose;

static void compose_pairs(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const unsigned *a = in;
    unsigned *b = inout;
    (void)type;
    for (int i = 0; i < *len; i++, a += 2, b += 2) {
        unsigned m = a[0] * b[0];
        b[1] += a[1] * b[0];
        b[0] = m;
    }
}

/* Element k of what the ranks of a group give, combined. */
static unsigned combine(const int *ranks, int n, MPI_Op op, int k)
{
    unsigned result = value(now, ranks[0], -1, k);
    for (int r = 1; r < n; r++) {
        unsigned x = value(now, ranks[r], -1, k);
        if (op == MPI_SUM)
            result += x;
        else if (op == MPI_BXOR)
            result ^= x;
        else if (k % 2 == 0)
            result *= x;
        else
            result = result * value(now, ranks[r], -1, k - 1) + x;
    }
    return result;
}

/* A call on one communicator. */
struct draft {
    const struct place *p;
    enum coll coll;
    int form, count;     /* blocking, nonblocking, persistent; of ints in a block */
    int root, root_side; /* the root's rank in its group, and which that is */
    MPI_Op op;
    int got; /* of ints that a rank gets of a reduction */
    struct data in, out;
    int root_argument;
};

static bool reduces(enum coll coll)
{
    return coll >= REDUCE;
}

static void put(struct data *d, int block, int n, int from, int to)
{
    for (int k = 0; k < n; k++) {
        size_t at = ((size_t)block * (size_t)n + (size_t)k) * (size_t)d->step;
        d->want[at] = value(now, from, to, k);
    }
}

static void is_given(struct data *d)
{
    memcpy(d->at, d->want, (size_t)d->ints * sizeof *d->at);
}

/* What this rank gives and must have got in the end. */
static void fill(struct draft *d, int in_step, int out_step)
{
    const struct place *p = d->p;
    int far = p->inter ? !p->side : p->side, n = p->sizes[p->side], m = p->sizes[far], me = check_rank;
    const int *theirs = p->ranks[far];
    int root = p->ranks[d->root_side][d->root];
    bool is_root = me == root && (!p->inter || p->side == d->root_side);
    bool is_leaf = !p->inter || p->side != d->root_side;
    int in = 0, out = 0; /* blocks */
    switch (d->coll) {
    case BCAST:
        out = is_root || is_leaf;
        break;
    case GATHER:
        in = is_leaf, out = is_root ? m : 0;
        break;
    case SCATTER:
        in = is_root ? m : 0, out = is_leaf;
        break;
    case ALLGATHER:
        in = 1, out = m;
        break;
    case ALLTOALL:
        in = out = m;
        break;
    case REDUCE:
        in = is_leaf, out = is_root;
        break;
    case ALLREDUCE:
    case REDUCE_SCATTER:
    case SCAN:
        in = out = 1;
        break;
    default:
        break;
    }
    bool scatters = d->coll == REDUCE_SCATTER;
    int given = scatters ? d->count * p->sizes[0] * (p->inter ? p->sizes[1] : 1) : d->count;
    int got = scatters ? given / n : d->count;
    d->got = got;
    d->in = data_alloc(in * given, reduces(d->coll) ? 1 : in_step);
    d->out = data_alloc(out * got, reduces(d->coll) ? 1 : out_step);
    for (int b = 0; b < in; b++)
        put(&d->in, b, given, me, d->coll == SCATTER || d->coll == ALLTOALL ? theirs[b] : -1);
    is_given(&d->in);
    if (d->coll == BCAST && out)
        put(&d->out, 0, got, root, -1);
    if (d->coll == BCAST && is_root)
        is_given(&d->out);
    for (int b = 0; b < out && (d->coll == GATHER || d->coll == ALLGATHER || d->coll == ALLTOALL); b++)
        put(&d->out, b, got, theirs[b], d->coll == ALLTOALL ? me : -1);
    if (d->coll == SCATTER && out)
        put(&d->out, 0, got, root, me);
    for (int k = 0; k < got && reduces(d->coll) && out; k++)
        d->out.want[k] = combine(theirs, d->coll == SCAN ? p->rank + 1 : m, d->op, scatters ? p->rank * got + k : k);
    d->root_argument = !p->inter || p->side != d->root_side ? d->root : is_root ? MPI_ROOT : MPI_PROC_NULL;
}

/* The three forms of one procedure. */
#define CALL(Name, name, ...)                                                                                          \
    (d->form == 0   ? MPI_##Name(__VA_ARGS__, comm)                                                                    \
     : d->form == 1 ? MPI_I##name(__VA_ARGS__, comm, request)                                                          \
                    : MPI_##Name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, request))

static int issue(const struct draft *d, MPI_Request *request)
{
    MPI_Comm comm = d->p->comm;
    void *in = d->in.at, *out = d->out.at;
    MPI_Datatype given = type_of(&d->in), got = type_of(&d->out), type = d->op == compose ? pair : row;
    int n = d->count, root = d->root_argument, units = d->op == compose ? d->got / 2 : d->got;
    switch (d->coll) {
    case BCAST:
        return CALL(Bcast, bcast, out, n, got, root);
    case GATHER:
        return CALL(Gather, gather, in, n, given, out, n, got, root);
    case SCATTER:
        return CALL(Scatter, scatter, in, n, given, out, n, got, root);
    case ALLGATHER:
        return CALL(Allgather, allgather, in, n, given, out, n, got);
    case ALLTOALL:
        return CALL(Alltoall, alltoall, in, n, given, out, n, got);
    case REDUCE:
        return CALL(Reduce, reduce, in, out, units, type, d->op, root);
    case ALLREDUCE:
        return CALL(Allreduce, allreduce, in, out, units, type, d->op);
    case REDUCE_SCATTER:
        return CALL(Reduce_scatter_block, reduce_scatter_block, in, out, units, type, d->op);
    case SCAN:
        return CALL(Scan, scan, in, out, units, type, d->op);
    default:
        return d->form == 0   ? MPI_Barrier(comm)
               : d->form == 1 ? MPI_Ibarrier(comm, request)
                              : MPI_Barrier_init(comm, MPI_INFO_NULL, request);
    }
}

/* Both communicators and calls are drawn by all ranks, whether they take part or not. */
static void collective(void)
{
    struct draft d = {.p = &places[draw(nplaces)]};
    const MPI_Op ops[] = {MPI_SUM, MPI_BXOR, compose};
    int blocks = d.p->sizes[0] + d.p->sizes[1];
    d.coll = draw(COLLS - d.p->inter); /* there is no scan between groups */
    d.form = draw(3);
    d.count = draw_count() / (d.coll == BCAST || d.coll == ALLREDUCE ? 1 : blocks);
    d.count -= reduces(d.coll) ? d.count % 2 : 0;
    d.op = ops[draw(3)];
    d.root_side = draw(2);
    d.root = draw(d.p->sizes[d.root_side]);
    int in_step = 1 + draw(2), out_step = 1 + draw(2);
    if (d.p->rank < 0)
        return;
    fill(&d, in_step, out_step);
    struct call c = {.in = d.in, .out = d.out, .persistent = d.form == 2, .name = names[d.coll], .number = now};
    CHECK_OK(issue(&d, &c.request));
    if (c.persistent)
        CHECK_OK(MPI_Start(&c.request));
    if (d.form == 0)
        conclude(&c);
    else
        calls[ncalls++] = c;
}

/* ---- messages ---- */

/* By its tag alone: the status says from whom it is and how long. */
static void receive_in_place(const struct place *p, struct call *c, int source, int tag, int count)
{
    MPI_Status status;
    MPI_Message message;
    int got;
    CHECK_OK(MPI_Mprobe(MPI_ANY_SOURCE, tag, p->comm, &message, &status));
    CHECK_OK(MPI_Get_count(&status, row, &got));
    CHECK(got == count && status.MPI_SOURCE == source && status.MPI_TAG == tag);
    CHECK_OK(MPI_Imrecv(c->out.at, count, type_of(&c->out), &message, &c->request));
}

/* Each between two ranks that are drawn, with a tag of its own; all sends are begun before a rank probes. */
static void messages(void)
{
    const struct place *p = &places[draw(nplaces)];
    struct {
        int source, sink, count, source_step, sink_step, tag;
        bool synchronous, probed;
    } m[MESSAGES];
    int n = 1 + draw(MESSAGES), from = draw(2), to = p->inter ? !from : from;
    for (int i = 0; i < n; i++) {
        m[i].source = draw(p->sizes[from]);
        m[i].sink = draw(p->sizes[to]);
        m[i].count = draw_count();
        m[i].source_step = 1 + draw(2);
        m[i].sink_step = 1 + draw(2);
        m[i].tag = now * MESSAGES + i;
        m[i].synchronous = draw(3) == 0;
        m[i].probed = draw(3) == 0;
    }
    bool sends = p->rank >= 0 && (!p->inter || p->side == from),
         receives = p->rank >= 0 && (!p->inter || p->side == to);
    for (int phase = 0; phase < 3; phase++) /* receives, sends, probes */
        for (int i = 0; i < n; i++) {
            struct call c = {.name = "message", .number = now};
            int source = p->ranks[from][m[i].source];
            if (phase == 1 && sends && m[i].source == p->rank) {
                c.in = data_alloc(m[i].count, m[i].source_step);
                c.out = data_alloc(0, 1);
                put(&c.in, 0, m[i].count, source, i);
                is_given(&c.in);
                CHECK_OK((m[i].synchronous ? MPI_Issend : MPI_Isend)(c.in.at, m[i].count, type_of(&c.in), m[i].sink,
                                                                     m[i].tag, p->comm, &c.request));
            } else if (phase == 2 * m[i].probed && receives && m[i].sink == p->rank) {
                c.in = data_alloc(0, 1);
                c.out = data_alloc(m[i].count, m[i].sink_step);
                put(&c.out, 0, m[i].count, source, i);
                if (m[i].probed)
                    receive_in_place(p, &c, m[i].source, m[i].tag, m[i].count);
                else
                    CHECK_OK(
                        MPI_Irecv(c.out.at, m[i].count, type_of(&c.out), m[i].source, m[i].tag, p->comm, &c.request));
            } else {
                continue;
            }
            calls[ncalls++] = c;
        }
}

static int number_from(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : otherwise;
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    int *ranks = check_alloc((size_t)check_size * sizeof *ranks, 0), seed = number_from("RANDOM_SEED", 7),
        n = number_from("RANDOM_CALLS", 300) / CHECK_SLOW;
    together = (uint64_t)seed << 32;
    alone = together + 1 + (uint64_t)check_rank;
    row = MPI_UNSIGNED;
    CHECK_OK(MPI_Type_create_resized(MPI_UNSIGNED, 0, 2 * sizeof(unsigned), &spread));
    CHECK_OK(MPI_Type_commit(&spread));
    CHECK_OK(MPI_Type_contiguous(2, MPI_UNSIGNED, &pair));
    CHECK_OK(MPI_Type_commit(&pair));
    CHECK_OK(MPI_Op_create(compose_pairs, 0, &compose));
    for (int r = 0; r < check_size; r++)
        ranks[r] = r;
    MPI_Comm_dup(MPI_COMM_WORLD, &add_place(ranks, check_size, NULL, 0)->comm);
    for (now = 1; now <= n; now++) {
        int kind = draw(10);
        if (kind < 2)
            communicators();
        else if (kind < 7)
            collective();
        else
            messages();
        complete_some(draw_alone(2) ? UNDER_WAY : draw_alone(UNDER_WAY));
    }
    complete_some(0);
    while (nplaces > 0)
        drop_place(nplaces - 1);
    free(ranks);
    MPI_Op_free(&compose);
    MPI_Type_free(&spread);
    MPI_Type_free(&pair);
    return check_end();
}
