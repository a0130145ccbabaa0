// SPDX-License-Identifier: BSD-3-Clause
// The methods of a chain after the first one.
#pragma once

#include "lib/chain/choose.h"

// How much of the couplings the factors tried before have dropped between
// subdomains, as far as a method depends on it.
enum lcl_dropped {
    LCL_DROPPED_ANY,
    LCL_DROPPED_LITTLE,
    LCL_DROPPED_MUCH,
};

// What they depend on.
struct lcl_setting {
    const lcl_operator *A;
    enum lcl_solver_type solver;   // of the first method
    enum lcl_precond_type precond; // the same
    bool asked;                    // as in struct lcl_plan
};

// A later method. tests/api/methods.py compares documents with these.
struct lcl_later {
    enum lcl_shape shape;                       // the operators that it is for
    bool (*holds)(const struct lcl_setting *s); // NULL: always
    const char *when; // the same in words, for the documents
    enum lcl_solver_type solver;
    // DEFAULT: that of the first method, with its parameters
    struct lcl_precond_params precond;
    enum lcl_dropped dropped;
    const char *variant; // as in struct lcl_attempt
};

// Those that hold are tried in this order.
extern const struct lcl_later lcl_later[];
extern const int lcl_later_count;
