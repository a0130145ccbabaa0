// SPDX-License-Identifier: BSD-3-Clause
// Values of L D in CSR from a packed factor:
//     val[k] = l_ij d_j,    l_ij = slot_val[slot[k]]
//
// Data:   col[k] counts from the first row of the subdomain.
// Launch: one group a subdomain.
// Determinism: bitwise.
#include "wave.cl.h"

WORK_GROUP
kernel void times_diagonal(global const uint *part_ptr,
                           global const uint *row_ptr, global const ushort *col,
                           global const uint *slot,
                           global const double *slot_val,
                           global const double *inv_d, global double *val)
{
    const uint p = get_group_id(0), first = part_ptr[p];
    const uint end = row_ptr[part_ptr[p + 1]];
    for (uint k = row_ptr[first] + get_local_id(0); k < end; k += LCL_GROUP)
        val[k] = slot_val[slot[k]] / inv_d[first + col[k]];
}
