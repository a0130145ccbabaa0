// SPDX-License-Identifier: BSD-3-Clause
// What a device says about itself.
#include "host/caps.h"

#include "host/log.h"

#include <stdio.h>
#include <string.h>

// Queries of vendor extensions, by value so that no vendor header is needed.
enum {
    DEVICE_WARP_SIZE_NV = 0x4003,
    DEVICE_WAVEFRONT_WIDTH_AMD = 0x4043,
    DEVICE_MAX_WORK_GROUP_SIZE_AMD = 0x4031,
    DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108,
};

enum { EXTENSIONS = 8192 };

static void query_text(const struct lcl_cl *cl, cl_device_id device,
                       cl_device_info what, char *text, size_t size)
{
    char long_text[1024];
    size_t bytes = 0;
    text[0] = '\0';
    if (cl->api->clGetDeviceInfo(device, what, sizeof long_text, long_text,
                                 &bytes) == CL_SUCCESS &&
        bytes > 0)
        snprintf(text, size, "%.*s", (int)size - 1, long_text);
}

static uint64_t query_ulong(const struct lcl_cl *cl, cl_device_id device,
                            cl_device_info what)
{
    cl_ulong value = 0;
    cl->api->clGetDeviceInfo(device, what, sizeof value, &value, NULL);
    return value;
}

static uint64_t query_uint(const struct lcl_cl *cl, cl_device_id device,
                           cl_device_info what)
{
    cl_uint value = 0;
    cl->api->clGetDeviceInfo(device, what, sizeof value, &value, NULL);
    return value;
}

static size_t query_size(const struct lcl_cl *cl, cl_device_id device,
                         cl_device_info what)
{
    size_t value = 0;
    cl->api->clGetDeviceInfo(device, what, sizeof value, &value, NULL);
    return value;
}

static void query_platform(const struct lcl_cl *cl, cl_device_id device,
                           struct lcl_caps *caps)
{
    cl_platform_id platform = NULL;
    cl->api->clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform,
                             &platform, NULL);
    if (platform)
        cl->api->clGetPlatformInfo(platform, CL_PLATFORM_NAME,
                                   sizeof caps->platform, caps->platform,
                                   NULL);
}

static enum lcl_device_type type_of(const struct lcl_cl *cl,
                                    cl_device_id device)
{
    cl_device_type type = 0;
    cl->api->clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return type & CL_DEVICE_TYPE_GPU   ? LCL_DEVICE_GPU
           : type & CL_DEVICE_TYPE_CPU ? LCL_DEVICE_CPU
                                       : LCL_DEVICE_OTHER;
}

// Intel compiles for the width it likes unless told; 16 runs on every part.
static int intel_width(const struct lcl_cl *cl, cl_device_id device)
{
    size_t sizes[8] = {0}, bytes = 0;
    cl->api->clGetDeviceInfo(device, DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes,
                             sizes, &bytes);
    for (size_t i = 0; i < bytes / sizeof *sizes; ++i)
        if (sizes[i] == 16)
            return 16;
    return (int)sizes[0];
}

// A CPU runs a work-group's items in a loop: width 1 and no barriers is what
// it does best.
static void query_width(const struct lcl_cl *cl, cl_device_id device,
                        const char *extensions, struct lcl_caps *caps)
{
    caps->width = 1;
    caps->exchange = LCL_EXCHANGE_NONE;
    if (caps->type == LCL_DEVICE_CPU)
        return;
    if (strstr(extensions, "cl_nv_device_attribute_query")) {
        caps->width = (int)query_uint(cl, device, DEVICE_WARP_SIZE_NV);
        caps->exchange = LCL_EXCHANGE_NV_PTX;
    } else if (strstr(extensions, "cl_amd_device_attribute_query")) {
        caps->width = (int)query_uint(cl, device, DEVICE_WAVEFRONT_WIDTH_AMD);
        caps->exchange = LCL_EXCHANGE_AMD;
    } else if (strstr(extensions, "cl_intel_required_subgroup_size")) {
        caps->width = intel_width(cl, device);
        caps->exchange = LCL_EXCHANGE_INTEL;
    } else {
        caps->width = 32;
        caps->exchange = strstr(extensions, "cl_khr_subgroup_shuffle")
                             ? LCL_EXCHANGE_KHR
                             : LCL_EXCHANGE_LOCAL;
    }
}

// The standard to ask for (portability by platform): NVIDIA's own path is 1.2;
// sub-group functions want 2.0 on AMD and 3.0 elsewhere.
static void query_standard(const char *extensions, struct lcl_caps *caps)
{
    const char *std = "-cl-std=CL1.2";
    if (strstr(extensions, "cl_amd_device_attribute_query"))
        std = "-cl-std=CL2.0";
    else if (strncmp(caps->version, "OpenCL 3", 8) == 0 &&
             !strstr(extensions, "cl_nv_"))
        std = "-cl-std=CL3.0";
    snprintf(caps->cl_std, sizeof caps->cl_std, "%s", std);
}

static void query_atomics(const char *extensions, struct lcl_caps *caps)
{
    caps->int64_atomics =
        strstr(extensions, "cl_khr_int64_base_atomics") != NULL;
    caps->local_add = strstr(extensions, "cl_nv_") ? LCL_ATOMIC_ADD_NV_PTX
                      : caps->int64_atomics        ? LCL_ATOMIC_ADD_CAS
                                                   : LCL_ATOMIC_ADD_NONE;
}

enum lcl_status lcl_caps_query(const struct lcl_cl *cl, cl_device_id device,
                               struct lcl_caps *caps)
{
    char extensions[EXTENSIONS] = "";
    *caps = (struct lcl_caps){.progress = LCL_PROGRESS_NONE};
    const enum lcl_status st = LCL_CL(
        cl, clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions,
                            extensions, NULL));
    if (st < 0)
        return st;
    query_text(cl, device, CL_DEVICE_NAME, caps->name, sizeof caps->name);
    query_text(cl, device, CL_DEVICE_VENDOR, caps->vendor, sizeof caps->vendor);
    query_text(cl, device, CL_DEVICE_VERSION, caps->version,
               sizeof caps->version);
    query_text(cl, device, CL_DRIVER_VERSION, caps->driver,
               sizeof caps->driver);
    query_platform(cl, device, caps);
    caps->type = type_of(cl, device);
    caps->compute_units =
        (int)query_uint(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS);
    // AMD's standard query gives the preferred 256
    caps->max_group_size =
        (int)query_size(cl, device,
                        strstr(extensions, "cl_amd_device_attribute_query")
                            ? DEVICE_MAX_WORK_GROUP_SIZE_AMD
                            : CL_DEVICE_MAX_WORK_GROUP_SIZE);
    caps->global_bytes = query_ulong(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE);
    caps->max_buffer_bytes =
        query_ulong(cl, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    caps->local_bytes = query_ulong(cl, device, CL_DEVICE_LOCAL_MEM_SIZE);
    caps->fp64 = query_ulong(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    caps->timer_resolution =
        1e-9 * (double)query_size(cl, device,
                                  CL_DEVICE_PROFILING_TIMER_RESOLUTION);
    query_width(cl, device, extensions, caps);
    query_standard(extensions, caps);
    query_atomics(extensions, caps);
    return LCL_OK;
}
