// SPDX-License-Identifier: BSD-3-Clause
// What clsolve doctor finds: for each check, that all is well or what to do.
#pragma once

#include <stdbool.h>

enum { FINDINGS = 64, FINDING_BYTES = 1024 };

struct finding {
    const char *check; // e.g. "cache"
    bool ok;
    char text[FINDING_BYTES];
    const char *to_do; // unless ok
};

struct doctor {
    bool prints; // each finding at once
    int faults;
    int count;
    struct finding finding[FINDINGS];
};

// Adds a finding; to_do == NULL: all is well.
void doctor_add(struct doctor *doctor, const char *check, const char *to_do,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

// Checks of the system, which need no device: each ICD file, which names the
// driver's library; the folder of the cache, and of the store if there is one;
// whether PATH is set.
void doctor_drivers(struct doctor *doctor);
void doctor_cache(struct doctor *doctor);
void doctor_store(struct doctor *doctor);
void doctor_path(struct doctor *doctor);

// After a failure: what in the environment of the process makes drivers fail.
void doctor_causes(struct doctor *doctor);
