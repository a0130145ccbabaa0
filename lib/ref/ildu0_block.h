// SPDX-License-Identifier: BSD-3-Clause
// Reference of the factorisation of a block matrix.
#pragma once

#include <levelcl/precond.h>

// Factors of the subdomains of a block matrix: B is the pattern of its blocks,
// the values of B are not read; block k has the block^2 entries from k *
// block^2 on, row-major. Subdomains as in struct lcl_ref_ildu0.
struct lcl_ref_ildu0_block {
    const struct lcl_csr *B;
    int block;
    const int64_t *part_ptr; // parts + 1
    int64_t parts;
    double *val;        // nnz blocks: L and U at the positions of B's entries
    double *inv_d;      // n blocks
    unsigned char *bad; // n: a pivot was small, before any shift
    int64_t repaired;   // number of block rows with a small pivot
};

// Factors the blocks `val`; parameters and statuses as lcl_ref_ildu0_init().
enum lcl_status lcl_ref_ildu0_block_init(
    struct lcl_ref_ildu0_block *F, const struct lcl_csr *B, const double *val,
    int block, const int64_t *part_ptr, int64_t parts,
    const struct lcl_precond_params *params);
void lcl_ref_ildu0_block_finish(struct lcl_ref_ildu0_block *F);

// x = L^-1 b or, with_d, (L D)^-1 b on each subdomain; b may be x.
void lcl_ref_lower_block(const struct lcl_ref_ildu0_block *F, bool with_d,
                         const double *b, double *x);

// x = (L D U)^-1 b, or (L U)^-1 b for ILU0, on each subdomain; b may be x.
void lcl_ref_trisolve_block(const struct lcl_ref_ildu0_block *F,
                            const double *b, double *x);
