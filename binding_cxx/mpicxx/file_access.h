/* file_access.h - how MPI::File reads and writes (MPI-2.2 sections 13.4.2 to 13.4.5): one line for each procedure. */
#ifndef TREEFOLD_MPICXX_FILE_ACCESS_H
#define TREEFOLD_MPICXX_FILE_ACCESS_H

namespace MPI
{
namespace detail
{

/* The base of MPI::File. */
class file : public handle<MPI_File>
{
  public:
    TREEFOLD_CONSTEXPR file(number n) : handle<MPI_File>(n)
    {
    }
    file(MPI_File c) : handle<MPI_File>(c)
    {
    }

/* Functions of these names; `data` is void * or const void *. */
#define TREEFOLD_MOVE(name, data, procedure)                                                                           \
    void name(data buf, int count, const Datatype &datatype, Status &status) const                                     \
    {                                                                                                                  \
        check(procedure(c(), buf, count, datatype, status.c()));                                                       \
    }                                                                                                                  \
    void name(data buf, int count, const Datatype &datatype) const                                                     \
    {                                                                                                                  \
        check(procedure(c(), buf, count, datatype, MPI_STATUS_IGNORE));                                                \
    }
#define TREEFOLD_MOVE_AT(name, data, procedure)                                                                        \
    void name(Offset offset, data buf, int count, const Datatype &datatype, Status &status) const                      \
    {                                                                                                                  \
        check(procedure(c(), offset, buf, count, datatype, status.c()));                                               \
    }                                                                                                                  \
    void name(Offset offset, data buf, int count, const Datatype &datatype) const                                      \
    {                                                                                                                  \
        check(procedure(c(), offset, buf, count, datatype, MPI_STATUS_IGNORE));                                        \
    }
#define TREEFOLD_BEGIN(name, data, procedure)                                                                          \
    Request name(data buf, int count, const Datatype &datatype) const                                                  \
    {                                                                                                                  \
        MPI_Request request = MPI_REQUEST_NULL;                                                                        \
        check(procedure(c(), buf, count, datatype, &request));                                                         \
        return request;                                                                                                \
    }
#define TREEFOLD_BEGIN_AT(name, data, procedure)                                                                       \
    Request name(Offset offset, data buf, int count, const Datatype &datatype) const                                   \
    {                                                                                                                  \
        MPI_Request request = MPI_REQUEST_NULL;                                                                        \
        check(procedure(c(), offset, buf, count, datatype, &request));                                                 \
        return request;                                                                                                \
    }
#define TREEFOLD_SPLIT_END(name, data, procedure)                                                                      \
    void name##_end(data buf, Status &status) const                                                                    \
    {                                                                                                                  \
        check(procedure##_end(c(), buf, status.c()));                                                                  \
    }                                                                                                                  \
    void name##_end(data buf) const                                                                                    \
    {                                                                                                                  \
        check(procedure##_end(c(), buf, MPI_STATUS_IGNORE));                                                           \
    }
#define TREEFOLD_SPLIT(name, data, procedure)                                                                          \
    void name##_begin(data buf, int count, const Datatype &datatype) const                                             \
    {                                                                                                                  \
        check(procedure##_begin(c(), buf, count, datatype));                                                           \
    }                                                                                                                  \
    TREEFOLD_SPLIT_END(name, data, procedure)
#define TREEFOLD_SPLIT_AT(name, data, procedure)                                                                       \
    void name##_begin(Offset offset, data buf, int count, const Datatype &datatype) const                              \
    {                                                                                                                  \
        check(procedure##_begin(c(), offset, buf, count, datatype));                                                   \
    }                                                                                                                  \
    TREEFOLD_SPLIT_END(name, data, procedure)

    /* clang-format off */
    TREEFOLD_MOVE_AT(Read_at, void *, MPI_File_read_at)
    TREEFOLD_MOVE_AT(Read_at_all, void *, MPI_File_read_at_all)
    TREEFOLD_BEGIN_AT(Iread_at, void *, MPI_File_iread_at)
    TREEFOLD_SPLIT_AT(Read_at_all, void *, MPI_File_read_at_all)
    TREEFOLD_MOVE_AT(Write_at, const void *, MPI_File_write_at)
    TREEFOLD_MOVE_AT(Write_at_all, const void *, MPI_File_write_at_all)
    TREEFOLD_BEGIN_AT(Iwrite_at, const void *, MPI_File_iwrite_at)
    TREEFOLD_SPLIT_AT(Write_at_all, const void *, MPI_File_write_at_all)
    TREEFOLD_MOVE(Read, void *, MPI_File_read)
    TREEFOLD_MOVE(Read_all, void *, MPI_File_read_all)
    TREEFOLD_BEGIN(Iread, void *, MPI_File_iread)
    TREEFOLD_SPLIT(Read_all, void *, MPI_File_read_all)
    TREEFOLD_MOVE(Write, const void *, MPI_File_write)
    TREEFOLD_MOVE(Write_all, const void *, MPI_File_write_all)
    TREEFOLD_BEGIN(Iwrite, const void *, MPI_File_iwrite)
    TREEFOLD_SPLIT(Write_all, const void *, MPI_File_write_all)
    TREEFOLD_MOVE(Read_shared, void *, MPI_File_read_shared)
    TREEFOLD_BEGIN(Iread_shared, void *, MPI_File_iread_shared)
    TREEFOLD_MOVE(Read_ordered, void *, MPI_File_read_ordered)
    TREEFOLD_SPLIT(Read_ordered, void *, MPI_File_read_ordered)
    TREEFOLD_MOVE(Write_shared, const void *, MPI_File_write_shared)
    TREEFOLD_BEGIN(Iwrite_shared, const void *, MPI_File_iwrite_shared)
    TREEFOLD_MOVE(Write_ordered, const void *, MPI_File_write_ordered)
    TREEFOLD_SPLIT(Write_ordered, const void *, MPI_File_write_ordered)
    /* clang-format on */

#undef TREEFOLD_MOVE
#undef TREEFOLD_MOVE_AT
#undef TREEFOLD_BEGIN
#undef TREEFOLD_BEGIN_AT
#undef TREEFOLD_SPLIT
#undef TREEFOLD_SPLIT_AT
#undef TREEFOLD_SPLIT_END
};

} // namespace detail
} // namespace MPI

#endif
