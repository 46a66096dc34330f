/* revoke.h - how the word goes round that a communicator is revoked.
 *
 *     kind     context              tag
 *     REVOKE   the communicator's   1 of an intercommunicator, whose joint communicator has the next context
 *
 * Who hears it for the first time passes it on to all others before anything else: so it comes to everybody who lives,
 * even if the first one has died while it said so.
 */
#ifndef TF_REVOKE_H
#define TF_REVOKE_H

#include "comm/comm.h"

/* A communicator has got its context: it may have been revoked by then. */
void tf_revoke_start(struct tf_comm *comm);
void tf_revoke_setup(void);

#endif
