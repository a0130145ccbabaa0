// SPDX-License-Identifier: BSD-3-Clause
// Names of the device and context enums, one table each.
#include "host/names.h"

#include <levelcl/context.h>

static const char *const exchanges[LCL_EXCHANGE_COUNT] = {
    [LCL_EXCHANGE_AUTO] = "auto",   [LCL_EXCHANGE_NONE] = "none",
    [LCL_EXCHANGE_LOCAL] = "local", [LCL_EXCHANGE_KHR] = "khr",
    [LCL_EXCHANGE_INTEL] = "intel", [LCL_EXCHANGE_NV_PTX] = "nv_ptx",
    [LCL_EXCHANGE_AMD] = "amd",
};

static const char *const atomic_adds[LCL_ATOMIC_ADD_COUNT] = {
    [LCL_ATOMIC_ADD_NONE] = "none", [LCL_ATOMIC_ADD_CAS] = "cas",
    [LCL_ATOMIC_ADD_EXT] = "ext",   [LCL_ATOMIC_ADD_NV_PTX] = "nv_ptx",
    [LCL_ATOMIC_ADD_AMD] = "amd",
};

static const char *const progresses[LCL_PROGRESS_COUNT] = {
    [LCL_PROGRESS_NONE] = "none",
    [LCL_PROGRESS_GROUP] = "group",
    [LCL_PROGRESS_WAVE] = "wave",
};

static const char *const fences[LCL_FENCE_COUNT] = {
    [LCL_FENCE_NONE] = "none",       [LCL_FENCE_CPU] = "cpu",
    [LCL_FENCE_DEVICES] = "devices", [LCL_FENCE_NV_PTX] = "nv_ptx",
    [LCL_FENCE_AMD] = "amd",
};

static const char *const device_types[LCL_DEVICE_TYPE_COUNT] = {
    [LCL_DEVICE_OTHER] = "other",
    [LCL_DEVICE_CPU] = "cpu",
    [LCL_DEVICE_GPU] = "gpu",
};

static const char *const phases[LCL_PHASE_COUNT] = {
    [LCL_PHASE_READ] = "read",         [LCL_PHASE_PARTITION] = "partition",
    [LCL_PHASE_SYMBOLIC] = "symbolic", [LCL_PHASE_COMPILE] = "compile",
    [LCL_PHASE_NUMERIC] = "numeric",   [LCL_PHASE_UPLOAD] = "upload",
    [LCL_PHASE_SOLVE] = "solve",
};

static const char *const tasks[LCL_TASK_COUNT] = {
    [LCL_TASK_READ] = "read",
    [LCL_TASK_UPLOAD] = "upload",
    [LCL_TASK_BLOCKS] = "blocks",
    [LCL_TASK_PARTITION] = "partition",
    [LCL_TASK_MATCHING] = "matching",
    [LCL_TASK_CONTRACTION] = "contraction",
    [LCL_TASK_REFINEMENT] = "refinement",
    [LCL_TASK_PATTERN] = "pattern",
    [LCL_TASK_SCHEDULE] = "schedule",
    [LCL_TASK_COARSE_PATTERN] = "coarse-pattern",
    [LCL_TASK_AGGREGATION] = "aggregation",
    [LCL_TASK_PROLONGATION] = "prolongation",
    [LCL_TASK_GALERKIN] = "galerkin",
    [LCL_TASK_GHOSTS] = "ghosts",
    [LCL_TASK_GATHERING] = "gathering",
    [LCL_TASK_NUMERIC] = "numeric",
    [LCL_TASK_COARSE] = "coarse",
    [LCL_TASK_PRODUCT] = "product",
    [LCL_TASK_COMPILE] = "compile",
    [LCL_TASK_SOLVE] = "solve",
};

static const struct lcl_names exchange_names = LCL_NAMES(exchanges);
static const struct lcl_names atomic_add_names = LCL_NAMES(atomic_adds);
static const struct lcl_names progress_names = LCL_NAMES(progresses);
static const struct lcl_names fence_names = LCL_NAMES(fences);
static const struct lcl_names device_type_names = LCL_NAMES(device_types);
static const struct lcl_names phase_names = LCL_NAMES(phases);
static const struct lcl_names task_names = LCL_NAMES(tasks);

const char *lcl_name_of(const struct lcl_names *names, int value)
{
    if (value < 0 || value >= names->count)
        return "unknown";
    return names->name[value];
}

const char *lcl_exchange_name(enum lcl_exchange exchange)
{
    return lcl_name_of(&exchange_names, (int)exchange);
}

const char *lcl_atomic_add_name(enum lcl_atomic_add add)
{
    return lcl_name_of(&atomic_add_names, (int)add);
}

const char *lcl_progress_name(enum lcl_progress progress)
{
    return lcl_name_of(&progress_names, (int)progress);
}

const char *lcl_fence_name(enum lcl_fence fence)
{
    return lcl_name_of(&fence_names, (int)fence);
}

const char *lcl_device_type_name(enum lcl_device_type type)
{
    return lcl_name_of(&device_type_names, (int)type);
}

const char *lcl_phase_name(enum lcl_phase phase)
{
    return lcl_name_of(&phase_names, (int)phase);
}

const char *lcl_task_name(enum lcl_task task)
{
    return lcl_name_of(&task_names, (int)task);
}
