// SPDX-License-Identifier: BSD-3-Clause
// The function of the caller that a call with a context is calling.
#pragma once

#include <pthread.h>

// What it may do with the context.
enum lcl_guest_rights {
    LCL_GUEST_NONE = 0, // no function of the caller is running
    LCL_GUEST_LOOKS,    // use what reads host memory only
    LCL_GUEST_APPLIES,  // also lcl_context_expect_product()
    LCL_GUEST_RULES,    // anything: no function of the caller has it
};

struct lcl_guest {
    enum lcl_guest_rights rights;
    pthread_t thread;
};
