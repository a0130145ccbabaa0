// SPDX-License-Identifier: BSD-3-Clause
// Complex matrices and their real form, in which entry a + i b is the block
// [[a, -b], [b, a]]: rows and columns 2 k and 2 k + 1 are the real and the
// imaginary part of complex row and column k.
#pragma once

#include "lib/matrix/entries.h"

// A list of complex entries: of their real and of their imaginary parts, at the
// same positions in the same order. All zero is empty.
struct lcl_pairs {
    struct lcl_entries re, im;
};

void lcl_pairs_finish(struct lcl_pairs *P);

// The symmetry of the imaginary parts.
static inline enum lcl_symmetry lcl_imaginary(enum lcl_symmetry symmetry)
{
    return symmetry == LCL_HERMITIAN ? LCL_SKEW_SYMMETRIC : symmetry;
}

// The least block of whole pairs of which `block` rows are a part.
static inline int lcl_block_of_pairs(int block)
{
    return block % 2 == 0 ? block : 2 * block;
}

// As lcl_csr_from_entries(), for the real form of a complex matrix. A->rows and
// A->cols are those of the real form.
enum lcl_status lcl_csr_from_pairs(struct lcl_csr *A, const struct lcl_pairs *P,
                                   enum lcl_symmetry symmetry,
                                   int64_t *duplicates,
                                   const struct lcl_log *log);

// Whether A is the real form of a complex matrix. A is well-formed. Logs the
// first row that is not. Returns LCL_OK or LCL_EFORMAT.
enum lcl_status lcl_csr_check_pairs(const struct lcl_csr *A,
                                    const struct lcl_log *log);

// The entries of the real form of all of P, also those of the other triangle.
// E is empty on entry. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_entries_of_pairs(struct lcl_entries *E,
                                     const struct lcl_pairs *P,
                                     enum lcl_symmetry symmetry,
                                     const struct lcl_log *log);
