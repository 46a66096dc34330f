/* dynamic.c - attach, detach, and whether memory is attached (MPI-5.0 section 12.2.4).
 *
 * The attachments of a window are an array in the order of their addresses; they do not overlap.
 */
#include "rma/dynamic.h"

#include <stdio.h>

#include "rma/share.h"

/* The first of n attachments that ends behind `at`. */
static size_t find_among(const struct tf_attach *attached, size_t n, uintptr_t at)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (attached[middle].end > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static size_t find(const struct tf_win *win, uintptr_t at)
{
    return find_among(win->attached, win->attachments, at);
}

/* Whether those bytes are among them: by attachments that may lie side by side. */
static bool cover(const struct tf_attach *attached, size_t n, uintptr_t at, size_t length)
{
    uintptr_t end;
    if (__builtin_add_overflow(at, length, &end))
        return false;
    for (size_t i = find_among(attached, n, at); at < end; i++) {
        if (i == n || attached[i].base > at)
            return false;
        at = attached[i].end;
    }
    return true;
}

/* ---- what neighbors are told ---- */

/* They copy what they find (copy.h), and ask this process, by a message, about what they do not.  A sequence lock:
 * each store is a release and each load an acquire, so whoever finds the same even version before and behind what it
 * has loaded has loaded what was stored before that version. */
static void tell(const struct tf_win *win)
{
    struct tf_told *told = &win->share->told;
    uint32_t version = atomic_load_explicit(&told->version, memory_order_relaxed);
    uint32_t n = win->attachments < TF_TOLD ? (uint32_t)win->attachments : TF_TOLD;
    atomic_store_explicit(&told->version, version + 1, memory_order_release);
    atomic_store_explicit(&told->count, n, memory_order_release);
    for (uint32_t i = 0; i < n; i++) {
        atomic_store_explicit(&told->attached[i].base, win->attached[i].base, memory_order_release);
        atomic_store_explicit(&told->attached[i].end, win->attached[i].end, memory_order_release);
    }
    atomic_store_explicit(&told->version, version + 2, memory_order_release);
}

bool tf_dynamic_is_told(const struct tf_target *target, uintptr_t at, size_t bytes)
{
    struct tf_attach attached[TF_TOLD];
    struct tf_told *told = &target->share->told;
    uint32_t version = atomic_load_explicit(&told->version, memory_order_acquire);
    uint32_t n = atomic_load_explicit(&told->count, memory_order_acquire);
    for (uint32_t i = 0; i < n; i++) {
        attached[i].base = atomic_load_explicit(&told->attached[i].base, memory_order_acquire);
        attached[i].end = atomic_load_explicit(&told->attached[i].end, memory_order_acquire);
    }
    bool still = version % 2 == 0 && atomic_load_explicit(&told->version, memory_order_relaxed) == version;
    return still && cover(attached, n, at, bytes);
}

/* ---- attach and detach ---- */

static int check_dynamic(const struct tf_win *win)
{
    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_RMA_FLAVOR,
                    "%s was not made by MPI_Win_create_dynamic; memory is attached to such windows only",
                    tf_win_describe(win));
}

static int grow(struct tf_win *win)
{
    if (win->attachments < win->attach_room)
        return MPI_SUCCESS;
    size_t room = win->attach_room ? 2 * win->attach_room : 8;
    struct tf_attach *attached = realloc(win->attached, room * sizeof *attached);
    if (!attached)
        return tf_error(MPI_ERR_NO_MEM, "cannot allocate the list of %zu attachments of a window", room);
    win->attached = attached;
    win->attach_room = room;
    return MPI_SUCCESS;
}

int tf_win_attach(struct tf_win *win, void *base, MPI_Aint size)
{
    uintptr_t at = (uintptr_t)base;
    int err = check_dynamic(win);
    if (err)
        return err;
    if (size < 0)
        return tf_error(MPI_ERR_SIZE, "size is %td; it must be at least 0", (ptrdiff_t)size);
    err = tf_win_check_base(base, size);
    if (err || size == 0)
        return err;
    size_t i = find(win, at);
    if (i < win->attachments && win->attached[i].base < at + (uintptr_t)size)
        return tf_error(MPI_ERR_RMA_ATTACH,
                        "the %td bytes at %p overlap the %zu bytes at %p, which are attached already", (ptrdiff_t)size,
                        base, (size_t)(win->attached[i].end - win->attached[i].base), (void *)win->attached[i].base);
    err = grow(win);
    if (err)
        return err;
    memmove(&win->attached[i + 1], &win->attached[i], (win->attachments - i) * sizeof *win->attached);
    win->attached[i] = (struct tf_attach){at, at + (uintptr_t)size};
    win->attachments++;
    tell(win);
    return MPI_SUCCESS;
}

int tf_win_detach(struct tf_win *win, const void *base)
{
    uintptr_t at = (uintptr_t)base;
    int err = check_dynamic(win);
    if (err)
        return err;
    size_t i = find(win, at);
    if (i == win->attachments || win->attached[i].base != at)
        return tf_error(MPI_ERR_RMA_ATTACH, "no memory is attached to %s that begins at %p", tf_win_describe(win),
                        base);
    win->attachments--;
    memmove(&win->attached[i], &win->attached[i + 1], (win->attachments - i) * sizeof *win->attached);
    tell(win);
    return MPI_SUCCESS;
}

/* ---- whether an operation may be done here ---- */

struct look {
    const struct tf_win *win;
    uintptr_t at;
    size_t length;
    bool good;
};

static void look_at(void *state, uintptr_t at, size_t length)
{
    struct look *look = state;
    if (!look->good || cover(look->win->attached, look->win->attachments, at, length))
        return;
    look->good = false;
    look->at = at;
    look->length = length;
}

bool tf_dynamic_covers(const struct tf_win *win, const struct tf_apply *a, char *words, size_t n)
{
    struct look look = {.win = win, .good = true};
    if (a->length == 0)
        return true;
    tf_type_runs(a->type, a->at, a->count, a->position, a->length, look_at, &look);
    if (!look.good)
        snprintf(words, n, "%zu bytes at address %#zx of rank %d are not attached to %s there", look.length,
                 (size_t)look.at, win->comm->rank, tf_win_describe(win));
    return look.good;
}
