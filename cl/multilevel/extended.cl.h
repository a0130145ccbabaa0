// SPDX-License-Identifier: BSD-3-Clause
// Sizes of extended interpolation, shared with the host.
#pragma once

// Candidates of a row, with the row itself; rows with more are interpolated
// from their strong coarse neighbours only
#define EXTENDED_KEYS 128
// Slots of the hash table; a wave inserts at most one column more per lane
#define EXTENDED_SLOTS 256
#define EXTENDED_MOST  8 // entries of a row of P, at most
