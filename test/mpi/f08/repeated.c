/* repeated.c - for pieces.f90. */
#include "../c/repeated.h"

void *repeated_vector(int64_t bytes, int64_t period)
{
    return repeated((size_t)bytes, (size_t)period);
}
