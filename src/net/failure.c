/* failure.c - a process that cannot be reached any more: its transport says so, and what is done about it is decided
 * here, which today is to end the job.
 */
#include "net/net.h"

#include "base/listen.h"

#include <stdarg.h>
#include <stdio.h>

void tf_net_peer_failed(struct tf_peer *peer, const char *format, ...)
{
    char words[1000];
    va_list args;
    if (peer->failed || tf_job.left)
        return;
    peer->failed = true;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    tf_listen_tell(TF_NEWS_FAILED, peer->rank);
    tf_fatal(1, "treefold[%d]: %s", tf_job.rank, words);
}
