// SPDX-License-Identifier: BSD-3-Clause
// The Kronecker operator as published: OKP-Solver and CU-Solver,
// cl/kron/okp.cl.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/kron/kron.h"
#include "lib/kron/off_diagonal.h"
#include "lib/kron/operator.h"

struct okp {
    lcl_kernel *vector; // okp_combine or cu_axpy
    lcl_kernel *multiply[2];
    lcl_kernel *far; // for the off-diagonal parts
    lcl_buffer *t;
    int64_t groups, vector_groups;
};

enum { WAVES = 8 };

// ------------------------------------------------------------------- creation

// Work-group size: the sums of all waves fill at most a quarter of local
// memory, so that several groups fit.
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
static enum lcl_status get_multiply(const struct lcl_kron_operator *T,
                                    lcl_context *ctx, int at_once)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct okp *P = T->method;
    struct lcl_spec spec = {
        .source = "okp.cl",
        .kernel = "okp_multiply",
        .block = T->block,
        .defines = {{"STAGES", at_once}},
        .group = group_for(caps, at_once),
    };
    enum lcl_status st = LCL_OK;
    for (int t = 0; t < 2 && st == LCL_OK; ++t) {
        spec.wide = T->term[t].wide;
        st = lcl_kernel_get(&P->multiply[t], ctx, &spec);
    }
    spec.wide = false; // lib/kron/boundary.c refuses wide matrices
    if (st == LCL_OK)
        st = lcl_kernel_get(&P->far, ctx, &spec);
    P->groups = caps->width > 1
                    ? lcl_launch_groups(T->term[0].block_rows,
                                        spec.group / caps->width, spec.group)
                    : lcl_vector_groups(caps);
    return st;
}

static enum lcl_status get_vector_kernel(const struct lcl_kron_operator *T,
                                         lcl_context *ctx, const char *name)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct okp *P = T->method;
    const struct lcl_spec spec = {
        .source = "okp.cl",
        .kernel = name,
        .defines = {{"STAGES", T->stages}},
        .group = lcl_vector_group(caps),
    };
    P->vector_groups = lcl_vector_groups(caps);
    return lcl_kernel_get(&P->vector, ctx, &spec);
}

static enum lcl_status upload(lcl_operator *A, const struct lcl_kron *K)
{
    struct lcl_kron_operator *T = A->state;
    lcl_context *ctx = A->range.ctx;
    const enum lcl_status st = lcl_device_matrix_init(&T->term[0], ctx, K->M);
    return st < 0 ? st : lcl_device_matrix_init(&T->term[1], ctx, K->L);
}

static enum lcl_status create_method(lcl_operator *A)
{
    struct lcl_kron_operator *T = A->state;
    struct okp *P = T->method = lcl_calloc(1, sizeof *P);
    if (!P)
        return lcl_fail_memory(lcl_context_log(A->range.ctx), "a product");
    A->info.traffic = lcl_device_matrix_bytes(&T->term[0]) +
                      lcl_device_matrix_bytes(&T->term[1]);
    A->info.bytes = A->info.traffic + (uint64_t)A->range.n * sizeof(double);
    return lcl_space_vector(&P->t, &A->range);
}

static enum lcl_status complete_okp(lcl_operator *A)
{
    const struct lcl_kron_operator *T = A->state;
    enum lcl_status st;
    if ((st = create_method(A)) < 0 ||
        (st = get_multiply(T, A->range.ctx, T->stages)) < 0)
        return st;
    A->launches = 4;
    return get_vector_kernel(T, A->range.ctx, "okp_combine");
}

static enum lcl_status complete_cu(lcl_operator *A)
{
    const struct lcl_kron_operator *T = A->state;
    const int s = T->stages;
    enum lcl_status st;
    if ((st = create_method(A)) < 0 ||
        (st = get_multiply(T, A->range.ctx, 1)) < 0)
        return st;
    A->info.traffic *= (uint64_t)s;
    A->launches = 2 * (s * s + s);
    return get_vector_kernel(T, A->range.ctx, "cu_axpy");
}

static enum lcl_status update(lcl_operator *A, const struct lcl_kron *K)
{
    const struct lcl_kron_operator *T = A->state;
    const struct lcl_bsr *const all[2] = {K->M, K->L};
    enum lcl_status st = LCL_OK;
    for (int t = 0; t < 2 && st == LCL_OK; ++t)
        st = lcl_buffer_write(T->term[t].val, all[t]->val,
                              lcl_buffer_bytes(T->term[t].val));
    return st;
}

static void destroy(void *method)
{
    struct okp *P = method;
    if (!P)
        return;
    lcl_buffer_destroy(&P->t);
    lcl_free(P);
}

// ------------------------------------------------------------------- products

// y^(first), ... = D t^(first), ... or, with `keep`, y^(first), ... += D
// t^(first), ...
static enum lcl_status multiply(const struct okp *P, lcl_kernel *kernel,
                                const struct lcl_device_matrix *D, int first,
                                const lcl_buffer *t, bool keep,
                                const struct lcl_operands *v)
{
    return LCL_LAUNCH(kernel, P->groups, lcl_arg_long(D->block_rows),
                      lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                      lcl_arg_buffer(D->val), lcl_arg_long(D->block_cols),
                      lcl_arg_int(first), lcl_arg_buffer(t),
                      lcl_arg_buffer(v->y), lcl_arg_int(keep),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// Multiplies by matrix `term`, or by the main-diagonal part of a rank's rows.
static enum lcl_status times_term(const struct lcl_kron_operator *T, int term,
                                  int first, const struct lcl_operands *v)
{
    const struct okp *P = T->method;
    return multiply(P, P->multiply[term], &T->term[term], first, P->t, term > 0,
                    v);
}

// Multiplies the elements that other ranks have sent by the off-diagonal part.
static enum lcl_status times_far(const struct lcl_kron_operator *T,
                                 const struct lcl_off_diagonal *far, int first,
                                 const struct lcl_operands *v)
{
    const struct okp *P = T->method;
    return far->matrix.blocks > 0
               ? multiply(P, P->far, &far->matrix, first,
                          lcl_off_diagonal_ghosts(far), true, v)
               : LCL_OK;
}

// t = X A^T or X B^T: Algorithm 2.
static enum lcl_status combine(const struct lcl_kron_operator *T, int term,
                               const struct lcl_operands *v)
{
    const struct okp *P = T->method;
    return LCL_LAUNCH(
        P->vector, P->vector_groups, lcl_arg_long(T->term[term].n),
        lcl_arg_buffer(T->coef), lcl_arg_int(term), lcl_arg_buffer(v->x),
        lcl_arg_buffer(P->t), lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// One term on one device: Algorithms 2 and 3.
static enum lcl_status okp_term(const struct lcl_kron_operator *T, int term,
                                const struct lcl_operands *v)
{
    const enum lcl_status st = combine(T, term, v);
    return st < 0 ? st : times_term(T, term, 0, v);
}

// One term on a rank: t is sent to other ranks while the main-diagonal part is
// multiplied.
static enum lcl_status okp_rank_term(const struct lcl_kron_operator *T,
                                     int term, struct lcl_off_diagonal *far,
                                     const struct lcl_operands *v)
{
    enum lcl_status st;
    if ((st = combine(T, term, v)) < 0 ||
        (st = lcl_halo_begin(&far->halo, ((struct okp *)T->method)->t)) < 0)
        return st;
    if ((st = times_term(T, term, 0, v)) < 0) {
        lcl_halo_cancel(&far->halo);
        return st;
    }
    st = lcl_halo_receive(&far->halo);
    return st < 0 ? st : times_far(T, far, 0, v);
}

static enum lcl_status axpy(const struct lcl_kron_operator *T, int term, int i,
                            int j, const struct lcl_operands *v)
{
    const struct okp *P = T->method;
    return LCL_LAUNCH(
        P->vector, P->vector_groups, lcl_arg_long(T->term[term].n),
        lcl_arg_int(T->stages), lcl_arg_buffer(T->coef), lcl_arg_int(term),
        lcl_arg_int(i), lcl_arg_int(j), lcl_arg_buffer(v->x),
        lcl_arg_buffer(P->t), lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// t = X A^T or X B^T: Algorithm 4, lines 1 to 8.
static enum lcl_status axpys(const struct lcl_kron_operator *T, int term,
                             const struct lcl_operands *v)
{
    const int s = T->stages;
    enum lcl_status st = lcl_buffer_fill(((struct okp *)T->method)->t, 0);
    for (int k = 0; k < s * s && st == LCL_OK; ++k)
        st = axpy(T, term, k / s, k % s, v);
    return st;
}

static enum lcl_status cu_term(const struct lcl_kron_operator *T, int term,
                               const struct lcl_operands *v)
{
    enum lcl_status st = axpys(T, term, v);
    for (int i = 0; i < T->stages && st == LCL_OK; ++i)
        st = times_term(T, term, i, v);
    return st;
}

// The main-diagonal part: Algorithm 4, lines 11 to 14 and 18 to 19.
static enum lcl_status cu_main(const struct lcl_kron_operator *T, int term,
                               int i, struct lcl_host_halo *H,
                               const struct lcl_operands *v)
{
    enum lcl_status st;
    if ((st = lcl_host_halo_copy(H, ((struct okp *)T->method)->t, i)) < 0 ||
        (st = times_term(T, term, i, v)) < 0)
        return st;
    return lcl_host_halo_scatter(H, i);
}

static enum lcl_status cu_far(const struct lcl_kron_operator *T, int i,
                              struct lcl_off_diagonal *far,
                              const struct lcl_operands *v)
{
    const enum lcl_status st = lcl_host_halo_upload(&far->copied, i);
    return st < 0 ? st : times_far(T, far, i, v);
}

static enum lcl_status cu_rank_term(const struct lcl_kron_operator *T, int term,
                                    struct lcl_off_diagonal *far,
                                    const struct lcl_operands *v)
{
    enum lcl_status st = axpys(T, term, v);
    for (int i = 0; i < T->stages && st == LCL_OK; ++i)
        st = cu_main(T, term, i, &far->copied, v);
    for (int i = 0; i < T->stages && st == LCL_OK; ++i)
        st = cu_far(T, i, far, v);
    return st;
}

static enum lcl_status apply_okp(lcl_operator *A, enum lcl_mode mode,
                                 const struct lcl_operands *v)
{
    const enum lcl_status st = okp_term(A->state, 0, v);
    (void)mode;
    return st < 0 ? st : okp_term(A->state, 1, v);
}

static enum lcl_status apply_cu(lcl_operator *A, enum lcl_mode mode,
                                const struct lcl_operands *v)
{
    const enum lcl_status st = cu_term(A->state, 0, v);
    (void)mode;
    return st < 0 ? st : cu_term(A->state, 1, v);
}

static enum lcl_status okp_rank(lcl_operator *A, struct lcl_off_diagonal *far,
                                const struct lcl_operands *v)
{
    const enum lcl_status st = okp_rank_term(A->state, 0, &far[0], v);
    return st < 0 ? st : okp_rank_term(A->state, 1, &far[1], v);
}

static enum lcl_status cu_rank(lcl_operator *A, struct lcl_off_diagonal *far,
                               const struct lcl_operands *v)
{
    const enum lcl_status st = cu_rank_term(A->state, 0, &far[0], v);
    return st < 0 ? st : cu_rank_term(A->state, 1, &far[1], v);
}

const struct lcl_kron_ops lcl_kron_okp = {
    .op = LCL_KRON_OPERATOR(apply_okp),
    .upload = upload,
    .complete = complete_okp,
    .update = update,
    .destroy = destroy,
    .apply_rank = okp_rank,
};

const struct lcl_kron_ops lcl_kron_cu = {
    .op = LCL_KRON_OPERATOR(apply_cu),
    .upload = upload,
    .complete = complete_cu,
    .update = update,
    .destroy = destroy,
    .apply_rank = cu_rank,
};
