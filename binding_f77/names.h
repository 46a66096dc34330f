/* names.h - the external names of what Fortran programs call.
 *
 * mpi_x is a weak alias of pmpi_x: a profiling tool written in Fortran may define it.  Both call MPI_X of C, so that a
 * tool written in C sees the calls of Fortran programs (MPI-5.0 section 15.2.1).
 */
#ifndef TF_NAMES_H
#define TF_NAMES_H

#include "config.h"

#define TF_STRING(name) #name
#define TF_NAME(name) TF_STRING(name)
#define TF_ALIAS_OF(name, target)                                                                                      \
    extern __typeof(target) name __attribute__((weak, alias(TF_NAME(target)), visibility("default")));

/* What other compilers, and options such as -fno-underscoring and -fsecond-underscore, make of a name: the forms beside
 * that of the compiler which configure found.  In upper case procedures have it alone: functions and blocks are macros
 * of mpi.h. */
#define tf_form 1
#define tf_form_ 2
#define tf_form__ 3
#define TF_FORM 4
#if FC_FUNC_(tf_form, TF_FORM) == 1
#define TF_LOWER_NAMES(DO, lower, target) DO(lower##_, target) DO(lower##__, target)
#elif FC_FUNC_(tf_form, TF_FORM) == 2
#define TF_LOWER_NAMES(DO, lower, target) DO(lower, target) DO(lower##__, target)
#elif FC_FUNC_(tf_form, TF_FORM) == 3
#define TF_LOWER_NAMES(DO, lower, target) DO(lower, target) DO(lower##_, target)
#else
#define TF_LOWER_NAMES(DO, lower, target) DO(lower, target) DO(lower##_, target) DO(lower##__, target)
#endif
#if FC_FUNC_(tf_form, TF_FORM) == 4
#define TF_UPPER_NAME(UPPER, target)
#else
#define TF_UPPER_NAME(UPPER, target) TF_ALIAS_OF(UPPER, target)
#endif
#undef tf_form
#undef tf_form_
#undef tf_form__
#undef TF_FORM

/* Of a definition that has the compiler's form already. */
#define TF_OTHERS(lower, UPPER) TF_LOWER_NAMES(TF_ALIAS_OF, lower, FC_FUNC_(lower, UPPER))
/* All forms of a name, for something that is defined under another one. */
#define TF_ALSO(lower, UPPER, target)                                                                                  \
    TF_ALIAS_OF(FC_FUNC_(lower, UPPER), target)                                                                        \
    TF_LOWER_NAMES(TF_ALIAS_OF, lower, target)                                                                         \
    TF_UPPER_NAME(UPPER, target)
/* Beside a definition of pmpi_x: mpi_x, and all other forms of both. */
#define TF_ALIAS(lower, UPPER)                                                                                         \
    TF_ALSO(lower, UPPER, FC_FUNC_(p##lower, P##UPPER))                                                                \
    TF_LOWER_NAMES(TF_ALIAS_OF, p##lower, FC_FUNC_(p##lower, P##UPPER))                                                \
    TF_UPPER_NAME(P##UPPER, FC_FUNC_(p##lower, P##UPPER))

/* Whether a function that a program has passed is the one of that name. */
#define TF_OR_IS(name, fn) || (fn) == (tf_function *)name
#define TF_IS_ANY(fn, lower, UPPER) ((fn) == (tf_function *)FC_FUNC_(lower, UPPER) TF_LOWER_NAMES(TF_OR_IS, lower, fn))
/* The same procedure, where TYPE(C_PTR) takes the address that comes out. */
#define TF_CPTR(lower, UPPER)                                                                                          \
    TF_ALSO(lower##_cptr, UPPER##_CPTR, FC_FUNC_(p##lower, P##UPPER))                                                  \
    TF_ALSO(p##lower##_cptr, P##UPPER##_CPTR, FC_FUNC_(p##lower, P##UPPER))

#endif
