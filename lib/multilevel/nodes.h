// SPDX-License-Identifier: BSD-3-Clause
// Nodes of several consecutive rows, for the smoothed aggregation of systems
// (cl/multilevel/nodes.cl). Matrices have single entries.
#pragma once

#include "lib/multilevel/strength.h"

struct lcl_nodes {
    lcl_context *ctx;
    int block; // rows of a node
    // One row per node; entry (I, J) is the Frobenius norm of block (I, J).
    struct lcl_device_matrix graph;
    // entries of the matrix, uint32: entry k is in entry place[k] / block^2
    lcl_buffer *place;
};

// `block` divides the rows of the square matrix A. All functions return LCL_OK,
// LCL_ERANGE, LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM; on error
// there is nothing to free.
enum lcl_status lcl_nodes_init(struct lcl_nodes *N, lcl_context *ctx,
                               const struct lcl_device_matrix *A, int block);
void lcl_nodes_finish(struct lcl_nodes *N);

// F = I - w D_F^-1 A_F with w = 4 / (3 lambda), where A_F has the entries of A
// inside nodes and between the nodes that the filtered matrix of S couples.
// Reads the number of entries.
enum lcl_status lcl_nodes_filter(struct lcl_device_matrix *F,
                                 const struct lcl_nodes *N,
                                 const struct lcl_device_matrix *A,
                                 const struct lcl_strength *S,
                                 const lcl_buffer *lambda);

// Enqueues: every stored diagonal entry of A that is 0 becomes 1.
enum lcl_status lcl_unit_diagonal(lcl_context *ctx,
                                  const struct lcl_device_matrix *A);
