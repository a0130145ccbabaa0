// SPDX-License-Identifier: BSD-3-Clause
// Names and sentences of the status type.
#include <levelcl/status.h>
#include <levelcl/version.h>

#include <stddef.h>

// clang-format off
static const struct {
    enum lcl_status status;
    const char *name, *sentence;
} table[] = {
    {LCL_OK, "ok", "success"},
    {LCL_ITERATION_LIMIT, "iteration-limit", "the solve reached the iteration limit before the tolerance"},
    {LCL_STAGNATION, "stagnation", "the residual stopped decreasing before it reached the tolerance"},
    {LCL_BREAKDOWN, "breakdown", "a coefficient of the recurrence vanished"},
    {LCL_NOT_FINITE, "not-finite", "NaN or Inf appeared in the iteration"},
    {LCL_PIVOTS_REPAIRED, "pivots-repaired", "the factorisation repaired pivots"},
    {LCL_DIVERGED, "diverged", "the residual grew to 1e5 times its initial value"},
    {LCL_EINVAL, "invalid", "an argument or option is wrong"},
    {LCL_ENOMEM, "no-memory", "host memory ran out"},
    {LCL_EIO, "io", "a file cannot be opened, read or written"},
    {LCL_EFORMAT, "format", "a file or matrix is malformed"},
    {LCL_EUNSUPPORTED, "unsupported", "well formed, but not supported"},
    {LCL_ERANGE, "range", "a size is out of range"},
    {LCL_ENODEVICE, "no-device", "no matching OpenCL device"},
    {LCL_EDEVICE, "device", "an OpenCL call failed"},
    {LCL_EDEVMEM, "device-memory", "device memory ran out"},
    {LCL_EBUILD, "build", "a kernel did not compile on this device"},
    {LCL_ESELFTEST, "self-test", "the device computes wrong results"},
    {LCL_EPIVOT, "pivot", "a pivot is zero or tiny"},
    {LCL_EBUSY, "busy", "another call still uses the context"},
    {LCL_ECANCELLED, "cancelled", "a set-up was cancelled or reached its limit"},
    {LCL_EPROCESS, "process", "OpenCL does not work in a child of fork()"},
};
// clang-format on

const char *lcl_status_name(enum lcl_status status)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (table[i].status == status)
            return table[i].name;
    return "unknown";
}

const char *lcl_status_str(enum lcl_status status)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
        if (table[i].status == status)
            return table[i].sentence;
    return "unknown status";
}

const char *lcl_version(void)
{
    return LCL_VERSION;
}
