// SPDX-License-Identifier: BSD-3-Clause
// Unsigned integers of fixed size for structs shared by kernels and host.
#pragma once

#ifdef __OPENCL_C_VERSION__
typedef uchar lcl_u8;
typedef ushort lcl_u16;
typedef uint lcl_u32;
typedef ulong lcl_u64;
#else
typedef uint8_t lcl_u8;
typedef uint16_t lcl_u16;
typedef uint32_t lcl_u32;
typedef uint64_t lcl_u64;
#endif
