// SPDX-License-Identifier: BSD-3-Clause
// Barriers, lane exchange and reductions within a work-group, on every device.
// This is the only file that knows how lanes exchange values.
//
// A group has LCL_GROUP work-items, a multiple of the wave width LCL_WIDTH, a
// power of two. All work-items of the group call every function that takes
// `scratch` (LCL_GROUP numbers of local memory) in uniform control flow: the
// exchange through local memory contains barriers, and PoCL's sub-group
// functions are barriers too. Sums have a fixed order.
#pragma once

#ifndef LCL_SINGLE
# define LCL_SINGLE 0 // 1: numbers are fp32
#endif
#if LCL_SINGLE
typedef float real;
#else
# pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#endif

#ifndef LCL_WIDTH
# define LCL_WIDTH 1 // lanes of a wave, power of two; 1: one item per group
#endif
#ifndef LCL_GROUP
# define LCL_GROUP LCL_WIDTH // work-items of a group
#endif

#if defined(LCL_EXCHANGE_INTEL) || defined(cl_intel_required_subgroup_size)
# define LCL_WAVE_SIZE __attribute__((intel_reqd_sub_group_size(LCL_WIDTH)))
#else
# define LCL_WAVE_SIZE
#endif
#if LCL_WIDTH == 1
# define WORK_GROUP __attribute__((reqd_work_group_size(1, 1, 1)))
#else
# define WORK_GROUP                                                            \
  __attribute__((reqd_work_group_size(LCL_GROUP, 1, 1))) LCL_WAVE_SIZE
#endif

// For functions called more than once with a pointer to local memory: PoCL 3.1
// gives a function that it does not inline its own copy of the local memory;
// PoCL 6 aborts if a kernel turns out not to need the memory it passes on. Also
// for functions of kernels with barriers that contain a barrier or take structs
// or pointers to private memory: Mesa's llvmpipe calls large ones, and such
// calls fail after a barrier (Mesa 25.0.7).
#define INLINE static inline __attribute__((always_inline))

// FETCH_AHEAD(p): on a CPU, starts to load the cache line at p; no more than a
// hint. PoCL's prefetch() does nothing.
#if LCL_WIDTH == 1 && (defined(__x86_64__) || defined(__aarch64__))
# define FETCH_AHEAD(p) __builtin_prefetch(p)
#else
# define FETCH_AHEAD(p) ((void)(p))
#endif

// ------------------------------------------------------------------- barriers

// Synchronises all work-items of the group and makes local memory consistent. A
// group of one wave needs less: AMD's compiler drops the barrier by itself; on
// NVIDIA the lanes of a warp need an explicit warp barrier.
#if LCL_GROUP == 1
# define GROUP_BARRIER()
# define GROUP_BARRIER_GLOBAL()
#elif LCL_GROUP == LCL_WIDTH && defined(LCL_EXCHANGE_NV_PTX)
# define GROUP_BARRIER()                                                       \
  asm volatile("bar.warp.sync 0xffffffff;" : : : "memory")
# define GROUP_BARRIER_GLOBAL() GROUP_BARRIER()
#else
# define GROUP_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
# define GROUP_BARRIER_GLOBAL()                                                \
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

// Synchronises the lanes of one wave, also in groups of several waves. All
// work-items of the group must reach it: without shuffles it is a group
// barrier.
#if LCL_GROUP > LCL_WIDTH && defined(LCL_EXCHANGE_NV_PTX)
# define WAVE_BARRIER() asm volatile("bar.warp.sync 0xffffffff;" : : : "memory")
#else
# define WAVE_BARRIER() GROUP_BARRIER()
#endif

// for (DOWNWARDS(i, n)): i = n - 1, ..., 0. PoCL 6 notes that a counter from 0
// upwards is the same on all lanes, then deletes the counter but not the note,
// which a new value may get with the address: one lane's value is then that of
// all. At risk in a kernel with barriers are values that are loaded or not,
// such as c ? a[i] : 0, and sums; there and in this file all loops count
// downwards, and loops over shuffles, which are barriers there, are unrolled.
#define DOWNWARDS(i, n)                                                        \
 uint i = (n);                                                                 \
 i-- > 0;

// for (ASCENDING(i, n)): i = 0, ..., n - 1, from a counter that runs downwards.
#define ASCENDING(i, n)                                                        \
 uint i##_left = (n), i = 0;                                                   \
 i = (n)-i##_left, i##_left > 0;                                               \
 --i##_left

// ------------------------------------------------------------------- exchange

// wave_sum(v, lanes, scratch): the sum over each run of `lanes` consecutive
// lanes, returned on each of them; lanes is a power of two up to the wave
// width, and a constant. With shuffles it is a butterfly over wave_xor(), the
// value of lane (own lane XOR mask); otherwise the lanes read local memory.
// wave_sum_any(v, lanes, scratch): the same for any `lanes`; one function for
// both would put shuffles under a condition, where PoCL 6 makes wrong sums.
// run_sum(v, first, count, scratch): the sum over `count` lanes of the wave
// starting at lane `first`; it adds the values of wave_from() (the value of a
// given lane) in ascending lane order. `first` may differ between lanes, the
// count may not: all lanes take part in each exchange.
// sum_below(v, scratch): the sum over the lower lanes of the wave.
// stride_sum(v, stride, count, scratch): on lane l < stride of the wave, the
// sum over the `count` >= 1 lanes l, l + stride, l + 2 * stride, ..., all of
// which must exist in the wave. The result on other lanes is undefined.
// wave_largest(v, lanes, scratch): the maximum over each run of `lanes` lanes.
// wave_steps(m, most, scratch): the maximum of m <= most, a constant, over all
// lanes that have to take part in an exchange; it may be `most`.
// WAVE_TAKE(from, v, lane, place): the v of lane `lane` of the wave, read with
// `from` (wave_from or its variants). For devices without shuffles, that lane
// first calls WAVE_POST(mine, v, place), with `mine` true on it only and
// `place` in local memory, and then all lanes call WAVE_POSTED().
#if LCL_WIDTH == 1 || defined(LCL_EXCHANGE_LOCAL)
# define wave_sum_any wave_sum
#endif
#if LCL_WIDTH == 1
static inline real wave_sum(real v, uint lanes, local real *scratch)
{
    return v;
}
static inline real run_sum(real v, uint first, uint count, local real *scratch)
{
    return v;
}
static inline real stride_sum(real v, uint stride, uint count,
                              local real *scratch)
{
    return v;
}
static inline real sum_below(real v, local real *scratch)
{
    return 0;
}
static inline uint wave_largest(uint v, uint lanes, local real *scratch)
{
    return v;
}
#elif defined(LCL_EXCHANGE_LOCAL)
# define WAVE_POST(mine, v, place)                                             \
  do {                                                                         \
   if (mine)                                                                   \
    *(place) = (v);                                                            \
  } while (0)
# define WAVE_POSTED()                   GROUP_BARRIER()
# define WAVE_TAKE(from, v, lane, place) ((void)(lane), *(place))
static inline real wave_sum(real v, uint lanes, local real *scratch)
{
    const uint lid = get_local_id(0), first = lid - lid % lanes;
    real sum = 0;
    if (lanes == 1)
        return v;
    GROUP_BARRIER();
    scratch[lid] = v;
    GROUP_BARRIER();
    for (ASCENDING(l, lanes))
        sum += scratch[first + l];
    return sum;
}
static inline real run_sum(real v, uint first, uint count, local real *scratch)
{
    const uint lid = get_local_id(0), wave = lid - lid % LCL_WIDTH;
    real sum = 0;
    GROUP_BARRIER();
    scratch[lid] = v;
    GROUP_BARRIER();
    for (ASCENDING(l, count))
        sum += scratch[wave + first + l];
    return sum;
}
INLINE real sum_below(real v, local real *scratch)
{
    const uint lid = get_local_id(0), lane = lid % LCL_WIDTH;
    real sum = 0;
    GROUP_BARRIER();
    scratch[lid] = v;
    GROUP_BARRIER();
    for (uint left = lane; left > 0; --left)
        sum += scratch[lid - left];
    return sum;
}
INLINE real stride_sum(real v, uint stride, uint count, local real *scratch)
{
    const uint lid = get_local_id(0);
    GROUP_BARRIER();
    scratch[lid] = v;
    GROUP_BARRIER();
    if (lid % LCL_WIDTH < stride)
        for (uint left = count - 1; left > 0; --left)
            v += scratch[lid + (count - left) * stride];
    return v;
}
INLINE uint wave_largest(uint v, uint lanes, local real *scratch)
{
    const uint lid = get_local_id(0), first = lid - lid % lanes;
    local uint *words = (local uint *)scratch;
    uint largest = 0;
    GROUP_BARRIER();
    words[lid] = v;
    GROUP_BARRIER();
    for (DOWNWARDS(l, lanes))
        largest = max(largest, words[first + l]);
    return largest;
}
#else
# define WAVE_POST(mine, v, place) ((void)(place))
# define WAVE_POSTED()
# define WAVE_TAKE(from, v, lane, place) ((void)(place), from(v, lane))
# if defined(LCL_EXCHANGE_NV_PTX)
static inline uint wave_xor_uint(uint v, uint mask)
{
    uint other;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                 : "=r"(other)
                 : "r"(v), "r"(mask));
    return other;
}
static inline uint wave_from_uint(uint v, uint lane)
{
    uint other;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                 : "=r"(other)
                 : "r"(v), "r"(lane));
    return other;
}
# elif defined(LCL_EXCHANGE_AMD)
static inline uint wave_from_uint(uint v, uint lane)
{
    return __builtin_amdgcn_ds_bpermute((int)lane * 4, (int)v);
}
static inline uint wave_xor_uint(uint v, uint mask)
{
    return wave_from_uint(v, (uint)(get_local_id(0) ^ mask) % LCL_WIDTH);
}
# elif defined(LCL_EXCHANGE_INTEL)
static inline uint wave_xor_uint(uint v, uint mask)
{
    return intel_sub_group_shuffle_xor(v, mask);
}
static inline uint wave_from_uint(uint v, uint lane)
{
    return intel_sub_group_shuffle(v, lane);
}
# else
#  pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
static inline uint wave_xor_uint(uint v, uint mask)
{
    return sub_group_shuffle_xor(v, mask);
}
static inline uint wave_from_uint(uint v, uint lane)
{
    return sub_group_shuffle(v, lane);
}
# endif
static inline float wave_from_float(float v, uint lane)
{
    return as_float(wave_from_uint(as_uint(v), lane));
}
# if LCL_SINGLE
static inline float wave_xor(float v, uint mask)
{
    return as_float(wave_xor_uint(as_uint(v), mask));
}
static inline float wave_from(float v, uint lane)
{
    return wave_from_float(v, lane);
}
# else
static inline double wave_xor(double v, uint mask)
{
    const uint2 a = as_uint2(v);
    return as_double(
        (uint2)(wave_xor_uint(a.x, mask), wave_xor_uint(a.y, mask)));
}
static inline double wave_from(double v, uint lane)
{
    const uint2 a = as_uint2(v);
    return as_double(
        (uint2)(wave_from_uint(a.x, lane), wave_from_uint(a.y, lane)));
}
# endif
static inline real wave_sum(real v, uint lanes, local real *scratch)
{
# pragma unroll
    for (uint mask = lanes / 2; mask > 0; mask /= 2)
        v += wave_xor(v, mask);
    return v;
}
static inline real wave_sum_any(real v, uint lanes, local real *scratch)
{
    for (uint mask = lanes / 2; mask > 0; mask /= 2)
        v += wave_xor(v, mask);
    return v;
}
// Lanes l and l XOR mask add up v[0 .. count-1]. The lane with `upper` true
// gets the second half of the sums, the other lane the first half.
static inline void wave_halve(real *v, uint count, uint mask, bool upper)
{
    const uint half_count = count / 2;
# pragma unroll
    for (ASCENDING(q, half_count)) {
        const real low = v[q], high = v[half_count + q];
        v[q] = (upper ? high : low) + wave_xor(upper ? low : high, mask);
    }
}
// wave_spread(v, count, masks): reduce-scatter of v[0 .. count-1] over the
// lanes reached by XOR with bits of `masks`. Each of these lanes gets `count`
// sums in v[0], v[1], ..., numbers `first`, first + 1, ...; `mine` is true on
// exactly one of the lanes that hold the same sums. With constant arguments v
// stays in registers.
# define WAVE_SPREADS
struct wave_share {
    uint first, count;
    bool mine;
};
static inline struct wave_share wave_spread(real *v, uint count, uint masks)
{
    const uint lane = get_local_id(0) % LCL_WIDTH;
    struct wave_share s = {0, count, true};
# pragma unroll
    for (uint mask = LCL_WIDTH / 2; mask > 0; mask /= 2) {
        const bool upper = (lane & mask) != 0;
        if ((masks & mask) == 0)
            continue;
        if (s.count % 2 == 0) {
            wave_halve(v, s.count, mask, upper);
            s.count /= 2;
            s.first += upper ? s.count : 0;
        } else {
# pragma unroll
            for (ASCENDING(q, s.count))
                v[q] += wave_xor(v[q], mask);
            s.mine = s.mine && !upper;
        }
    }
    return s;
}
static inline uint wave_largest(uint v, uint lanes, local real *scratch)
{
    for (uint mask = lanes / 2; mask > 0; mask /= 2)
        v = max(v, wave_xor_uint(v, mask));
    return v;
}
static inline real run_sum(real v, uint first, uint count, local real *scratch)
{
    real sum = 0;
# pragma unroll
    for (ASCENDING(l, count))
        sum += wave_from(v, first + l);
    return sum;
}
static inline real sum_below(real v, local real *scratch)
{
    const uint lane = get_local_id(0) % LCL_WIDTH;
    for (uint step = 1; step < LCL_WIDTH; step *= 2) {
        const real other = wave_from(v, (lane - step) % LCL_WIDTH);
        v += lane >= step ? other : 0;
    }
    const real below = wave_from(v, (lane - 1) % LCL_WIDTH);
    return lane > 0 ? below : 0;
}
static inline real stride_sum(real v, uint stride, uint count,
                              local real *scratch)
{
    const uint lane = get_local_id(0) % LCL_WIDTH, end = stride * count;
    uint step = count > 1 ? 1u << (31 - clz(count - 1)) : 0;
    for (; step > 0; step /= 2) {
        const uint from = lane + step * stride;
        const real other = wave_from(v, from % LCL_WIDTH);
        v += from < end ? other : 0;
    }
    return v;
}
#endif

// PoCL's sub-group functions contain barriers of the group.
INLINE uint wave_steps(uint m, uint most, local real *scratch)
{
#if LCL_WIDTH > 1 && (defined(LCL_EXCHANGE_LOCAL) || defined(LCL_EXCHANGE_KHR))
    return most;
#else
    return wave_largest(m, LCL_WIDTH, scratch);
#endif
}

// item_value(v, item, scratch): the v of another work-item of the group. All
// work-items call item_share() first and leave `scratch` unchanged in between.
// With SLAB_LANES <= LCL_WIDTH the other item must belong to the same wave.
#if LCL_WIDTH > 1
# if defined(LCL_EXCHANGE_LOCAL) ||                                            \
     (defined(SLAB_LANES) && SLAB_LANES > LCL_WIDTH)
static inline void item_share(real v, local real *scratch)
{
    GROUP_BARRIER();
    scratch[get_local_id(0)] = v;
    GROUP_BARRIER();
}
INLINE real item_value(real v, uint item, local const real *scratch)
{
    return scratch[item];
}
# else
static inline void item_share(real v, local real *scratch)
{
}
INLINE real item_value(real v, uint item, local const real *scratch)
{
    return wave_from(v, item % LCL_WIDTH);
}
# endif
#endif

// The sum over the waves of the group, returned on each work-item; all lanes of
// a wave pass the same value.
static inline real waves_sum(real v, local real *scratch)
{
#if LCL_GROUP > LCL_WIDTH
    const uint lid = get_local_id(0);
    GROUP_BARRIER();
    if (lid % LCL_WIDTH == 0)
        scratch[lid / LCL_WIDTH] = v;
    GROUP_BARRIER();
    v = 0;
    for (ASCENDING(w, LCL_GROUP / LCL_WIDTH))
        v += scratch[w];
    GROUP_BARRIER();
#endif
    return v;
}

// The sum over the group, returned on each work-item.
INLINE real group_sum(real v, local real *scratch)
{
    return waves_sum(wave_sum(v, LCL_WIDTH, scratch), scratch);
}

// ------------------------------------------------------------------- loops

// for (RANGE(i, n)): loops over this work-item's share of a vector: a
// contiguous chunk per item on a CPU (width 1), neighbouring elements on
// neighbouring lanes elsewhere. All groups together visit each i once.
#if LCL_WIDTH == 1
# define RANGE(i, n)                                                           \
  long i = (n) * (long)get_group_id(0) / (long)get_num_groups(0),              \
       i##_end = (n) * ((long)get_group_id(0) + 1) / (long)get_num_groups(0);  \
  i < i##_end;                                                                 \
  ++i
#else
# define RANGE(i, n)                                                           \
  long i = get_global_id(0);                                                   \
  i < (n);                                                                     \
  i += get_global_size(0)
#endif

// for (GROUP_RANGE(first, n, count)): all work-items of a group loop together
// and have the elements first .. first + count - 1: a contiguous chunk per
// group on a CPU, where count is 1, neighbouring elements in neighbouring
// groups elsewhere.
#if LCL_WIDTH == 1
# define GROUP_RANGE(first, n, count) RANGE(first, n)
#else
# define GROUP_RANGE(first, n, count)                                          \
  long first = (long)get_group_id(0) * (long)(count);                          \
  first < (n);                                                                 \
  first += (long)get_num_groups(0) * (long)(count)
#endif

// Number of t with first + t * 2^shift < count.
static inline uint turns_of(uint count, uint first, int shift)
{
    return first < count ? ((count - first - 1) >> shift) + 1 : 0;
}

// for (GROUP_DOWNWARDS(t, count)): the t < count that are this item's modulo
// LCL_GROUP, downwards.
#define GROUP_DOWNWARDS(t, count)                                              \
 uint t##_left =                                                               \
     ((count) + LCL_GROUP - 1 - (uint)get_local_id(0)) / LCL_GROUP,            \
      t = 0;                                                                   \
 t##_left > 0 && (t = --t##_left * LCL_GROUP + (uint)get_local_id(0), true);

// Range [x, y) of `count` elements that this item adds up: item l of the group
// gets the l-th contiguous run.
static inline uint2 slice_of(uint count)
{
    const uint each = (count + LCL_GROUP - 1) / LCL_GROUP;
    const uint from = min(count, (uint)get_local_id(0) * each);
    return (uint2)(from, min(count, from + each));
}
