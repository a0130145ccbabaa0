// SPDX-License-Identifier: BSD-3-Clause
// Capabilities that the device reports.
#include "host/caps.h"

#include "host/log.h"
#include "host/parallel.h"
#include "host/pci.h"

#include <stdio.h>
#include <string.h>

// Queries of vendor extensions, as numbers, so that no vendor header is needed.
enum {
    DEVICE_WARP_SIZE_NV = 0x4003,
    DEVICE_WAVEFRONT_WIDTH_AMD = 0x4043,
    DEVICE_MAX_WORK_GROUP_SIZE_AMD = 0x4031,
    DEVICE_SUB_GROUP_SIZES_INTEL = 0x4108,
    DEVICE_ATOMIC_FENCE_CAPABILITIES = 0x1064, // OpenCL 3.0
};

enum { SCOPE_ALL_DEVICES = 1 << 6 }; // of those capabilities

enum { EXTENSIONS = 8192 };

// Queries that every device supports. The first failure is logged and kept, and
// the remaining queries are skipped: a 0 for a failed query would look like the
// device's value.
struct query {
    const struct lcl_cl *cl;
    cl_device_id device;
    enum lcl_status st;
};

static void query_raw(struct query *q, cl_device_info what, void *value,
                      size_t size)
{
    if (q->st == LCL_OK)
        q->st =
            LCL_CL(q->cl, clGetDeviceInfo(q->device, what, size, value, NULL));
}

static void query_text(struct query *q, cl_device_info what, char *text,
                       size_t size)
{
    char long_text[1024] = "";
    query_raw(q, what, long_text, sizeof long_text);
    snprintf(text, size, "%.*s", (int)size - 1, long_text);
}

static uint64_t query_ulong(struct query *q, cl_device_info what)
{
    cl_ulong value = 0;
    query_raw(q, what, &value, sizeof value);
    return value;
}

static int query_uint(struct query *q, cl_device_info what)
{
    cl_uint value = 0;
    query_raw(q, what, &value, sizeof value);
    return (int)value;
}

static size_t query_size(struct query *q, cl_device_info what)
{
    size_t value = 0;
    query_raw(q, what, &value, sizeof value);
    return value;
}

static void query_platform(struct query *q, struct lcl_caps *caps)
{
    cl_platform_id platform = NULL;
    query_raw(q, CL_DEVICE_PLATFORM, &platform, sizeof platform);
    if (q->st == LCL_OK)
        q->st = LCL_CL(q->cl, clGetPlatformInfo(platform, CL_PLATFORM_NAME,
                                                sizeof caps->platform,
                                                caps->platform, NULL));
}

// OpenCL 1.1 devices may not support this query.
static bool query_fp64(const struct query *q)
{
    cl_device_fp_config value = 0;
    q->cl->api->clGetDeviceInfo(q->device, CL_DEVICE_DOUBLE_FP_CONFIG,
                                sizeof value, &value, NULL);
    return value != 0;
}

static enum lcl_device_type query_type(struct query *q)
{
    cl_device_type type = 0;
    query_raw(q, CL_DEVICE_TYPE, &type, sizeof type);
    return type & CL_DEVICE_TYPE_GPU   ? LCL_DEVICE_GPU
           : type & CL_DEVICE_TYPE_CPU ? LCL_DEVICE_CPU
                                       : LCL_DEVICE_OTHER;
}

// Intel's compiler chooses the width unless the kernel sets it; 16 runs on
// every Intel device.
static int intel_width(struct query *q)
{
    size_t sizes[16] = {0};
    query_raw(q, DEVICE_SUB_GROUP_SIZES_INTEL, sizes, sizeof sizes);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        if (sizes[i] == 16)
            return 16;
    return (int)sizes[0];
}

// A CPU runs a work-group's items in a loop: width 1 without barriers is
// fastest.
static void query_width(struct query *q, const char *extensions,
                        struct lcl_caps *caps)
{
    caps->width = 1;
    caps->exchange = LCL_EXCHANGE_NONE;
    if (caps->type == LCL_DEVICE_CPU)
        return;
    if (strstr(extensions, "cl_nv_device_attribute_query")) {
        caps->width = query_uint(q, DEVICE_WARP_SIZE_NV);
        caps->exchange = LCL_EXCHANGE_NV_PTX;
    } else if (strstr(extensions, "cl_amd_device_attribute_query")) {
        caps->width = query_uint(q, DEVICE_WAVEFRONT_WIDTH_AMD);
        caps->exchange = LCL_EXCHANGE_AMD;
    } else if (strstr(extensions, "cl_intel_required_subgroup_size")) {
        caps->width = intel_width(q);
        caps->exchange = LCL_EXCHANGE_INTEL;
    } else {
        caps->width = 32;
        caps->exchange = strstr(extensions, "cl_khr_subgroup_shuffle")
                             ? LCL_EXCHANGE_KHR
                             : LCL_EXCHANGE_LOCAL;
    }
}

// The OpenCL C standard to request, by platform: 1.2 for NVIDIA's own path;
// sub-group functions need 2.0 on AMD and 3.0 elsewhere.
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
                      : strstr(extensions, "cl_ext_float_atomics")
                          ? LCL_ATOMIC_ADD_EXT
                      : strstr(extensions, "cl_amd_") ? LCL_ATOMIC_ADD_AMD
                      : caps->int64_atomics           ? LCL_ATOMIC_ADD_CAS
                                                      : LCL_ATOMIC_ADD_NONE;
}

// Devices before OpenCL 3.0 do not support this query.
static bool fences_all_devices(const struct query *q)
{
    cl_bitfield value = 0;
    q->cl->api->clGetDeviceInfo(q->device, DEVICE_ATOMIC_FENCE_CAPABILITIES,
                                sizeof value, &value, NULL);
    return (value & SCOPE_ALL_DEVICES) != 0;
}

// NVIDIA reports a fence of work-groups only, and older ones of AMD nothing:
// both have a fence of the system all the same.
static void query_fence(const struct query *q, const char *extensions,
                        struct lcl_caps *caps)
{
    caps->fence =
        caps->type == LCL_DEVICE_CPU                          ? LCL_FENCE_CPU
        : strstr(extensions, "cl_nv_device_attribute_query")  ? LCL_FENCE_NV_PTX
        : strstr(extensions, "cl_amd_device_attribute_query") ? LCL_FENCE_AMD
        : strcmp(caps->cl_std, "-cl-std=CL3.0") == 0 && fences_all_devices(q)
            ? LCL_FENCE_DEVICES
            : LCL_FENCE_NONE;
}

static void query_identity(struct query *q, struct lcl_caps *caps)
{
    query_text(q, CL_DEVICE_NAME, caps->name, sizeof caps->name);
    query_text(q, CL_DEVICE_VENDOR, caps->vendor, sizeof caps->vendor);
    query_text(q, CL_DEVICE_VERSION, caps->version, sizeof caps->version);
    query_text(q, CL_DRIVER_VERSION, caps->driver, sizeof caps->driver);
    query_platform(q, caps);
    caps->type = query_type(q);
}

static void query_limits(struct query *q, const char *extensions,
                         struct lcl_caps *caps)
{
    caps->compute_units = query_uint(q, CL_DEVICE_MAX_COMPUTE_UNITS);
    caps->processors = caps->type == LCL_DEVICE_CPU ? lcl_processors() : 0;
    // AMD's standard query gives the preferred 256
    caps->max_group_size =
        (int)query_size(q, strstr(extensions, "cl_amd_device_attribute_query")
                               ? DEVICE_MAX_WORK_GROUP_SIZE_AMD
                               : CL_DEVICE_MAX_WORK_GROUP_SIZE);
    caps->global_bytes = query_ulong(q, CL_DEVICE_GLOBAL_MEM_SIZE);
    caps->max_buffer_bytes = query_ulong(q, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    caps->local_bytes = query_ulong(q, CL_DEVICE_LOCAL_MEM_SIZE);
    caps->fp64 = query_fp64(q);
    caps->strict_rounding = caps->fp64;
    caps->timer_resolution =
        1e-9 * (double)query_size(q, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
}

bool lcl_caps_is_pocl(const struct lcl_caps *caps)
{
    return strcmp(caps->platform, "Portable Computing Language") == 0;
}

enum lcl_status lcl_caps_query(const struct lcl_cl *cl, cl_device_id device,
                               struct lcl_caps *caps)
{
    struct query q = {.cl = cl, .device = device};
    char extensions[EXTENSIONS] = "";
    *caps = (struct lcl_caps){.progress = LCL_PROGRESS_NONE};
    query_raw(&q, CL_DEVICE_EXTENSIONS, extensions, sizeof extensions);
    query_identity(&q, caps);
    query_limits(&q, extensions, caps);
    query_width(&q, extensions, caps);
    query_standard(extensions, caps);
    query_atomics(extensions, caps);
    query_fence(&q, extensions, caps);
    lcl_pci_query(cl, device, extensions, caps);
    return q.st;
}
