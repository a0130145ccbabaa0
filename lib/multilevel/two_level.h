// SPDX-License-Identifier: BSD-3-Clause
// Two levels as one operator: a smoother M^-1 on the subdomains and the coarse
// correction e = E^-1 Z^T r.
#pragma once

#include "lib/multilevel/coarse.h"
#include "lib/operator/operator.h"

enum lcl_two_level_form {
    LCL_TWO_LEVEL_ADD,  // y = M^-1 x + Z E^-1 Z^T x
    LCL_TWO_LEVEL_MULT, // A-DEF1: e = E^-1 Z^T x, y = Z e + M^-1 (x - A Z e);
                        // not symmetric
    LCL_TWO_LEVEL_DEFLATED, // A-DEF2, the form of MULT for a symmetric A:
                            // z = M^-1 x, y = z + Z E^-1 Z^T (x - A z)
    LCL_TWO_LEVEL_COARSE,   // y = Z E^-1 Z^T x, the correction alone
};

struct lcl_two_level {
    lcl_operator op;
    enum lcl_two_level_form form;
    struct lcl_coarse_space *coarse;
    lcl_operator *smoother; // y = M^-1 x, in the numbering of the coarse space;
                            // unused in COARSE
};

// Initialises T->op, whose x and y must be different buffers. While the
// correction is off, T->op is the smoother, or 0 in COARSE. If the smoother
// supports LCL_APPLY_ADD, ADD and MULT let it add Z e. A-DEF1 and A-DEF2: Tang,
// Nabben, Vuik and Erlangga, J. Sci. Comput. 39 (2009). Statuses as
// lcl_coarse_init().
enum lcl_status lcl_two_level_init(struct lcl_two_level *T,
                                   struct lcl_coarse_space *C,
                                   lcl_operator *smoother,
                                   enum lcl_two_level_form form);

// lcl_operator_interleave() of T->op, for the forms that CG applies: all but
// MULT, for a matrix without blocks, on one device.
enum lcl_status lcl_two_level_interleave(lcl_operator *out,
                                         const struct lcl_two_level *T,
                                         int columns);
