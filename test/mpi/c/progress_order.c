/* Progress and order (MPI-5.0 sections 6.12 to 6.14): a random program, the same on every rank but for the order of
 * what may differ.  Nonblocking collectives, started in one order on each communicator but completed in another on
 * every rank; persistent ones, started in another order on every rank; messages between them with every tag; all on
 * the world, a copy of it in reverse, and overlapping halves; completed by every procedure there is.
 *
 * np: 1 2 3 4 5 8
 * wrong: mpich (4.0: completes inactive persistent collectives again)
 */
#include "ordered.h"

#if MPI_VERSION >= 4

enum { COMMS = 4, KINDS = 8, OPS = 24, LONGEST = 6000, ROUNDS = 60 };

static MPI_Datatype affine;
static MPI_Op op;
static MPI_Comm comms[COMMS];
static int ranks[COMMS], sizes[COMMS]; /* sizes[c] is 0 where this process is no member */
static int members[COMMS][64];         /* the world rank of each member */

/* Two random streams: `common` is the same on all ranks, `own` is not. */
static uint64_t common = 88172645463325252u, own;

static int draw(uint64_t *state, int below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (int)(*state >> 33) % below;
}

struct task {
    int comm, kind, n, root, salt;
    bool persistent;
    struct affine *in, *out;
    int *counts, *displs;
};

static void expect_maps(const struct task *t, const struct affine *got, int last, int first, int n)
{
    int wrong = 0;

    for (int i = 0; i < n; i++) {
        struct affine want = affine_value(members[t->comm][0] + t->salt, first + i);
        for (int r = 1; r <= last; r++)
            want = affine_product(want, affine_value(members[t->comm][r] + t->salt, first + i));
        wrong += memcmp(&want, &got[i], sizeof want) != 0;
    }
    CHECK_NOTED(wrong == 0, "kind %d on communicator %d, %d elements%s: %d wrong", t->kind, t->comm, t->n,
                t->persistent ? ", persistent" : "", wrong);
}

static void expect_block(const struct task *t, const struct affine *got, int sender, int first)
{
    int wrong = 0;

    for (int i = 0; i < t->n; i++) {
        struct affine want = affine_value(members[t->comm][sender] + t->salt, first + i);
        wrong += memcmp(&want, &got[i], sizeof want) != 0;
    }
    CHECK_NOTED(wrong == 0, "kind %d on communicator %d, %d elements of rank %d: %d wrong", t->kind, t->comm, t->n,
                sender, wrong);
}

static void refill(struct task *t)
{
    affine_fill(t->in, check_rank + t->salt, 0, t->n * sizes[t->comm]);
    memset(t->out, 0, (size_t)t->n * sizes[t->comm] * sizeof *t->out);
    if (t->kind == 1)
        memcpy(t->out, t->in, (size_t)t->n * sizeof *t->out);
}

/* What the task is, from the common stream: the same on all members, whoever draws. */
static struct task invent(int salt)
{
    static const int lengths[] = {0, 1, 7, 100, 1000, LONGEST};
    struct task t = {.comm = draw(&common, COMMS), .kind = draw(&common, KINDS), .n = lengths[draw(&common, 6)]};

    t.salt = salt;
    t.root = draw(&common, 1 << 20);
    t.persistent = draw(&common, 3) == 0;
    int p = sizes[t.comm];
    if (p == 0)
        return t;
    t.root %= p;
    t.in = check_alloc((size_t)t.n * p * sizeof *t.in, 0);
    t.out = check_alloc((size_t)t.n * p * sizeof *t.out, 0);
    t.counts = check_alloc((size_t)p * sizeof *t.counts, 0);
    t.displs = check_alloc((size_t)p * sizeof *t.displs, 0);
    for (int r = 0; r < p; r++) {
        t.counts[r] = t.n;
        t.displs[r] = t.n * r;
    }
    refill(&t);
    return t;
}

static void begin(struct task *t, MPI_Request *q)
{
    MPI_Comm c = comms[t->comm];
    MPI_Info i = MPI_INFO_NULL;
    int n = t->n;

    if (t->persistent)
        CHECK_OK(t->kind == 0   ? MPI_Allreduce_init(t->in, t->out, n, affine, op, c, i, q)
                 : t->kind == 1 ? MPI_Bcast_init(t->out, n, affine, t->root, c, i, q)
                 : t->kind == 2 ? MPI_Reduce_init(t->in, t->out, n, affine, op, t->root, c, i, q)
                 : t->kind == 3 ? MPI_Scan_init(t->in, t->out, n, affine, op, c, i, q)
                 : t->kind == 4 ? MPI_Alltoall_init(t->in, n, affine, t->out, n, affine, c, i, q)
                 : t->kind == 5 ? MPI_Allgatherv_init(t->in, n, affine, t->out, t->counts, t->displs, affine, c, i, q)
                 : t->kind == 6 ? MPI_Reduce_scatter_init(t->in, t->out, t->counts, affine, op, c, i, q)
                                : MPI_Barrier_init(c, i, q));
    else
        CHECK_OK(t->kind == 0   ? MPI_Iallreduce(t->in, t->out, n, affine, op, c, q)
                 : t->kind == 1 ? MPI_Ibcast(t->out, n, affine, t->root, c, q)
                 : t->kind == 2 ? MPI_Ireduce(t->in, t->out, n, affine, op, t->root, c, q)
                 : t->kind == 3 ? MPI_Iscan(t->in, t->out, n, affine, op, c, q)
                 : t->kind == 4 ? MPI_Ialltoall(t->in, n, affine, t->out, n, affine, c, q)
                 : t->kind == 5 ? MPI_Iallgatherv(t->in, n, affine, t->out, t->counts, t->displs, affine, c, q)
                 : t->kind == 6 ? MPI_Ireduce_scatter(t->in, t->out, t->counts, affine, op, c, q)
                                : MPI_Ibarrier(c, q));
}

static void verify(const struct task *t)
{
    int p = sizes[t->comm], me = ranks[t->comm];

    if (t->kind == 0 || (t->kind == 2 && me == t->root))
        expect_maps(t, t->out, p - 1, 0, t->n);
    if (t->kind == 1)
        expect_block(t, t->out, t->root, 0);
    if (t->kind == 3)
        expect_maps(t, t->out, me, 0, t->n);
    if (t->kind == 6)
        expect_maps(t, t->out, p - 1, t->n * me, t->n);
    for (int r = 0; r < p && (t->kind == 4 || t->kind == 5); r++)
        expect_block(t, t->out + (size_t)t->n * r, r, t->kind == 4 ? t->n * me : 0);
}

/* Complete all, in an order of this rank's own.  A persistent request stays, inactive. */
static void complete(int n, MPI_Request *q)
{
    int left = n, flag, index, indices[OPS + 2], done;
    bool over[OPS + 2] = {false};
    MPI_Status statuses[OPS + 2];

    while (left > 0) {
        int way = draw(&own, 7);
        index = draw(&own, n);
        if (way == 0 && !over[index]) {
            CHECK_OK(MPI_Wait(&q[index], &statuses[0]));
            over[index] = true;
            left--;
        } else if (way == 1 && !over[index]) {
            CHECK_OK(MPI_Test(&q[index], &flag, MPI_STATUS_IGNORE));
            over[index] = flag;
            left -= flag != 0;
        } else if (way == 2 || way == 3) {
            flag = 1;
            CHECK_OK(way == 2 ? MPI_Waitany(n, q, &index, &statuses[0])
                              : MPI_Testany(n, q, &index, &flag, &statuses[0]));
            CHECK(!flag || (index >= 0 && index < n && !over[index]));
            if (flag && index >= 0 && index < n) {
                over[index] = true;
                left--;
            }
        } else if (way == 4 || way == 5) {
            CHECK_OK(way == 4 ? MPI_Waitsome(n, q, &done, indices, statuses)
                              : MPI_Testsome(n, q, &done, indices, statuses));
            CHECK(done != MPI_UNDEFINED && done <= left);
            for (int i = 0; i < done; i++) {
                CHECK(!over[indices[i]]);
                over[indices[i]] = true;
            }
            left -= done;
        } else if (way == 6) {
            CHECK_OK(MPI_Testall(n, q, &flag, statuses));
            left = flag ? 0 : left;
        }
    }
    CHECK_OK(MPI_Testall(n, q, &flag, MPI_STATUSES_IGNORE));
    CHECK_INT(flag, 1);
}

static void shuffle(int *order, int n)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = draw(&own, i + 1), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
}

/* Persistent requests are made in one order and started in any; the others are started in the common order. */
static void start(int n, struct task *tasks, MPI_Request *q)
{
    int order[OPS], at = 0;

    shuffle(order, n);
    for (int k = 0; k < n; k++)
        if (tasks[k].persistent && sizes[tasks[k].comm])
            begin(&tasks[k], &q[k]);
    for (int k = 0; k < n; k++) {
        for (int more = draw(&own, 3); at < n && more > 0; at++, more--)
            if (tasks[order[at]].persistent && sizes[tasks[order[at]].comm])
                CHECK_OK(MPI_Start(&q[order[at]]));
        if (!tasks[k].persistent && sizes[tasks[k].comm])
            begin(&tasks[k], &q[k]);
    }
    for (; at < n; at++)
        if (tasks[order[at]].persistent && sizes[tasks[order[at]].comm])
            CHECK_OK(MPI_Start(&q[order[at]]));
}

static void round_of(int turn)
{
    struct task tasks[OPS];
    MPI_Request q[OPS + 2];
    int right = (check_rank + 1) % check_size, left = (check_rank + check_size - 1) % check_size;
    int n = draw(&common, 40000), *out = check_alloc((size_t)(n + 1) * sizeof *out, check_rank);
    int *in = check_alloc((size_t)(n + 1) * sizeof *in, 0);

    for (int k = 0; k < OPS; k++) {
        tasks[k] = invent(turn % 7 + k);
        q[k] = MPI_REQUEST_NULL;
    }
    CHECK_OK(MPI_Irecv(in, n + 1, MPI_INT, MPI_ANY_SOURCE, turn, MPI_COMM_WORLD, &q[OPS]));
    start(OPS, tasks, q);
    CHECK_OK(MPI_Isend(out, n + 1, MPI_INT, right, turn, MPI_COMM_WORLD, &q[OPS + 1]));
    int present = 0;
    MPI_Request used[OPS + 2];
    for (int k = 0; k < OPS + 2; k++)
        if (q[k] != MPI_REQUEST_NULL)
            used[present++] = q[k];
    complete(present, used);
    CHECK_INT(in[n], 0x01010101 * left);
    for (int k = 0, at = 0; k < OPS; k++) {
        if (q[k] == MPI_REQUEST_NULL)
            continue;
        verify(&tasks[k]);
        CHECK((used[at] == MPI_REQUEST_NULL) == !tasks[k].persistent);
        if (tasks[k].persistent)
            CHECK_OK(MPI_Request_free(&used[at]));
        at++;
        free(tasks[k].in);
        free(tasks[k].out);
        free(tasks[k].counts);
        free(tasks[k].displs);
    }
    free(in);
    free(out);
}

/* The world, the world in reverse, and two parts of it that overlap in the middle. */
static void make_comms(void)
{
    int middle = check_size / 2;
    MPI_Group world, group;

    comms[0] = MPI_COMM_WORLD;
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank, &comms[1]));
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank <= middle ? 0 : MPI_UNDEFINED, 0, &comms[2]));
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank >= middle ? 0 : MPI_UNDEFINED, -check_rank, &comms[3]));
    CHECK_OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    for (int c = 0; c < COMMS; c++) {
        if (comms[c] == MPI_COMM_NULL)
            continue;
        CHECK_OK(MPI_Comm_rank(comms[c], &ranks[c]));
        CHECK_OK(MPI_Comm_size(comms[c], &sizes[c]));
        CHECK_OK(MPI_Comm_group(comms[c], &group));
        int all[64];
        for (int r = 0; r < sizes[c]; r++)
            all[r] = r;
        CHECK_OK(MPI_Group_translate_ranks(group, sizes[c], all, world, members[c]));
        CHECK_OK(MPI_Group_free(&group));
    }
    CHECK_OK(MPI_Group_free(&world));
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    own = common + 0x9e3779b97f4a7c15u * (uint64_t)(check_rank + 1);
    affine_setup(&affine, &op);
    make_comms();
    for (int turn = 0; turn < ROUNDS; turn++)
        round_of(turn);
    for (int c = 1; c < COMMS; c++)
        if (comms[c] != MPI_COMM_NULL)
            CHECK_OK(MPI_Comm_free(&comms[c]));
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&affine));
    return check_end();
}

#else

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK(MPI_VERSION < 4);
    return check_end();
}

#endif
