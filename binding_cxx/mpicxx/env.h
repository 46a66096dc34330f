/* env.h - the procedures of no class (MPI-2.2 chapters 3, 8 and 12). */
#ifndef TREEFOLD_MPICXX_ENV_H
#define TREEFOLD_MPICXX_ENV_H

#include <stdarg.h>

namespace MPI
{

inline void Init(int &argc, char **&argv)
{
    detail::check(MPI_Init(&argc, &argv));
}
inline void Init()
{
    detail::check(MPI_Init(0, 0));
}
inline int Init_thread(int &argc, char **&argv, int required)
{
    int provided = MPI_THREAD_SINGLE;
    detail::check(MPI_Init_thread(&argc, &argv, required, &provided));
    return provided;
}
inline int Init_thread(int required)
{
    int provided = MPI_THREAD_SINGLE;
    detail::check(MPI_Init_thread(0, 0, required, &provided));
    return provided;
}
inline void Finalize()
{
    detail::check(MPI_Finalize());
}
inline bool Is_initialized()
{
    int flag = 0;
    detail::check(MPI_Initialized(&flag));
    return flag != 0;
}
inline bool Is_finalized()
{
    int flag = 0;
    detail::check(MPI_Finalized(&flag));
    return flag != 0;
}
inline int Query_thread()
{
    int provided = MPI_THREAD_SINGLE;
    detail::check(MPI_Query_thread(&provided));
    return provided;
}
inline bool Is_thread_main()
{
    int flag = 0;
    detail::check(MPI_Is_thread_main(&flag));
    return flag != 0;
}

inline void Get_version(int &version, int &subversion)
{
    detail::check(MPI_Get_version(&version, &subversion));
}
inline void Get_processor_name(char *name, int &length)
{
    detail::check(MPI_Get_processor_name(name, &length));
}
inline double Wtime()
{
    return MPI_Wtime();
}
inline double Wtick()
{
    return MPI_Wtick();
}
/* A profiling tool that wants what follows the level has it from C. */
inline void Pcontrol(const int level, ...)
{
    detail::check(MPI_Pcontrol(level));
}

inline int Get_error_class(int error_code)
{
    int error_class = MPI_ERR_UNKNOWN;
    detail::check(MPI_Error_class(error_code, &error_class));
    return error_class;
}
inline void Get_error_string(int error_code, char *text, int &length)
{
    detail::check(MPI_Error_string(error_code, text, &length));
}
inline int Add_error_class()
{
    int error_class = MPI_ERR_UNKNOWN;
    detail::check(MPI_Add_error_class(&error_class));
    return error_class;
}
inline int Add_error_code(int error_class)
{
    int error_code = MPI_ERR_UNKNOWN;
    detail::check(MPI_Add_error_code(error_class, &error_code));
    return error_code;
}
inline void Add_error_string(int error_code, const char *text)
{
    detail::check(MPI_Add_error_string(error_code, text));
}

inline void Attach_buffer(void *buffer, int size)
{
    detail::check(MPI_Buffer_attach(buffer, size));
}
inline int Detach_buffer(void *&buffer)
{
    int size = 0;
    detail::check(MPI_Buffer_detach(&buffer, &size));
    return size;
}
inline void *Alloc_mem(Aint size, const Info &info)
{
    void *base = 0;
    detail::check(MPI_Alloc_mem(size, info, &base));
    return base;
}
inline void Free_mem(void *base)
{
    detail::check(MPI_Free_mem(base));
}
inline Aint Get_address(const void *location)
{
    Aint address = 0;
    detail::check(MPI_Get_address(location, &address));
    return address;
}

} // namespace MPI

#endif
