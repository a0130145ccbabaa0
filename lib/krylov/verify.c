// SPDX-License-Identifier: BSD-3-Clause
// Verdicts on the true residual of a solve.
#include "lib/krylov/verify.h"

#include "cl/krylov/verify.cl.h"
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/view.h"
#include "lib/vector/segments.h"

#include <float.h>
#include <math.h>

// A largest |b_i| in between needs no unit: squares of residuals, down to 1e-50
// of it, are normal numbers.
#define UNIT_LEAST 1e-100
#define UNIT_MOST  1e100

// Norms whose squares are numbers.
#define NORM_MOST 1e154

struct finding {
    double value[VERIFY_ROWS];
};

// ------------------------------------------------------------------- creation

enum lcl_status lcl_verify_init(struct lcl_verify *V,
                                const struct lcl_solver *S)
{
    const struct lcl_space *R = &S->A->range;
    const int64_t ranks = R->comm ? R->comm->size : 1;
    const int64_t parts = (int64_t)VERIFY_ROWS * R->groups;
    const struct lcl_spec spec = {
        .source = "verify.cl",
        .defines = {{"POWER", S->params.norm == LCL_NORM_1 ? 1 : 0}}};
    const struct lcl_kernel_plan kernels[] = {{&V->norms, "verify_norms"},
                                              {&V->scale, "verify_scale"}};
    lcl_buffer **const vector = &V->backward;
    enum lcl_status st;
    if ((st = lcl_krylov_kernels(S->ctx, spec, kernels, 2)) < 0 ||
        (st = lcl_judge(S->A, NULL)) < 0 ||
        (st = lcl_krylov_vectors(S, &vector, 1)) < 0 ||
        (st = lcl_buffer_fill(V->backward, 0)) < 0 ||
        (st = lcl_buffer_create(&V->parts, S->ctx, parts, sizeof(double),
                                "partial sums")) < 0)
        return st;
    V->host =
        lcl_malloc((size_t)(parts + VERIFY_ROWS * ranks), sizeof *V->host);
    return V->host ? LCL_OK
                   : lcl_fail_memory(lcl_context_log(S->ctx), "partial sums");
}

void lcl_verify_finish(struct lcl_verify *V)
{
    lcl_buffer_destroy(&V->backward);
    lcl_buffer_destroy(&V->b);
    lcl_buffer_destroy(&V->parts);
    lcl_free(V->host);
}

// ------------------------------------------------------------------- norms

// (*high, *low) += v, as two_sum() of long_sum.cl.h. volatile: compilers may
// keep more digits of a sum.
static void add(double *high, double *low, double v)
{
    const volatile double a = *high, sum = a + v, of_v = sum - a;
    const volatile double of_a = sum - of_v;
    *low += (a - of_a) + (v - of_v);
    *high = sum;
}

// Adds or maximises the rows of `count` findings: row k of finding g is
// parts[k by_row + g by].
static struct finding join(const double *parts, int count, int by_row, int by)
{
    struct finding F = {{0}};
    for (int g = 0; g < count; ++g)
        for (int k = 0; k < VERIFY_ROWS; ++k) {
            const double v = parts[k * by_row + g * by];
            if (k == VERIFY_HIGH)
                add(&F.value[VERIFY_HIGH], &F.value[VERIFY_LOW], v);
            else if (k == VERIFY_LARGEST || k == VERIFY_BACKWARD)
                F.value[k] = fmax(F.value[k], v);
            else
                F.value[k] += v;
        }
    return F;
}

static enum lcl_status join_ranks(const struct lcl_verify *V,
                                  const struct lcl_space *R, struct finding *F)
{
    double *all = V->host + VERIFY_ROWS * R->groups;
    if (!R->comm || R->comm->size == 1)
        return LCL_OK;
    const enum lcl_status st =
        lcl_comm_gather(R->comm, F->value, sizeof F->value, all);
    if (st == LCL_OK)
        *F = join(all, R->comm->size, 1, VERIFY_ROWS);
    return st;
}

// Measures S->r and column `q` of x; `exponent`: of the scale of squares.
static enum lcl_status measure(struct lcl_solver *S, const lcl_buffer *x,
                               int columns, int q, int exponent,
                               struct finding *F)
{
    const struct lcl_verify *V = &S->verify;
    const struct lcl_space *R = &S->A->range;
    const size_t parts = (size_t)(VERIFY_ROWS * R->groups);
    enum lcl_status st;
    if ((st = LCL_LAUNCH(V->norms, R->groups, lcl_arg_long(R->n),
                         lcl_arg_double(ldexp(1, -exponent)),
                         lcl_arg_buffer(S->r), lcl_arg_buffer(V->backward),
                         lcl_arg_int(columns), lcl_arg_int(q),
                         lcl_arg_buffer(x), lcl_arg_buffer(S->sums),
                         lcl_arg_buffer(V->parts))) < 0 ||
        (st = lcl_buffer_read(V->parts, V->host, parts * sizeof *V->host)) < 0)
        return st;
    *F = join(V->host, R->groups, R->groups, 1);
    return join_ranks(V, R, F);
}

static bool is_finite(const struct finding *F)
{
    return F->value[VERIFY_BAD_R] == 0 && F->value[VERIFY_BAD_X] == 0;
}

// ||r||^2 in norm `type`, infinite if it overflows; that of a nonzero vector is
// not zero.
static double squared_norm(const struct finding *F, enum lcl_norm_type type,
                           int exponent)
{
    const double sum = F->value[VERIFY_HIGH] + F->value[VERIFY_LOW];
    const double largest = F->value[VERIFY_LARGEST];
    const double norm = type == LCL_NORM_MAX ? largest
                        : type == LCL_NORM_1 ? ldexp(sum, exponent)
                                             : ldexp(sqrt(sum), exponent);
    if (!is_finite(F) || !(norm <= NORM_MOST)) // hosts may trap an overflow
        return INFINITY;
    return largest > 0 ? fmax(norm * norm, DBL_MIN) : 0;
}

// <r, r>, whose partial sums are in the second half of S->sums; that of the
// finding, unless kernels have to agree with it bit by bit on any number of
// ranks or its norm is another one.
static enum lcl_status find_r_dot_r(struct lcl_solver *S)
{
    const enum lcl_norm_type type = S->params.norm;
    const bool same = type != LCL_NORM_1 && type != LCL_NORM_MAX;
    S->r_dot_r = S->rr;
    return (same && !S->A->range.segments) || !isfinite(S->rr)
               ? LCL_OK
               : lcl_krylov_sum_residual(S, &S->r_dot_r);
}

static int exponent_of_norm(double norm)
{
    return norm > 0 && isfinite(norm) ? ilogb(norm) : 0;
}

// ------------------------------------------------------------------- units

enum lcl_status lcl_verify_scale(const struct lcl_solver *S, lcl_buffer *v,
                                 int exponent)
{
    const int half = exponent / 2;
    if (exponent == 0)
        return LCL_OK;
    return LCL_LAUNCH(
        S->verify.scale, S->A->range.groups, lcl_arg_long(S->A->range.n),
        lcl_arg_double(ldexp(1, half)),
        lcl_arg_double(ldexp(1, exponent - half)), lcl_arg_buffer(v));
}

// Small entries vanish in another unit: verdicts take b as it was. A part of b
// that a null space takes away is known in the other unit only.
static bool judges_given(const struct lcl_solver *S)
{
    return S->unit != 0 && S->right_null.count == 0 && S->left_null.count == 0;
}

static enum lcl_status keep_given(struct lcl_solver *S)
{
    lcl_buffer **const b = &S->verify.b;
    const enum lcl_status st =
        *b || !judges_given(S) ? LCL_OK : lcl_krylov_vectors(S, &b, 1);
    return st < 0 || !judges_given(S) ? st : lcl_buffer_copy(*b, S->b);
}

// Judges x as the caller will get it: first rounds x to the caller's unit.
static enum lcl_status judge(struct lcl_solver *S, const struct lcl_judged *v)
{
    const bool given = judges_given(S);
    struct lcl_judged of = *v;
    enum lcl_status st;
    if ((st = lcl_verify_scale(S, S->x, S->unit)) < 0 ||
        (!given && (st = lcl_verify_scale(S, S->x, -S->unit)) < 0))
        return st;
    if (given)
        of.b = S->verify.b;
    if ((st = lcl_judge(S->A, &of)) < 0 || !given)
        return st;
    st = lcl_verify_scale(S, S->x, -S->unit);
    return st < 0 ? st : lcl_verify_scale(S, S->r, -S->unit);
}

// ------------------------------------------------------------------- verdicts

// Names the first entry of x that is not finite, on the ranks that have one.
static enum lcl_status name_unknown(const struct lcl_solver *S, bool unseen)
{
    const struct lcl_numbering *N = S->A->numbering;
    const struct lcl_log *log = lcl_context_log(S->ctx);
    double *x = lcl_malloc((size_t)N->n, sizeof *x);
    if (!x)
        return lcl_fail_memory(log, "a vector");
    const enum lcl_status st = lcl_numbering_read(N, S->x, x);
    const int64_t at = st < 0 ? -1 : lcl_find_not_finite(x, N->n);
    if (at >= 0)
        lcl_warn(log, "x[%lld] is NaN or Inf after %d iterations%s",
                 (long long)at, S->iterations,
                 unseen ? ": no residual sees it, since the matrix has no "
                          "entry in its column"
                        : "");
    lcl_free(x);
    return st;
}

enum lcl_status lcl_verify(struct lcl_solver *S)
{
    const struct lcl_judged v = {.x = S->x,
                                 .b = S->b,
                                 .columns = 1,
                                 .r = S->r,
                                 .backward = S->verify.backward,
                                 .sums = S->sums};
    const int exponent = exponent_of_norm(S->norm_b);
    struct finding F;
    enum lcl_status st =
        S->keeps ? lcl_projection_restore(&S->right_null, S->x) : LCL_OK;
    if (st < 0 || (st = judge(S, &v)) < 0 ||
        (st = measure(S, S->x, 1, 0, exponent, &F)) < 0)
        return st;
    S->rr = squared_norm(&F, S->params.norm, exponent);
    S->backward = lcl_judges(S->A) ? F.value[VERIFY_BACKWARD] : NAN;
    if (F.value[VERIFY_BAD_X] > 0 &&
        (st = name_unknown(S, F.value[VERIFY_BAD_R] == 0)) < 0)
        return st;
    return find_r_dot_r(S);
}

enum lcl_status lcl_verify_column(struct lcl_solver *S, struct lcl_solver *C,
                                  const struct lcl_judged *v)
{
    const int exponent = exponent_of_norm(C->norm_b);
    struct lcl_judged of = *v;
    struct finding F;
    enum lcl_status st;
    of.r = S->r;
    of.backward = S->verify.backward;
    of.sums = S->sums;
    if ((st = lcl_judge(S->A, &of)) < 0 ||
        (st = measure(S, v->x, v->columns, v->column, exponent, &F)) < 0)
        return st;
    C->rr = squared_norm(&F, S->params.norm, exponent);
    C->backward = F.value[VERIFY_BACKWARD];
    return LCL_OK;
}

// *largest = the largest |b_i|; infinite if one is not finite.
static enum lcl_status measure_b(struct lcl_solver *S, double *largest)
{
    struct finding F;
    enum lcl_status st;
    if ((st = lcl_buffer_copy(S->r, S->b)) < 0 ||
        (st = measure(S, S->r, 1, 0, 0, &F)) < 0)
        return st;
    *largest = is_finite(&F) ? F.value[VERIFY_LARGEST] : INFINITY;
    S->rr = squared_norm(&F, S->params.norm, 0);
    S->backward = S->rr > 0 ? 1 : 0;
    return find_r_dot_r(S);
}

enum lcl_status lcl_verify_at_zero(struct lcl_solver *S)
{
    double largest;
    return measure_b(S, &largest);
}

enum lcl_status lcl_verify_read_b(struct lcl_solver *S)
{
    double largest;
    enum lcl_status st;
    S->unit = 0;
    if ((st = measure_b(S, &largest)) < 0 || largest == 0 || isinf(largest) ||
        (largest >= UNIT_LEAST && largest <= UNIT_MOST))
        return st;
    S->unit = ilogb(largest);
    if ((st = keep_given(S)) < 0 ||
        (st = lcl_verify_scale(S, S->b, -S->unit)) < 0)
        return st;
    return measure_b(S, &largest);
}
