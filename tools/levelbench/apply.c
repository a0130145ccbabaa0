// SPDX-License-Identifier: BSD-3-Clause
// Times one application of the preconditioner, one product and one
// refactorisation.
#include "tools/levelbench/bench.h"

#include "lib/precond/precond.h"

static enum lcl_status apply(const struct work *w, lcl_operator *op)
{
    const struct lcl_operands v = {
        .x = w->b, .y = w->x, .stop = lcl_context_no_stop(op->range.ctx)};
    return lcl_apply(op, LCL_APPLY, &v);
}

static enum lcl_status launch_apply(void *arg)
{
    const struct work *w = arg;
    return apply(w, &w->M->op);
}

static enum lcl_status launch_spmv(void *arg)
{
    const struct work *w = arg;
    return apply(w, w->A);
}

static enum lcl_status launch_refresh(void *arg)
{
    struct work *w = arg;
    return w->M->ops->update ? w->M->ops->update(w->M) : LCL_OK;
}

// For each off-diagonal block its values and 16-bit column; for each block row
// the inverse of the diagonal block, b and x. For block-Jacobi, the inverses, b
// and x. Multigrid counts its own.
static double apply_bytes(const struct lcl_precond_info *info)
{
    static const double bytes[LCL_FACTOR_STORAGE_COUNT] = {8, 8, 4, 2};
    if (info->amg.levels > 0)
        return (double)info->amg.traffic;
    if (info->blocks.count > 0)
        return (double)info->bytes + 16.0 * (double)info->rows;
    const double block = info->block_size * info->block_size;
    const double rows = (double)info->rows / info->block_size;
    const double kept = (double)info->nnz_kept / block,
                 b = bytes[info->storage];
    return (b * block + 2) * (kept - rows) +
           (b * block + 16.0 * info->block_size) * rows;
}

// For a matrix that is read as stored: each block with its column; for each
// block row a row pointer, x and y. A product may read less.
static double spmv_bytes(const struct lcl_device_matrix *A)
{
    return (8.0 * A->block * A->block + 4) * (double)A->blocks +
           (16.0 * A->block + 4) * (double)A->block_rows;
}

enum lcl_status bench_time_apply(struct bench *B, struct work *w,
                                 struct times *t)
{
    return bench_measure(B, launch_apply, w, t);
}

static const char *variant_of(const struct lcl_precond_info *info)
{
    return info->factors.parts > 0  ? lcl_trisolve_name(info->factors.trisolve)
           : info->blocks.count > 0 ? lcl_block_apply_name(info->blocks.apply)
                                    : lcl_precond_name(info->type);
}

void bench_print_apply(const struct bench *B, const struct work *w,
                       const struct times *t)
{
    const struct lcl_precond_info *info = lcl_precond_info(w->M);
    cJSON *line = bench_line(B, "apply", variant_of(info));
    bench_add_times(line, B, t, apply_bytes(info));
    cJSON_AddNumberToObject(line, "parts", (double)info->factors.parts);
    cJSON_AddNumberToObject(line, "part_rows",
                            (double)info->factors.part_rows_max);
    cJSON_AddNumberToObject(line, "levels", info->factors.levels_mean);
    cJSON_AddNumberToObject(line, "levels_max",
                            (double)info->factors.levels_max);
    cJSON_AddNumberToObject(line, "dropped", info->factors.dropped_share);
    cJSON_AddNumberToObject(line, "group", info->factors.group_size);
    cJSON_AddNumberToObject(line, "block", info->block_size);
    cJSON_AddStringToObject(line, "storage",
                            lcl_factor_storage_name(info->storage));
    bench_print(B, line);
}

static enum lcl_status bench_launch(struct bench *B, struct work *w,
                                    launch_fn launch, const char *op,
                                    const char *variant, double bytes)
{
    struct times t;
    const enum lcl_status st = bench_measure(B, launch, w, &t);
    if (st < 0)
        return st;
    cJSON *line = bench_line(B, op, variant);
    bench_add_times(line, B, &t, bytes);
    bench_print(B, line);
    return LCL_OK;
}

enum lcl_status bench_time_product(struct bench *B, struct work *w,
                                   struct times *t)
{
    return bench_measure(B, launch_spmv, w, t);
}

enum lcl_status bench_spmv(struct bench *B, struct work *w)
{
    const struct lcl_operator_info *info = lcl_operator_info(w->A);
    const double vectors = 8.0 * (double)(info->rows + info->cols);
    const double moved = (double)info->traffic + vectors;
    struct times t;
    const enum lcl_status st = bench_measure(B, launch_spmv, w, &t);
    if (st < 0)
        return st;
    cJSON *line = bench_line(B, "spmv", lcl_spmv_name(info->spmv));
    bench_add_times(line, B, &t, moved);
    cJSON_AddNumberToObject(line, "as_csr_gbps",
                            1e-9 * spmv_bytes(w->A->matrix) / t.median);
    cJSON_AddNumberToObject(line, "bytes", moved);
    bench_print(B, line);
    return LCL_OK;
}

// y = A x from host to host.
struct product {
    lcl_operator *A;
    const double *x;
    double *y;
};

static enum lcl_status launch_product(void *arg)
{
    const struct product *P = arg;
    return lcl_operator_apply(P->A, P->x, P->y);
}

static enum lcl_status launch_look(void *arg)
{
    struct work *w = arg;
    w->A->looked = false;
    return lcl_operator_look(w->A);
}

enum lcl_status bench_look(struct bench *B, struct work *w)
{
    struct product P = {w->A, B->problem->b, B->problem->x};
    struct times look, product;
    enum lcl_status st;
    if (!lcl_operator_is_matrix(w->A))
        return LCL_OK;
    if ((st = bench_measure(B, launch_look, w, &look)) < 0 ||
        (st = bench_measure(B, launch_product, &P, &product)) < 0)
        return st;
    cJSON *line = bench_line(B, "look", "sums");
    bench_add_times(line, B, &look, 0);
    cJSON_AddNumberToObject(line, "products", look.median / product.median);
    bench_print(B, line);
    return LCL_OK;
}

enum lcl_status bench_refresh(struct bench *B, struct work *w)
{
    return bench_launch(B, w, launch_refresh, "refresh",
                        lcl_precond_name(lcl_precond_info(w->M)->type), 0);
}
