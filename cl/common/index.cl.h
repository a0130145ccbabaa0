// SPDX-License-Identifier: BSD-3-Clause
// Row pointers of a matrix.
#pragma once

#ifndef LCL_WIDE
# define LCL_WIDE 0 // 1: nearly 2^32 entries or more, 64-bit row pointers
#endif
#if LCL_WIDE
typedef ulong index_t;
#else
typedef uint index_t;
#endif
