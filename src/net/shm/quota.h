/* quota.h - how many processors' worth of time this process's control group may use.
 */
#ifndef TF_SHM_QUOTA_H
#define TF_SHM_QUOTA_H

/* Rounded up, at least 1; INT_MAX where nothing limits it. */
int tf_shm_quota(void);

#endif
