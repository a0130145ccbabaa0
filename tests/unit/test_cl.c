// SPDX-License-Identifier: BSD-3-Clause
// Converts the results of OpenCL calls to a status and a message.
#include "host/cl.h"
#include "tests/support/capture.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

static enum lcl_status status_of(cl_int code, enum lcl_log_level level,
                                 struct test_capture *capture)
{
    test_capture_init(capture, level);
    const struct lcl_cl cl = {.log = capture->log};
    return lcl_cl_status(&cl, code, "clFinish(queue)", "file.c:12");
}

static void test_cl__known_codes_have_their_names(void **state)
{
    (void)state;
    assert_string_equal(lcl_cl_error_name(-5), "CL_OUT_OF_RESOURCES");
    assert_string_equal(lcl_cl_error_name(-11), "CL_BUILD_PROGRAM_FAILURE");
    assert_string_equal(lcl_cl_error_name(-42), "CL_INVALID_BINARY");
    assert_string_equal(lcl_cl_error_name(-54), "CL_INVALID_WORK_GROUP_SIZE");
    assert_string_equal(lcl_cl_error_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
}

static void test_cl__every_code_of_the_core_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (cl_int a = -1; a >= -64; --a)
        for (cl_int b = a - 1; b >= -64; --b) {
            const char *name = lcl_cl_error_name(a);
            if (strcmp(name, "CL error") != 0)
                assert_string_not_equal(name, lcl_cl_error_name(b));
        }
    assert_string_equal(lcl_cl_error_name(-9998), "CL error");
    assert_string_equal(lcl_cl_error_name(1), "CL error");
}

static void test_cl__codes_map_to_statuses(void **state)
{
    (void)state;
    static const struct {
        cl_int code;
        enum lcl_status status;
    } cases[] = {
        {CL_SUCCESS, LCL_OK},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, LCL_EDEVMEM},
        {CL_OUT_OF_HOST_MEMORY, LCL_ENOMEM},
        {CL_OUT_OF_RESOURCES, LCL_EDEVICE},
        {CL_INVALID_KERNEL_ARGS, LCL_EDEVICE},
        {-9999, LCL_EDEVICE},
    };
    struct test_capture capture;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        assert_int_equal(status_of(cases[i].code, LCL_LOG_NONE, &capture),
                         cases[i].status);
}

static void test_cl__an_error_names_code_call_and_place(void **state)
{
    (void)state;
    struct test_capture capture;
    status_of(CL_OUT_OF_RESOURCES, LCL_LOG_ERROR, &capture);
    assert_int_equal(capture.messages, 1);
    assert_string_equal(capture.last, "CL_OUT_OF_RESOURCES (-5) from "
                                      "clFinish(queue) at file.c:12");
}

static void test_cl__a_late_error_names_the_kernels_launched(void **state)
{
    (void)state;
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    struct lcl_cl cl = {.log = capture.log};
    static char name[LCL_CL_LAUNCHED + 3][8];
    for (int i = 0; i < LCL_CL_LAUNCHED + 3; ++i) {
        snprintf(name[i], sizeof name[i], "k%d", 10 + i);
        lcl_cl_launched(&cl, name[i]);
        lcl_cl_launched(&cl, name[i]);
    }
    assert_int_equal(lcl_cl_status(&cl, -9999, "clFinish(queue)", "file.c:12"),
                     LCL_EDEVICE);
    assert_string_equal(
        capture.last,
        "the device failed: NVIDIA: illegal memory access (-9999) from "
        "clFinish(queue) at file.c:12; kernels enqueued since the last check: "
        "k13, k14, k15, k16, k17, k18, k19, k20, k21, k22, k23, k24, k25, k26, "
        "k27, k28");
    lcl_cl_status(&cl, CL_INVALID_KERNEL_ARGS, "call", "file.c:12");
    assert_string_equal(capture.last,
                        "CL_INVALID_KERNEL_ARGS (-52) from call at file.c:12");
    lcl_cl_checked(&cl);
    lcl_cl_status(&cl, CL_OUT_OF_RESOURCES, "call", "file.c:12");
    assert_string_equal(capture.last,
                        "CL_OUT_OF_RESOURCES (-5) from call at file.c:12");
}

static void test_cl__a_success_is_traced_only(void **state)
{
    (void)state;
    struct test_capture capture;
    status_of(CL_SUCCESS, LCL_LOG_DEBUG, &capture);
    assert_int_equal(capture.messages, 0);
    status_of(CL_SUCCESS, LCL_LOG_TRACE, &capture);
    assert_int_equal(capture.messages, 1);
    assert_string_equal(capture.last, "clFinish(queue) = 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cl__known_codes_have_their_names),
        cmocka_unit_test(test_cl__every_code_of_the_core_has_a_name_of_its_own),
        cmocka_unit_test(test_cl__codes_map_to_statuses),
        cmocka_unit_test(test_cl__an_error_names_code_call_and_place),
        cmocka_unit_test(test_cl__a_late_error_names_the_kernels_launched),
        cmocka_unit_test(test_cl__a_success_is_traced_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
