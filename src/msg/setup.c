/* setup.c - what msg/ tells the layers below of itself: what it keeps of a peer,
 * and who handles which messages. */
#include "msg/accord.h"
#include "msg/leave.h"
#include "msg/lost.h"
#include "msg/match.h"
#include "msg/meet.h"
#include "msg/msg.h"
#include "msg/peer.h"
#include "msg/request.h"
#include "msg/share.h"
#include "msg/transfer.h"

void tf_msg_setup(void)
{
    tf_msg_peers_setup();
    tf_match_setup();
    tf_meet_setup();
    tf_send_setup();
    tf_accord_setup();
    tf_cancel_setup();
    tf_credit_setup();
    tf_share_setup();
    tf_leave_setup();
    tf_lost_setup();
}
