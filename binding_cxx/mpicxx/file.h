/* file.h - MPI::File (MPI-2.2 chapter 13), data representations, and their callbacks. */
#ifndef TREEFOLD_MPICXX_FILE_H
#define TREEFOLD_MPICXX_FILE_H

namespace MPI
{

#ifndef TREEFOLD_IGNORE_CXX_SEEK
const int SEEK_SET = MPI_SEEK_SET, SEEK_CUR = MPI_SEEK_CUR, SEEK_END = MPI_SEEK_END;
#endif

class File : public detail::file
{
  public:
    TREEFOLD_CONSTEXPR File(detail::number n) : file(n)
    {
    }
    File(MPI_File c = MPI_FILE_NULL) : file(c)
    {
    }
    bool operator==(const File &other) const
    {
        return c() == other.c();
    }
    bool operator!=(const File &other) const
    {
        return c() != other.c();
    }

    /* ---- the file: section 13.2 ---- */

    static File Open(const Intracomm &comm, const char *filename, int amode, const Info &info)
    {
        MPI_File made = MPI_FILE_NULL;
        detail::check(MPI_File_open(comm, filename, amode, info, &made));
        return made;
    }
    void Close()
    {
        MPI_File file = c();
        detail::check(MPI_File_close(&file));
        set(file);
    }
    static void Delete(const char *filename, const Info &info)
    {
        detail::check(MPI_File_delete(filename, info));
    }
    void Set_size(Offset size) const
    {
        detail::check(MPI_File_set_size(c(), size));
    }
    void Preallocate(Offset size) const
    {
        detail::check(MPI_File_preallocate(c(), size));
    }
    Offset Get_size() const
    {
        MPI_Offset size = 0;
        detail::check(MPI_File_get_size(c(), &size));
        return size;
    }
    Group Get_group() const
    {
        MPI_Group group = MPI_GROUP_NULL;
        detail::check(MPI_File_get_group(c(), &group));
        return group;
    }
    int Get_amode() const
    {
        int amode = 0;
        detail::check(MPI_File_get_amode(c(), &amode));
        return amode;
    }
    void Set_info(const Info &info) const
    {
        detail::check(MPI_File_set_info(c(), info));
    }
    Info Get_info() const
    {
        MPI_Info info = MPI_INFO_NULL;
        detail::check(MPI_File_get_info(c(), &info));
        return info;
    }

    /* ---- the view: section 13.3 ---- */

    void Set_view(Offset disp, const Datatype &etype, const Datatype &filetype, const char *datarep,
                  const Info &info) const
    {
        detail::check(MPI_File_set_view(c(), disp, etype, filetype, datarep, info));
    }
    void Get_view(Offset &disp, Datatype &etype, Datatype &filetype, char *datarep) const
    {
        MPI_Datatype c_etype = MPI_DATATYPE_NULL, c_filetype = MPI_DATATYPE_NULL;
        detail::check(MPI_File_get_view(c(), &disp, &c_etype, &c_filetype, datarep));
        etype = c_etype;
        filetype = c_filetype;
    }

    /* ---- places: section 13.4; access is in the base class ---- */

    void Seek(Offset offset, int whence) const
    {
        detail::check(MPI_File_seek(c(), offset, whence));
    }
    Offset Get_position() const
    {
        MPI_Offset offset = 0;
        detail::check(MPI_File_get_position(c(), &offset));
        return offset;
    }
    Offset Get_byte_offset(Offset disp) const
    {
        MPI_Offset bytes = 0;
        detail::check(MPI_File_get_byte_offset(c(), disp, &bytes));
        return bytes;
    }
    void Seek_shared(Offset offset, int whence) const
    {
        detail::check(MPI_File_seek_shared(c(), offset, whence));
    }
    Offset Get_position_shared() const
    {
        MPI_Offset offset = 0;
        detail::check(MPI_File_get_position_shared(c(), &offset));
        return offset;
    }

    /* ---- representation and consistency: sections 13.5 and 13.6 ---- */

    Aint Get_type_extent(const Datatype &datatype) const
    {
        MPI_Aint extent = 0;
        detail::check(MPI_File_get_type_extent(c(), datatype, &extent));
        return extent;
    }
    void Set_atomicity(bool flag) const
    {
        detail::check(MPI_File_set_atomicity(c(), flag));
    }
    bool Get_atomicity() const
    {
        int flag = 0;
        detail::check(MPI_File_get_atomicity(c(), &flag));
        return flag != 0;
    }
    void Sync() const
    {
        detail::check(MPI_File_sync(c()));
    }

    /* ---- error handlers: section 8.3.3 ---- */

    typedef void Errhandler_function(File &file, int *error_code, ...);
    typedef Errhandler_function Errhandler_fn;
    static inline Errhandler Create_errhandler(Errhandler_function *function);
    inline void Set_errhandler(const Errhandler &errhandler) const;
    Errhandler Get_errhandler() const
    {
        MPI_Errhandler errhandler = MPI_ERRHANDLER_NULL;
        detail::check(MPI_File_get_errhandler(c(), &errhandler));
        return errhandler;
    }
    void Call_errhandler(int error_code) const
    {
        MPI_File_call_errhandler(c(), error_code);
        detail::throw_kept();
    }
};

typedef void Datarep_extent_function(const Datatype &datatype, Aint &file_extent, void *extra_state);
typedef void Datarep_conversion_function(void *userbuf, Datatype &datatype, int count, void *filebuf, Offset position,
                                         void *extra_state);
static Datarep_conversion_function *const CONVERSION_FN_NULL = 0;

namespace detail
{

inline void call_file_errhandler(MPI_File file, int error_code, void *context)
{
    File object(file);
    try {
        reinterpret_cast<File::Errhandler_function *>(context)(object, &error_code);
    } catch (...) {
        keep();
    }
}

inline void throw_file_exception(File &, int *error_code, ...)
{
    throw Exception(*error_code);
}

inline MPI_Errhandler file_throwing()
{
    MPI_Errhandler &errhandler = throwing_handlers()[FOR_FILES];
    if (errhandler == MPI_ERRHANDLER_NULL)
        errhandler = File::Create_errhandler(throw_file_exception);
    return errhandler;
}

/* ---- data representations ---- */

struct datarep {
    Datarep_conversion_function *read, *write;
    Datarep_extent_function *extent;
    void *extra_state;
};

inline int convert(Datarep_conversion_function *function, void *userbuf, MPI_Datatype c_datatype, int count,
                   void *filebuf, MPI_Offset position, const datarep *from)
{
    Datatype datatype(c_datatype);
    try {
        function(userbuf, datatype, count, filebuf, position, from->extra_state);
        return MPI_SUCCESS;
    } catch (...) {
        keep();
        return MPI_ERR_CONVERSION;
    }
}

inline int call_datarep_read(void *userbuf, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position,
                             void *context)
{
    const datarep *from = static_cast<datarep *>(context);
    return convert(from->read, userbuf, datatype, count, filebuf, position, from);
}

inline int call_datarep_write(void *userbuf, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position,
                              void *context)
{
    const datarep *from = static_cast<datarep *>(context);
    return convert(from->write, userbuf, datatype, count, filebuf, position, from);
}

inline int call_datarep_extent(MPI_Datatype datatype, MPI_Aint *extent, void *context)
{
    const datarep *from = static_cast<datarep *>(context);
    try {
        from->extent(Datatype(datatype), *extent, from->extra_state);
        return MPI_SUCCESS;
    } catch (...) {
        keep();
        return MPI_ERR_CONVERSION;
    }
}

} // namespace detail

/* What is registered stays until the program ends. */
inline void Register_datarep(const char *name, Datarep_conversion_function *read, Datarep_conversion_function *write,
                             Datarep_extent_function *extent, void *extra_state)
{
    detail::datarep functions = {read, write, extent, extra_state}, *context = new detail::datarep(functions);
    int error = MPI_Register_datarep(name, read ? detail::call_datarep_read : MPI_CONVERSION_FN_NULL,
                                     write ? detail::call_datarep_write : MPI_CONVERSION_FN_NULL,
                                     detail::call_datarep_extent, context);
    if (error != MPI_SUCCESS)
        delete context;
    detail::check(error);
}

inline Errhandler File::Create_errhandler(Errhandler_function *function)
{
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;
    detail::check(MPIX_File_create_errhandler_x(detail::call_file_errhandler, 0, detail::pointer(function), &made));
    return made;
}

inline void File::Set_errhandler(const Errhandler &errhandler) const
{
    detail::check(
        MPI_File_set_errhandler(c(), errhandler.throws() ? detail::file_throwing() : MPI_Errhandler(errhandler)));
}

} // namespace MPI

#endif
