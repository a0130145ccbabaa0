// SPDX-License-Identifier: BSD-3-Clause
// Reference of the factorisation (Mehta et al., Algorithm 4.4), on CSR.
#pragma once

#include <levelcl/precond.h>

// Factors of the subdomains of B: subdomain p is the rows part_ptr[p] ..
// part_ptr[p+1]-1, entries outside it do not count. B and part_ptr are the
// caller's and outlive the factors.
struct lcl_ref_ildu0 {
    const struct lcl_csr *B;
    const int64_t *part_ptr; // parts + 1
    int64_t parts;
    double *val;        // nnz: L and U at the places of B's entries
    double *inv_d;      // n
    unsigned char *bad; // n: the pivot was small, before any shift
    int64_t repaired;   // how many were
};

// Factors B; params->type (IC0: negative pivots count as small), pivot and
// pivot_tol (0: 1e-10) are looked at. With LCL_PIVOT_FAIL small pivots are
// counted and boosted.
// Returns LCL_OK or LCL_ENOMEM; *F is then all zero.
enum lcl_status lcl_ref_ildu0_init(struct lcl_ref_ildu0 *F,
                                   const struct lcl_csr *B,
                                   const int64_t *part_ptr, int64_t parts,
                                   const struct lcl_precond_params *params);
void lcl_ref_ildu0_finish(struct lcl_ref_ildu0 *F);
