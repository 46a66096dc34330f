/* numbers.h - Fortran's REAL(2) and REAL(16) for tests, in terms that every compiler has; not the library's own. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <float.h>
#include <math.h>
#include <stdint.h>

/* Of 113 digits: any other real fits in it. */
#if LDBL_MANT_DIG == 64
typedef __float128 quad;
#else
typedef long double quad;
#endif

/* What a half is worth: IEEE's binary16, of which these are the bits. */
static inline quad quad_of_half(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double value = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                   : exponent     ? ldexp(fraction + 1024, exponent - 25)
                                  : ldexp(fraction, -24);
    return half >> 15 ? -value : value;
}

/* Rounded to the nearest, and to an even one in the middle: the value in units of the last place, whole ones and the
 * rest.  An exponent more is 1024 more, and what overflows is infinite. */
static inline uint16_t half_of_quad(quad x)
{
    int sign = signbit(x) ? 0x8000 : 0, exponent = 0;
    if (x != x)
        return (uint16_t)(sign | 0x7e00);
    quad units = (sign ? -x : x) * (1 << 24);
    for (; units >= 2048 && exponent < 30; exponent++)
        units /= 2;
    if (exponent == 30)
        return (uint16_t)(sign | 0x7c00);
    int whole = (int)units;
    quad rest = units - whole;
    whole += rest * 2 > 1 || (rest * 2 == 1 && whole % 2);
    return (uint16_t)(sign | ((exponent << 10) + whole));
}

#endif
