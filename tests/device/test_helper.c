// SPDX-License-Identifier: BSD-3-Clause
// The process that compiles ahead (host/helper.h): every kernel of the forecast
// compiles and ends on zeros; it ends with its socket, and with nothing else to
// do. Usage: test_helper PROGRAM
#include "host/caps.h"
#include "host/forecast.h"
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

static const char *program;
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

// Kernels compiled, each as often as the lists name it.
static int count_kernels(const char *folder)
{
    char command[LCL_TEST_PATH], text[32] = "";
    snprintf(command, sizeof command, "find %s -name '*.so' | wc -l", folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(text, sizeof text, pipe));
    pclose(pipe);
    return atoi(text);
}

static bool count_entry(void *arg, const struct lcl_forecast_entry *entry)
{
    int *count = arg;
    (void)entry;
    ++*count;
    return true;
}

static void test_helper__compiles_all_kernels_and_ends(void **state)
{
    static const char *const scalar[] = {"solve.cl", "levels.cl"};
    struct lcl_test_folder folder;
    int socket, wanted = 0;
    (void)state;
    lcl_test_folder_create(&folder);
    setenv("POCL_CACHE_DIR", folder.path, 1);
    const pid_t child = start(&socket, LCL_VERSION);
    for (size_t i = 0; i < sizeof scalar / sizeof *scalar; ++i) {
        lcl_forecast_each(scalar[i], 1, send_entry, &socket);
        lcl_forecast_each(scalar[i], 1, count_entry, &wanted);
    }
    lcl_forecast_each("blocks.cl", 3, send_entry, &socket);
    lcl_forecast_each("symbolic.cl", 1, send_entry, &socket);
    shutdown(socket, SHUT_WR);
    assert_int_equal(test_child_wait(child), 0);
    close(socket);
    assert_true(count_kernels(folder.path) > wanted);
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
    };
    test_need_device();
    if (argc != 2 || !find_device())
        return 77;
    program = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
