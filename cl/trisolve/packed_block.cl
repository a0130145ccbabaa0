// SPDX-License-Identifier: BSD-3-Clause
// x = (L D U)^-1 b for factors of blocks, on all subdomains in one launch, from
// packed levels:
//     L y = b,   x_i = D_i^-1 y_i - sum_j U_ij x_j
// A slot of the diagonal holds -D_i^-1 and its own row as column, so that every
// stage is
//     x_i = (x_i, or 0 if it begins with D_i) - sum_k val_k x[col_k].
//
// Data:   factor.cl.h; LCL_STORAGE is the format of values. Sums and the vector
//         are fp64.
// Launch: one group per subdomain, one lane per row of a stage; local memory
//         holds the vector, component by component, and, if LOCAL_STAGES > 0,
//         the table of stages. Planes are processed in storage order; small
//         slots are loaded two planes ahead of their use. Lanes beyond the last
//         row of a stage load the slots of that row, so that no load is
//         conditional.
// Width 1: one item per subdomain, in order, in place, without barriers.
// Determinism: bitwise; the products of a row in column order.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
#include "block_sums.cl.h"
#include "factor.cl.h"
#include "wave.cl.h"

#define ENTRIES (LCL_BLOCK * LCL_BLOCK)
#ifndef SUBDOMAIN_ROWS
# define SUBDOMAIN_ROWS 64 // rows of a subdomain held in local memory
#endif
#ifndef LOCAL_STAGES
# define LOCAL_STAGES 0 // stages held in local memory: their number + 1
#endif
#ifndef ADD_COARSE
# define ADD_COARSE 0 // 1: adds block aggregate[p] of coarse to each row of x
#endif

// -------------------------------------------------------------------- slots

#if LCL_STORAGE == 1
typedef double stored_t;
# define WORDS     ENTRIES
# define REGISTERS (2 * WORDS)
#elif LCL_STORAGE == 2
typedef float stored_t;
# define WORDS     ENTRIES
# define REGISTERS WORDS
#else
typedef uint stored_t;
# define WORDS     LCL_BF16_WORDS(ENTRIES)
# define REGISTERS WORDS
#endif

#if LCL_WIDTH == 1

# if LCL_STORAGE == 3
#  define COLUMN(val, col) (*(val)&0xffff)
# else
#  define COLUMN(val, col) (*(col))
# endif

// s = sum_k A_k x_(column of A_k)
INLINE void sum_slots(struct block_sums *s, block_ptr val,
                      global const ushort *col, uint count,
                      global const double *x)
{
    block_sums_clear(s);
    for (uint k = 0; k < count; ++k, val += WORDS)
        block_sums_add(s, val, x + (uint)COLUMN(val, col + k) * LCL_BLOCK);
}

WORK_GROUP
kernel void packed_block(global const struct lcl_part *parts,
                         global const struct lcl_step *steps,
                         global const ushort *col, global const stored_t *val,
                         global const double *b, global double *x,
                         global const int *stop, int at,
                         global const double *coarse,
                         global const int *aggregate)
{
    struct block_sums s;
    if (stop[at])
        return;
    const struct lcl_part p = parts[get_group_id(0)];
    steps += p.step;
    col += p.slot;
    val += p.slot * WORDS;
    b += (ulong)p.row * LCL_BLOCK;
    x += (ulong)p.row * LCL_BLOCK;
    for (uint i = 0; i < p.rows; ++i) {
        const ulong first = steps[i].lower;
        sum_slots(&s, val + first * WORDS, col + first, steps[i].lower_planes,
                  x);
# pragma unroll
        for (uint r = 0; r < LCL_BLOCK; ++r)
            x[i * LCL_BLOCK + r] = b[i * LCL_BLOCK + r] - block_sums_row(&s, r);
    }
    for (uint i = p.rows; i-- > 0;) {
        const ulong first = steps[i].upper;
        sum_slots(&s, val + first * WORDS, col + first, steps[i].upper_planes,
                  x);
# pragma unroll
        for (uint r = 0; r < LCL_BLOCK; ++r)
            x[i * LCL_BLOCK + r] = -block_sums_row(&s, r);
    }
# if ADD_COARSE
    coarse += aggregate[get_group_id(0)] * LCL_BLOCK;
    for (uint i = 0; i < p.rows * LCL_BLOCK; ++i)
        x[i] += coarse[i % LCL_BLOCK];
# endif
}

#else

// HELD: a slot is loaded into registers as a whole; otherwise its values are
// loaded where they are used.
# if REGISTERS <= 40
#  define HELD 1
# else
#  define HELD 0
# endif

struct slot {
# if HELD
    stored_t word[WORDS];
# else
    global const stored_t *word;
    uint stride;
# endif
    uint col;
};

INLINE stored_t word(const struct slot *s, uint k)
{
# if HELD
    return s->word[k];
# else
    return s->word[k * s->stride];
# endif
}

INLINE void load(struct slot *s, global const stored_t *val,
                 global const ushort *col, uint stride)
{
# if HELD
#  pragma unroll
    for (uint k = 0; k < WORDS; ++k)
        s->word[k] = val[k * stride];
# else
    s->word = val;
    s->stride = stride;
# endif
# if LCL_STORAGE == 3
    s->col = word(s, 0) & 0xffff;
# else
    s->col = *col;
# endif
}

INLINE double entry(const struct slot *s, uint e)
{
# if LCL_STORAGE == 3
    return BF16_ENTRY(word(s, (e + 1) / 2), e);
# else
    return word(s, e);
# endif
}

INLINE void set_zero(double *y)
{
# pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        y[c] = 0;
}

// y = y - A v
INLINE void subtract(double *y, const struct slot *A, const double *v)
{
# pragma unroll
    for (uint r = 0; r < LCL_BLOCK; ++r)
# pragma unroll
        for (uint c = 0; c < LCL_BLOCK; ++c)
            y[r] -= entry(A, r * LCL_BLOCK + c) * v[c];
}

# if LOCAL_STAGES > 0
#  define TABLE local
# else
#  define TABLE global
# endif

// A pass over the planes of a subdomain.
struct run {
    TABLE const struct lcl_stage *next; // stage after the current one
    uint stages;                        // number of stages from `next` on
    struct lcl_stage w;                 // current stage
    uint plane;                         // current plane of w
};

// Advances to the next plane; w.planes is 0 after the last.
INLINE void advance(struct run *run)
{
    const struct lcl_stage none = {0, 0, 0, 0};
    if (++run->plane < run->w.planes)
        return;
    run->plane = 0;
    run->w = none;
    if (run->stages == 0)
        return;
    run->w = *run->next++;
    --run->stages;
}

// The lane's row in a stage; lanes beyond the last row take the last.
INLINE uint lane_of(struct lcl_stage w)
{
    return min((uint)get_local_id(0), (uint)max((int)w.rows - 1, 0));
}

// The values of a subdomain in storage order.
struct stream {
    struct run run;
    global const stored_t *val; // of the plane to load next
    global const ushort *col;
};

INLINE void fetch(struct stream *s, struct slot *to)
{
    const struct lcl_stage w = s->run.w;
    const uint lane = lane_of(w);
    load(to, s->val + lane, s->col + lane, w.rows);
    s->val += w.rows * WORDS;
    s->col += w.rows;
    advance(&s->run);
}

INLINE void read_row(double *v, local const double *y, uint row)
{
# pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        v[c] = y[c * SUBDOMAIN_ROWS + row];
}

INLINE void write_row(local double *y, uint row, const double *v)
{
# pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        y[c * SUBDOMAIN_ROWS + row] = v[c];
}

// Processes one plane of the lane's row and accumulates the row's result in
// `sum`. Lanes beyond the last row do not read y, which other lanes write.
INLINE void do_plane(struct run *run, const struct slot *A, double *sum,
                     local double *y)
{
    const struct lcl_stage w = run->w;
    const uint row = w.first + get_local_id(0);
    const bool mine = get_local_id(0) < w.rows;
    double v[LCL_BLOCK];
    set_zero(v);
    if (mine && w.planes > 0)
        read_row(v, y, A->col);
    if (run->plane == 0) {
        set_zero(sum);
        if (mine && !(w.flags & LCL_STAGE_DIAGONAL))
            read_row(sum, y, row);
    }
    if (w.planes > 0)
        subtract(sum, A, v);
    advance(run);
    if (run->plane == 0 && mine)
        write_row(y, row, sum);
}

// Place in y, which is stored component by component, of component i of a
// vector.
# define LOADS 16
INLINE uint place_of(uint i)
{
    const uint row = i / LCL_BLOCK;
    return (i - row * LCL_BLOCK) * SUBDOMAIN_ROWS + row;
}

INLINE void load_vector(local double *y, global const double *b, uint n)
{
    for (uint first = 0; first < n; first += LOADS * LCL_GROUP) {
        double part[LOADS];
# pragma unroll
        for (uint k = 0; k < LOADS; ++k) {
            const uint i = first + k * LCL_GROUP + get_local_id(0);
            part[k] = i < n ? b[i] : 0;
        }
# pragma unroll
        for (uint k = 0; k < LOADS; ++k) {
            const uint i = first + k * LCL_GROUP + get_local_id(0);
            if (i < n)
                y[place_of(i)] = part[k];
        }
    }
}

// Processes a plane with the slot `now` and loads the one after the next into
// `then`.
# define PLANE(now, then)                                                      \
  fetch(&stream, &then);                                                       \
  do_plane(&run, &now, sum, y);                                                \
  GROUP_BARRIER();

WORK_GROUP
kernel void packed_block(global const struct lcl_part *restrict parts,
                         global const struct lcl_stage *restrict all_stages,
                         global const ushort *restrict col,
                         global const stored_t *restrict val,
                         global const double *restrict b,
                         global double *restrict x, global const int *stop,
                         int at, global const double *restrict coarse,
                         global const int *restrict aggregate)
{
    local double y[LCL_BLOCK * SUBDOMAIN_ROWS];
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    const uint n = p.rows * LCL_BLOCK;
    if (stop[at])
        return;
# if LOCAL_STAGES > 0
    local struct lcl_stage stages[LOCAL_STAGES];
    for (uint t = lid; t < p.stages; t += LCL_GROUP)
        stages[t] = all_stages[p.stage + t];
# else
    global const struct lcl_stage *stages = all_stages + p.stage;
# endif
    load_vector(y, b + (ulong)p.row * LCL_BLOCK, n);
    GROUP_BARRIER();

    struct run run = {stages + 1, p.stages - 1, stages[0], 0};
    struct stream stream = {run, val + p.slot * WORDS, col + p.slot};
    struct slot first, second, third;
    double sum[LCL_BLOCK];
    fetch(&stream, &first);
    fetch(&stream, &second);
    while (run.w.planes > 0) {
        PLANE(first, third)
        PLANE(second, first)
        PLANE(third, second)
    }
    x += (ulong)p.row * LCL_BLOCK;
# if ADD_COARSE
    coarse += aggregate[get_group_id(0)] * LCL_BLOCK;
    for (uint i = lid; i < n; i += LCL_GROUP)
        x[i] = y[place_of(i)] + coarse[i % LCL_BLOCK];
# else
    for (uint i = lid; i < n; i += LCL_GROUP)
        x[i] = y[place_of(i)];
# endif
}
#endif
