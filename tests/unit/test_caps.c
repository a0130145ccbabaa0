// SPDX-License-Identifier: BSD-3-Clause
// Fences that devices of each kind have, from what their drivers report.
#include "host/caps.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

enum { ATOMIC_FENCE_CAPABILITIES = 0x1064 };

// What the driver of the tests reports: to other questions, zeros.
static struct driver {
    cl_device_type type;
    const char *extensions, *version;
    cl_bitfield fences; // 0: the query is unknown
} driver;

static cl_int CL_API_CALL answer(cl_device_id device, cl_device_info what,
                                 size_t size, void *value, size_t *needed)
{
    (void)device, (void)needed;
    memset(value, 0, size);
    if (what == CL_DEVICE_TYPE)
        memcpy(value, &driver.type, size);
    else if (what == CL_DEVICE_EXTENSIONS)
        snprintf(value, size, "%s", driver.extensions);
    else if (what == CL_DEVICE_VERSION)
        snprintf(value, size, "%s", driver.version);
    else if (what == ATOMIC_FENCE_CAPABILITIES && driver.fences == 0)
        return CL_INVALID_VALUE;
    else if (what == ATOMIC_FENCE_CAPABILITIES)
        memcpy(value, &driver.fences, size);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL name_platform(cl_platform_id platform,
                                        cl_platform_info what, size_t size,
                                        void *value, size_t *needed)
{
    (void)platform, (void)what, (void)needed;
    snprintf(value, size, "platform");
    return CL_SUCCESS;
}

static void expect_fence(struct driver reports, enum lcl_fence fence)
{
    const struct lcl_cl_api api = {.clGetDeviceInfo = answer,
                                   .clGetPlatformInfo = name_platform};
    const struct lcl_cl cl = {.api = &api};
    struct lcl_caps caps;
    driver = reports;
    assert_int_equal(lcl_caps_query(&cl, NULL, &caps), LCL_OK);
    if (caps.fence != fence)
        fail_msg("%s, %s: fence %s, expected %s", reports.version,
                 reports.extensions, lcl_fence_name(caps.fence),
                 lcl_fence_name(fence));
}

// Capabilities as drivers report them: NVIDIA 580 0x13, without all devices;
// PoCL 3.1 0x77; Intel 22.43 0x7f.
static void test_caps__the_fence_is_that_of_the_device(void **state)
{
    (void)state;
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    expect_fence((struct driver){gpu,
                                 "cl_khr_fp64 "
                                 "cl_nv_device_attribute_query",
                                 "OpenCL 3.0 CUDA", 0x13},
                 LCL_FENCE_NV_PTX);
    expect_fence(
        (struct driver){gpu, "cl_amd_device_attribute_query", "OpenCL 2.0", 0},
        LCL_FENCE_AMD);
    expect_fence((struct driver){gpu, "cl_intel_required_subgroup_size",
                                 "OpenCL 3.0 NEO", 0x7f},
                 LCL_FENCE_DEVICES);
    expect_fence(
        (struct driver){CL_DEVICE_TYPE_CPU, "", "OpenCL 3.0 PoCL", 0x77},
        LCL_FENCE_CPU);
}

static void test_caps__without_a_fence_of_all_devices_there_is_none(
    void **state)
{
    (void)state;
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    expect_fence((struct driver){gpu, "", "OpenCL 3.0", 0x3f}, LCL_FENCE_NONE);
    expect_fence((struct driver){gpu, "", "OpenCL 1.2", 0}, LCL_FENCE_NONE);
    expect_fence((struct driver){gpu, "", "OpenCL 2.1", 0x7f}, LCL_FENCE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caps__the_fence_is_that_of_the_device),
        cmocka_unit_test(
            test_caps__without_a_fence_of_all_devices_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
