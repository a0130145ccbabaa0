// SPDX-License-Identifier: BSD-3-Clause
// The caller's own OpenCL objects.
#include "tests/support/own_cl.h"

#include "tests/support/test.h"

struct test_own test_own;

int test_own_open(void **state)
{
    (void)state;
    cl_platform_id platform;
    cl_int code, code2;
    test_need_device();
    assert_int_equal(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    assert_int_equal(
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &test_own.device, NULL),
        CL_SUCCESS);
    test_own.context =
        clCreateContext(NULL, 1, &test_own.device, NULL, NULL, &code);
    test_own.queue =
        clCreateCommandQueue(test_own.context, test_own.device, 0, &code2);
    assert_true(code == CL_SUCCESS && code2 == CL_SUCCESS);
    return 0;
}

int test_own_close(void **state)
{
    (void)state;
    clReleaseCommandQueue(test_own.queue);
    clReleaseContext(test_own.context);
    return 0;
}

int test_own_create(void **state)
{
    (void)state;
    test_line_init(&test_own.line);
    test_capture_init(&test_own.capture, LCL_LOG_ERROR);
    const struct lcl_context_params params = {
        .no_cache = true, .no_self_test = true, .log = test_own.capture.log};
    assert_int_equal(lcl_context_create_cl(&test_own.ctx, test_own.context,
                                           test_own.device, test_own.queue,
                                           &params),
                     LCL_OK);
    return 0;
}

int test_own_destroy(void **state)
{
    (void)state;
    lcl_context_destroy(&test_own.ctx);
    return 0;
}

cl_mem test_own_buffer(size_t bytes, void *data)
{
    cl_int code;
    const cl_mem_flags flags =
        CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem mem = clCreateBuffer(test_own.context, flags, bytes, data, &code);
    assert_int_equal(code, CL_SUCCESS);
    return mem;
}
