// SPDX-License-Identifier: BSD-3-Clause
// Table 2.1 of Mehta et al., arXiv 2508.04917: the bandwidth of the kernels of
// BiCGSTAB with ILU(0) of the whole matrix. A published figure is read from a
// counter of the device; this one is the least traffic over the time.
#include "tools/levelbench/published/dd.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"
#include "lib/precond/precond.h"
#include "lib/trisolve/hec_level.h"

#include <levelcl/published.h>

enum { UPPER, LOWER, PRODUCT, AXPY, DOT };

struct launch {
    const struct work *w;
    const struct lcl_hec_level *H;
    lcl_kernel *axpy, *dot;
    lcl_buffer *sum;
    int64_t n, groups;
    int which;
};

static enum lcl_status run(void *arg)
{
    const struct launch *l = arg;
    const struct lcl_operands v = {.x = l->w->b,
                                   .y = l->w->x,
                                   .stop =
                                       lcl_context_no_stop(l->w->A->range.ctx)};
    if (l->which == UPPER)
        return lcl_hec_triangle_solve(&l->H->upper, &v, l->H->x);
    if (l->which == LOWER)
        return lcl_hec_triangle_solve(&l->H->lower, &v, l->H->x);
    if (l->which == PRODUCT)
        return lcl_apply(l->w->A, LCL_APPLY, &v);
    if (l->which == AXPY)
        return LCL_LAUNCH(l->axpy, l->groups, lcl_arg_long(l->n),
                          lcl_arg_double(1e-9), lcl_arg_buffer(l->w->b),
                          lcl_arg_buffer(l->w->x));
    return LCL_LAUNCH(l->dot, l->groups, lcl_arg_long(l->n),
                      lcl_arg_buffer(l->w->b), lcl_arg_buffer(l->w->b),
                      lcl_arg_buffer(l->sum));
}

// Entries below or above the diagonal.
static double strict_entries(const struct lcl_csr *A, bool upper)
{
    int64_t count = 0;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            count += upper ? A->col_ind[k] > i : A->col_ind[k] < i;
    return (double)count;
}

static struct dd_traffic traffic_of(const struct bench *B, const struct work *w,
                                    int which)
{
    const struct lcl_csr *A = &B->problem->A;
    const double vector = 8 * (double)A->rows;
    if (which == PRODUCT) {
        const double matrix = (double)lcl_operator_info(w->A)->traffic;
        return (struct dd_traffic){matrix + vector, vector};
    }
    if (which == AXPY || which == DOT)
        return (struct dd_traffic){2 * vector, which == DOT ? 8 : vector};
    const double entries = strict_entries(A, which == UPPER);
    const double diagonal = which == UPPER ? vector : 0;
    return (struct dd_traffic){12 * entries + diagonal + vector, vector};
}

// The vector kernels of cg_published, which add with 64-bit atomics.
static enum lcl_status get_vector_kernels(struct launch *l, struct bench *B)
{
    const struct lcl_caps *caps = lcl_context_caps(B->ctx);
    const int group = lcl_vector_group(caps);
    const struct lcl_kernel_plan all[] = {{&l->axpy, "vector_axpy"},
                                          {&l->dot, "vector_dot"}};
    const struct lcl_spec spec = {
        .source = "cg_published.cl",
        .group = group,
        .add = caps->local_add == LCL_ATOMIC_ADD_NV_PTX ? LCL_ATOMIC_ADD_NV_PTX
                                                        : LCL_ATOMIC_ADD_CAS};
    if (!caps->int64_atomics && spec.add == LCL_ATOMIC_ADD_CAS)
        return LCL_OK;
    l->groups =
        group == 1 ? lcl_vector_groups(caps) : (l->n + group - 1) / group;
    const enum lcl_status st =
        lcl_buffer_create(&l->sum, B->ctx, 1, sizeof(double), "a dot product");
    return st < 0 ? st : lcl_kernels_get(B->ctx, &spec, all, 2);
}

enum lcl_status dd_time_kernels(struct bench *B, const struct work *w,
                                struct dd_kernel kernel[DD_KERNELS])
{
    static const char *const names[DD_KERNELS] = {"upper", "lower", "product",
                                                  "axpy", "dot"};
    struct launch l = {.w = w,
                       .H = lcl_precond_trisolve(w->M)->state,
                       .n = B->problem->A.rows};
    enum lcl_status st = get_vector_kernels(&l, B);
    for (l.which = UPPER; l.which <= (l.dot ? DOT : PRODUCT) && st >= 0;
         ++l.which) {
        struct dd_kernel *k = &kernel[l.which];
        st = bench_measure(B, run, &l, &k->t);
        k->name = names[l.which];
        k->traffic = traffic_of(B, w, l.which);
        if (st >= 0)
            dd_print_bandwidth(B, k->name, &k->t, &k->traffic);
    }
    lcl_buffer_destroy(&l.sum);
    return st;
}

// index[]: the bytes of the indices of an off-diagonal block, for packed and
// each method of subdomains. Each launch reads and writes the vector once.
struct dd_traffic dd_apply_traffic(const struct lcl_precond_info *info)
{
    static const double bytes[LCL_FACTOR_STORAGE_COUNT] = {8, 8, 4, 2};
    static const double index[LCL_TRISOLVE_COUNT] = {
        [LCL_TRISOLVE_PACKED] = 2,        [LCL_TRISOLVE_DAG_VC_ILDU0_FUSED] = 2,
        [LCL_TRISOLVE_SPIN_LOOP_LDS] = 2, [LCL_TRISOLVE_DAG_EC_NO_LDS] = 4,
        [LCL_TRISOLVE_DAG_EC_LDS] = 4,    [LCL_TRISOLVE_DAG_EC_LDS_UD] = 4,
        [LCL_TRISOLVE_DAG_EC_ILD_U0] = 4, [LCL_TRISOLVE_DAG_EC_ILDU0_FUSED] = 4,
        [LCL_TRISOLVE_HEC_LEVEL] = 4};
    const double size = info->block_size * info->block_size;
    const double rows = (double)info->rows, b = bytes[info->storage];
    const double diagonal = rows / info->block_size;
    const double off = (double)info->nnz_kept / size - diagonal;
    const bool fused =
        info->factors.trisolve == LCL_TRISOLVE_PACKED ||
        info->factors.trisolve == LCL_TRISOLVE_DAG_VC_ILDU0_FUSED ||
        info->factors.trisolve == LCL_TRISOLVE_DAG_EC_ILDU0_FUSED;
    const double vectors = (fused ? 8 : 16) * rows;
    return (struct dd_traffic){
        off * (b * size + index[info->factors.trisolve]) + diagonal * b * size +
            vectors,
        vectors};
}

void dd_print_bandwidth(const struct bench *B, const char *variant,
                        const struct times *t, const struct dd_traffic *traffic)
{
    cJSON *line = bench_line(B, "bandwidth", variant);
    bench_add_times(line, B, t, 0);
    cJSON_AddNumberToObject(line, "read_gbps",
                            1e-9 * traffic->read / t->median);
    cJSON_AddNumberToObject(line, "write_gbps",
                            1e-9 * traffic->write / t->median);
    bench_print(B, line);
}
