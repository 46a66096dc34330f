/* file_exchange_long.c - more than 2 GiB of one rank in one collective access, by the exchange, which half of it
 * crosses. It takes 5 GiB of memory and some seconds, so it is left out unless TEST_LONG is set.
 *
 * np: 2
 * timeout: 300
 * only: treefold
 */
#include "files.h"

#include <sys/mman.h>

enum { BLOCK = 1 << 20, MARK = 4096 };

static const MPI_Count MINE = ((MPI_Count)1 << 31) + 3 * BLOCK + 16; /* of rank 0; rank 1 has a few blocks between */

static char *reserve(MPI_Count bytes)
{
    void *at = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(at != MAP_FAILED);
    return at;
}

/* Words that tell where they are, in one of the places of each block. */
static int64_t *word(char *data, MPI_Count i)
{
    return (int64_t *)(data + i * MARK);
}

static int64_t value(MPI_Count i)
{
    return 1 + 2 * i + check_rank;
}

static void access_all(MPI_File fh, MPI_Count bytes)
{
    MPI_Status status;
    MPI_Count got = -1, bad = 0;
    char *out = reserve(bytes + MARK), *in = reserve(bytes + MARK);
    for (MPI_Count i = 0; i * MARK < bytes; i++)
        *word(out, i) = value(i);
    CHECK_OK(MPI_File_write_at_all_c(fh, 0, out, bytes, MPI_BYTE, &status));
    CHECK_OK(MPI_Get_count_c(&status, MPI_BYTE, &got));
    CHECK_INT(got, bytes);
    munmap(out, (size_t)(bytes + MARK));
    MPI_Barrier(MPI_COMM_WORLD);
    got = -1;
    CHECK_OK(MPI_File_read_at_all_c(fh, 0, in, bytes, MPI_BYTE, &status));
    CHECK_OK(MPI_Get_count_c(&status, MPI_BYTE, &got));
    CHECK_INT(got, bytes);
    for (MPI_Count i = 0; i * MARK < bytes; i++)
        bad += *word(in, i) != value(i);
    CHECK_INT(bad, 0);
    munmap(in, (size_t)(bytes + MARK));
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    MPI_File fh;
    MPI_Info info;
    MPI_Datatype block, turn;
    check_start(&argc, &argv);
    CHECK_INT(check_size, 2);
    if (!getenv("TEST_LONG")) {
        if (check_rank == 0)
            printf("skipped: TEST_LONG is not set\n");
        return check_end();
    }
    file_name(name, "exchange-long");
    CHECK_OK(MPI_Info_create(&info));
    CHECK_OK(MPI_Info_set(info, "collective_buffering", "true"));
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, info, &fh));
    CHECK_OK(MPI_Info_free(&info));
    CHECK_OK(MPI_Type_contiguous(check_rank ? BLOCK / 4 : BLOCK, MPI_BYTE, &block));
    CHECK_OK(MPI_Type_create_resized(block, 0, BLOCK / 4 * 5, &turn));
    CHECK_OK(MPI_Type_commit(&turn));
    CHECK_OK(MPI_File_set_view(fh, check_rank ? BLOCK : 0, MPI_BYTE, turn, "native", MPI_INFO_NULL));
    access_all(fh, check_rank ? 5 * BLOCK + 8 : MINE);
    CHECK_OK(MPI_Type_free(&turn));
    CHECK_OK(MPI_Type_free(&block));
    CHECK_OK(MPI_File_close(&fh));
    return check_end();
}
