// SPDX-License-Identifier: BSD-3-Clause
// Merges the subdomains of a matrix by the definition of their graph.
#include "lib/ref/aggregate.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/multilevel/aggregate.h"

static int64_t part_of(const int64_t *part_ptr, int64_t row)
{
    int64_t p = 0;
    while (part_ptr[p + 1] <= row)
        ++p;
    return p;
}

// The couplings of subdomain p with each one.
static void count_couplings(double *count, const struct lcl_csr *B,
                            const int64_t *part_ptr, int64_t parts, int64_t p)
{
    for (int64_t q = 0; q < parts; ++q)
        count[q] = 0;
    for (int64_t k = B->row_ptr[part_ptr[p]]; k < B->row_ptr[part_ptr[p + 1]];
         ++k)
        ++count[part_of(part_ptr, B->col_ind[k])];
}

static void fill_graph(struct lcl_csr *G, double *count,
                       const struct lcl_csr *B, const int64_t *part_ptr)
{
    for (int64_t p = 0; p < G->rows; ++p) {
        count_couplings(count, B, part_ptr, G->rows, p);
        for (int64_t q = 0; q < G->rows; ++q)
            if (count[q] > 0) {
                G->col_ind[G->nnz] = (int32_t)q;
                G->val[G->nnz++] = count[q];
            }
        G->row_ptr[p + 1] = G->nnz;
    }
}

enum lcl_status lcl_ref_aggregate(int32_t *aggregate, int64_t *count,
                                  const struct lcl_csr *B,
                                  const int64_t *part_ptr, int64_t parts,
                                  int64_t most, const struct lcl_log *log)
{
    const size_t edges = (size_t)B->row_ptr[B->rows];
    double *couplings = lcl_malloc((size_t)parts, sizeof *couplings);
    struct lcl_csr G = {
        .rows = parts,
        .cols = parts,
        .row_ptr = lcl_calloc((size_t)parts + 1, sizeof *G.row_ptr),
        .col_ind = lcl_malloc(edges, sizeof *G.col_ind),
        .val = lcl_malloc(edges, sizeof *G.val),
    };
    enum lcl_status st = LCL_OK;
    if (!couplings || !G.row_ptr || !G.col_ind || !G.val)
        st = lcl_fail_memory(log, "the graph of the subdomains");
    if (st == LCL_OK) {
        fill_graph(&G, couplings, B, part_ptr);
        st = lcl_aggregate_graph(aggregate, count, &G, most, log);
    }
    lcl_free(couplings);
    lcl_csr_finish(&G);
    return st;
}
