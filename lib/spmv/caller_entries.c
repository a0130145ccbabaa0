// SPDX-License-Identifier: BSD-3-Clause
// Downloads the entries from which an operator was made.
#include "lib/spmv/caller_entries.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

// A matrix on the device: its block row i is the caller's perm[i], and its
// value k is the caller's entry of[k] if of[k] < `entries`.
struct origin {
    struct lcl_bsr B; // pattern
    int32_t *perm;    // NULL: identity
    uint32_t *of;     // NULL: identity
    int64_t entries;
};

static void origin_finish(struct origin *o)
{
    lcl_free(o->of);
    lcl_free(o->perm);
    lcl_bsr_finish(&o->B);
}

static enum lcl_status download(uint32_t **out, const lcl_buffer *from,
                                const struct lcl_log *log)
{
    const size_t bytes = lcl_buffer_bytes(from);
    if (!from)
        return LCL_OK;
    *out = lcl_malloc(bytes, 1);
    return *out ? lcl_buffer_read(from, *out, bytes)
                : lcl_fail_memory(log, "the caller's entries");
}

static enum lcl_status find_origin(struct origin *o, const lcl_operator *A,
                                   const struct lcl_values *V)
{
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    const lcl_buffer *of = V->sources.of ? V->sources.of : V->map;
    uint32_t *perm = NULL;
    enum lcl_status st;
    *o = (struct origin){.entries = V->entries};
    if ((st = lcl_device_matrix_read(&o->B, A->matrix, false, log)) < 0)
        return st;
    st = download(&perm, A->own.perm, log);
    o->perm = (int32_t *)perm;
    return st < 0 ? st : download(&o->of, of, log);
}

static int64_t row_of(const struct origin *o, int64_t now)
{
    return o->perm ? o->perm[now] : now;
}

// Visits the values of block m in block row i: counts the caller's entries per
// row in length[], or fills in their columns.
static void visit(const struct origin *o, int64_t i, int64_t m, int64_t *length,
                  int32_t *col)
{
    const int b = o->B.block_size;
    const int64_t row = row_of(o, i) * b;
    const int64_t column = row_of(o, o->B.col_ind[m]) * b;
    for (int r = 0; r < b; ++r)
        for (int c = 0; c < b; ++c) {
            const int64_t v = (m * b + r) * b + c;
            const int64_t k = o->of ? o->of[v] : v;
            if (k >= o->entries)
                continue;
            ++length[row + r];
            col[k] = (int32_t)(column + c);
        }
}

static enum lcl_status fill(struct lcl_csr *out, const struct origin *o,
                            const struct lcl_log *log)
{
    const int64_t n = o->B.rows * o->B.block_size;
    *out = (struct lcl_csr){.rows = n, .cols = n, .nnz = o->entries};
    out->row_ptr = lcl_calloc((size_t)n + 1, sizeof *out->row_ptr);
    out->col_ind = lcl_malloc((size_t)o->entries, sizeof *out->col_ind);
    if (!out->row_ptr || !out->col_ind)
        return lcl_fail_memory(log, "the caller's entries");
    for (int64_t i = 0; i < o->B.rows; ++i)
        for (int64_t m = o->B.row_ptr[i]; m < o->B.row_ptr[i + 1]; ++m)
            visit(o, i, m, out->row_ptr + 1, out->col_ind);
    for (int64_t i = 0; i < n; ++i)
        out->row_ptr[i + 1] += out->row_ptr[i];
    return LCL_OK;
}

enum lcl_status lcl_caller_entries(struct lcl_csr *out, const lcl_operator *A,
                                   const struct lcl_values *values)
{
    struct origin o;
    enum lcl_status st = find_origin(&o, A, values);
    *out = (struct lcl_csr){.rows = 0};
    if (st == LCL_OK)
        st = fill(out, &o, lcl_context_log(A->range.ctx));
    if (st < 0)
        lcl_csr_finish(out);
    origin_finish(&o);
    return st;
}
