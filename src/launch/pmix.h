/* pmix.h - what the files of the client of PMIx share: the library's functions, this process, and look-ups. */
#ifndef TF_PMIX_H
#define TF_PMIX_H

#include <pmix.h>

#include "base/library.h"
#include "launch/launch.h"

#define TF_PMIX_FUNCTIONS(f)                                                                                           \
    f(PMIx_Init) f(PMIx_Finalize) f(PMIx_Abort) f(PMIx_Put) f(PMIx_Commit) f(PMIx_Fence) f(PMIx_Get) f(PMIx_Get_nb)    \
        f(PMIx_Query_info_nb) f(PMIx_Register_event_handler) f(PMIx_Spawn) f(PMIx_Publish) f(PMIx_Lookup)              \
            f(PMIx_Unpublish) f(PMIx_Error_string) f(PMIx_Get_version)
struct tf_pmix {
    TF_PMIX_FUNCTIONS(TF_LIBRARY_MEMBER)
};
extern struct tf_pmix tf_pmix;
extern pmix_proc_t tf_pmix_self;

/* The value of `key`, to be freed with its string; NULL: *status says why. */
pmix_value_t *tf_pmix_look_up(pmix_rank_t rank, const char *key, pmix_data_type_t type, pmix_status_t *status);

void tf_pmix_psets(void); /* pmix_psets.c */

/* pmix_grow.c, as client.h has them; and at the start, what the environment says of this job's parent. */
void tf_pmix_take_parent(void);
int tf_pmix_spawn(const struct tf_launch_app *apps, int napps, const char *port, char *job, size_t capacity);
bool tf_pmix_parent(char *port, size_t capacity);
int tf_pmix_publish(const char *service, const char *port);
int tf_pmix_unpublish(const char *service);
int tf_pmix_lookup(const char *service, char *port, size_t capacity);

#endif
