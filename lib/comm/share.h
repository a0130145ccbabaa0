// SPDX-License-Identifier: BSD-3-Clause
// The rows of the whole matrix that belong to a rank.
#pragma once

#include <stdint.h>

// Row i of the rank is row first + i of the caller's `total` rows or, with
// `perm`, the caller's row perm[first + i]. Rows of a Kronecker system are
// block rows.
struct lcl_share {
    int64_t first, rows, total; // total 0: no other ranks
    const int32_t *perm;
};

// The caller's row of row i in the concatenation of all ranks' rows.
static inline int64_t lcl_share_row(const struct lcl_share *S, int64_t i)
{
    return S->perm ? S->perm[i] : i;
}
