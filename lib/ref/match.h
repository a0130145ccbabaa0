// SPDX-License-Identifier: BSD-3-Clause
// Reference of the matching: subdomains by contracting a weighted graph, and
// aggregates of subdomains by contracting further.
#pragma once

#include <levelcl/matrix.h>
#include <levelcl/precond.h>

// Neighbours of vertex i are adj[ptr[i]] .. adj[ptr[i+1]-1]; each edge is
// stored at both ends with the same weight. Entries of weight 0 are no edges.
struct lcl_ref_graph {
    int64_t n;
    uint32_t *ptr;
    int32_t *adj;
    uint32_t *weight;
    uint32_t *size; // rows of a vertex
};

// All zero but adj and weight.
enum lcl_status lcl_ref_graph_init(struct lcl_ref_graph *G, int64_t n,
                                   int64_t entries);
void lcl_ref_graph_finish(struct lcl_ref_graph *G);

// The graph of A + A^T, one vertex per block row. If the pattern of A is
// symmetric, G has it including the diagonal, of weight 0; otherwise it has the
// off-diagonal entries of A + A^T. Without `weighted`, all couplings have the
// strength 1. All functions return LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_ref_match_graph(struct lcl_ref_graph *G,
                                    const struct lcl_bsr *A, bool weighted);

// mate[i]: the vertex that i is paired with, or -1; pairs have at most `limit`
// rows. With `leaves`, pairs also vertices without a free neighbour.
enum lcl_status lcl_ref_match_pairs(int32_t *mate,
                                    const struct lcl_ref_graph *G,
                                    uint32_t limit, bool leaves);

// Breaks the pairs of the lowest rating so that `most` vertices are left.
enum lcl_status lcl_ref_match_cut(int32_t *mate, const struct lcl_ref_graph *G,
                                  int64_t most);

// coarse[i]: number of the pair of i, in the order of the pairs' first
// vertices. Returns the number of pairs and single vertices.
int64_t lcl_ref_match_number(int32_t *coarse, const int32_t *mate, int64_t n);

// C: the graph of the sets of vertices with the same label, below `count`.
enum lcl_status lcl_ref_match_contract(struct lcl_ref_graph *C,
                                       const struct lcl_ref_graph *G,
                                       const int32_t *label, int64_t count);

// One round of refinement: part[i] of the vertices and rows[p] of the parts.
enum lcl_status lcl_ref_match_refine(int32_t *part, uint32_t *rows,
                                     int64_t parts,
                                     const struct lcl_ref_graph *G,
                                     uint32_t limit, uint32_t round);

struct lcl_ref_match {
    int64_t n, parts, aggregates;
    int32_t *perm;      // n, new -> old
    int64_t *part_ptr;  // parts + 1
    int32_t *aggregate; // parts, ascending
};

// Subdomains of at most `limit` block rows, and at most `most` aggregates of
// them.
enum lcl_status lcl_ref_match_init(struct lcl_ref_match *M,
                                   const struct lcl_bsr *A, uint32_t limit,
                                   bool weighted, int64_t most);
void lcl_ref_match_finish(struct lcl_ref_match *M);
