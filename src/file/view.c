/* view.c - views (MPI-5.0 section 14.3): what a program may give, and what is derived from it once. */
#include "file/view.h"

#include "file/cursor.h"
#include "file/datarep.h"
#include "type/construct.h"

void tf_view_retain(struct tf_view *view)
{
    view->refs++;
}

void tf_view_release(struct tf_view *view)
{
    if (--view->refs > 0)
        return;
    tf_type_release(view->etype);
    tf_type_release(view->filetype);
    tf_type_release(view->tile);
    free(view);
}

/* ---- what is allowed ---- */

static int check_sizes(const struct tf_type *etype, const struct tf_type *filetype)
{
    if (etype->size == 0 ? filetype->size == 0 : filetype->size % etype->size == 0)
        return MPI_SUCCESS;
    return tf_error(MPI_ERR_ARG, "filetype has %lld bytes of data, which is no multiple of the %lld of etype",
                    (long long)filetype->size, (long long)etype->size);
}

/* Displacements are not negative and do not go back; where the file may be written nothing lies twice (sections 14.1.1
 * and 14.3). That is said of "the displacements in the typemap", not of its tiles, which are repeated as by
 * MPI_Type_contiguous: they may reach into each other and, where the extent is negative, go back, as far as the file's
 * beginning. An access may need one of them only. The class is the one that ROMIO has given for it. */
static int check_order(const char *what, const struct tf_type *type, bool writable)
{
    if (type->size > 0 && type->true_lb < 0)
        return tf_error(MPI_ERR_IO, "%s has a displacement of %lld bytes; none may be negative", what,
                        (long long)type->true_lb);
    if (tf_walk_ordered(type) > 0)
        return MPI_SUCCESS;
    if (!tf_walk_never_returns(type))
        return tf_error(MPI_ERR_IO, "%s has displacements that decrease, which no view may have", what);
    if (writable)
        return tf_error(MPI_ERR_IO, "%s has data that overlap, which a file that may be written does not allow", what);
    return MPI_SUCCESS;
}

int tf_view_check(const struct tf_type *etype, const struct tf_type *filetype, bool writable)
{
    int err = check_sizes(etype, filetype);
    if (!err)
        err = check_order("etype", etype, writable);
    return err ? err : check_order("filetype", filetype, writable);
}

/* ---- making one ---- */

int tf_view_create(MPI_Offset disp, struct tf_type *etype, struct tf_type *filetype, const struct tf_datarep *datarep,
                   struct tf_view **view)
{
    struct tf_view *made = tf_alloc(sizeof *made, "a view");
    if (!made)
        return MPI_ERR_NO_MEM;
    *made = (struct tf_view){.refs = 1, .disp = disp, .etype = etype, .filetype = filetype, .datarep = datarep};
    int err = tf_datarep_size(datarep, etype, &made->unit);
    if (!err)
        err = tf_datarep_type(datarep, filetype, &made->tile);
    if (err) {
        free(made);
        return err;
    }
    tf_type_retain(etype);
    tf_type_retain(filetype);
    made->ordered = tf_walk_ordered(made->tile);
    *view = made;
    return MPI_SUCCESS;
}

/* ---- positions ---- */

MPI_Offset tf_view_offset(const struct tf_view *view, MPI_Offset position)
{
    struct tf_walk cursor;
    tf_walk_open(&cursor, view->disp, view->tile);
    return tf_walk_offset(&cursor, position * view->unit);
}

/* The offset of a byte of the view, if there is such an offset. */
static bool find(const struct tf_view *view, MPI_Count number, MPI_Offset *offset)
{
    const struct tf_type *tile = view->tile;
    struct tf_walk cursor;
    MPI_Offset begin = number, within = tile->true_lb;
    if (!tile->dense) {
        tf_walk_open(&cursor, 0, tile);
        within = tf_walk_offset(&cursor, number % tile->size);
        if (__builtin_mul_overflow(number / tile->size, tile->extent, &begin))
            return false;
    }
    return !__builtin_add_overflow(begin, view->disp, &begin) && !__builtin_add_overflow(begin, within, offset) &&
           *offset >= 0;
}

bool tf_view_holds(const struct tf_view *view, MPI_Offset position, MPI_Offset etypes)
{
    MPI_Count first, bytes, end;
    MPI_Offset offset;
    if (position < 0 || __builtin_mul_overflow(position, view->unit, &first) ||
        __builtin_mul_overflow(etypes, view->unit, &bytes) || __builtin_add_overflow(first, bytes, &end))
        return false;
    if (view->tile->size == 0)
        return true;
    return find(view, first, &offset) && (bytes == 0 || (find(view, end - 1, &offset) && offset < INT64_MAX));
}

MPI_Offset tf_view_etypes_before(const struct tf_view *view, MPI_Offset size)
{
    struct tf_walk cursor;
    if (view->unit == 0 || view->tile->size == 0 || size <= view->disp)
        return 0;
    tf_walk_open(&cursor, view->disp, view->tile);
    return (tf_walk_before(&cursor, size) + view->unit - 1) / view->unit;
}
