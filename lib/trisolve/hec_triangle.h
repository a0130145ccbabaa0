// SPDX-License-Identifier: BSD-3-Clause
// A triangular matrix in HEC with its rows sorted by level, and its solve
// (cl/trisolve/hec_level.cl).
#pragma once

#include "lib/factor/levels.h"
#include "lib/spmv/hec.h"

struct lcl_hec_triangle {
    int64_t n;
    struct lcl_levels levels;
    struct lcl_hec hec;
    // The sorted rows in CSR, which receive the values; no columns.
    struct lcl_device_matrix rows;
    lcl_buffer *source; // of its entries
    lcl_buffer *perm, *level_ptr;
    lcl_kernel *take, *level;
    lcl_kernel *chain; // NULL: each level has a launch
    int group;         // of hec_level
    // Only if all levels are one launch, in which rows wait for others:
    bool waits;
    int32_t waves;        // at most one row per lane, all of one level
    lcl_buffer *wave_ptr; // waves + 1
    lcl_buffer *ticket;   // int32
    lcl_kernel *begin, *wait;
};

struct lcl_hec_triangle_params {
    int64_t width;     // as in lcl_hec_split_init(), at most the length of the
                       // longest row
    bool reversed;     // row i is row n - 1 - i of b and y: an upper triangular
                       // matrix in reverse order
    bool few_launches; // rows wait for others in one launch where they may;
                       // elsewhere levels of few rows share a launch. False:
                       // one launch for each level
};

// Sorts the rows of a lower triangular pattern L, in which columns ascend and
// each row ends with its diagonal, by level: 0 for a row that has no other
// entry, else one more than the largest level of its columns. source[k] belongs
// to entry k of L and is as in hec_level.cl. Returns LCL_OK, LCL_EINVAL
// (width < 0), LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; *T is fit
// for lcl_hec_triangle_finish() in any case.
enum lcl_status lcl_hec_triangle_init(struct lcl_hec_triangle *T,
                                      lcl_context *ctx, const struct lcl_csr *L,
                                      const uint32_t *source,
                                      const struct lcl_hec_triangle_params *p);
void lcl_hec_triangle_finish(struct lcl_hec_triangle *T);

// Takes the values of the slots.
enum lcl_status lcl_hec_triangle_update(const struct lcl_hec_triangle *T,
                                        const lcl_buffer *slot_val);

// Enqueues v->y = T^-1 v->x; `x` holds n + 1 doubles, the
// last one 0, and v->x may be v->y.
enum lcl_status lcl_hec_triangle_solve(const struct lcl_hec_triangle *T,
                                       const struct lcl_operands *v,
                                       lcl_buffer *x);
