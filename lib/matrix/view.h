// SPDX-License-Identifier: BSD-3-Clause
// Consecutive rows of a matrix on arrays of others, and the one check of all
// matrices on the host: CSR, BSR, and the rows of a rank.
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>

// Parts that are known to be well-formed: none; sizes, arrays and row pointers;
// all.
enum lcl_view_state { LCL_VIEW_UNKNOWN, LCL_VIEW_ROWS, LCL_VIEW_ALL };

// Rows `first` to first + rows - 1 of a matrix with columns below `cols`. Entry
// k of the view, k < lcl_view_nnz(), has `values` numbers: 1, those of a block,
// or 0 for a pattern, whose `val` is not read. Row pointers start anywhere.
struct lcl_view {
    int64_t first, rows, cols;
    const int64_t *row_ptr;
    const int32_t *narrow; // columns of 32 bits, or NULL:
    const int64_t *wide;   // of 64
    const double *val;
    int values;
    enum lcl_view_state sound;
};

struct lcl_view lcl_view_of_csr(const struct lcl_csr *A);
// Rows that nobody has checked yet.
struct lcl_view lcl_view_of_rows(const struct lcl_rows *R, int values);
// Rows of A, which is square, with row pointers that have been checked.
struct lcl_view lcl_view_of_part(const struct lcl_csr *A, int64_t first,
                                 int64_t rows);

// The first entry of row i of the view.
static inline int64_t lcl_view_entry(const struct lcl_view *V, int64_t i)
{
    return V->row_ptr[i] - V->row_ptr[0];
}

static inline int64_t lcl_view_nnz(const struct lcl_view *V)
{
    return lcl_view_entry(V, V->rows);
}

static inline int64_t lcl_view_column(const struct lcl_view *V, int64_t k)
{
    return V->narrow ? V->narrow[k] : V->wide[k];
}

// Number of entries of rows `from` to to-1 in columns that are no rows of the
// view, where columns ascend: a row whose first and last entries are not among
// them has none.
int64_t lcl_view_far(const struct lcl_view *V, int64_t from, int64_t to);

// Index of the first of `count` values that is NaN or infinite, or -1.
int64_t lcl_find_not_finite(const double *val, int64_t count);

// Row pointers, from 0 to nnz; columns, once these are right; values, once both
// are. Messages call the matrix `what` and have numbers from 0. Return LCL_OK
// or LCL_EFORMAT.
enum lcl_status lcl_view_check_row_ptr(const struct lcl_view *V, int64_t nnz,
                                       const char *what,
                                       const struct lcl_log *log);
enum lcl_status lcl_view_check_columns(const struct lcl_view *V,
                                       const char *what,
                                       const struct lcl_log *log);
enum lcl_status lcl_view_check_values(const struct lcl_view *V,
                                      const char *what,
                                      const struct lcl_log *log);

// Whether the columns of row i of the view are in range and ascend.
bool lcl_view_row_is_sound(const struct lcl_view *V, int64_t i);

// Columns, then values, by the name that suits V.
enum lcl_status lcl_view_check_entries(const struct lcl_view *V,
                                       const struct lcl_log *log);

// Checks the rows of a rank if nothing is known of them. Returns LCL_OK;
// LCL_EFORMAT; LCL_ERANGE (2^31 rows); LCL_EINVAL (NULL arrays).
enum lcl_status lcl_view_check_rank(const struct lcl_view *V,
                                    const struct lcl_log *log);

// Names the first malformed entry, which another check has found. Returns
// LCL_EFORMAT.
enum lcl_status lcl_view_name_fault(const struct lcl_view *V,
                                    const struct lcl_log *log);
