// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners of operators on several devices: each rank has its own, for
// its rows and columns.
#include "host/alloc.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/precond/precond.h"

struct members {
    const struct lcl_team_operator *T;
    lcl_operator **op; // of the preconditioners
    lcl_precond **M;
    const struct lcl_precond_params *params; // during creation
    bool updated;                            // updated once since the creation
};

lcl_precond *lcl_precond_member(const lcl_precond *M, int rank)
{
    const struct members *m = M->op.state;
    return m ? m->M[rank] : NULL;
}

// ------------------------------------------------------------------- info

static void add_factors(struct lcl_factors_info *all,
                        const struct lcl_factors_info *one)
{
    all->parts += one->parts;
    all->part_rows_min = lcl_smaller(all->part_rows_min, one->part_rows_min);
    all->part_rows_max = lcl_larger(all->part_rows_max, one->part_rows_max);
    all->rows += one->rows;
    all->nnz += one->nnz;
    all->levels_max = lcl_larger(all->levels_max, one->levels_max);
}

// Adds the sizes of another rank.
static void add_info(struct lcl_precond_info *all,
                     const struct lcl_precond_info *one)
{
    all->rows += one->rows;
    all->nnz += one->nnz;
    all->nnz_kept += one->nnz_kept;
    all->bytes += one->bytes;
    all->missing_diagonals += one->missing_diagonals;
    all->pivots_repaired += one->pivots_repaired;
    add_factors(&all->factors, &one->factors);
    all->coarse.rows += one->coarse.rows;
    all->coarse.bytes += one->coarse.bytes;
    all->amg.bytes += one->amg.bytes;
    all->amg.traffic += one->amg.traffic;
}

static void describe(lcl_precond *M)
{
    const struct members *m = M->op.state;
    const int first = M->info.first_iterations, last = M->info.last_iterations;
    M->info = m->M[0]->info;
    for (int r = 1; r < m->T->distribution.size; ++r)
        add_info(&M->info, &m->M[r]->info);
    M->info.first_iterations = first;
    M->info.last_iterations = last;
}

// ------------------------------------------------------------------- members

static enum lcl_status create_member(void *arg, int rank)
{
    struct members *m = arg;
    return lcl_precond_create(&m->M[rank], m->T->part[rank], m->params);
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    const struct lcl_log *log = lcl_context_log(M->op.range.ctx);
    const struct lcl_team_operator *T = M->A->team;
    const size_t size = (size_t)T->distribution.size;
    struct members *m = M->op.state = lcl_calloc(1, sizeof *m);
    if (!m)
        return lcl_fail_memory(log, "a preconditioner");
    m->T = T;
    m->params = params;
    m->op = lcl_calloc(size, sizeof *m->op);
    m->M = lcl_calloc(size, sizeof *m->M);
    if (!m->op || !m->M)
        return lcl_fail_memory(log, "a preconditioner");
    const enum lcl_status st = lcl_team_run(T->team, create_member, m);
    if (st < 0)
        return st;
    for (size_t r = 0; r < size; ++r)
        m->op[r] = &m->M[r]->op;
    m->params = NULL;
    describe(M);
    return LCL_OK;
}

static enum lcl_status update_member(void *arg, int rank)
{
    const struct members *m = arg;
    return lcl_precond_update(m->M[rank]);
}

// The first update follows the creation, which has factored the values.
static enum lcl_status update(lcl_precond *M)
{
    struct members *m = M->op.state;
    enum lcl_status st = LCL_OK;
    if (m->updated)
        st = lcl_team_run(m->T->team, update_member, m);
    m->updated = true;
    if (st >= 0)
        describe(M);
    return st < 0 ? st : LCL_OK;
}

static bool is_worn(const lcl_precond *M)
{
    const struct members *m = M->op.state;
    const lcl_precond *first = m->M[0];
    return first->ops->is_worn && first->ops->is_worn(first);
}

static enum lcl_status apply_host(lcl_operator *op, const double *x, double *y)
{
    const struct members *m = op->state;
    return lcl_team_apply(m->T, m->op, x, y);
}

static void destroy(lcl_operator *op)
{
    struct members *m = op->state;
    if (!m)
        return;
    for (int r = 0; m->M && r < m->T->distribution.size; ++r)
        lcl_precond_destroy(&m->M[r]);
    lcl_free(m->M);
    lcl_free(m->op);
    lcl_free(m);
}

const struct lcl_precond_ops lcl_precond_team = {
    .op = {.apply = lcl_team_refuse,
           .apply_host = apply_host,
           .destroy = destroy},
    .numbering = LCL_NUMBERING_ANY,
    .create = create,
    .update = update,
    .is_worn = is_worn,
};
