// SPDX-License-Identifier: BSD-3-Clause
// Private definition of a context, only for files in host/.
#pragma once

#include "host/cache.h"
#include "host/cl.h"
#include "host/clock.h"
#include "host/echo.h"
#include "host/guest.h"
#include "host/limit.h"

#include <levelcl/memory.h>

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

// The programs built so far, and the build that replaces others.
struct lcl_programs {
    struct lcl_program **all;
    size_t count, built;
};

// Pinned memory; all zero: none.
struct lcl_pinned {
    cl_mem mem;
    char *host;
    size_t bytes; // as counted in struct lcl_memory_info
};

// Pinned memory for small transfers (host/mailbox.h).
enum { LCL_MAILBOX_WRITES = 7 };
struct lcl_mailbox {
    struct lcl_pinned pinned;
    cl_event event[LCL_MAILBOX_WRITES]; // of the last writes; NULL: none
    unsigned writes;
};

// Memory of buffers (host/memory.h).
struct lcl_pool {
    struct lcl_region *regions;
    bool on;
    size_t align;   // of spans, bytes; a power of two
    uint64_t bytes; // of all regions
    uint64_t idle;  // of the regions without a used span
};

// A thread that works for the context (host/background.h); all zero: none.
struct lcl_background {
    pthread_t thread; // if `joinable`
    bool joinable;
    atomic_int state; // IDLE, ... in background.c
    pthread_t self;   // its own; valid while the state is RUNNING
    enum lcl_status (*fn)(void *arg);
    void *arg;
    cl_event done;
};

enum { LCL_HELPERS_MAX = 3, LCL_HELPER_BUILDS = 8 };

// Processes that compile ahead (host/helper.h); all zero: none.
struct lcl_helper {
    bool ready; // may start: the context is complete
    char program[1024];
    bool begun; // they have started
    int socket; // to them, if there are any
    int count;
    pid_t pid[LCL_HELPERS_MAX];
    int waiting; // builds before they started
    struct lcl_helper_build {
        const char *source;
        int block;
    } build[LCL_HELPER_BUILDS];
};

struct lcl_context {
    struct lcl_cl cl;
    struct lcl_echo echo; // of cl.log
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_command_queue aux; // host/queue.h; NULL until first used
    struct lcl_caps caps;
    struct lcl_pool pool;
    struct lcl_memory_info memory; // device_bytes: without the pool
    struct lcl_cache cache;
    struct lcl_programs programs;
    struct lcl_build_info builds;
    struct lcl_helper helper;
    int compilations; // begun
    int expected;     // as struct lcl_compile_info has it; 0: unknown
    void (*compiling)(void *user, const struct lcl_compile_info *info);
    void *compiling_user;
    struct lcl_clock clock;
    bool profile;               // wait before and after each task
    struct lcl_buffer *no_stop; // lcl_context_no_stop()
    struct lcl_pinned staging;  // for lcl_fill_staged()
    struct lcl_pinned outbox;   // lcl_context_outbox()
    struct lcl_mailbox mailbox;
    struct {
        struct lcl_pin *kept;
        uint64_t bytes;
        void *create_nv; // NULL: none
        bool knows_create_nv;
    } pins; // host/pins.h
    struct lcl_background background;
    struct lcl_limit limit;  // of the set-up in progress
    struct lcl_trace *trace; // host/trace.h; NULL: none
    struct lcl_guest guest;
    pid_t process; // that created the context
    bool used_blas;
    bool proven; // passed its self-test, now or earlier
};
