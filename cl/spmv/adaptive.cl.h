// SPDX-License-Identifier: BSD-3-Clause
// Kinds of tiles of adaptive.cl, shared with the host.
#pragma once

// Kinds 0 to 6: log2 of the lanes per row.
#define LCL_TILE_WHOLE  7
#define LCL_TILE_SUMMED 8
