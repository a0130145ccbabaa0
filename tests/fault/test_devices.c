// SPDX-License-Identifier: BSD-3-Clause
// Missing devices, devices that lack a feature, and devices with wrong results:
// one message and a status, never a crash.
#include "tests/support/capture.h"
#include "tests/support/child.h"
#include "tests/support/fake_cl.h"
#include "tests/support/folder.h"
#include "tests/support/job.h"
#include "tests/support/test.h"

#include <levelcl/context.h>
#include <levelcl/published.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program;

static int reset(void **state)
{
    (void)state;
    fake_cl = (struct fake_cl){0};
    unsetenv("LEVELCL_WIDTH");
    unsetenv("LEVELCL_EXCHANGE");
    return 0;
}

// Expects the job to end with `status` and a message that contains `part`.
static void expect_job(const struct lcl_context_params *params,
                       enum lcl_status status, const char *part)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    struct test_job job = {.context = *params, .api = &fake_cl_api};
    job.context.log = capture.log;
    job.context.no_cache = true;
    const enum lcl_status st = test_job_run(&job);
    if (st != status)
        fail_msg("got %s, \"%s\"; expected %s", lcl_status_name(st),
                 capture.last, lcl_status_name(status));
    if (part)
        test_capture_expect(&capture, part);
    assert_int_equal(fake_cl.objects, 0);
}

static void with_value(cl_device_info what, cl_ulong value)
{
    fake_cl = (struct fake_cl){.device_info = {{what, value}}};
}

// ------------------------------------------------------------------- choice

// Runs in a process of its own, whose loader has not looked for drivers yet.
static int run_without_platform(void)
{
    struct test_capture capture;
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    unsetenv("OCL_ICD_FILENAMES"); // drivers without a folder
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_context_params params = {.log = capture.log};
    lcl_context *ctx;
    const enum lcl_status st = lcl_context_create(&ctx, &params);
    if (st == LCL_ENODEVICE && !ctx &&
        strstr(capture.last, "no OpenCL platform is installed"))
        return 0;
    print_error("%s: \"%s\"\n", lcl_status_name(st), capture.last);
    return 1;
}

static void test_devices__no_platform_is_one_sentence(void **state)
{
    (void)state;
    const char *const args[] = {program, "no-platform", NULL};
    const pid_t child = test_child_start(args);
    assert_int_equal(test_child_wait(child), 0);
}

static void test_devices__chosen_by_number_or_part_of_the_name(void **state)
{
    (void)state;
    struct lcl_caps caps;
    assert_int_equal(lcl_device_caps(&caps, 0, NULL), LCL_OK);
    const size_t length = strlen(caps.name), from = length / 3;
    caps.name[length - length / 3] = '\0';
    expect_job(&(struct lcl_context_params){.device = "0"}, LCL_OK, NULL);
    expect_job(&(struct lcl_context_params){.device = caps.name + from}, LCL_OK,
               NULL);
    expect_job(&(struct lcl_context_params){.device = ""}, LCL_OK, NULL);
}

static void test_devices__a_wrong_choice_lists_what_is_there(void **state)
{
    (void)state;
    static const char *const wrong[] = {"99", "-1", "no such thing",
                                        "99999999999999999999"};
    struct lcl_caps caps;
    assert_int_equal(lcl_device_caps(&caps, 0, NULL), LCL_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        expect_job(&(struct lcl_context_params){.device = wrong[i]},
                   LCL_ENODEVICE, caps.name);
}

static void test_devices__a_number_past_the_end_has_no_caps(void **state)
{
    (void)state;
    struct lcl_caps caps;
    int count;
    assert_int_equal(lcl_device_count(&count, NULL), LCL_OK);
    assert_int_equal(lcl_device_caps(&caps, count, NULL), LCL_ENODEVICE);
    assert_int_equal(lcl_device_caps(&caps, -1, NULL), LCL_ENODEVICE);
}

// ------------------------------------------------------------------- limits

static void test_devices__no_double_precision_is_unsupported(void **state)
{
    (void)state;
    with_value(CL_DEVICE_DOUBLE_FP_CONFIG, 0);
    expect_job(&(struct lcl_context_params){0}, LCL_EUNSUPPORTED,
               "no double precision");
}

static void test_devices__too_little_local_memory_is_a_range_error(void **state)
{
    (void)state;
    static const cl_ulong bytes[] = {256, 32, 8, 0};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i) {
        with_value(CL_DEVICE_LOCAL_MEM_SIZE, bytes[i]);
        // the trial on NVIDIA's devices would find what they have
        fake_cl.edit.from = "#define LOCAL_DOUBLES ";
        fake_cl.edit.to = "#define LOCAL_DOUBLEX ";
        expect_job(&(struct lcl_context_params){.width = 4}, LCL_ERANGE,
                   "local memory");
    }
}

static void test_devices__small_groups_are_enough_or_refused(void **state)
{
    (void)state;
    with_value(CL_DEVICE_MAX_WORK_GROUP_SIZE, 8);
    expect_job(&(struct lcl_context_params){.width = 4}, LCL_OK, NULL);
    expect_job(&(struct lcl_context_params){.width = 64}, LCL_ERANGE,
               "work-items");
}

static void test_devices__small_buffers_are_too_little_memory(void **state)
{
    (void)state;
    with_value(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 64);
    expect_job(&(struct lcl_context_params){0}, LCL_EDEVMEM, ", 64 bytes");
}

// ------------------------------------------------------------------- forcing

static void test_devices__a_wrong_width_is_refused(void **state)
{
    (void)state;
    static const int wrong[] = {3, 2048, -1, 6};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        expect_job(&(struct lcl_context_params){.width = wrong[i]}, LCL_EINVAL,
                   "expected a power of two from 1 to 1024");
}

static void test_devices__an_exchange_has_to_go_with_the_width(void **state)
{
    (void)state;
    static const struct lcl_context_params wrong[] = {
        {.width = 1, .exchange = LCL_EXCHANGE_LOCAL},
        {.width = 4, .exchange = LCL_EXCHANGE_NONE},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        expect_job(&wrong[i], LCL_EINVAL, "does not work with wave width");
}

static void test_devices__rubbish_in_the_environment_is_refused(void **state)
{
    (void)state;
    static const char *const widths[] = {
        "5", "x", "0", "-4", "4x", "2048", "99999999999999999999"};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
        setenv("LEVELCL_WIDTH", widths[i], 1);
        expect_job(&(struct lcl_context_params){0}, LCL_EINVAL,
                   "expected a power of two");
    }
    unsetenv("LEVELCL_WIDTH");
    setenv("LEVELCL_EXCHANGE", "shout", 1);
    expect_job(&(struct lcl_context_params){0}, LCL_EINVAL,
               "LEVELCL_EXCHANGE=shout: expected auto, none, local");
}

static void test_devices__the_environment_forces_and_params_win(void **state)
{
    (void)state;
    setenv("LEVELCL_WIDTH", "4", 1);
    setenv("LEVELCL_EXCHANGE", "local", 1);
    expect_job(&(struct lcl_context_params){0}, LCL_OK, NULL);
    setenv("LEVELCL_WIDTH", "3", 1);
    setenv("LEVELCL_EXCHANGE", "", 1);
    expect_job(&(struct lcl_context_params){.width = 1}, LCL_OK, NULL);
}

// ------------------------------------------------------------------- rubbish

static void test_devices__a_wrong_device_fails_its_self_test(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {0x00, 0x01, 0x3f, 0x7f, 0xff};
    for (size_t i = 0; i < sizeof bytes; ++i) {
        struct test_capture capture;
        test_capture_init(&capture, LCL_LOG_ERROR);
        const struct lcl_context_params params = {.no_cache = true,
                                                  .log = capture.log};
        lcl_context *ctx;
        fake_cl = (struct fake_cl){0};
        assert_int_equal(lcl_runtime_create(&ctx, &params, &fake_cl_api),
                         LCL_OK);
        fake_cl.spoil = true;
        fake_cl.spoiled = bytes[i];
        assert_int_equal(lcl_self_test(ctx), LCL_ESELFTEST);
        test_capture_expect(&capture, "failed the self-test and is refused");
        lcl_context_destroy(&ctx);
        assert_int_equal(fake_cl.objects, 0);
    }
}

static void test_devices__no_context_fails_the_self_test(void **state)
{
    (void)state;
    assert_int_equal(lcl_self_test(NULL), LCL_EINVAL);
}

static void expect_proven(const struct lcl_context_params *params, bool proven,
                          int builds)
{
    lcl_context *ctx;
    fake_cl.objects = 0;
    assert_int_equal(lcl_runtime_create(&ctx, params, &fake_cl_api), LCL_OK);
    const struct lcl_build_info made = lcl_context_builds(ctx);
    assert_int_equal(lcl_context_proven(ctx), proven);
    if (builds >= 0)
        assert_int_equal(made.compiled + made.from_cache, builds);
    lcl_context_destroy(&ctx);
    assert_int_equal(fake_cl.objects, 0);
}

static void test_devices__a_proof_is_kept_for_device_and_driver(void **state)
{
    (void)state;
    struct lcl_test_folder cache;
    lcl_context *ctx;
    lcl_test_folder_create(&cache);
    const struct lcl_context_params params = {.cache_dir = cache.path};
    expect_proven(&params, false, -1);
    assert_int_equal(lcl_runtime_create(&ctx, &params, &fake_cl_api), LCL_OK);
    lcl_context_note_proven(ctx);
    lcl_context_destroy(&ctx);
    expect_proven(&params, true, 0);
    fake_cl.driver_version = "another";
    expect_proven(&params, false, -1);
    lcl_test_folder_remove(&cache);
}

// What a context is forced to must not become what the probe found.
static void test_devices__a_forced_width_leaves_the_probe_alone(void **state)
{
    (void)state;
    struct lcl_test_folder cache;
    lcl_context *ctx;
    lcl_test_folder_create(&cache);
    const struct lcl_context_params plain = {.cache_dir = cache.path};
    struct lcl_context_params forced = plain;
    assert_int_equal(lcl_runtime_create(&ctx, &plain, &fake_cl_api), LCL_OK);
    const struct lcl_caps found = *lcl_context_caps(ctx);
    forced.width = found.width == 4 ? 2 : 4;
    lcl_context_destroy(&ctx);
    assert_int_equal(lcl_runtime_create(&ctx, &forced, &fake_cl_api), LCL_OK);
    lcl_context_note_proven(ctx);
    lcl_context_destroy(&ctx);
    assert_int_equal(lcl_runtime_create(&ctx, &plain, &fake_cl_api), LCL_OK);
    assert_true(lcl_context_proven(ctx));
    assert_memory_equal(lcl_context_caps(ctx), &found, sizeof found);
    lcl_context_destroy(&ctx);
    lcl_test_folder_remove(&cache);
}

// ------------------------------------------------------------------- warnings

// NVIDIA's compiler marks some functions noinline and then remarks that they
// are kernels (580, the products of sliced.cl, which ask for nothing).
static bool warns(const char *log)
{
    while (*log) {
        const size_t length = strcspn(log, "\n");
        const char *own = strstr(log, "overriding noinline attribute");
        if (strspn(log, " ") < length && !(own && own < log + length))
            return true;
        log += length + (log[length] == '\n');
    }
    return false;
}

// Runs in a process with an empty compiler cache, since only a compilation
// produces warnings.
static int run_all_kernels(void)
{
    static const struct lcl_precond_params preconds[] = {
        {.type = LCL_PRECOND_ILDU0},
        {.type = LCL_PRECOND_ILU0},
        {.type = LCL_PRECOND_JACOBI},
        {.trisolve = LCL_TRISOLVE_DAG_VC_ILDU0_FUSED},
    };
    for (size_t i = 0; i < sizeof preconds / sizeof *preconds; ++i)
        for (int width = 1; width <= 4; width *= 4) {
            struct test_job job = {
                .context = {.width = width, .no_cache = true},
                .op = {.spmv = i == 0 ? LCL_SPMV_SLICED : LCL_SPMV_DEFAULT},
                .precond = preconds[i],
                .api = &fake_cl_api};
            if (test_job_run(&job) != LCL_OK || warns(fake_cl.build_log)) {
                print_error("%s", fake_cl.build_log);
                return 1;
            }
        }
    return 0;
}

static void test_devices__kernels_compile_without_a_warning(void **state)
{
    (void)state;
    struct lcl_test_folder empty;
    const char *const args[] = {program, "kernels", NULL};
    lcl_test_folder_create(&empty);
    setenv("POCL_CACHE_DIR", empty.path, 1);
    setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 1); // warns, too
    const pid_t child = test_child_start(args);
    unsetenv("POCL_EXTRA_BUILD_FLAGS");
    unsetenv("POCL_CACHE_DIR");
    assert_int_equal(test_child_wait(child), 0);
    lcl_test_folder_remove(&empty);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_devices__no_platform_is_one_sentence,
                               reset),
        cmocka_unit_test_setup(
            test_devices__chosen_by_number_or_part_of_the_name, reset),
        cmocka_unit_test_setup(test_devices__a_wrong_choice_lists_what_is_there,
                               reset),
        cmocka_unit_test_setup(test_devices__a_number_past_the_end_has_no_caps,
                               reset),
        cmocka_unit_test_setup(test_devices__no_double_precision_is_unsupported,
                               reset),
        cmocka_unit_test_setup(
            test_devices__too_little_local_memory_is_a_range_error, reset),
        cmocka_unit_test_setup(test_devices__small_groups_are_enough_or_refused,
                               reset),
        cmocka_unit_test_setup(
            test_devices__small_buffers_are_too_little_memory, reset),
        cmocka_unit_test_setup(test_devices__a_wrong_width_is_refused, reset),
        cmocka_unit_test_setup(
            test_devices__an_exchange_has_to_go_with_the_width, reset),
        cmocka_unit_test_setup(
            test_devices__rubbish_in_the_environment_is_refused, reset),
        cmocka_unit_test_setup(
            test_devices__the_environment_forces_and_params_win, reset),
        cmocka_unit_test(test_devices__no_context_fails_the_self_test),
        cmocka_unit_test_setup(test_devices__a_wrong_device_fails_its_self_test,
                               reset),
        cmocka_unit_test_setup(
            test_devices__a_proof_is_kept_for_device_and_driver, reset),
        cmocka_unit_test_setup(
            test_devices__a_forced_width_leaves_the_probe_alone, reset),
        cmocka_unit_test_setup(test_devices__kernels_compile_without_a_warning,
                               reset),
    };
    program = argv[0];
    if (argc > 1)
        return strcmp(argv[1], "kernels") == 0 ? run_all_kernels()
                                               : run_without_platform();
    setenv("LEVELCL_POOL", "0", 1); // each object counts, on GPUs too
    return cmocka_run_group_tests(tests, test_device_setup, NULL);
}
