// SPDX-License-Identifier: BSD-3-Clause
// Orders of elimination: permutations of the rows of a matrix for its factors.
#pragma once

#include <levelcl/precond.h>

struct lcl_graph; // lib/partition/graph.h

// perm[i] is the row of A that is eliminated as number i. Depends on the
// pattern of A + A^T alone; A is square, its columns ascend. NONE: the
// identity. Returns LCL_OK, LCL_ERANGE (too many couplings for METIS) or
// LCL_ENOMEM.
enum lcl_status lcl_order_find(int32_t *perm, const struct lcl_csr *A,
                               enum lcl_order order, const struct lcl_log *log);

// Reverse Cuthill-McKee (Cuthill and McKee, Proc. 24th Nat. Conf. ACM (1969);
// George and Liu, Computer Solution of Large Sparse Positive Definite Systems
// (1981), section 4.3): each component by breadth-first search from a vertex
// far from others, neighbours by ascending degree, then by number; all
// reversed. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_order_rcm(int32_t *perm, const struct lcl_graph *G,
                              const struct lcl_log *log);

// Nested dissection by METIS. Returns LCL_OK, LCL_EINVAL (METIS fails) or
// LCL_ENOMEM.
enum lcl_status lcl_order_nested(int32_t *perm, const struct lcl_graph *G,
                                 const struct lcl_log *log);
