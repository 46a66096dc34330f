/* regions.h - whether windows go by the network's own reads and writes. */
#ifndef TF_NET_REGIONS_H
#define TF_NET_REGIONS_H

#include "base/settings.h"

/* What a transport that can do so says of itself (net->regions); `fabric`: without the other side's processor. */
static inline bool tf_regions_are_wanted(bool fabric)
{
    return tf_settings.network_windows == TF_WINDOWS_ON || (tf_settings.network_windows == TF_WINDOWS_AUTO && fabric);
}

#endif
