// SPDX-License-Identifier: BSD-3-Clause
// Values of a triangle in CSR from a packed factor, times or over the diagonal:
//     val[k] = s_k d_i  or  s_k / d_i,    s_k = slot_val[slot[k]],
// where i is the row or the column of entry k, whatever `index` holds.
//
// Data:   index[k] counts from the first row of the subdomain.
// Launch: one group a subdomain.
// Determinism: bitwise.
#include "wave.cl.h"

WORK_GROUP
kernel void scaled_values(global const uint *part_ptr,
                          global const uint *row_ptr,
                          global const ushort *index, global const uint *slot,
                          global const double *slot_val,
                          global const double *inv_d, int divide,
                          global double *val)
{
    const uint p = get_group_id(0), first = part_ptr[p];
    const uint end = row_ptr[part_ptr[p + 1]];
    for (uint k = row_ptr[first] + get_local_id(0); k < end; k += LCL_GROUP) {
        const double s = slot_val[slot[k]], inverse = inv_d[first + index[k]];
        val[k] = divide ? s * inverse : s / inverse;
    }
}
