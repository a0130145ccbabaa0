// SPDX-License-Identifier: BSD-3-Clause
// An operator in another numbering: a gather precedes and a scatter follows it.
#pragma once

#include "lib/operator/operator.h"

struct lcl_translated {
    lcl_operator op;
    lcl_operator *inner;
    struct lcl_vector_ops vector;
    lcl_buffer *map;   // row of the inner numbering -> row of the outer one
    lcl_buffer *x, *y; // in the inner numbering
};

// Initialises T->op, in `numbering`, as the square operator `inner`; both must
// outlive T and keep their numberings. Returns LCL_OK, LCL_EBUILD, LCL_EDEVMEM,
// LCL_EDEVICE or LCL_ENOMEM; *T is fit for lcl_translated_finish() in any case.
enum lcl_status lcl_translated_init(struct lcl_translated *T,
                                    lcl_operator *inner,
                                    const struct lcl_numbering *numbering);
void lcl_translated_finish(struct lcl_translated *T);
