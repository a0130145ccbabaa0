// SPDX-License-Identifier: BSD-3-Clause
// Properties of a matrix in host memory, row by row.
#include "lib/storage/properties.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "lib/matrix/bsr.h"

#include "cl/storage/properties.cl.h"

#include <math.h>
#include <string.h>

void lcl_properties_add_asymmetry(double sum[2], int64_t i, int64_t j, double a)
{
    const uint32_t hi = properties_hash((uint64_t)i),
                   hj = properties_hash((uint64_t)j);
    sum[0] += a * (properties_u(hi) * properties_w(hj) -
                   properties_w(hi) * properties_u(hj));
    sum[1] += fabs(a);
}

// ------------------------------------------------------------------- sample

// Before all entries, SAMPLES of them are compared with their transposed
// entries, if the rows have at most SAMPLE_ROW entries. Rounding errors stay
// far below SAMPLE_TOLERANCE times the largest entry of both rows.
enum { SAMPLES = 64, SAMPLE_ROW = 512 };
#define SAMPLE_TOLERANCE 1e-8

static bool is_short(const struct lcl_properties_matrix *A, int64_t row)
{
    const int64_t i = row / A->block;
    const int64_t blocks =
        lcl_properties_row(A, i + 1) - lcl_properties_row(A, i);
    return blocks > 0 && blocks * A->block <= SAMPLE_ROW;
}

// Returns the entry of a row in a column; raises *largest to the largest
// magnitude of the row.
static double find_entry(const struct lcl_properties_matrix *A, int64_t row,
                         int64_t column, double *largest)
{
    const int b = A->block;
    const int64_t i = row / b, r = row % b, to = lcl_properties_row(A, i + 1);
    double found = 0;
    for (int64_t k = lcl_properties_row(A, i); k < to; ++k)
        for (int c = 0; c < b; ++c) {
            const double a = A->val[(k * b + r) * b + c];
            *largest = fmax(*largest, fabs(a));
            if ((int64_t)A->col_ind[k] * b + c == column)
                found = a;
        }
    return found;
}

// A row of block size 1, as in lib/storage/lone.h.
static bool is_lone(const struct lcl_properties_matrix *A, int64_t i)
{
    double diagonal = 0;
    for (int64_t k = lcl_properties_row(A, i); k < lcl_properties_row(A, i + 1);
         ++k) {
        if (A->col_ind[k] == i)
            diagonal += A->val[k];
        else if (A->val[k] != 0)
            return false;
    }
    return diagonal != 0;
}

// Whether an entry, chosen by pseudo-random bits, differs from the transposed
// one; false if it is in a lone row or column and these are set aside.
static bool differs(const struct lcl_properties_matrix *A, uint64_t bits,
                    bool aside)
{
    const int b = A->block;
    const int64_t row = (int64_t)(bits % (uint64_t)(A->rows * b));
    double largest = 0;
    if (!is_short(A, row))
        return false;
    const int64_t from = lcl_properties_row(A, row / b);
    const int64_t blocks = lcl_properties_row(A, row / b + 1) - from;
    const int64_t k = from + (int64_t)(bits % (uint64_t)blocks);
    const int64_t column = (int64_t)A->col_ind[k] * b + (int64_t)(bits % b);
    if (!is_short(A, column) ||
        (aside && (is_lone(A, row) || is_lone(A, column))))
        return false;
    const double a = find_entry(A, row, column, &largest);
    const double t = find_entry(A, column, row, &largest);
    return fabs(a - t) > SAMPLE_TOLERANCE * largest;
}

static bool is_refuted(const struct lcl_properties_matrix *A, bool aside)
{
    for (int s = 0; s < SAMPLES && A->rows == A->cols && A->rows > 0; ++s) {
        const uint64_t low = properties_hash((uint64_t)s);
        if (differs(A, low << 31 ^ properties_hash(low), aside))
            return true;
    }
    return false;
}

// ------------------------------------------------------------------- sums

// The elements of u and w of one column.
struct pair {
    float u, w;
};

struct walk {
    const struct lcl_properties_matrix *A;
    struct pair *pair; // NULL: the sample has refuted the symmetry
    int64_t chunks;
    double sum[LCL_CHUNKS_MAX][PROPERTIES_SUMS];
};

// The sums over a row: a_ii; over j /= i a_ij, |a_ij| and their number; its
// elements of A u and A w.
struct row {
    double diagonal, couplings, weight, Au, Aw;
    int64_t count;
};

static inline void add_product(struct row *s, double a, struct pair p)
{
    s->Au += a * p.u;
    s->Aw += a * p.w;
}

static inline void add_coupling(struct row *s, double a)
{
    s->couplings += a;
    s->weight += fabs(a);
    s->count += a != 0;
}

// Adds a diagonal entry d > 0 to the sums of exponents, by the weight of its
// couplings; d = 0, a missing entry, adds nothing.
static inline void add_size(double *sum, double d, double weight)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    const double e = properties_exponent(bits);
    const bool alone = d >= PROPERTIES_PENALTY * weight;
    if (d == 0)
        return;
    sum[0] += alone ? 0 : e;
    sum[1] += !alone;
    sum[2] += alone ? d * e : 0;
    sum[3] += alone ? d : 0;
}

static inline void add_row(double *sum, const struct row *s, struct pair own)
{
    const double diagonal = fabs(s->diagonal), count = (double)s->count;
    const double above = s->weight + s->couplings;
    const double below = s->weight - s->couplings;
    sum[0] += s->diagonal > 0;
    sum[1] += s->diagonal < 0;
    sum[2] += s->weight > PROPERTIES_CLOSE * diagonal;
    sum[3] += s->weight > PROPERTIES_LOOSE * diagonal;
    sum[4] += 0.5 * (s->diagonal < 0 ? above : below);
    sum[5] += s->weight;
    sum[6] += count;
    sum[7] += count * count;
    add_size(sum + PROPERTIES_SIZES, diagonal, s->weight);
    sum[PROPERTIES_ASYMMETRY] += own.u * s->Aw - own.w * s->Au;
    sum[PROPERTIES_ASYMMETRY + 1] += s->weight + diagonal;
}

// Row r of block row i, of size b.
static inline void visit_row(double *sum, const struct walk *W, int64_t i,
                             int r, int b, bool refuted)
{
    static const struct pair none;
    const struct lcl_properties_matrix *A = W->A;
    const int64_t to = lcl_properties_row(A, i + 1);
    struct row s = {0};
    for (int64_t k = lcl_properties_row(A, i); k < to; ++k)
        for (int c = 0; c < b; ++c) {
            const double a = A->val[(k * b + r) * b + c];
            if (!refuted)
                add_product(&s, a, W->pair[(int64_t)A->col_ind[k] * b + c]);
            if (A->col_ind[k] == i && c == r)
                s.diagonal += a;
            else
                add_coupling(&s, a);
        }
    add_row(sum, &s, refuted ? none : W->pair[i * b + r]);
}

// Copies of the loop for b = 1 and for refuted symmetry are far faster.
static inline void visit_rows(double *sum, const struct walk *W, int64_t chunk,
                              int b, bool refuted)
{
    const int64_t rows = W->A->rows;
    const int64_t last = lcl_chunk_start(rows, W->chunks, chunk + 1);
    for (int64_t i = lcl_chunk_start(rows, W->chunks, chunk); i < last; ++i)
        for (int r = 0; r < b; ++r)
            visit_row(sum, W, i, r, b, refuted);
}

static void visit_chunk(void *arg, int64_t chunk)
{
    struct walk *W = arg;
    double sum[PROPERTIES_SUMS] = {0};
    if (W->A->block > 1)
        visit_rows(sum, W, chunk, W->A->block, !W->pair);
    else if (W->pair)
        visit_rows(sum, W, chunk, 1, false);
    else
        visit_rows(sum, W, chunk, 1, true);
    memcpy(W->sum[chunk], sum, sizeof sum);
}

// Zero where columns of lone rows are set aside.
static enum lcl_status make_pairs(struct walk *W, bool aside,
                                  const struct lcl_log *log)
{
    const int64_t columns = W->A->cols * W->A->block;
    W->pair = lcl_malloc((size_t)columns, sizeof *W->pair);
    if (!W->pair)
        return lcl_fail_memory(log, "two vectors");
    for (int64_t j = 0; j < columns; ++j) {
        const uint32_t hash = properties_hash((uint64_t)j);
        W->pair[j] =
            (struct pair){(float)properties_u(hash), (float)properties_w(hash)};
        if (aside && is_lone(W->A, j))
            W->pair[j] = (struct pair){0};
    }
    return LCL_OK;
}

static void add_chunks(double *sum, const struct walk *W)
{
    for (int q = 0; q < PROPERTIES_SUMS; ++q)
        sum[q] = 0;
    for (int64_t chunk = 0; chunk < W->chunks; ++chunk)
        for (int q = 0; q < PROPERTIES_SUMS; ++q)
            sum[q] += W->sum[chunk][q];
}

static enum lcl_status find_sums(double *sum,
                                 const struct lcl_properties_matrix *A,
                                 bool aside, const struct lcl_log *log)
{
    struct walk W = {.A = A};
    const bool refuted = is_refuted(A, aside);
    const enum lcl_status st = refuted ? LCL_OK : make_pairs(&W, aside, log);
    if (st < 0)
        return st;
    W.chunks = lcl_chunks(lcl_properties_row(A, A->rows) * A->block * A->block);
    lcl_parallel(W.chunks, visit_chunk, &W);
    lcl_free(W.pair);
    add_chunks(sum, &W);
    if (refuted)
        sum[PROPERTIES_ASYMMETRY] = sum[PROPERTIES_ASYMMETRY + 1];
    return LCL_OK;
}

enum lcl_status lcl_properties_host_sums(double *sum,
                                         const struct lcl_properties_matrix *A,
                                         const struct lcl_log *log)
{
    return find_sums(sum, A, false, log);
}

enum lcl_status lcl_properties_host_aside(double sum[2],
                                          const struct lcl_properties_matrix *A,
                                          const struct lcl_log *log)
{
    double all[PROPERTIES_SUMS];
    const enum lcl_status st = find_sums(all, A, true, log);
    if (st == LCL_OK)
        memcpy(sum, all + PROPERTIES_ASYMMETRY, 2 * sizeof *sum);
    return st;
}

struct lcl_properties_matrix lcl_properties_matrix_of(const struct lcl_bsr *A)
{
    return (struct lcl_properties_matrix){.rows = A->rows,
                                          .cols = A->cols,
                                          .block = A->block_size,
                                          .row_ptr = A->row_ptr,
                                          .col_ind = A->col_ind,
                                          .val = A->val};
}

enum lcl_status lcl_properties_host(struct lcl_properties *properties,
                                    const struct lcl_csr *A, bool aside,
                                    const struct lcl_log *log)
{
    const struct lcl_bsr B = lcl_bsr_of_csr(A);
    const struct lcl_properties_matrix M = lcl_properties_matrix_of(&B);
    double sum[PROPERTIES_SUMS];
    enum lcl_status st = lcl_properties_host_sums(sum, &M, log);
    if (st < 0)
        return st;
    lcl_properties_from_sums(properties, sum);
    if (!aside || !lcl_properties_may_set_aside(properties, A->rows))
        return LCL_OK;
    if ((st = lcl_properties_host_aside(sum, &M, log)) == LCL_OK)
        lcl_properties_set_aside(properties, sum);
    return st;
}
