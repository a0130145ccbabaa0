// SPDX-License-Identifier: BSD-3-Clause
// Factors of blocks in a storage.
#include "packed_block.cl"
#include "store.cl"
