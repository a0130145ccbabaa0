// SPDX-License-Identifier: BSD-3-Clause
// Types of the row pointers of C = A B.
#pragma once

#ifndef LCL_WIDE
# define LCL_WIDE 0 // 1: 64-bit row pointers of A
#endif
#ifndef WIDE_B
# define WIDE_B 0 // the same of B
#endif
#ifndef WIDE_C
# define WIDE_C 0 // the same of C
#endif

#if LCL_WIDE
typedef ulong a_index;
#else
typedef uint a_index;
#endif
#if WIDE_B
typedef ulong b_index;
#else
typedef uint b_index;
#endif
#if WIDE_C
typedef ulong c_index;
#else
typedef uint c_index;
#endif
