// SPDX-License-Identifier: BSD-3-Clause
// Addresses of devices on the PCI bus, from the answers of each extension.
#include "host/pci.h"
#include "tests/support/test.h"

#include <string.h>

// What the driver of the tests answers; an unknown question is an error.
struct answer {
    cl_device_info what;
    const void *value;
    size_t size;
};
static const struct answer *answers;

static cl_int CL_API_CALL answer(cl_device_id device, cl_device_info what,
                                 size_t size, void *value, size_t *needed)
{
    (void)device, (void)needed;
    for (const struct answer *a = answers; a->size > 0; ++a)
        if (a->what == what && a->size == size) {
            memcpy(value, a->value, size);
            return CL_SUCCESS;
        }
    return CL_INVALID_VALUE;
}

static void expect_place(const struct answer *all, const char *extensions,
                         const char *pci)
{
    const struct lcl_cl_api api = {.clGetDeviceInfo = answer};
    const struct lcl_cl cl = {.api = &api};
    struct lcl_caps caps = {.numa_node = 7};
    answers = all;
    lcl_pci_query(&cl, NULL, extensions, &caps);
    assert_string_equal(caps.pci, pci);
    assert_int_equal(caps.numa_node, -1); // no machine has these addresses
}

static void test_pci__is_unknown_without_extensions(void **state)
{
    (void)state;
    static const struct answer none[] = {{0, NULL, 0}};
    expect_place(none, "cl_khr_fp64", "");
    expect_place(none, "cl_khr_pci_bus_info", "");
    expect_place(none, "cl_nv_device_attribute_query", "");
    expect_place(none, "cl_amd_device_attribute_query", "");
}

static void test_pci__is_the_answer_of_khr(void **state)
{
    (void)state;
    static const cl_uint place[] = {0xfffe, 0x3b, 0x1f, 7};
    static const struct answer all[] = {{0x410F, place, sizeof place},
                                        {0, NULL, 0}};
    expect_place(all, "cl_khr_fp64 cl_khr_pci_bus_info", "fffe:3b:1f.7");
}

static void test_pci__is_made_of_the_slot_of_nv(void **state)
{
    (void)state;
    static const cl_uint bus = 0xe4, slot = 0xff, domain = 0xfffd;
    static const struct answer all[] = {{0x4008, &bus, sizeof bus},
                                        {0x4009, &slot, sizeof slot},
                                        {0x400A, &domain, sizeof domain},
                                        {0, NULL, 0}};
    expect_place(all, "cl_nv_device_attribute_query", "fffd:e4:1f.7");
}

static void test_pci__is_the_topology_of_amd(void **state)
{
    (void)state;
    static const unsigned char topology[24] = {
        [0] = 1, [21] = 0xfe, [22] = 0x1f, [23] = 7};
    static const unsigned char other[24] = {[0] = 2, [21] = 3};
    static const struct answer all[] = {{0x4037, topology, sizeof topology},
                                        {0, NULL, 0}};
    static const struct answer no_pci[] = {{0x4037, other, sizeof other},
                                           {0, NULL, 0}};
    expect_place(all, "cl_amd_device_attribute_query", "0000:fe:1f.7");
    expect_place(no_pci, "cl_amd_device_attribute_query", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pci__is_unknown_without_extensions),
        cmocka_unit_test(test_pci__is_the_answer_of_khr),
        cmocka_unit_test(test_pci__is_made_of_the_slot_of_nv),
        cmocka_unit_test(test_pci__is_the_topology_of_amd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
