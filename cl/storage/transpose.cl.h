// SPDX-License-Identifier: BSD-3-Clause
// Transposition: sizes that kernels and host share.
#pragma once

// Entries of a row that fit in local memory, for each lane of its team.
#define TRANSPOSE_KEYS(width) ((width) < 32 ? 512 / (width) : 16)
