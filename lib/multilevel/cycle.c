// SPDX-License-Identifier: BSD-3-Clause
// The V-cycle of a hierarchy of matrices, in fp32.
#include "lib/multilevel/cycle.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

#include <string.h>

// Of rounding errors of a row in bf16, relative to its diagonal. Rows whose
// absolute values add up to 32 diagonals or less cannot exceed it.
#define LOSS_MOST 0.0625f

// ------------------------------------------------------------------- kernels

enum lcl_status lcl_cycle_init(struct lcl_cycle *C, lcl_context *ctx)
{
    const struct lcl_kernel_plan all[] = {
        {&C->scale, "cycle_scale"},   {&C->enter, "cycle_enter"},
        {&C->leave, "cycle_leave"},   {&C->dense, "cycle_dense"},
        {&C->spread, "cycle_spread"}, {&C->diagonal, "cycle_diagonal"},
    };
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_spec spec = {.source = "cycle.cl",
                                  .group = lcl_vector_group(caps),
                                  .storage = LCL_FACTOR_STORAGE_FP32};
    *C = (struct lcl_cycle){.ctx = ctx,
                            .storage = LCL_FACTOR_STORAGE_FP32,
                            .groups = lcl_vector_groups(caps)};
    enum lcl_status st =
        lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
    const struct lcl_buffer_plan buffers[] = {
        {&C->largest, C->groups, sizeof(double), "partial maxima"},
        {&C->lost, 1 + LCL_LEVELS_MOST, sizeof(uint32_t), "counts of values"},
    };
    if (st < 0 || (st = lcl_power_init(&C->power, ctx)) < 0)
        return st;
    return lcl_buffers_create(ctx, buffers, sizeof buffers / sizeof *buffers);
}

// ------------------------------------------------------------------- levels

enum lcl_status lcl_cycle_append(
    struct lcl_cycle *C, const struct lcl_device_matrix *A,
    const struct lcl_device_matrix *P, const struct lcl_device_matrix *R,
    lcl_buffer *lambda, const struct lcl_cycle_halos *halos, int64_t room)
{
    static const char what[] = "a vector of a level";
    struct lcl_cycle_level *L = &C->level[C->levels++];
    const int64_t size = A->n + room, smoothed = lambda ? size : 0;
    const struct lcl_buffer_plan vectors[] = {
        {&L->t, size, sizeof(double), what},
        {&L->b, size, sizeof(float), what},
        {&L->x, size, sizeof(float), what},
        {&L->y, smoothed, sizeof(float), what},
        {&L->r, smoothed, sizeof(float), what},
    };
    enum lcl_status st;
    L->n = A->n;
    L->matrix = A;
    L->lambda = lambda;
    L->halos = *halos;
    if ((st = lcl_buffers_create(C->ctx, vectors,
                                 sizeof vectors / sizeof *vectors)) < 0 ||
        (lambda && (st = lcl_cycle_matrix_init(
                        &L->A, C->ctx, A, LCL_CYCLE_LEVEL, C->storage)) < 0) ||
        !P ||
        (st = lcl_cycle_matrix_init(&L->P, C->ctx, P, LCL_CYCLE_UPWARDS,
                                    LCL_FACTOR_STORAGE_FP32)) < 0)
        return st;
    return lcl_cycle_matrix_init(&L->R, C->ctx, R, LCL_CYCLE_DOWN,
                                 LCL_FACTOR_STORAGE_FP32);
}

static lcl_buffer **vector_at(struct lcl_cycle_level *L, size_t i)
{
    lcl_buffer **const all[] = {&L->t, &L->b, &L->x, &L->y, &L->r};
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

void lcl_cycle_finish(struct lcl_cycle *C)
{
    for (int l = 0; l < C->levels; ++l) {
        struct lcl_cycle_level *L = &C->level[l];
        lcl_cycle_matrix_finish(&L->A);
        lcl_cycle_matrix_finish(&L->P);
        lcl_cycle_matrix_finish(&L->R);
        lcl_relaxation_finish(&L->relaxation);
        for (size_t i = 0; vector_at(L, i); ++i)
            lcl_buffer_destroy(vector_at(L, i));
    }
    lcl_buffer_destroy(&C->largest);
    lcl_buffer_destroy(&C->lost);
    lcl_power_finish(&C->power);
    C->levels = 0;
}

uint64_t lcl_cycle_bytes(const struct lcl_cycle *C)
{
    uint64_t bytes = lcl_buffer_bytes(C->largest);
    for (int l = 0; l < C->levels; ++l) {
        struct lcl_cycle_level L = C->level[l];
        bytes += lcl_cycle_matrix_bytes(&L.A) + lcl_cycle_matrix_bytes(&L.P) +
                 lcl_cycle_matrix_bytes(&L.R) +
                 lcl_relaxation_bytes(&L.relaxation);
        for (size_t i = 0; vector_at(&L, i); ++i)
            bytes += lcl_buffer_bytes(*vector_at(&L, i));
    }
    return bytes;
}

// ------------------------------------------------------------------- values

static enum lcl_status find_scale(const struct lcl_cycle *C,
                                  const struct lcl_cycle_level *L)
{
    const struct lcl_device_matrix *D = L->matrix;
    return LCL_LAUNCH(C->diagonal, C->groups, lcl_arg_long(L->n),
                      lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                      lcl_arg_buffer(D->val), lcl_arg_buffer(L->t));
}

// The scales of ghosts come from their ranks; those of the last matrix that has
// asked for them stand behind the rank's own.
static enum lcl_status complete(const struct lcl_level_halo *halo,
                                lcl_buffer *t)
{
    return halo ? lcl_level_halo_complete(halo, t) : LCL_OK;
}

static enum lcl_status store_level(const struct lcl_cycle *C, int l)
{
    const struct lcl_cycle_level *L = &C->level[l];
    const bool rounds = L->A.storage == LCL_FACTOR_STORAGE_BF16;
    return lcl_cycle_store(&L->A, L->t, L->t, C->lost, rounds ? 1 + l : 0);
}

static enum lcl_status store(const struct lcl_cycle *C, int l)
{
    const struct lcl_cycle_level *L = &C->level[l], *next = L + 1;
    const struct lcl_cycle_halos *halos = &L->halos;
    enum lcl_status st;
    if ((st = complete(halos->A, L->t)) < 0 ||
        (L->A.D && (st = store_level(C, l)) < 0) || !L->P.D ||
        (st = complete(halos->P, next->t)) < 0 ||
        (st = lcl_cycle_store(&L->P, L->t, next->t, C->lost, 0)) < 0 ||
        (st = complete(halos->R, L->t)) < 0)
        return st;
    return lcl_cycle_store(&L->R, next->t, L->t, C->lost, 0);
}

// Stores a level in fp32 instead.
static enum lcl_status widen(struct lcl_cycle *C, int l)
{
    struct lcl_cycle_level *L = &C->level[l];
    struct lcl_cycle_matrix wider;
    const enum lcl_status st = lcl_cycle_matrix_init(
        &wider, C->ctx, L->matrix, LCL_CYCLE_LEVEL, LCL_FACTOR_STORAGE_FP32);
    if (st < 0) {
        lcl_cycle_matrix_finish(&wider);
        return st;
    }
    lcl_cycle_matrix_finish(&L->A);
    L->A = wider;
    return store_level(C, l);
}

// Takes the losses that all ranks have found; *some: whether a level needed
// more than bf16.
static enum lcl_status judge(struct lcl_cycle *C, const uint32_t *lost,
                             bool *some)
{
    enum lcl_status st = LCL_OK;
    for (int l = 0; l < C->levels && st == LCL_OK; ++l) {
        struct lcl_cycle_level *L = &C->level[l];
        int64_t bits = lost[1 + l];
        if (L->A.storage != LCL_FACTOR_STORAGE_BF16)
            continue;
        if (C->space && (st = lcl_space_max(C->space, &bits)) < 0)
            return st;
        const uint32_t found = (uint32_t)bits;
        memcpy(&L->loss, &found, sizeof found);
        if (L->loss <= LOSS_MOST)
            continue;
        *some = true;
        st = widen(C, l);
    }
    return st;
}

static enum lcl_status check_range(struct lcl_cycle *C)
{
    uint32_t lost[1 + LCL_LEVELS_MOST] = {0};
    bool more = false;
    enum lcl_status st = lcl_buffer_read(C->lost, lost, sizeof lost);
    if (st == LCL_OK)
        st = judge(C, lost, &more);
    if (st == LCL_OK && more)
        st = lcl_buffer_read(C->lost, lost, sizeof lost);
    return st == LCL_OK && lost[0] != 0
               ? lcl_fail(lcl_context_log(C->ctx), LCL_ERANGE,
                          "%u values of the levels are out of the range of "
                          "fp32, although they are scaled to a unit diagonal",
                          (unsigned)lost[0])
               : st;
}

enum lcl_status lcl_cycle_update(struct lcl_cycle *C)
{
    enum lcl_status st = lcl_buffer_fill(C->lost, 0);
    for (int l = 0; l < C->levels && st == LCL_OK; ++l)
        st = find_scale(C, &C->level[l]);
    for (int l = 0; l < C->levels && st == LCL_OK; ++l)
        st = store(C, l);
    return st < 0 ? st : check_range(C);
}

enum lcl_status lcl_cycle_relax_by(struct lcl_cycle *C, int l, lcl_operator *M,
                                   double traffic)
{
    return lcl_relaxation_init(&C->level[l].relaxation, M, traffic);
}

static enum lcl_status fetch(struct lcl_level_halo *halo, lcl_buffer *x)
{
    return halo ? lcl_level_halo_fetch(halo, x) : LCL_OK;
}

// A level during power iterations: y = -A x, or -M^-1 A x.
struct product {
    const struct lcl_cycle_level *L;
    struct lcl_operands v;
};

static enum lcl_status multiply(const void *user, lcl_buffer *x, lcl_buffer *y)
{
    const struct product *p = user;
    const struct lcl_cycle_level *L = p->L;
    struct lcl_relaxation undamped = L->relaxation;
    const bool relaxes = undamped.M;
    undamped.damping = NULL;
    const struct lcl_cycle_vectors own = {.lambda = L->lambda,
                                          .b = L->b,
                                          .x = x,
                                          .y = x,
                                          .out = relaxes ? L->r : y};
    enum lcl_status st = fetch(L->halos.A, x);
    if (st == LCL_OK)
        st = lcl_cycle_step(&L->A, LCL_CYCLE_RESIDUAL, &own, &p->v);
    return st < 0 || !relaxes
               ? st
               : lcl_relax(&undamped, L->t, L->r, false, y, &p->v);
}

static enum lcl_status estimate(const struct lcl_cycle *C,
                                const struct lcl_cycle_level *L)
{
    const struct product p = {L, {.stop = lcl_context_no_stop(C->ctx)}};
    enum lcl_status st;
    if ((st = lcl_buffer_fill(L->b, 0)) < 0 ||
        (st = lcl_power_run(&C->power, C->space, L->n, L->x, L->y, multiply,
                            &p)) < 0)
        return st;
    return L->relaxation.M ? lcl_power_damping(&C->power, L->relaxation.damping)
                           : lcl_power_lambda(&C->power, L->lambda);
}

enum lcl_status lcl_cycle_estimate(const struct lcl_cycle *C)
{
    enum lcl_status st = LCL_OK;
    for (int l = 0; l < C->levels && st == LCL_OK; ++l)
        if (C->level[l].lambda)
            st = estimate(C, &C->level[l]);
    return st;
}

enum lcl_status lcl_cycle_spread(const struct lcl_cycle *C,
                                 const struct lcl_inverse *V)
{
    const struct lcl_cycle_level *L = &C->level[C->levels - 1];
    const struct lcl_device_matrix *A = L->matrix;
    return LCL_LAUNCH(C->spread, C->groups, lcl_arg_long(L->n),
                      lcl_arg_long(V->stride), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(L->t), lcl_arg_buffer(V->matrix));
}

// ------------------------------------------------------------------- cycle

// The vector that the step multiplies A with (cycle.cl.h).
static lcl_buffer *operand_of(const struct lcl_cycle_level *L,
                              enum lcl_cycle_step step)
{
    return step == LCL_CYCLE_FIRST || step == LCL_CYCLE_BEFORE ? L->b
           : step == LCL_CYCLE_LAST                            ? L->y
                                                               : L->x;
}

static enum lcl_status smooth(const struct lcl_cycle_level *L,
                              enum lcl_cycle_step step, lcl_buffer *out,
                              const struct lcl_operands *v)
{
    const struct lcl_cycle_vectors own = {
        .lambda = L->lambda, .b = L->b, .x = L->x, .y = L->y, .out = out};
    const enum lcl_status st = fetch(L->halos.A, operand_of(L, step));
    return st < 0 ? st : lcl_cycle_step(&L->A, step, &own, v);
}

// With R or P of the level.
static enum lcl_status move(const struct lcl_cycle_level *L,
                            enum lcl_cycle_step step, lcl_buffer *from,
                            lcl_buffer *out, const struct lcl_operands *v)
{
    const bool down = step == LCL_CYCLE_RESTRICT;
    const struct lcl_cycle_vectors own = {
        .lambda = L->lambda, .b = L->b, .x = from, .y = from, .out = out};
    const enum lcl_status st = fetch(down ? L->halos.R : L->halos.P, from);
    return st < 0 ? st : lcl_cycle_step(down ? &L->R : &L->P, step, &own, v);
}

static bool by_jacobi(const struct lcl_cycle *C)
{
    return C->smoother == LCL_AMG_JACOBI;
}

static bool by_factors(const struct lcl_cycle *C)
{
    return C->smoother == LCL_AMG_ILDU0;
}

// x = the first sweep, from zero.
static enum lcl_status smooth_first(const struct lcl_cycle *C,
                                    const struct lcl_cycle_level *L,
                                    const struct lcl_operands *v)
{
    return by_factors(C) ? lcl_relax(&L->relaxation, L->t, L->b, false, L->x, v)
                         : smooth(L, LCL_CYCLE_FIRST, L->x, v);
}

// b of the next level = the residual of the sweep before the correction. This
// sweep is in x, but for Jacobi, which repeats it on the way back.
static enum lcl_status descend(const struct lcl_cycle *C, int l,
                               const struct lcl_operands *v)
{
    const struct lcl_cycle_level *L = &C->level[l];
    enum lcl_status st;
    if (by_jacobi(C))
        st = smooth(L, LCL_CYCLE_BEFORE, L->r, v);
    else if ((st = smooth_first(C, L, v)) == LCL_OK)
        st = smooth(L, LCL_CYCLE_RESIDUAL, L->r, v);
    return st < 0 ? st
                  : move(L, LCL_CYCLE_RESTRICT, L->r, C->level[l + 1].b, v);
}

static lcl_buffer *result(const struct lcl_cycle *C, int l)
{
    const struct lcl_cycle_level *L = &C->level[l];
    const bool last = l == C->levels - 1;
    if (by_factors(C) || (last && (C->coarsest || C->below)))
        return L->x;
    return by_jacobi(C) && !last ? L->y : L->r;
}

// x += d M^-1 (b - A x)
static enum lcl_status relax_again(const struct lcl_cycle_level *L,
                                   const struct lcl_operands *v)
{
    const enum lcl_status st = smooth(L, LCL_CYCLE_RESIDUAL, L->r, v);
    return st < 0 ? st : lcl_relax(&L->relaxation, L->t, L->r, true, L->x, v);
}

// A sweep from x: the result is in x for factors, in r otherwise.
static enum lcl_status smooth_again(const struct lcl_cycle *C,
                                    const struct lcl_cycle_level *L,
                                    const struct lcl_operands *v)
{
    if (by_factors(C))
        return relax_again(L, v);
    const enum lcl_status st = smooth(L, LCL_CYCLE_AGAIN, L->y, v);
    return st < 0 ? st : smooth(L, LCL_CYCLE_LAST, L->r, v);
}

// The correction and the sweep after it.
static enum lcl_status ascend(const struct lcl_cycle *C, int l,
                              const struct lcl_operands *v)
{
    const struct lcl_cycle_level *L = &C->level[l];
    const enum lcl_cycle_step raise =
        by_jacobi(C) ? LCL_CYCLE_RAISE : LCL_CYCLE_PROLONG;
    const enum lcl_status st = move(L, raise, result(C, l + 1), L->x, v);
    if (st < 0)
        return st;
    return by_jacobi(C) ? smooth(L, LCL_CYCLE_AGAIN, L->y, v)
                        : smooth_again(C, L, v);
}

static enum lcl_status solve_coarsest(const struct lcl_cycle *C,
                                      const struct lcl_operands *v)
{
    const struct lcl_cycle_level *L = &C->level[C->levels - 1];
    if (C->below)
        return C->below(C->below_arg, L->b, L->x, v);
    if (!C->coarsest) {
        const enum lcl_status st = smooth_first(C, L, v);
        return st < 0 ? st : smooth_again(C, L, v);
    }
    return LCL_LAUNCH(C->dense, C->groups, lcl_arg_long(L->n),
                      lcl_arg_long(C->coarsest->stride),
                      lcl_arg_buffer(C->coarsest->matrix), lcl_arg_buffer(L->b),
                      lcl_arg_buffer(L->x), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

// All ranks scale by the same power of two.
static enum lcl_status find_largest(const struct lcl_cycle *C,
                                    const struct lcl_operands *v)
{
    const struct lcl_cycle_level *L = &C->level[0];
    const enum lcl_status st = LCL_LAUNCH(
        C->scale, C->groups, lcl_arg_long(L->n), lcl_arg_buffer(L->t),
        lcl_arg_buffer(v->x), lcl_arg_buffer(C->largest),
        lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
    return st < 0 || !C->space
               ? st
               : lcl_space_reduce(C->space, C->largest, 0, 1, C->groups);
}

static enum lcl_status enter(const struct lcl_cycle *C,
                             const struct lcl_operands *v)
{
    const struct lcl_cycle_level *L = &C->level[0];
    const enum lcl_status st = find_largest(C, v);
    return st < 0 ? st
                  : LCL_LAUNCH(C->enter, C->groups, lcl_arg_long(L->n),
                               lcl_arg_buffer(C->largest),
                               lcl_arg_int(C->groups), lcl_arg_buffer(L->t),
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
                            lcl_arg_buffer(C->level[0].t),
                            lcl_arg_buffer(result(C, 0)), lcl_arg_buffer(v->y),
                            lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

static int fetch_launches(const struct lcl_level_halo *halo)
{
    return halo ? lcl_level_halo_launches(halo) : 0;
}

// Of the exchanges of a level.
static int halo_launches(const struct lcl_cycle *C,
                         const struct lcl_cycle_level *L)
{
    const int products = by_jacobi(C) || by_factors(C) ? 2 : 4;
    return products * fetch_launches(L->halos.A) + fetch_launches(L->halos.P) +
           fetch_launches(L->halos.R);
}

int lcl_cycle_launches(const struct lcl_cycle *C)
{
    int launches = C->coarsest ? 4 : C->below ? 3 : 6;
    for (int l = 0; l < C->levels; ++l) {
        const struct lcl_relaxation *R = &C->level[l].relaxation;
        const bool moves = l < C->levels - 1;
        launches += halo_launches(C, &C->level[l]);
        if (R->M)
            launches += 2 * lcl_relaxation_launches(R) + (moves ? 4 : -2);
        else if (moves)
            launches += by_jacobi(C) ? 4 : 6;
    }
    return launches;
}

static double polynomial_traffic(const struct lcl_cycle *C,
                                 const struct lcl_cycle_level *L)
{
    static const enum lcl_cycle_step chebyshev[] = {
        LCL_CYCLE_FIRST, LCL_CYCLE_RESIDUAL, LCL_CYCLE_AGAIN, LCL_CYCLE_LAST};
    static const enum lcl_cycle_step jacobi[] = {LCL_CYCLE_BEFORE,
                                                 LCL_CYCLE_AGAIN};
    const bool short_one = by_jacobi(C) && L->P.D;
    double bytes = 0;
    for (int k = 0; k < (short_one ? 2 : 4) && L->A.D; ++k)
        bytes +=
            lcl_cycle_step_bytes(&L->A, short_one ? jacobi[k] : chebyshev[k]);
    return bytes;
}

static double relaxation_traffic(const struct lcl_cycle_level *L)
{
    return 2 * lcl_relaxation_traffic(&L->relaxation) +
           (L->P.D ? 2 : 1) * lcl_cycle_step_bytes(&L->A, LCL_CYCLE_RESIDUAL);
}

static double level_traffic(const struct lcl_cycle *C, int l)
{
    const struct lcl_cycle_level *L = &C->level[l];
    double bytes =
        L->relaxation.M ? relaxation_traffic(L) : polynomial_traffic(C, L);
    if (L->P.D)
        bytes += lcl_cycle_step_bytes(&L->R, LCL_CYCLE_RESTRICT) +
                 lcl_cycle_step_bytes(&L->P, LCL_CYCLE_PROLONG);
    return bytes;
}

// To enter and leave, x is read twice, t three times, y written once, all in
// fp64, b written and the result read in fp32.
double lcl_cycle_traffic(const struct lcl_cycle *C)
{
    double bytes = 56.0 * (double)C->level[0].n;
    for (int l = 0; l < C->levels; ++l)
        bytes += level_traffic(C, l);
    if (C->coarsest) {
        const double n = (double)C->level[C->levels - 1].n;
        bytes += 8 * n * n;
    }
    return bytes;
}
