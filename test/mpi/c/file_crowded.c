/* file_crowded.c - large collective accesses by ranks that share processors, which are moved for them: the data are
 * right, and all threads may use the processors that they could before, whether they are bound or not.
 *
 * np: - 4 8
 */
#define _GNU_SOURCE
#include "files.h"

#include <pthread.h>
#include <sched.h>

enum { ALL = 8 << 20 };

static pthread_barrier_t turns;
static cpu_set_t of_thread[2];

/* Looks at its processors when it is told to. */
static void *other(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_barrier_wait(&turns);
        sched_getaffinity(0, sizeof of_thread[i], &of_thread[i]);
        pthread_barrier_wait(&turns);
    }
    return unused;
}

static void look(void)
{
    pthread_barrier_wait(&turns);
    pthread_barrier_wait(&turns);
}

static unsigned char value_at(size_t i, int length)
{
    return (unsigned char)(check_rank * 37 + i / (size_t)length * 11 + i % 251);
}

static void move(MPI_File fh, int length, int began)
{
    size_t mine = ALL / (size_t)check_size / (size_t)length * (size_t)length;
    unsigned char *data = check_alloc(mine, 0), *got = check_alloc(mine, 0);
    MPI_Datatype block, tile;
    MPI_Request request;
    for (size_t i = 0; i < mine; i++)
        data[i] = value_at(i, length);
    CHECK_OK(MPI_Type_contiguous(length, MPI_BYTE, &block));
    CHECK_OK(MPI_Type_create_resized(block, 0, (MPI_Aint)length * check_size, &tile));
    CHECK_OK(MPI_Type_commit(&tile));
    CHECK_OK(MPI_File_set_view(fh, (MPI_Offset)length * check_rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    if (began) {
        CHECK_OK(MPI_File_iwrite_at_all(fh, 0, data, (int)mine, MPI_BYTE, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_iread_at_all(fh, 0, got, (int)mine, MPI_BYTE, &request));
        CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        CHECK_OK(MPI_File_write_at_all(fh, 0, data, (int)mine, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_read_at_all(fh, 0, got, (int)mine, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    CHECK_BYTES(got, data, mine);
    CHECK_OK(MPI_Type_free(&block));
    CHECK_OK(MPI_Type_free(&tile));
    free(data);
    free(got);
}

static void move_all(const char *name)
{
    static const int lengths[] = {800, 4096, 65536, 262144};
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    MPI_File fh;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &fh));
    for (int i = 0; i < 8; i++)
        move(fh, lengths[i / 2], i % 2);
    CHECK_OK(MPI_File_close(&fh));
}

/* As it is, then with the odd ranks on their last processor. */
int main(int argc, char **argv)
{
    cpu_set_t before, bound, after;
    char name[FILE_NAME];
    pthread_t thread;
    check_start(&argc, &argv);
    file_name(name, "crowded");
    sched_getaffinity(0, sizeof before, &before);
    CHECK(pthread_barrier_init(&turns, NULL, 2) == 0 && pthread_create(&thread, NULL, other, NULL) == 0);
    look();
    move_all(name);
    look();
    pthread_join(thread, NULL);
    sched_getaffinity(0, sizeof after, &after);
    CHECK(CPU_EQUAL(&before, &after) && CPU_EQUAL(&of_thread[0], &of_thread[1]));
    int last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &before))
        last--;
    CPU_ZERO(&bound);
    CPU_SET(last, &bound);
    if (check_rank % 2 == 0)
        bound = before;
    CHECK(sched_setaffinity(0, sizeof bound, &bound) == 0);
    move_all(name);
    sched_getaffinity(0, sizeof after, &after);
    CHECK(CPU_EQUAL(&bound, &after));
    return check_end();
}
