// SPDX-License-Identifier: BSD-3-Clause
// The loop of cg_published in fp32 on the device, as in the report.
#include "tools/levelbench/published/cg.h"

#include "host/alloc.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/cg_vectors.h"
#include "lib/matrix/bsr.h"

#include <math.h>

struct fp32 {
    lcl_context *ctx;
    struct lcl_device_matrix A;
    struct lcl_spmv product;
    struct lcl_cg_vectors vectors;
    lcl_buffer *b, *x, *r, *p, *q; // q = A p
};

// ------------------------------------------------------------------- set-up

// A buffer of `count` floats with the values of `from`.
static enum lcl_status upload(lcl_buffer **out, lcl_context *ctx,
                              const double *from, int64_t count)
{
    float *v = lcl_malloc((size_t)count, sizeof *v);
    if (!v)
        return lcl_fail_memory(lcl_context_log(ctx), "a vector");
    for (int64_t i = 0; i < count; ++i)
        v[i] = (float)from[i];
    const enum lcl_status st =
        lcl_buffer_create_from(out, ctx, v, count, sizeof *v, "a vector");
    lcl_free(v);
    return st;
}

static enum lcl_status create_vectors(struct fp32 *L, const double *b)
{
    const int64_t n = L->vectors.n;
    const struct lcl_buffer_plan all[] = {
        {&L->x, n, sizeof(float), "x"},
        {&L->r, n, sizeof(float), "r"},
        {&L->p, n, sizeof(float), "p"},
        {&L->q, n, sizeof(float), "A p"},
    };
    const enum lcl_status st = upload(&L->b, L->ctx, b, n);
    return st < 0 ? st
                  : lcl_buffers_create(L->ctx, all, sizeof all / sizeof *all);
}

static enum lcl_status init(struct fp32 *L, const struct lcl_csr *A,
                            const double *b, enum lcl_binned_rows rows)
{
    const struct lcl_bsr matrix = lcl_bsr_of_csr(A);
    enum lcl_status st;
    if ((st = lcl_device_pattern_init(&L->A, L->ctx, &matrix)) < 0 ||
        (st = upload(&L->A.val, L->ctx, A->val, A->nnz)) < 0 ||
        (st = lcl_binned_init_fp32(&L->product, L->ctx, &L->A, rows)) < 0 ||
        (st = lcl_cg_vectors_init(&L->vectors, L->ctx, A->rows, true)) < 0)
        return st;
    return create_vectors(L, b);
}

static void finish(struct fp32 *L)
{
    lcl_buffer **const all[] = {&L->b, &L->x, &L->r, &L->p, &L->q};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        lcl_buffer_destroy(all[i]);
    lcl_cg_vectors_finish(&L->vectors);
    lcl_spmv_finish(&L->product);
    lcl_device_matrix_finish(&L->A);
}

// ------------------------------------------------------------------- loop

// x = 0, r = p = b.
static enum lcl_status start(const struct fp32 *L, float *rr)
{
    enum lcl_status st;
    if ((st = lcl_buffer_fill(L->x, 0)) < 0 ||
        (st = lcl_buffer_copy(L->r, L->b)) < 0 ||
        (st = lcl_buffer_copy(L->p, L->b)) < 0)
        return st;
    return lcl_cg_dot(&L->vectors, L->r, L->r, rr);
}

static enum lcl_status step(const struct fp32 *L, float *rr)
{
    const struct lcl_operands v = {
        .x = L->p, .y = L->q, .stop = lcl_context_no_stop(L->ctx)};
    const struct lcl_cg_vectors *V = &L->vectors;
    float pq, next;
    enum lcl_status st;
    if ((st = lcl_multiply(&L->product, LCL_APPLY, &v)) < 0 ||
        (st = lcl_cg_dot(V, L->p, L->q, &pq)) < 0)
        return st;
    const float alpha = *rr / pq;
    if ((st = lcl_cg_combine(V, V->axpy, lcl_arg_float(alpha), L->p, L->x)) <
            0 ||
        (st = lcl_cg_combine(V, V->axpy, lcl_arg_float(-alpha), L->q, L->r)) <
            0 ||
        (st = lcl_cg_dot(V, L->r, L->r, &next)) < 0)
        return st;
    const float beta = next / *rr;
    *rr = next;
    return lcl_cg_combine(V, V->scale_add, lcl_arg_float(beta), L->r, L->p);
}

static enum lcl_status iterate(const struct fp32 *L, struct cg_loop *loop)
{
    const double since = lcl_now();
    float rr;
    enum lcl_status st = start(L, &rr);
    loop->iterations = 0;
    while (st == LCL_OK && loop->iterations < loop->max_iters &&
           (double)sqrtf(rr) >= loop->tolerance) {
        st = step(L, &rr);
        ++loop->iterations;
    }
    loop->seconds = lcl_now() - since;
    return st;
}

// The first loop compiles what it launches.
enum lcl_status cg_loop_fp32(struct cg_loop *loop, lcl_context *ctx,
                             const struct lcl_csr *A, const double *b,
                             enum lcl_binned_rows rows)
{
    struct fp32 L = {.ctx = ctx};
    enum lcl_status st;
    if ((st = init(&L, A, b, rows)) == LCL_OK &&
        (st = iterate(&L, loop)) == LCL_OK)
        st = iterate(&L, loop);
    finish(&L);
    return st;
}
