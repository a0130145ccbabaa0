// SPDX-License-Identifier: BSD-3-Clause
// Device enumeration and selection.
#include "host/device.h"

#include "host/alloc.h"
#include "host/caps.h"
#include "host/log.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64 };

// Drivers initialise themselves during the first calls, PoCL 3.1 without a
// lock: if two threads list its devices for the first time, one finds none or
// crashes. That state is per process, and so is this lock. Only
// lcl_device_list() discovers devices.
static pthread_mutex_t discovery_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_icd(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".icd") == 0;
}

// Whether a place has files of the loader, which name drivers, or is one.
static bool names_drivers(const char *place)
{
    bool found = is_icd(place);
    DIR *dir = opendir(place);
    for (struct dirent *e; dir && !found && (e = readdir(dir));)
        found = is_icd(e->d_name);
    if (dir)
        closedir(dir);
    return found;
}

// ", in 250 MB of address space", if that is limited.
static void describe_limit(char text[64])
{
    struct rlimit limit;
    *text = '\0';
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(text, 64, ", in %.0f MB of address space",
                 1e-6 * (double)limit.rlim_cur);
}

static enum lcl_status fail_without_platform(const struct lcl_cl *cl)
{
    char limit[64];
    const char *vendors = getenv("OCL_ICD_VENDORS");
    const char *folder = vendors && *vendors ? vendors : "/etc/OpenCL/vendors";
    if (!names_drivers(folder))
        return lcl_fail(&cl->log, LCL_ENODEVICE,
                        "no OpenCL platform is installed (pocl-opencl-icd "
                        "provides one for every CPU)");
    describe_limit(limit);
    return lcl_fail(&cl->log, LCL_ENODEVICE,
                    "no OpenCL driver of those in %s starts%s; clsolve doctor "
                    "looks for the cause",
                    folder, limit);
}

// The process that used OpenCL first; 0: none has.
static atomic_long first_process;

enum lcl_status lcl_device_expect_process(const struct lcl_log *log)
{
    const long own = (long)getpid();
    long first = 0;
    if (atomic_compare_exchange_strong(&first_process, &first, own) ||
        first == own)
        return LCL_OK;
    return lcl_fail(log, LCL_EPROCESS,
                    "process %ld used OpenCL before fork(), and OpenCL does "
                    "not work in its children: fork first, or start a new "
                    "program by exec()",
                    first);
}

static enum lcl_status platforms(const struct lcl_cl *cl, cl_platform_id *ids,
                                 cl_uint *count)
{
    *count = 0;
    const cl_int code = cl->api->clGetPlatformIDs(MAX_PLATFORMS, ids, count);
    if (code == -1001 || (code == CL_SUCCESS && *count == 0))
        return fail_without_platform(cl);
    if (*count > MAX_PLATFORMS)
        *count = MAX_PLATFORMS;
    return lcl_cl_status(cl, code, "clGetPlatformIDs(...)", LCL_CL_PLACE);
}

static enum lcl_status list(const struct lcl_cl *cl, cl_device_id **devices,
                            int *count)
{
    cl_platform_id ids[MAX_PLATFORMS];
    cl_uint n_platforms;
    *devices = NULL;
    *count = 0;
    const enum lcl_status st = platforms(cl, ids, &n_platforms);
    if (st < 0)
        return st;
    cl_device_id *all = lcl_calloc(n_platforms * MAX_DEVICES, sizeof *all);
    if (!all)
        return lcl_fail_memory(&cl->log, "the list of devices");
    for (cl_uint p = 0; p < n_platforms; ++p) {
        cl_uint n = 0;
        if (cl->api->clGetDeviceIDs(ids[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES,
                                    all + *count, &n) == CL_SUCCESS)
            *count += n < MAX_DEVICES ? (int)n : MAX_DEVICES;
    }
    *devices = all;
    return LCL_OK;
}

enum lcl_status lcl_device_list(const struct lcl_cl *cl, cl_device_id **devices,
                                int *count)
{
    enum lcl_status st = lcl_device_expect_process(&cl->log);
    *devices = NULL;
    *count = 0;
    if (st < 0)
        return st;
    pthread_mutex_lock(&discovery_lock);
    st = list(cl, devices, count);
    pthread_mutex_unlock(&discovery_lock);
    return st;
}

static bool contains(const char *text, const char *part)
{
    const size_t n = strlen(part);
    for (; *text; ++text)
        if (strncasecmp(text, part, n) == 0)
            return true;
    return false;
}

// Rank of a device as the default; the highest wins.
static int preference(const struct lcl_caps *caps)
{
    if (!caps->fp64)
        return 0;
    return caps->type == LCL_DEVICE_GPU   ? 3
           : caps->type == LCL_DEVICE_CPU ? 2
                                          : 1;
}

static int choose_default(const struct lcl_caps *caps, int count)
{
    int best = count > 0 ? 0 : -1;
    for (int i = 1; i < count; ++i)
        if (preference(&caps[i]) > preference(&caps[best]))
            best = i;
    return best;
}

static int choose_named(const struct lcl_caps *caps, int count,
                        const char *wanted)
{
    char *end;
    const long number = strtol(wanted, &end, 10);
    if (end != wanted && *end == '\0')
        return number >= 0 && number < count ? (int)number : -1;
    for (int i = 0; i < count; ++i)
        if (contains(caps[i].name, wanted) ||
            contains(caps[i].platform, wanted))
            return i;
    return -1;
}

// "0: name (platform), 1: ..." for the message that no device matches.
static void describe(char *text, size_t size, const struct lcl_caps *caps,
                     int count)
{
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < count && at < size; ++i)
        at +=
            (size_t)snprintf(text + at, size - at, "%s%d: %s (%s)",
                             i ? ", " : "", i, caps[i].name, caps[i].platform);
}

static enum lcl_status choose(const struct lcl_cl *cl, const char *wanted,
                              const struct lcl_caps *caps, int count,
                              int *index)
{
    if (count == 0) {
        char limit[64];
        describe_limit(limit);
        return lcl_fail(&cl->log, LCL_ENODEVICE,
                        "no OpenCL platform provides a device%s; clsolve "
                        "doctor looks for the cause",
                        limit);
    }
    const bool any = !wanted || !*wanted;
    *index =
        any ? choose_default(caps, count) : choose_named(caps, count, wanted);
    if (*index >= 0)
        return LCL_OK;
    char list[512];
    describe(list, sizeof list, caps, count);
    return lcl_fail(&cl->log, LCL_ENODEVICE,
                    "no device '%s'; available devices: %s", wanted, list);
}

enum lcl_status lcl_device_choose(const struct lcl_cl *cl, const char *wanted,
                                  cl_device_id *device)
{
    cl_device_id *devices = NULL;
    struct lcl_caps *caps = NULL;
    int count, index;
    enum lcl_status st = lcl_device_list(cl, &devices, &count);
    if (st < 0)
        return st;
    caps = lcl_calloc((size_t)count, sizeof *caps);
    if (!caps) {
        st = lcl_fail_memory(&cl->log, "the list of devices");
        goto out;
    }
    for (int i = 0; i < count; ++i)
        if ((st = lcl_caps_query(cl, devices[i], &caps[i])) < 0)
            goto out;
    if ((st = choose(cl, wanted, caps, count, &index)) == LCL_OK)
        *device = devices[index];
out:
    lcl_free(caps);
    lcl_free(devices);
    return st;
}

enum lcl_status lcl_device_count(int *count, const struct lcl_log *log)
{
    struct lcl_cl cl = {.api = &lcl_cl_loader};
    cl_device_id *devices;
    if (!count)
        return lcl_misuse(log, "lcl_device_count: count is NULL");
    if (log)
        cl.log = *log;
    const enum lcl_status st = lcl_device_list(&cl, &devices, count);
    lcl_free(devices);
    return st;
}

enum lcl_status lcl_device_caps(struct lcl_caps *caps, int index,
                                const struct lcl_log *log)
{
    struct lcl_cl cl = {.api = &lcl_cl_loader};
    cl_device_id *devices;
    int count;
    if (!caps)
        return lcl_misuse(log, "lcl_device_caps: caps is NULL");
    if (log)
        cl.log = *log;
    enum lcl_status st = lcl_device_list(&cl, &devices, &count);
    if (st < 0)
        return st;
    st = index >= 0 && index < count
             ? lcl_caps_query(&cl, devices[index], caps)
             : lcl_fail(log, LCL_ENODEVICE,
                        "no device %d: the number of devices is %d", index,
                        count);
    lcl_free(devices);
    return st;
}
