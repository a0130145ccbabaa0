// SPDX-License-Identifier: BSD-3-Clause
// y = A x for A in CSR, rows in two bins by their length: the kernels of
// Gogusdere, "MMI713 Term Project - Phase 3 Report" (METU 2025), section IV.C.
// Short rows: spmv_bin0, one work-item per row. Long rows: spmv_bin1, one wave
// per row, whose lanes read side by side and add up by lane exchange (a
// butterfly instead of the report's shift down: lane 0 gets the same sum).
// The rows are row_ids[first_id .. first_id + rows - 1].
// LCL_SINGLE: values, x and y are fp32, as in the report.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
//
// Launch: any number of groups; groups without a row in the first round exit,
//         others loop over further rows.
// Determinism: fixed order.
#include "index.cl.h"
#include "wave.cl.h"

static inline real strided_dot(index_t from, index_t to, uint step,
                               global const int *col, global const real *val,
                               global const real *x)
{
    real sum = 0;
    for (index_t j = from; j < to; j += step)
        sum += val[j] * x[col[j]];
    return sum;
}

WORK_GROUP
kernel void spmv_bin0(global const int *restrict row_ids, long first_id,
                      long rows, global const index_t *restrict row_ptr,
                      global const int *restrict col,
                      global const real *restrict val,
                      global const real *restrict x, global real *restrict y,
                      global const int *stop, int at)
{
    if (stop[at])
        return;
    for (RANGE(k, rows)) {
        const int i = row_ids[first_id + k];
        y[i] = strided_dot(row_ptr[i], row_ptr[i + 1], 1, col, val, x);
    }
}

WORK_GROUP
kernel void spmv_bin1(global const int *restrict row_ids, long first_id,
                      long rows, global const index_t *restrict row_ptr,
                      global const int *restrict col,
                      global const real *restrict val,
                      global const real *restrict x, global real *restrict y,
                      global const int *stop, int at)
{
    local real scratch[LCL_GROUP];
    const long waves = LCL_GROUP / LCL_WIDTH;
    const uint lane = get_local_id(0) % LCL_WIDTH;
    if (stop[at])
        return;
    for (long first = get_group_id(0) * waves; first < rows;
         first += get_num_groups(0) * waves) {
        const long k = first + get_local_id(0) / LCL_WIDTH;
        const int i = k < rows ? row_ids[first_id + k] : 0;
        real sum = 0;
        if (k < rows)
            sum = strided_dot(row_ptr[i] + lane, row_ptr[i + 1], LCL_WIDTH, col,
                              val, x);
        sum = wave_sum(sum, LCL_WIDTH, scratch);
        if (k < rows && lane == 0)
            y[i] = sum;
    }
}
