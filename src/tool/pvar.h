/* pvar.h - performance variables (MPI-5.0 section 15.3.7): their rows, and what their handles count.
 *
 * The library counts from its start on, and what it counts is never set back; a handle keeps where it has been started.
 */
#ifndef TF_TOOL_PVAR_H
#define TF_TOOL_PVAR_H

#include "base/listen.h"
#include "net/counts.h"
#include "plan/collective.h"
#include "tool/tool.h"

struct tf_pvar {
    const char *name, *folder, *sentence;
    int class;                                   /* MPI_T_PVAR_CLASS_... */
    uint64_t (*now)(const struct tf_pvar *pvar); /* of a timer nanoseconds; NULL: of a transport */
    const struct tf_net *net;
    enum tf_net_count count;
    enum tf_coll coll; /* of a state */
};
/* That row; its name is in the row, but that of a state. */
struct tf_pvar tf_pvar_row(int row);
int tf_pvar_count(void);
const char *tf_pvar_folder(int row);
/* The variable of a collective's algorithm. */
int tf_pvar_of_coll(enum tf_coll coll);

/* Levels and states are what they are now, whatever a handle does. */
static inline bool tf_pvar_is_continuous(const struct tf_pvar *pvar)
{
    return pvar->class == MPI_T_PVAR_CLASS_LEVEL || pvar->class == MPI_T_PVAR_CLASS_STATE;
}
uint64_t tf_pvar_now(const struct tf_pvar *pvar);

/* What the started handles of a high water mark have to know: the level is this now. */
void tf_pvar_hear(enum tf_news news);
/* What the started handles want to hear of; and that the time waited is measured where one wants it. */
unsigned tf_pvar_wants(void);

#endif
