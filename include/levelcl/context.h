/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices, what they can do, and the context that everything else lives in. */
#ifndef LEVELCL_CONTEXT_H
#define LEVELCL_CONTEXT_H

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

LCL_BEGIN_DECLS

/* How the lanes of a wave exchange values. */
enum lcl_exchange {
    LCL_EXCHANGE_AUTO = 0, /* what the probe finds */
    LCL_EXCHANGE_NONE,     /* width 1: there is nobody to exchange with */
    LCL_EXCHANGE_LOCAL,    /* through local memory and barriers */
    LCL_EXCHANGE_KHR,      /* cl_khr_subgroup_shuffle */
    LCL_EXCHANGE_INTEL,    /* cl_intel_subgroups */
    LCL_EXCHANGE_NV_PTX,   /* inline shfl.sync */
    LCL_EXCHANGE_AMD,      /* ds_bpermute builtins */
    LCL_EXCHANGE_COUNT,
};

/* How an fp64 sum reaches local memory atomically. */
enum lcl_atomic_add {
    LCL_ATOMIC_ADD_NONE = 0,
    LCL_ATOMIC_ADD_CAS,    /* 64-bit compare and swap */
    LCL_ATOMIC_ADD_EXT,    /* cl_ext_float_atomics */
    LCL_ATOMIC_ADD_NV_PTX, /* atom.shared.add.f64 */
    LCL_ATOMIC_ADD_AMD,    /* ds_add_f64 */
    LCL_ATOMIC_ADD_COUNT,
};

/* On whom a work-item may busy-wait and still see progress. */
enum lcl_progress {
    LCL_PROGRESS_NONE = 0, /* nobody: waiting may hang */
    LCL_PROGRESS_GROUP,    /* an earlier work-item of another wave or group */
    LCL_PROGRESS_WAVE,     /* also an earlier lane of its own wave */
    LCL_PROGRESS_COUNT,
};

enum lcl_device_type {
    LCL_DEVICE_OTHER = 0,
    LCL_DEVICE_CPU,
    LCL_DEVICE_GPU,
    LCL_DEVICE_TYPE_COUNT,
};

/* What a device can do: filled once when a context is created, read-only.
 * A limit of 0 means that the feature is not there. */
struct lcl_caps {
    /* --- identity */
    char name[128];
    char vendor[128];
    char version[128];
    char driver[128];
    char platform[128];
    enum lcl_device_type type;

    /* --- execution */
    int compute_units;
    int width;           /* lanes that run together: 32, 64, 8, ...; CPU: 1 */
    int max_group_size;  /* work-items in a group */
    bool queues_overlap; /* two in-order queues run kernels side by side */

    /* --- memory, bytes */
    uint64_t global_bytes;
    uint64_t max_buffer_bytes;
    uint64_t local_bytes; /* of one group, found by trial builds */

    /* --- arithmetic and exchange */
    bool fp64;
    bool int64_atomics;
    enum lcl_exchange exchange;
    enum lcl_atomic_add local_add;
    enum lcl_progress progress;

    /* --- language and timing */
    char cl_std[16];         /* option given to every build, "-cl-std=CL1.2" */
    double timer_resolution; /* seconds a tick of the event timer */
};

/* The phases whose wall time is kept apart; see lcl_context_seconds(). */
enum lcl_phase {
    LCL_PHASE_READ = 0,  /* files, generators */
    LCL_PHASE_PARTITION, /* labels and the permutation they give */
    LCL_PHASE_SYMBOLIC,  /* patterns, levels, layout */
    LCL_PHASE_COMPILE,   /* kernels: build, or load from the cache */
    LCL_PHASE_NUMERIC,   /* factorisation */
    LCL_PHASE_UPLOAD,    /* host to device */
    LCL_PHASE_SOLVE,     /* the Krylov loop and the true residual */
    LCL_PHASE_COUNT,
};

struct lcl_context_params {
    /* A number as lcl_device_caps() counts, or a part of the device's or
     * platform's name. NULL: the first GPU with fp64, else the first CPU. */
    const char *device;
    struct lcl_log log;

    /* Where compiled kernels are kept. NULL: $LEVELCL_CACHE_DIR, else
     * $XDG_CACHE_HOME/levelcl, else ~/.cache/levelcl. Created with mode 0700.
     * Kernels in it run as the user: a folder or file that belongs to another
     * user, or that others may write to, is not used, of which the log is
     * warned; so it is of a folder that cannot be written to. */
    const char *cache_dir;
    bool no_cache;
    bool no_self_test; /* skip the one-time proof of a new device */

    /* Force another wave width or exchange than the probe's, for tests.
     * 0: $LEVELCL_WIDTH and $LEVELCL_EXCHANGE, else the probe's. */
    int width;
    enum lcl_exchange exchange;
};

#define LCL_CONTEXT_PARAMS_INIT LCL_ZERO

/* A device, its queue, its compiled kernels.
 * Thread-safety: one thread at a time; two contexts are independent. */
typedef struct lcl_context lcl_context;

/* Creates a context. `params` may be NULL and need live only until the call
 * returns, as for every params struct. The first context on a new device and
 * driver solves a small known system and refuses the device if it is wrong.
 * Returns LCL_OK, LCL_EINVAL (width or exchange), LCL_ENODEVICE (none, or none
 * that is meant), LCL_EUNSUPPORTED (no fp64), LCL_ESELFTEST, LCL_EDEVICE,
 * LCL_EBUILD or LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_context_create(
    lcl_context **out, const struct lcl_context_params *params);

/* Frees *ctx and sets it to NULL; *ctx may be NULL. Objects created in a
 * context must be destroyed before it. So for every destroy function. */
LCL_API void lcl_context_destroy(lcl_context **ctx);

LCL_API const struct lcl_caps *lcl_context_caps(const lcl_context *ctx);

/* Wall seconds spent in a phase since the context was created. A phase does
 * not count what runs inside it under another name (compiling, mostly). */
LCL_API double lcl_context_seconds(const lcl_context *ctx,
                                   enum lcl_phase phase);

/* How many kernels were compiled and how many came from the disk cache. */
struct lcl_build_info {
    int compiled;
    int from_cache;
};
LCL_API struct lcl_build_info lcl_context_builds(const lcl_context *ctx);

/* The number of OpenCL devices of all platforms, and what number `index` is
 * (no trial builds: fields that need a context hold the driver's own claims).
 * Returns LCL_OK, LCL_ENODEVICE (index out of range) or LCL_EDEVICE. */
LCL_NODISCARD LCL_API enum lcl_status lcl_device_count(
    int *count, const struct lcl_log *log);
LCL_NODISCARD LCL_API enum lcl_status lcl_device_caps(
    struct lcl_caps *caps, int index, const struct lcl_log *log);

/* Names as they are printed and parsed: "khr", "cas", "gpu", "partition". */
LCL_API const char *lcl_exchange_name(enum lcl_exchange exchange);
LCL_API const char *lcl_atomic_add_name(enum lcl_atomic_add add);
LCL_API const char *lcl_progress_name(enum lcl_progress progress);
LCL_API const char *lcl_device_type_name(enum lcl_device_type type);
LCL_API const char *lcl_phase_name(enum lcl_phase phase);

LCL_END_DECLS

#endif
