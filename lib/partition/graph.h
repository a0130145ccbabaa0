// SPDX-License-Identifier: BSD-3-Clause
// Undirected graphs of matrices, in METIS format.
#pragma once

#include "lib/partition/weights.h"

#include <metis.h>

// Neighbours of vertex v are adj[ptr[v]] .. adj[ptr[v+1]-1]; every edge is
// stored at both ends, with the same weight.
struct lcl_graph {
    idx_t n;
    idx_t *ptr;
    idx_t *adj;
    idx_t *weight; // NULL: every edge has weight 1
};

// End of the longest window of rows that starts at `first` and whose graph is
// guaranteed to have at most `edges` entries; at least one row.
int64_t lcl_graph_window(const struct lcl_csr *A, int64_t first, int64_t edges);

// Builds the graph of A + A^T without its diagonal, for the rows and columns of
// the window [first, last). The larger of a_ij and a_ji determines the weight.
// Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_graph_create(struct lcl_graph *G, const struct lcl_csr *A,
                                 int64_t first, int64_t last,
                                 const struct lcl_weighing *W,
                                 const struct lcl_log *log);

// Builds the subgraph of `count` vertices of G, renumbered by their position in
// `member`, which ascends. `position` is scratch: G->n numbers, all -1 on entry
// and on return. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_graph_extract(struct lcl_graph *S,
                                  const struct lcl_graph *G,
                                  const idx_t *member, idx_t count,
                                  idx_t *position, const struct lcl_log *log);

void lcl_graph_finish(struct lcl_graph *G);

// Vertices grouped by label: label p has member[start[p]] ..
// member[start[p+1]-1], ascending.
struct lcl_groups {
    idx_t *start;
    idx_t *member;
};

// Groups n vertices by their labels 0 .. labels-1. Returns LCL_OK or
// LCL_ENOMEM.
enum lcl_status lcl_groups_create(struct lcl_groups *groups, const idx_t *label,
                                  idx_t n, idx_t labels,
                                  const struct lcl_log *log);
void lcl_groups_finish(struct lcl_groups *groups);
