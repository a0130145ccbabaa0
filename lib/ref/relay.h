// SPDX-License-Identifier: BSD-3-Clause
// Reference of the words that a relay's kernels exchange with the host.
#pragma once

#include <stdint.h>

// A double as two words with the tag in their upper halves.
void lcl_ref_relay_put(uint64_t *low, uint64_t *high, uint32_t tag,
                       double value);

// A message of x[row[k]], k < count, that `groups` groups pack, as
// cl/comm/relay.cl.h describes; nothing else is written.
void lcl_ref_relay_pack(int64_t count, const int32_t *row, const double *x,
                        uint32_t tag, int groups, uint64_t *message);
