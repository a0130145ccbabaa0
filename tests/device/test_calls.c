// SPDX-License-Identifier: BSD-3-Clause
// Every public function, with NULL for each of its pointers, in a child
// process, and in functions of the caller that the library is calling. The
// table of the functions is made from the headers (tests/api/calls.py).
#include "host/interop.h"
#include "host/runtime.h"
#include "tests/support/device.h"
#include "tests/support/folder.h"
#include "tests/support/matrices.h"

#include <levelcl/levelcl.h>
#include <levelcl/opencl.h>

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 8, FACES = N - 1, BUFFERS = 5, SECONDS = 60, LINE = 200 };

// What calls write.
struct made {
    lcl_context *ctx;
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    lcl_chain *C;
    struct lcl_csr A;
    struct lcl_bsr blocks;
    struct lcl_dense X;
    struct lcl_rows rows;
    struct lcl_kron_data K;
    int32_t *labels;
    struct lcl_precond_params precond;
    struct lcl_solver_params solver;
};

// Arguments of all functions.
struct calls {
    lcl_context *ctx, *other; // NULL: no other
    lcl_operator *op, *kron, *ldu;
    lcl_precond *M;
    lcl_solver *S;
    lcl_chain *C;
    struct lcl_csr A, pairs;
    struct lcl_bsr blocks;
    struct lcl_rows rows;
    struct lcl_kron_data K;
    struct lcl_kron_rows kron_rows;
    struct lcl_layout layout;
    struct lcl_dense nodes, column;
    struct lcl_nullspace null;
    double x[4 * N], y[4 * N], b[N], values[3 * N];
    int32_t labels[N], owner[FACES], neighbour[FACES];
    int64_t block_ptr[N + 1], number;
    int count;
    lcl_buffer *buffer[BUFFERS];
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    struct lcl_array_cl from, to;
    struct lcl_csr_cl csr_cl;
    struct lcl_array_cl array;
    struct lcl_events_cl events;
    cl_event done;
    struct lcl_solve_cl solve;
    lcl_apply_fn *apply;
    lcl_apply_cl_fn *apply_cl;
    struct lcl_allocator allocator;
    struct lcl_batch_params batch;
    struct lcl_context_params context_params;
    struct lcl_log log;
    struct lcl_options options;
    struct lcl_report report;
    struct lcl_read_info read_info;
    struct lcl_exchange_info exchanged;
    struct lcl_link link;
    struct lcl_caps caps;
    struct lcl_estimate estimate;
    lcl_ranks *ranks; // NULL, without MPI
    struct lcl_ranks_rows ranks_rows;
    struct lcl_ranks_failure failure;
    const char *names[N];
    struct lcl_test_folder folder;
    char path[LCL_TEST_PATH], dense_path[LCL_TEST_PATH];
    char text[3][LCL_TEST_PATH], line[LINE];
    struct made made;
    // for functions that the library calls
    int visits, failures;
    bool on_ranks; // products are refused, too
};

struct call {
    const char *name;
    enum lcl_status (*make)(struct calls *F, int without);
    int pointers;
    unsigned optional; // bit k: pointer k may be NULL
    bool status;       // the function returns one; others count as LCL_OK
    bool device;       // it uses a device
    bool opens;        // without an object
};

#include "calls.h"

enum { CALLS = sizeof calls / sizeof *calls };

// ------------------------------------------------------------------- arguments

static enum lcl_status copy(void *user, const double *x, double *y)
{
    (void)user;
    memcpy(y, x, N * sizeof *y);
    return LCL_OK;
}

static enum lcl_status copy_cl(void *user, cl_command_queue queue,
                               const struct lcl_array_cl *x,
                               const struct lcl_array_cl *y)
{
    (void)user;
    return clEnqueueCopyBuffer(queue, x->mem, y->mem, 0, 0, N * sizeof(double),
                               0, NULL, NULL) == CL_SUCCESS
               ? LCL_OK
               : LCL_EDEVICE;
}

// Of a chain of cells.
static void make_layout(struct calls *F)
{
    for (int i = 0; i < N; ++i)
        F->values[i] = 2;
    for (int i = 0; i < FACES; ++i) {
        F->owner[i] = i;
        F->neighbour[i] = i + 1;
        F->values[N + i] = F->values[2 * N + i] = -0.5;
    }
    F->layout = (struct lcl_layout){.type = LCL_LAYOUT_LDU,
                                    .rows = N,
                                    .nnz = FACES,
                                    .row = F->owner,
                                    .col = F->neighbour,
                                    .val = F->values,
                                    .upper = F->values + N,
                                    .lower = F->values + 2 * N};
}

static void make_files(struct calls *F)
{
    static const char *const texts[] = {"0 1 2", "0\n1\n", "1.5 2.5"};
    lcl_test_folder_create(&F->folder);
    lcl_test_path(F->path, &F->folder, "A.mtx");
    lcl_test_path(F->dense_path, &F->folder, "X.mtx");
    assert_int_equal(lcl_csr_write(&F->A, F->path, NULL), LCL_OK);
    assert_int_equal(lcl_dense_write(&F->column, F->dense_path, NULL), LCL_OK);
    for (int k = 0; k < 3; ++k) {
        char name[] = "0.txt";
        name[0] = (char)('0' + k);
        lcl_test_path(F->text[k], &F->folder, name);
        lcl_test_write_file(F->text[k], texts[k], strlen(texts[k]));
    }
}

static void make_cl(struct calls *F)
{
    F->queue = lcl_context_queue(F->ctx);
    assert_int_equal(clGetCommandQueueInfo(F->queue, CL_QUEUE_CONTEXT,
                                           sizeof F->context, &F->context,
                                           NULL),
                     CL_SUCCESS);
    assert_int_equal(clGetCommandQueueInfo(F->queue, CL_QUEUE_DEVICE,
                                           sizeof F->device, &F->device, NULL),
                     CL_SUCCESS);
    const struct lcl_csr *A = &F->A;
    F->buffer[0] = test_upload(F->ctx, A->row_ptr, N + 1, sizeof *A->row_ptr);
    F->buffer[1] = test_upload(F->ctx, A->col_ind, A->nnz, sizeof *A->col_ind);
    F->buffer[2] = test_upload(F->ctx, A->val, A->nnz, sizeof *A->val);
    for (int k = 3; k < BUFFERS; ++k) // of N doubles, without guard bytes
        assert_int_equal(lcl_buffer_create_from(&F->buffer[k], F->ctx, F->b, N,
                                                sizeof *F->b, "a vector"),
                         LCL_OK);
    F->from = (struct lcl_array_cl){lcl_buffer_mem(F->buffer[3]), 0};
    F->to = (struct lcl_array_cl){lcl_buffer_mem(F->buffer[4]), 0};
    F->csr_cl = (struct lcl_csr_cl){N,
                                    N,
                                    A->nnz,
                                    {lcl_buffer_mem(F->buffer[0]), 0},
                                    {lcl_buffer_mem(F->buffer[1]), 0},
                                    {lcl_buffer_mem(F->buffer[2]), 0}};
    F->array = F->csr_cl.val;
    F->solve = (struct lcl_solve_cl){
        .b = F->from, .x = F->to, .events.done = &F->done};
}

static void make_objects(struct calls *F,
                         const struct lcl_solver_params *solver)
{
    F->options.precond.type = LCL_PRECOND_JACOBI;
    F->options.solver = *solver;
    assert_int_equal(lcl_operator_create(&F->op, F->ctx, &F->A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_create_kron(&F->kron, F->ctx, &F->K.K, NULL),
                     LCL_OK);
    assert_int_equal(
        lcl_operator_create_layout(&F->ldu, F->ctx, &F->layout, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&F->M, F->op, &F->options.precond),
                     LCL_OK);
    assert_int_equal(lcl_solver_create(&F->S, F->op, F->M, solver), LCL_OK);
    assert_int_equal(
        lcl_chain_create(&F->C, F->op, &F->options.precond, solver), LCL_OK);
}

static void open_calls(struct calls *F, lcl_context *ctx,
                       const struct lcl_solver_params *solver)
{
    *F = (struct calls){.ctx = ctx, .apply = copy, .apply_cl = copy_cl};
    for (int i = 0; i < N; ++i) {
        F->names[i] = "amg";
        F->block_ptr[i + 1] = i + 1;
        F->b[i] = 1 + i % 3;
    }
    F->column = (struct lcl_dense){N, 1, F->b};
    F->nodes = (struct lcl_dense){2, 3, F->b};
    F->A = test_problem("lap3d:2");
    F->pairs = test_csr_from_dense(2, (const double[]){1, -2, 2, 1});
    assert_int_equal(lcl_bsr_from_csr(&F->blocks, &F->A, 2, NULL), LCL_OK);
    assert_int_equal(lcl_rows_of_csr(&F->rows, &F->A, 0, N, NULL), LCL_OK);
    assert_int_equal(lcl_kron_problem(&F->K, "radau:1,2", NULL), LCL_OK);
    make_layout(F);
    make_files(F);
    make_cl(F);
    make_objects(F, solver);
    lcl_context_set_log_level(ctx, LCL_LOG_NONE); // many calls are refused
}

// What the last call has made.
static void drop_made(struct calls *F)
{
    struct made *m = &F->made;
    if (F->done) {
        clWaitForEvents(1, &F->done);
        clReleaseEvent(F->done);
        F->done = NULL;
    }
    lcl_chain_destroy(&m->C);
    lcl_solver_destroy(&m->S);
    lcl_precond_destroy(&m->M);
    lcl_operator_destroy(&m->op);
    lcl_context_destroy(&m->ctx);
    lcl_csr_finish(&m->A);
    lcl_bsr_finish(&m->blocks);
    lcl_dense_finish(&m->X);
    lcl_rows_finish(&m->rows);
    lcl_kron_data_finish(&m->K);
    lcl_labels_free(&m->labels);
}

static void close_calls(struct calls *F)
{
    lcl_chain_destroy(&F->C);
    lcl_solver_destroy(&F->S);
    lcl_precond_destroy(&F->M);
    lcl_operator_destroy(&F->ldu);
    lcl_operator_destroy(&F->kron);
    lcl_operator_destroy(&F->op);
    for (int k = 0; k < BUFFERS; ++k)
        lcl_buffer_destroy(&F->buffer[k]);
    lcl_csr_finish(&F->A);
    lcl_csr_finish(&F->pairs);
    lcl_bsr_finish(&F->blocks);
    lcl_rows_finish(&F->rows);
    lcl_kron_data_finish(&F->K);
    lcl_test_folder_remove(&F->folder);
    lcl_context_set_log_level(F->ctx, LCL_LOG_WARN);
}

// Those that need a process without memory of the library, MPI, or an operator
// of MPI.
static bool is_refused(const char *name)
{
    return strcmp(name, "lcl_set_allocator") == 0 || strstr(name, "read_mpi") ||
           strcmp(name, "lcl_operator_update_kron_rows") == 0;
}

static bool needs_mpi(const char *name)
{
    return strstr(name, "_mpi") || strstr(name, "ranks") || is_refused(name);
}

// ------------------------------------------------------------------- NULL

static struct calls shared; // with the functions that the library calls

static sigjmp_buf at_abort;

static void jump(int signal)
{
    siglongjmp(at_abort, signal);
}

// In a build with debug-abort, misuse aborts.
static enum lcl_status call_without(struct calls *F, const struct call *c,
                                    int without)
{
    enum lcl_status st = LCL_EINVAL;
    void (*before)(int) = signal(SIGABRT, jump);
    if (sigsetjmp(at_abort, 1) == 0)
        st = c->make(F, without);
    signal(SIGABRT, before);
    return st;
}

static void test_calls__no_pointer_may_be_null_unless_it_is_optional(
    void **state)
{
    const struct lcl_solver_params solver = LCL_SOLVER_PARAMS_INIT;
    struct calls F;
    open_calls(&F, *state, &solver);
    int failures = 0;
    for (int k = 0; k < CALLS; ++k)
        for (int p = 0; p < calls[k].pointers; ++p) {
            const bool may = !calls[k].status || (calls[k].optional >> p & 1 &&
                                                  !needs_mpi(calls[k].name));
            const enum lcl_status st = call_without(&F, &calls[k], p);
            if (may ? st >= 0 : st == LCL_EINVAL)
                drop_made(&F);
            else
                print_error("%s without pointer %d: %s\n", calls[k].name, p,
                            lcl_status_name(st)),
                    ++failures;
        }
    close_calls(&F);
    assert_int_equal(failures, 0);
}

// ------------------------------------------------------------------- fork

// In a child: the number of calls that are wrong.
static int count_wrong_in_child(struct calls *F)
{
    int wrong = 0;
    for (int k = 0; k < CALLS; ++k) {
        const enum lcl_status st = calls[k].make(F, -1);
        if (calls[k].device && !is_refused(calls[k].name) &&
            st != LCL_EPROCESS) {
            print_error("%s in a child: %s\n", calls[k].name,
                        lcl_status_name(st));
            ++wrong;
        }
    }
    lcl_chain_destroy(&F->C);
    lcl_solver_destroy(&F->S);
    lcl_precond_destroy(&F->M);
    lcl_operator_destroy(&F->op);
    lcl_context_destroy(&F->ctx);
    return wrong + (F->C || F->S || F->M || F->op || F->ctx);
}

static void expect_child_refuses(struct calls *F)
{
    int how;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        _exit(count_wrong_in_child(F) != 0);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

static void test_calls__a_child_of_fork_is_refused_at_once(void **state)
{
    const struct lcl_solver_params solver = LCL_SOLVER_PARAMS_INIT;
    struct calls F;
    open_calls(&F, *state, &solver);
    expect_child_refuses(&F);
    assert_int_equal(lcl_solver_solve(F.S, F.b, F.y, NULL), LCL_OK);
    close_calls(&F);
}

// ------------------------------------------------------------------- callbacks

static void expect(struct calls *F, bool holds, const char *what)
{
    if (!holds)
        print_error("in a function that the library calls: %s\n", what);
    F->failures += !holds;
}

static bool is_product(const char *name)
{
    return strncmp(name, "lcl_operator_apply_many", 23) != 0 &&
           !strstr(name, "transpose") &&
           (strncmp(name, "lcl_operator_apply", 18) == 0 ||
            strncmp(name, "lcl_precond_apply", 17) == 0);
}

static void try_to_destroy(struct calls *F)
{
    lcl_chain *C = F->C;
    lcl_solver *S = F->S;
    lcl_precond *M = F->M;
    lcl_operator *op = F->op;
    lcl_context *ctx = F->ctx;
    lcl_chain_destroy(&C);
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    lcl_context_destroy(&ctx);
    expect(F, C == F->C && S == F->S && M == F->M && op == F->op, "destroy");
    expect(F, ctx == F->ctx, "lcl_context_destroy");
}

// Calls all functions that use the device; the results of products stay.
static void call_all(struct calls *F)
{
    double y[4 * N];
    if (F->visits++ > 0)
        return;
    memcpy(y, F->y, sizeof y);
    for (int k = 0; k < CALLS; ++k) {
        const struct call *c = &calls[k];
        const bool allowed = !F->on_ranks && is_product(c->name);
        if (c->device && !c->opens && !is_refused(c->name))
            expect(F, c->make(F, -1) == (allowed ? LCL_OK : LCL_EBUSY),
                   c->name);
    }
    try_to_destroy(F);
    lcl_context_trim(F->ctx);
    if (F->other) {
        lcl_context *other = F->other;
        lcl_context_destroy(&other);
        expect(F, other == F->other && lcl_self_test(other) == LCL_EBUSY,
               "the context of another device");
    }
    memcpy(F->y, y, sizeof y);
}

static bool monitor(void *user, const struct lcl_progress_info *info)
{
    (void)info;
    call_all(user);
    return true;
}

static enum lcl_verdict test(void *user, const struct lcl_progress_info *info)
{
    (void)info;
    call_all(user);
    return LCL_CONTINUE;
}

static enum lcl_status multiply(void *user, const double *x, double *y)
{
    struct calls *F = user;
    call_all(F);
    lcl_csr_multiply(&F->A, x, y);
    return LCL_OK;
}

static const struct lcl_solver_params watched = {
    .type = LCL_SOLVER_CG,
    .monitor = monitor,
    .monitor_user = &shared,
    .test = test,
    .test_user = &shared,
    .monitor_every = 1,
};

// Fails unless functions of the caller were called and have found what they
// expect, and x is the same as when they call nothing.
static void expect_same_solve(struct calls *F, lcl_solver *S, int64_t n)
{
    double *b = test_random_vector(n, 7), *quiet = test_vector(n);
    double *x = test_vector(n);
    F->visits = 1;
    assert_int_equal(lcl_solver_solve(S, b, quiet, NULL), LCL_OK);
    F->visits = F->failures = 0;
    assert_int_equal(lcl_solver_solve(S, b, x, NULL), LCL_OK);
    assert_true(F->visits > 0 && F->failures == 0);
    test_expect_same("x", x, quiet, n);
    free(b);
    free(quiet);
    free(x);
}

static void test_calls__a_monitor_can_apply_operators_only(void **state)
{
    open_calls(&shared, *state, &watched);
    expect_same_solve(&shared, shared.S, N);
    close_calls(&shared);
}

static void test_calls__a_monitor_of_a_kronecker_system_can_do_no_more(
    void **state)
{
    struct lcl_solver_params params = watched;
    lcl_solver *S;
    open_calls(&shared, *state, &watched);
    params.type = LCL_SOLVER_BICGSTAB;
    assert_int_equal(lcl_solver_create(&S, shared.kron, NULL, &params), LCL_OK);
    expect_same_solve(&shared, S, lcl_operator_info(shared.kron)->rows);
    lcl_solver_destroy(&S);
    close_calls(&shared);
}

static void test_calls__a_monitor_on_several_devices_cannot_even_apply(
    void **state)
{
    lcl_context *both[] = {*state, test_context(0)};
    lcl_operator *op;
    lcl_solver *S;
    open_calls(&shared, *state, &watched);
    shared.other = both[1];
    shared.on_ranks = true;
    assert_int_equal(
        lcl_operator_create_distributed(&op, both, 2, &shared.A, NULL), LCL_OK);
    assert_int_equal(lcl_solver_create(&S, op, NULL, &watched), LCL_OK);
    expect_same_solve(&shared, S, N);
    lcl_solver_destroy(&S);
    lcl_operator_destroy(&op);
    close_calls(&shared);
}

static void test_calls__an_operator_can_apply_others_only(void **state)
{
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG};
    lcl_operator *op;
    lcl_solver *S;
    open_calls(&shared, *state, &watched);
    assert_int_equal(
        lcl_operator_create_callback(&op, shared.ctx, N, N, multiply, &shared),
        LCL_OK);
    assert_int_equal(lcl_solver_create(&S, op, NULL, &params), LCL_OK);
    expect_same_solve(&shared, S, N);
    lcl_solver_destroy(&S);
    lcl_operator_destroy(&op);
    close_calls(&shared);
}

static enum lcl_status apply_itself(void *user, const double *x, double *y)
{
    return lcl_operator_apply(*(lcl_operator **)user, x, y);
}

static void test_calls__an_operator_cannot_apply_itself(void **state)
{
    double x[N] = {1}, y[N];
    lcl_operator *op;
    assert_int_equal(
        lcl_operator_create_callback(&op, *state, N, N, apply_itself, &op),
        LCL_OK);
    assert_int_equal(lcl_operator_apply(op, x, y), LCL_EBUSY);
    lcl_operator_destroy(&op);
}

static void test_calls__functions_of_a_chain_can_do_no_more(void **state)
{
    double b[2 * N], x[2 * N] = {0}, quiet[N] = {0};
    open_calls(&shared, *state, &watched);
    for (int i = 0; i < 2 * N; ++i)
        b[i] = 1 + i % 5;
    shared.visits = 1;
    assert_int_equal(lcl_chain_solve(shared.C, b, quiet, NULL), LCL_OK);
    shared.visits = 0;
    assert_int_equal(lcl_chain_solve(shared.C, b, x, NULL), LCL_OK);
    test_expect_same("x", x, quiet, N);
    memset(x, 0, sizeof x);
    shared.visits = 0;
    assert_int_equal(lcl_chain_solve_many(shared.C, b, N, x, N, 2, NULL),
                     LCL_OK);
    test_expect_near("x", x, quiet, N, 1e-6);
    assert_true(shared.visits > 0 && shared.failures == 0);
    close_calls(&shared);
}

static void test_calls__a_monitor_in_the_background_can_do_no_more(void **state)
{
    struct lcl_report report = LCL_REPORT_INIT;
    cl_event end;
    open_calls(&shared, *state, &watched);
    struct lcl_solve_cl solve = shared.solve;
    solve.events.done = &end;
    assert_int_equal(lcl_solver_enqueue_cl(shared.S, &solve, &report), LCL_OK);
    assert_int_equal(clWaitForEvents(1, &end), CL_SUCCESS);
    clReleaseEvent(end);
    lcl_context_trim(shared.ctx); // waits for the thread
    assert_true(report.stop > 0 && shared.visits > 0);
    assert_int_equal(shared.failures, 0);
    close_calls(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_calls__no_pointer_may_be_null_unless_it_is_optional),
        cmocka_unit_test(test_calls__a_child_of_fork_is_refused_at_once),
        cmocka_unit_test(test_calls__a_monitor_can_apply_operators_only),
        cmocka_unit_test(
            test_calls__a_monitor_of_a_kronecker_system_can_do_no_more),
        cmocka_unit_test(
            test_calls__a_monitor_on_several_devices_cannot_even_apply),
        cmocka_unit_test(test_calls__an_operator_can_apply_others_only),
        cmocka_unit_test(test_calls__an_operator_cannot_apply_itself),
        cmocka_unit_test(test_calls__functions_of_a_chain_can_do_no_more),
        cmocka_unit_test(
            test_calls__a_monitor_in_the_background_can_do_no_more),
    };
    return test_device_run(tests);
}
