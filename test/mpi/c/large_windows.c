/* Windows by the _c forms: counts and units of displacement past 2^31, more than 4 GiB between the elements of a type.
 *
 * np: 2
 * only: treefold
 * timeout: 180
 *
 * Little memory is used: of the 2 GiB that an operation moves, all but the ends are the same 16 MiB again and again,
 * which hold the same bytes then wherever they are reached; and of 5 GiB few pages are touched.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rma.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PERIOD = 16 << 20, EDGE = 1 << 16, FIRST = 7, BEYOND = 12345 };

static const MPI_Aint BYTES = ((MPI_Aint)5 << 30) + EDGE, GIB = (MPI_Aint)1 << 30;
static const MPI_Count MANY = ((MPI_Count)1 << 31) + BEYOND; /* bytes from FIRST on */

static unsigned char pattern(MPI_Aint at)
{
    return (unsigned char)(1 + at % PERIOD % 251);
}

/* [EDGE, 2 GiB) is 128 times the same memory; NULL: there are no 5 GiB of addresses. */
static unsigned char *make(void)
{
    unsigned char *base =
        mmap(NULL, (size_t)BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int file = memfd_create("large_windows", 0);
    if (base == MAP_FAILED || file < 0 || ftruncate(file, PERIOD))
        return NULL;
    for (MPI_Aint at = 0; at < 2 * GIB; at += PERIOD) {
        size_t skip = at ? 0 : EDGE;
        if (mmap(base + at + skip, PERIOD - skip, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, (off_t)skip) ==
            MAP_FAILED)
            return NULL;
    }
    close(file);
    return base;
}

/* All that the long operations reach, and the bytes on both sides. */
static void fill(unsigned char *base, bool patterned, int other)
{
    for (MPI_Aint at = 0; at < 2 * PERIOD; at++)
        base[at] = patterned ? pattern(at) : (unsigned char)other;
    for (MPI_Aint at = 2 * GIB; at < 2 * GIB + EDGE; at++)
        base[at] = patterned ? pattern(at) : (unsigned char)other;
}

static void check_long(const unsigned char *base, int outside, const char *what)
{
    MPI_Aint wrong = 0, end = FIRST + MANY;
    for (MPI_Aint at = FIRST; at < 2 * PERIOD; at++)
        wrong += base[at] != pattern(at);
    for (MPI_Aint at = 2 * GIB - EDGE; at < end; at++)
        wrong += base[at] != pattern(at);
    CHECK_NOTED(wrong == 0, "%td bytes after %s", (ptrdiff_t)wrong, what);
    for (int i = 0; i < FIRST; i++)
        CHECK_INT(base[i], outside);
    for (MPI_Aint at = end; at < 2 * GIB + EDGE; at++)
        wrong += base[at] != outside;
    CHECK_NOTED(wrong == 0, "%td bytes behind %s", (ptrdiff_t)wrong, what);
}

static MPI_Request last; /* or MPI_REQUEST_NULL */

static int put(unsigned char *base, MPI_Win win)
{
    return MPI_Put_c(base + FIRST, MANY, MPI_BYTE, 1, FIRST, MANY, MPI_BYTE, win);
}
static int combine(unsigned char *base, MPI_Win win)
{
    return MPI_Accumulate_c(base + FIRST, MANY, MPI_BYTE, 1, FIRST, MANY, MPI_BYTE, MPI_BOR, win);
}
static int get(unsigned char *base, MPI_Win win)
{
    return MPI_Rget_c(base + FIRST, MANY, MPI_BYTE, 1, FIRST, MANY, MPI_BYTE, win, &last);
}
static int fetch(unsigned char *base, MPI_Win win)
{
    return MPI_Get_accumulate_c(NULL, 0, MPI_DATATYPE_NULL, base + FIRST, MANY, MPI_BYTE, 1, FIRST, MANY, MPI_BYTE,
                                MPI_NO_OP, win);
}

/* From rank 0 to rank 1, or the other way. */
static void move(int (*call)(unsigned char *base, MPI_Win win), bool back, const char *what, unsigned char *base,
                 MPI_Win win)
{
    bool source = check_rank == back;
    fill(base, source, 0);
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
        CHECK_OK(call(base, win));
        if (last != MPI_REQUEST_NULL)
            CHECK_OK(MPI_Wait(&last, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Win_unlock(1, win));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (!source)
        check_long(base, 0, what);
}

/* Empty elements, and what only the low bits of counts would make good. */
static void refused(unsigned char *base, MPI_Win win)
{
    MPI_Datatype none;
    char text[MPI_MAX_ERROR_STRING];
    int length;
    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &none));
    CHECK_OK(MPI_Type_commit(&none));
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
    CHECK_OK(MPI_Put_c(base, (MPI_Count)1 << 40, none, 1, 0, (MPI_Count)1 << 40, none, win));
    CHECK_CLASS(MPI_Put_c(base, ((MPI_Count)1 << 32) + 1, MPI_BYTE, 1, 0, 1, MPI_BYTE, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Get_c(base, 8, MPI_BYTE, 1, 0, ((MPI_Count)1 << 32) + 1, MPI_LONG, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Put_c(base, (MPI_Count)1 << 61, MPI_LONG, 1, 0, (MPI_Count)1 << 61, MPI_LONG, win),
                MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Put_c(base, -1 - MANY, MPI_BYTE, 1, 0, MANY, MPI_BYTE, win), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Get_c(base, 1, MPI_BYTE, 1, (MPI_Aint)1 << 62, 1, MPI_BYTE, win), MPI_ERR_RMA_RANGE);
    int code = MPI_Accumulate_c(base, MANY, MPI_LONG, 1, 0, MANY, MPI_LONG, MPI_SUM, win);
    CHECK_CLASS(code, MPI_ERR_RMA_RANGE);
    CHECK_OK(MPI_Error_string(code, text, &length));
    CHECK(strstr(text, "2147495993") != NULL);
    CHECK_OK(MPI_Win_unlock(1, win));
    CHECK_OK(MPI_Type_free(&none));
}

/* Elements in every GiB, at both ends in another order, at a displacement of one unit of 4 GiB or of bytes. */
static void far_apart(unsigned char *base, MPI_Win win, MPI_Aint unit)
{
    MPI_Count there[4] = {GIB / 2, -3 * GIB, 0, -GIB - 8}, here[4] = {0, GIB, 4 * GIB, 3 * GIB + 800};
    long mine[4], old[4] = {-1, -1, -1, -1};
    MPI_Datatype target, origin;
    MPI_Aint at = 4 * GIB;
    CHECK_OK(MPI_Type_create_hindexed_block_c(4, 1, there, MPI_LONG, &target));
    CHECK_OK(MPI_Type_create_hindexed_block_c(4, 1, here, MPI_LONG, &origin));
    CHECK_OK(MPI_Type_commit(&target));
    CHECK_OK(MPI_Type_commit(&origin));
    for (int i = 0; i < 4; i++) {
        mine[i] = 1000 * (check_rank + 1) + i;
        memcpy(check_rank == 0 ? base + here[i] : base + at + there[i], &mine[i], sizeof(long));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (check_rank == 0) {
        CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
        CHECK_OK(
            MPI_Rget_accumulate_c(base, 1, origin, old, 4, MPI_LONG, 1, at / unit, 1, target, MPI_SUM, win, &last));
        CHECK_OK(MPI_Wait(&last, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Raccumulate_c(mine, 4, MPI_LONG, 1, at / unit, 1, target, MPI_SUM, win, &last));
        CHECK_OK(MPI_Wait(&last, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Win_flush(1, win));
        CHECK_OK(MPI_Get_c(base, 1, origin, 1, at / unit, 1, target, win));
        CHECK_OK(MPI_Win_flush(1, win));
        for (int i = 0; i < 4; i++) {
            CHECK_INT(old[i], 2000 + i);
            memcpy(&old[i], base + here[i], sizeof(long));
            CHECK_INT(old[i], 4000 + 3 * i);
        }
        CHECK_OK(MPI_Rput_c(mine, 4, MPI_LONG, 1, at / unit, 1, target, win, &last));
        CHECK_OK(MPI_Wait(&last, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_Win_unlock(1, win));
    }
    CHECK_OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 4 && check_rank == 1; i++) {
        memcpy(&old[i], base + at + there[i], sizeof(long));
        CHECK_INT(old[i], 1000 + i);
    }
    CHECK_OK(MPI_Type_free(&target));
    CHECK_OK(MPI_Type_free(&origin));
}

static void query(MPI_Win win, const unsigned char *base)
{
    MPI_Aint size = -1, unit = -1;
    unsigned char *at = NULL;
    CHECK_OK(MPI_Win_shared_query_c(win, check_rank, &size, &unit, &at));
    CHECK(at == base);
    CHECK_INT(size, BYTES);
    CHECK_INT(unit, 4 * GIB);
}

static void created(unsigned char *base)
{
    MPI_Win bytes, units;
    CHECK_OK(MPI_Win_create_c(base, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &bytes));
    CHECK_OK(MPI_Win_create_c(base, BYTES, 4 * GIB, MPI_INFO_NULL, MPI_COMM_WORLD, &units));
    CHECK_OK(MPI_Win_set_errhandler(bytes, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_set_errhandler(units, MPI_ERRORS_RETURN));
    move(put, false, "MPI_Put_c", base, bytes);
    move(get, true, "MPI_Rget_c", base, bytes);
    if (CHECK_SLOW == 1) { /* otherwise each byte that a kernel touches is looked up */
        move(combine, false, "MPI_Accumulate_c", base, bytes);
        move(fetch, true, "MPI_Get_accumulate_c", base, bytes);
    }
    refused(base, bytes);
    far_apart(base, bytes, 1);
    far_apart(base, units, 4 * GIB);
    CHECK_OK(MPI_Win_free(&bytes));
    CHECK_OK(MPI_Win_free(&units));
}

static void allocated(void)
{
    unsigned char *base;
    MPI_Win win;
    if (MPI_Win_allocate_c(BYTES, 4 * GIB, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win)) {
        if (check_rank == 0)
            printf("skipped: no 5 GiB of addresses for MPI_Win_allocate_c\n");
        return;
    }
    far_apart(base, win, 4 * GIB);
    if (rma_one_node(MPI_COMM_WORLD))
        query(win, base);
    CHECK_OK(MPI_Win_free(&win));
    if (!rma_one_node(MPI_COMM_WORLD))
        return;
    CHECK_OK(MPI_Win_allocate_shared_c(BYTES, 4 * GIB, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    far_apart(base, win, 4 * GIB);
    query(win, base);
    CHECK_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    int all, good;
    last = MPI_REQUEST_NULL;
    check_start(&argc, &argv);
    unsigned char *base = make();
    good = base != NULL;
    CHECK_OK(MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    if (all) {
        created(base);
        allocated();
    } else if (check_rank == 0)
        printf("skipped: no 5 GiB of addresses for each process\n");
    return check_end();
}
