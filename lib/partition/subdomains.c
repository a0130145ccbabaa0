// SPDX-License-Identifier: BSD-3-Clause
// Subdomains: the rows of a matrix, distributed over parts that may overlap.
#include "lib/partition/subdomains.h"

#include "host/alloc.h"
#include "host/log.h"

enum lcl_status lcl_subdomains_allocate(struct lcl_subdomains *P, int64_t n,
                                        int64_t parts,
                                        const struct lcl_log *log)
{
    P->n = n;
    P->part_ptr = lcl_calloc((size_t)parts + 1, sizeof *P->part_ptr);
    P->row = lcl_malloc((size_t)n, sizeof *P->row);
    return P->part_ptr && P->row ? LCL_OK
                                 : lcl_fail_memory(log, "the subdomains");
}

void lcl_subdomains_finish(struct lcl_subdomains *P)
{
    lcl_free(P->aggregate);
    lcl_free(P->owned);
    lcl_buffer_destroy(&P->device);
    lcl_free(P->row);
    lcl_free(P->part_ptr);
    *P = (struct lcl_subdomains){0};
}

enum lcl_status lcl_subdomains_download(struct lcl_subdomains *P,
                                        const struct lcl_log *log)
{
    const size_t rows = (size_t)lcl_subdomains_rows(P);
    if (P->row)
        return LCL_OK;
    P->row = lcl_malloc(rows, sizeof *P->row);
    return P->row ? lcl_buffer_read(P->device, P->row, rows * sizeof *P->row)
                  : lcl_fail_memory(log, "the subdomains");
}
