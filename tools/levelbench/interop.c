// SPDX-License-Identifier: BSD-3-Clause
// Calls on OpenCL buffers of the caller: new values, and a solve that does not
// block.
#include "tools/levelbench/bench.h"

#include "host/clock.h"
#include "host/interop.h"
#include "host/runtime.h"

#include <levelcl/opencl.h>

#include <time.h>

// ------------------------------------------------------------------- values

// Two arrays of values in turn: equal values would not be written.
struct update {
    lcl_operator *A;
    lcl_buffer *val[2];
    int next;
};

static enum lcl_status launch_update(void *arg)
{
    struct update *u = arg;
    const struct lcl_array_cl val = {lcl_buffer_mem(u->val[u->next]), 0};
    u->next = 1 - u->next;
    return lcl_operator_update_cl(u->A, &val, NULL);
}

// The second array has twice the values.
static enum lcl_status make_values(struct update *u, struct bench *B)
{
    const struct lcl_csr *A = &B->problem->A;
    enum lcl_status st = LCL_OK;
    for (int k = 1; k >= 0 && st == LCL_OK; --k) {
        for (int64_t e = 0; e < A->nnz; ++e)
            A->val[e] *= k ? 2 : 0.5;
        st = lcl_buffer_create_from(&u->val[k], B->ctx, A->val, A->nnz,
                                    sizeof *A->val, "values");
    }
    return st;
}

// The least traffic reads and writes each value once.
static enum lcl_status measure_update(struct bench *B, struct update *u)
{
    struct times t;
    const enum lcl_status st = bench_measure(B, launch_update, u, &t);
    if (st < 0)
        return st;
    cJSON *line = bench_line(B, "update", "device");
    bench_add_times(line, B, &t, 16.0 * (double)B->problem->A.nnz);
    bench_print(B, line);
    u->next = 0;
    return launch_update(u);
}

enum lcl_status bench_update(struct bench *B, struct work *w)
{
    struct update u = {.A = w->A};
    enum lcl_status st;
    if (B->problem->K)
        return LCL_OK;
    if ((st = make_values(&u, B)) == LCL_OK &&
        (st = measure_update(B, &u)) == LCL_OK)
        st = lcl_precond_update(w->M);
    lcl_buffer_destroy(&u.val[0]);
    lcl_buffer_destroy(&u.val[1]);
    return st < 0 ? st : LCL_OK;
}

// ------------------------------------------------------------------- solve

struct enqueued {
    lcl_solver *S;
    lcl_buffer *b, *x;
    struct lcl_report report;
    double seconds, call;   // until the event, and of the call
    double thread, process; // CPU time of the calling thread and of all threads
};

static double cpu_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Polls for the end from time to time, like a host with other work: drivers may
// spin in clWaitForEvents().
static void await(cl_event event)
{
    const struct timespec pause = {0, 500000};
    cl_int status = CL_QUEUED;
    while (clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                          sizeof status, &status, NULL) == CL_SUCCESS &&
           status > CL_COMPLETE)
        nanosleep(&pause, NULL);
    clReleaseEvent(event);
}

static enum lcl_status run(struct enqueued *e, lcl_context *ctx)
{
    cl_event done;
    const struct lcl_solve_cl solve = {
        .b = {lcl_buffer_mem(e->b), 0},
        .x = {lcl_buffer_mem(e->x), 0},
        .events = {.done = &done},
    };
    enum lcl_status st;
    if ((st = lcl_buffer_fill(e->x, 0)) < 0 || (st = lcl_context_wait(ctx)) < 0)
        return st;
    const double process = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
    const double thread = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    const double start = lcl_now();
    if ((st = lcl_solver_enqueue_cl(e->S, &solve, &e->report)) < 0)
        return st;
    e->call = lcl_now() - start;
    await(done);
    e->seconds = lcl_now() - start;
    e->thread = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - thread;
    e->process = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - process;
    return LCL_OK;
}

static void print(const struct bench *B, const struct work *w,
                  const struct enqueued *e)
{
    const struct lcl_report *r = &e->report;
    cJSON *line = bench_line(B, "enqueue",
                             lcl_precond_name(lcl_precond_info(w->M)->type));
    cJSON_AddStringToObject(line, "solver",
                            lcl_solver_name(B->options.solver.type));
    cJSON_AddNumberToObject(line, "ms", 1e3 * e->seconds);
    cJSON_AddNumberToObject(line, "iters", r->iterations);
    cJSON_AddStringToObject(line, "stop", lcl_stop_name(r->stop));
    cJSON_AddNumberToObject(line, "call_us", 1e6 * e->call);
    cJSON_AddNumberToObject(line, "host_free", 1 - e->thread / e->seconds);
    cJSON_AddNumberToObject(line, "process_cpu", e->process / e->seconds);
    bench_print(B, line);
}

// Measures the second of two solves.
enum lcl_status bench_enqueue(struct bench *B, const struct work *w)
{
    const struct problem *P = B->problem;
    struct enqueued e = {.S = NULL};
    const int64_t n = lcl_operator_info(w->A)->rows;
    enum lcl_status st;
    if ((st = lcl_solver_create(&e.S, w->A, w->M, &B->options.solver)) < 0 ||
        (st = lcl_buffer_create_from(&e.b, B->ctx, P->b, n, sizeof *P->b,
                                     "b")) < 0 ||
        (st = lcl_buffer_create(&e.x, B->ctx, n, sizeof *P->x, "x")) < 0)
        goto out;
    if ((st = run(&e, B->ctx)) == LCL_OK && (st = run(&e, B->ctx)) == LCL_OK)
        print(B, w, &e);
out:
    lcl_buffer_destroy(&e.x);
    lcl_buffer_destroy(&e.b);
    lcl_solver_destroy(&e.S);
    return st;
}
