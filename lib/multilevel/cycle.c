// SPDX-License-Identifier: BSD-3-Clause
// The V-cycle of a hierarchy of matrices, in fp32.
#include "lib/multilevel/cycle.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

// ------------------------------------------------------------------- kernels

// Each lane takes two entries at a time.
static int lanes_of(const struct lcl_caps *caps,
                    const struct lcl_device_matrix *A)
{
    const int64_t mean = A->block_rows ? A->blocks / A->block_rows : 0;
    int lanes = 1;
    while (2 * lanes < mean && 2 * lanes <= caps->width)
        lanes *= 2;
    return lanes;
}

static enum lcl_status get_kernels(struct lcl_cycle_matrix *M, lcl_context *ctx)
{
    static const char *const names[LCL_CYCLE_KERNELS] = {
        [LCL_CYCLE_FIRST] = "cycle_first",
        [LCL_CYCLE_RESIDUAL] = "cycle_residual",
        [LCL_CYCLE_AGAIN] = "cycle_again",
        [LCL_CYCLE_LAST] = "cycle_last",
        [LCL_CYCLE_RESTRICT] = "cycle_restrict",
        [LCL_CYCLE_PROLONG] = "cycle_prolong",
    };
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int lanes = lanes_of(caps, M->D);
    struct lcl_spec spec = {
        .source = "cycle.cl",
        .group = lcl_vector_group(caps),
        .defines = {{"LANES_PER_ROW", lanes}},
        .wide = M->D->wide,
    };
    const int64_t all = lcl_vector_groups(caps),
                  needed = lcl_launch_groups(M->D->block_rows,
                                             spec.group / lanes, spec.group);
    enum lcl_status st = LCL_OK;
    M->groups = caps->width > 1 && needed < all ? needed : all;
    for (int k = 0; k < LCL_CYCLE_KERNELS && st == LCL_OK; ++k) {
        spec.kernel = names[k];
        st = lcl_kernel_get(&M->kernels[k], ctx, &spec);
    }
    return st;
}

enum lcl_status lcl_cycle_init(struct lcl_cycle *C, lcl_context *ctx)
{
    const struct lcl_kernel_plan all[] = {
        {&C->scale, "cycle_scale"},   {&C->enter, "cycle_enter"},
        {&C->leave, "cycle_leave"},   {&C->dense, "cycle_dense"},
        {&C->store, "cycle_store"},   {&C->diagonal, "cycle_diagonal"},
        {&C->spread, "cycle_spread"},
    };
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_spec spec = {.source = "cycle.cl",
                                  .group = lcl_vector_group(caps)};
    *C = (struct lcl_cycle){.ctx = ctx, .groups = lcl_vector_groups(caps)};
    const enum lcl_status st =
        lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
    const struct lcl_buffer_plan buffers[] = {
        {&C->largest, C->groups, sizeof(double), "partial maxima"},
        {&C->lost, 1, sizeof(int32_t), "a count of values"},
    };
    return st < 0 ? st
                  : lcl_buffers_create(ctx, buffers,
                                       sizeof buffers / sizeof *buffers);
}

// ------------------------------------------------------------------- levels

static enum lcl_status matrix_init(struct lcl_cycle_matrix *M, lcl_context *ctx,
                                   const struct lcl_device_matrix *D)
{
    M->D = D;
    const enum lcl_status st = get_kernels(M, ctx);
    return st < 0 ? st
                  : lcl_buffer_create(&M->val, ctx, D->blocks, sizeof(float),
                                      "values in fp32");
}

enum lcl_status lcl_cycle_append(struct lcl_cycle *C,
                                 const struct lcl_device_matrix *A,
                                 const struct lcl_device_matrix *P,
                                 const struct lcl_device_matrix *R,
                                 const lcl_buffer *lambda)
{
    static const char what[] = "a vector of a level";
    struct lcl_cycle_level *L = &C->level[C->levels++];
    const bool smoothed = lambda != NULL;
    const struct lcl_buffer_plan vectors[] = {
        {&L->b, A->n, sizeof(float), what},
        {&L->x, A->n, sizeof(float), what},
        {&L->y, smoothed ? A->n : 0, sizeof(float), what},
        {&L->r, smoothed ? A->n : 0, sizeof(float), what},
        {&L->d, smoothed ? A->n : 0, sizeof(float), what},
        {&L->inv_d, smoothed ? A->n : 0, sizeof(float), "inverse diagonal"},
    };
    enum lcl_status st;
    L->n = A->n;
    L->lambda = lambda;
    if ((st = lcl_buffers_create(C->ctx, vectors,
                                 sizeof vectors / sizeof *vectors)) < 0 ||
        (smoothed && (st = matrix_init(&L->A, C->ctx, A)) < 0) || !P ||
        (st = matrix_init(&L->P, C->ctx, P)) < 0)
        return st;
    return matrix_init(&L->R, C->ctx, R);
}

static lcl_buffer **buffer_at(struct lcl_cycle_level *L, size_t i)
{
    lcl_buffer **const all[] = {
        &L->A.val, &L->P.val, &L->R.val, &L->inv_d, &L->b,
        &L->x,     &L->y,     &L->r,     &L->d,
    };
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

void lcl_cycle_finish(struct lcl_cycle *C)
{
    for (int l = 0; l < C->levels; ++l)
        for (size_t i = 0; buffer_at(&C->level[l], i); ++i)
            lcl_buffer_destroy(buffer_at(&C->level[l], i));
    lcl_buffer_destroy(&C->largest);
    lcl_buffer_destroy(&C->lost);
    C->levels = 0;
}

uint64_t lcl_cycle_bytes(const struct lcl_cycle *C)
{
    uint64_t bytes = lcl_buffer_bytes(C->largest);
    for (int l = 0; l < C->levels; ++l) {
        struct lcl_cycle_level copy = C->level[l];
        for (size_t i = 0; buffer_at(&copy, i); ++i)
            bytes += lcl_buffer_bytes(*buffer_at(&copy, i));
    }
    return bytes;
}

// ------------------------------------------------------------------- values

static enum lcl_status store(const struct lcl_cycle *C,
                             const struct lcl_cycle_matrix *M)
{
    if (!M->D)
        return LCL_OK;
    return LCL_LAUNCH(C->store, C->groups, lcl_arg_long(M->D->blocks),
                      lcl_arg_buffer(M->D->val), lcl_arg_buffer(M->val),
                      lcl_arg_buffer(C->lost));
}

static enum lcl_status find_diagonal(const struct lcl_cycle *C,
                                     const struct lcl_cycle_level *L)
{
    const struct lcl_device_matrix *D = L->A.D;
    return LCL_LAUNCH(C->diagonal, C->groups, lcl_arg_long(L->n),
                      lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                      lcl_arg_buffer(D->val), lcl_arg_buffer(L->inv_d),
                      lcl_arg_buffer(C->lost));
}

static enum lcl_status check_range(const struct lcl_cycle *C)
{
    int32_t lost = 0;
    const enum lcl_status st = lcl_buffer_read(C->lost, &lost, sizeof lost);
    return st == LCL_OK && lost != 0
               ? lcl_fail(lcl_context_log(C->ctx), LCL_ERANGE,
                          "%d values of the levels are out of the range of "
                          "fp32; scale the matrix",
                          (int)lost)
               : st;
}

enum lcl_status lcl_cycle_update(const struct lcl_cycle *C)
{
    enum lcl_status st = lcl_buffer_fill(C->lost, 0);
    for (int l = 0; l < C->levels && st == LCL_OK; ++l) {
        const struct lcl_cycle_level *L = &C->level[l];
        if (!L->A.D)
            continue;
        if ((st = store(C, &L->A)) == LCL_OK &&
            (st = store(C, &L->P)) == LCL_OK &&
            (st = store(C, &L->R)) == LCL_OK)
            st = find_diagonal(C, L);
    }
    return st < 0 ? st : check_range(C);
}

enum lcl_status lcl_cycle_spread(const struct lcl_cycle *C,
                                 const struct lcl_device_matrix *A,
                                 const struct lcl_inverse *V)
{
    return LCL_LAUNCH(C->spread, C->groups, lcl_arg_long(A->n),
                      lcl_arg_long(V->stride), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(V->matrix));
}

// ------------------------------------------------------------------- cycle

static enum lcl_status smooth(const struct lcl_cycle_level *L,
                              enum lcl_cycle_kernel step, const lcl_buffer *x,
                              lcl_buffer *y, const struct lcl_operands *v)
{
    const struct lcl_cycle_matrix *A = &L->A;
    return LCL_LAUNCH(A->kernels[step], A->groups, lcl_arg_long(L->n),
                      lcl_arg_buffer(A->D->row_ptr), lcl_arg_buffer(A->D->col),
                      lcl_arg_buffer(A->val), lcl_arg_buffer(L->inv_d),
                      lcl_arg_buffer(L->lambda), lcl_arg_buffer(L->b),
                      lcl_arg_buffer(x), lcl_arg_buffer(L->r),
                      lcl_arg_buffer(L->d), lcl_arg_buffer(y),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

static enum lcl_status move(const struct lcl_cycle_matrix *M,
                            enum lcl_cycle_kernel step, const lcl_buffer *x,
                            lcl_buffer *y, const struct lcl_operands *v)
{
    return LCL_LAUNCH(
        M->kernels[step], M->groups, lcl_arg_long(M->D->block_rows),
        lcl_arg_buffer(M->D->row_ptr), lcl_arg_buffer(M->D->col),
        lcl_arg_buffer(M->val), lcl_arg_buffer(x), lcl_arg_buffer(y),
        lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// x = the sweep before the correction; b of the next level = its residual.
static enum lcl_status descend(const struct lcl_cycle *C, int l,
                               const struct lcl_operands *v)
{
    const struct lcl_cycle_level *L = &C->level[l];
    enum lcl_status st;
    if ((st = smooth(L, LCL_CYCLE_FIRST, L->x, L->x, v)) < 0 ||
        (st = smooth(L, LCL_CYCLE_RESIDUAL, L->x, L->x, v)) < 0)
        return st;
    return move(&L->R, LCL_CYCLE_RESTRICT, L->r, C->level[l + 1].b, v);
}

static lcl_buffer *result(const struct lcl_cycle *C, int l)
{
    const bool inverted = l == C->levels - 1 && C->coarsest;
    return inverted ? C->level[l].x : C->level[l].y;
}

// y = the second sweep, from x.
static enum lcl_status smooth_again(const struct lcl_cycle_level *L,
                                    const struct lcl_operands *v)
{
    const enum lcl_status st = smooth(L, LCL_CYCLE_AGAIN, L->x, L->y, v);
    return st < 0 ? st : smooth(L, LCL_CYCLE_LAST, L->x, L->y, v);
}

// y = the sweep after the correction.
static enum lcl_status ascend(const struct lcl_cycle *C, int l,
                              const struct lcl_operands *v)
{
    const struct lcl_cycle_level *L = &C->level[l];
    const enum lcl_status st =
        move(&L->P, LCL_CYCLE_PROLONG, result(C, l + 1), L->x, v);
    return st < 0 ? st : smooth_again(L, v);
}

static enum lcl_status solve_coarsest(const struct lcl_cycle *C,
                                      const struct lcl_operands *v)
{
    const struct lcl_cycle_level *L = &C->level[C->levels - 1];
    if (!C->coarsest) {
        const enum lcl_status st = smooth(L, LCL_CYCLE_FIRST, L->x, L->x, v);
        return st < 0 ? st : smooth_again(L, v);
    }
    return LCL_LAUNCH(C->dense, C->groups, lcl_arg_long(L->n),
                      lcl_arg_long(C->coarsest->stride),
                      lcl_arg_buffer(C->coarsest->matrix), lcl_arg_buffer(L->b),
                      lcl_arg_buffer(L->x), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

static enum lcl_status enter(const struct lcl_cycle *C,
                             const struct lcl_operands *v)
{
    const struct lcl_cycle_level *L = &C->level[0];
    const enum lcl_status st =
        LCL_LAUNCH(C->scale, C->groups, lcl_arg_long(L->n),
                   lcl_arg_buffer(v->x), lcl_arg_buffer(C->largest),
                   lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
    return st < 0
               ? st
               : LCL_LAUNCH(C->enter, C->groups, lcl_arg_long(L->n),
                            lcl_arg_buffer(C->largest), lcl_arg_int(C->groups),
                            lcl_arg_buffer(v->x), lcl_arg_buffer(L->b),
                            lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

enum lcl_status lcl_cycle_apply(const struct lcl_cycle *C,
                                const struct lcl_operands *v)
{
    enum lcl_status st = enter(C, v);
    for (int l = 0; l < C->levels - 1 && st == LCL_OK; ++l)
        st = descend(C, l, v);
    if (st == LCL_OK)
        st = solve_coarsest(C, v);
    for (int l = C->levels - 1; l-- > 0 && st == LCL_OK;)
        st = ascend(C, l, v);
    return st < 0
               ? st
               : LCL_LAUNCH(C->leave, C->groups, lcl_arg_long(C->level[0].n),
                            lcl_arg_buffer(C->largest), lcl_arg_int(C->groups),
                            lcl_arg_buffer(result(C, 0)), lcl_arg_buffer(v->y),
                            lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

int lcl_cycle_launches(const struct lcl_cycle *C)
{
    return 6 * (C->levels - 1) + (C->coarsest ? 4 : 6);
}
