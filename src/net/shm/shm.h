/* shm.h - processes of one node, one by one. */
#ifndef TF_SHM_H
#define TF_SHM_H

#include <stdbool.h>

/* In the place of the transport's open(), which is collective: local, where the launcher has memory. */
int tf_shm_join(void);
/* Whether the memory that this process makes for others is a file in /dev/shm, and not anonymous: by the setting,
 * because they could not open that through /proc, or because the system has none. */
bool tf_shm_makes_files(void);

#endif
