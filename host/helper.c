// SPDX-License-Identifier: BSD-3-Clause
// Starts helper processes and sends them requests. No failure here is an error:
// without helpers, the context compiles all kernels by itself.
#define _GNU_SOURCE // dladdr()
#include "host/helper.h"

#include "host/caps.h"
#include "host/context.h"
#include "host/forecast.h"
#include "host/log.h"
#include "host/parallel.h"

#include <levelcl/version.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// Naps of 3 ms each, for all helpers together.
enum { NAPS = 100 };

// ---------------------------------------------------------------- whether

// Finds the program beside this library, as in a build that is not installed.
static bool find_near_library(char *path, size_t room)
{
    static const char here;
    Dl_info library;
    const char *name =
        dladdr(&here, &library) && library.dli_fname ? library.dli_fname : "";
    const char *end = strrchr(name, '/');
    const int length = end ? snprintf(path, room, "%.*s/levelcl-helper",
                                      (int)(end - name), name)
                           : -1;
    return length > 0 && (size_t)length < room && access(path, X_OK) == 0;
}

// LEVELCL_HELPER names the program; empty: none.
static bool find_program(char *path, size_t room)
{
    const char *given = getenv("LEVELCL_HELPER");
    if (!given && find_near_library(path, room))
        return true;
    const int length = snprintf(path, room, "%s", given ? given : LCL_HELPER);
    return (size_t)length < room && access(path, X_OK) == 0;
}

// Ranks that compile on one machine occupy its processors without helpers.
static bool is_one_of_ranks(void)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_LOCAL_SIZE",
                                         "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        const char *text = getenv(counts[i]);
        if (text && atoi(text) > 1)
            return true;
    }
    return false;
}

static int count_helpers(void)
{
    const int spare = lcl_processors() - 1;
    return spare < LCL_HELPERS_MAX ? spare : LCL_HELPERS_MAX;
}

void lcl_helper_init(lcl_context *ctx, bool none)
{
    ctx->helper.ready =
        !none && lcl_caps_is_pocl(&ctx->caps) && ctx->caps.width == 1 &&
        ctx->cl.api == &lcl_cl_loader && count_helpers() > 0 &&
        !is_one_of_ranks() &&
        find_program(ctx->helper.program, sizeof ctx->helper.program);
}

// ---------------------------------------------------------------- start

static bool open_sockets(int ends[2])
{
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static int spawn(struct lcl_helper *H, int socket, const char *device)
{
    const char *const argument[] = {H->program, LCL_VERSION, device, NULL};
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code)
        return code;
    if (!(code = posix_spawn_file_actions_adddup2(&actions, socket,
                                                  STDIN_FILENO)) &&
        !(code = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO,
                                                  "/dev/null", O_WRONLY, 0)) &&
        !(code = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO,
                                                  "/dev/null", O_WRONLY, 0)))
        code = posix_spawn(&H->pid[H->count], H->program, &actions, NULL,
                           (char *const *)argument, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static void start(struct lcl_helper *H, const char *device)
{
    const int wanted = count_helpers();
    int ends[2];
    if (!open_sockets(ends))
        return;
    while (H->count < wanted && spawn(H, ends[1], device) == 0)
        ++H->count;
    close(ends[1]);
    if (H->count > 0)
        H->socket = ends[0];
    else
        close(ends[0]);
}

// ---------------------------------------------------------------- end

// Whether the process has not ended yet.
static bool is_running(pid_t pid)
{
    return waitpid(pid, NULL, WNOHANG) == 0;
}

static void end(pid_t pid, int *naps)
{
    const struct timespec nap = {.tv_nsec = 3 * 1000 * 1000};
    while (is_running(pid)) {
        if (--*naps < 0)
            kill(pid, SIGKILL);
        nanosleep(&nap, NULL);
    }
}

// Closing the socket ends the helpers after the kernel that they are compiling.
static void end_all(struct lcl_helper *H)
{
    int naps = NAPS;
    if (H->count > 0)
        close(H->socket);
    for (int k = 0; k < H->count; ++k)
        end(H->pid[k], &naps);
    H->count = 0;
}

// ---------------------------------------------------------------- requests

static bool send_entry(void *arg, const struct lcl_forecast_entry *entry)
{
    struct lcl_helper *H = arg;
    if (send(H->socket, entry, sizeof *entry, MSG_DONTWAIT | MSG_NOSIGNAL) ==
        sizeof *entry)
        return true;
    if (errno != EAGAIN) // no room for more requests
        end_all(H);
    return false;
}

void lcl_helper_expect(lcl_context *ctx, const struct lcl_spec *built)
{
    struct lcl_helper *H = &ctx->helper;
    if (H->count > 0)
        lcl_forecast_each(built->source, built->block, send_entry, H);
    else if (!H->begun && H->waiting < LCL_HELPER_BUILDS)
        H->build[H->waiting++] =
            (struct lcl_helper_build){built->source, built->block};
}

static void begin(lcl_context *ctx)
{
    struct lcl_helper *H = &ctx->helper;
    H->begun = true;
    start(H, ctx->caps.name);
    lcl_debug(&ctx->cl.log, "%d processes of %s compile ahead", H->count,
              H->program);
    for (int k = H->waiting - 1; k >= 0 && H->count > 0; --k)
        lcl_forecast_each(H->build[k].source, H->build[k].block, send_entry, H);
}

static long long folder_changed(const lcl_context *ctx)
{
    char path[PATH_MAX];
    struct stat info;
    const size_t length = lcl_context_folder(ctx, path, sizeof path);
    if (length == 0 || length >= sizeof path || stat(path, &info) != 0)
        return -1;
    return info.st_mtim.tv_sec * 1000000000LL + info.st_mtim.tv_nsec;
}

struct lcl_helper_look lcl_helper_before(const lcl_context *ctx)
{
    const bool may_begin = ctx->helper.ready && !ctx->helper.begun;
    return (struct lcl_helper_look){may_begin ? folder_changed(ctx) : -1};
}

// PoCL compiles through temporary files in this folder.
void lcl_helper_after(lcl_context *ctx, const struct lcl_helper_look *before)
{
    if (before->changed >= 0 && folder_changed(ctx) != before->changed)
        begin(ctx);
}

void lcl_helper_finish(lcl_context *ctx)
{
    end_all(&ctx->helper);
}
