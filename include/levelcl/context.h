/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices, their capabilities, and the context that owns all other objects. */
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
    LCL_EXCHANGE_AUTO = 0, /* chosen by the probe */
    LCL_EXCHANGE_NONE,     /* width 1: no other lane to exchange with */
    LCL_EXCHANGE_LOCAL,    /* through local memory and barriers */
    LCL_EXCHANGE_KHR,      /* cl_khr_subgroup_shuffle */
    LCL_EXCHANGE_INTEL,    /* cl_intel_subgroups */
    LCL_EXCHANGE_NV_PTX,   /* inline shfl.sync */
    LCL_EXCHANGE_AMD,      /* ds_bpermute builtins */
    LCL_EXCHANGE_COUNT,
};

/* How kernels add an fp64 value atomically in local memory. */
enum lcl_atomic_add {
    LCL_ATOMIC_ADD_NONE = 0,
    LCL_ATOMIC_ADD_CAS,    /* 64-bit compare and swap */
    LCL_ATOMIC_ADD_EXT,    /* cl_ext_float_atomics */
    LCL_ATOMIC_ADD_NV_PTX, /* atom.shared.add.f64 */
    LCL_ATOMIC_ADD_AMD,    /* ds_add_f64 */
    LCL_ATOMIC_ADD_COUNT,
};

/* Forward-progress guarantee for spin waits: which work-items a work-item may
 * busy-wait for. */
enum lcl_progress {
    LCL_PROGRESS_NONE = 0, /* none: waiting may hang */
    LCL_PROGRESS_GROUP,    /* an earlier work-item of another wave or group */
    LCL_PROGRESS_WAVE,     /* also an earlier lane of its own wave */
    LCL_PROGRESS_COUNT,
};

/* How a kernel makes what it has written visible to the host before what it
 * writes next, so that both can work at the same time. A property of the
 * device, whatever width its kernels have. */
enum lcl_fence {
    LCL_FENCE_NONE = 0, /* unknown: the host waits for the end of the kernel */
    LCL_FENCE_CPU,      /* that of the processor, __sync_synchronize() */
    LCL_FENCE_DEVICES,  /* atomic_work_item_fence() over all devices, where an
                           OpenCL 3.0 device reports that scope: Intel GPUs */
    LCL_FENCE_NV_PTX,   /* inline membar.sys: NVIDIA */
    LCL_FENCE_AMD,      /* __builtin_amdgcn_fence() of system scope: AMD */
    LCL_FENCE_COUNT,
};

enum lcl_device_type {
    LCL_DEVICE_OTHER = 0,
    LCL_DEVICE_CPU,
    LCL_DEVICE_GPU,
    LCL_DEVICE_TYPE_COUNT,
};

/* Capabilities of a device: filled once when a context is created, read-only. A
 * limit of 0 means that the device lacks the feature.
 *
 * Trial builds and launches find progress, queues_overlap and strict_rounding.
 * They verify exchange, with the reported width, and local_add, and replace
 * what gives wrong sums. On NVIDIA they also raise local_bytes, because the
 * driver reports less than a group can use; other devices report all of it, and
 * some of their compilers abort on larger arrays. Nothing of this is tried on
 * PoCL at width 1 but the rounding. All other fields are those that the device
 * reports. */
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
    int processors;      /* of a CPU: those that the thread which created the
                            context could use; 0: unlimited */
    int width;           /* lanes of a wave: 32, 64, 8, ...; CPU: 1 */
    int max_group_size;  /* work-items in a work-group */
    bool queues_overlap; /* kernels on two in-order queues run concurrently */

    /* --- memory, bytes */
    uint64_t global_bytes;
    uint64_t max_buffer_bytes;
    uint64_t local_bytes; /* per work-group */

    /* --- arithmetic and exchange */
    bool fp64;
    bool strict_rounding; /* fma() and conversions to float round once */
    bool int64_atomics;
    enum lcl_exchange exchange;
    enum lcl_atomic_add local_add;
    enum lcl_progress progress;
    enum lcl_fence fence;

    /* --- language and timing */
    char cl_std[16];         /* option of every build, "-cl-std=CL1.2" */
    double timer_resolution; /* seconds per tick of the event timer */

    /* --- place */
    char pci[16];  /* address on the PCI bus, "0000:3b:00.0"; "": unknown */
    int numa_node; /* of the host, nearest to the device; -1: unknown */
};

/* The phases that the context times separately (wall time); see
 * lcl_context_seconds(). */
enum lcl_phase {
    LCL_PHASE_READ = 0,  /* files, generators */
    LCL_PHASE_PARTITION, /* labels and the resulting permutation */
    LCL_PHASE_SYMBOLIC,  /* patterns, levels, schedule */
    LCL_PHASE_COMPILE,   /* kernels: build, or load from the cache */
    LCL_PHASE_NUMERIC,   /* factorisation */
    LCL_PHASE_UPLOAD,    /* host to device */
    LCL_PHASE_SOLVE,     /* the Krylov loop and the true residual */
    LCL_PHASE_COUNT,
};

/* The tasks that a phase consists of; see lcl_context_task(). */
enum lcl_task {
    LCL_TASK_READ = 0,       /* phase read */
    LCL_TASK_UPLOAD,         /* phase upload */
    LCL_TASK_BLOCKS,         /* symbolic: natural block size, conversion */
    LCL_TASK_PARTITION,      /* partition: METIS, files; numbering of rows */
    LCL_TASK_MATCHING,       /* partition: edge weights, pairs of vertices */
    LCL_TASK_CONTRACTION,    /* partition: graphs of the pairs */
    LCL_TASK_REFINEMENT,     /* partition: vertices change parts */
    LCL_TASK_PATTERN,        /* symbolic: fill, levels, reordered matrix */
    LCL_TASK_SCHEDULE,       /* symbolic: schedule of the factors */
    LCL_TASK_COARSE_PATTERN, /* symbolic: aggregates, coarse matrix */
    LCL_TASK_AGGREGATION,    /* symbolic: strong couplings, aggregates of AMG */
    LCL_TASK_PROLONGATION,   /* symbolic: prolongations of AMG */
    LCL_TASK_GALERKIN,       /* symbolic: coarse matrices of AMG */
    LCL_TASK_GHOSTS,         /* symbolic: rows of other devices */
    LCL_TASK_GATHERING,      /* symbolic: small levels, whole on each device */
    LCL_TASK_NUMERIC,        /* numeric: factorisation */
    LCL_TASK_COARSE,         /* numeric: inverse of the coarse matrix */
    LCL_TASK_PRODUCT,        /* numeric: storage of A for the product */
    LCL_TASK_COMPILE,        /* phase compile */
    LCL_TASK_SOLVE,          /* phase solve */
    LCL_TASK_COUNT,
};

/* A compilation that is about to start: of a program or, where the driver
 * compiles a kernel when it is first launched, of a kernel. */
struct lcl_compile_info {
    int number;     /* counted from 1 */
    int expected;   /* estimate of the last number, which grows as more of the
                     * solve is known; 0: unknown */
    double seconds; /* spent on compilation so far */
    bool kept;      /* later contexts will find the result */
};

struct lcl_context_params {
    /* A device index as in lcl_device_caps(), or a part of the device's or
     * platform's name. NULL: the first GPU with fp64, else the first CPU. */
    const char *device;
    struct lcl_log log;

    /* Folder of the cache of compiled kernels. NULL: $LEVELCL_CACHE_DIR, else
     * $XDG_CACHE_HOME/levelcl, else ~/.cache/levelcl. Created with mode 0700.
     * Cached kernels run with the user's rights, so the library does not use a
     * folder or file that belongs to another user or that others may write to,
     * and logs a warning. It also warns about a folder that it cannot write
     * to. The store of the installation, lcl_store_folder(), is searched
     * first. */
    const char *cache_dir;
    bool no_cache;
    bool no_self_test; /* skip the one-time self-test of a new device */

    /* Called before a compilation, for display; NULL: none. A driver with a
     * cache of its own (PoCL) does not tell whether it compiles, so it is
     * called there in any case. It must not use the context, which
     * lcl_context_create() may not have returned yet: LCL_EBUSY. */
    void (*compiling)(void *user, const struct lcl_compile_info *info);
    void *compiling_user;

    /* Start no processes. Where the driver compiles one kernel at a time in a
     * process (PoCL), up to three processes of levelcl-helper compile ahead
     * what a solve will need, as soon as something has to be compiled. They end
     * with the context. See $LEVELCL_HELPER in levelcl(7). */
    bool no_helper;

    /* Give memory back to the driver when a buffer is freed. Otherwise the
     * context of a GPU keeps up to an eighth of the device's memory for later
     * buffers; see lcl_context_trim(). */
    bool no_pool;

    /* Wait for the device before and after each task, so that
     * lcl_context_task() counts the device's time for the task that caused it.
     * Slower, because host and device do not overlap. */
    bool profile;

    /* Override the wave width or exchange that the probe chose, for tests.
     * 0: $LEVELCL_WIDTH and $LEVELCL_EXCHANGE, else the probe's. */
    int width;
    enum lcl_exchange exchange;
};

#define LCL_CONTEXT_PARAMS_INIT LCL_ZERO

/* A device, its queue, its compiled kernels.
 * Thread-safety: one thread at a time; two contexts are independent.
 *
 * A context and what was made in it belong to their process. In a child of
 * fork(), all functions that use a device, and those that create contexts if
 * the parent has used OpenCL, return LCL_EPROCESS at once: OpenCL does not
 * survive fork(). Functions that read host memory only still work; those that
 * destroy set the pointer to NULL and free nothing.
 *
 * While a function of the caller runs that the library calls (a monitor, a
 * convergence test, a callback), functions with the same context return
 * LCL_EBUSY, but for those that solver.h names. Every function that uses a
 * device may return these two. */
typedef struct lcl_context lcl_context;

/* Creates a context. `params` may be NULL and need live only until the call
 * returns, as for every params struct. The first context on a new device and
 * driver solves a small known system and refuses the device if the solution is
 * wrong.
 * Returns LCL_OK, LCL_EINVAL (width or exchange), LCL_ENODEVICE (no device, or
 * none that matches), LCL_EUNSUPPORTED (no fp64), LCL_ESELFTEST, LCL_EDEVICE,
 * LCL_EBUILD or LCL_ENOMEM. */
LCL_NODISCARD LCL_API enum lcl_status lcl_context_create(
    lcl_context **out, const struct lcl_context_params *params);

/* Frees *ctx and sets it to NULL; *ctx may be NULL. Destroy the objects created
 * in a context before the context. The same holds for every destroy
 * function. In a function that the library is calling it logs an error and
 * does nothing: *ctx stays. */
LCL_API void lcl_context_destroy(lcl_context **ctx);

/* Gives the device memory that no buffer uses back to the driver, and the
 * pinned memory for large transfers, which the next one takes again; ctx may be
 * NULL. Waits for the end of a solve of lcl_solver_enqueue_cl(). The context
 * does so by itself when memory is short, but not for other contexts and
 * processes. lcl_context_memory() in memory.h tells how much a context has. */
LCL_API void lcl_context_trim(lcl_context *ctx);

/* NULL for NULL. */
LCL_API const struct lcl_caps *lcl_context_caps(const lcl_context *ctx);

/* Wall seconds spent in a phase since the context was created. Time in a nested
 * phase (mostly compilation) counts for the nested phase only. 0 for NULL. */
LCL_API double lcl_context_seconds(const lcl_context *ctx,
                                   enum lcl_phase phase);

/* What a task took since the context was created; all zero for NULL. Without
 * `profile`, seconds does not include work that the device completes later. */
struct lcl_task_info {
    double seconds;   /* wall time without nested tasks */
    uint64_t bytes;   /* least memory traffic; 0: unknown */
    int64_t launches; /* of kernels */
};
LCL_API struct lcl_task_info lcl_context_task(const lcl_context *ctx,
                                              enum lcl_task task);

/* Measures the bandwidth of a copy between two large buffers, in bytes read and
 * written per second: the upper limit of what kernels reach.
 * Returns LCL_OK, LCL_ENOMEM, LCL_EDEVMEM or LCL_EDEVICE. */
LCL_NODISCARD LCL_API enum lcl_status lcl_context_copy_bandwidth(
    lcl_context *ctx, double *bytes_per_second);

/* What carries bytes from one device to another, as operators on several
 * devices exchange them: through pinned memory of the host. */
struct lcl_link {
    double latency;   /* seconds for 64 bytes */
    double bandwidth; /* bytes per second in a message of 16 MiB */
};

/* Measures the way from one device to another, which may be the same; takes
 * some milliseconds. Nothing else should use the devices. Returns LCL_OK,
 * LCL_EINVAL (an argument is NULL), LCL_ENOMEM, LCL_EDEVMEM or LCL_EDEVICE. */
LCL_NODISCARD LCL_API enum lcl_status lcl_context_link(lcl_context *from,
                                                       lcl_context *to,
                                                       struct lcl_link *link);

/* Numbers of kernels compiled and of kernels loaded from the disk cache; zero
 * for NULL. */
struct lcl_build_info {
    int compiled;
    int from_cache;
    bool kept; /* later contexts will find what is compiled, here or in the
                * driver's own cache */
};
LCL_API struct lcl_build_info lcl_context_builds(const lcl_context *ctx);

/* Solves a small system whose solution is known, as lcl_context_create() does
 * once for each device and driver, and compares. Returns LCL_OK, LCL_ESELFTEST
 * (wrong result), LCL_EINVAL (ctx is NULL) or the error of a step. */
LCL_NODISCARD LCL_API enum lcl_status lcl_self_test(lcl_context *ctx);

/* Writes the path of the cache folder that contexts use without cache_dir to
 * path[0 .. size-1], cut if it is longer; path may be NULL. Returns its length;
 * 0: there is none, because no variable is set. The folder need not exist. */
LCL_API size_t lcl_cache_folder(char *path, size_t size);

/* The same for the store of the installation, which contexts with a cache
 * search first and never change: $LEVELCL_STORE, else the folder that was
 * chosen when the library was built. Root or the user must own it and what is
 * in it, and no other user may write to it. */
LCL_API size_t lcl_store_folder(char *path, size_t size);

/* The same for the folder that keeps what this context compiles: its cache, or
 * that of a driver with a cache of its own (PoCL); 0: nothing is kept, or ctx
 * is NULL. */
LCL_API size_t lcl_context_folder(const lcl_context *ctx, char *path,
                                  size_t size);

/* The number of OpenCL devices on all platforms, and the capabilities of device
 * `index` (without trial builds: fields that need a context hold the values
 * that the driver reports).
 * Returns LCL_OK, LCL_ENODEVICE (index out of range), LCL_EDEVICE or
 * LCL_EPROCESS. */
LCL_NODISCARD LCL_API enum lcl_status lcl_device_count(
    int *count, const struct lcl_log *log);
LCL_NODISCARD LCL_API enum lcl_status lcl_device_caps(
    struct lcl_caps *caps, int index, const struct lcl_log *log);

/* Names used in output and accepted as input: "khr", "cas", "gpu",
 * "partition". */
LCL_API const char *lcl_exchange_name(enum lcl_exchange exchange);
LCL_API const char *lcl_atomic_add_name(enum lcl_atomic_add add);
LCL_API const char *lcl_progress_name(enum lcl_progress progress);
LCL_API const char *lcl_fence_name(enum lcl_fence fence);
LCL_API const char *lcl_device_type_name(enum lcl_device_type type);
LCL_API const char *lcl_phase_name(enum lcl_phase phase);
LCL_API const char *lcl_task_name(enum lcl_task task);

LCL_END_DECLS

#endif
