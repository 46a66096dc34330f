/* call.h - what the bindings of collectives share. */
#ifndef TF_BINDING_CALL_H
#define TF_BINDING_CALL_H

#include "coll/coll.h"

/* In two parts, since the compiler clears up to about 96 bytes with a few stores and more of them with a string
 * instruction, which alone would take a third of a short collective's binding. */
static inline void clear_call(struct tf_call *call)
{
    enum { FIRST = sizeof *call / 16 * 8 };
    memset(call, 0, FIRST);
    memset((char *)call + FIRST, 0, sizeof *call - FIRST);
}

#endif
