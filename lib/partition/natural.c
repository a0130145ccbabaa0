// SPDX-License-Identifier: BSD-3-Clause
// Partition into chunks of consecutive rows.
#include "lib/partition/partition.h"

// As few chunks as the limit allows, of equal length: no short one at the end.
enum lcl_status lcl_partition_natural(struct lcl_subdomains *P,
                                      const struct lcl_csr *A, int64_t rows,
                                      const struct lcl_log *log)
{
    const int64_t n = A->rows;
    const int64_t length = (n - 1) / ((n - 1) / rows + 1) + 1;
    const int64_t chunks = (n - 1) / length + 1;
    const enum lcl_status st = lcl_subdomains_allocate(P, n, chunks, log);
    if (st < 0)
        return st;
    P->parts = chunks;
    for (int64_t p = 1; p < chunks; ++p)
        P->part_ptr[p] = p * length;
    P->part_ptr[chunks] = n;
    for (int64_t i = 0; i < n; ++i)
        P->row[i] = (int32_t)i;
    return LCL_OK;
}
