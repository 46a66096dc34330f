/* Wrong arguments that would crash, or count what 64 bits do not: the class, the words that name the procedure, the
 * argument and its value, and the next call works.
 *
 * np: 1 2
 * only: treefold
 */
#include "check.h"

#include <stdint.h>

static int in[8], out[8];

static void refused_(int line, int code, int class, const char *words)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length, got = MPI_SUCCESS;
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &got);
        MPI_Error_string(code, text, &length);
    }
    if (!CHECK(got == class && strstr(text, words)))
        printf("line %d: class %d, not %d, and \"%s\" in: %s\n", line, got, class, words, text);
}
#define refused(code, class, words) refused_(__LINE__, code, class, words)

/* More bytes than 64 bits say, one more than 2^64 of which would be few. */
static void large_counts(void)
{
    static char buffer[8192];
    const MPI_Count most = INT64_MAX, wraps = ((MPI_Count)1 << 62) + 1;
    MPI_Request request;
    MPI_Datatype nothing;

    CHECK_OK(MPI_Buffer_attach(buffer, sizeof buffer));
    refused(MPI_Bsend_c(in, most, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_COUNT,
            "MPI_Bsend_c: count is 9223372036854775807; so many elements of 4 bytes do not fit 64 bits");
    refused(MPI_Send_c(in, wraps, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_COUNT,
            "MPI_Send_c: count is 4611686018427387905");
    refused(MPI_Irecv_c(in, wraps, MPI_INT, 0, 0, MPI_COMM_SELF, &request), MPI_ERR_COUNT, "count is");
    refused(MPI_Bcast_c(in, wraps, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT, "MPI_Bcast_c: count is");
    refused(MPI_Allreduce_c(in, out, most, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_COUNT, "count is");
    refused(MPI_Reduce_local_c(in, out, wraps, MPI_INT, MPI_SUM), MPI_ERR_COUNT, "count is");
    refused(MPI_Send_c(in, -1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_COUNT, "count is -1; it must be at least 0");
    CHECK_OK(MPI_Buffer_detach(&(void *){NULL}, &(int){0}));

    CHECK_OK(MPI_Type_contiguous(0, MPI_INT, &nothing));
    CHECK_OK(MPI_Type_commit(&nothing));
    CHECK_OK(MPI_Bcast_c(in, most, nothing, 0, MPI_COMM_WORLD)); /* so many of them are nothing */
    CHECK_OK(MPI_Type_free(&nothing));
}

static void displacements(void)
{
    const MPI_Count one[] = {1}, far[] = {(MPI_Count)1 << 61};
    MPI_Datatype wide, type;
    refused(MPI_Type_indexed_c(1, one, far, MPI_INT, &type), MPI_ERR_ARG, "do not fit 64 bits");
    refused(MPI_Type_create_indexed_block_c(1, 1, far, MPI_INT, &type), MPI_ERR_ARG, "do not fit 64 bits");
    refused(MPI_Type_indexed(2, (int[]){1, -4}, (int[]){0, 8}, MPI_INT, &type), MPI_ERR_COUNT,
            "array_of_blocklengths[1] is -4; it must be at least 0");
    CHECK_OK(MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)1 << 62, &wide));
    refused(MPI_Type_indexed(1, (int[]){1}, (int[]){4}, wide, &type), MPI_ERR_ARG, "do not fit 64 bits");
    CHECK_OK(MPI_Type_free(&wide));
}

static void null_buffers(void)
{
    int counts[64], displs[64];
    MPI_Count large[64];
    MPI_Aint far[64];
    MPI_Datatype types[64];
    for (int i = 0; i < check_size; i++) {
        counts[i] = 1, large[i] = 1, types[i] = MPI_INT;
        displs[i] = 0, far[i] = 0;
    }
    refused(MPI_Pack(in, 1, MPI_INT, NULL, 16, &(int){0}, MPI_COMM_WORLD), MPI_ERR_BUFFER,
            "MPI_Pack: outbuf is a null");
    refused(MPI_Unpack(MPI_IN_PLACE, 16, &(int){0}, in, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER,
            "MPI_Unpack: inbuf is MPI_IN_PLACE");
    refused(MPI_Pack_external("external32", in, 1, MPI_INT, NULL, 16, &(MPI_Aint){0}), MPI_ERR_BUFFER,
            "outbuf is a null");
    CHECK_OK(MPI_Pack(in, 0, MPI_INT, NULL, 0, &(int){0}, MPI_COMM_WORLD));
    refused(MPI_Reduce_scatter_c(NULL, out, large, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER,
            "sendbuf is a null");
    refused(MPI_Alltoallw(NULL, counts, displs, types, out, counts, displs, types, MPI_COMM_WORLD), MPI_ERR_BUFFER,
            "sendbuf is a null");
    refused(MPI_Allgatherv_c(in, 1, MPI_INT, NULL, large, far, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER,
            "recvbuf is a null");
    refused(MPI_Buffer_attach(NULL, 100), MPI_ERR_BUFFER,
            "MPI_Buffer_attach: buffer is a null pointer, but size is 100");
    refused(MPI_Buffer_attach(MPI_IN_PLACE, 100), MPI_ERR_BUFFER, "buffer is MPI_IN_PLACE");
}

/* MPI_BOTTOM is null too, and right where displacements or datatypes are addresses. */
static void absolute(void)
{
    MPI_Aint at[64];
    MPI_Count large[64];
    for (int i = 0; i < check_size; i++) {
        large[i] = i == 0;
        CHECK_OK(MPI_Get_address(&out[i], &at[i]));
        at[i] /= (MPI_Aint)sizeof(int);
    }
    in[0] = 7 + check_rank;
    CHECK_OK(MPI_Allgatherv_c(in, check_rank == 0, MPI_INT, MPI_BOTTOM, large, at, MPI_INT, MPI_COMM_WORLD));
    CHECK_INT(out[0], 7);
}

static void windows(void)
{
    long *memory, one = 1, old = 0;
    MPI_Win win;
    MPI_Datatype two;
    CHECK_OK(MPI_Type_contiguous(2, MPI_LONG, &two));
    CHECK_OK(MPI_Type_commit(&two));
    refused(MPI_Win_create(MPI_IN_PLACE, 8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_ERR_BASE,
            "base is MPI_IN_PLACE");
    CHECK_OK(MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    CHECK_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Win_lock_all(0, win));
    memory[check_rank] = memory[0] = 0;
    refused(MPI_Fetch_and_op(&one, &old, two, 0, 0, MPI_SUM, win), MPI_ERR_TYPE,
            "MPI_Fetch_and_op takes predefined datatypes only");
    refused(MPI_Fetch_and_op(MPI_IN_PLACE, &old, MPI_LONG, 0, 0, MPI_SUM, win), MPI_ERR_BUFFER,
            "origin_addr is MPI_IN_PLACE");
    refused(MPI_Fetch_and_op(&one, NULL, MPI_LONG, 0, 0, MPI_SUM, win), MPI_ERR_BUFFER, "result_addr is a null");
    refused(MPI_Compare_and_swap(&one, NULL, &old, MPI_LONG, 0, 0, win), MPI_ERR_BUFFER, "compare_addr is a null");
    refused(MPI_Compare_and_swap(&one, &one, MPI_IN_PLACE, MPI_LONG, 0, 0, win), MPI_ERR_BUFFER,
            "result_addr is MPI_IN_PLACE");
    refused(MPI_Get_accumulate(MPI_IN_PLACE, 1, MPI_LONG, &old, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win),
            MPI_ERR_BUFFER, "origin_addr is MPI_IN_PLACE");
    CHECK_OK(MPI_Fetch_and_op(NULL, &old, MPI_LONG, check_rank, 0, MPI_NO_OP, win));
    CHECK_OK(MPI_Win_unlock_all(win));
    CHECK_OK(MPI_Win_free(&win));
    CHECK_OK(MPI_Type_free(&two));
}

static void others(void)
{
    int sizes[] = {4}, whole[] = {MPI_DISTRIBUTE_BLOCK}, any[] = {MPI_DISTRIBUTE_DFLT_DARG}, ones[] = {1}, flag;
    void *value;
    MPI_Comm made;
    MPI_Datatype type, contents;
    refused(MPI_Type_create_darray(-1, 0, 1, sizes, whole, any, ones, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_ARG,
            "size is -1; it must be at least 1");
    CHECK_OK(MPI_Type_contiguous_c(2, MPI_INT, &type));
    refused(MPI_Type_get_contents_c(type, 4, 4, -1, 4, ones, (MPI_Aint[4]){0}, (MPI_Count[4]){0}, &contents),
            MPI_ERR_ARG, "max_large_counts is -1");
    CHECK_OK(MPI_Type_free(&type));
    refused(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WIN_BASE, &value, &flag), MPI_ERR_KEYVAL,
            "for windows, not for comm");
    refused(MPI_Comm_get_attr(MPI_COMM_WORLD, -7, &value, &flag), MPI_ERR_KEYVAL, "keyval is -7");
    refused(MPI_Comm_accept(NULL, MPI_INFO_NULL, 0, MPI_COMM_SELF, &made), MPI_ERR_ARG, "port_name is a null pointer");
    refused(MPI_Comm_connect(NULL, MPI_INFO_NULL, 0, MPI_COMM_SELF, &made), MPI_ERR_ARG, "port_name is a null pointer");
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    CHECK_OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    large_counts();
    displacements();
    null_buffers();
    absolute();
    windows();
    others();
    CHECK_OK(MPI_Allreduce(&(int){1}, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(out[0], check_size);
    return check_end();
}
