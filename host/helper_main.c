// SPDX-License-Identifier: BSD-3-Clause
// The helper process: compiles the kernels that it reads from its standard
// input, a socket. Usage: levelcl-helper VERSION DEVICE
#include "host/buffer.h"
#include "host/caps.h"
#include "host/context.h"
#include "host/forecast.h"
#include "host/interop.h"
#include "host/kernel.h"
#include "host/program.h"
#include "host/runtime.h"

#include <levelcl/version.h>

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    ARGUMENTS = 40,
    BUFFER_BYTES = 1 << 16,
    LIMIT = 60, // seconds for a kernel, and without a request
    FILES = 1024,
};

// ---------------------------------------------------------------- a kernel

struct helper {
    lcl_context *ctx;
    lcl_buffer *zeros[ARGUMENTS]; // created on first use
};

static bool clear(struct helper *H, int index)
{
    lcl_buffer **zeros = &H->zeros[index];
    return (*zeros || lcl_buffer_create(zeros, H->ctx, BUFFER_BYTES, 1,
                                        "zeros") == LCL_OK) &&
           lcl_buffer_fill(*zeros, 0) == LCL_OK;
}

// Sets an argument to a buffer of zeros or to 0, whichever the kernel accepts.
// Returns false after the last argument. PoCL checks the sizes of arguments.
static bool set_argument(struct helper *H, lcl_kernel *k, int index)
{
    static const int64_t zero;
    static const size_t sizes[] = {8, 4, 2, 1};
    const cl_uint i = (cl_uint)index;
    const __typeof__(&clSetKernelArg) set = H->ctx->cl.api->clSetKernelArg;
    if (set(k->kernel, i, sizeof(cl_mem), NULL) == CL_SUCCESS) {
        if (!clear(H, index))
            return false;
        const cl_mem mem = lcl_buffer_mem(H->zeros[index]);
        (void)set(k->kernel, i, sizeof mem, &mem); // fails for local memory
        return true;
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s)
        if (set(k->kernel, i, sizes[s], &zero) == CL_SUCCESS)
            return true;
    return false;
}

// PoCL compiles a kernel when it is launched, here with one work-item on zeros.
static void compile(struct helper *H, const struct lcl_forecast_entry *entry)
{
    struct lcl_spec spec;
    lcl_kernel *k;
    int count = 0;
    if (!lcl_forecast_spec(&spec, entry) ||
        lcl_kernel_get(&k, H->ctx, &spec) < 0)
        return;
    while (count < ARGUMENTS && set_argument(H, k, count))
        ++count;
    if (lcl_kernel_enqueue(H->ctx->queue, k, 1, NULL, 0) == LCL_OK)
        (void)lcl_context_wait(H->ctx);
}

// ---------------------------------------------------------------- the process

// Closes files inherited from the parent: other processes may wait for their
// end.
static void close_files(void)
{
    for (int fd = STDERR_FILENO + 1; fd < FILES; ++fd)
        close(fd);
}

static void restore_default_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGALRM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Requests may remain after the context at the other end has been destroyed.
static bool is_wanted(void)
{
    struct pollfd requests = {.fd = STDIN_FILENO};
    return poll(&requests, 1, 0) == 0;
}

static void serve(struct helper *H)
{
    struct lcl_forecast_entry entry;
    alarm(LIMIT);
    while (recv(STDIN_FILENO, &entry, sizeof entry, 0) == sizeof entry &&
           is_wanted()) {
        alarm(LIMIT);
        compile(H, &entry);
    }
}

int main(int argc, char **argv)
{
    struct helper H = {.ctx = NULL};
    if (argc != 3 || strcmp(argv[1], LCL_VERSION) != 0)
        return 2;
    close_files();
    restore_default_signals();
    unsetenv("LEVELCL_LOG");
    unsetenv("LEVELCL_DUMP");
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
    const struct lcl_context_params params = {
        .device = argv[2],
        .no_cache = true,
        .no_helper = true,
        .width = 1,
    };
    if (lcl_runtime_create(&H.ctx, &params, &lcl_cl_loader) < 0)
        return 1;
    if (lcl_caps_is_pocl(&H.ctx->caps))
        serve(&H);
    _exit(0); // at once: the context may be waiting
}
