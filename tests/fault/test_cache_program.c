// SPDX-License-Identifier: BSD-3-Clause
// Kernels in the disk cache, tested through contexts: the library uses valid
// files, rebuilds damaged, stale or rejected ones, and warns the user only
// about problems that recur in each process.
// usage: PROGRAM, or PROGRAM FOLDER to read the folder as nobody.
#include "host/program.h"
#include "host/source.h"
#include "tests/support/capture.h"
#include "tests/support/child.h"
#include "tests/support/fake_cl.h"
#include "tests/support/folder.h"
#include "tests/support/job.h"
#include "tests/support/kept_programs.h"
#include "tests/support/test.h"

#include <levelcl/version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct lcl_test_folder cache;
static struct lcl_test_list files;
static const char *program;

static int need_device(void **state)
{
    (void)state;
    test_need_device();
    setenv("LEVELCL_STORE", "", 1);
    kept_programs_start();
    return 0;
}

// Runs the job on the cache folder. Expects `warnings` warnings that name the
// folder.
static struct lcl_build_info run_warned(const char *dir, int warnings)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_WARN);
    struct test_job job = {
        .context = {.cache_dir = dir, .width = 1, .log = capture.log},
        .api = &fake_cl_api,
    };
    const enum lcl_status st = test_job_run(&job);
    if (st != LCL_OK || capture.messages != warnings)
        fail_msg("%s, %d messages, \"%s\"", lcl_status_name(st),
                 capture.messages, capture.last);
    if (warnings > 0)
        test_capture_expect(&capture, dir);
    test_job_expect_solved(job.x);
    assert_int_equal(fake_cl.objects, 0);
    return job.builds;
}

// Expects no warning.
static struct lcl_build_info run(const char *dir)
{
    return run_warned(dir, 0);
}

static int warm_up(void **state)
{
    (void)state;
    fake_cl = (struct fake_cl){0};
    lcl_test_folder_create(&cache);
    assert_true(run(cache.path).compiled > 0);
    lcl_test_folder_list(&files, &cache);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    lcl_test_folder_remove(&cache);
    return 0;
}

static void expect_warm(void)
{
    const struct lcl_build_info builds = run(cache.path);
    assert_int_equal(builds.compiled, 0);
    assert_true(builds.from_cache > 0);
}

// Expects that the job rebuilds a kernel and that the next run finds it.
static void expect_mended(void)
{
    assert_true(run(cache.path).compiled > 0);
    expect_warm();
}

struct announced {
    int count;
    bool in_order, kept;
};

static void note_compilation(void *user, const struct lcl_compile_info *info)
{
    struct announced *all = user;
    all->in_order &= info->number == ++all->count && info->seconds >= 0;
    all->kept = info->kept;
}

// Expects one call for each program, and on a CPU others for its kernels.
static void expect_announced(const struct lcl_context_params *params, bool kept)
{
    struct announced all = {.in_order = true};
    struct test_job job = {.context = *params, .api = &fake_cl_api};
    job.context.compiling = note_compilation;
    job.context.compiling_user = &all;
    assert_int_equal(test_job_run(&job), LCL_OK);
    assert_true(all.in_order);
    assert_in_range(all.count, job.builds.compiled, 1000);
    assert_true(job.builds.compiled > 0);
    assert_int_equal(all.kept, kept);
    assert_int_equal(job.builds.kept, kept);
}

static void test_cache_program__compilations_are_announced(void **state)
{
    (void)state;
    struct lcl_test_folder empty;
    lcl_test_folder_create(&empty);
    expect_announced(&(struct lcl_context_params){.no_cache = true}, false);
    expect_announced(&(struct lcl_context_params){.cache_dir = empty.path},
                     true);
    expect_announced(&(struct lcl_context_params){.cache_dir = "/dev/null/x"},
                     false);
    lcl_test_folder_remove(&empty);
}

static void test_cache_program__second_context_compiles_nothing(void **state)
{
    (void)state;
    expect_warm();
}

static void spoil_each_file(void (*spoil)(const char *path, char *bytes,
                                          size_t size))
{
    for (int i = 0; i < files.count; ++i) {
        size_t size;
        char *bytes = lcl_test_read_file(files.path[i], &size);
        spoil(files.path[i], bytes, size);
        free(bytes);
    }
}

static void truncate_file(const char *path, char *bytes, size_t size)
{
    lcl_test_write_file(path, bytes, size / 2);
}

static void empty_file(const char *path, char *bytes, size_t size)
{
    (void)size;
    lcl_test_write_file(path, bytes, 0);
}

static void flip_last_byte(const char *path, char *bytes, size_t size)
{
    bytes[size - 1] ^= 1;
    lcl_test_write_file(path, bytes, size);
}

// A file that another program might have written there.
static void write_rubbish(const char *path, char *bytes, size_t size)
{
    memset(bytes, 'x', size);
    lcl_test_write_file(path, bytes, size);
}

static void test_cache_program__spoilt_files_are_built_anew(void **state)
{
    (void)state;
    spoil_each_file(truncate_file);
    expect_mended();
    spoil_each_file(flip_last_byte);
    expect_mended();
    spoil_each_file(empty_file);
    expect_mended();
    spoil_each_file(write_rubbish);
    expect_mended();
}

// A valid file of one program under the name of another.
static void test_cache_program__foreign_files_are_built_anew(void **state)
{
    (void)state;
    size_t size;
    char *bytes = lcl_test_read_file(files.path[0], &size);
    for (int i = 1; i < files.count; ++i)
        lcl_test_write_file(files.path[i], bytes, size);
    free(bytes);
    expect_mended();
}

static void test_cache_program__another_driver_finds_nothing(void **state)
{
    (void)state;
    fake_cl.driver_version = "another";
    assert_int_equal(run(cache.path).from_cache, 0);
    expect_warm();
    fake_cl.driver_version = NULL;
    expect_warm();
}

// The key is stored as text, so the test can read its contents.
static bool some_key_contains(const char *part)
{
    bool found = false;
    for (int i = 0; i < files.count && !found; ++i) {
        size_t size;
        char *bytes = lcl_test_read_file(files.path[i], &size);
        const size_t length = strlen(part);
        for (size_t at = 0; at + length <= size && !found; ++at)
            found = memcmp(bytes + at, part, length) == 0;
        free(bytes);
    }
    return found;
}

static void test_cache_program__key_covers_library_and_sources(void **state)
{
    (void)state;
    const struct lcl_spec spec = {.source = "packed_serial.cl",
                                  .kernel = "packed"};
    char *source = lcl_program_source(&spec);
    assert_non_null(source);
    assert_true(some_key_contains("levelcl " LCL_VERSION "\n"));
    assert_true(some_key_contains("options -cl-std="));
    assert_true(some_key_contains("#define LCL_WIDTH 1\n"));
    assert_true(some_key_contains(strstr(source, "#line 1 \"wave.cl.h\"")));
    free(source);
}

static void test_cache_program__a_refused_binary_is_built_anew(void **state)
{
    (void)state;
    fake_cl = (struct fake_cl){.function = FAKE_clCreateProgramWithBinary,
                               .fail_at = 1,
                               .code = CL_INVALID_BINARY};
    assert_int_equal(run(cache.path).compiled, 1);
    assert_true(fake_cl.failed);
    expect_warm();
}

static void test_cache_program__an_unbuildable_binary_is_built_anew(
    void **state)
{
    (void)state;
    fake_cl = (struct fake_cl){.function = FAKE_clBuildProgram,
                               .fail_at = 1,
                               .code = CL_BUILD_PROGRAM_FAILURE};
    assert_int_equal(run(cache.path).compiled, 1);
    assert_true(fake_cl.failed);
    expect_warm();
}

// A folder that cannot be created stands for one that is not writable: root can
// write everywhere except below a file.
// With the folder of the test as the store of the installation.
static struct lcl_build_info run_with_store(const char *own)
{
    setenv("LEVELCL_STORE", cache.path, 1);
    const struct lcl_build_info builds = run(own);
    setenv("LEVELCL_STORE", "", 1);
    return builds;
}

static void test_cache_program__a_store_serves_a_first_start(void **state)
{
    (void)state;
    struct lcl_test_folder own;
    lcl_test_folder_create(&own);
    const struct lcl_build_info builds = run_with_store(own.path);
    assert_int_equal(builds.compiled, 0);
    assert_true(builds.from_cache > 0);
    assert_int_equal(lcl_test_folder_count(&own), 0);
    lcl_test_folder_remove(&own);
}

static void test_cache_program__a_refused_store_is_not_used(void **state)
{
    (void)state;
    struct lcl_test_folder own;
    lcl_test_folder_create(&own);
    fake_cl = (struct fake_cl){.function = FAKE_clCreateProgramWithBinary,
                               .fail_at = 1,
                               .code = CL_INVALID_BINARY};
    assert_true(run_with_store(own.path).compiled > 0);
    assert_true(fake_cl.failed);
    assert_true(lcl_test_folder_count(&own) > 0);
    lcl_test_folder_remove(&own);
    expect_warm();
}

static void test_cache_program__works_without_a_folder(void **state)
{
    (void)state;
    const char *const impossible[] = {files.path[0], "/proc/levelcl"};
    for (int i = 0; i < 2; ++i) {
        const struct lcl_build_info builds = run_warned(impossible[i], 1);
        assert_true(builds.compiled > 0 && builds.from_cache == 0);
    }
}

// If other users can write there, one of them could have planted a program.
static void test_cache_program__a_folder_of_everybody_is_not_used(void **state)
{
    (void)state;
    assert_int_equal(chmod(cache.path, 0777), 0);
    const struct lcl_build_info builds = run_warned(cache.path, 1);
    assert_true(builds.compiled > 0 && builds.from_cache == 0);
    assert_int_equal(chmod(cache.path, 0700), 0);
    expect_warm();
}

// The version of PoCL; 0: another platform.
static int run_on_pocl(const char *dir, struct lcl_build_info *builds)
{
    fake_cl = (struct fake_cl){.real_platform = true};
    struct test_job job = {.context = {.cache_dir = dir}, .api = &fake_cl_api};
    assert_int_equal(test_job_run(&job), LCL_OK);
    *builds = job.builds;
    return strcmp(job.caps.platform, "Portable Computing Language") == 0
               ? atoi(job.caps.driver)
               : 0;
}

// It keeps what it compiles: levelcl asks for no binaries.
static void test_cache_program__pocl_is_asked_for_no_binaries(void **state)
{
    (void)state;
    struct lcl_test_folder folder;
    struct lcl_build_info builds;
    lcl_test_folder_create(&folder);
    for (int turn = 0; turn < 2; ++turn) {
        const bool pocl = run_on_pocl(folder.path, &builds) > 0;
        const bool asked = fake_cl.calls[FAKE_clGetProgramInfo] > 0;
        assert_int_equal(asked, !pocl && turn == 0);
        assert_int_equal(builds.from_cache > 0, !pocl && turn == 1);
    }
    lcl_test_folder_remove(&folder);
}

// Creates a context that gets one kernel.
static bool get_kernel(const struct lcl_context_params *params,
                       struct lcl_build_info *builds)
{
    const struct lcl_spec spec = {
        .source = "vector.cl", .kernel = "gather", .group = 1};
    lcl_context *ctx;
    lcl_kernel *kernel;
    if (lcl_runtime_create(&ctx, params, &fake_cl_api) < 0)
        return false;
    const bool got = lcl_kernel_get(&kernel, ctx, &spec) == LCL_OK;
    *builds = lcl_context_builds(ctx);
    lcl_context_destroy(&ctx);
    return got;
}

// Runs as nobody in a separate process.
static int read_read_only(const char *path)
{
    struct test_capture capture;
    char kernels[LCL_TEST_PATH];
    snprintf(kernels, sizeof kernels, "%s/pocl", path);
    setenv("POCL_CACHE_DIR", kernels, 1);
    test_capture_init(&capture, LCL_LOG_WARN);
    const struct lcl_context_params params = {.cache_dir = path,
                                              .log = capture.log};
    struct lcl_build_info builds;
    if (!test_become_nobody() || mkdir(kernels, 0700) != 0 ||
        !get_kernel(&params, &builds) || chmod(path, 0500) != 0 ||
        !get_kernel(&params, &builds) || chmod(path, 0700) != 0)
        return 2;
    return builds.compiled > 0 || builds.from_cache == 0 ||
           capture.messages > 0;
}

static void test_cache_program__reads_a_read_only_folder(void **state)
{
    (void)state;
    struct lcl_test_folder folder;
    lcl_test_folder_create(&folder);
    test_give_to_nobody(folder.path);
    const char *const args[] = {program, folder.path, NULL};
    assert_int_equal(test_child_wait(test_child_start(args)), 0);
    lcl_test_folder_remove(&folder);
}

int main(int argc, char **argv)
{
#define TEST(name)                                                             \
 cmocka_unit_test_setup_teardown(test_cache_program__##name, warm_up, clean_up)
    const struct CMUnitTest tests[] = {
        TEST(compilations_are_announced),
        TEST(second_context_compiles_nothing),
        TEST(spoilt_files_are_built_anew),
        TEST(foreign_files_are_built_anew),
        TEST(another_driver_finds_nothing),
        TEST(key_covers_library_and_sources),
        TEST(a_refused_binary_is_built_anew),
        TEST(an_unbuildable_binary_is_built_anew),
        TEST(a_store_serves_a_first_start),
        TEST(a_refused_store_is_not_used),
        TEST(works_without_a_folder),
        TEST(pocl_is_asked_for_no_binaries),
        TEST(a_folder_of_everybody_is_not_used),
        TEST(reads_a_read_only_folder),
    };
#undef TEST
    program = argv[0];
    // LeakSanitizer, which runs at exit, cannot trace a process that has
    // dropped its privileges
    if (argc == 2)
        _exit(read_read_only(argv[1]));
    return cmocka_run_group_tests(tests, need_device, NULL);
}
