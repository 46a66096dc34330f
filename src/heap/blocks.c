/* blocks.c - see blocks.h. */
#include "heap/blocks.h"

#include <sys/mman.h>

enum { SLAB = 64 * 1024 / sizeof(struct tf_tag), FIRST_TABLE = 512, SEARCHED = 16 };

struct bin {
    int octave, step;
};

/* ---- tags ---- */

static void *new_pages(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* So many unused ones, that what takes several has them before it changes anything.  They come in slabs, which stay. */
static bool have_tags(struct tf_blocks *blocks, int wanted)
{
    int n = 0;
    for (struct tf_tag *tag = blocks->unused; tag && n < wanted; tag = tag->next)
        n++;
    struct tf_tag *slab = n < wanted ? new_pages(SLAB * sizeof *slab) : NULL;
    if (!slab)
        return n == wanted;
    slab->next = blocks->slabs;
    blocks->slabs = slab;
    for (size_t i = 1; i < SLAB; i++) {
        slab[i].next = blocks->unused;
        blocks->unused = &slab[i];
    }
    return true;
}

static struct tf_tag *new_tag(struct tf_blocks *blocks)
{
    struct tf_tag *tag = blocks->unused;
    blocks->unused = tag->next;
    *tag = (struct tf_tag){0};
    return tag;
}

static void drop_tag(struct tf_blocks *blocks, struct tf_tag *tag)
{
    tag->next = blocks->unused;
    blocks->unused = tag;
}

/* ---- taken blocks, by offset ---- */

static struct tf_tag **place_of(const struct tf_blocks *blocks, size_t offset)
{
    uint64_t mixed = offset / TF_BLOCKS_UNIT * 0x9e3779b97f4a7c15u;
    return &blocks->table[mixed >> 32 & (blocks->table_size - 1)];
}

static void enter(const struct tf_blocks *blocks, struct tf_tag *tag)
{
    struct tf_tag **place = place_of(blocks, tag->offset);
    tag->next = *place;
    *place = tag;
}

/* Where there is no memory for a larger table the chains become longer. */
static void widen(struct tf_blocks *blocks)
{
    struct tf_tag **old = blocks->table;
    size_t n = blocks->table_size;
    struct tf_tag **wider = new_pages(2 * n * sizeof(struct tf_tag *));
    if (!wider)
        return;
    blocks->table = wider;
    blocks->table_size = 2 * n;
    for (size_t i = 0; i < n; i++)
        for (struct tf_tag *tag = old[i], *next; tag; tag = next) {
            next = tag->next;
            enter(blocks, tag);
        }
    munmap(old, n * sizeof(struct tf_tag *));
}

static void note_taken(struct tf_blocks *blocks, struct tf_tag *tag)
{
    if (blocks->taken >= 2 * blocks->table_size)
        widen(blocks);
    enter(blocks, tag);
    tag->free = false;
    blocks->taken++;
    blocks->taken_bytes += tag->bytes;
    if (tag->offset + tag->bytes > blocks->top)
        blocks->top = tag->offset + tag->bytes;
}

/* What leads to it. */
static struct tf_tag **find_taken(const struct tf_blocks *blocks, size_t offset)
{
    struct tf_tag **place = place_of(blocks, offset);
    while (*place && (*place)->offset != offset)
        place = &(*place)->next;
    return place;
}

const struct tf_tag *tf_blocks_find(const struct tf_blocks *blocks, size_t offset)
{
    return *find_taken(blocks, offset);
}

static struct tf_tag *withdraw_taken(struct tf_blocks *blocks, size_t offset)
{
    struct tf_tag **place = find_taken(blocks, offset), *tag = *place;
    if (!tag)
        return NULL;
    *place = tag->next;
    blocks->taken--;
    blocks->taken_bytes -= tag->bytes;
    return tag;
}

/* ---- free blocks, by size ---- */

/* Below sixteen units each size has a bin; above, the four bits behind the first one say which. */
static struct bin bin_of(size_t bytes)
{
    size_t units = bytes / TF_BLOCKS_UNIT;
    if (units < TF_BLOCKS_STEPS)
        return (struct bin){0, (int)units};
    int first = 63 - __builtin_clzll(units);
    return (struct bin){first - 3, (int)(units >> (first - 4)) - TF_BLOCKS_STEPS};
}

/* The first bin all of whose blocks are large enough. */
static struct bin bin_above(size_t bytes)
{
    size_t units = bytes / TF_BLOCKS_UNIT;
    if (units >= TF_BLOCKS_STEPS)
        units += ((size_t)1 << (63 - __builtin_clzll(units) - 4)) - 1;
    return bin_of(units * TF_BLOCKS_UNIT);
}

static void put_free(struct tf_blocks *blocks, struct tf_tag *tag)
{
    struct bin bin = bin_of(tag->bytes);
    struct tf_tag **head = &blocks->bins[bin.octave][bin.step];
    tag->free = true;
    tag->last = NULL;
    tag->next = *head;
    if (*head)
        (*head)->last = tag;
    *head = tag;
    blocks->octaves |= (uint64_t)1 << bin.octave;
    blocks->steps[bin.octave] |= 1u << bin.step;
    blocks->dirty += tag->clean - tag->dirty;
}

static void take_free(struct tf_blocks *blocks, struct tf_tag *tag)
{
    struct bin bin = bin_of(tag->bytes);
    if (tag->next)
        tag->next->last = tag->last;
    if (tag->last)
        tag->last->next = tag->next;
    else
        blocks->bins[bin.octave][bin.step] = tag->next;
    if (!blocks->bins[bin.octave][bin.step] && !(blocks->steps[bin.octave] &= ~(1u << bin.step)))
        blocks->octaves &= ~((uint64_t)1 << bin.octave);
    blocks->dirty -= tag->clean - tag->dirty;
}

/* What is asked for. */
struct wanted {
    size_t bytes, alignment;
};

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) & ~(to - 1);
}

/* Bytes of the block that lie before the first address that is aligned. */
static size_t lead(const struct tf_blocks *blocks, const struct tf_tag *tag, size_t alignment)
{
    uintptr_t at = blocks->origin + tag->offset;
    return round_up(at, alignment) - at;
}

static bool fits(const struct tf_blocks *blocks, const struct tf_tag *tag, struct wanted wanted)
{
    size_t before = lead(blocks, tag, wanted.alignment);
    return before < tag->bytes && tag->bytes - before >= wanted.bytes;
}

static struct tf_tag *find_in(const struct tf_blocks *blocks, struct wanted wanted, int most)
{
    struct bin bin = bin_of(wanted.bytes);
    struct tf_tag *tag = blocks->bins[bin.octave][bin.step];
    for (int i = 0; tag && !fits(blocks, tag, wanted) && i < most; i++)
        tag = tag->next;
    return tag && fits(blocks, tag, wanted) ? tag : NULL;
}

static struct tf_tag *find_above(const struct tf_blocks *blocks, size_t bytes)
{
    struct bin bin = bin_above(bytes);
    uint32_t steps = blocks->steps[bin.octave] & (UINT32_MAX << bin.step);
    if (!steps) {
        uint64_t octaves = bin.octave < 63 ? blocks->octaves & (UINT64_MAX << (bin.octave + 1)) : 0;
        if (!octaves)
            return NULL;
        bin.octave = __builtin_ctzll(octaves);
        steps = blocks->steps[bin.octave];
    }
    return blocks->bins[bin.octave][__builtin_ctz(steps)];
}

/* What is given back and taken again best is the same block; all of a bin are looked at only where nothing else is
 * left. */
static struct tf_tag *find_free(const struct tf_blocks *blocks, struct wanted wanted)
{
    struct tf_tag *tag = find_in(blocks, wanted, SEARCHED);
    if (!tag)
        tag = find_above(blocks, wanted.bytes + wanted.alignment - TF_BLOCKS_UNIT);
    return tag ? tag : find_in(blocks, wanted, INT32_MAX);
}

/* ---- splitting and joining ---- */

static void set_dirty(struct tf_tag *tag, size_t from, size_t to)
{
    size_t end = tag->offset + tag->bytes;
    from = from > tag->offset ? from : tag->offset;
    to = to < end ? to : end;
    tag->dirty = from < to ? from : tag->offset;
    tag->clean = from < to ? to : tag->offset;
}

/* The block keeps its first `bytes`; the rest becomes one of its own. */
static struct tf_tag *split(struct tf_blocks *blocks, struct tf_tag *tag, size_t bytes)
{
    struct tf_tag *rest = new_tag(blocks);
    rest->offset = tag->offset + bytes;
    rest->bytes = tag->bytes - bytes;
    rest->lower = tag;
    rest->upper = tag->upper;
    if (tag->upper)
        tag->upper->lower = rest;
    tag->upper = rest;
    tag->bytes = bytes;
    set_dirty(rest, tag->dirty, tag->clean);
    set_dirty(tag, tag->dirty, tag->clean);
    return rest;
}

static struct tf_tag *join(struct tf_blocks *blocks, struct tf_tag *lower, struct tf_tag *upper)
{
    size_t from = lower->dirty < lower->clean ? lower->dirty : upper->dirty;
    size_t to = upper->dirty < upper->clean ? upper->clean : lower->clean;
    lower->bytes += upper->bytes;
    lower->upper = upper->upper;
    if (upper->upper)
        upper->upper->lower = lower;
    drop_tag(blocks, upper);
    set_dirty(lower, from, to);
    return lower;
}

bool tf_blocks_open(struct tf_blocks *blocks, uintptr_t origin, size_t bytes)
{
    *blocks = (struct tf_blocks){.table_size = FIRST_TABLE, .origin = origin};
    blocks->table = new_pages(blocks->table_size * sizeof(struct tf_tag *));
    if (!blocks->table || !have_tags(blocks, 1))
        return false;
    struct tf_tag *all = new_tag(blocks);
    all->bytes = bytes;
    blocks->lowest = all;
    put_free(blocks, all);
    return true;
}

void tf_blocks_close(struct tf_blocks *blocks)
{
    for (struct tf_tag *slab = blocks->slabs, *next; slab; slab = next) {
        next = slab->next;
        munmap(slab, SLAB * sizeof *slab);
    }
    if (blocks->table)
        munmap(blocks->table, blocks->table_size * sizeof(struct tf_tag *));
    *blocks = (struct tf_blocks){0};
}

/* Larger ones have no bin. */
static const size_t MOST = (size_t)1 << 52;

size_t tf_blocks_take(struct tf_blocks *blocks, size_t bytes, size_t alignment)
{
    if (alignment < TF_BLOCKS_UNIT)
        alignment = TF_BLOCKS_UNIT;
    if (bytes > MOST || alignment > MOST || !have_tags(blocks, 2))
        return TF_BLOCKS_NOWHERE;
    bytes = bytes ? round_up(bytes, TF_BLOCKS_UNIT) : TF_BLOCKS_UNIT;
    struct tf_tag *tag = find_free(blocks, (struct wanted){bytes, alignment});
    if (!tag)
        return TF_BLOCKS_NOWHERE;
    take_free(blocks, tag);
    size_t before = lead(blocks, tag, alignment);
    if (before > 0) {
        struct tf_tag *front = tag;
        tag = split(blocks, front, before);
        put_free(blocks, front);
    }
    if (tag->bytes > bytes)
        put_free(blocks, split(blocks, tag, bytes));
    note_taken(blocks, tag);
    return tag->offset;
}

bool tf_blocks_resize(struct tf_blocks *blocks, size_t offset, size_t bytes)
{
    struct tf_tag *tag = *find_taken(blocks, offset);
    if (!tag || bytes > MOST || !have_tags(blocks, 1))
        return false;
    bytes = bytes ? round_up(bytes, TF_BLOCKS_UNIT) : TF_BLOCKS_UNIT;
    bool room_behind = tag->upper && tag->upper->free;
    if (bytes > tag->bytes + (room_behind ? tag->upper->bytes : 0))
        return false;
    withdraw_taken(blocks, offset);
    set_dirty(tag, 0, SIZE_MAX);
    if (room_behind) {
        take_free(blocks, tag->upper);
        join(blocks, tag, tag->upper);
    }
    if (tag->bytes > bytes)
        put_free(blocks, split(blocks, tag, bytes));
    note_taken(blocks, tag);
    return true;
}

bool tf_blocks_give(struct tf_blocks *blocks, size_t offset)
{
    struct tf_tag *tag = withdraw_taken(blocks, offset);
    if (!tag)
        return false;
    set_dirty(tag, 0, SIZE_MAX);
    if (tag->lower && tag->lower->free) {
        take_free(blocks, tag->lower);
        tag = join(blocks, tag->lower, tag);
    }
    if (tag->upper && tag->upper->free) {
        take_free(blocks, tag->upper);
        join(blocks, tag, tag->upper);
    }
    put_free(blocks, tag);
    return true;
}

void tf_blocks_clean(struct tf_blocks *blocks, bool (*tell)(size_t offset, size_t bytes))
{
    for (int octave = 0; octave < TF_BLOCKS_OCTAVES; octave++)
        for (int step = 0; step < TF_BLOCKS_STEPS; step++)
            for (struct tf_tag *tag = blocks->bins[octave][step]; tag; tag = tag->next) {
                size_t bytes = tag->clean - tag->dirty;
                if (bytes == 0 || !tell(tag->offset, tag->bytes))
                    continue;
                set_dirty(tag, 0, 0);
                blocks->dirty -= bytes;
            }
}
