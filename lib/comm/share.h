// SPDX-License-Identifier: BSD-3-Clause
// Which rows of the whole matrix a rank has.
#pragma once

#include <stdint.h>

// Row i of the rank is the caller's row first + i of `total` or, with `perm`,
// the caller's row perm[first + i]. Rows of a Kronecker system are block rows.
struct lcl_share {
    int64_t first, rows, total; // total 0: there are no other ranks
    const int32_t *perm;
};

// The caller's row of row i of all ranks, in their order.
static inline int64_t lcl_share_row(const struct lcl_share *S, int64_t i)
{
    return S->perm ? S->perm[i] : i;
}
