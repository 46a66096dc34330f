/* Another thread frees the operator and the datatype of a blocking reduction that is under way, or the datatype of a
 * blocking send or receive, of an access to a file, or of an operation on a window that waits for room, and makes
 * others, which may get their memory and their handles: to free is to mark for deallocation (MPI-5.0 sections 5.1.9
 * and 6.9.7).
 *
 * np: 1 2 3 4
 * flags: -pthread
 */
#include "files.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 5000, OTHERS = 20 };

static _Atomic bool inside, freed, over;
static pthread_t main_thread;
static MPI_Op op;
static MPI_Datatype pair;
static int mine[2 * MOST], sum[2 * MOST];

/* The first call lets the other thread free everything. */
static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    inside = true;
    while (!freed)
        sched_yield();
    for (int i = 0; i < 2 * *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void another(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)type;
    memset(inout, 0xff, (size_t)*n);
}

static void *free_them(void *unused)
{
    MPI_Op ops[OTHERS];
    MPI_Datatype types[OTHERS];
    while (!inside && !over)
        sched_yield();
    CHECK_OK(MPI_Op_free(&op));
    CHECK_OK(MPI_Type_free(&pair));
    for (int i = 0; i < OTHERS; i++) {
        CHECK_OK(MPI_Op_create(another, 1, &ops[i]));
        CHECK_OK(MPI_Type_contiguous(3, MPI_CHAR, &types[i]));
        CHECK_OK(MPI_Type_commit(&types[i]));
    }
    freed = true;
    while (!over)
        sched_yield();
    for (int i = 0; i < OTHERS; i++) {
        CHECK_OK(MPI_Op_free(&ops[i]));
        CHECK_OK(MPI_Type_free(&types[i]));
    }
    return unused;
}

static int reduce(int form, int n)
{
    switch (form) {
    case 0:
        CHECK_OK(MPI_Allreduce(mine, sum, n, pair, op, MPI_COMM_WORLD));
        return check_size;
    case 1:
        CHECK_OK(MPI_Reduce(mine, sum, n, pair, op, 0, MPI_COMM_WORLD));
        return check_rank == 0 ? check_size : 0;
    default:
        CHECK_OK(MPI_Scan(mine, sum, n, pair, op, MPI_COMM_WORLD));
        return check_rank + 1;
    }
}

static void go_through(int form, int n, bool repeated)
{
    pthread_t thread;
    int wrong = 0;
    CHECK_OK(MPI_Op_create(add, 1, &op));
    CHECK_OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    CHECK_OK(MPI_Type_commit(&pair));
    if (repeated) { /* it is known from the call before */
        freed = true;
        reduce(form, n);
    }
    inside = freed = over = false;
    memset(sum, 0, sizeof sum);
    pthread_create(&thread, NULL, free_them, NULL);
    int times = reduce(form, n);
    over = true;
    pthread_join(thread, NULL);
    for (int i = 0; i < 2 * n && times > 0; i++)
        wrong += sum[i] != times * mine[i];
    CHECK_NOTED(wrong == 0, "form %d of %d: %d wrong", form, n, wrong);
}

/* ---- messages ---- */

enum { COLUMN = 1000 };
enum { READY = 1, FREED, DONE };

static MPI_Datatype column;
static int matrix[2 * COLUMN], from[2 * COLUMN];
static MPI_Comm word; /* by which the threads talk */

static bool main_sleeps(void)
{
    char name[64], state = 0;
    snprintf(name, sizeof name, "/proc/self/task/%d/stat", (int)getpid());
    FILE *stat = fopen(name, "r");
    CHECK_NOTED(stat != NULL && fscanf(stat, "%*d (%*[^)]) %c", &state) == 1, "%s cannot be read", name);
    if (stat != NULL)
        fclose(stat);
    return state == 'S';
}

/* Until the main thread is in the call that it is about to make: it has had a processor for much longer than it takes
 * to get there, or sleeps there. */
static void let_main_wait(void)
{
    enum { LONG = 10 * 1000 * 1000, LOOKS = 3 }; /* nanoseconds of a processor; a millisecond apart */
    clockid_t clock;
    struct timespec begin, now;
    int asleep = 0;
    CHECK_INT(pthread_getcpuclockid(main_thread, &clock), 0);
    clock_gettime(clock, &begin);
    do {
        usleep(1000);
        asleep = main_sleeps() ? asleep + 1 : 0;
        clock_gettime(clock, &now);
    } while (asleep < LOOKS && (now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < LONG);
}

/* Before the message is there, or is asked for. */
static void *free_the_column(void *unused)
{
    MPI_Datatype types[OTHERS];
    int other = 1 - check_rank;
    while (!inside)
        sched_yield();
    let_main_wait();
    CHECK_OK(MPI_Type_free(&column));
    for (int i = 0; i < OTHERS; i++) {
        CHECK_OK(MPI_Type_vector(3, 1, 5, MPI_CHAR, &types[i]));
        CHECK_OK(MPI_Type_commit(&types[i]));
    }
    CHECK_OK(MPI_Send(NULL, 0, MPI_INT, other, FREED, word));
    for (int i = 0; i < OTHERS; i++)
        CHECK_OK(MPI_Type_free(&types[i]));
    return unused;
}

enum { RECEIVE, SEND, BOTH, WRITE, WRITE_SPLIT, PUT, FORMS };
static MPI_File file;
static MPI_Win win;
static int *memory;
enum { PUTS = 1 << 14 }; /* that wait for a lock: as many as a target keeps */

static void put_many(void)
{
    CHECK_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
    for (int i = 0; i < PUTS; i++)
        CHECK_OK(MPI_Put(from, 1, MPI_INT, 1, COLUMN, 1, MPI_INT, win));
    inside = true;
    CHECK_OK(MPI_Put(from, 1, column, 1, 0, COLUMN, MPI_INT, win));
    CHECK_OK(MPI_Win_unlock(1, win));
}

static void wait_with_column(int form)
{
    switch (form) {
    case RECEIVE:
        CHECK_OK(MPI_Recv(matrix, 1, column, 1 - check_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        break;
    case SEND:
        CHECK_OK(MPI_Ssend(from, 1, column, 1 - check_rank, 0, MPI_COMM_WORLD));
        break;
    case WRITE:
        CHECK_OK(MPI_File_write_ordered(file, from, 1, column, MPI_STATUS_IGNORE));
        break;
    case WRITE_SPLIT:
        CHECK_OK(MPI_File_write_ordered_begin(file, from, 1, column));
        CHECK_OK(MPI_File_write_ordered_end(file, from, MPI_STATUS_IGNORE));
        break;
    case PUT:
        put_many();
        break;
    default:
        CHECK_OK(MPI_Sendrecv(from, 1, column, 1 - check_rank, 0, matrix, 1, column, 1 - check_rank, 0, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
    }
}

/* What the other one waits for; `got` is what comes of it. */
static void answer(int form, int *got)
{
    switch (form) {
    case RECEIVE:
        CHECK_OK(MPI_Send(mine + 1, COLUMN, MPI_INT, 0, 0, MPI_COMM_WORLD));
        break;
    case SEND:
        CHECK_OK(MPI_Recv(got, COLUMN, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        break;
    case BOTH:
        CHECK_OK(MPI_Sendrecv(mine + 1, COLUMN, MPI_INT, 0, 0, got, COLUMN, MPI_INT, 0, 0, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
        break;
    case WRITE:
        CHECK_OK(MPI_File_write_ordered(file, NULL, 0, MPI_INT, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_read_at(file, 0, got, COLUMN, MPI_INT, MPI_STATUS_IGNORE));
        break;
    case WRITE_SPLIT:
        CHECK_OK(MPI_File_write_ordered_begin(file, NULL, 0, MPI_INT));
        CHECK_OK(MPI_File_write_ordered_end(file, NULL, MPI_STATUS_IGNORE));
        CHECK_OK(MPI_File_read_at(file, COLUMN, got, COLUMN, MPI_INT, MPI_STATUS_IGNORE));
        break;
    default:
        CHECK_OK(MPI_Win_unlock(1, win));
        CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, 0, DONE, word, MPI_STATUS_IGNORE));
        memcpy(got, memory, COLUMN * sizeof(int));
    }
}

/* The first rank waits with a datatype that is freed meanwhile; the other one waits until that has happened. */
static void pass(int form)
{
    int wrong = 0, got[COLUMN];
    pthread_t thread;
    memset(matrix, 0, sizeof matrix);
    if (check_rank == 0) {
        CHECK_OK(MPI_Type_vector(COLUMN, 1, 2, MPI_INT, &column));
        CHECK_OK(MPI_Type_commit(&column));
        CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, 1, READY, word, MPI_STATUS_IGNORE));
        inside = form != PUT;
        pthread_create(&thread, NULL, free_the_column, NULL);
        wait_with_column(form);
        pthread_join(thread, NULL);
        if (form == PUT)
            CHECK_OK(MPI_Send(NULL, 0, MPI_INT, 1, DONE, word));
        for (int i = 0; (form == RECEIVE || form == BOTH) && i < 2 * COLUMN; i++)
            wrong += matrix[i] != (i % 2 ? 0 : i / 2 + 1);
    } else {
        if (form == PUT)
            CHECK_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
        CHECK_OK(MPI_Send(NULL, 0, MPI_INT, 0, READY, word));
        CHECK_OK(MPI_Recv(NULL, 0, MPI_INT, 0, FREED, word, MPI_STATUS_IGNORE));
        answer(form, got);
        for (int i = 0; form != RECEIVE && i < COLUMN; i++)
            wrong += got[i] != 2 * i;
    }
    CHECK_NOTED(wrong == 0, "form %d: %d wrong", form, wrong);
}

static void messages(void)
{
    for (int i = 0; i < 2 * COLUMN; i++)
        from[i] = i;
    MPI_Comm two, node;
    char name[FILE_NAME];
    int neighbors;
    file_name(name, "frees");
    CHECK_OK(MPI_Comm_dup(MPI_COMM_WORLD, &word));
    CHECK_OK(MPI_Comm_split(MPI_COMM_WORLD, check_size > 1 && check_rank < 2 ? 0 : MPI_UNDEFINED, 0, &two));
    if (two != MPI_COMM_NULL) {
        CHECK_OK(MPI_Comm_split_type(two, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
        CHECK_OK(MPI_Comm_size(node, &neighbors));
        CHECK_OK(
            MPI_File_open(two, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
        CHECK_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
        CHECK_OK(MPI_Win_allocate((COLUMN + 1) * sizeof(int), sizeof(int), MPI_INFO_NULL, two, &memory, &win));
        /* Among neighbors it is the lock that is waited for. */
        for (int form = 0; form < (neighbors == 1 ? FORMS : PUT); form++)
            pass(form);
        CHECK_OK(MPI_Win_free(&win));
        CHECK_OK(MPI_File_close(&file));
        CHECK_OK(MPI_Comm_free(&node));
        CHECK_OK(MPI_Comm_free(&two));
    }
    CHECK_OK(MPI_Comm_free(&word));
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_OK(MPI_Comm_rank(MPI_COMM_WORLD, &check_rank));
    CHECK_OK(MPI_Comm_size(MPI_COMM_WORLD, &check_size));
    CHECK_INT(provided, MPI_THREAD_MULTIPLE);
    main_thread = pthread_self();
    for (int i = 0; i < 2 * MOST; i++)
        mine[i] = i;
    for (int form = 0; form < 3; form++)
        for (int n = 1; n <= MOST; n = 40 * n + 60) {
            go_through(form, n, false);
            go_through(form, n, true);
        }
    messages();
    return check_end();
}
