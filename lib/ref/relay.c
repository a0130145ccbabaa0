// SPDX-License-Identifier: BSD-3-Clause
// Reference of the words that a relay's kernels exchange with the host.
#include "lib/ref/relay.h"

#include "cl/comm/relay.cl.h"

#include <string.h>

void lcl_ref_relay_put(uint64_t *low, uint64_t *high, uint32_t tag,
                       double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    *low = (uint64_t)tag << 32 | (bits & 0xffffffff);
    *high = (uint64_t)tag << 32 | bits >> 32;
}

void lcl_ref_relay_pack(int64_t count, const int32_t *row, const double *x,
                        uint32_t tag, int groups, uint64_t *message)
{
    for (int g = 0; g < groups; ++g)
        message[g * RELAY_APART] = (uint64_t)tag << 32 | (unsigned)groups;
    for (int64_t k = 0; k < count; ++k)
        memcpy(&message[RELAY_GROUPS * RELAY_APART + k], &x[row[k]], sizeof *x);
}
