// SPDX-License-Identifier: BSD-3-Clause
// Properties of a square matrix on the device, from which a method is chosen.
#pragma once

#include "lib/storage/matrix.h"

// Rounding errors of a symmetric matrix stay far below this; one differing
// entry in a million exceeds it.
#define LCL_SYMMETRY_TOLERANCE 1e-10

struct lcl_properties {
    bool symmetric;             // asymmetry <= LCL_SYMMETRY_TOLERANCE
    double asymmetry;           // |<u, A w> - <w, A u>| / sum of the |a_ij|, or
                                // 1 if a sample of entries refutes symmetry
    int64_t positive, negative; // diagonal entries; all others are 0 or missing
    int64_t close; // rows that their diagonal does not dominate: sum_j |a_ij| >
                   // PROPERTIES_CLOSE |a_ii|, j /= i
    int64_t loose; // rows with more than PROPERTIES_LOOSE |a_ii|
    // Sum of abs(a_ij), j /= i, over the couplings of the sign opposite to a_ii
    // (those below 0 where a_ii is 0), divided by the sum over all; 0 without
    // couplings, or if the sums are not finite
    double opposite;
    double couplings; // their number
    bool penalty;     // PROPERTIES_PENALTY: rows whose unknown is prescribed
    double squares;   // sum over rows of the square of their number
    // `symmetric` and `asymmetry` are those without the columns of lone rows
    // (lib/storage/lone.h), and the diagonal has one sign
    bool aside;
};

// The PROPERTIES_SUMS sums of cl/storage/properties.cl over all rows, in one
// pass over A; supports blocks. Returns LCL_OK, LCL_ESELFTEST (impossible
// numbers), LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_properties_sums(double *sum, lcl_context *ctx,
                                    const struct lcl_device_matrix *A);

// A matrix in host memory like struct lcl_bsr; row pointers have 64 bits or, in
// `narrow`, 32.
struct lcl_properties_matrix {
    int64_t rows, cols; // of blocks
    int block;
    const int64_t *row_ptr;
    const uint32_t *narrow;
    const int32_t *col_ind;
    const double *val;
};

struct lcl_properties_matrix lcl_properties_matrix_of(const struct lcl_bsr *A);

static inline int64_t lcl_properties_row(const struct lcl_properties_matrix *A,
                                         int64_t i)
{
    return A->row_ptr ? A->row_ptr[i] : A->narrow[i];
}

// The same sums for a matrix in host memory, by several threads. If a sample of
// entries refutes symmetry, the two sums of the asymmetry are made equal.
// Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_properties_host_sums(double *sum,
                                         const struct lcl_properties_matrix *A,
                                         const struct lcl_log *log);

// The two sums of the asymmetry without columns of lone rows
// (lib/storage/lone.h), of a square matrix of block size 1; equal if a sample
// refutes symmetry. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_properties_host_aside(double sum[2],
                                          const struct lcl_properties_matrix *A,
                                          const struct lcl_log *log);

// Adds the contribution of entry a_ij to the two sums of the asymmetry.
void lcl_properties_add_asymmetry(double sum[2], int64_t i, int64_t j,
                                  double a);

// Computes the properties from the sums.
void lcl_properties_from_sums(struct lcl_properties *properties,
                              const double *sum);

// Finds the properties of A, square and of block size 1, without the columns of
// lone rows, unless it is symmetric: if the rest is symmetric and may be
// definite, *P has those of the rest. Returns LCL_OK or a status of
// lcl_properties_sums().
enum lcl_status lcl_properties_aside(struct lcl_properties *P, lcl_context *ctx,
                                     const struct lcl_device_matrix *A);

// Finds the properties of a square matrix in host memory, with `aside` as
// above. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_properties_host(struct lcl_properties *properties,
                                    const struct lcl_csr *A, bool aside,
                                    const struct lcl_log *log);

static inline bool lcl_properties_has_one_sign(
    const struct lcl_properties *properties, int64_t n)
{
    return properties->positive == n || properties->negative == n;
}

// Whether a symmetric matrix may be definite.
static inline bool lcl_properties_is_definite(
    const struct lcl_properties *properties, int64_t n)
{
    return properties->symmetric && lcl_properties_has_one_sign(properties, n);
}

// The two steps of lcl_properties_aside(): whether the columns of lone rows may
// make the difference, as they are dominated; and what the sums of the rest
// say.
bool lcl_properties_may_set_aside(const struct lcl_properties *P, int64_t n);
void lcl_properties_set_aside(struct lcl_properties *P, const double sum[2]);
