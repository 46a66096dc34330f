/* Operators of the program on pieces of the vector (MPI-5.0 section 6.9.5): the function gets whole elements, aligned
 * as in the program's memory, two vectors apart, in rank order, each element once for each combination, whatever the
 * datatype's layout and the collective's form.  By the hint treefold_whole_operators it gets the whole vector in one
 * call.
 *
 * np: 1 2 3 4 5 7 8
 * only: treefold
 * flags: -O3
 */
#include <malloc.h>

#include "modes.h"
#include "ordered.h"

/* An element: two blocks of words, of which the first holds the slope of an affine map and the last its offset.  The
 * others, and what lies between the blocks, stay as they are. */
struct kind {
    const char *name;
    int at[2], words[2]; /* blocks: bytes from the element's address, words */
    int lb, extent, alignment;
    int most; /* elements */
};

static const struct kind kinds[] = {
    {"dense", {0, 4}, {1, 1}, 0, 8, 8, 60000},
    {"dense, from its fifth byte on", {4, 12}, {2, 2}, 4, 16, 16, 30000},
    {"dense, below its address", {-8, -4}, {1, 1}, -8, 8, 8, 60000},
    {"of three words", {0, 4}, {1, 2}, 0, 12, 4, 40000},
    {"with a gap", {0, 8}, {1, 1}, 0, 12, 4, 40000},
    {"with gaps, from its fifth byte on", {4, 24}, {1, 2}, 0, 48, 16, 9000},
    {"with a gap, below its address", {-12, -4}, {1, 1}, -16, 16, 16, 30000},
    {"a little longer than the shortest chunk", {0, 8200}, {2050, 2050}, 0, 16400, 16, 4},
    {"longer than a chunk", {0, 50000}, {12500, 12500}, 0, 100000, 16, 9},
    {"longer than a chunk, with a gap", {0, 50016}, {12500, 12500}, 0, 100016, 16, 9},
};

static const struct kind *kind;
static MPI_Datatype type;
static MPI_Op op;
static int p, me;
static long calls, elements, misaligned, not_apart, bad_lengths, most_at_once, least_at_once;

static uint32_t *word(void *vector, int i, int which)
{
    char *element = (char *)vector + (ptrdiff_t)i * kind->extent;
    return (uint32_t *)(element + kind->at[which]) + (which ? kind->words[1] - 1 : 0);
}

static const uint32_t *const_word(const void *vector, int i, int which)
{
    return word((void *)(uintptr_t)vector, i, which);
}

static void combine(void *in, void *inout, int *len, MPI_Datatype *its_type)
{
    ptrdiff_t bytes = (ptrdiff_t)*len * kind->extent;
    calls++;
    elements += *len;
    most_at_once = *len > most_at_once ? *len : most_at_once;
    least_at_once = *len < least_at_once ? *len : least_at_once;
    bad_lengths += *len < 1 || *its_type != type;
    misaligned += (uintptr_t)in % (uintptr_t)kind->alignment || (uintptr_t)inout % (uintptr_t)kind->alignment;
    not_apart += (char *)in < (char *)inout + bytes && (char *)inout < (char *)in + bytes;
    for (int i = 0; i < *len; i++) {
        struct affine x = {*word(in, i, 0), *word(in, i, 1)}, y = {*word(inout, i, 0), *word(inout, i, 1)};
        struct affine z = affine_product(x, y);
        *word(inout, i, 0) = z.slope;
        *word(inout, i, 1) = z.offset;
    }
}

static void make(void)
{
    MPI_Datatype bare;
    const MPI_Aint places[] = {kind->at[0], kind->at[1]};
    CHECK_OK(MPI_Type_create_hindexed(2, kind->words, places, MPI_UINT32_T, &bare));
    CHECK_OK(MPI_Type_create_resized(bare, kind->lb, kind->extent, &type));
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Type_free(&bare));
    CHECK_OK(MPI_Op_create(combine, 0, &op));
}

static void forget(void)
{
    calls = elements = misaligned = not_apart = bad_lengths = most_at_once = 0;
    least_at_once = 1 << 30;
}

/* Room for n elements, with a margin for what lies below an address; *vector is the address. */
static void *room(int n, int fill, void **vector)
{
    enum { MARGIN = 64 };
    size_t bytes = (size_t)n * (size_t)kind->extent + 2 * MARGIN;
    char *memory = aligned_alloc(MARGIN, (bytes + MARGIN - 1) / MARGIN * MARGIN);
    CHECK(memory != NULL);
    memset(memory, fill, (bytes + MARGIN - 1) / MARGIN * MARGIN);
    *vector = memory + MARGIN;
    return memory;
}

static void fill(void *vector, int n)
{
    for (int i = 0; i < n; i++) {
        struct affine v = affine_value(me, i);
        *word(vector, i, 0) = v.slope;
        *word(vector, i, 1) = v.offset;
    }
}

/* Elements first..first+n-1 of ranks 0..last combined; and the function's calls were as they should be. */
static void verify(const void *vector, int last, int first, int n, const char *what, int mode)
{
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        struct affine want = affine_expected(last, first + i);
        wrong += *const_word(vector, i, 0) != want.slope || *const_word(vector, i, 1) != want.offset;
    }
    CHECK_NOTED(wrong == 0, "%s, %s, %s: %d of %d", kind->name, what, mode_names[mode], wrong, n);
    CHECK_NOTED(!misaligned && !not_apart && !bad_lengths,
                "%s, %s, %s: %ld of %ld calls misaligned, %ld not apart, %ld of a wrong length", kind->name, what,
                mode_names[mode], misaligned, calls, not_apart, bad_lengths);
}

/* Each element of a reduction is combined as often as there are ranks but one. */
static void count_elements(MPI_Comm comm, int n, const char *what)
{
    long all = 0;
    CHECK_OK(MPI_Allreduce(&elements, &all, 1, MPI_LONG, MPI_SUM, comm));
    CHECK_NOTED(all == (long)n * (p - 1), "%s, %s: %ld elements combined", kind->name, what, all);
}

/* What lies in the gaps of a result is the program's. */
static void gaps_are_kept(const void *vector, int n, int fill)
{
    int end = kind->at[0] + 4 * kind->words[0], wrong = 0;
    for (int i = 0; i < n; i++)
        for (int at = end; at < kind->at[1]; at++)
            wrong += ((const char *)vector)[(ptrdiff_t)i * kind->extent + at] != fill;
    CHECK_NOTED(wrong == 0, "%s: %d bytes of gaps written", kind->name, wrong);
}

static void reductions(MPI_Comm comm, int mode, int n)
{
    void *in, *out, *memory = room(n * p, 0, &in), *result = room(n * p, 0x55, &out);
    int root = n % p;

    fill(in, n * p);
    forget();
    CHECK_OK(CALL(mode, reduce, Reduce, in, out, n, type, op, root, comm));
    if (me == root)
        verify(out, p - 1, 0, n, "reduce", mode);
    count_elements(comm, n, "reduce");
    forget();
    CHECK_OK(CALL(mode, allreduce, Allreduce, in, out, n, type, op, comm));
    verify(out, p - 1, 0, n, "allreduce", mode);
    gaps_are_kept(out, n, 0x55);
    forget();
    CHECK_OK(CALL(mode, scan, Scan, in, out, n, type, op, comm));
    verify(out, me, 0, n, "scan", mode);
    forget();
    CHECK_OK(CALL(mode, exscan, Exscan, in, out, n, type, op, comm));
    if (me)
        verify(out, me - 1, 0, n, "exscan", mode);
    forget();
    CHECK_OK(CALL(mode, reduce_scatter_block, Reduce_scatter_block, in, out, n, type, op, comm));
    verify(out, p - 1, n * me, n, "reduce_scatter_block", mode);
    gaps_are_kept(out, n, 0x55);
    fill(out, n);
    forget();
    CHECK_OK(CALL(mode, allreduce, Allreduce, MPI_IN_PLACE, out, n, type, op, comm));
    verify(out, p - 1, 0, n, "allreduce in place", mode);
    fill(out, n * p);
    forget();
    CHECK_OK(CALL(mode, reduce_scatter_block, Reduce_scatter_block, MPI_IN_PLACE, out, n, type, op, comm));
    verify(out, p - 1, n * me, n, "reduce_scatter_block in place", mode);
    free(memory);
    free(result);
}

/* Unequal blocks, some of them empty. */
static void uneven(MPI_Comm comm, int mode, int n)
{
    struct layout l;
    int total = 0, mine = 0, before = 0;
    for (int r = 0; r < p; r++) {
        int count = r % 3 == 1 ? 0 : n + r;
        layout_set(&l, r, count, total);
        before = r == me ? total : before;
        mine = r == me ? count : mine;
        total += count;
    }
    void *in, *out, *memory = room(total, 0, &in), *result = room(mine + 1, 0x55, &out);
    fill(in, total);
    forget();
    CHECK_OK(CALL_V(mode, reduce_scatter, Reduce_scatter, (in, out, l.counts, type, op, comm),
                    (in, out, l.counts_c, type, op, comm)));
    verify(out, p - 1, before, mine, "reduce_scatter", mode);
    free(memory);
    free(result);
}

static void local(int n)
{
    void *in, *out, *memory = room(n, 0, &in), *result = room(n, 0x55, &out);
    fill(in, n);
    fill(out, n);
    forget();
    CHECK_OK(MPI_Reduce_local(in, out, n, type, op));
    CHECK_INT(calls, n > 0);
    CHECK_INT(elements, n);
    free(memory);
    free(result);
}

static MPI_Comm hinted(const char *key, const char *value)
{
    MPI_Comm comm;
    MPI_Info info;
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, key, value));
    CHECK_OK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    return comm;
}

/* One call for each combination, of all that is combined. */
static void whole(MPI_Comm comm, int mode, int n)
{
    void *in, *out, *memory = room(n * p, 0, &in), *result = room(n * p, 0x55, &out);
    long all = 0;

    fill(in, n * p);
    forget();
    CHECK_OK(CALL(mode, reduce, Reduce, in, out, n, type, op, p - 1, comm));
    if (me == p - 1)
        verify(out, p - 1, 0, n, "reduce, whole", mode);
    CHECK(calls == 0 || (most_at_once == n && least_at_once == n));
    CHECK_OK(MPI_Allreduce(&calls, &all, 1, MPI_LONG, MPI_SUM, comm));
    CHECK_INT(all, p - 1);
    forget();
    CHECK_OK(CALL(mode, allreduce, Allreduce, in, out, n, type, op, comm));
    verify(out, p - 1, 0, n, "allreduce, whole", mode);
    CHECK(calls == 0 || (most_at_once == n && least_at_once == n));
    forget();
    CHECK_OK(CALL(mode, scan, Scan, in, out, n, type, op, comm));
    verify(out, me, 0, n, "scan, whole", mode);
    CHECK(calls == 0 || (most_at_once == n && least_at_once == n));
    forget();
    CHECK_OK(CALL(mode, reduce_scatter_block, Reduce_scatter_block, in, out, n, type, op, comm));
    verify(out, p - 1, n * me, n, "reduce_scatter_block, whole", mode);
    CHECK(calls == 0 || (most_at_once == n * p && least_at_once == n * p));
    free(memory);
    free(result);
}

static void whole_vectors(void)
{
    char value[10] = "";
    int found = 0;
    MPI_Info used;
    MPI_Comm comm = hinted("treefold_whole_operators", "true");
    CHECK_OK(MPI_Comm_get_info(comm, &used));
    CHECK_OK(MPI_Info_get(used, "treefold_whole_operators", 9, value, &found));
    CHECK(found);
    CHECK_STRING(value, "true");
    CHECK_OK(MPI_Info_free(&used));
    for (int mode = BLOCKING; mode <= PERSISTENT; mode++) {
        whole(comm, mode, 1);
        whole(comm, mode, kind->most < 100 ? kind->most : kind->most / 4);
    }
    CHECK_OK(MPI_Comm_free(&comm));
}

/* An algorithm that cuts the vector is had, and a word that means nothing is no hint. */
static void cut(int n)
{
    void *in, *out, *memory = room(n, 0, &in), *result = room(n, 0x55, &out);
    char value[10] = "";
    int found = 1;
    MPI_Info used;
    MPI_Comm comm = hinted("treefold_whole_operators", "perhaps");
    CHECK_OK(MPI_Comm_get_info(comm, &used));
    CHECK_OK(MPI_Info_get(used, "treefold_whole_operators", 9, value, &found));
    CHECK(!found);
    CHECK_OK(MPI_Info_free(&used));
    CHECK_OK(MPI_Comm_free(&comm));
    comm = hinted("treefold_algorithm", "allreduce = slices");
    fill(in, n);
    forget();
    CHECK_OK(MPI_Allreduce(in, out, n, type, op, comm));
    verify(out, p - 1, 0, n, "allreduce by slices", BLOCKING);
    if (n >= p && getenv("TREEFOLD_WHOLE_OPERATORS") == NULL)
        CHECK_NOTED(most_at_once <= (n + p - 1) / p && (calls > 0 || p == 1), "%ld elements at once of %d",
                    most_at_once, n);
    CHECK_OK(MPI_Comm_free(&comm));
    free(memory);
    free(result);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    p = check_size;
    me = check_rank;
    /* What is freed is used again: new pages for each vector take the system as long as all the rest. */
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        kind = &kinds[k];
        make();
        for (int mode = BLOCKING; mode <= PERSISTENT; mode++) {
            reductions(MPI_COMM_WORLD, mode, 1);
            reductions(MPI_COMM_WORLD, mode, 7);
            reductions(MPI_COMM_WORLD, mode, kind->most);
            uneven(MPI_COMM_WORLD, mode, kind->most / 3);
        }
        local(0);
        local(kind->most);
        whole_vectors();
        cut(kind->most);
        CHECK_OK(MPI_Op_free(&op));
        CHECK_OK(MPI_Type_free(&type));
    }
    return check_end();
}
