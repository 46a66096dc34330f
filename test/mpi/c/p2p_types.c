/* Derived types in messages: layouts that differ between sender and receiver, gaps untouched, counts of elements, and
 * partial ones.
 *
 * np: 1 2
 */
#include "check.h"

static int peer;

/* A column of a matrix goes out, a row comes in; and the other way round. */
static void columns(int n)
{
    MPI_Datatype column;
    int *a = check_alloc((size_t)n * n * sizeof *a, 0), *b = check_alloc((size_t)n * n * sizeof *b, 0x33), wrong = 0,
        count;
    MPI_Request request;
    MPI_Status status;
    for (int i = 0; i < n * n; i++)
        a[i] = check_value(check_rank, i);
    CHECK_OK(MPI_Type_vector(n, 1, n, MPI_INT, &column));
    CHECK_OK(MPI_Type_commit(&column));
    CHECK_OK(MPI_Isend(a + n / 2, 1, column, peer, 1, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Recv(b, n, MPI_INT, peer, 1, MPI_COMM_WORLD, &status));
    for (int i = 0; i < n; i++)
        wrong += b[i] != check_value(peer, i * n + n / 2);
    CHECK_INT(wrong, 0);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Get_count(&status, column, &count));
    CHECK_INT(count, 1);

    memset(b, 0x33, (size_t)n * n * sizeof *b);
    CHECK_OK(MPI_Isend(a, n, MPI_INT, peer, 2, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Recv(b + n - 1, 1, column, peer, 2, MPI_COMM_WORLD, &status));
    for (int i = 0; i < n * n; i++)
        wrong += b[i] != (i % n == n - 1 ? check_value(peer, i / n) : 0x33333333);
    CHECK_INT(wrong, 0);
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Type_free(&column));
    free(a);
    free(b);
}

struct particle {
    char kind;
    double place[3];
    short charge;
    int id;
};

static void structs(int n)
{
    const int lengths[] = {1, 3, 1, 1};
    const MPI_Aint places[] = {offsetof(struct particle, kind), offsetof(struct particle, place),
                               offsetof(struct particle, charge), offsetof(struct particle, id)};
    const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_INT};
    struct particle *out = check_alloc(n * sizeof *out, 0x11), *in = check_alloc((n + 1) * sizeof *in, 0x77);
    MPI_Datatype bare, type;
    MPI_Request request;
    MPI_Status status;
    int count, elements;
    CHECK_OK(MPI_Type_create_struct(4, lengths, places, types, &bare));
    CHECK_OK(MPI_Type_create_resized(bare, 0, sizeof(struct particle), &type));
    CHECK_OK(MPI_Type_free(&bare));
    CHECK_OK(MPI_Type_commit(&type));
    for (int i = 0; i < n; i++)
        out[i] = (struct particle){(char)i, {i, check_rank + 0.5, -i}, (short)(i * 3), check_value(check_rank, i)};
    CHECK_OK(MPI_Isend(out, n, type, peer, 3, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Recv(in, n + 1, type, peer, 3, MPI_COMM_WORLD, &status));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < n; i++) {
        CHECK(in[i].kind == (char)i && in[i].place[1] == peer + 0.5 && in[i].place[2] == -i);
        CHECK(in[i].charge == (short)(i * 3) && in[i].id == check_value(peer, i));
        CHECK_BYTES((char *)&in[i] + 1, "wwwwwww", 7);
        CHECK_BYTES((char *)&in[i] + 34, "ww", 2);
    }
    CHECK_INT(in[n].kind, 0x77);
    CHECK_OK(MPI_Get_count(&status, type, &count));
    CHECK_INT(count, n);
    CHECK_OK(MPI_Get_elements(&status, type, &elements));
    CHECK_INT(elements, 6 * n);
    CHECK_OK(MPI_Type_free(&type));
    free(out);
    free(in);
}

/* Less than a whole element of the receiver's type arrives. */
static void partial(void)
{
    MPI_Datatype five;
    MPI_Request request;
    MPI_Status status;
    int out[7] = {1, 2, 3, 4, 5, 6, 7}, in[10] = {0}, count, elements;
    CHECK_OK(MPI_Type_contiguous(5, MPI_INT, &five));
    CHECK_OK(MPI_Type_commit(&five));
    CHECK_OK(MPI_Isend(out, 7, MPI_INT, peer, 4, MPI_COMM_WORLD, &request));
    CHECK_OK(MPI_Type_free(&five));
    CHECK_OK(MPI_Type_contiguous(5, MPI_INT, &five));
    CHECK_OK(MPI_Type_commit(&five));
    CHECK_OK(MPI_Recv(in, 2, five, peer, 4, MPI_COMM_WORLD, &status));
    CHECK_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_OK(MPI_Get_count(&status, five, &count));
    CHECK_INT(count, MPI_UNDEFINED);
    CHECK_OK(MPI_Get_elements(&status, five, &elements));
    CHECK_INT(elements, 7);
    CHECK_INT(in[6], 7);
    CHECK_INT(in[7], 0);
    CHECK_OK(MPI_Type_free(&five));
}

/* Types freed as soon as the calls that use them are started; addresses in the type, MPI_BOTTOM as the buffer. */
static void freed_and_absolute(int n)
{
    int *a = check_alloc(2 * n * sizeof *a, 0x44), *b = check_alloc(2 * n * sizeof *b, 0x55), wrong = 0;
    MPI_Datatype type;
    MPI_Aint place;
    MPI_Request requests[2];
    for (int i = 0; i < n; i++)
        a[2 * i] = check_value(check_rank, i);
    CHECK_OK(MPI_Get_address(b, &place));
    CHECK_OK(MPI_Type_create_hvector(n, 1, 2 * sizeof(int), MPI_INT, &type));
    MPI_Datatype absolute;
    const int one = 1;
    CHECK_OK(MPI_Type_create_hindexed(1, &one, &place, type, &absolute));
    CHECK_OK(MPI_Type_commit(&type));
    CHECK_OK(MPI_Type_commit(&absolute));
    CHECK_OK(MPI_Irecv(MPI_BOTTOM, 1, absolute, peer, 6, MPI_COMM_WORLD, &requests[0]));
    CHECK_OK(MPI_Type_free(&absolute));
    CHECK_OK(MPI_Isend(a, 1, type, peer, 6, MPI_COMM_WORLD, &requests[1]));
    CHECK_OK(MPI_Type_free(&type));
    CHECK_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < n; i++)
        wrong += b[2 * i] != check_value(peer, i) || b[2 * i + 1] != 0x55555555;
    CHECK_INT(wrong, 0);
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    peer = (check_rank + 1) % check_size;
    const int sizes[] = {1, 3, 50, 700};
    for (int i = 0; i < 4; i++) {
        columns(sizes[i]);
        structs(sizes[i]);
        structs(sizes[i] * 40);
        freed_and_absolute(sizes[i] * 50);
    }
    partial();
    return check_end();
}
