// SPDX-License-Identifier: BSD-3-Clause
// What a square matrix on the device looks like: the facts from which a method
// is chosen.
#pragma once

#include "lib/operator/matrix.h"
#include "lib/vector/space.h"

struct lcl_look {
    bool symmetric;             // lib/operator/symmetry.h
    int64_t positive, negative; // diagonal entries; all others are 0 or missing
    int64_t close; // rows that their diagonal does not dominate: sum_j |a_ij| >
                   // LOOK_CLOSE |a_ii|, j /= i
    int64_t loose; // rows with more than LOOK_LOOSE |a_ii|
    double opposite; // weight of the couplings of the sign opposite to a_ii, as
                     // in lib/multilevel/couplings.h
    double couplings; // their number
    double squares;   // sum over rows of the square of their number
};

// All fields but `symmetric`, in one pass over A, the matrix of the operator
// with the range V or, of a distributed one, its own columns; supports blocks.
// Collective. Returns LCL_OK, LCL_ESELFTEST (impossible numbers), LCL_EBUILD,
// LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM; on error *look is all zero.
enum lcl_status lcl_look_measure(struct lcl_look *look,
                                 const struct lcl_space *V,
                                 const struct lcl_device_matrix *A);

// All fields, of a square matrix in host memory, in two passes.
void lcl_look_host(struct lcl_look *look, const struct lcl_csr *A);

// The sums over all rows of cl/operator/look.cl, LOOK_SUMS of them: in plain C,
// also as the reference of the kernel, and into the fields of *look.
void lcl_look_host_sums(double *sums, const struct lcl_csr *A);
void lcl_look_take(struct lcl_look *look, const double *sums);

// Whether a symmetric matrix may be definite: its diagonal has one sign.
static inline bool lcl_look_is_definite(const struct lcl_look *look, int64_t n)
{
    return look->symmetric && (look->positive == n || look->negative == n);
}
