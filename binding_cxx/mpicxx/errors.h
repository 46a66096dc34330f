/* errors.h - MPI::Exception, and how an exception passes the C library: not at all.
 *
 * The error handler ERRORS_THROW_EXCEPTIONS (MPI-2.2 section 16.1.8), and callbacks in C++ that throw, are called from
 * C. What they throw is kept there (detail::keep), the C procedure returns with an error as it does after any error
 * handler, and whoever has called it in C++ throws again (detail::check).
 */
#ifndef TREEFOLD_MPICXX_ERRORS_H
#define TREEFOLD_MPICXX_ERRORS_H

#include <exception>

#if __cplusplus >= 201103L
#define TREEFOLD_CONSTEXPR constexpr
#else
#define TREEFOLD_CONSTEXPR
#endif

namespace MPI
{

class Exception
{
  public:
    Exception(int error_code) : code(error_code)
    {
        int length;
        if (MPI_Error_class(code, &error_class) != MPI_SUCCESS)
            error_class = MPI_ERR_UNKNOWN;
        if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
            text[0] = '\0';
    }
    int Get_error_code() const
    {
        return code;
    }
    int Get_error_class() const
    {
        return error_class;
    }
    const char *Get_error_string() const
    {
        return text;
    }

  private:
    int code, error_class;
    char text[MPI_MAX_ERROR_STRING];
};

namespace detail
{

#if __cplusplus >= 201103L
inline std::exception_ptr &kept()
{
    static thread_local std::exception_ptr exception;
    return exception;
}

inline void keep()
{
    kept() = std::current_exception();
}

inline void throw_kept()
{
    std::exception_ptr exception;
    exception.swap(kept());
    if (exception)
        std::rethrow_exception(exception);
}
#else
/* The code of an MPI::Exception is all that can be kept. */
inline int &kept()
{
    static __thread int code;
    return code;
}

inline void keep()
{
    try {
        throw;
    } catch (const Exception &exception) {
        kept() = exception.Get_error_code();
    }
}

inline void throw_kept()
{
    int code = kept();
    kept() = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        throw Exception(code);
}
#endif

inline void check(int error_code)
{
    if (error_code != MPI_SUCCESS)
        throw_kept();
}

/* Functions have no place among the bits of a pointer to objects, says C++98; on all systems of this ABI they have. */
template <class Function> void *pointer(Function *function)
{
    return reinterpret_cast<void *>(function);
}

/* MPI-2.2 has arrays of bool where C has arrays of int.  Of no array C says what is wrong. */
class ints
{
  public:
    explicit ints(int n) : data(new int[n > 0 ? n : 1])
    {
    }
    ints(int n, const bool from[]) : data(from ? new int[n > 0 ? n : 1] : 0)
    {
        for (int i = 0; from && i < n; i++)
            data[i] = from[i];
    }
    ~ints()
    {
        delete[] data;
    }
    operator int *()
    {
        return data;
    }
    void give(int n, bool to[]) const
    {
        for (int i = 0; i < n; i++)
            to[i] = data[i] != 0;
    }

  private:
    ints(const ints &);
    ints &operator=(const ints &);
    int *data;
};

} // namespace detail
} // namespace MPI

#endif
