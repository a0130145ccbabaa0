// SPDX-License-Identifier: BSD-3-Clause
// The published synchronisation-free triangular solve spin_loop_lds.
#include "lib/trisolve/published/spin_loop.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"

// Waves of a group make independent progress on NVIDIA and AMD; elsewhere, as
// in PoCL, a wave may run to the next barrier before another one starts.
static bool free_turns(const struct lcl_caps *caps)
{
    return caps->exchange == LCL_EXCHANGE_NV_PTX ||
           caps->exchange == LCL_EXCHANGE_AMD;
}

static enum lcl_status check_device(const struct lcl_caps *caps,
                                    const struct lcl_log *log)
{
    if (caps->width > 1 && caps->progress == LCL_PROGRESS_NONE)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "spin_loop_lds busy-waits for other work-items of its "
                        "group and may hang on %s; use packed",
                        caps->name);
    if (caps->width > 1 && caps->local_add == LCL_ATOMIC_ADD_NONE)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "spin_loop_lds needs atomic sums in local memory in "
                        "double precision, which %s does not support; use "
                        "packed",
                        caps->name);
    return LCL_OK;
}

static struct lcl_spec spec_for(const struct lcl_caps *caps,
                                const struct lcl_factor *factor)
{
    struct lcl_spec spec =
        lcl_csr_factors_spec(caps, factor, "spin_loop_lds.cl", "spin_loop_lds");
    if (caps->width == 1) {
        lcl_spec_set(&spec, "SUBDOMAIN_ROWS", 0);
    } else {
        spec.add = caps->local_add;
        lcl_spec_set(&spec, "FREE_TURNS", free_turns(caps));
    }
    return spec;
}

enum lcl_status lcl_spin_loop_kernels(struct lcl_spin_loop *S, lcl_context *ctx,
                                      int group)
{
    struct lcl_spec spec = spec_for(lcl_context_caps(ctx), S->factors.factor);
    if (group > 0)
        spec.group = group;
    const enum lcl_status st = lcl_kernel_get(&S->lower, ctx, &spec);
    spec.kernel = "spin_loop_lds_upper";
    return st < 0 ? st : lcl_kernel_get(&S->upper, ctx, &spec);
}

// Barriers per launch: after the reset, and at the end of each turn.
static int barriers_of(const struct lcl_caps *caps, const struct lcl_spec *spec,
                       const struct lcl_factor *factor)
{
    const int waves = spec->group / caps->width;
    if (caps->width == 1)
        return 0;
    return free_turns(caps) ? 1
                            : 1 + (int)(factor->rows_max + waves - 1) / waves;
}

// order[k] = the row of the subdomain that is the k-th of them in the matrix
static void sort_rows(uint16_t *order, int64_t *key, const int32_t *row,
                      int64_t rows)
{
    for (int64_t r = 0; r < rows; ++r)
        key[r] = (row ? (int64_t)row[r] << 16 : 0) | r;
    lcl_sort_int64(key, rows);
    for (int64_t k = 0; k < rows; ++k)
        order[k] = (uint16_t)key[k];
}

static enum lcl_status upload_order(struct lcl_spin_loop *S, lcl_context *ctx,
                                    const struct lcl_host_factor *host)
{
    const struct lcl_host_schedule *L = &host->schedule;
    uint16_t *order = lcl_malloc((size_t)L->n, sizeof *order);
    int64_t *key = lcl_malloc((size_t)L->rows_max, sizeof *key);
    enum lcl_status st = LCL_OK;
    if (!order || !key) {
        st = lcl_fail_memory(lcl_context_log(ctx), "an order of rows");
        goto out;
    }
    for (const struct lcl_part *p = L->part; p < L->part + L->parts; ++p)
        sort_rows(order + p->row, key, host->row ? host->row + p->row : NULL,
                  p->rows);
    st = lcl_buffer_create_from(&S->order, ctx, order, L->n, sizeof *order,
                                "an order of rows");
out:
    lcl_free(order);
    lcl_free(key);
    return st;
}

static int64_t rows_most(enum lcl_trisolve name, const struct lcl_caps *caps,
                         int block)
{
    (void)name;
    return lcl_csr_factors_rows_most(caps, block);
}

static enum lcl_status create(struct lcl_trisolve_method *T, lcl_context *ctx,
                              const struct lcl_host_factor *host)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_log *log = lcl_context_log(ctx);
    const struct lcl_spec spec = spec_for(caps, T->factor);
    enum lcl_status st = check_device(caps, log);
    if (st < 0)
        return st;
    struct lcl_spin_loop *S = T->state = lcl_calloc(1, sizeof *S);
    if (!S)
        return lcl_fail_memory(log, "a triangular solve");
    T->op.launches = 2;
    T->group = spec.group;
    T->barriers = 2 * barriers_of(caps, &spec, T->factor);
    if ((st = lcl_csr_factors_init(&S->factors, ctx, T->factor, &host->schedule,
                                   false, LCL_SPLIT_LD_U)) < 0 ||
        (st = lcl_buffer_create(&S->done, ctx, host->schedule.n,
                                sizeof(int32_t), "row flags")) < 0 ||
        (st = lcl_buffer_fill(S->done, 0)) < 0 ||
        (st = upload_order(S, ctx, host)) < 0)
        return st;
    return lcl_spin_loop_kernels(S, ctx, 0);
}

static void destroy(struct lcl_trisolve_method *T)
{
    struct lcl_spin_loop *S = T->state;
    if (!S)
        return;
    lcl_buffer_destroy(&S->done);
    lcl_buffer_destroy(&S->order);
    lcl_csr_factors_finish(&S->factors);
    lcl_free(S);
}

static enum lcl_status update(struct lcl_trisolve_method *T)
{
    const struct lcl_spin_loop *S = T->state;
    return lcl_csr_factors_update(&S->factors);
}

static enum lcl_status lower(const struct lcl_trisolve_method *T,
                             const struct lcl_operands *v)
{
    const struct lcl_spin_loop *S = T->state;
    const struct lcl_csr_factors *C = &S->factors;
    return LCL_LAUNCH(
        S->lower, T->factor->parts, lcl_arg_buffer(C->part_ptr),
        lcl_arg_buffer(S->order), lcl_arg_buffer(C->lower.row_ptr),
        lcl_arg_buffer(C->lower.col), lcl_arg_buffer(C->lower.val),
        lcl_arg_buffer(C->inv_d), lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
        lcl_arg_buffer(S->done), lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

// Solves x = b with L D, then with U.
static enum lcl_status apply(const struct lcl_trisolve_method *T,
                             const struct lcl_operands *v)
{
    const struct lcl_spin_loop *S = T->state;
    const struct lcl_csr_factors *C = &S->factors;
    const enum lcl_status st = lower(T, v);
    if (st < 0)
        return st;
    return LCL_LAUNCH(
        S->upper, T->factor->parts, lcl_arg_buffer(C->part_ptr),
        lcl_arg_buffer(S->order), lcl_arg_buffer(C->upper.row_ptr),
        lcl_arg_buffer(C->upper.col), lcl_arg_buffer(C->upper.val),
        lcl_arg_buffer(v->y), lcl_arg_buffer(v->y), lcl_arg_buffer(S->done),
        lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

const struct lcl_trisolve_ops lcl_trisolve_spin_loop_lds = {
    .rows_most = rows_most,
    .create = create,
    .update = update,
    .apply = apply,
    .lower = lower,
    .destroy = destroy,
};
