// SPDX-License-Identifier: BSD-3-Clause
// Prolongation by smoothed aggregation.
#include "lib/multilevel/prolongator.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"
#include "lib/storage/row_lengths.h"

enum {
    POWER_STEPS = 10,
    TEAM_WAVES = 4, // of a group of the prolongator's kernels
};

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const char *name, int group, int lanes)
{
    const struct lcl_spec spec = {.source = "prolongator.cl",
                                  .kernel = name,
                                  .group = group,
                                  .defines = {{"LANES_PER_ROW", lanes}}};
    return lcl_kernel_get(out, ctx, &spec);
}

static int lanes_of(const struct lcl_caps *caps,
                    const struct lcl_device_matrix *A)
{
    const int64_t mean = A->n > 0 ? A->blocks / A->n : 0;
    int lanes = 1;
    while (2 * lanes <= mean && 2 * lanes <= caps->width)
        lanes *= 2;
    return lanes;
}

// ------------------------------------------------------------------- lambda

struct power {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    int groups, group, lanes;
    lcl_buffer *x, *y, *inv_d, *bounds, *sums;
};

static enum lcl_status start(struct power *I)
{
    const struct lcl_device_matrix *A = I->A;
    const struct lcl_buffer_plan all[] = {
        {&I->x, A->n, sizeof(double), "a vector"},
        {&I->y, A->n, sizeof(double), "a vector"},
        {&I->inv_d, A->n, sizeof(double), "inverse diagonal"},
        {&I->bounds, I->groups, sizeof(double), "bounds of eigenvalues"},
        {&I->sums, 2 * I->groups, sizeof(double), "partial sums"},
    };
    lcl_kernel *kernel;
    enum lcl_status st =
        lcl_buffers_create(I->ctx, all, sizeof all / sizeof *all);
    if (st < 0 || (st = get_kernel(&kernel, I->ctx, "lambda_start", I->group,
                                   I->lanes)) < 0)
        return st;
    return LCL_LAUNCH(kernel, I->groups, lcl_arg_long(A->n),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(A->val), lcl_arg_buffer(I->x),
                      lcl_arg_buffer(I->inv_d), lcl_arg_buffer(I->bounds));
}

static enum lcl_status iterate(struct power *I)
{
    const struct lcl_device_matrix *A = I->A;
    lcl_kernel *kernel;
    enum lcl_status st =
        get_kernel(&kernel, I->ctx, "lambda_step", I->group, I->lanes);
    for (int k = 0; k < POWER_STEPS && st == LCL_OK; ++k) {
        lcl_buffer *const kept = I->x;
        st = LCL_LAUNCH(kernel, I->groups, lcl_arg_long(A->n),
                        lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                        lcl_arg_buffer(A->val), lcl_arg_buffer(I->inv_d),
                        lcl_arg_buffer(I->x), lcl_arg_buffer(I->y),
                        lcl_arg_buffer(I->sums));
        I->x = I->y;
        I->y = kept;
    }
    return st;
}

static enum lcl_status finish(const struct power *I, lcl_buffer *lambda)
{
    lcl_kernel *kernel;
    const enum lcl_status st =
        get_kernel(&kernel, I->ctx, "lambda_finish", I->group, I->lanes);
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, 1, lcl_arg_int(I->groups),
                            lcl_arg_buffer(I->sums), lcl_arg_int(I->groups),
                            lcl_arg_buffer(I->bounds), lcl_arg_buffer(lambda));
}

enum lcl_status lcl_lambda(lcl_buffer *lambda, lcl_context *ctx,
                           const struct lcl_device_matrix *A)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct power I = {.ctx = ctx,
                      .A = A,
                      .groups = lcl_vector_groups(caps),
                      .group = lcl_vector_group(caps),
                      .lanes = lanes_of(caps, A)};
    enum lcl_status st;
    if ((st = start(&I)) == LCL_OK && (st = iterate(&I)) == LCL_OK)
        st = finish(&I, lambda);
    lcl_buffer_destroy(&I.x);
    lcl_buffer_destroy(&I.y);
    lcl_buffer_destroy(&I.inv_d);
    lcl_buffer_destroy(&I.bounds);
    lcl_buffer_destroy(&I.sums);
    return st;
}

// ------------------------------------------------------------------- P

// A kernel with teams of lanes for the rows of A, and its number of groups.
static enum lcl_status get_team_kernel(lcl_kernel **out, int64_t *groups,
                                       lcl_context *ctx, const char *name,
                                       const struct lcl_device_matrix *A)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int lanes = lanes_of(caps, A);
    const int group = lcl_loose_wave_group(caps, TEAM_WAVES);
    *groups =
        group == 1 ? A->groups : lcl_launch_groups(A->n, group / lanes, group);
    return get_kernel(out, ctx, name, group, lanes);
}

static enum lcl_status count(lcl_buffer *counts, lcl_context *ctx,
                             const struct lcl_device_matrix *A,
                             const struct lcl_strength *S,
                             const struct lcl_aggregates *G)
{
    lcl_kernel *kernel;
    int64_t groups;
    const enum lcl_status st =
        get_team_kernel(&kernel, &groups, ctx, "count_prolongator", A);
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, groups, lcl_arg_long(A->n),
                            lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                            lcl_arg_buffer(A->val), lcl_arg_buffer(S->strong),
                            lcl_arg_buffer(G->aggregate),
                            lcl_arg_buffer(counts));
}

static enum lcl_status fill(const struct lcl_device_matrix *P, lcl_context *ctx,
                            const struct lcl_device_matrix *A,
                            const struct lcl_strength *S,
                            const struct lcl_aggregates *G,
                            const lcl_buffer *lambda)
{
    lcl_kernel *kernel;
    int64_t groups;
    const enum lcl_status st =
        get_team_kernel(&kernel, &groups, ctx, "fill_prolongator", A);
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, groups, lcl_arg_long(A->n),
                            lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                            lcl_arg_buffer(A->val), lcl_arg_buffer(S->strong),
                            lcl_arg_buffer(G->aggregate),
                            lcl_arg_buffer(S->inv_diag), lcl_arg_buffer(lambda),
                            lcl_arg_buffer(P->row_ptr), lcl_arg_buffer(P->col),
                            lcl_arg_buffer(P->val));
}

static enum lcl_status make_rows(struct lcl_device_matrix *P, lcl_context *ctx,
                                 const struct lcl_device_matrix *A,
                                 const struct lcl_strength *S,
                                 const struct lcl_aggregates *G)
{
    lcl_buffer *counts = NULL;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&counts, ctx, P->n, sizeof(uint32_t),
                                "lengths of rows")) == LCL_OK &&
        (st = count(counts, ctx, A, S, G)) == LCL_OK)
        st = lcl_device_matrix_counted(P, ctx, counts, A->blocks + A->n);
    lcl_buffer_destroy(&counts);
    return st;
}

enum lcl_status lcl_prolongator_init(struct lcl_device_matrix *P,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A,
                                     const struct lcl_strength *S,
                                     const struct lcl_aggregates *G,
                                     const lcl_buffer *lambda)
{
    const struct lcl_bsr shape = {
        .rows = A->n, .cols = G->aggregates, .block_size = 1};
    enum lcl_status st;
    *P = lcl_device_matrix_shape(&shape);
    P->groups = A->groups;
    if ((st = make_rows(P, ctx, A, S, G)) == LCL_OK)
        st = fill(P, ctx, A, S, G, lambda);
    if (st < 0)
        lcl_device_matrix_finish(P);
    return st;
}

enum lcl_status lcl_scale_matrix(lcl_context *ctx,
                                 const struct lcl_device_matrix *A,
                                 double factor)
{
    const int group = lcl_vector_group(lcl_context_caps(ctx));
    lcl_kernel *kernel;
    const enum lcl_status st =
        get_kernel(&kernel, ctx, "scale_values", group, 1);
    return st < 0 ? st
                  : LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->blocks),
                               lcl_arg_double(factor), lcl_arg_buffer(A->val));
}
