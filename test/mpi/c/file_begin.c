/* file_begin.c - nonblocking reads and writes: many at once, in any order of completion, freed requests, errors that
 * the request tells; and devices and limits that take no more.
 *
 * np: - 1 2 4
 */
#include "files.h"

#include <signal.h>
#include <sys/resource.h>

enum { MANY = 40, BYTES = 3000 };

static unsigned char data[MANY][BYTES], back[MANY][BYTES];

static void many(MPI_File fh)
{
    MPI_Request requests[MANY];
    MPI_Status statuses[MANY];
    MPI_Offset mine = (MPI_Offset)check_rank * MANY * BYTES;
    for (int i = 0; i < MANY; i++) {
        memset(data[i], check_rank * 50 + i + 1, BYTES);
        CHECK_OK(MPI_File_iwrite_at(fh, mine + (MANY - 1 - i) * BYTES, data[i], BYTES, MPI_BYTE, &requests[i]));
    }
    check_wipe(statuses, sizeof statuses);
    CHECK_OK(MPI_Waitall(MANY, requests, statuses));
    for (int i = 0; i < MANY; i++) {
        int count = -1;
        CHECK_OK(MPI_Get_count(&statuses[i], MPI_BYTE, &count));
        CHECK_INT(count, BYTES);
    }
    check_wipe(back, sizeof back);
    for (int i = 0; i < MANY; i++)
        CHECK_OK(MPI_File_iread_at(fh, mine + (MANY - 1 - i) * BYTES, back[i], BYTES, MPI_BYTE, &requests[i]));
    for (int done = 0; done < MANY; done++) {
        int index = -1, flag = 0;
        MPI_Status status;
        while (!flag)
            CHECK_OK(MPI_Testany(MANY, requests, &index, &flag, &status));
        CHECK(index >= 0 && index < MANY);
        if (index >= 0 && index < MANY)
            CHECK_BYTES(back[index], data[index], BYTES);
    }
}

/* The file is closed after what is under way, whoever still holds its requests. */
static void freed(const char *name)
{
    MPI_File fh;
    MPI_Request requests[3];
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE, value = check_rank, count = -1;
    MPI_Status status;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &fh));
    CHECK_OK(MPI_File_seek(fh, 8 * check_rank, MPI_SEEK_SET));
    CHECK_OK(MPI_File_iwrite(fh, &value, 1, MPI_INT, &requests[0]));
    CHECK_OK(MPI_File_iwrite(fh, &value, 1, MPI_INT, &requests[1]));
    CHECK_OK(MPI_Request_free(&requests[0]));
    CHECK_OK(MPI_File_close(&fh));
    CHECK_OK(MPI_Wait(&requests[1], &status));
    CHECK_OK(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_INT(file_length(name), 8 * check_size);
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh));
    value = -1;
    CHECK_OK(MPI_File_iread_at(fh, 8 * check_rank + 4, &value, 1, MPI_INT, &requests[2]));
    CHECK_OK(MPI_Cancel(&requests[2])); /* nothing happens: it completes */
    CHECK_OK(MPI_Wait(&requests[2], &status));
    CHECK_INT(value, check_rank);
    CHECK_OK(MPI_File_iread_at(fh, 8 * check_size - 3, data, 10, MPI_BYTE, &requests[2]));
    CHECK_OK(MPI_Wait(&requests[2], &status));
    CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_INT(count, 3);
    CHECK_OK(MPI_File_close(&fh));
}

/* ---- no space ---- */

static int told;
static MPI_File told_of;
static void note(MPI_File *fh, int *code, ...)
{
    (void)code;
    told++;
    told_of = *fh;
}

static void full_device(void)
{
    MPI_File fh;
    MPI_Request request;
    MPI_Errhandler handler;
    MPI_Status status;
    int value = 1;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &fh));
    int err = MPI_File_write_at(fh, 12288, &value, 1, MPI_INT, &status);
    CHECK_CLASS(err, MPI_ERR_NO_SPACE);
    char words[200];
    snprintf(words, sizeof words, "/dev/full: no space left on device, rank %d wrote 0 of 4 bytes at offset 12288",
             check_rank);
    CHECK_WORDS(err, words);
    CHECK_OK(MPI_File_iwrite_at(fh, 0, &value, 1, MPI_INT, &request));
    err = MPI_Wait(&request, &status);
    CHECK_CLASS(err, MPI_ERR_NO_SPACE);
    CHECK_WORDS(err, "of 4 bytes at offset 0");
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_OK(MPI_File_create_errhandler(note, &handler));
    CHECK_OK(MPI_File_set_errhandler(fh, handler));
    CHECK_OK(MPI_Errhandler_free(&handler));
    CHECK_OK(MPI_File_iwrite_at(fh, 0, &value, 1, MPI_INT, &request));
    CHECK_CLASS(MPI_Wait(&request, &status), MPI_ERR_NO_SPACE);
    CHECK_INT(told, 1);
    CHECK(told_of == fh);
    CHECK_OK(MPI_File_close(&fh));
}

/* The limit of the process: an error, not a signal; and the bytes that went are told. */
static void limit(const char *name)
{
    struct rlimit before, small = {5000, RLIM_INFINITY};
    MPI_File fh;
    MPI_Request request;
    MPI_Status status;
    int count = -1;
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &fh));
    check_wipe(&status, sizeof status);
    int err = MPI_File_write_at(fh, 4000, data, BYTES, MPI_BYTE, &status);
    CHECK_CLASS(err, MPI_ERR_QUOTA);
    CHECK_WORDS(err, "wrote 1000 of 3000 bytes at offset 4000");
    CHECK_OK(MPI_Get_count(&status, MPI_BYTE, &count));
    CHECK_INT(count, 1000);
    CHECK_OK(MPI_File_iwrite_at(fh, 4000, data, BYTES, MPI_BYTE, &request));
    CHECK_CLASS(MPI_Wait(&request, &status), MPI_ERR_QUOTA);
    CHECK_CLASS(MPI_File_set_size(fh, 6000), MPI_ERR_QUOTA);
    CHECK_OK(MPI_File_close(&fh));
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    MPI_File fh;
    check_start(&argc, &argv);
    file_name(name, "begin");
    int amode = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE;
    CHECK_OK(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &fh));
    many(fh);
    CHECK_OK(MPI_File_close(&fh));
    freed(name);
    full_device();
    limit(name);
    return check_end();
}
