// SPDX-License-Identifier: BSD-3-Clause
// The process that compiles ahead (host/helper.h): every kernel of the forecast
// compiles and ends on zeros; it ends with its socket. A context starts it
// unless that is forbidden. Usage: test_helper PROGRAM
#include "host/caps.h"
#include "host/forecast.h"
#include "host/parallel.h"
#include "host/runtime.h"
#include "tests/support/child.h"
#include "tests/support/folder.h"
#include "tests/support/job.h"
#include "tests/support/test.h"

#include <levelcl/version.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ENTRIES = 256 };

static const char *self, *program;
static char device[256];

static pid_t start(int *socket, const char *version)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDIN_FILENO);
        execl(program, program, version, device, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *socket = ends[0];
    return child;
}

static bool send_entry(void *arg, const struct lcl_forecast_entry *entry)
{
    const int *socket = arg;
    assert_int_equal(send(*socket, entry, sizeof *entry, 0), sizeof *entry);
    return true;
}

static int count_files(const struct lcl_test_folder *folder)
{
    char command[LCL_TEST_PATH], text[32] = "";
    snprintf(command, sizeof command, "find %s -name '*.so' | wc -l",
             folder->path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(text, sizeof text, pipe));
    pclose(pipe);
    return atoi(text);
}

// ---------------------------------------------------------------- requests

// Sent so far, without repeats.
struct sent {
    int socket, count;
    struct lcl_spec spec[ENTRIES];
};

static bool is_same(const struct lcl_spec *a, const struct lcl_spec *b)
{
    return strcmp(a->source, b->source) == 0 &&
           strcmp(a->kernel, b->kernel) == 0 && a->block == b->block;
}

static bool send_new(void *arg, const struct lcl_forecast_entry *entry)
{
    struct sent *S = arg;
    struct lcl_spec *spec = &S->spec[S->count];
    bool is_new = true;
    assert_true(S->count < ENTRIES);
    assert_true(lcl_forecast_spec(spec, entry));
    for (int i = 0; i < S->count; ++i)
        is_new &= !is_same(spec, &S->spec[i]);
    S->count += is_new;
    return send_entry(&S->socket, entry);
}

static void test_helper__compiles_all_kernels_and_ends(void **state)
{
    static const char *const scalar[] = {"solve.cl", "levels.cl",
                                         "symbolic.cl"};
    static struct sent S;
    struct lcl_test_folder folder;
    (void)state;
    lcl_test_folder_create(&folder);
    setenv("POCL_CACHE_DIR", folder.path, 1);
    const pid_t child = start(&S.socket, LCL_VERSION);
    for (size_t i = 0; i < sizeof scalar / sizeof *scalar; ++i)
        lcl_forecast_each(scalar[i], 1, send_new, &S);
    lcl_forecast_each("blocks.cl", 3, send_new, &S);
    shutdown(S.socket, SHUT_WR);
    assert_int_equal(test_child_wait(child), 0);
    close(S.socket);
    assert_int_equal(count_files(&folder), S.count);
    lcl_test_folder_remove(&folder);
}

static void test_helper__ends_with_its_socket(void **state)
{
    int socket;
    (void)state;
    const pid_t child = start(&socket, LCL_VERSION);
    lcl_forecast_each("levels.cl", 1, send_entry, &socket);
    close(socket);
    assert_int_equal(test_child_wait(child), 0);
}

static void test_helper__refuses_other_versions_and_requests(void **state)
{
    int socket;
    (void)state;
    pid_t child = start(&socket, "0.0.0");
    assert_int_equal(test_child_wait(child), 2);
    close(socket);
    child = start(&socket, LCL_VERSION);
    const struct lcl_forecast_entry none = {-1, 1 << 20, 0};
    assert_true(send_entry(&socket, &none));
    assert_int_equal(send(socket, "x", 1, 0), 1);
    assert_int_equal(test_child_wait(child), 0);
    close(socket);
}

// ---------------------------------------------------------------- contexts

static void note_start(void *user, enum lcl_log_level level, const char *text)
{
    int *starts = user;
    (void)level;
    *starts += strstr(text, "compile ahead") != NULL;
}

// usage: PROGRAM HELPER yes|no: how often a context starts helpers that may
static int start_context(bool may)
{
    int starts = 0;
    const struct lcl_context_params params = {
        .log = {.fn = note_start, .user = &starts, .level = LCL_LOG_DEBUG},
        .no_cache = true,
        .no_helper = !may,
    };
    lcl_context *ctx;
    if (lcl_context_create(&ctx, &params) < 0)
        return -1;
    lcl_context_destroy(&ctx);
    return starts;
}

static int starts_of(const char *may)
{
    const char *const args[] = {self, program, may, NULL};
    struct lcl_test_folder folder;
    lcl_test_folder_create(&folder);
    setenv("POCL_CACHE_DIR", folder.path, 1);
    const int starts = test_child_wait(test_child_start(args));
    lcl_test_folder_remove(&folder);
    return starts;
}

static void test_helper__starts_unless_the_context_forbids(void **state)
{
    (void)state;
    if (lcl_processors() < 2)
        skip();
    setenv("LEVELCL_HELPER", program, 1);
    setenv("LEVELCL_WIDTH", "1", 1);
    assert_int_equal(starts_of("yes"), 1);
    assert_int_equal(starts_of("no"), 0);
    setenv("LEVELCL_WIDTH", "4", 1);
    assert_int_equal(starts_of("yes"), 0);
}

static bool find_device(void)
{
    const struct lcl_context_params params = {.no_cache = true};
    lcl_context *ctx;
    if (lcl_runtime_create(&ctx, &params, &lcl_cl_loader) < 0)
        return false;
    const bool is_pocl = lcl_caps_is_pocl(lcl_context_caps(ctx));
    snprintf(device, sizeof device, "%s", lcl_context_caps(ctx)->name);
    lcl_context_destroy(&ctx);
    return is_pocl;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_helper__refuses_other_versions_and_requests),
        cmocka_unit_test(test_helper__ends_with_its_socket),
        cmocka_unit_test(test_helper__compiles_all_kernels_and_ends),
        cmocka_unit_test(test_helper__starts_unless_the_context_forbids),
    };
    if (argc == 3)
        return start_context(strcmp(argv[2], "yes") == 0);
    test_need_device();
    if (argc != 2 || !find_device())
        return 77;
    self = argv[0];
    program = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
