/* order.h - what MPI_Comm_spawn is to start, of the arguments and hints that count at the root: checked, and as the
 * launcher gets it.
 *
 *     soft   "1:8:2,16"   numbers of processes that will do, of which the greatest up to maxprocs is taken
 *     file   PATH         a file with more hints, one "KEY=VALUE" a line
 *
 * and the launcher's: wdir, host, path, and with Treefold's mpiexec env (NAME=VALUE, one a line).
 */
#ifndef TF_ORDER_H
#define TF_ORDER_H

#include "launch/launch.h"

struct tf_spawn_order {
    struct tf_launch_app *apps;
    int napps;
    int wanted, number; /* processes that were asked for, and that are to be started */
};

/* MPI_ERR_SPAWN, MPI_ERR_ARG and so on; after an error too it is to be freed. */
int tf_order_take(struct tf_spawn_order *order, int count, char *const commands[], char **const argvs[],
                  const int maxprocs[], const MPI_Info infos[]);
void tf_order_free(struct tf_spawn_order *order);

#endif
