// SPDX-License-Identifier: BSD-3-Clause
// What a solve on several devices or in several processes exchanged.
#pragma once

#include <levelcl/operator.h>

struct job;

// One element per device, or per process of MPI; on its rank 0 only.
struct exchanges {
    int count;
    struct lcl_exchange_info *each;
    double seconds; // of the solve
};

// Before and after a solve; after it, `each` holds the difference. On one
// device they do nothing. Return LCL_OK or LCL_ENOMEM; all ranks call them.
enum lcl_status exchanges_begin(struct job *job);
enum lcl_status exchanges_end(struct job *job);

void exchanges_finish(struct exchanges *E);

// The time in which a device neither exchanged nor waited for a sum.
double exchanges_own_seconds(const struct exchanges *E, int device);
