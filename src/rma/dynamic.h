/* dynamic.h - the memory attached to a dynamic window. */
#ifndef TF_DYNAMIC_H
#define TF_DYNAMIC_H

#include "rma/apply.h"
#include "rma/win.h"

struct tf_attach {
    uintptr_t base, end;
};

/* Whether all bytes that the operation is about are attached; if not, `words` say which are not. */
bool tf_dynamic_covers(const struct tf_win *win, const struct tf_apply *a, char *words, size_t n);

/* Whether all those bytes of a neighbor are attached, as far as it tells: it has room for some attachments only. */
bool tf_dynamic_is_told(const struct tf_target *target, uintptr_t at, size_t bytes);

#endif
