/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbol visibility and compiler annotations of the public headers. */
#ifndef LEVELCL_EXPORT_H
#define LEVELCL_EXPORT_H

#if defined(__GNUC__)
# define LCL_API       __attribute__((visibility("default")))
# define LCL_NODISCARD __attribute__((warn_unused_result))
#else
# define LCL_API
# define LCL_NODISCARD
#endif

#ifdef __cplusplus
# define LCL_BEGIN_DECLS extern "C" {
# define LCL_END_DECLS   }
#else
# define LCL_BEGIN_DECLS
# define LCL_END_DECLS
#endif

/* Zero initializer of every struct, used by the LCL_*_INIT macros. C has no
 * empty initializer before C23; C++ does not convert the 0 to an enum. */
/* clang-format off */
#ifdef __cplusplus
# define LCL_ZERO {}
#else
# define LCL_ZERO {0}
#endif
/* clang-format on */

#endif
