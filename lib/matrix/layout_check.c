// SPDX-License-Identifier: BSD-3-Clause
// Checks of matrices in layouts of the caller.
#include "lib/matrix/layout.h"

#include "host/log.h"
#include "lib/matrix/view.h"

#include <stdbool.h>

// ------------------------------------------------------------------- struct

int lcl_layout_block(const struct lcl_layout *L)
{
    return L->block_size > 0 ? L->block_size : 1;
}

int lcl_layout_real_block(const struct lcl_layout *L)
{
    return lcl_layout_block(L) * (L->is_complex ? 2 : 1);
}

int lcl_layout_values(const struct lcl_layout *L)
{
    const int b = lcl_layout_block(L);
    return b * b * (L->is_complex ? 2 : 1);
}

int64_t lcl_layout_cols(const struct lcl_layout *L)
{
    return L->cols != 0 ? L->cols : L->rows;
}

struct lcl_layout_arrays lcl_layout_arrays(const struct lcl_layout *L)
{
    if (L->type != LCL_LAYOUT_LDU)
        return (struct lcl_layout_arrays){1, {L->nnz}, {L->val}};
    return (struct lcl_layout_arrays){L->lower ? 3 : 2,
                                      {L->rows, L->nnz, L->nnz},
                                      {L->val, L->upper, L->lower}};
}

int64_t lcl_layout_blocks(const struct lcl_layout *L)
{
    const struct lcl_layout_arrays A = lcl_layout_arrays(L);
    int64_t blocks = 0;
    for (int p = 0; p < A.parts; ++p)
        blocks += A.blocks[p];
    return blocks;
}

static enum lcl_status check_choices(const struct lcl_layout *L,
                                     const struct lcl_log *log)
{
    if ((unsigned)L->type >= LCL_LAYOUT_COUNT ||
        (unsigned)L->triangle >= LCL_TRIANGLE_COUNT ||
        (unsigned)L->order >= LCL_BLOCK_ORDER_COUNT)
        return lcl_misuse(log, "layout: an enum is out of range");
    const int most = LCL_BLOCK_MAX / (L->is_complex ? 2 : 1);
    if (L->block_size < 0 || L->block_size > most)
        return lcl_fail(log, LCL_EINVAL,
                        "layout: block size %d, expected 1 to %d, or 0 for 1",
                        L->block_size, most);
    if (L->hermitian && !L->is_complex)
        return lcl_fail(log, LCL_EINVAL,
                        "layout: a Hermitian matrix that is not complex");
    if (L->base != 0 && L->base != 1)
        return lcl_fail(log, LCL_EINVAL, "layout: base %d, expected 0 or 1",
                        L->base);
    if (L->type == LCL_LAYOUT_LDU && L->triangle != LCL_TRIANGLE_BOTH)
        return lcl_fail(log, LCL_EINVAL,
                        "layout: a triangle of LDU; for a symmetric matrix "
                        "leave `lower` NULL");
    return LCL_OK;
}

static enum lcl_status check_counts(const struct lcl_layout *L,
                                    const struct lcl_log *log)
{
    const int b = lcl_layout_real_block(L);
    const int64_t cols = lcl_layout_cols(L), most = INT32_MAX / b;
    if (L->rows < 1 || cols < 1 || L->nnz < 0 || L->rows > most || cols > most)
        return lcl_fail(log, LCL_EFORMAT,
                        "layout: expected 1 to %lld rows and columns of blocks "
                        "of %d, found %lld x %lld with %lld stored",
                        (long long)most, b, (long long)L->rows, (long long)cols,
                        (long long)L->nnz);
    if ((L->type == LCL_LAYOUT_LDU || L->triangle != LCL_TRIANGLE_BOTH) &&
        L->rows != cols)
        return lcl_fail(log, LCL_EINVAL,
                        "layout: %lld x %lld blocks, expected a square matrix",
                        (long long)L->rows, (long long)cols);
    const int64_t limit = INT32_MAX - 1;
    const int64_t values = L->is_complex ? limit : (int64_t)(UINT32_MAX - 1);
    if (L->nnz > limit || lcl_layout_blocks(L) > limit ||
        lcl_layout_blocks(L) > values / (b * b))
        return lcl_fail(log, LCL_ERANGE,
                        "layout: %lld blocks of %d rows, expected less than "
                        "2^31 - 1 blocks and %s values",
                        (long long)L->nnz, b,
                        L->is_complex ? "2^31 - 1" : "2^32 - 1");
    return LCL_OK;
}

static bool lacks_array(const struct lcl_layout *L)
{
    const bool ldu = L->type == LCL_LAYOUT_LDU;
    if (L->type == LCL_LAYOUT_CSR && !L->row_ptr && !L->row_ptr32)
        return true;
    if (ldu && !L->val)
        return true;
    return L->nnz > 0 &&
           (!L->col || !L->val || (L->type != LCL_LAYOUT_CSR && !L->row) ||
            (ldu && !L->upper));
}

// ------------------------------------------------------------------- indices

static enum lcl_status check_row_ptr(const struct lcl_layout *L,
                                     const struct lcl_log *log)
{
    int64_t before = L->base;
    if (L->row_ptr && L->row_ptr32)
        return lcl_fail(log, LCL_EINVAL,
                        "layout: row_ptr and row_ptr32, expected one of them");
    if (lcl_layout_row_start(L, 0) != L->base)
        return lcl_fail(log, LCL_EFORMAT,
                        "layout: row 0 starts at entry %lld, expected %d",
                        (long long)lcl_layout_row_start(L, 0), L->base);
    for (int64_t i = 1; i <= L->rows; ++i) {
        const int64_t end = lcl_layout_row_start(L, i);
        if (end < before || end > L->nnz + L->base)
            return lcl_fail(log, LCL_EFORMAT,
                            "layout: row %lld ends at entry %lld, expected "
                            "%lld to %lld",
                            (long long)(i - 1), (long long)end,
                            (long long)before, (long long)(L->nnz + L->base));
        before = end;
    }
    return before == L->nnz + L->base
               ? LCL_OK
               : lcl_fail(log, LCL_EFORMAT,
                          "layout: the last row ends at entry %lld, expected "
                          "%lld",
                          (long long)before, (long long)(L->nnz + L->base));
}

static const char *fault_of(const struct lcl_layout *L, int64_t row,
                            int64_t col)
{
    const int64_t most_row = L->rows + L->base;
    const int64_t most_col = lcl_layout_cols(L) + L->base;
    if (row < L->base || row >= most_row || col < L->base || col >= most_col)
        return "outside of the matrix";
    if (L->type == LCL_LAYOUT_LDU && row >= col)
        return "an owner not below its neighbour";
    if (L->triangle == LCL_TRIANGLE_LOWER && row < col)
        return "above the diagonal of a lower triangle";
    if (L->triangle == LCL_TRIANGLE_UPPER && row > col)
        return "below the diagonal of an upper triangle";
    return NULL;
}

static enum lcl_status check_position(const struct lcl_layout *L, int64_t k,
                                      int64_t row, const struct lcl_log *log)
{
    const char *fault = fault_of(L, row, L->col[k]);
    return fault ? lcl_fail(log, LCL_EFORMAT,
                            "layout: entry %lld, row %lld, column %d: %s",
                            (long long)k, (long long)row, (int)L->col[k], fault)
                 : LCL_OK;
}

static enum lcl_status check_positions(const struct lcl_layout *L,
                                       const struct lcl_log *log)
{
    enum lcl_status st = LCL_OK;
    if (L->type != LCL_LAYOUT_CSR) {
        for (int64_t k = 0; k < L->nnz && st == LCL_OK; ++k)
            st = check_position(L, k, L->row[k], log);
        return st;
    }
    if ((st = check_row_ptr(L, log)) < 0)
        return st;
    for (int64_t i = 0; i < L->rows; ++i)
        for (int64_t k = lcl_layout_row_start(L, i);
             k < lcl_layout_row_start(L, i + 1); ++k)
            if ((st = check_position(L, k - L->base, i + L->base, log)) < 0)
                return st;
    return LCL_OK;
}

// ------------------------------------------------------------------- values

static enum lcl_status check_values(const struct lcl_layout *L,
                                    const struct lcl_log *log)
{
    static const char *const names[] = {"val", "upper", "lower"};
    const struct lcl_layout_arrays A = lcl_layout_arrays(L);
    const int values = lcl_layout_values(L);
    for (int p = 0; p < A.parts; ++p) {
        const int64_t k = lcl_find_not_finite(A.val[p], A.blocks[p] * values);
        if (k >= 0)
            return lcl_fail(log, LCL_EFORMAT,
                            "layout: %s[%lld] is %g, expected a finite value",
                            names[p], (long long)k, A.val[p][k]);
    }
    return LCL_OK;
}

enum lcl_status lcl_layout_check(const struct lcl_layout *L,
                                 const struct lcl_log *log)
{
    enum lcl_status st;
    if (!L)
        return lcl_misuse(log, "layout: an argument is NULL");
    if ((st = check_choices(L, log)) < 0 || (st = check_counts(L, log)) < 0)
        return st;
    if (lacks_array(L))
        return lcl_misuse(log, "layout: an array is NULL");
    if ((st = check_positions(L, log)) < 0)
        return st;
    return check_values(L, log);
}
