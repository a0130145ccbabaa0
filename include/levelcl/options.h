/* SPDX-License-Identifier: BSD-3-Clause */
/* Options as text: one set of names for C, the command line and JSON. */
#ifndef LEVELCL_OPTIONS_H
#define LEVELCL_OPTIONS_H

#include <levelcl/solver.h>

LCL_BEGIN_DECLS

struct lcl_options {
    struct lcl_operator_params op;
    struct lcl_precond_params precond;
    struct lcl_solver_params solver;
};

#define LCL_OPTIONS_INIT LCL_ZERO

/* Sets one option from "key=value", e.g. "rtol=1e-6", "precond=jacobi",
 * "partition=geometric:16,16,8", "max-iters=500". On error *options is
 * unchanged and the library logs one sentence that names the nearest known key
 * or value.
 * Returns LCL_OK, LCL_EINVAL (unknown key or bad value) or LCL_EUNSUPPORTED (a
 * known name whose method is not implemented). */
LCL_NODISCARD LCL_API enum lcl_status lcl_options_parse(
    struct lcl_options *options, const char *text, const struct lcl_log *log);

/* Key number `index` with its value syntax and help, for help texts; NULL past
 * the end. Static storage. */
struct lcl_option_help {
    const char *key;
    const char *values;
    const char *help;
    const char *field;     /* of struct lcl_options: "solver.type" */
    const char *constants; /* how those of its values begin, "LCL_SOLVER_", or
                              NULL: a number or a switch */
};
LCL_API const struct lcl_option_help *lcl_options_help(int index);

/* The first of `count` names that begins with `word`, from 3 letters on, else
 * the nearest one by edit distance; NULL if none is close, and for NULL. */
LCL_API const char *lcl_nearest(const char *word, const char *const *names,
                                int count);

LCL_END_DECLS

#endif
