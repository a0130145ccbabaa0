// SPDX-License-Identifier: BSD-3-Clause
// A matrix of blocks and its factors.
#include "bsr.cl"
#include "ildu0_block.cl"
#include "judge.cl"
#include "symbolic.cl"
#include "to_blocks.cl"
