/* test_random.c - random nested datatypes against an interpreter of type maps that knows nothing of nested loops: lists
 * of (basic type, displacement) pairs and of bounds, built as MPI-5.0 section 5.1 defines each constructor.
 */
#include "types.h"

#include "type/cursor.h"

#include <stdio.h>

enum { MOST_ENTRIES = 3000, TYPES = 1500 };

struct entry {
    MPI_Datatype basic;
    MPI_Count at;
};

/* A type map: entries in order, and the bounds that MPI_Type_create_resized set. */
struct map {
    int n;
    struct entry *entries;
    bool bounded;
    MPI_Count lower, upper;
};

struct sample {
    struct tf_type *type;
    struct map map;
};

static const struct {
    MPI_Datatype basic;
    MPI_Count size, alignment;
} basics[] = {
    {MPI_INT, 4, 4},           {MPI_DOUBLE, 8, 8}, {MPI_CHAR, 1, 1}, {MPI_SHORT, 2, 2}, {MPI_C_DOUBLE_COMPLEX, 16, 8},
    {MPI_LONG_DOUBLE, 16, 16},
};

static uint64_t seed;

static MPI_Count pick(MPI_Count low, MPI_Count high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (MPI_Count)((seed >> 33) % (uint64_t)(high - low + 1));
}

static int basic_index(MPI_Datatype basic)
{
    int i = 0;
    while (basics[i].basic != basic)
        i++;
    return i;
}

static MPI_Count map_lb(const struct map *m)
{
    if (m->bounded)
        return m->lower;
    MPI_Count lb = m->n ? m->entries[0].at : 0;
    for (int i = 0; i < m->n; i++)
        lb = m->entries[i].at < lb ? m->entries[i].at : lb;
    return lb;
}

static MPI_Count map_true_ub(const struct map *m)
{
    MPI_Count ub = 0;
    for (int i = 0; i < m->n; i++) {
        MPI_Count end = m->entries[i].at + basics[basic_index(m->entries[i].basic)].size;
        ub = i == 0 || end > ub ? end : ub;
    }
    return ub;
}

static MPI_Count map_extent(const struct map *m)
{
    if (m->bounded)
        return m->upper - m->lower;
    MPI_Count extent = map_true_ub(m) - map_lb(m), alignment = 1;
    for (int i = 0; i < m->n; i++) {
        MPI_Count k = basics[basic_index(m->entries[i].basic)].alignment;
        alignment = k > alignment ? k : alignment;
    }
    return (extent + alignment - 1) / alignment * alignment;
}

static MPI_Count map_size(const struct map *m)
{
    MPI_Count size = 0;
    for (int i = 0; i < m->n; i++)
        size += basics[basic_index(m->entries[i].basic)].size;
    return size;
}

static void map_add(struct map *to, const struct map *from, MPI_Count at)
{
    to->entries = realloc(to->entries, (to->n + from->n + 1) * sizeof *to->entries);
    for (int i = 0; i < from->n; i++)
        to->entries[to->n++] = (struct entry){from->entries[i].basic, from->entries[i].at + at};
    if (from->bounded) {
        to->lower = to->bounded && to->lower < from->lower + at ? to->lower : from->lower + at;
        to->upper = to->bounded && to->upper > from->upper + at ? to->upper : from->upper + at;
        to->bounded = true;
    }
}

static void map_add_block(struct map *to, const struct map *from, MPI_Count count, MPI_Count at)
{
    MPI_Count extent = map_extent(from);
    for (MPI_Count i = 0; i < count; i++)
        map_add(to, from, at + i * extent);
}

static struct sample sample_basic(void)
{
    int i = (int)pick(0, TF_ARRAY_LEN(basics) - 1);
    struct sample s = {.type = find(basics[i].basic), .map = {.n = 1, .entries = malloc(sizeof(struct entry))}};
    s.map.entries[0] = (struct entry){basics[i].basic, 0};
    return s;
}

static void sample_free(struct sample *s)
{
    if (s->type->obj.handle >= 4096)
        release(s->type);
    free(s->map.entries);
}

static struct sample sample_random(int depth);

static struct sample sample_struct(int depth)
{
    struct sample s = {0}, children[3];
    MPI_Datatype types[3];
    MPI_Count lengths[3], at[3];
    int n = (int)pick(0, 3);
    for (int i = 0; i < n; i++) {
        children[i] = sample_random(depth - 1);
        types[i] = handle_of(children[i].type);
        lengths[i] = pick(0, 3);
        at[i] = pick(-40, 60);
        map_add_block(&s.map, &children[i].map, lengths[i], at[i]);
    }
    s.type = MAKE(tf_type_create_struct, n, (struct tf_counts){lengths, true}, (struct tf_counts){at, true}, types,
                  &made_, true);
    for (int i = 0; i < n; i++)
        sample_free(&children[i]);
    return s;
}

/* A list of blocks, which may be in bytes and may be of one length. */
static struct sample sample_indexed(int depth)
{
    struct sample s = {0}, child = sample_random(depth - 1);
    bool bytes = pick(0, 1), same = pick(0, 1), regular = pick(0, 1);
    MPI_Count lengths[4], at[4], unit = bytes ? 1 : map_extent(&child.map);
    MPI_Count n = pick(0, 4), step = pick(-6, 6);
    for (int i = 0; i < n; i++) {
        lengths[i] = same && i ? lengths[0] : pick(0, 3);
        at[i] = regular ? step * i : pick(-6, 9);
        map_add_block(&s.map, &child.map, lengths[i], at[i] * unit);
    }
    struct tf_counts displacements = {at, true};
    if (same && n)
        s.type = bytes ? MAKE(tf_type_create_hindexed_block, n, lengths[0], displacements, child.type, &made_, true)
                       : MAKE(tf_type_create_indexed_block, n, lengths[0], displacements, child.type, &made_, true);
    else
        s.type = bytes ? MAKE(tf_type_create_hindexed, n, (struct tf_counts){lengths, true}, displacements, child.type,
                              &made_, true)
                       : MAKE(tf_type_indexed, n, (struct tf_counts){lengths, true}, displacements, child.type, &made_,
                              true);
    sample_free(&child);
    return s;
}

static struct sample sample_vector(int depth)
{
    struct sample s = {0}, child = sample_random(depth - 1);
    bool bytes = pick(0, 1);
    MPI_Count count = pick(0, 4), length = pick(0, 3), stride = bytes ? pick(-30, 50) : pick(-4, 5);
    for (MPI_Count i = 0; i < count; i++)
        map_add_block(&s.map, &child.map, length, i * stride * (bytes ? 1 : map_extent(&child.map)));
    s.type = bytes ? hvector(count, length, stride, child.type) : vector(count, length, stride, child.type);
    sample_free(&child);
    return s;
}

/* One element of an array of two dimensions, the second of which varies fastest in C. */
static struct sample sample_subarray(int depth)
{
    struct sample s = {0}, child = sample_random(depth - 1);
    int sizes[2], parts[2], starts[2];
    bool c = pick(0, 1);
    MPI_Count extent = map_extent(&child.map);
    for (int i = 0; i < 2; i++) {
        sizes[i] = (int)pick(1, 4);
        parts[i] = (int)pick(1, sizes[i]);
        starts[i] = (int)pick(0, sizes[i] - parts[i]);
    }
    int slow = c ? 0 : 1, fast = 1 - slow;
    for (int i = starts[slow]; i < starts[slow] + parts[slow]; i++)
        map_add_block(&s.map, &child.map, parts[fast], (i * (MPI_Count)sizes[fast] + starts[fast]) * extent);
    s.map.bounded = true;
    s.map.lower = 0;
    s.map.upper = extent * sizes[0] * sizes[1];
    s.type = MAKE(tf_type_create_subarray, 2, (struct tf_counts){sizes, false}, (struct tf_counts){parts, false},
                  (struct tf_counts){starts, false}, c ? MPI_ORDER_C : MPI_ORDER_FORTRAN, child.type, &made_, false);
    sample_free(&child);
    return s;
}

static struct sample sample_wrapped(int depth)
{
    struct sample s = {0}, child = sample_random(depth - 1);
    MPI_Count count, lb;
    switch (pick(0, 2)) {
    case 0:
        count = pick(0, 5);
        map_add_block(&s.map, &child.map, count, 0);
        s.type = contiguous(count, child.type);
        break;
    case 1:
        lb = pick(-20, 20);
        map_add(&s.map, &child.map, 0);
        s.map.bounded = true;
        s.map.lower = lb;
        s.map.upper = lb + pick(-8, 64);
        s.type = resized(child.type, lb, s.map.upper - lb);
        break;
    default:
        map_add(&s.map, &child.map, 0);
        s.type = MAKE(tf_type_dup, child.type, &made_);
    }
    sample_free(&child);
    return s;
}

static struct sample sample_random(int depth)
{
    struct sample s;
    if (depth == 0)
        return sample_basic();
    switch (pick(0, 4)) {
    case 0:
        s = sample_struct(depth);
        break;
    case 1:
        s = sample_indexed(depth);
        break;
    case 2:
        s = sample_vector(depth);
        break;
    case 3:
        s = sample_subarray(depth);
        break;
    default:
        s = sample_wrapped(depth);
    }
    if (s.map.n > MOST_ENTRIES) {
        sample_free(&s);
        return sample_basic();
    }
    if (pick(0, 3) == 0)
        commit(s.type);
    return s;
}

static void check_measures(const struct sample *s)
{
    struct map unbounded = s->map;
    unbounded.bounded = false;
    MPI_Count true_lb = map_lb(&unbounded);
    check_bounds(s->type, map_lb(&s->map), map_extent(&s->map), true_lb, map_true_ub(&s->map) - true_lb,
                 map_size(&s->map));
}

/* Where each byte of the packed stream of `count` elements lies. */
static MPI_Count *map_bytes(const struct map *m, int count, size_t *len)
{
    MPI_Count *at = malloc((count * map_size(m) + 1) * sizeof *at), extent = map_extent(m);
    *len = 0;
    for (int e = 0; e < count; e++)
        for (int i = 0; i < m->n; i++)
            for (MPI_Count b = 0; b < basics[basic_index(m->entries[i].basic)].size; b++)
                at[(*len)++] = e * extent + m->entries[i].at + b;
    return at;
}

/* Memory for `count` elements as tf_type_span() says, with a guard at each end, filled with a pattern. */
struct memory {
    unsigned char *block, *buf; /* buf: the address of element 0 */
    size_t bytes;
};

enum { GUARD = 64 };

static struct memory memory_of(const struct tf_type *type, int count, int fill)
{
    size_t span;
    ptrdiff_t shift;
    struct memory m;
    tf_type_span(type, count, &span, &shift);
    m.bytes = span + 2 * GUARD;
    m.block = malloc(m.bytes);
    m.buf = (unsigned char *)((uintptr_t)m.block + GUARD - shift);
    for (size_t i = 0; i < m.bytes; i++)
        m.block[i] = (unsigned char)(fill ? fill + i * 131 + (i >> 8) : 0xee);
    return m;
}

static unsigned char byte_at(const struct memory *m, MPI_Count at)
{
    return *(unsigned char *)((uintptr_t)m->buf + at);
}

static void check_pack(const struct sample *s, const struct memory *m, int count, const MPI_Count *at, size_t len,
                       size_t pos, size_t n)
{
    unsigned char *out = malloc(n + 1);
    out[n] = 0x5a;
    tf_type_pack(s->type, m->buf, count, pos, out, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(out[i], byte_at(m, at[pos + i]));
    assert_int_equal(out[n], 0x5a);
    assert_true(pos + n <= len);
    free(out);
}

/* Where two bytes of the stream go to one place, which is wrong in a program, either may be there in the end. */
static void forgive_overlap(const struct memory *got, const struct memory *want, const MPI_Count *at, size_t len)
{
    size_t lead = (uintptr_t)want->buf - (uintptr_t)want->block;
    bool *there = calloc(want->bytes, 1);
    for (size_t i = 0; i < len; i++) {
        size_t place = lead + (size_t)at[i];
        if (there[place])
            got->block[place] = want->block[place];
        there[place] = true;
    }
    free(there);
}

/* Unpacking in pieces gives what writing byte after byte gives, gaps and guards included. */
static void check_unpack(const struct sample *s, int count, const MPI_Count *at, size_t len, size_t piece)
{
    struct memory got = memory_of(s->type, count, 0), want = memory_of(s->type, count, 0);
    unsigned char *stream = malloc(len + 1);
    for (size_t i = 0; i < len; i++) {
        stream[i] = (unsigned char)(i * 37 + 11);
        *(unsigned char *)((uintptr_t)want.buf + at[i]) = stream[i];
    }
    for (size_t pos = 0; pos < len; pos += piece)
        tf_type_unpack(s->type, got.buf, count, pos, stream + pos, len - pos < piece ? len - pos : piece);
    forgive_overlap(&got, &want, at, len);
    assert_memory_equal(got.block, want.block, got.bytes);
    free(stream);
    free(got.block);
    free(want.block);
}

/* One element of a basic type in external32: its numbers' bytes the other way round. */
static void external_of(MPI_Datatype basic, const void *native, unsigned char *external, MPI_Count size)
{
    MPI_Count number = basic == MPI_C_DOUBLE_COMPLEX ? 8 : size, position = 0;
    if (basic == MPI_LONG_DOUBLE)
        tf_pack_external("external32", native, 1, find(basic), external, 16, &position);
    else
        for (MPI_Count i = 0; i < size; i++)
            external[i] = ((const unsigned char *)native)[i / number * number + number - 1 - i % number];
}

/* external32 against the type map, element by element, there and back. */
static void check_external(const struct sample *s, int count, const MPI_Count *bytes, size_t len)
{
    MPI_Count length = -1, at = 0, position = 0, extent = map_extent(&s->map);
    struct memory m = memory_of(s->type, count, 7), got = memory_of(s->type, count, 0),
                  want = memory_of(s->type, count, 0);
    tf_pack_external_size("external32", count, s->type, &length);
    assert_int_equal(length, count * map_size(&s->map));
    unsigned char *stream = malloc(length + 1), one[16], native[16];
    assert_int_equal(tf_pack_external("external32", m.buf, count, s->type, stream, length, &position), MPI_SUCCESS);
    assert_int_equal(position, length);
    position = 0;
    assert_int_equal(tf_unpack_external("external32", stream, length, &position, got.buf, count, s->type), MPI_SUCCESS);
    assert_int_equal(position, length);
    for (int e = 0; e < count; e++)
        for (int i = 0; i < s->map.n; i++) {
            MPI_Datatype basic = s->map.entries[i].basic;
            MPI_Count size = basics[basic_index(basic)].size, there = e * extent + s->map.entries[i].at, unpacked = 0;
            external_of(basic, (const void *)((uintptr_t)m.buf + there), one, size);
            assert_memory_equal(stream + at, one, size);
            tf_unpack_external("external32", one, size, &unpacked, native, 1, find(basic));
            memcpy((void *)((uintptr_t)want.buf + there), native, size);
            at += size;
        }
    forgive_overlap(&got, &want, bytes, len);
    assert_memory_equal(got.block, want.block, got.bytes);
    free(stream);
    free(m.block);
    free(got.block);
    free(want.block);
}

/* So many pieces from a position on, each as long as it can be, up to `most`: each byte lies where the map says, and a
 * piece does not end where the next byte follows. */
static void check_pieces(const struct sample *s, int count, const MPI_Count *at, size_t len, size_t pos, size_t most,
                         size_t pieces)
{
    struct tf_cursor c;
    ptrdiff_t offset;
    size_t n;
    tf_cursor_open(&c, s->type, count);
    assert_int_equal(c.end, len);
    tf_cursor_seek(&c, pos);
    for (; pieces > 0 && (n = tf_cursor_next(&c, most, &offset)) > 0; pieces--) {
        assert_true(n <= most && n <= len - pos);
        for (size_t i = 0; i < n; i++, pos++)
            assert_int_equal(offset + (ptrdiff_t)i, at[pos]);
        assert_true(n == most || pos == len || at[pos] != at[pos - 1] + 1);
        assert_int_equal(c.position, pos);
    }
    assert_true(pos == len || pieces == 0);
}

/* Bulk copies by a cursor, between steps of it. */
static void check_cursor(const struct sample *s, const struct memory *m, int count, const MPI_Count *at, size_t len)
{
    struct tf_cursor c;
    unsigned char out[50];
    size_t pos = 0;
    ptrdiff_t offset;
    tf_cursor_open(&c, s->type, count);
    while (pos < len) {
        size_t wanted = (size_t)pick(1, sizeof out), n = tf_cursor_read(&c, m->buf, out, wanted);
        assert_int_equal(n, wanted < len - pos ? wanted : len - pos);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(out[i], byte_at(m, at[pos + i]));
        assert_int_equal(tf_cursor_write(&c, m->buf, out, 0), 0);
        pos += n;
        n = tf_cursor_next(&c, 3, &offset);
        assert_true(n == 0 ? pos == len : offset == at[pos]);
        pos += n;
    }
    assert_int_equal(tf_cursor_read(&c, m->buf, out, 1), 0);
    assert_int_equal(tf_cursor_next(&c, 1, &offset), 0);
}

static void check_moves(const struct sample *s, int count)
{
    size_t len;
    MPI_Count *at = map_bytes(&s->map, count, &len);
    struct memory m = memory_of(s->type, count, 7);
    size_t step = len > 300 ? (size_t)pick(1, len / 100) : 1;
    for (size_t pos = 0; pos <= len; pos += step) {
        check_pack(s, &m, count, at, len, 0, pos);
        check_pack(s, &m, count, at, len, pos, len - pos);
        check_pack(s, &m, count, at, len, pos, (size_t)pick(0, len - pos));
        check_pieces(s, count, at, len, pos, (size_t)pick(1, 12), 4);
        check_pieces(s, count, at, len, pos, SIZE_MAX, 4);
    }
    check_pieces(s, count, at, len, 0, (size_t)pick(1, 12), SIZE_MAX);
    check_pieces(s, count, at, len, 0, SIZE_MAX, SIZE_MAX);
    check_cursor(s, &m, count, at, len);
    check_unpack(s, count, at, len, len + 1);
    check_unpack(s, count, at, len, (size_t)pick(1, 40));
    check_external(s, count, at, len);
    free(m.block);
    free(at);
}

static void test_maps(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        seed = i;
        struct sample s = sample_random((int)pick(1, 5));
        check_measures(&s);
        commit(s.type);
        check_moves(&s, (int)pick(1, 4));
        sample_free(&s);
        assert_int_equal(tf_type_pool.live, 0);
    }
}

/* Small types, many elements: loops long enough to be taken in groups and tiles. */
static void test_many_elements(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES / 4; i++) {
        seed = 5000000 + i;
        struct sample s = sample_random((int)pick(1, 2));
        commit(s.type);
        if (s.map.n < 40)
            check_moves(&s, (int)pick(5, 70));
        sample_free(&s);
    }
}

/* Loops within loops of every usual length of run, and of others, which touch each other, or not. */
static void test_loops(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES / 10; i++) {
        seed = 6000000 + i;
        struct sample s = {.type = find(MPI_CHAR), .map = {.n = 0}};
        MPI_Count counts[3] = {pick(1, 70), pick(1, 36), pick(1, 9)}, strides[3];
        strides[0] = counts[0] + pick(0, 9);
        strides[1] = (strides[0] * (counts[1] - 1) + counts[0] + pick(0, 9)) * (pick(0, 3) ? 1 : -1);
        struct tf_type *run = contiguous(counts[0], s.type), *row = hvector(counts[1], 1, strides[0], run);
        s.type = commit(hvector(counts[2], 1, strides[1], row));
        s.map.entries = malloc((size_t)(counts[0] * counts[1] * counts[2]) * sizeof *s.map.entries);
        for (MPI_Count a = 0; a < counts[2]; a++)
            for (MPI_Count b = 0; b < counts[1]; b++)
                for (MPI_Count c = 0; c < counts[0]; c++)
                    s.map.entries[s.map.n++] = (struct entry){MPI_CHAR, a * strides[1] + b * strides[0] + c};
        release(run), release(row);
        check_measures(&s);
        check_moves(&s, (int)pick(1, 2));
        sample_free(&s);
    }
}

/* Signatures: those of equal lists of basic types are equal however they came about, others differ. */
static void test_signatures(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        seed = i;
        struct sample s = sample_random((int)pick(1, 4));
        MPI_Datatype list[MOST_ENTRIES];
        MPI_Count ones[MOST_ENTRIES], at[MOST_ENTRIES];
        for (int e = 0; e < s.map.n; e++)
            list[e] = s.map.entries[e].basic, ones[e] = 1, at[e] = e * 16;
        struct tf_type *flat = MAKE(tf_type_create_struct, s.map.n, (struct tf_counts){ones, true},
                                    (struct tf_counts){at, true}, list, &made_, true);
        struct tf_type *five = contiguous(5, s.type);
        assert_true(flat->signature == s.type->signature);
        assert_true(tf_type_signature(flat, 5) == five->signature);
        assert_true(tf_type_signature(flat, 1) == flat->signature);
        assert_true(tf_type_signature(flat, 0) == 0);
        if (s.map.n) {
            assert_true(flat->signature != 0);
            assert_true(tf_type_signature(flat, 4) != five->signature);
            list[pick(0, s.map.n - 1)] = MPI_FLOAT;
            struct tf_type *other = MAKE(tf_type_create_struct, s.map.n, (struct tf_counts){ones, true},
                                         (struct tf_counts){at, true}, list, &made_, true);
            assert_true(flat->signature != other->signature);
            release(other);
        } else
            assert_true(flat->signature == 0);
        release(five);
        release(flat);
        sample_free(&s);
    }
}

/* tf_type_copy() between two types with gaps, of lengths that differ. */
static void test_copies(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        seed = 70000 + i;
        struct sample from = sample_random((int)pick(0, 3)), to = sample_random((int)pick(0, 3));
        commit(from.type);
        commit(to.type);
        int scount = (int)pick(0, 4), dcount = (int)pick(0, 4);
        size_t slen, dlen;
        MPI_Count *sat = map_bytes(&from.map, scount, &slen), *dat = map_bytes(&to.map, dcount, &dlen);
        struct memory src = memory_of(from.type, scount, 3), dst = memory_of(to.type, dcount, 0),
                      want = memory_of(to.type, dcount, 0);
        for (size_t b = 0; b < slen && b < dlen; b++)
            *(unsigned char *)((uintptr_t)want.buf + dat[b]) = byte_at(&src, sat[b]);
        tf_type_copy(dst.buf, dcount, to.type, src.buf, scount, from.type);
        forgive_overlap(&dst, &want, dat, slen < dlen ? slen : dlen);
        assert_memory_equal(dst.block, want.block, dst.bytes);
        free(src.block), free(dst.block), free(want.block), free(sat), free(dat);
        sample_free(&from);
        sample_free(&to);
    }
}

/* Elements counted in, and set into, a status: for every length of the stream that ends with a basic element. */
static void test_elements(void **state)
{
    (void)state;
    for (int i = 0; i < TYPES; i++) {
        seed = 900000 + i;
        struct sample s = sample_random((int)pick(0, 4));
        MPI_Status status;
        MPI_Count bytes = 0, elements = 0, count;
        for (int e = 0; e < 2 * s.map.n; e++) {
            MPI_Count size = basics[basic_index(s.map.entries[e % s.map.n].basic)].size;
            tf_status_set_bytes(&status, bytes);
            tf_get_elements(&status, s.type, &count);
            assert_int_equal(count, elements);
            if (size > 1) {
                tf_status_set_bytes(&status, bytes + 1);
                tf_get_elements(&status, s.type, &count);
                assert_int_equal(count, MPI_UNDEFINED);
            }
            assert_int_equal(tf_status_set_elements(&status, s.type, elements), MPI_SUCCESS);
            assert_int_equal(tf_status_bytes(&status), bytes);
            bytes += size, elements++;
        }
        sample_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_maps, pool_is_empty),
        cmocka_unit_test_teardown(test_many_elements, pool_is_empty),
        cmocka_unit_test_teardown(test_loops, pool_is_empty),
        cmocka_unit_test_teardown(test_signatures, pool_is_empty),
        cmocka_unit_test_teardown(test_copies, pool_is_empty),
        cmocka_unit_test_teardown(test_elements, pool_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
