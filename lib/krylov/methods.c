// SPDX-License-Identifier: BSD-3-Clause
// All Krylov methods: their table, their names, and how each is created,
// destroyed and run.
#include "lib/krylov/methods.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/krylov/pipeline.h"

#include <levelcl/published.h>

#define ENTRY(type, name) [LCL_SOLVER_##type] = &lcl_##name,
#define NAME(type, name)  [LCL_SOLVER_##type] = #name,

static const struct lcl_krylov_method *const methods[LCL_SOLVER_COUNT] = {
    LCL_KRYLOV_METHODS(ENTRY)};

static const char *const names[LCL_SOLVER_COUNT] = {
    [LCL_SOLVER_DEFAULT] = "auto", LCL_KRYLOV_METHODS(NAME)};

const struct lcl_names lcl_solver_names = LCL_NAMES(names);

const char *lcl_solver_name(enum lcl_solver_type type)
{
    return lcl_name_of(&lcl_solver_names, (int)type);
}

const struct lcl_krylov_method *lcl_krylov_method(enum lcl_solver_type type)
{
    return methods[type];
}

const struct lcl_solver_facts *lcl_solver_facts(enum lcl_solver_type type)
{
    static const struct lcl_solver_facts none = {0};
    return type > LCL_SOLVER_DEFAULT && type < LCL_SOLVER_COUNT
               ? &methods[type]->facts
               : &none;
}

// ------------------------------------------------------------------- creating

// The member of the method's struct at an offset.
static void *member(const struct lcl_solver *S, size_t at)
{
    return (char *)S->state + at;
}

static enum lcl_status check_precond(const struct lcl_solver *S)
{
    return !S->method->facts.no_precond || S->M->identity
               ? LCL_OK
               : lcl_fail(lcl_context_log(S->ctx), LCL_EUNSUPPORTED,
                          "%s supports no preconditioner; use precond=none",
                          lcl_solver_name(S->params.type));
}

static enum lcl_status prepare_precond(struct lcl_solver *S)
{
    const enum lcl_mode mode = S->method->applications;
    const enum lcl_status st =
        S->M->identity ? LCL_OK : lcl_operator_prepare(S->M, mode);
    return st < 0 || !S->additive ? st
                                  : lcl_operator_prepare(S->additive, mode);
}

static enum lcl_status create_kernels(struct lcl_solver *S)
{
    const struct lcl_krylov_method *m = S->method;
    const struct lcl_spec spec = {.source = m->source};
    struct lcl_kernel_plan plan[LCL_KRYLOV_KERNELS];
    int count = 0;
    for (; count < LCL_KRYLOV_KERNELS && m->kernels[count].name; ++count)
        plan[count] = (struct lcl_kernel_plan){member(S, m->kernels[count].at),
                                               m->kernels[count].name};
    return count > 0 ? lcl_krylov_kernels(S->ctx, spec, plan, count) : LCL_OK;
}

static enum lcl_status create_vectors(struct lcl_solver *S, const size_t *at)
{
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < LCL_KRYLOV_VECTORS && at[k] && st == LCL_OK; ++k)
        st = lcl_space_vector(member(S, at[k]), &S->A->range);
    return st;
}

static void destroy_vectors(struct lcl_solver *S, const size_t *at)
{
    for (int k = 0; k < LCL_KRYLOV_VECTORS && at[k]; ++k)
        lcl_buffer_destroy(member(S, at[k]));
}

static int launches_of(const struct lcl_solver *S)
{
    const struct lcl_krylov_method *m = S->method;
    int launches = m->launches;
    for (int k = 0; k < m->facts.products; ++k) {
        launches += lcl_operator_launches(S->A, m->products[k]);
        if (!S->M->identity)
            launches += lcl_operator_launches(S->M, m->applications);
    }
    return launches;
}

enum lcl_status lcl_krylov_create(struct lcl_solver *S)
{
    const struct lcl_krylov_method *m = S->method;
    enum lcl_status st;
    if ((st = check_precond(S)) < 0)
        return st;
    S->state = lcl_calloc(1, m->bytes);
    if (!S->state)
        return lcl_fail_memory(lcl_context_log(S->ctx),
                               lcl_solver_name(S->params.type));
    S->launches = launches_of(S);
    if ((st = prepare_precond(S)) < 0 || (st = create_kernels(S)) < 0 ||
        (st = create_vectors(S, m->vectors)) < 0 ||
        (!S->M->identity && (st = create_vectors(S, m->precond_vectors)) < 0) ||
        (m->dots &&
         (st = lcl_space_sums(member(S, m->dots), &S->A->range)) < 0) ||
        (m->steps.step &&
         (st = lcl_pipeline_init(S->state, S->ctx, &m->steps)) < 0))
        return st;
    return m->create ? m->create(S) : LCL_OK;
}

void lcl_krylov_destroy(struct lcl_solver *S)
{
    const struct lcl_krylov_method *m = S->method;
    if (!S->state)
        return;
    if (m->destroy)
        m->destroy(S);
    if (m->steps.step)
        lcl_pipeline_finish(S->state);
    destroy_vectors(S, m->vectors);
    destroy_vectors(S, m->precond_vectors);
    if (m->dots)
        lcl_buffer_destroy(member(S, m->dots));
    lcl_free(S->state);
    S->state = NULL;
}

enum lcl_status lcl_krylov_cycle(struct lcl_solver *S)
{
    const struct lcl_krylov_method *m = S->method;
    if (m->cycle)
        return m->cycle(S);
    const enum lcl_status st = m->begin ? m->begin(S) : LCL_OK;
    return st < 0 ? st : lcl_pipeline_run(S->state, S);
}
