// SPDX-License-Identifier: BSD-3-Clause
// The factors of a preconditioner in plain C: the pattern of the subdomains, in
// the device's order of elimination, factored by the reference.
#include "tools/levelbench/core_system.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/factor/ilu_pattern.h"
#include "lib/factor/ilut_pattern.h"
#include "lib/matrix/csr.h"
#include "lib/partition/overlap.h"
#include "lib/precond/precond.h"
#include "lib/ref/ildu0.h"

#include "cl/factor/factor.cl.h"

#include <string.h>

// Data of the set-up.
struct work {
    const struct lcl_csr *A;
    const struct lcl_subdomains *P; // without overlap
    struct lcl_subdomains extended; // or with it
    const struct lcl_subdomains *E; // one of the two
    struct lcl_host_pattern H;      // rows ascend within a subdomain
    struct lcl_csr B;               // its values, in the order of elimination
    int32_t *rows;                  // rows of A in this order
    int32_t *order;                 // row of H of each of these rows
    struct lcl_ref_ildu0 F;
    const struct lcl_log *log;
};

static void work_finish(struct work *w)
{
    lcl_ref_ildu0_finish(&w->F);
    lcl_free(w->order);
    lcl_free(w->rows);
    lcl_csr_finish(&w->B);
    lcl_host_pattern_finish(&w->H);
    lcl_subdomains_finish(&w->extended);
}

// ------------------------------------------------------------------- factors

static enum lcl_status copy_subdomains(struct work *w, const lcl_precond *M)
{
    const struct lcl_precond_info *info = lcl_precond_info(M);
    enum lcl_status st = LCL_OK;
    w->E = w->P;
    if (info->factors.overlap > 0) {
        st = lcl_subdomains_overlap(&w->extended, w->P, w->A,
                                    info->factors.overlap, w->log);
        w->E = &w->extended;
    }
    if (st == LCL_OK && (info->factors.parts != w->E->parts ||
                         info->factors.rows != lcl_subdomains_rows(w->E)))
        return lcl_fail(w->log, LCL_EINVAL,
                        "the preconditioner has other subdomains");
    return st;
}

static enum lcl_status make_pattern(struct work *w, const lcl_precond *M)
{
    const struct lcl_precond_info *info = lcl_precond_info(M);
    const struct lcl_ilut T = {.p = info->factors.ilut_p,
                               .tol = info->factors.ilut_tol};
    return T.p > 0 ? lcl_ilut_pattern(&w->H, w->A, w->A->val, w->E, &T, NULL,
                                      w->log)
                   : lcl_ilu_pattern(&w->H, w->A, w->E, info->factors.ilu_level,
                                     NULL, w->log);
}

// Finds the row of each subdomain that is eliminated first, second, ...
static enum lcl_status find_order(struct work *w, const lcl_precond *M)
{
    const struct lcl_subdomains *E = w->E;
    const enum lcl_status st = lcl_precond_factor_rows(M, &w->rows);
    if (st < 0)
        return st;
    int32_t *at = lcl_malloc((size_t)E->n, sizeof *at); // row of H of row of A
    w->order = lcl_malloc((size_t)w->H.rows, sizeof *w->order);
    if (!at || !w->order) {
        lcl_free(at);
        return lcl_fail_memory(w->log, "the order of elimination");
    }
    for (int64_t p = 0; p < E->parts; ++p) {
        for (int64_t k = E->part_ptr[p]; k < E->part_ptr[p + 1]; ++k)
            at[E->row[k]] = (int32_t)k;
        for (int64_t k = E->part_ptr[p]; k < E->part_ptr[p + 1]; ++k)
            w->order[k] = at[w->rows[k]];
    }
    lcl_free(at);
    return LCL_OK;
}

// B = the values of A on the pattern, in the order of elimination.
static enum lcl_status order_values(struct work *w)
{
    const struct lcl_host_pattern *H = &w->H;
    const struct lcl_csr pattern = {.rows = H->rows,
                                    .cols = H->rows,
                                    .nnz = H->nnz,
                                    .row_ptr = H->row_ptr,
                                    .col_ind = H->col};
    int64_t *map;
    const enum lcl_status st =
        lcl_csr_reorder(&w->B, &map, &pattern, w->order, w->log);
    if (st < 0)
        return st;
    w->B.val = lcl_malloc((size_t)H->nnz, sizeof *w->B.val);
    for (int64_t k = 0; k < H->nnz && w->B.val; ++k) {
        const uint32_t source = H->source[map[k]];
        w->B.val[k] = source == LCL_FILL ? 0 : w->A->val[source];
    }
    lcl_free(map);
    return w->B.val ? LCL_OK : lcl_fail_memory(w->log, "factors");
}

static enum lcl_status factor(struct work *w)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    return lcl_ref_ildu0_init(&w->F, &w->B, w->E->part_ptr, w->E->parts,
                              &params);
}

// ------------------------------------------------------------------- triangles

static bool allocate(struct lcl_csr *T, const struct lcl_csr *B)
{
    *T = (struct lcl_csr){
        .rows = B->rows,
        .cols = B->cols,
        .row_ptr = lcl_calloc((size_t)B->rows + 1, sizeof *T->row_ptr),
        .col_ind = lcl_malloc((size_t)B->nnz, sizeof *T->col_ind),
        .val = lcl_malloc((size_t)B->nnz, sizeof *T->val)};
    return T->row_ptr && T->col_ind && T->val;
}

static void append(struct lcl_csr *T, int32_t column, double value)
{
    T->col_ind[T->nnz] = column;
    T->val[T->nnz++] = value;
}

// Moves D^-1 and copies L and U from the factors.
static enum lcl_status split(struct core_factors *M, struct work *w)
{
    const struct lcl_csr *B = &w->B;
    if (!allocate(&M->L, B) || !allocate(&M->U, B))
        return lcl_fail_memory(w->log, "factors");
    for (int64_t i = 0; i < B->rows; ++i) {
        for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
            if (B->col_ind[k] != i)
                append(B->col_ind[k] < i ? &M->L : &M->U, B->col_ind[k],
                       w->F.val[k]);
        M->L.row_ptr[i + 1] = M->L.nnz;
        M->U.row_ptr[i + 1] = M->U.nnz;
    }
    M->n = w->A->rows;
    M->inv_d = w->F.inv_d;
    w->F.inv_d = NULL;
    return LCL_OK;
}

// ------------------------------------------------------------------- overlap

// Maps between the vectors, in the order of the subdomains without overlap, and
// the rows of the factors.
static enum lcl_status map_rows(struct core_system *S, const struct work *w)
{
    const int64_t n = w->A->rows, rows = w->B.rows;
    struct core_factors *M = &S->M;
    int32_t *inverse = lcl_malloc((size_t)n, sizeof *inverse);
    M->row = lcl_malloc((size_t)rows, sizeof *M->row);
    M->from = lcl_malloc((size_t)n, sizeof *M->from);
    M->x = lcl_malloc((size_t)rows, sizeof *M->x);
    if (!inverse || !M->row || !M->from || !M->x) {
        lcl_free(inverse);
        return lcl_fail_memory(w->log, "overlapping subdomains");
    }
    lcl_permutation_invert(inverse, S->perm, n);
    for (int64_t k = 0; k < rows; ++k) {
        M->row[k] = inverse[w->rows[k]];
        if (w->E->owned[w->order[k]])
            M->from[M->row[k]] = (int32_t)k;
    }
    lcl_free(inverse);
    return LCL_OK;
}

// If no row repeats, the system uses the order of elimination.
static enum lcl_status order_system(struct core_system *S, struct work *w)
{
    const size_t n = (size_t)w->A->rows;
    const bool repeats = w->E->owned != NULL;
    int64_t *map;
    S->perm = lcl_malloc(n, sizeof *S->perm);
    if (!S->perm)
        return lcl_fail_memory(w->log, "a numbering");
    memcpy(S->perm, repeats ? w->P->row : w->rows, n * sizeof *S->perm);
    const enum lcl_status st =
        lcl_csr_reorder(&S->A, &map, w->A, S->perm, w->log);
    if (st < 0)
        return st;
    lcl_free(map);
    return repeats ? map_rows(S, w) : LCL_OK;
}

// ------------------------------------------------------------------- life

enum lcl_status core_system_init(struct core_system *S, const struct lcl_csr *A,
                                 const struct lcl_subdomains *P,
                                 const lcl_precond *M,
                                 const struct lcl_log *log)
{
    struct work w = {.A = A, .P = P, .log = log};
    enum lcl_status st;
    *S = (struct core_system){.perm = NULL};
    if ((st = copy_subdomains(&w, M)) == LCL_OK &&
        (st = make_pattern(&w, M)) == LCL_OK &&
        (st = find_order(&w, M)) == LCL_OK &&
        (st = order_values(&w)) == LCL_OK && (st = factor(&w)) == LCL_OK &&
        (st = split(&S->M, &w)) == LCL_OK)
        st = order_system(S, &w);
    work_finish(&w);
    return st;
}

void core_system_finish(struct core_system *S)
{
    lcl_csr_finish(&S->M.L);
    lcl_csr_finish(&S->M.U);
    lcl_free(S->M.inv_d);
    lcl_free(S->M.row);
    lcl_free(S->M.from);
    lcl_free(S->M.x);
    lcl_free(S->perm);
    lcl_csr_finish(&S->A);
}

void core_system_gather(const struct core_system *S, const double *given,
                        double *x)
{
    for (int64_t i = 0; i < S->A.rows; ++i)
        x[i] = given[S->perm[i]];
}
