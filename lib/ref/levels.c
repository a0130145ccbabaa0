// SPDX-License-Identifier: BSD-3-Clause
// Reference of the level assignment (Mehta et al., Algorithm 4.2).
#include "lib/ref/levels.h"

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// When row i is reached, its U^T dependences have been pushed by the rows
// above; it pulls those in L, and pushes its own level along U.
static int32_t settle_row(const struct lcl_csr *B, int64_t i, int64_t first,
                          int64_t last, int32_t *level)
{
    int32_t own = level[i - first];
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k) {
        const int64_t j = B->col_ind[k];
        if (j >= first && j < i)
            own = larger(own, level[j - first] + 1);
    }
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k) {
        const int64_t j = B->col_ind[k];
        if (j > i && j < last)
            level[j - first] = larger(level[j - first], own + 1);
    }
    return level[i - first] = own;
}

int32_t lcl_ref_levels(const struct lcl_csr *B, int64_t first, int64_t last,
                       int32_t *level)
{
    for (int64_t i = first; i < last; ++i)
        level[i - first] = 0;
    int32_t levels = 0;
    for (int64_t i = first; i < last; ++i)
        levels = larger(levels, settle_row(B, i, first, last, level) + 1);
    return levels;
}
