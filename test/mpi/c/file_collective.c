/* Collective access to files, in every form, with views of many kinds that differ between ranks, against a model of the
 * whole file that all ranks make alike.
 *
 * np: 1 2 3 4 5 6 7 8
 * timeout: 120
 */
#include "file_model.h"

/* ---- the forms of a collective access ---- */

enum form {
    ALL,
    AT_ALL,
    IALL,
    IAT_ALL,
    BEGIN_ALL,
    BEGIN_AT_ALL,
    ALL_C,
    AT_ALL_C,
    IALL_C,
    IAT_ALL_C,
    BEGIN_ALL_C,
    BEGIN_AT_ALL_C,
    FORMS
};

/* The pointers are where the view begins, and go on by what is accessed. */
static int begin_write(enum form form, MPI_File f, const void *buf, int n, MPI_Datatype type, MPI_Status *status,
                       MPI_Request *request)
{
    switch (form) {
    case ALL:
        return MPI_File_write_all(f, buf, n, type, status);
    case AT_ALL:
        return MPI_File_write_at_all(f, 0, buf, n, type, status);
    case IALL:
        return MPI_File_iwrite_all(f, buf, n, type, request);
    case IAT_ALL:
        return MPI_File_iwrite_at_all(f, 0, buf, n, type, request);
    case BEGIN_ALL:
        return MPI_File_write_all_begin(f, buf, n, type);
    case BEGIN_AT_ALL:
        return MPI_File_write_at_all_begin(f, 0, buf, n, type);
    case ALL_C:
        return MPI_File_write_all_c(f, buf, n, type, status);
    case AT_ALL_C:
        return MPI_File_write_at_all_c(f, 0, buf, n, type, status);
    case IALL_C:
        return MPI_File_iwrite_all_c(f, buf, n, type, request);
    case IAT_ALL_C:
        return MPI_File_iwrite_at_all_c(f, 0, buf, n, type, request);
    case BEGIN_ALL_C:
        return MPI_File_write_all_begin_c(f, buf, n, type);
    default:
        return MPI_File_write_at_all_begin_c(f, 0, buf, n, type);
    }
}

static int begin_read(enum form form, MPI_File f, void *buf, int n, MPI_Datatype type, MPI_Status *status,
                      MPI_Request *request)
{
    switch (form) {
    case ALL:
        return MPI_File_read_all(f, buf, n, type, status);
    case AT_ALL:
        return MPI_File_read_at_all(f, 0, buf, n, type, status);
    case IALL:
        return MPI_File_iread_all(f, buf, n, type, request);
    case IAT_ALL:
        return MPI_File_iread_at_all(f, 0, buf, n, type, request);
    case BEGIN_ALL:
        return MPI_File_read_all_begin(f, buf, n, type);
    case BEGIN_AT_ALL:
        return MPI_File_read_at_all_begin(f, 0, buf, n, type);
    case ALL_C:
        return MPI_File_read_all_c(f, buf, n, type, status);
    case AT_ALL_C:
        return MPI_File_read_at_all_c(f, 0, buf, n, type, status);
    case IALL_C:
        return MPI_File_iread_all_c(f, buf, n, type, request);
    case IAT_ALL_C:
        return MPI_File_iread_at_all_c(f, 0, buf, n, type, request);
    case BEGIN_ALL_C:
        return MPI_File_read_all_begin_c(f, buf, n, type);
    default:
        return MPI_File_read_at_all_begin_c(f, 0, buf, n, type);
    }
}

static int end(enum form form, bool write, MPI_File f, void *buf, MPI_Status *status, MPI_Request *request)
{
    switch (form % 6) {
    case IALL:
    case IAT_ALL:
        return MPI_Wait(request, status);
    case BEGIN_ALL:
        return write ? MPI_File_write_all_end(f, buf, status) : MPI_File_read_all_end(f, buf, status);
    case BEGIN_AT_ALL:
        return write ? MPI_File_write_at_all_end(f, buf, status) : MPI_File_read_at_all_end(f, buf, status);
    default:
        return MPI_SUCCESS;
    }
}

static bool moves_pointer(enum form form)
{
    return form % 2 == 0;
}

/* ---- one view, written and read ---- */

static void check_position(MPI_File f, enum form form, int n)
{
    MPI_Offset position = -1;
    CHECK_OK(MPI_File_get_position(f, &position));
    CHECK_INT(position, moves_pointer(form) ? n : 0);
}

static void check_moved(const MPI_Status *status, int n)
{
    int got = -7;
    CHECK_OK(MPI_Get_count(status, MPI_INT, &got));
    CHECK_INT(got, n);
}

static void write_view(MPI_File f, const struct model *m, enum form form)
{
    int n = model_mine(m);
    struct memory memory = memory_make(n, model_chance(2));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    memory_fill(&memory, m);
    check_wipe(&status, sizeof status);
    model_set_view(f, m);
    CHECK_OK(begin_write(form, f, memory.at, memory.count, memory.type, &status, &request));
    check_position(f, form, n);
    CHECK_OK(end(form, true, f, memory.at, &status, &request));
    check_moved(&status, n);
    memory_free(&memory);
}

static void read_view(MPI_File f, const struct model *m, enum form form)
{
    int n = model_mine(m);
    struct memory memory = memory_make(n, model_chance(2));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    check_wipe(&status, sizeof status);
    model_set_view(f, m);
    CHECK_OK(begin_read(form, f, memory.at, memory.count, memory.type, &status, &request));
    check_position(f, form, n);
    CHECK_OK(end(form, false, f, memory.at, &status, &request));
    check_moved(&status, n);
    memory_check(&memory, m);
    memory_free(&memory);
}

static void check_forms(const char *name, enum kind kind)
{
    struct model m;
    for (enum form form = ALL; form < FORMS; form++) {
        model_make(&m, kind);
        MPI_File f = model_open(name, &m, MPI_MODE_RDWR);
        if (model_chance(4))
            CHECK_OK(MPI_File_set_atomicity(f, 1));
        write_view(f, &m, form);
        CHECK_OK(MPI_File_close(&f));
        model_check_file(name, &m);
        f = model_open_again(name, &m, MPI_MODE_RDONLY);
        read_view(f, &m, form);
        read_view(f, &m, (form + 1) % FORMS);
        CHECK_OK(MPI_File_close(&f));
        model_free(&m);
    }
}

/* A file that is shorter than the view: each rank gets what there is, and is told how much. */
static void check_short(const char *name, enum kind kind, enum form form)
{
    struct model m;
    model_make(&m, kind);
    MPI_File f = model_open(name, &m, MPI_MODE_RDWR);
    write_view(f, &m, AT_ALL);
    MPI_Offset size = (MPI_Offset)model_random((unsigned)m.n) * (MPI_Offset)sizeof(int);
    CHECK_OK(MPI_File_set_size(f, m.disp + size));
    int all = model_mine(&m), n = model_mine_before(&m, (int)(size / (MPI_Offset)sizeof(int)));
    struct memory memory = memory_make(all, false);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    check_wipe(&status, sizeof status);
    model_set_view(f, &m);
    CHECK_OK(begin_read(form, f, memory.at, memory.count, memory.type, &status, &request));
    CHECK_OK(end(form, false, f, memory.at, &status, &request));
    check_moved(&status, n);
    memory_check_first(&memory, &m, n);
    memory_free(&memory);
    CHECK_OK(MPI_File_close(&f));
    model_free(&m);
}

int main(int argc, char **argv)
{
    char name[FILE_NAME];
    check_start(&argc, &argv);
    file_name(name, "collective");
    for (enum kind kind = 0; kind < KINDS; kind++) {
        check_forms(name, kind);
        check_short(name, kind, kind % FORMS);
        check_short(name, kind, (kind + 2) % FORMS);
    }
    if (check_rank == 0)
        unlink(name);
    return check_end();
}
