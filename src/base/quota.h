/* quota.h - how many processors' worth of time this process's control group may use.
 */
#ifndef TF_BASE_QUOTA_H
#define TF_BASE_QUOTA_H

/* Rounded up, at least 1; INT_MAX where nothing limits it.  Read once, as it takes some ten files. */
int tf_quota(void);
/* The same, of the group that the file `own` names (/proc/self/cgroup), where the groups are folders below `root`. */
int tf_quota_of(const char *root, const char *own);

#endif
