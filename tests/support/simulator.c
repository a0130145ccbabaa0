// SPDX-License-Identifier: BSD-3-Clause
// Support for tests that distinguish used from uninitialised memory.
#include "tests/support/simulator.h"

#include "host/cl.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static struct lcl_cl_api api;
static cl_mem *kept;
static size_t kept_count;

static cl_int CL_API_CALL write_instead(cl_command_queue queue, cl_mem buffer,
                                        const void *pattern,
                                        size_t pattern_size, size_t offset,
                                        size_t size, cl_uint waits,
                                        const cl_event *wait_list,
                                        cl_event *event)
{
    assert_int_equal(pattern_size, 1);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, *(const unsigned char *)pattern, size);
    const cl_int code = clEnqueueWriteBuffer(
        queue, buffer, CL_TRUE, offset, size, bytes, waits, wait_list, event);
    free(bytes);
    return code;
}

static cl_int CL_API_CALL keep(cl_mem buffer)
{
    kept = realloc(kept, (kept_count + 1) * sizeof *kept);
    assert_non_null(kept);
    kept[kept_count++] = buffer;
    return CL_SUCCESS;
}

static cl_mem CL_API_CALL poison(cl_context context, cl_mem_flags flags,
                                 size_t size, void *host, cl_int *code)
{
    if (host)
        return clCreateBuffer(context, flags, size, host, code);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, 0xff, size);
    const cl_mem buffer = clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR,
                                         size, bytes, code);
    free(bytes);
    return buffer;
}

const struct lcl_cl_api *test_simulator_api(void)
{
    api = lcl_cl_loader;
    if (getenv("OCLGRIND_UNINITIALIZED")) {
        api.clEnqueueFillBuffer = write_instead;
        api.clReleaseMemObject = keep;
    } else {
        api.clCreateBuffer = poison;
    }
    return &api;
}

void test_simulator_release(void)
{
    while (kept_count > 0)
        clReleaseMemObject(kept[--kept_count]);
    free(kept);
    kept = NULL;
}
