/* survive.c - what the layers below are told of this one. */
#include "survive/survive.h"

#include "comm/part.h"
#include "survive/pact.h"
#include "survive/revoke.h"

static void start(struct tf_comm *comm)
{
    tf_revoke_start(comm);
    tf_pact_start(comm);
}

void tf_survive_setup(void)
{
    static const struct tf_part part = {.start = start, .destroy = tf_pact_destroy};
    tf_part_hang(TF_PART_PACT, &part);
    tf_revoke_setup();
    tf_pact_setup();
}
