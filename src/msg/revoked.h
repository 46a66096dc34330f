/* revoked.h - which communicators have been revoked: those that this process has, and those that it does not have, not
 * yet or not any more, of which messages may still come.
 */
#ifndef TF_REVOKED_H
#define TF_REVOKED_H

#include <stdbool.h>
#include <stdint.h>

/* How many of this process's communicators are revoked: while there are any, who sends looks whether it is one. */
extern uint32_t tf_revoked_any;

/* A communicator that this process does not have has been revoked. */
void tf_revoked_note(uint64_t context);
/* One that it had, and that was revoked, goes. */
void tf_revoked_leave(uint64_t context);
/* Whether that is one of these. */
bool tf_revoked_is(uint64_t context);

#endif
