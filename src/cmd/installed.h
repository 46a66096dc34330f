/* installed.h - where a file of the installation is, also if that has been moved or copied. */
#ifndef TF_INSTALLED_H
#define TF_INSTALLED_H

/* `path` as it was configured, but under the folder above the one of this program if it is there.  In `moved`, of
 * PATH_MAX characters, where the two differ. */
const char *tf_installed(const char *path, char *moved);

#endif
