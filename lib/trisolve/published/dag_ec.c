// SPDX-License-Identifier: BSD-3-Clause
// The published edge-centric triangular solves: dag_ec_no_lds, dag_ec_lds,
// dag_ec_lds_ud, dag_ec_ILD_U0 and dag_ec_ILDU0_fused.
#include "lib/trisolve/published/dag_ec.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

#include <levelcl/published.h>

// Memory of the vector of a subdomain.
enum place { LOCAL, GLOBAL };

// Properties that distinguish the methods.
struct variant {
    enum lcl_csr_split split;
    enum place place;
    const char *lower, *scale, *upper, *fused; // kernels
    int launches;
    int barriers, barriers_a_level; // of L; a level of U has one
};

// clang-format off
static const struct variant variants[LCL_TRISOLVE_COUNT] = {
    [LCL_TRISOLVE_DAG_EC_NO_LDS] = {LCL_SPLIT_LD_U, GLOBAL,
        "dag_ec_lower", NULL, "dag_ec_unit", NULL, 2, 2, 2},
    [LCL_TRISOLVE_DAG_EC_LDS] = {LCL_SPLIT_LD_U, LOCAL,
        "dag_ec_lower", NULL, "dag_ec_unit", NULL, 2, 2, 2},
    [LCL_TRISOLVE_DAG_EC_LDS_UD] = {LCL_SPLIT_L_D_U, LOCAL,
        "dag_ec_unit", "dag_ec_scale", "dag_ec_unit", NULL, 3, 4, 1},
    [LCL_TRISOLVE_DAG_EC_ILD_U0] = {LCL_SPLIT_LD_U, LOCAL,
        "dag_ec_lower", NULL, "dag_ec_unit", NULL, 2, 2, 2},
    [LCL_TRISOLVE_DAG_EC_ILDU0_FUSED] = {LCL_SPLIT_L_D_U, LOCAL,
        NULL, NULL, NULL, "dag_ec_ILDU0_fused", 1, 2, 1},
};
// clang-format on

// ------------------------------------------------------------------- kernels

static enum lcl_status get_kernel(lcl_kernel **kernel, lcl_context *ctx,
                                  struct lcl_spec *spec, const char *name)
{
    *kernel = NULL;
    spec->kernel = name;
    return name ? lcl_kernel_get(kernel, ctx, spec) : LCL_OK;
}

// The method of atomic addition in the vector's address space; global memory
// has two (atomic.cl.h).
static enum lcl_atomic_add way_to_add(const struct lcl_caps *caps,
                                      enum place place)
{
    if (place == LOCAL || caps->local_add == LCL_ATOMIC_ADD_NV_PTX)
        return caps->local_add;
    return caps->int64_atomics ? LCL_ATOMIC_ADD_CAS : LCL_ATOMIC_ADD_NONE;
}

// At width 1 the vector stays in global memory, and only one work-item adds to
// it.
static struct lcl_spec spec_for(const struct lcl_caps *caps,
                                const struct lcl_factor *factor,
                                const struct variant *v)
{
    struct lcl_spec spec =
        lcl_csr_factors_spec(caps, factor, "dag_ec.cl", NULL);
    lcl_spec_set(&spec, "GLOBAL_VECTOR", v->place == GLOBAL);
    if (caps->width == 1 || v->place == GLOBAL)
        lcl_spec_set(&spec, "SUBDOMAIN_ROWS", 0);
    if (caps->width > 1)
        spec.add = way_to_add(caps, v->place);
    return spec;
}

enum lcl_status lcl_dag_ec_kernels(struct lcl_dag_ec *E, lcl_context *ctx,
                                   enum lcl_trisolve name, int group)
{
    const struct variant *v = &variants[name];
    struct lcl_spec spec =
        spec_for(lcl_context_caps(ctx), E->factors.factor, v);
    enum lcl_status st;
    if (group > 0)
        spec.group = group;
    if ((st = get_kernel(&E->lower, ctx, &spec, v->lower)) < 0 ||
        (st = get_kernel(&E->scale, ctx, &spec, v->scale)) < 0 ||
        (st = get_kernel(&E->upper, ctx, &spec, v->upper)) < 0)
        return st;
    return get_kernel(&E->fused, ctx, &spec, v->fused);
}

// ------------------------------------------------------------------- method

static int64_t rows_most(enum lcl_trisolve name, const struct lcl_caps *caps,
                         int block)
{
    return variants[name].place == GLOBAL
               ? UINT16_MAX
               : lcl_csr_factors_rows_most(caps, block);
}

static enum lcl_status check_device(enum lcl_trisolve name,
                                    const struct lcl_caps *caps,
                                    const struct lcl_log *log)
{
    const enum place place = variants[name].place;
    if (caps->width == 1 || way_to_add(caps, place) != LCL_ATOMIC_ADD_NONE)
        return LCL_OK;
    return lcl_fail(log, LCL_EUNSUPPORTED,
                    "%s needs atomic sums in %s memory in double precision, "
                    "which %s does not support; use packed",
                    lcl_trisolve_name(name),
                    place == LOCAL ? "local" : "global", caps->name);
}

static enum lcl_status create(struct lcl_trisolve_method *T, lcl_context *ctx,
                              const struct lcl_host_factor *host)
{
    const struct variant *v = &variants[T->name];
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_log *log = lcl_context_log(ctx);
    enum lcl_status st = check_device(T->name, caps, log);
    if (st < 0)
        return st;
    struct lcl_dag_ec *E = T->state = lcl_calloc(1, sizeof *E);
    if (!E)
        return lcl_fail_memory(log, "a triangular solve");
    if ((st = lcl_csr_factors_init(&E->factors, ctx, T->factor, &host->schedule,
                                   true, v->split)) < 0)
        return st;
    T->op.launches = v->launches;
    T->group = spec_for(caps, T->factor, v).group;
    if (caps->width > 1)
        T->barriers = v->barriers +
                      v->barriers_a_level * E->factors.lower.levels_max +
                      E->factors.upper.levels_max;
    lcl_csr_factors_describe(T, &E->factors);
    return lcl_dag_ec_kernels(E, ctx, T->name, 0);
}

static void destroy(struct lcl_trisolve_method *T)
{
    struct lcl_dag_ec *E = T->state;
    if (!E)
        return;
    lcl_csr_factors_finish(&E->factors);
    lcl_free(E);
}

static enum lcl_status update(struct lcl_trisolve_method *T)
{
    const struct lcl_dag_ec *E = T->state;
    return lcl_csr_factors_update(&E->factors);
}

// ------------------------------------------------------------------- launches

// Solves with unit triangles take no diagonal.
static enum lcl_status launch_unit(const struct lcl_dag_ec *E,
                                   lcl_kernel *kernel,
                                   const struct lcl_csr_triangle *M,
                                   const struct lcl_operands *v)
{
    const struct lcl_csr_factors *C = &E->factors;
    return LCL_LAUNCH(
        kernel, C->factor->parts, lcl_arg_buffer(C->part_ptr),
        lcl_arg_buffer(M->first_level), lcl_arg_buffer(M->level_ptr),
        lcl_arg_buffer(M->row_ptr), lcl_arg_buffer(M->row),
        lcl_arg_buffer(M->col), lcl_arg_buffer(M->val), lcl_arg_buffer(v->x),
        lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

static enum lcl_status lower(const struct lcl_trisolve_method *T,
                             const struct lcl_operands *v)
{
    const struct lcl_dag_ec *E = T->state;
    const struct lcl_csr_factors *C = &E->factors;
    const struct lcl_csr_triangle *L = &C->lower;
    if (C->split == LCL_SPLIT_L_D_U)
        return launch_unit(E, E->lower, L, v);
    return LCL_LAUNCH(E->lower, T->factor->parts, lcl_arg_buffer(C->part_ptr),
                      lcl_arg_buffer(L->first_level),
                      lcl_arg_buffer(L->level_ptr), lcl_arg_buffer(L->row_ptr),
                      lcl_arg_buffer(L->row), lcl_arg_buffer(L->col),
                      lcl_arg_buffer(L->val), lcl_arg_buffer(L->order),
                      lcl_arg_buffer(C->inv_d), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

// x = D^-1 x
static enum lcl_status scale(const struct lcl_trisolve_method *T,
                             const struct lcl_operands *v)
{
    const struct lcl_dag_ec *E = T->state;
    const struct lcl_csr_factors *C = &E->factors;
    return LCL_LAUNCH(E->scale, T->factor->parts, lcl_arg_buffer(C->part_ptr),
                      lcl_arg_buffer(C->inv_d), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

// Solves x = b with L or L D, scales if D is separate, then solves with U.
static enum lcl_status apply(const struct lcl_trisolve_method *T,
                             const struct lcl_operands *v)
{
    const struct lcl_dag_ec *E = T->state;
    enum lcl_status st;
    const struct lcl_operands in_place = {
        .x = v->y, .y = v->y, .stop = v->stop, .at = v->at};
    if ((st = lower(T, v)) < 0 || (E->scale && (st = scale(T, v)) < 0))
        return st;
    return launch_unit(E, E->upper, &E->factors.upper, &in_place);
}

static enum lcl_status apply_fused(const struct lcl_trisolve_method *T,
                                   const struct lcl_operands *v)
{
    const struct lcl_dag_ec *E = T->state;
    const struct lcl_csr_factors *C = &E->factors;
    const struct lcl_csr_triangle *L = &C->lower, *U = &C->upper;
    return LCL_LAUNCH(E->fused, T->factor->parts, lcl_arg_buffer(C->part_ptr),
                      lcl_arg_buffer(L->first_level),
                      lcl_arg_buffer(L->level_ptr), lcl_arg_buffer(L->row_ptr),
                      lcl_arg_buffer(L->row), lcl_arg_buffer(L->col),
                      lcl_arg_buffer(L->val), lcl_arg_buffer(U->first_level),
                      lcl_arg_buffer(U->level_ptr), lcl_arg_buffer(U->row_ptr),
                      lcl_arg_buffer(U->row), lcl_arg_buffer(U->col),
                      lcl_arg_buffer(U->val), lcl_arg_buffer(C->inv_d),
                      lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

const struct lcl_trisolve_ops lcl_trisolve_dag_ec = {
    .rows_most = rows_most,
    .create = create,
    .update = update,
    .apply = apply,
    .lower = lower,
    .destroy = destroy,
};
const struct lcl_trisolve_ops lcl_trisolve_dag_ec_fused = {
    .rows_most = rows_most,
    .create = create,
    .update = update,
    .apply = apply_fused,
    .destroy = destroy,
};
