/* shm.h - processes of one node, one by one. */
#ifndef TF_SHM_H
#define TF_SHM_H

/* In the place of the transport's open(), which is collective: local, where the launcher has memory. */
int tf_shm_join(void);

#endif
