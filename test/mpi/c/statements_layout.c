/* Where data go (MPI-5.0 sections 6.5 to 6.8 and chapter 5): the two sides of a transfer agree in their signatures and
 * in nothing else; extents may be negative or smaller than the data; what lies between and around blocks stays as it
 * was, and send buffers are not written.
 *
 * Each rank contributes pairs of an int and a double.  They are held in five layouts, of which every rank takes another
 * for sending and another for receiving.
 *
 * np: 1 2 3 4 5 8
 */
#include "modes.h"

enum { LAYOUTS = 5, ROOM = 96 }; /* bytes between two elements in a buffer, at most, and of margin before the first */

static int mode, p, me;
static const MPI_Comm w = MPI_COMM_WORLD;

struct element_layout {
    const char *name;
    MPI_Datatype type;
    int at_int, at_double, extent; /* where element 0 has its numbers, and how far apart elements are */
};

static struct element_layout layouts[LAYOUTS];

static MPI_Datatype struct_type(int at_int, int at_double, int lb, int extent)
{
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {at_int, at_double};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype bare, type;

    CHECK_OK(MPI_Type_create_struct(2, lengths, places, types, &bare));
    CHECK_OK(MPI_Type_create_resized(bare, lb, extent, &type));
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Type_free(&bare));
    return type;
}

/* In the order of the signature the int comes first, wherever it lies. */
static void make_layouts(void)
{
    const struct element_layout made[LAYOUTS] = {{"dense", struct_type(0, 4, 0, 12), 0, 4, 12},
                                                 {"natural", struct_type(0, 8, 0, 16), 0, 8, 16},
                                                 {"swapped", struct_type(40, 0, 0, 48), 40, 0, 48},
                                                 {"backwards", struct_type(0, 8, 0, -16), 0, 8, -16},
                                                 {"below", struct_type(-24, -16, -24, 32), -24, -16, 32}};
    memcpy(layouts, made, sizeof made);
}

/* Room for n elements in any layout, filled with 0x6b; `at` is where element 0 is addressed. */
struct buffer {
    unsigned char *bytes, *at;
    size_t size;
};

static struct buffer buffer_new(int n)
{
    struct buffer b = {.size = 2 * (size_t)ROOM * (n + 2)};
    b.bytes = check_alloc(b.size, 0x6b);
    b.at = b.bytes + b.size / 2;
    return b;
}

static void put(struct buffer *b, const struct element_layout *l, int place, int rank, int i)
{
    int number = check_value(rank, i);
    double real = number * 0.5;
    memcpy(b->at + (ptrdiff_t)place * l->extent + l->at_int, &number, sizeof number);
    memcpy(b->at + (ptrdiff_t)place * l->extent + l->at_double, &real, sizeof real);
}

/* The buffer must be what it would be had the elements been put there one by one. */
static void same(const struct buffer *got, const struct buffer *want, const struct element_layout *l, const char *what)
{
    size_t i = 0;
    while (i < got->size && got->bytes[i] == want->bytes[i])
        i++;
    CHECK_NOTED(i == got->size, "%s, %s, %s: the byte at %td differs", what, mode_names[mode], l->name,
                (ptrdiff_t)i - (ptrdiff_t)got->size / 2);
}

static void release(struct buffer *b)
{
    free(b->bytes);
}

/* Blocks of n elements from everybody to the root, in reverse order of ranks and with holes of one element. */
static void gathers(int n, int root, const struct element_layout *s, const struct element_layout *r)
{
    struct buffer in = buffer_new(n), kept = buffer_new(n), out = buffer_new((n + 1) * p),
                  want = buffer_new((n + 1) * p);
    struct layout v;

    for (int i = 0; i < n; i++) {
        put(&in, s, i, me, i);
        put(&kept, s, i, me, i);
    }
    for (int k = 0; k < p; k++) {
        layout_set(&v, k, n, (n + 1) * (p - 1 - k));
        for (int i = 0; i < n && me == root; i++)
            put(&want, r, v.displs[k] + i, k, i);
    }
    CHECK_OK(CALL_V(mode, gatherv, Gatherv, (in.at, n, s->type, out.at, v.counts, v.displs, r->type, root, w),
                    (in.at, n, s->type, out.at, v.counts_c, v.displs_c, r->type, root, w)));
    same(&out, &want, r, "gatherv");
    for (int k = 0; k < p; k++)
        for (int i = 0; i < n; i++)
            put(&want, r, v.displs[k] + i, k, i);
    CHECK_OK(CALL_V(mode, allgatherv, Allgatherv, (in.at, n, s->type, out.at, v.counts, v.displs, r->type, w),
                    (in.at, n, s->type, out.at, v.counts_c, v.displs_c, r->type, w)));
    same(&out, &want, r, "allgatherv");
    release(&out);
    release(&want);
    out = buffer_new(n * p);
    want = buffer_new(n * p);
    for (int i = 0; i < n * p && me == root; i++)
        put(&want, r, i, i / (n ? n : 1), i % (n ? n : 1));
    CHECK_OK(CALL(mode, gather, Gather, in.at, n, s->type, out.at, n, r->type, root, w));
    same(&out, &want, r, "gather");
    for (int i = 0; i < n * p; i++)
        put(&want, r, i, i / n, i % n);
    CHECK_OK(CALL(mode, allgather, Allgather, in.at, n, s->type, out.at, n, r->type, w));
    same(&out, &want, r, "allgather");
    same(&in, &kept, s, "what was gathered");
    release(&in);
    release(&kept);
    release(&out);
    release(&want);
}

static void scatters(int n, int root, const struct element_layout *s, const struct element_layout *r)
{
    struct buffer in = buffer_new((n + 2) * p), out = buffer_new(n), want = buffer_new(n), b = buffer_new(n);
    struct layout v;

    for (int k = 0; k < p; k++) {
        layout_set(&v, k, n, (n + 2) * ((k + 1) % p));
        for (int i = 0; i < n; i++)
            put(&in, s, v.displs[k] + i, me, k * n + i);
    }
    for (int i = 0; i < n; i++)
        put(&want, r, i, root, me * n + i);
    CHECK_OK(CALL_V(mode, scatterv, Scatterv, (in.at, v.counts, v.displs, s->type, out.at, n, r->type, root, w),
                    (in.at, v.counts_c, v.displs_c, s->type, out.at, n, r->type, root, w)));
    same(&out, &want, r, "scatterv");
    /* In place at the root: nothing of its buffer is touched. */
    release(&out);
    out = buffer_new(n);
    CHECK_OK(CALL_V(mode, scatterv, Scatterv,
                    (in.at, v.counts, v.displs, s->type, me == root ? MPI_IN_PLACE : out.at, n, r->type, root, w),
                    (in.at, v.counts_c, v.displs_c, s->type, me == root ? MPI_IN_PLACE : out.at, n, r->type, root, w)));
    same(&out, me == root ? &b : &want, r, "scatterv in place");
    /* The root's elements in one layout, a broadcast's in each rank's own. */
    struct buffer all = buffer_new(n), each = buffer_new(n);
    for (int i = 0; i < n; i++) {
        put(&each, r, i, root, i);
        if (me == root)
            put(&all, r, i, root, i);
    }
    CHECK_OK(CALL(mode, bcast, Bcast, all.at, n, r->type, root, w));
    same(&all, &each, r, "bcast");
    release(&all);
    release(&each);
    release(&in);
    release(&out);
    release(&want);
    release(&b);
}

/* Uneven blocks: rank a sends (a + 2 b) % 4 elements to rank b. */
static void exchanges(const struct element_layout *s, const struct element_layout *r)
{
    struct buffer in = buffer_new(5 * p), out = buffer_new(5 * p), want = buffer_new(5 * p);
    struct layout to, from, to_bytes, from_bytes;
    MPI_Datatype stypes[64], rtypes[64];

    for (int k = 0; k < p; k++) {
        int sent = (me + 2 * k) % 4, received = (k + 2 * me) % 4;
        layout_set(&to, k, sent, 5 * k);
        layout_set(&from, k, received, 5 * (p - 1 - k));
        layout_set(&to_bytes, k, sent, to.displs[k] * s->extent);
        layout_set(&from_bytes, k, received, from.displs[k] * r->extent);
        stypes[k] = s->type;
        rtypes[k] = r->type;
        for (int i = 0; i < sent; i++)
            put(&in, s, to.displs[k] + i, me, 10 * k + i);
        for (int i = 0; i < received; i++)
            put(&want, r, from.displs[k] + i, k, 10 * me + i);
    }
    CHECK_OK(CALL_V(mode, alltoallv, Alltoallv,
                    (in.at, to.counts, to.displs, s->type, out.at, from.counts, from.displs, r->type, w),
                    (in.at, to.counts_c, to.displs_c, s->type, out.at, from.counts_c, from.displs_c, r->type, w)));
    same(&out, &want, r, "alltoallv");
    release(&out);
    out = buffer_new(5 * p);
    CHECK_OK(
        CALL_V(mode, alltoallw, Alltoallw,
               (in.at, to.counts, to_bytes.displs, stypes, out.at, from.counts, from_bytes.displs, rtypes, w),
               (in.at, to.counts_c, to_bytes.displs_c, stypes, out.at, from.counts_c, from_bytes.displs_c, rtypes, w)));
    same(&out, &want, r, "alltoallw");
    release(&in);
    release(&out);
    release(&want);
}

/* One element of a long type against many of a short one: the signature is what counts. */
static void other_counts(const struct element_layout *s, const struct element_layout *r)
{
    enum { N = 6 };
    struct buffer in = buffer_new(N * p), out = buffer_new(N * p), want = buffer_new(N * p);
    MPI_Datatype six;

    CHECK_OK(MPI_Type_contiguous(N, r->type, &six));
    CHECK_OK(MPI_Type_commit(&six));
    for (int i = 0; i < N * p; i++) {
        put(&in, s, i, me, i);
        put(&want, r, i, i / N, me * N + i % N);
    }
    CHECK_OK(CALL(mode, alltoall, Alltoall, in.at, N, s->type, out.at, 1, six, w));
    if (r->extent > 0) /* backwards, a contiguous type is not a run of the whole */
        same(&out, &want, r, "alltoall of one for many");
    CHECK_OK(MPI_Type_free(&six));
    release(&in);
    release(&out);
    release(&want);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    p = check_size;
    me = check_rank;
    make_layouts();
    for (mode = 0; mode < MODES; mode++)
        for (int k = 0; k < LAYOUTS; k++) {
            const struct element_layout *s = &layouts[(me + k) % LAYOUTS], *r = &layouts[(2 * me + k + 1) % LAYOUTS];
            for (int n = 1; n < 3000; n = n * 7 + 4) {
                gathers(n, (n + k) % p, s, r);
                scatters(n, (n + k) % p, s, r);
            }
            exchanges(s, r);
            other_counts(s, r);
        }
    for (int k = 0; k < LAYOUTS; k++)
        CHECK_OK(MPI_Type_free(&layouts[k].type));
    return check_end();
}
