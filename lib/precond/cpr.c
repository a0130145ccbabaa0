// SPDX-License-Identifier: BSD-3-Clause
// Constrained pressure residual (cl/multilevel/cpr.cl): algebraic multigrid for
// the pressures, then ILDU(0) for all unknowns, in the numbering of ILDU(0).
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/precond/precond.h"
#include "lib/trisolve/trisolve.h"

struct cpr {
    lcl_precond *all; // second stage; in the numbering of its matrix
    const struct lcl_device_matrix *A;
    lcl_operator *pressures;
    lcl_precond *multigrid; // of the pressures
    const double *given;    // the caller's blocks for the weights; NULL: none
    lcl_buffer *blocks;     // the same on the device, in the numbering of A
    lcl_buffer *weights;    // n fp64
    lcl_buffer *r, *p;      // of the pressures
    lcl_buffer *rest;       // n fp64
    lcl_kernel *find_weights, *find_matrix, *restrict_, *residual, *add;
};

// ------------------------------------------------------------------- set-up

static enum lcl_status check(const lcl_precond *M,
                             const struct lcl_precond_params *params)
{
    const int b = M->info.block_size, p = params->cpr.pressure;
    const struct lcl_log *log = lcl_context_log(M->op.range.ctx);
    if (b < 2)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "cpr requires several unknowns per cell, but the "
                        "matrix is stored in blocks of %d row",
                        b);
    if (lcl_trisolve_supports_levels(params->trisolve))
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "%s requires block size 1, but cpr has blocks of %d "
                        "rows",
                        lcl_trisolve_name(params->trisolve), b);
    return p < b ? LCL_OK
                 : lcl_fail(log, LCL_EINVAL,
                            "cpr: pressure %d: expected a number below the "
                            "block size %d",
                            p, b);
}

// M itself does not renumber A: the second stage does.
static enum lcl_status make_second_stage(
    lcl_precond *M, const struct lcl_precond_params *params)
{
    struct cpr *C = M->op.state;
    struct lcl_precond_params own = *params;
    own.type = LCL_PRECOND_ILDU0;
    own.coarse = LCL_COARSE_NONE;
    --M->A->users;
    const enum lcl_status st = lcl_precond_analyse(&C->all, M->A, &own);
    ++M->A->users;
    if (st < 0)
        return st;
    C->A = C->all->matrix->matrix;
    M->op.numbering = C->all->op.numbering;
    return LCL_OK;
}

static enum lcl_status get_kernels(struct cpr *C, lcl_context *ctx,
                                   int pressure)
{
    const struct lcl_kernel_plan all[] = {
        {&C->find_weights, "cpr_weights"},
        {&C->find_matrix, "cpr_matrix"},
        {&C->restrict_, "cpr_restrict"},
        {&C->residual, "cpr_residual"},
        {&C->add, "cpr_add"},
    };
    struct lcl_spec spec = {
        .source = "cpr.cl",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .block = C->A->block,
        .wide = C->A->wide,
    };
    lcl_spec_set(&spec, "PRESSURE", pressure);
    return lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
}

static enum lcl_status create_vectors(struct cpr *C, lcl_context *ctx)
{
    const struct lcl_device_matrix *A = C->A;
    const struct lcl_buffer_plan all[] = {
        {&C->weights, A->n, sizeof(double), "weights of equations"},
        {&C->rest, A->n, sizeof(double), "a vector"},
        {&C->r, A->block_rows, sizeof(double), "a vector of pressures"},
        {&C->p, A->block_rows, sizeof(double), "a vector of pressures"},
        {&C->blocks, A->n * A->block, sizeof(double), "blocks of cells"},
    };
    const size_t count = sizeof all / sizeof *all;
    return lcl_buffers_create(ctx, all, C->given ? count : count - 1);
}

// Uploads the caller's blocks in the numbering of A.
static enum lcl_status upload_blocks(const struct cpr *C)
{
    const struct lcl_device_matrix *A = C->A;
    const struct lcl_numbering *N = C->all->matrix->numbering;
    lcl_context *ctx = C->all->op.range.ctx;
    struct lcl_vector_ops ops;
    lcl_buffer *in;
    enum lcl_status st;
    if (!C->given || !N->perm)
        return C->given ? lcl_buffer_write(C->blocks, C->given,
                                           (size_t)(A->n * A->block) *
                                               sizeof *C->given)
                        : LCL_OK;
    if ((st = lcl_vector_ops_init(&ops, ctx, A->block * A->block)) < 0 ||
        (st = lcl_buffer_create_from(&in, ctx, C->given, A->n * A->block,
                                     sizeof *C->given, "blocks of cells")) < 0)
        return st;
    st = lcl_gather(&ops, A->block_rows, N->perm, in, C->blocks);
    lcl_buffer_destroy(&in);
    return st;
}

// Enqueues the weights and the values of the pressure matrix.
static enum lcl_status find_values(const struct cpr *C, lcl_buffer *val)
{
    const struct lcl_device_matrix *A = C->A;
    const struct lcl_arg cells = lcl_arg_long(A->block_rows);
    const struct lcl_arg row_ptr = lcl_arg_buffer(A->row_ptr);
    enum lcl_status st;
    if ((st = upload_blocks(C)) < 0 ||
        (st = LCL_LAUNCH(C->find_weights, A->groups, cells, row_ptr,
                         lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                         lcl_arg_buffer(C->blocks),
                         lcl_arg_buffer(C->weights))) < 0)
        return st;
    return LCL_LAUNCH(C->find_matrix, A->groups, cells, row_ptr,
                      lcl_arg_buffer(C->weights), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(val));
}

static enum lcl_status make_pressures(struct cpr *C, lcl_context *ctx)
{
    const struct lcl_device_matrix *A = C->A;
    const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR,
                                               .block_size = 1};
    struct lcl_blocked B = {.entries = A->blocks};
    enum lcl_status st;
    if ((st = lcl_device_pattern_copy(&B.A, ctx, A)) == LCL_OK &&
        (st = find_values(C, B.A.val)) == LCL_OK)
        st = lcl_matrix_operator_create(&C->pressures, ctx, &B, &params);
    lcl_blocked_finish(&B);
    return st;
}

static enum lcl_status make_multigrid(struct cpr *C,
                                      const struct lcl_precond_params *params)
{
    struct lcl_precond_params own = {.type = LCL_PRECOND_AMG,
                                     .amg = params->amg};
    if (own.amg.smoother == LCL_AMG_SMOOTHER_DEFAULT)
        own.amg.smoother = LCL_AMG_JACOBI;
    return lcl_precond_analyse(&C->multigrid, C->pressures, &own);
}

static enum lcl_status set_up(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    struct cpr *C = M->op.state;
    lcl_context *ctx = M->op.range.ctx;
    enum lcl_status st;
    C->given = params->cpr.blocks;
    if ((st = make_second_stage(M, params)) < 0 ||
        (st = get_kernels(C, ctx, params->cpr.pressure)) < 0 ||
        (st = create_vectors(C, ctx)) < 0 || (st = make_pressures(C, ctx)) < 0)
        return st;
    return make_multigrid(C, params);
}

static void describe(lcl_precond *M)
{
    const struct cpr *C = M->op.state;
    const struct lcl_precond_info *multigrid = &C->multigrid->info;
    struct lcl_precond_info *info = &M->info;
    const enum lcl_precond_type type = info->type;
    *info = C->all->info;
    info->type = type;
    info->launches += 3 + multigrid->launches;
    info->bytes += multigrid->bytes;
    info->amg = multigrid->amg;
}

static enum lcl_status create(lcl_precond *M,
                              const struct lcl_precond_params *params)
{
    enum lcl_status st = check(M, params);
    if (st < 0)
        return st;
    M->op.state = lcl_calloc(1, sizeof(struct cpr));
    if (!M->op.state)
        return lcl_fail_memory(lcl_context_log(M->op.range.ctx),
                               "a preconditioner");
    if ((st = set_up(M, params)) == LCL_OK)
        describe(M);
    return st;
}

// ------------------------------------------------------------------- values

// Passes the statistics of solves with M on to its multigrid.
static void hand_down(const lcl_precond *M)
{
    const struct cpr *C = M->op.state;
    lcl_precond *multigrid = C->multigrid;
    multigrid->failed = M->failed;
    multigrid->lagged = M->lagged;
    multigrid->first_rate = M->first_rate;
    multigrid->last_folds = M->last_folds;
    multigrid->info.first_iterations = M->info.first_iterations;
    multigrid->info.last_iterations = M->info.last_iterations;
}

static bool is_worn(const lcl_precond *M)
{
    const struct cpr *C = M->op.state;
    hand_down(M);
    return C->multigrid->ops->is_worn(C->multigrid);
}

static enum lcl_status update(lcl_precond *M)
{
    struct cpr *C = M->op.state;
    const struct lcl_precond_info *info = &M->info;
    const int first = info->first_iterations, last = info->last_iterations;
    const int setups = C->multigrid->info.amg.setups;
    enum lcl_status st = lcl_precond_factor(C->all);
    if (st < 0 ||
        (st = find_values(C, lcl_operator_staging(C->pressures))) < 0 ||
        (st = lcl_operator_commit_staged(C->pressures)) < 0)
        return st;
    hand_down(M);
    if ((st = C->multigrid->ops->update(C->multigrid)) < 0)
        return st;
    describe(M);
    M->first_rate = C->multigrid->first_rate;
    M->info.last_iterations = last;
    M->info.first_iterations =
        C->multigrid->info.amg.setups == setups ? first : 0;
    return LCL_OK;
}

static enum lcl_status apply(lcl_operator *op, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct cpr *C = op->state;
    const struct lcl_device_matrix *A = C->A;
    const struct lcl_arg cells = lcl_arg_long(A->block_rows);
    const struct lcl_arg stop = lcl_arg_buffer(v->stop);
    const struct lcl_arg at = lcl_arg_int(v->at);
    const struct lcl_operands first = {
        .x = C->r, .y = C->p, .stop = v->stop, .at = v->at};
    const struct lcl_operands second = {
        .x = C->rest, .y = v->y, .stop = v->stop, .at = v->at};
    enum lcl_status st;
    (void)mode;
    if ((st = LCL_LAUNCH(C->restrict_, A->groups, cells,
                         lcl_arg_buffer(C->weights), lcl_arg_buffer(v->x),
                         lcl_arg_buffer(C->r), stop, at)) < 0 ||
        (st = lcl_apply(&C->multigrid->op, LCL_APPLY, &first)) < 0 ||
        (st = LCL_LAUNCH(C->residual, A->groups, cells,
                         lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                         lcl_arg_buffer(A->val), lcl_arg_buffer(C->p),
                         lcl_arg_buffer(v->x), lcl_arg_buffer(C->rest), stop,
                         at)) < 0 ||
        (st = lcl_apply(&C->all->op, LCL_APPLY, &second)) < 0)
        return st;
    return LCL_LAUNCH(C->add, A->groups, cells, lcl_arg_buffer(C->p),
                      lcl_arg_buffer(v->y), stop, at);
}

static enum lcl_status prepare(lcl_operator *op)
{
    const struct cpr *C = op->state;
    const enum lcl_status st = lcl_operator_prepare(&C->all->op, LCL_APPLY);
    return st < 0 ? st : lcl_operator_prepare(&C->multigrid->op, LCL_APPLY);
}

static void destroy(lcl_operator *op)
{
    struct cpr *C = op->state;
    if (!C)
        return;
    lcl_precond_destroy(&C->multigrid);
    lcl_operator_destroy(&C->pressures);
    lcl_precond_destroy(&C->all);
    lcl_buffer_destroy(&C->blocks);
    lcl_buffer_destroy(&C->weights);
    lcl_buffer_destroy(&C->r);
    lcl_buffer_destroy(&C->p);
    lcl_buffer_destroy(&C->rest);
    lcl_free(C);
}

const struct lcl_precond_ops lcl_precond_cpr = {
    .op = {.prepare = prepare, .apply = apply, .destroy = destroy},
    .numbering = LCL_NUMBERING_ANY,
    .create = create,
    .update = update,
    .is_worn = is_worn,
};
