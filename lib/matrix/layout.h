// SPDX-License-Identifier: BSD-3-Clause
// Where the values of a matrix in a layout of the caller belong.
#pragma once

#include <levelcl/layout.h>

#include <stdbool.h>

enum { LCL_LAYOUT_PARTS = 3 }; // maximum number of arrays of values
#define LCL_NEGATED UINT32_C(0x80000000)

// The arrays of values of a layout, in the order in which values are counted.
struct lcl_layout_arrays {
    int parts;
    int64_t blocks[LCL_LAYOUT_PARTS];
    const double *val[LCL_LAYOUT_PARTS];
};

struct lcl_layout_arrays lcl_layout_arrays(const struct lcl_layout *L);

// Its block size as the caller counts and of the real form, the numbers of a
// block in its arrays, its columns, and the number of blocks in its arrays.
int lcl_layout_block(const struct lcl_layout *L);
int lcl_layout_real_block(const struct lcl_layout *L);
int lcl_layout_values(const struct lcl_layout *L);
int64_t lcl_layout_cols(const struct lcl_layout *L);
int64_t lcl_layout_blocks(const struct lcl_layout *L);

// row_ptr of CSR, as the caller counts.
static inline int64_t lcl_layout_row_start(const struct lcl_layout *L,
                                           int64_t i)
{
    return L->row_ptr ? L->row_ptr[i] : L->row_ptr32[i];
}

// Checks all of L. Returns as lcl_csr_from_layout(), but not LCL_ENOMEM.
enum lcl_status lcl_layout_check(const struct lcl_layout *L,
                                 const struct lcl_log *log);

// The matrix of a layout, in blocks by rows with ascending columns, and the
// sources of its values: value v is the caller's value s = source[v], or, if s
// is not below `entries`, the sum in this order of the caller's values
// list[start[g]] .. list[start[g + 1] - 1] with g = s - entries. Of a complex
// matrix, LCL_NEGATED is set in a source or a number in the list if its value
// changes sign.
struct lcl_composed {
    struct lcl_bsr pattern; // without values
    bool is_complex;
    int64_t entries;  // values of the caller
    uint32_t *source; // NULL: value v is the caller's value v
    int64_t groups;   // sums of several values
    uint32_t *start;  // groups + 1
    uint32_t *list;
};

// L is sound. Returns LCL_OK, LCL_ERANGE or LCL_ENOMEM; the caller finishes *C
// in any case.
enum lcl_status lcl_layout_compose(struct lcl_composed *C,
                                   const struct lcl_layout *L,
                                   const struct lcl_log *log);
void lcl_composed_finish(struct lcl_composed *C);
