// SPDX-License-Identifier: BSD-3-Clause
// Reference of the factorisation (Mehta et al., Algorithm 4.4) in CSR.
#pragma once

#include <levelcl/precond.h>

// Factors of the subdomains of B: subdomain p has rows part_ptr[p] ..
// part_ptr[p+1]-1; entries outside it are ignored. B and part_ptr must outlive
// the factors.
struct lcl_ref_ildu0 {
    const struct lcl_csr *B;
    const int64_t *part_ptr; // parts + 1
    int64_t parts;
    double relax;       // share of the dropped fill that goes to the diagonal
    double *val;        // nnz: L and U at the positions of B's entries
    double *inv_d;      // n
    unsigned char *bad; // n: the pivot was small, before any shift
    int64_t repaired;   // number of small pivots
};

// Factors B; of params, reads type (IC0: negative pivots count as small),
// pivot, relax and pivot_tol (0: 1e-10). With LCL_PIVOT_FAIL, counts and boosts
// small pivots. Returns LCL_OK or LCL_ENOMEM; *F is then all zero.
enum lcl_status lcl_ref_ildu0_init(struct lcl_ref_ildu0 *F,
                                   const struct lcl_csr *B,
                                   const int64_t *part_ptr, int64_t parts,
                                   const struct lcl_precond_params *params);
void lcl_ref_ildu0_finish(struct lcl_ref_ildu0 *F);
