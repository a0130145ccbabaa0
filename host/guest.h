// SPDX-License-Identifier: BSD-3-Clause
// Rights of a callback of the caller inside a call with a context.
#pragma once

#include <pthread.h>

// Operations on the context that the callback may use.
enum lcl_guest_rights {
    LCL_GUEST_NONE = 0, // no callback is running
    LCL_GUEST_LOOKS,    // functions that read host memory only
    LCL_GUEST_APPLIES,  // also lcl_context_expect_product()
    LCL_GUEST_RULES,    // all functions; no callback has this right
};

struct lcl_guest {
    enum lcl_guest_rights rights;
    pthread_t thread;
};
