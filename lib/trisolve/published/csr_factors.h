// SPDX-License-Identifier: BSD-3-Clause
// The factors in the format of the published triangular solves: L and U in CSR,
// each with the rows of a subdomain by its own levels, so that the rows of a
// level and their entries are contiguous and each entry stores its row; D^-1 is
// separate. For factors of
// blocks, entries and diagonal are blocks too, in row-major order.
#pragma once

#include "lib/trisolve/trisolve.h"

// A strict triangle of all subdomains; row and column numbers are relative to
// the first row of the subdomain.
struct lcl_csr_triangle {
    int64_t entries;
    // By level: level l of subdomain p has the rows order[k] from k =
    // level_ptr[first_level[p] + l] to level_ptr[... + 1] - 1. NULL: row k is
    // row k
    lcl_buffer *first_level, *level_ptr, *order;
    int levels_max;        // maximum over the subdomains
    double levels_mean;    // and their mean
    lcl_buffer *row_ptr;   // n + 1, of the rows in this order
    lcl_buffer *row, *col; // entries, 16 bits
    lcl_buffer *slot;      // entries: slot of the value in the packed factor
    lcl_buffer *val;
};

// How L, D and U are split.
enum lcl_csr_split {
    LCL_SPLIT_L_D_U, // L and U have unit diagonals; ILDU0 factors
    LCL_SPLIT_LD_U,  // L has the diagonal, U a unit diagonal; any factors
};

struct lcl_csr_factors {
    const struct lcl_factor *factor;
    enum lcl_csr_split split;
    lcl_kernel *take_entries, *take_diagonal;
    lcl_kernel *invert_diagonal, *times_diagonal; // LCL_SPLIT_LD_U
    lcl_buffer *part_ptr;
    struct lcl_csr_triangle lower, upper;
    lcl_buffer *inv_d; // n
    lcl_buffer *d;     // n; LCL_SPLIT_LD_U
};

// Uploads the patterns of a schedule, with rows `by_level` or in their own
// order; the factor must outlive *C. Returns LCL_OK, LCL_EUNSUPPORTED (nearly
// 2^32 slots), LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on error *C
// is fit for lcl_csr_factors_finish().
enum lcl_status lcl_csr_factors_init(struct lcl_csr_factors *C,
                                     lcl_context *ctx,
                                     const struct lcl_factor *factor,
                                     const struct lcl_host_schedule *schedule,
                                     bool by_level, enum lcl_csr_split split);
void lcl_csr_factors_finish(struct lcl_csr_factors *C);

// Converts the current values of the factor.
enum lcl_status lcl_csr_factors_update(const struct lcl_csr_factors *C);

// Sets the levels of a method to those of L.
void lcl_csr_factors_describe(struct lcl_trisolve_method *T,
                              const struct lcl_csr_factors *C);

// lcl_trisolve_rows_most() of kernels that keep nothing but the vector of a
// subdomain in local memory.
int64_t lcl_csr_factors_rows_most(const struct lcl_caps *caps, int block);

// Build options of a published kernel: one large work-group per subdomain,
// whose vector fits in local memory.
struct lcl_spec lcl_csr_factors_spec(const struct lcl_caps *caps,
                                     const struct lcl_factor *factor,
                                     const char *source, const char *kernel);
