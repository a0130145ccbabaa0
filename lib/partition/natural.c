// SPDX-License-Identifier: BSD-3-Clause
// Chunks of consecutive rows.
#include "lib/partition/partition.h"

// As few chunks as the limit allows, equally long: no short one at the end.
enum lcl_status lcl_partition_natural(int32_t *label, const struct lcl_csr *A,
                                      int64_t rows)
{
    const int64_t n = A->rows;
    const int64_t chunks = (n - 1) / rows + 1;
    const int64_t length = (n - 1) / chunks + 1;
    for (int64_t i = 0; i < n; ++i)
        label[i] = (int32_t)(i / length);
    return LCL_OK;
}
