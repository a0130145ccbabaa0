// SPDX-License-Identifier: BSD-3-Clause
// Atomic fp64 addition: add_local() and add_global() among the work-items of a
// group, in local and in global memory; add_by_groups() among all groups, in
// global memory. LCL_ADD selects the method (enum lcl_atomic_add). Results are
// not bitwise reproducible. Groups of one work-item use plain additions.
#pragma once

#include "wave.cl.h"

#ifndef LCL_ADD
# define LCL_ADD 0 // 1: compare and swap, 2: extension, 3: NVIDIA, 4: AMD
#endif

#if LCL_ADD == 1 || LCL_ADD == 2
# pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif

// The first guess is 0: a plain read would race with other work-items.
#define ADD_BY_SWAP(name, space)                                               \
 static inline void name(volatile space double *p, double v)                   \
 {                                                                             \
  volatile space ulong *word = (volatile space ulong *)p;                      \
  ulong seen = 0, want;                                                        \
  do {                                                                         \
   want = seen;                                                                \
   seen = atom_cmpxchg(word, want, as_ulong(as_double(want) + v));             \
  } while (seen != want);                                                      \
 }

// The extension and AMD's builtin are known to work in local memory only: they
// define no add_by_groups().
#if LCL_ADD == 3
static inline void add_by_groups(volatile global double *p, double v)
{
    asm volatile("red.global.add.f64 [%0], %1;" : : "l"(p), "d"(v) : "memory");
}
#elif LCL_ADD == 1
ADD_BY_SWAP(add_by_groups, global)
#endif

#if LCL_GROUP == 1
static inline void add_local(local double *p, double v)
{
    *p += v;
}

static inline void add_global(global double *p, double v)
{
    *p += v;
}
#elif LCL_ADD != 0
# if LCL_ADD == 1
ADD_BY_SWAP(add_local, local)
# elif LCL_ADD == 2
static inline void add_local(volatile local double *p, double v)
{
    atomic_fetch_add_explicit((volatile local atomic_double *)p, v,
                              memory_order_relaxed, memory_scope_work_group);
}
# elif LCL_ADD == 3
static inline void add_local(volatile local double *p, double v)
{
    double old;
    asm volatile("atom.shared.add.f64 %0, [%1], %2;"
                 : "=d"(old)
                 : "r"((uint)(size_t)p), "d"(v)
                 : "memory");
}
# else
static inline void add_local(volatile local double *p, double v)
{
    __builtin_amdgcn_ds_atomic_fadd_f64((local double *)p, v);
}
# endif

# if LCL_ADD == 1 || LCL_ADD == 3
static inline void add_global(volatile global double *p, double v)
{
    add_by_groups(p, v);
}
# endif
#endif
#undef ADD_BY_SWAP
