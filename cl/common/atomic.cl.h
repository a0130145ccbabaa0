// SPDX-License-Identifier: BSD-3-Clause
// Atomic addition: add_local() and add_global() among the work-items of a
// group, in local and in global memory; add_by_groups() among all groups, in
// global memory. LCL_ADD selects the method (enum lcl_atomic_add): for fp32
// only 1 and 3 exist. Results are not bitwise reproducible. Groups of one
// work-item use plain additions.
#pragma once

#include "wave.cl.h"

#ifndef LCL_ADD
# define LCL_ADD 0 // 1: compare and swap, 2: extension, 3: NVIDIA, 4: AMD
#endif

#if LCL_SINGLE
# define WORD      uint
# define AS_WORD   as_uint
# define AS_REAL   as_float
# define SWAP_WORD atomic_cmpxchg
# define PTX_ADD   "add.f32"
# define PTX_REAL  "f"
#else
# if LCL_ADD == 1 || LCL_ADD == 2
#  pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
# endif
# define WORD      ulong
# define AS_WORD   as_ulong
# define AS_REAL   as_double
# define SWAP_WORD atom_cmpxchg
# define PTX_ADD   "add.f64"
# define PTX_REAL  "d"
#endif

// The first guess is 0: a plain read would race with other work-items.
#define ADD_BY_SWAP(name, space)                                               \
 static inline void name(volatile space real *p, real v)                       \
 {                                                                             \
  volatile space WORD *word = (volatile space WORD *)p;                        \
  WORD seen = 0, want;                                                         \
  do {                                                                         \
   want = seen;                                                                \
   seen = SWAP_WORD(word, want, AS_WORD(AS_REAL(want) + v));                   \
  } while (seen != want);                                                      \
 }

// The extension and AMD's builtin are known to work in local memory only: they
// define no add_by_groups().
#if LCL_ADD == 3
static inline void add_by_groups(volatile global real *p, real v)
{
    asm volatile("red.global." PTX_ADD " [%0], %1;"
                 :
                 : "l"(p), PTX_REAL(v)
                 : "memory");
}
#elif LCL_ADD == 1
ADD_BY_SWAP(add_by_groups, global)
#endif

#if LCL_GROUP == 1
static inline void add_local(local real *p, real v)
{
    *p += v;
}

static inline void add_global(global real *p, real v)
{
    *p += v;
}
#elif LCL_ADD != 0
# if LCL_ADD == 1
ADD_BY_SWAP(add_local, local)
# elif LCL_ADD == 2
static inline void add_local(volatile local real *p, real v)
{
    atomic_fetch_add_explicit((volatile local atomic_double *)p, v,
                              memory_order_relaxed, memory_scope_work_group);
}
# elif LCL_ADD == 3
static inline void add_local(volatile local real *p, real v)
{
    real old;
    asm volatile("atom.shared." PTX_ADD " %0, [%1], %2;"
                 : "=" PTX_REAL(old)
                 : "r"((uint)(size_t)p), PTX_REAL(v)
                 : "memory");
}
# else
static inline void add_local(volatile local real *p, real v)
{
    __builtin_amdgcn_ds_atomic_fadd_f64((local double *)p, v);
}
# endif

# if LCL_ADD == 1 || LCL_ADD == 3
static inline void add_global(volatile global real *p, real v)
{
    add_by_groups(p, v);
}
# endif
#endif
#undef ADD_BY_SWAP
#undef WORD
#undef AS_WORD
#undef AS_REAL
#undef SWAP_WORD
#undef PTX_ADD
#undef PTX_REAL
