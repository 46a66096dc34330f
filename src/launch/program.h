/* program.h - whether a program that is to be spawned is there, and the folder in which it is to run.
 *
 * Programs and their files have the same names on all hosts (doc/launching.md), so this process can look before it asks
 * a launcher that ends the job, or says nothing, where there is none.
 */
#ifndef TF_PROGRAM_H
#define TF_PROGRAM_H

#include "launch/launch.h"

/* The value of that hint, or NULL. */
const char *tf_program_hint(const struct tf_launch_app *app, const char *key);
/* Its file, as launchers look for it: by its name if that has a slash, from the folder in which it is to run on; else
 * in the folders of the hint `path`, in those of PATH, in that folder.  To be freed.  NULL: MPI_ERR_SPAWN or
 * MPI_ERR_NO_MEM, recorded, is *err. */
char *tf_program_find(const struct tf_launch_app *app, int *err);

#endif
