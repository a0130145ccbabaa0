// SPDX-License-Identifier: BSD-3-Clause
// The phases of a running solve: labels the launches of operators and adds up
// the times of their events.
#include "tools/levelbench/phases.h"

#include "host/alloc.h"
#include "host/runtime.h"
#include "host/trace.h"
#include "lib/comm/comm.h"
#include "lib/precond/precond.h"

#include <math.h>
#include <string.h>

enum { METHOD, COMMUNICATION, PRODUCT, PRECOND };

// ------------------------------------------------------------------- labels

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct labelled *l = (const void *)A->ops;
    const int before = lcl_trace_label(A->range.ctx, l->label);
    const enum lcl_status st = l->own->apply(A, mode, v);
    lcl_trace_label(A->range.ctx, before);
    return st;
}

static void put_label(struct labelled *l, lcl_operator *A, int label)
{
    *l = (struct labelled){
        .ops = *A->ops, .own = A->ops, .A = A, .label = label};
    l->ops.apply = apply;
    A->ops = &l->ops;
}

static void remove_label(struct labelled *l)
{
    if (l->A)
        l->A->ops = l->own;
    l->A = NULL;
}

static bool has_other_ranks(const lcl_operator *A)
{
    return A->range.comm && A->range.comm->size > 1;
}

enum lcl_status phases_begin(struct phases_trace *T, lcl_operator *A,
                             lcl_operator *M)
{
    *T = (struct phases_trace){.ctx = A->range.ctx};
    const enum lcl_status st = lcl_trace_begin(T->ctx);
    if (st < 0)
        return st;
    put_label(&T->whole, A, has_other_ranks(A) ? COMMUNICATION : PRODUCT);
    if (A->part)
        put_label(&T->part, A->part, PRODUCT);
    if (!M->identity)
        put_label(&T->precond, M, PRECOND);
    return LCL_OK;
}

// ------------------------------------------------------------------- sums

// Kernels of GMRES and FGMRES are named after the former.
static bool is_of_method(const char *kernel, enum lcl_solver_type type)
{
    const char *name =
        lcl_solver_name(type == LCL_SOLVER_FGMRES ? LCL_SOLVER_GMRES : type);
    return strncmp(kernel, name, strlen(name)) == 0;
}

static bool is_transfer(const char *name)
{
    return name == lcl_trace_read || name == lcl_trace_write;
}

// lib/storage/halo.c, lib/comm/relay.c
static bool is_of_exchange(const char *kernel)
{
    return strcmp(kernel, "gather") == 0 || strncmp(kernel, "relay_", 6) == 0;
}

static bool is_of_product(int label)
{
    return label == COMMUNICATION || label == PRODUCT;
}

static void add_of_ranks(struct phases *p, const struct lcl_span *s)
{
    const double busy = s->end - s->start;
    if (is_transfer(s->kernel))
        p->copies += busy;
    else if (is_of_exchange(s->kernel))
        p->communication += busy;
    else
        p->product += busy;
}

// A gap between a product and its exchange counts as waiting for other devices.
static void add_wait(struct phases *p, int label, int before, double waited)
{
    if (label == COMMUNICATION && is_of_product(before))
        p->communication += waited;
    else
        p->between += waited;
}

static void add_span(struct phases *p, const struct lcl_span *s,
                     enum lcl_solver_type type)
{
    const double busy = s->end - s->start;
    if (s->label == COMMUNICATION)
        add_of_ranks(p, s);
    else if (is_transfer(s->kernel))
        p->between += busy;
    else if (s->label == PRODUCT)
        p->product += busy;
    else if (s->label == PRECOND)
        p->precond += busy;
    else if (is_of_method(s->kernel, type))
        p->method += busy;
    else
        p->other += busy;
}

enum lcl_status phases_end(struct phases_trace *T, enum lcl_solver_type solver,
                           struct phases *out)
{
    struct lcl_span *spans = NULL;
    size_t count = 0;
    double until = 0; // end of all spans before
    int before = METHOD;
    *out = (struct phases){0};
    remove_label(&T->precond);
    remove_label(&T->part);
    remove_label(&T->whole);
    const enum lcl_status st =
        T->ctx ? lcl_trace_end(T->ctx, &spans, &count) : LCL_OK;
    for (size_t k = 0; k < count; ++k) {
        add_wait(out, spans[k].label, before, fmax(spans[k].start - until, 0));
        add_span(out, &spans[k], solver);
        until = fmax(until, spans[k].end);
        before = spans[k].label;
    }
    lcl_free(spans);
    return st;
}

enum lcl_status phases_solve(const struct bench *B, const struct work *w,
                             lcl_solver *S, struct lcl_report *report,
                             struct phases *out)
{
    const struct problem *P = B->problem;
    struct phases_trace T;
    memset(P->x, 0, (size_t)P->A.rows * sizeof *P->x);
    enum lcl_status st = phases_begin(&T, w->A, &w->M->op);
    if (st == LCL_OK)
        st = lcl_solver_solve(S, P->b, P->x, report);
    const enum lcl_status end = phases_end(&T, B->options.solver.type, out);
    return st < 0 || end == LCL_OK ? st : end;
}

double phases_sum(const struct phases *p)
{
    return p->product + p->copies + p->precond + p->communication + p->method +
           p->other + p->between;
}

void phases_maximum(struct phases *out, const struct phases *p)
{
    out->product = fmax(out->product, p->product);
    out->copies = fmax(out->copies, p->copies);
    out->precond = fmax(out->precond, p->precond);
    out->communication = fmax(out->communication, p->communication);
    out->method = fmax(out->method, p->method);
    out->other = fmax(out->other, p->other);
    out->between = fmax(out->between, p->between);
}
