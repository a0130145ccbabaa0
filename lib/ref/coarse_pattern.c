// SPDX-License-Identifier: BSD-3-Clause
// Reference of the coarse pattern: the entries of A that form W and E.
#include "lib/ref/coarse_pattern.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/ref/aggregate.h"

void lcl_ref_coarse_pattern_finish(struct lcl_ref_coarse_pattern *C)
{
    lcl_free(C->part_ptr);
    lcl_free(C->part_agg);
    lcl_free(C->agg_ptr);
    lcl_free(C->agg_parts);
    lcl_free(C->run_ptr);
    lcl_free(C->run_first);
    lcl_free(C->run_agg);
    lcl_free(C->run_row);
    lcl_free(C->order);
    lcl_free(C->entry_ptr);
    lcl_free(C->entry_row);
    lcl_free(C->entry_col);
    lcl_free(C->col_ptr);
    *C = (struct lcl_ref_coarse_pattern){0};
}

// ---------------------------------------------------------------- aggregates

// Stable sort of 0 .. n-1 by key: out[] is a permutation of in[], or of 0 ..
// n-1 if in is NULL; group q begins at start[q]. `start` has keys + 2 elements,
// all zero on entry.
static void sort_by(uint32_t *out, uint32_t *start, const uint32_t *in,
                    const int32_t *key, int64_t n, int64_t keys)
{
    for (int64_t m = 0; m < n; ++m)
        ++start[key[m] + 2];
    for (int64_t q = 0; q < keys; ++q)
        start[q + 2] += start[q + 1];
    for (int64_t m = 0; m < n; ++m) {
        const uint32_t k = in ? in[m] : (uint32_t)m;
        out[start[key[k] + 1]++] = k;
    }
}

static enum lcl_status label_parts(struct lcl_ref_coarse_pattern *C,
                                   const struct lcl_csr *B,
                                   const struct lcl_subdomains *P, int64_t most,
                                   const struct lcl_log *log)
{
    if (!P->aggregate || P->aggregates > most)
        return lcl_ref_aggregate(C->part_agg, &C->aggregates, B, P->part_ptr,
                                 C->parts, most, log);
    C->aggregates = P->aggregates;
    for (int64_t p = 0; p < C->parts; ++p)
        C->part_agg[p] = P->aggregate[p];
    return LCL_OK;
}

static enum lcl_status find_aggregates(struct lcl_ref_coarse_pattern *C,
                                       const struct lcl_csr *B,
                                       const struct lcl_subdomains *P,
                                       int64_t most, const struct lcl_log *log)
{
    const size_t parts = (size_t)C->parts;
    C->part_ptr = lcl_malloc(parts + 1, sizeof *C->part_ptr);
    C->part_agg = lcl_malloc(parts, sizeof *C->part_agg);
    C->agg_parts = lcl_malloc(parts, sizeof *C->agg_parts);
    if (!C->part_ptr || !C->part_agg || !C->agg_parts)
        return lcl_fail_memory(log, "aggregates");
    for (size_t p = 0; p <= parts; ++p)
        C->part_ptr[p] = (int32_t)P->part_ptr[p];
    const enum lcl_status st = label_parts(C, B, P, most, log);
    if (st < 0)
        return st;
    C->agg_ptr = lcl_calloc((size_t)C->aggregates + 2, sizeof *C->agg_ptr);
    if (!C->agg_ptr)
        return lcl_fail_memory(log, "aggregates");
    sort_by((uint32_t *)C->agg_parts, (uint32_t *)C->agg_ptr, NULL, C->part_agg,
            C->parts, C->aggregates);
    return LCL_OK;
}

// ---------------------------------------------------------------- runs

static void label_rows(const struct lcl_ref_coarse_pattern *C, int32_t *row_agg)
{
    for (int64_t p = 0; p < C->parts; ++p)
        for (int32_t i = C->part_ptr[p]; i < C->part_ptr[p + 1]; ++i)
            row_agg[i] = C->part_agg[p];
}

static bool starts_run(const struct lcl_csr *B, const int32_t *row_agg,
                       int64_t i, int64_t k)
{
    return k == B->row_ptr[i] ||
           row_agg[B->col_ind[k]] != row_agg[B->col_ind[k - 1]];
}

static int64_t count_runs(struct lcl_ref_coarse_pattern *C,
                          const struct lcl_csr *B, const int32_t *row_agg)
{
    int64_t runs = 0;
    for (int64_t i = 0; i < C->n; ++i) {
        C->run_ptr[i] = (uint32_t)runs;
        for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
            runs += starts_run(B, row_agg, i, k);
    }
    C->run_ptr[C->n] = (uint32_t)runs;
    return runs;
}

static void fill_runs(struct lcl_ref_coarse_pattern *C, const struct lcl_csr *B,
                      const int32_t *row_agg)
{
    int64_t run = 0;
    for (int64_t i = 0; i < C->n; ++i)
        for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k) {
            if (!starts_run(B, row_agg, i, k))
                continue;
            C->run_first[run] = (uint32_t)k;
            C->run_agg[run] = row_agg[B->col_ind[k]];
            C->run_row[run] = (int32_t)i;
            ++run;
        }
    C->run_first[run] = (uint32_t)B->nnz;
}

static enum lcl_status find_runs(struct lcl_ref_coarse_pattern *C,
                                 const struct lcl_csr *B,
                                 const int32_t *row_agg,
                                 const struct lcl_log *log)
{
    C->run_ptr = lcl_malloc((size_t)C->n + 1, sizeof *C->run_ptr);
    if (!C->run_ptr)
        return lcl_fail_memory(log, "the coarse pattern");
    C->runs = count_runs(C, B, row_agg);
    const size_t runs = (size_t)C->runs;
    C->run_first = lcl_malloc(runs + 1, sizeof *C->run_first);
    C->run_agg = lcl_malloc(runs, sizeof *C->run_agg);
    C->run_row = lcl_malloc(runs, sizeof *C->run_row);
    C->order = lcl_malloc(runs, sizeof *C->order);
    if (!C->run_first || !C->run_agg || !C->run_row || !C->order)
        return lcl_fail_memory(log, "the coarse pattern");
    fill_runs(C, B, row_agg);
    return LCL_OK;
}

// ---------------------------------------------------------------- entries

// Two stable sorts: by the aggregate of the row, then by that of the columns.
static enum lcl_status sort_runs(struct lcl_ref_coarse_pattern *C,
                                 const int32_t *row_agg,
                                 const struct lcl_log *log)
{
    const size_t runs = (size_t)C->runs, keys = (size_t)C->aggregates + 2;
    int32_t *key = lcl_malloc(runs, sizeof *key);
    uint32_t *by_row = lcl_malloc(runs, sizeof *by_row);
    uint32_t *start = lcl_calloc(keys, sizeof *start);
    C->col_ptr = lcl_calloc(keys, sizeof *C->col_ptr);
    const bool there = key && by_row && start && C->col_ptr;
    for (size_t k = 0; there && k < runs; ++k)
        key[k] = row_agg[C->run_row[k]];
    if (there) {
        sort_by(by_row, start, NULL, key, C->runs, C->aggregates);
        sort_by(C->order, C->col_ptr, by_row, C->run_agg, C->runs,
                C->aggregates);
    }
    lcl_free(start);
    lcl_free(by_row);
    lcl_free(key);
    return there ? LCL_OK : lcl_fail_memory(log, "the coarse pattern");
}

static bool starts_entry(const struct lcl_ref_coarse_pattern *C,
                         const int32_t *row_agg, int64_t m)
{
    if (m == 0)
        return true;
    const uint32_t k = C->order[m], before = C->order[m - 1];
    return C->run_agg[k] != C->run_agg[before] ||
           row_agg[C->run_row[k]] != row_agg[C->run_row[before]];
}

static enum lcl_status find_entries(struct lcl_ref_coarse_pattern *C,
                                    const int32_t *row_agg,
                                    const struct lcl_log *log)
{
    for (int64_t m = 0; m < C->runs; ++m)
        C->entries += starts_entry(C, row_agg, m);
    const size_t entries = (size_t)C->entries;
    C->entry_ptr = lcl_malloc(entries + 1, sizeof *C->entry_ptr);
    C->entry_row = lcl_malloc(entries, sizeof *C->entry_row);
    C->entry_col = lcl_malloc(entries, sizeof *C->entry_col);
    if (!C->entry_ptr || !C->entry_row || !C->entry_col)
        return lcl_fail_memory(log, "the coarse pattern");
    int64_t entry = 0;
    for (int64_t m = 0; m < C->runs; ++m) {
        if (!starts_entry(C, row_agg, m))
            continue;
        C->entry_ptr[entry] = (uint32_t)m;
        C->entry_row[entry] = row_agg[C->run_row[C->order[m]]];
        C->entry_col[entry] = C->run_agg[C->order[m]];
        ++entry;
    }
    C->entry_ptr[entry] = (uint32_t)C->runs;
    return LCL_OK;
}

enum lcl_status lcl_ref_coarse_pattern_init(struct lcl_ref_coarse_pattern *C,
                                            const struct lcl_csr *B,
                                            const struct lcl_subdomains *P,
                                            int64_t most,
                                            const struct lcl_log *log)
{
    enum lcl_status st;
    *C = (struct lcl_ref_coarse_pattern){.n = B->rows, .parts = P->parts};
    if (B->nnz > UINT32_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "%lld entries: a coarse correction takes 2^32 - 1",
                        (long long)B->nnz);
    int32_t *row_agg = lcl_malloc((size_t)B->rows, sizeof *row_agg);
    if (!row_agg)
        return lcl_fail_memory(log, "the coarse pattern");
    st = find_aggregates(C, B, P, most, log);
    if (st == LCL_OK)
        label_rows(C, row_agg);
    if (st == LCL_OK && (st = find_runs(C, B, row_agg, log)) == LCL_OK &&
        (st = sort_runs(C, row_agg, log)) == LCL_OK)
        st = find_entries(C, row_agg, log);
    lcl_free(row_agg);
    if (st < 0)
        lcl_ref_coarse_pattern_finish(C);
    return st;
}
