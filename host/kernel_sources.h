// SPDX-License-Identifier: BSD-3-Clause
// The embedded kernel sources, generated from cl/ at build time.
#pragma once

struct lcl_source {
    const char *name;         // "packed.cl"
    const char *const *parts; // headers, then the kernel's own text, each
                              // starting with #line; NULL-terminated
};

// The kernel files; terminated by a NULL name.
extern const struct lcl_source lcl_sources[];
