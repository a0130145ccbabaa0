// SPDX-License-Identifier: BSD-3-Clause
// The kernels that helpers compile ahead (host/forecast.h) are those that the
// self-test and default solves launch on PoCL.
#include "host/caps.h"
#include "host/forecast.h"
#include "host/helper.h"
#include "host/runtime.h"
#include "host/source.h"
#include "tests/support/job.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include <levelcl/chain.h>
#include <levelcl/context.h>

#include <stdlib.h>
#include <string.h>

enum { LAUNCHED = 256, ENTRIES = 256, UNUSED = 16 };

// Kernels by the text of their programs.
static struct launched {
    cl_program program;
    char name[64];
} launched[LAUNCHED];
static int launched_count;

static cl_int note_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dim,
                          const size_t *offset, const size_t *global,
                          const size_t *local, cl_uint count,
                          const cl_event *waits, cl_event *event)
{
    struct launched *L = &launched[launched_count];
    bool known = false;
    assert_true(launched_count < LAUNCHED);
    clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof L->program, &L->program,
                    NULL);
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof L->name, L->name,
                    NULL);
    for (int i = 0; i < launched_count; ++i)
        known |= launched[i].program == L->program &&
                 strcmp(launched[i].name, L->name) == 0;
    launched_count += !known;
    return clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local,
                                  count, waits, event);
}

// ---------------------------------------------------------------- entries

static struct entry {
    struct lcl_forecast_entry entry;
    char *text; // of the program
    const char *name;
    bool is_launched; // by some solve
} entries[ENTRIES];
static int entry_count;

static bool add_entry(void *arg, const struct lcl_forecast_entry *entry)
{
    struct lcl_spec spec;
    (void)arg;
    assert_true(entry_count < ENTRIES);
    assert_true(lcl_forecast_spec(&spec, entry));
    lcl_source_drop_defaults(&spec);
    lcl_source_bundle(&spec);
    entries[entry_count++] = (struct entry){
        .entry = *entry,
        .text = lcl_program_source(&spec),
        .name = spec.kernel,
    };
    return true;
}

static struct entry *find_entry(const char *text, const char *name)
{
    for (int i = 0; i < entry_count; ++i)
        if (strcmp(entries[i].name, name) == 0 &&
            strcmp(entries[i].text, text) == 0)
            return &entries[i];
    return NULL;
}

// All with this name, as several programs announce the same kernel.
static void mark(const struct entry *found)
{
    for (int i = 0; i < entry_count; ++i)
        entries[i].is_launched |= strcmp(entries[i].name, found->name) == 0 &&
                                  strcmp(entries[i].text, found->text) == 0;
}

// Dot products fused into a product: of CSR or of slices, whichever has been
// measured to be faster.
static bool is_measured(const char *name)
{
    return strncmp(name, "csr_dot", 7) == 0 ||
           strncmp(name, "sliced_dot", 10) == 0;
}

// Number of launched kernels that no entry has.
static int match(const char *problem)
{
    static char text[1 << 20];
    int missing = 0;
    for (int i = 0; i < launched_count; ++i) {
        assert_int_equal(clGetProgramInfo(launched[i].program,
                                          CL_PROGRAM_SOURCE, sizeof text, text,
                                          NULL),
                         CL_SUCCESS);
        const struct entry *entry = find_entry(text, launched[i].name);
        const bool lacks = !entry && !is_measured(launched[i].name);
        if (entry)
            mark(entry);
        if (lacks)
            print_error("%s: %s is not announced\n", problem, launched[i].name);
        missing += lacks;
    }
    return missing;
}

// ---------------------------------------------------------------- solves

// The last compilation of a context.
static void note_compilation(void *user, const struct lcl_compile_info *info)
{
    *(struct lcl_compile_info *)user = *info;
}

static lcl_context *open_context(struct lcl_compile_info *last)
{
    static struct lcl_cl_api api;
    const struct lcl_context_params params = {
        .no_cache = true,
        .compiling = note_compilation,
        .compiling_user = last,
        .width = 1,
    };
    lcl_context *ctx;
    api = lcl_cl_loader;
    api.clEnqueueNDRangeKernel = note_launch;
    launched_count = 0;
    assert_int_equal(lcl_runtime_create(&ctx, &params, &api), LCL_OK);
    return ctx;
}

static void solve(lcl_context *ctx, const char *problem)
{
    struct lcl_csr A = test_problem(problem);
    lcl_operator *op;
    lcl_chain *chain;
    double *b = malloc((size_t)A.rows * sizeof *b);
    double *x = calloc((size_t)A.rows, sizeof *x);
    for (int64_t i = 0; i < A.rows; ++i)
        b[i] = 1 + (double)(i % 7);
    assert_int_equal(lcl_operator_create(&op, ctx, &A, NULL), LCL_OK);
    assert_int_equal(lcl_chain_create(&chain, op, NULL, NULL), LCL_OK);
    assert_true(lcl_chain_solve(chain, b, x, NULL) >= 0);
    lcl_chain_destroy(&chain);
    lcl_operator_destroy(&op);
    lcl_csr_finish(&A);
    free(x);
    free(b);
}

static void begin_entries(void)
{
    static const char *const scalar[] = {"solve.cl", "levels.cl",
                                         "symbolic.cl"};
    for (size_t i = 0; i < sizeof scalar / sizeof *scalar; ++i)
        lcl_forecast_each(scalar[i], 1, add_entry, NULL);
    lcl_forecast_each("blocks.cl", 3, add_entry, NULL);
}

static void test_forecast__default_solves_launch_these_kernels(void **state)
{
    static const char *const problems[] = {"lap3d:40", "convdiff:32,1",
                                           "elasticity:12", "blackoil:12"};
    int missing = 0, idle = 0;
    (void)state;
    begin_entries();
    for (size_t p = 0; p < sizeof problems / sizeof *problems; ++p) {
        struct lcl_compile_info last = {0};
        lcl_context *ctx = open_context(&last);
        if (!lcl_caps_is_pocl(lcl_context_caps(ctx)))
            skip();
        if (p == 0)
            assert_int_equal(lcl_self_test(ctx), LCL_OK);
        solve(ctx, problems[p]);
        missing += match(problems[p]);
        // some forecasts are of another solve
        assert_in_range(last.expected - last.number, 0, UNUSED);
        lcl_context_destroy(&ctx);
    }
    for (int i = 0; i < entry_count; ++i) {
        const bool rests =
            !entries[i].is_launched && !is_measured(entries[i].name);
        if (rests)
            print_error("%s is announced and never launched\n",
                        entries[i].name);
        idle += rests;
        free(entries[i].text);
    }
    assert_int_equal(missing, 0);
    assert_int_equal(idle, 0);
}

static void test_forecast__entries_out_of_range_are_refused(void **state)
{
    static const struct lcl_forecast_entry wrong[] = {
        {-1, 0, 1}, {1000, 0, 1}, {0, -1, 1}, {0, 1000, 1}, {0, 0, 0}};
    struct lcl_spec spec;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        assert_false(lcl_forecast_spec(&spec, &wrong[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forecast__entries_out_of_range_are_refused),
        cmocka_unit_test(test_forecast__default_solves_launch_these_kernels),
    };
    test_need_device();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
