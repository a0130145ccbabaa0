/* SPDX-License-Identifier: BSD-3-Clause */
/* The same options as text: one set of names in C, on the command line and in
 * JSON. */
#ifndef LEVELCL_OPTIONS_H
#define LEVELCL_OPTIONS_H

#include <levelcl/solver.h>

LCL_BEGIN_DECLS

struct lcl_options {
    struct lcl_precond_params precond;
    struct lcl_solver_params solver;
};

#define LCL_OPTIONS_INIT LCL_ZERO

/* Sets one option from "key=value", e.g. "rtol=1e-6", "precond=jacobi",
 * "partition=geometric:16,16,8", "max-iters=500". On error *options is as it
 * was and the log gets one sentence that names the nearest known key or value.
 * Returns LCL_OK, LCL_EINVAL (unknown key or bad value) or LCL_EUNSUPPORTED
 * (a known name whose method is not there yet). */
LCL_NODISCARD LCL_API enum lcl_status lcl_options_parse(
    struct lcl_options *options, const char *text, const struct lcl_log *log);

/* Number `index` of the known keys with its value syntax and help, for help
 * texts; NULL past the end. Static storage. */
struct lcl_option_help {
    const char *key;
    const char *values;
    const char *help;
};
LCL_API const struct lcl_option_help *lcl_options_help(int index);

/* Of `count` names the one nearest to `word` by edit distance, NULL if none is
 * near. */
LCL_API const char *lcl_nearest(const char *word, const char *const *names,
                                int count);

LCL_END_DECLS

#endif
