// SPDX-License-Identifier: BSD-3-Clause
// Tables of the names under which enum values are printed and parsed.
#pragma once

// name[value] for value = 0 .. count-1. Where value 0 is a default it has the
// name of the method that it stands for, so a parser takes the last match.
struct lcl_names {
    const char *const *name;
    int count;
};

extern const struct lcl_names lcl_solver_names;
extern const struct lcl_names lcl_precond_names;
extern const struct lcl_names lcl_trisolve_names;
extern const struct lcl_names lcl_partition_names;
extern const struct lcl_names lcl_pivot_names;
extern const struct lcl_names lcl_weights_names;
