/* SPDX-License-Identifier: BSD-3-Clause */
/* 64-bit compare and swap, which libclc lacks for NVIDIA and every NVIDIA
 * driver provides. compile.sh prepends it to kernels; drivers never see it. */
#pragma once

#define LCL_ATOM_CMPXCHG(space, name, type)                                    \
 inline __attribute__((overloadable)) type atom_cmpxchg(                       \
     volatile space type *p, type expected, type desired)                      \
 {                                                                             \
  type old;                                                                    \
  __asm__ volatile("atom." name ".cas.b64 %0, [%1], %2, %3;"                   \
                   : "=l"(old)                                                 \
                   : "l"(p), "l"(expected), "l"(desired)                       \
                   : "memory");                                                \
  return old;                                                                  \
 }

LCL_ATOM_CMPXCHG(__global, "global", ulong)
LCL_ATOM_CMPXCHG(__global, "global", long)
LCL_ATOM_CMPXCHG(__local, "shared", ulong)
LCL_ATOM_CMPXCHG(__local, "shared", long)

#undef LCL_ATOM_CMPXCHG
