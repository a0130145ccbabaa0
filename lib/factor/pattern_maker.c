// SPDX-License-Identifier: BSD-3-Clause
// Patterns of incomplete factors on subdomains.
#include "lib/factor/pattern_maker.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"

#include <string.h>

// ----------------------------------------------------------------------- rows

// Begins the set of row i with the entries of A.
static void load_row(struct lcl_pattern_maker *m, int32_t i)
{
    const int64_t row = m->P->row[m->first_row + i];
    m->length = 0;
    for (int64_t k = m->A->row_ptr[row]; k < m->A->row_ptr[row + 1]; ++k) {
        const int32_t c = m->number[m->A->col_ind[k]];
        if (c < 0)
            continue;
        lcl_column_set_add(&m->set, c);
        m->value[c] = m->val ? m->val[k] : 0;
        m->source[c] = (uint32_t)k;
        ++m->length;
    }
}

void lcl_pattern_drop(struct lcl_pattern_maker *m, int32_t c)
{
    lcl_column_set_remove(&m->set, c);
    --m->length;
}

bool lcl_pattern_look(struct lcl_pattern_maker *m)
{
    const int64_t before = atomic_fetch_add(m->spent, m->work);
    const int64_t most = m->limit ? m->limit->work : 0;
    if (lcl_limit_is_over(m->limit) || (most > 0 && before + m->work > most))
        m->status = LCL_ECANCELLED;
    m->work = 0;
    return m->status == LCL_OK;
}

int64_t lcl_pattern_upper_end(const struct lcl_pattern_maker *m, int32_t j)
{
    return m->H.row_ptr[m->first_row + j + 1];
}

static enum lcl_status reserve(struct lcl_pattern_maker *m)
{
    const int64_t needed = m->H.nnz - m->first_entry + m->length;
    const enum lcl_status st = lcl_host_pattern_reserve(&m->H, m->length, NULL);
    if (st < 0 || needed <= m->entry_capacity)
        return st;
    const int64_t capacity = 2 * needed;
    double *entry = lcl_realloc(m->entry, (size_t)capacity, sizeof *entry);
    if (!entry)
        return LCL_ENOMEM;
    m->entry = entry;
    m->entry_capacity = capacity;
    return LCL_OK;
}

static enum lcl_status store_row(struct lcl_pattern_maker *m, int32_t i)
{
    struct lcl_host_pattern *H = &m->H;
    const enum lcl_status st = reserve(m);
    if (st < 0)
        return st;
    m->upper[i] = H->nnz;
    for (LCL_COLUMNS(c, m, 0, m->rows)) {
        H->col[H->nnz] = (int32_t)(m->first_row + c);
        H->source[H->nnz] = m->source[c];
        m->entry[H->nnz - m->first_entry] = m->value[c];
        m->upper[i] += c <= i;
        ++H->nnz;
        lcl_pattern_drop(m, c);
    }
    H->row_ptr[m->first_row + i + 1] = H->nnz;
    return LCL_OK;
}

// ---------------------------------------------------------------------- parts

static enum lcl_status make_rows(struct lcl_pattern_maker *m)
{
    enum lcl_status st = LCL_OK;
    for (int32_t i = 0; i < m->rows && st == LCL_OK; ++i) {
        load_row(m, i);
        m->rule(m, i);
        st = m->status < 0 ? m->status : store_row(m, i);
    }
    return st;
}

static enum lcl_status make_part(struct lcl_pattern_maker *m, int64_t p)
{
    const int32_t *row = m->P->row + m->P->part_ptr[p];
    m->first_row = m->P->part_ptr[p];
    m->rows = (int32_t)(m->P->part_ptr[p + 1] - m->first_row);
    m->first_entry = m->H.nnz;
    lcl_column_set_end(&m->set, m->rows);
    for (int32_t i = 0; i < m->rows; ++i)
        m->number[row[i]] = i;
    const enum lcl_status st = make_rows(m);
    for (int32_t i = 0; i < m->rows; ++i)
        m->number[row[i]] = -1;
    return st < 0 || lcl_pattern_look(m) ? st : m->status;
}

// --------------------------------------------------------------------- makers

static int64_t most_rows(const struct lcl_pattern_maker *m)
{
    const int64_t *ptr = m->P->part_ptr;
    int64_t most = 0;
    for (int64_t p = m->first_part; p < m->end_part; ++p)
        if (ptr[p + 1] - ptr[p] > most)
            most = ptr[p + 1] - ptr[p];
    return most;
}

static enum lcl_status maker_init(struct lcl_pattern_maker *m)
{
    const size_t rows = (size_t)most_rows(m) + 1;
    m->number = lcl_malloc((size_t)m->A->rows, sizeof *m->number);
    m->upper = lcl_malloc(rows, sizeof *m->upper);
    m->value = lcl_malloc(rows, sizeof *m->value);
    m->diagonal = lcl_malloc(rows, sizeof *m->diagonal);
    m->candidate = lcl_malloc(rows, sizeof *m->candidate);
    m->source = lcl_malloc(rows, sizeof *m->source);
    if (!lcl_column_set_init(&m->set, (int64_t)rows) || !m->number ||
        !m->upper || !m->value || !m->diagonal || !m->candidate || !m->source)
        return LCL_ENOMEM;
    for (int64_t i = 0; i < m->A->rows; ++i)
        m->number[i] = -1;
    return LCL_OK;
}

static void maker_finish(struct lcl_pattern_maker *m)
{
    lcl_free(m->number);
    lcl_free(m->upper);
    lcl_free(m->entry);
    lcl_column_set_finish(&m->set);
    lcl_free(m->value);
    lcl_free(m->diagonal);
    lcl_free(m->candidate);
    lcl_free(m->source);
    lcl_free(m->H.col);
    lcl_free(m->H.source);
}

// Initial capacity: the entries of A in the rows of the parts, inside or not,
// at most the limit of a pattern.
static int64_t estimate(const struct lcl_pattern_maker *m)
{
    const int64_t *ptr = m->P->part_ptr;
    const int64_t most = m->H.most > 0 ? m->H.most : LCL_NARROW_MOST;
    int64_t entries = 0;
    for (int64_t k = ptr[m->first_part]; k < ptr[m->end_part]; ++k) {
        const int32_t row = m->P->row[k];
        entries += m->A->row_ptr[row + 1] - m->A->row_ptr[row];
        if (entries > most)
            return most;
    }
    return entries;
}

static void make_parts(void *arg, int64_t number)
{
    struct lcl_pattern_maker *m = (struct lcl_pattern_maker *)arg + number;
    if ((m->status = maker_init(m)) < 0 ||
        (m->status = lcl_host_pattern_reserve(&m->H, estimate(m), NULL)) < 0)
        return;
    for (int64_t p = m->first_part; p < m->end_part && m->status == LCL_OK; ++p)
        m->status = make_part(m, p);
}

// ----------------------------------------------------------------- all of it

// Parts with about as many rows for each maker.
static void share_parts(struct lcl_pattern_maker *m, int makers)
{
    const struct lcl_subdomains *P = m->P;
    const int64_t rows = lcl_subdomains_rows(P);
    int64_t p = 0;
    for (int t = 0; t < makers; ++t) {
        m[t].first_part = p;
        while (p < P->parts &&
               (t + 1 == makers ||
                P->part_ptr[p + 1] <= lcl_chunk_start(rows, makers, t + 1)))
            ++p;
        m[t].end_part = p;
    }
}

struct joining {
    struct lcl_host_pattern *H;
    const struct lcl_pattern_maker *makers;
};

static void join_entries(void *arg, int64_t number)
{
    const struct joining *j = arg;
    const struct lcl_pattern_maker *m = &j->makers[number];
    const int64_t *ptr = m->P->part_ptr;
    int64_t first = 0;
    for (int64_t t = 0; t < number; ++t)
        first += j->makers[t].H.nnz;
    if (m->H.nnz > 0) {
        memcpy(j->H->col + first, m->H.col,
               (size_t)m->H.nnz * sizeof *m->H.col);
        memcpy(j->H->source + first, m->H.source,
               (size_t)m->H.nnz * sizeof *m->H.source);
    }
    for (int64_t i = ptr[m->first_part]; i < ptr[m->end_part]; ++i)
        j->H->row_ptr[i + 1] += first;
}

static enum lcl_status join(struct lcl_host_pattern *H,
                            const struct lcl_pattern_maker *m, int makers)
{
    struct joining j = {H, m};
    int64_t entries = 0;
    for (int t = 0; t < makers; ++t) {
        if (m[t].status < 0)
            return m[t].status;
        entries += m[t].H.nnz;
    }
    const enum lcl_status st = lcl_host_pattern_reserve(H, entries, NULL);
    if (st < 0)
        return st;
    lcl_parallel(makers, join_entries, &j);
    H->nnz = entries;
    return LCL_OK;
}

static enum lcl_status make_pattern(struct lcl_host_pattern *H,
                                    const struct lcl_pattern_maker *model)
{
    const int64_t rows = H->rows, chunks = lcl_chunks(rows);
    const int threads = lcl_threads();
    const int makers = chunks < threads ? (int)chunks : threads;
    struct lcl_pattern_maker *m = lcl_calloc((size_t)makers, sizeof *m);
    enum lcl_status st = LCL_ENOMEM;
    atomic_llong spent = 0;
    H->row_ptr = lcl_calloc((size_t)rows + 1, sizeof *H->row_ptr);
    if (m && H->row_ptr) {
        for (int t = 0; t < makers; ++t) {
            m[t] = *model;
            m[t].H.row_ptr = H->row_ptr;
            m[t].spent = &spent;
        }
        share_parts(m, makers);
        lcl_parallel(makers, make_parts, m);
        st = join(H, m, makers);
    }
    for (int t = 0; t < makers && m; ++t)
        maker_finish(&m[t]);
    lcl_free(m);
    return st;
}

static enum lcl_status report(enum lcl_status st,
                              const struct lcl_host_pattern *H,
                              const struct lcl_limit *limit,
                              const struct lcl_log *log)
{
    if (st == LCL_ECANCELLED)
        return lcl_limit_refuse(limit, log);
    if (st == LCL_ENOMEM)
        return lcl_fail_memory(log, "the pattern of the factors");
    if (st == LCL_EUNSUPPORTED || st == LCL_EDEVMEM)
        return lcl_host_pattern_refuse(H, log);
    return st;
}

enum lcl_status lcl_pattern_make(struct lcl_host_pattern *H,
                                 const struct lcl_pattern_maker *model,
                                 const struct lcl_log *log)
{
    *H = (struct lcl_host_pattern){.rows = lcl_subdomains_rows(model->P),
                                   .entries = model->A->nnz,
                                   .most = model->H.most};
    const enum lcl_status st =
        lcl_needs_wide(model->A->nnz)
            ? lcl_refuse_wide(model->A->nnz, "factors on subdomains", log)
            : report(make_pattern(H, model), H, model->limit, log);
    if (st < 0)
        lcl_host_pattern_finish(H);
    return st;
}
