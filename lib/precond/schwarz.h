// SPDX-License-Identifier: BSD-3-Clause
// Additive Schwarz methods: an operator on the extended rows of overlapping
// subdomains as an operator on the rows.
#pragma once

#include "lib/distributed/overlap_rows.h"
#include "lib/operator/operator.h"
#include "lib/partition/subdomains.h"

enum lcl_schwarz_form {
    LCL_SCHWARZ_RESTRICTED, // y_i is the result of the part that owns row i
                            // (Cai and Sarkis, SIAM J. Sci. Comput. 21 (1999))
    LCL_SCHWARZ_SUM,        // y is the sum over all parts that have the row, so
                            // that a symmetric inner operator stays symmetric
};

struct lcl_schwarz {
    lcl_operator op;
    lcl_operator *inner; // on the extended rows
    int64_t rows;        // extended rows
    int64_t n;           // block rows of the vectors
    // The matrix of P has rows of other ranks, `low` of them before the rank's
    // own; NULL: it has no such rows
    struct lcl_overlap_rows *around;
    int64_t low;
    bool adds;    // y is the sum over all ranks
    int64_t sums; // block rows whose results the rank's parts sum
    int groups;
    lcl_kernel *extend, *collect;
    lcl_buffer *row;           // the row of each extended row
    lcl_buffer *first, *place; // n + 1; the extended rows that are summed in
                               // y_i
    lcl_buffer *x, *y;         // extended vectors
};

// Initialises S->op; `order` maps the rows of `inner` (blocks of `block`) to
// positions in P (int32); NULL: they are in the order of P. With `around`,
// which must outlive S, rows of other ranks are not owned, the form is
// RESTRICTED, and applications are collective. Returns LCL_OK, LCL_EDEVMEM,
// LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on error *S is fit for
// lcl_schwarz_finish().
enum lcl_status lcl_schwarz_init(struct lcl_schwarz *S, lcl_operator *inner,
                                 const struct lcl_subdomains *P,
                                 const lcl_buffer *order, int block,
                                 enum lcl_schwarz_form form,
                                 struct lcl_overlap_rows *around);
void lcl_schwarz_finish(struct lcl_schwarz *S);

// place[i] = an extended row whose result is part of y_i: the only one or, with
// LCL_SCHWARZ_SUM, the first. Returns LCL_OK, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_schwarz_places(const struct lcl_schwarz *S,
                                   uint32_t *place);

uint64_t lcl_schwarz_bytes(const struct lcl_schwarz *S);
