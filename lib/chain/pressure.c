// SPDX-License-Identifier: BSD-3-Clause
// The pressure among the unknowns of a cell.
#include "lib/chain/pressure.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/dense/host_inverse.h"
#include "lib/matrix/bsr.h"

#include "cl/storage/properties.cl.h"

#include <math.h>

enum { MOST = LCL_PRESSURE_BLOCK, VALUES = MOST * MOST };

// The sample: windows of consecutive cells; those with more blocks are left
// out.
enum { WINDOWS = 16, CELLS = 64, BLOCKS = 64 * CELLS };

// Of all cells, and of the weight of the couplings of a pressure.
#define NEARLY_ALL 0.9

struct unknown {
    int64_t
        coupled;   // cells whose couplings add up to more than PROPERTIES_CLOSE
    int64_t loose; // than PROPERTIES_LOOSE
    double opposite, all;
};

struct survey {
    int block;
    int64_t cells;
    struct unknown unknown[MOST];
};

// Consecutive rows of blocks from row `first` on; row_ptr[0] may be any number.
struct window {
    int64_t first, rows;
    const int64_t *row_ptr;
    const int32_t *col;
    const double *val;
};

static int64_t window_rows(int64_t rows, int64_t first)
{
    return rows - first < CELLS ? rows - first : CELLS;
}

// Entry (p, p) of the product of two b x b blocks.
static double diagonal_of(const double *X, const double *Y, int p, int b)
{
    double sum = 0;
    for (int r = 0; r < b; ++r)
        sum += X[p * b + r] * Y[r * b + p];
    return sum;
}

static const double *find_diagonal(const struct window *w, int64_t i, int b)
{
    const int64_t base = w->row_ptr[0];
    for (int64_t k = w->row_ptr[i]; k < w->row_ptr[i + 1]; ++k)
        if (w->col[k - base] == w->first + i)
            return w->val + (k - base) * b * b;
    return NULL;
}

// Unknown p of cell i, whose diagonal block has the inverse X.
static void survey_unknown(struct unknown *u, const struct window *w, int64_t i,
                           const double *X, int p, int b)
{
    const int64_t base = w->row_ptr[0];
    double weight = 0, opposite = 0;
    for (int64_t k = w->row_ptr[i]; k < w->row_ptr[i + 1]; ++k) {
        const double *block = w->val + (k - base) * b * b;
        const bool own = w->col[k - base] == w->first + i;
        const double a = own ? 0 : diagonal_of(X, block, p, b);
        weight += fabs(a);
        opposite += a < 0 ? -a : 0;
    }
    u->coupled += weight > PROPERTIES_CLOSE;
    u->loose += weight > PROPERTIES_LOOSE;
    u->opposite += opposite;
    u->all += weight;
}

// Cells with a singular block count as having no pressure.
static enum lcl_status survey_window(struct survey *S, const struct window *w)
{
    const int b = S->block;
    double X[VALUES];
    S->cells += w->rows;
    for (int64_t i = 0; i < w->rows; ++i) {
        const double *diagonal = find_diagonal(w, i, b);
        int64_t pinned = 1;
        if (diagonal && lcl_host_inverse(X, diagonal, b, b, &pinned) < 0)
            return LCL_ENOMEM;
        for (int p = 0; p < b && pinned == 0; ++p)
            survey_unknown(&S->unknown[p], w, i, X, p, b);
    }
    return LCL_OK;
}

static bool is_pressure(const struct unknown *u, int64_t cells)
{
    return (double)(u->coupled - u->loose) >= NEARLY_ALL * (double)cells &&
           u->opposite >= NEARLY_ALL * u->all;
}

// Whether multigrid has nothing to do for an unknown.
static bool is_local(const struct unknown *u, int64_t cells)
{
    return (double)u->coupled <= (1 - NEARLY_ALL) * (double)cells;
}

static int result_of(const struct survey *S)
{
    int pressure = -1, local = 0;
    for (int p = 0; p < S->block; ++p) {
        local += is_local(&S->unknown[p], S->cells);
        if (is_pressure(&S->unknown[p], S->cells))
            pressure = p;
    }
    return S->cells > 0 && local == S->block - 1 ? pressure : -1;
}

// ------------------------------------------------------------------- device

struct sample {
    int64_t row_ptr[CELLS + 1];
    uint32_t narrow[CELLS + 1];
    int32_t col[BLOCKS];
    double val[BLOCKS * VALUES];
};

static enum lcl_status read_row_ptr(struct sample *s,
                                    const struct lcl_device_matrix *A,
                                    int64_t first, int64_t rows)
{
    const size_t count = (size_t)rows + 1;
    if (A->wide)
        return lcl_buffer_read_at(A->row_ptr,
                                  (size_t)first * sizeof *s->row_ptr,
                                  s->row_ptr, count * sizeof *s->row_ptr);
    const enum lcl_status st =
        lcl_buffer_read_at(A->row_ptr, (size_t)first * sizeof *s->narrow,
                           s->narrow, count * sizeof *s->narrow);
    for (size_t i = 0; i < count && st == LCL_OK; ++i)
        s->row_ptr[i] = s->narrow[i];
    return st;
}

// Reads a window and surveys it.
static enum lcl_status read_window(struct survey *S, struct sample *s,
                                   const struct lcl_device_matrix *A,
                                   int64_t first)
{
    const int64_t rows = window_rows(A->block_rows, first);
    const size_t value = (size_t)(S->block * S->block) * sizeof *s->val;
    enum lcl_status st = read_row_ptr(s, A, first, rows);
    if (st < 0)
        return st;
    const size_t from = (size_t)s->row_ptr[0];
    const size_t blocks = (size_t)s->row_ptr[rows] - from;
    if (blocks > BLOCKS)
        return LCL_OK;
    if ((st = lcl_buffer_read_at(A->col, from * sizeof *s->col, s->col,
                                 blocks * sizeof *s->col)) < 0 ||
        (st = lcl_buffer_read_at(A->val, from * value, s->val,
                                 blocks * value)) < 0)
        return st;
    return survey_window(
        S, &(struct window){first, rows, s->row_ptr, s->col, s->val});
}

enum lcl_status lcl_pressure_find(int *pressure, const lcl_operator *A)
{
    const struct lcl_device_matrix *M = A->matrix;
    struct survey S = {.block = M->block};
    struct sample *s = lcl_malloc(1, sizeof *s);
    enum lcl_status st = LCL_OK;
    *pressure = -1;
    if (!s)
        return lcl_fail_memory(lcl_context_log(A->range.ctx),
                               "a sample of cells");
    for (int w = 0; w < WINDOWS && st == LCL_OK; ++w)
        st = read_window(&S, s, M, M->block_rows * w / WINDOWS);
    lcl_free(s);
    if (st == LCL_OK)
        *pressure = result_of(&S);
    return st;
}

// ------------------------------------------------------------------- host

static enum lcl_status survey_host_window(struct survey *S,
                                          const struct lcl_bsr *B,
                                          int64_t first)
{
    const int64_t rows = window_rows(B->rows, first);
    const int64_t from = B->row_ptr[first];
    if (B->row_ptr[first + rows] - from > BLOCKS)
        return LCL_OK;
    return survey_window(
        S, &(struct window){first, rows, B->row_ptr + first, B->col_ind + from,
                            B->val + from * S->block * S->block});
}

enum lcl_status lcl_pressure_find_host(int *pressure, const struct lcl_csr *A,
                                       int block, const struct lcl_log *log)
{
    struct survey S = {.block = block};
    struct lcl_bsr B;
    enum lcl_status st = lcl_bsr_from_csr(&B, A, block, log);
    *pressure = -1;
    if (st < 0)
        return st;
    for (int w = 0; w < WINDOWS && st == LCL_OK; ++w)
        st = survey_host_window(&S, &B, B.rows * w / WINDOWS);
    lcl_bsr_finish(&B);
    if (st == LCL_OK)
        *pressure = result_of(&S);
    return st;
}
