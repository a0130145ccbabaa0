// SPDX-License-Identifier: BSD-3-Clause
// The Kronecker operator as published: OKP-Solver and CU-Solver,
// cl/operator/okp.cl.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/kron.h"
#include "lib/operator/product_sums.h"

struct okp {
    int stages;
    lcl_kernel *vector; // okp_combine or cu_axpy
    lcl_kernel *multiply[2], *sums;
    struct lcl_device_matrix term[2];
    lcl_buffer *coef, *t;
    int64_t groups, vector_groups;
};

enum { WAVES = 8 };

// ------------------------------------------------------------------- creation

// As many waves as a quarter of local memory can hold sums for, so that several
// groups fit.
static int group_for(const struct lcl_caps *caps, int stages)
{
    int waves = WAVES;
    while (waves > 1 && (uint64_t)lcl_wave_group(caps, waves) *
                                (uint64_t)stages * sizeof(double) >
                            caps->local_bytes / 4)
        waves /= 2;
    return lcl_wave_group(caps, waves);
}

// Gets okp_multiply for `at_once` stages.
static enum lcl_status get_multiply(struct okp *P, lcl_context *ctx, int b,
                                    int at_once)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct lcl_spec spec = {
        .source = "okp.cl",
        .kernel = "okp_multiply",
        .block = b,
        .defines = {{"STAGES", at_once}},
        .group = group_for(caps, at_once),
    };
    enum lcl_status st = LCL_OK;
    for (int t = 0; t < 2 && st == LCL_OK; ++t) {
        spec.wide = P->term[t].wide;
        st = lcl_kernel_get(&P->multiply[t], ctx, &spec);
    }
    P->groups = caps->width > 1
                    ? lcl_launch_groups(P->term[0].block_rows,
                                        spec.group / caps->width, spec.group)
                    : lcl_vector_groups(caps);
    return st;
}

static enum lcl_status get_vector_kernel(struct okp *P, lcl_context *ctx,
                                         const char *name)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_spec spec = {
        .source = "okp.cl",
        .kernel = name,
        .defines = {{"STAGES", P->stages}},
        .group = lcl_vector_group(caps),
    };
    P->vector_groups = lcl_vector_groups(caps);
    const enum lcl_status st = lcl_kernel_get(&P->vector, ctx, &spec);
    return st < 0 ? st : lcl_product_sums_kernel(&P->sums, ctx);
}

static enum lcl_status create_state(struct lcl_spmv *S,
                                    const struct lcl_kron *K)
{
    const int64_t coefficients = 2 * (int64_t)K->stages * K->stages;
    struct okp *P = S->state = lcl_calloc(1, sizeof *P);
    enum lcl_status st;
    if (!P)
        return lcl_fail_memory(lcl_context_log(S->ctx), "a product");
    P->stages = K->stages;
    if ((st = lcl_device_matrix_init(&P->term[0], S->ctx, K->M)) < 0 ||
        (st = lcl_device_matrix_init(&P->term[1], S->ctx, K->L)) < 0 ||
        (st = lcl_buffer_create(&P->coef, S->ctx, coefficients, sizeof(double),
                                "coefficients")) < 0)
        return st;
    S->bytes = lcl_device_matrix_bytes(&P->term[0]) +
               lcl_device_matrix_bytes(&P->term[1]);
    return lcl_buffer_create(&P->t, S->ctx, S->A->n, sizeof(double), "vector");
}

static enum lcl_status create_okp(struct lcl_spmv *S, const struct lcl_kron *K)
{
    enum lcl_status st = create_state(S, K);
    struct okp *P = S->state;
    if (st < 0 ||
        (st = get_multiply(P, S->ctx, K->M->block_size, K->stages)) < 0)
        return st;
    S->traffic = S->bytes;
    return get_vector_kernel(P, S->ctx, "okp_combine");
}

static enum lcl_status create_cu(struct lcl_spmv *S, const struct lcl_kron *K)
{
    enum lcl_status st = create_state(S, K);
    struct okp *P = S->state;
    if (st < 0 || (st = get_multiply(P, S->ctx, K->M->block_size, 1)) < 0)
        return st;
    S->traffic = (uint64_t)K->stages * S->bytes;
    return get_vector_kernel(P, S->ctx, "cu_axpy");
}

static enum lcl_status update(struct lcl_spmv *S, const struct lcl_kron *K)
{
    const struct okp *P = S->state;
    const struct lcl_bsr *const all[2] = {K->M, K->L};
    enum lcl_status st = LCL_OK;
    for (int t = 0; t < 2 && st == LCL_OK; ++t)
        st = lcl_buffer_write(P->term[t].val, all[t]->val,
                              lcl_buffer_bytes(P->term[t].val));
    return st < 0 ? st : lcl_kron_write_coefficients(P->coef, K);
}

// ------------------------------------------------------------------- products

// y^(first), ... = or += matrix `term` times t^(first), ...
static enum lcl_status times_term(const struct okp *P, int term, int first,
                                  const struct lcl_operands *v)
{
    const struct lcl_device_matrix *D = &P->term[term];
    return LCL_LAUNCH(P->multiply[term], P->groups, lcl_arg_long(D->block_rows),
                      lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                      lcl_arg_buffer(D->val), lcl_arg_int(first),
                      lcl_arg_buffer(P->t), lcl_arg_buffer(v->y),
                      lcl_arg_int(term), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

// Algorithms 2 and 3.
static enum lcl_status okp_term(const struct okp *P, int term,
                                const struct lcl_operands *v)
{
    const enum lcl_status st = LCL_LAUNCH(
        P->vector, P->vector_groups, lcl_arg_long(P->term[term].n),
        lcl_arg_buffer(P->coef), lcl_arg_int(term), lcl_arg_buffer(v->x),
        lcl_arg_buffer(P->t), lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
    return st < 0 ? st : times_term(P, term, 0, v);
}

static enum lcl_status axpy(const struct okp *P, int term, int i, int j,
                            const struct lcl_operands *v)
{
    return LCL_LAUNCH(
        P->vector, P->vector_groups, lcl_arg_long(P->term[term].n),
        lcl_arg_int(P->stages), lcl_arg_buffer(P->coef), lcl_arg_int(term),
        lcl_arg_int(i), lcl_arg_int(j), lcl_arg_buffer(v->x),
        lcl_arg_buffer(P->t), lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// Algorithm 4.
static enum lcl_status cu_term(const struct okp *P, int term,
                               const struct lcl_operands *v)
{
    const int s = P->stages;
    enum lcl_status st = lcl_buffer_fill(P->t, 0);
    for (int k = 0; k < s * s && st == LCL_OK; ++k)
        st = axpy(P, term, k / s, k % s, v);
    for (int i = 0; i < s && st == LCL_OK; ++i)
        st = times_term(P, term, i, v);
    return st;
}

static enum lcl_status multiply_okp(const struct lcl_spmv *S,
                                    enum lcl_product product,
                                    const struct lcl_operands *v)
{
    const struct okp *P = S->state;
    enum lcl_status st;
    if ((st = okp_term(P, 0, v)) < 0 || (st = okp_term(P, 1, v)) < 0)
        return st;
    return lcl_product_sums(P->sums, S, product, v);
}

static enum lcl_status multiply_cu(const struct lcl_spmv *S,
                                   enum lcl_product product,
                                   const struct lcl_operands *v)
{
    const struct okp *P = S->state;
    enum lcl_status st;
    if ((st = cu_term(P, 0, v)) < 0 || (st = cu_term(P, 1, v)) < 0)
        return st;
    return lcl_product_sums(P->sums, S, product, v);
}

static void destroy(struct lcl_spmv *S)
{
    struct okp *P = S->state;
    if (!P)
        return;
    lcl_device_matrix_finish(&P->term[0]);
    lcl_device_matrix_finish(&P->term[1]);
    lcl_buffer_destroy(&P->coef);
    lcl_buffer_destroy(&P->t);
    lcl_free(P);
}

const struct lcl_kron_ops lcl_kron_okp = {
    .product = {.multiply = multiply_okp, .destroy = destroy},
    .create = create_okp,
    .update = update,
};

const struct lcl_kron_ops lcl_kron_cu = {
    .product = {.multiply = multiply_cu, .destroy = destroy},
    .create = create_cu,
    .update = update,
};
