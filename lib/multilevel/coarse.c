// SPDX-License-Identifier: BSD-3-Clause
// Coarse correction of a preconditioner on subdomains: set-up and values.
#include "lib/multilevel/coarse.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/dense/host_inverse.h"
#include "lib/multilevel/pattern.h"
#include "lib/multilevel/survey.h"

#include <math.h>

enum {
    GPU_UNKNOWNS = 2048,  // E^-1 in 32 MB, read in about 10 us
    CPU_UNKNOWNS = 1024,  // an inverse takes seconds on one core
    HOST_UNKNOWNS = 1024, // limit for inversion on the host if the device fails
    AUTO_PARTS = 8,
    AUTO_ROWS = 4096,
};

// Constants are nearly in the null space of a matrix that is mostly an
// M-matrix; on other matrices the correction costs as many iterations as it
// saves.
#define AUTO_OPPOSITE 0.9

// Tolerance of || E E^-1 E w - E w || relative to || E w ||.
#define CHECK_TOLERANCE 1e-6

enum lcl_coarse lcl_coarse_choose(enum lcl_coarse wanted, int64_t parts,
                                  int64_t rows, double opposite)
{
    if (wanted != LCL_COARSE_AUTO)
        return wanted;
    const bool pays =
        parts >= AUTO_PARTS && rows >= AUTO_ROWS && opposite >= AUTO_OPPOSITE;
    return pays ? LCL_COARSE_MULT : LCL_COARSE_NONE;
}

// ------------------------------------------------------------------- set-up

static enum lcl_status get_kernels(struct lcl_coarse_space *C)
{
    static const char *const names[LCL_COARSE_KERNEL_COUNT] = {
        [LCL_COARSE_KERNEL_W] = "coarse_w",
        [LCL_COARSE_KERNEL_E] = "coarse_e",
        [LCL_COARSE_KERNEL_RESTRICT] = "coarse_restrict",
        [LCL_COARSE_KERNEL_DEFLATE] = "coarse_deflate",
        [LCL_COARSE_KERNEL_RESIDUAL] = "coarse_residual",
        [LCL_COARSE_KERNEL_PROLONG] = "coarse_prolong",
        [LCL_COARSE_KERNEL_PROLONG_DOT] = "coarse_prolong_dot",
    };
    struct lcl_spec spec = lcl_coarse_spec(C->ctx, "coarse.cl", NULL);
    enum lcl_status st = LCL_OK;
    spec.block = C->block > 1 ? C->block : 0;
    C->groups = lcl_vector_groups(lcl_context_caps(C->ctx));
    C->row_groups = lcl_coarse_row_groups(C->ctx, C->n * C->block);
    for (int k = 0; k < LCL_COARSE_KERNEL_COUNT && st == LCL_OK; ++k) {
        spec.kernel = names[k];
        st = lcl_kernel_get(&C->kernels[k], C->ctx, &spec);
    }
    return st;
}

static enum lcl_status make_vectors(struct lcl_coarse_space *C)
{
    const int64_t unknowns = C->shared ? C->ranks.unknowns.local : C->rows;
    const size_t size = sizeof(double);
    const struct lcl_buffer_plan all[] = {
        {&C->w, C->pattern.runs * C->block * C->block, size, "coarse vector"},
        {&C->t, C->rows, size, "coarse vector"},
        {&C->e, unknowns, size, "coarse vector"},
        {&C->y, C->n * C->block, size, "coarse vector"},
    };
    const enum lcl_status st =
        lcl_buffers_create(C->ctx, all, sizeof all / sizeof *all);
    if (st < 0)
        return st;
    C->host = lcl_malloc(2 * (size_t)C->rows, sizeof *C->host);
    return C->host ? LCL_OK
                   : lcl_fail_memory(lcl_context_log(C->ctx), "coarse vector");
}

static enum lcl_status find_pattern(struct lcl_coarse_space *C,
                                    const struct lcl_device_matrix *B,
                                    const struct lcl_subdomains *P,
                                    int64_t most)
{
    const struct lcl_coarse_pattern *E = &C->pattern;
    const enum lcl_status st =
        lcl_coarse_pattern_init(&C->pattern, C->ctx, B, P, most);
    C->rows = E->aggregates * C->block;
    C->values = E->entries * C->block * C->block;
    lcl_task_bytes(C->ctx, lcl_buffer_bytes(B->row_ptr) +
                               lcl_buffer_bytes(B->col) +
                               lcl_coarse_pattern_bytes(&C->pattern));
    return st;
}

// Several GPUs together take so many times as many for large systems: on two,
// lap3d:256 then needs 72 iterations instead of 131. The inverse takes eight
// times the work, 33 ms more on an H100: iterations on fewer rows are too short
// to make up for it.
#define SEVERAL 2.0
enum { SEVERAL_ROWS = 8 << 20 };

int64_t lcl_coarse_usual(const struct lcl_caps *caps, int block)
{
    return (caps->width == 1 ? CPU_UNKNOWNS : GPU_UNKNOWNS) / block;
}

int64_t lcl_coarse_most(const struct lcl_space *V, int block)
{
    const struct lcl_caps *caps = lcl_context_caps(V->ctx);
    const double usual = (double)lcl_coarse_usual(caps, block);
    const bool several =
        V->n < V->total && V->total >= SEVERAL_ROWS && caps->width > 1;
    const double all = several ? SEVERAL * usual : usual;
    const int64_t most = (int64_t)(all * (double)V->n / (double)V->total);
    return most > 0 ? most : 1;
}

static enum lcl_status make_inverse(struct lcl_coarse_space *C,
                                    const struct lcl_coarse_params *params)
{
    return lcl_inverse_init(&C->inverse, C->ctx, C->rows, params->tile);
}

// Joins the spaces of all ranks; `own` is the status of this rank's part.
static enum lcl_status join_ranks(struct lcl_coarse_space *C,
                                  const struct lcl_subdomains *P,
                                  const struct lcl_coarse_params *params,
                                  int64_t most, enum lcl_status own)
{
    const struct lcl_coarse_site S = {.halo = params->halo,
                                      .numbering = params->numbering,
                                      .subdomains = P,
                                      .pattern = &C->pattern,
                                      .block = C->block,
                                      .most = most};
    enum lcl_status st = lcl_coarse_shared_init(&C->ranks, &S, own);
    C->rows = C->ranks.unknowns.rows;
    if (st < 0)
        return st;
    st = make_inverse(C, params);
    return lcl_coarse_shared_connect(&C->ranks, &C->pattern, C->inverse.stride,
                                     st);
}

static enum lcl_status init_product(const struct lcl_coarse_space *C,
                                    struct lcl_gemv *G,
                                    enum lcl_gemv_method method)
{
    const struct lcl_inverse *V = &C->inverse;
    return C->shared
               ? lcl_gemv_init_rows(G, C->ctx, V->matrix, C->rows, V->stride,
                                    C->ranks.list, C->ranks.unknowns.local)
               : lcl_gemv_init(G, C->ctx, method, V->matrix, C->rows,
                               V->stride);
}

static enum lcl_status make_own(struct lcl_coarse_space *C,
                                const struct lcl_device_matrix *B,
                                const struct lcl_subdomains *P, int64_t most,
                                const struct lcl_numbering *N)
{
    const enum lcl_status st =
        C->whole ? lcl_coarse_pattern_init_parts(&C->pattern, C->ctx, P, N)
                 : find_pattern(C, B, P, most);
    return st < 0 ? st : get_kernels(C);
}

// Whole rows have the aggregates of one device.
static int64_t most_of(const struct lcl_coarse_space *C,
                       const struct lcl_space *V,
                       const struct lcl_coarse_params *params)
{
    return params->most ? params->most
           : C->whole   ? lcl_coarse_usual(lcl_context_caps(C->ctx), C->block)
                        : lcl_coarse_most(V, C->block);
}

enum lcl_status lcl_coarse_init(struct lcl_coarse_space *C, lcl_context *ctx,
                                const struct lcl_device_matrix *B,
                                const struct lcl_subdomains *P,
                                const struct lcl_coarse_params *params)
{
    const struct lcl_space V =
        params->halo ? params->halo->space : lcl_space_of(ctx, B->n);
    enum lcl_status st;
    *C = (struct lcl_coarse_space){.ctx = ctx,
                                   .block = params->block,
                                   .n = B->block_rows,
                                   .shared = params->halo != NULL,
                                   .whole = V.segments != NULL};
    const int64_t most = most_of(C, &V, params);
    st = make_own(C, B, P, most, params->numbering);
    st = C->shared ? join_ranks(C, P, params, most, st)
         : st < 0  ? st
                   : make_inverse(C, params);
    if (st < 0 || (st = make_vectors(C)) < 0 ||
        (st = init_product(C, &C->exact, LCL_GEMV_DOUBLE)) < 0)
        return st;
    return init_product(C, &C->gemv, params->gemv);
}

static lcl_buffer **buffer_at(struct lcl_coarse_space *C, size_t i)
{
    lcl_buffer **const all[] = {&C->w, &C->t, &C->e, &C->y};
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

void lcl_coarse_finish(struct lcl_coarse_space *C)
{
    for (size_t i = 0; buffer_at(C, i); ++i)
        lcl_buffer_destroy(buffer_at(C, i));
    lcl_coarse_shared_finish(&C->ranks);
    lcl_gemv_finish(&C->gemv);
    lcl_gemv_finish(&C->exact);
    lcl_inverse_finish(&C->inverse);
    lcl_coarse_pattern_finish(&C->pattern);
    lcl_free(C->host);
    C->host = NULL;
}

uint64_t lcl_coarse_bytes(const struct lcl_coarse_space *C)
{
    struct lcl_coarse_space copy = *C;
    uint64_t bytes = lcl_coarse_pattern_bytes(&C->pattern) +
                     lcl_coarse_shared_bytes(&C->ranks) +
                     lcl_inverse_bytes(&C->inverse) +
                     lcl_buffer_bytes(C->gemv.single);
    for (size_t i = 0; buffer_at(&copy, i); ++i)
        bytes += lcl_buffer_bytes(*buffer_at(&copy, i));
    return bytes;
}

int64_t lcl_coarse_own(const struct lcl_coarse_space *C)
{
    return C->shared ? C->ranks.unknowns.own : C->rows;
}

// ------------------------------------------------------------------- steps

// To where kernels write the numbers of the rank's aggregates.
static const lcl_buffer *restricted(const struct lcl_coarse_space *C)
{
    return C->shared ? C->ranks.t.given : C->t;
}

static enum lcl_status restrict_own(const struct lcl_coarse_space *C,
                                    const struct lcl_operands *v)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_RESTRICT], P->aggregates,
                      lcl_arg_buffer(P->agg_ptr), lcl_arg_buffer(P->agg_parts),
                      lcl_arg_buffer(P->part_ptr), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(restricted(C)), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

enum lcl_status lcl_coarse_restrict(const struct lcl_coarse_space *C,
                                    const struct lcl_operands *v)
{
    const enum lcl_status st = restrict_own(C, v);
    return st < 0 || !C->shared
               ? st
               : lcl_coarse_shared_gather(&C->ranks, false, C->t, v);
}

// In own columns alone.
static enum lcl_status deflate_own(const struct lcl_coarse_space *C,
                                   const struct lcl_operands *v)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_DEFLATE], P->aggregates,
                      lcl_arg_long(0), lcl_arg_buffer(P->agg_ptr),
                      lcl_arg_buffer(P->agg_parts), lcl_arg_buffer(P->part_ptr),
                      lcl_arg_buffer(P->col_ptr), lcl_arg_buffer(P->order),
                      lcl_arg_buffer(P->run_row), lcl_arg_buffer(C->w),
                      lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(restricted(C)), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

enum lcl_status lcl_coarse_deflate(const struct lcl_coarse_space *C,
                                   const struct lcl_operands *v)
{
    const struct lcl_coarse_shared *R = &C->ranks;
    enum lcl_status st = C->whole ? restrict_own(C, v) : deflate_own(C, v);
    if (st < 0 || !C->shared ||
        (st = lcl_ghost_level_deflate(&R->level, R->unknowns.numbers,
                                      R->t.given, v)) < 0)
        return st;
    return lcl_coarse_shared_gather(R, true, C->t, v);
}

// In own columns alone.
static enum lcl_status residual_of_own(const struct lcl_coarse_space *C,
                                       const struct lcl_operands *v)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    return LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_RESIDUAL], C->row_groups,
                      lcl_arg_long(C->n), lcl_arg_buffer(NULL),
                      lcl_arg_buffer(P->run_ptr), lcl_arg_buffer(P->run_agg),
                      lcl_arg_buffer(C->w), lcl_arg_buffer(C->e),
                      lcl_arg_buffer(v->x), lcl_arg_buffer(C->y),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

enum lcl_status lcl_coarse_residual(const struct lcl_coarse_space *C,
                                    const struct lcl_operands *v)
{
    const struct lcl_operands boundary = {
        .x = C->whole ? v->x : C->y, .y = C->y, .stop = v->stop, .at = v->at};
    const enum lcl_status st = C->whole ? LCL_OK : residual_of_own(C, v);
    return st < 0 || !C->shared
               ? st
               : lcl_ghost_level_residual(&C->ranks.level, C->e, &boundary);
}

// ------------------------------------------------------------------- values

// The values of E that the rank's own rows and columns give: in E, or one after
// the other for all ranks.
static enum lcl_status sum_entries(const struct lcl_coarse_space *C)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    const struct lcl_inverse *V = &C->inverse;
    const bool serial = lcl_context_caps(C->ctx)->width == 1;
    return LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_E],
                      serial ? C->groups : C->values, lcl_arg_long(C->values),
                      lcl_arg_long(V->stride), lcl_arg_buffer(P->entry_ptr),
                      lcl_arg_buffer(C->shared ? NULL : P->entry_row),
                      lcl_arg_buffer(P->entry_col), lcl_arg_buffer(P->order),
                      lcl_arg_buffer(C->w),
                      lcl_arg_buffer(C->shared ? C->ranks.e.given : V->matrix));
}

static enum lcl_status assemble(struct lcl_coarse_space *C)
{
    enum lcl_status st = lcl_inverse_clear(&C->inverse);
    // E, and its inverse in place
    lcl_task_bytes(C->ctx, 2 * lcl_buffer_bytes(C->inverse.matrix));
    if (st < 0 || (!C->whole && (st = sum_entries(C)) < 0))
        return st;
    return C->shared ? lcl_coarse_shared_assemble(&C->ranks, C->inverse.matrix)
                     : LCL_OK;
}

// out = -E e = Z^T (0 - W e), on the host; overwrites `zero`.
static enum lcl_status minus_e_times(struct lcl_coarse_space *C,
                                     lcl_buffer *zero, double *out)
{
    const lcl_buffer *stop = lcl_context_no_stop(C->ctx);
    const struct lcl_operands residual = {.x = zero, .stop = stop};
    const struct lcl_operands restricted = {.x = C->y, .stop = stop};
    enum lcl_status st;
    if ((st = lcl_buffer_fill(zero, 0)) < 0 ||
        (st = lcl_coarse_residual(C, &residual)) < 0 ||
        (st = lcl_coarse_restrict(C, &restricted)) < 0)
        return st;
    return lcl_buffer_read(C->t, out, (size_t)C->rows * sizeof *out);
}

// C->e = w, or of it what the rank has.
static enum lcl_status write_unknowns(const struct lcl_coarse_space *C,
                                      const double *w)
{
    const struct lcl_coarse_unknowns *R = &C->ranks.unknowns;
    double *local;
    enum lcl_status st;
    if (!C->shared)
        return lcl_buffer_write(C->e, w, (size_t)C->rows * sizeof *w);
    local = lcl_malloc((size_t)R->local, sizeof *local);
    if (!local)
        return lcl_fail_memory(lcl_context_log(C->ctx), "coarse vector");
    for (int64_t q = 0; q < R->local; ++q)
        local[q] = w[R->unknown[q]];
    st = lcl_buffer_write(C->e, local, (size_t)R->local * sizeof *local);
    lcl_free(local);
    return st;
}

// Checks E E^-1 E w = E w for a vector w with irregular entries between 1 and
// 2. It holds for an inverse, and for the inverse of a singular matrix with
// pinned unknowns.
static enum lcl_status check_by(struct lcl_coarse_space *C, lcl_buffer *zero,
                                bool *sound)
{
    double *before = C->host, *after = C->host + C->rows;
    double largest = 0, error = 0;
    const struct lcl_operands solve = {
        .x = C->t, .y = C->e, .stop = lcl_context_no_stop(C->ctx)};
    uint32_t state = 1;
    enum lcl_status st;
    for (int64_t i = 0; i < C->rows; ++i) {
        state = 1664525 * state + 1013904223;
        after[i] = 1 + (double)state / UINT32_MAX;
    }
    if ((st = write_unknowns(C, after)) < 0 ||
        (st = minus_e_times(C, zero, before)) < 0 ||
        (st = lcl_gemv_apply(&C->exact, &solve)) < 0 ||
        (st = minus_e_times(C, zero, after)) < 0)
        return st;
    for (int64_t i = 0; i < C->rows; ++i) {
        largest = fmax(largest, fabs(before[i]));
        error += fabs(before[i] + after[i]); // a NaN propagates
    }
    *sound = error <= CHECK_TOLERANCE * largest * sqrt((double)C->rows);
    return LCL_OK;
}

// Without ranks the residual may replace the vector of which it is one.
static enum lcl_status check(struct lcl_coarse_space *C, bool *sound)
{
    lcl_buffer *zero = NULL;
    enum lcl_status st;
    if (!C->shared)
        return check_by(C, C->y, sound);
    st = lcl_buffer_create(&zero, C->ctx, C->n * C->block, sizeof(double),
                           "a vector");
    if (st == LCL_OK)
        st = check_by(C, zero, sound);
    lcl_buffer_destroy(&zero);
    return st;
}

// Inverts on the host, which searches pivots in whole columns.
static enum lcl_status invert_on_host(struct lcl_coarse_space *C)
{
    const int64_t stride = C->inverse.stride;
    const size_t count = (size_t)(stride * stride);
    double *E = lcl_malloc(count, sizeof *E), *X = lcl_calloc(count, sizeof *X);
    enum lcl_status st;
    if (!E || !X)
        st = LCL_ENOMEM;
    else if ((st = assemble(C)) == LCL_OK &&
             (st = lcl_buffer_read(C->inverse.matrix, E, count * sizeof *E)) ==
                 LCL_OK &&
             (st = lcl_host_inverse(X, E, C->rows, stride, &C->pinned)) ==
                 LCL_OK)
        st = lcl_buffer_write(C->inverse.matrix, X, count * sizeof *X);
    lcl_free(X);
    lcl_free(E);
    return st == LCL_ENOMEM ? lcl_fail_memory(lcl_context_log(C->ctx),
                                              "the inverse on the host")
                            : st;
}

static enum lcl_status invert(struct lcl_coarse_space *C)
{
    const struct lcl_log *log = lcl_context_log(C->ctx);
    bool sound = false;
    enum lcl_status st;
    if ((st = assemble(C)) < 0 ||
        (st = lcl_inverse_run(&C->inverse, &C->pinned)) < 0 ||
        (st = check(C, &sound)) < 0)
        return st;
    if (!sound && C->rows <= HOST_UNKNOWNS) {
        lcl_info(log,
                 "the device failed to invert the coarse matrix of %lld rows; "
                 "the host inverts it",
                 (long long)C->rows);
        if ((st = invert_on_host(C)) < 0 || (st = check(C, &sound)) < 0)
            return st;
    }
    C->off = !sound;
    if (C->off) {
        if ((st = lcl_buffer_fill(C->e, 0)) < 0) // kernels may still add Z e
            return st;
        lcl_warn(log,
                 "the coarse correction is switched off, because its matrix "
                 "of %lld rows cannot be inverted",
                 (long long)C->rows);
    }
    return LCL_OK;
}

static enum lcl_status take_values(struct lcl_coarse_space *C,
                                   const lcl_buffer *val)
{
    const struct lcl_coarse_pattern *P = &C->pattern;
    lcl_task_bytes(C->ctx, lcl_buffer_bytes(val) + lcl_buffer_bytes(C->w));
    const enum lcl_status st =
        C->whole
            ? LCL_OK
            : LCL_LAUNCH(C->kernels[LCL_COARSE_KERNEL_W], C->groups,
                         lcl_arg_long(P->runs), lcl_arg_buffer(P->run_first),
                         lcl_arg_buffer(val), lcl_arg_buffer(C->w));
    return st < 0 || !C->shared ? st : lcl_ghost_level_update(&C->ranks.level);
}

enum lcl_status lcl_coarse_update(struct lcl_coarse_space *C,
                                  const lcl_buffer *val)
{
    enum lcl_status st;
    if ((st = take_values(C, val)) < 0 || (st = invert(C)) < 0)
        return st;
    return lcl_gemv_update(&C->gemv);
}
