/* handles.h - what all handles have in common: they hold the C handle and nothing else, they are copied and compared as
 * it is, and they convert to it and from it (MPI-2.2 section 16.1.5 and 16.3.4).
 *
 * An array of them is an array of C handles.  The number is kept rather than the C handle, which is a pointer that a
 * constant expression cannot make: so the predefined ones are there before any constructor runs.
 */
#ifndef TREEFOLD_MPICXX_HANDLES_H
#define TREEFOLD_MPICXX_HANDLES_H

namespace MPI
{

typedef MPI_Aint Aint;
typedef MPI_Offset Offset;

namespace detail
{

struct number {
    intptr_t value;
};

template <class C> class handle
{
  public:
    TREEFOLD_CONSTEXPR handle(number n) : value(n.value)
    {
    }
    handle(C c) : value(reinterpret_cast<intptr_t>(c))
    {
    }
    operator C() const
    {
        return reinterpret_cast<C>(value);
    }

  protected:
    C c() const
    {
        return reinterpret_cast<C>(value);
    }
    void set(C c)
    {
        value = reinterpret_cast<intptr_t>(c);
    }

  private:
    intptr_t value;
};

template <class C, class T> C *array(T *handles)
{
    return reinterpret_cast<C *>(handles);
}

template <class C, class T> const C *array(const T *handles)
{
    return reinterpret_cast<const C *>(handles);
}

} // namespace detail
} // namespace MPI

#endif
