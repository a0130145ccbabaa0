// SPDX-License-Identifier: BSD-3-Clause
// x = (L D U)^-1 b for factors of blocks, on all subdomains in one launch, from
// packed levels:
//     L y = b,   x_i = D_i^-1 y_i - sum_j U_ij x_j
// A slot of the diagonal holds -D_i^-1 and its own row as column, so that every
// sweep is
//     x_i = (x_i, or 0 where it begins with D_i) - sum_k val_k x[col_k].
//
// Data:   factor.cl.h; LCL_STORAGE tells how values are stored. Sums and the
//         vector are fp64.
// Launch: one group a subdomain; its vector, component by component, and, where
//         LCL_SWEEPS > 0, its table of sweeps stand in local memory. A lane
//         does a row of a sweep. It takes its slots in the order in which they
//         are stored; small ones are read into registers ahead of their use,
//         across sweeps, so that no sweep waits for global memory.
// Width 1: an item does a subdomain in order, in place, without barriers.
// Determinism: bitwise; a row's products in column order.
// `stop[at]` other than 0: the caller has stopped, nothing is done.
#include "factor.cl.h"
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 3 // rows and columns of a block, 2 to 8
#endif
#define ENTRIES (LCL_BLOCK * LCL_BLOCK)
#ifndef LCL_STORAGE
# define LCL_STORAGE 1 // 1: fp64, 2: fp32, 3: bf16
#endif
#ifndef LCL_ROWS
# define LCL_ROWS 64 // rows of a subdomain held in local memory
#endif
#ifndef LCL_SWEEPS
# define LCL_SWEEPS 0 // sweeps of a subdomain held in local memory; 0: in place
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

// Whether a slot is read into registers as a whole: small ones, by lanes that
// wait for each other. Else its values are read where they are used.
#if LCL_WIDTH > 1 && REGISTERS <= 40
# define HELD 1
#else
# define HELD 0
#endif

struct slot {
#if HELD
    stored_t word[WORDS];
#else
    global const stored_t *word;
    uint stride;
#endif
    uint col;
};

static inline stored_t word(const struct slot *s, uint k)
{
#if HELD
    return s->word[k];
#else
    return s->word[k * s->stride];
#endif
}

static inline void load(struct slot *s, global const stored_t *val,
                        global const ushort *col, uint stride)
{
#if HELD
# pragma unroll
    for (uint k = 0; k < WORDS; ++k)
        s->word[k] = val[k * stride];
#else
    s->word = val;
    s->stride = stride;
#endif
#if LCL_STORAGE == 3
    s->col = word(s, 0) & 0xffff;
#else
    s->col = *col;
#endif
}

static inline double entry(const struct slot *s, uint e)
{
#if LCL_STORAGE == 3
    const uint pair = word(s, (e + 1) / 2);
    return as_float(e % 2 == 0 ? pair & 0xffff0000 : pair << 16);
#else
    return word(s, e);
#endif
}

static inline void set_zero(double *y)
{
#pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        y[c] = 0;
}

// y = y - A v
static inline void subtract(double *y, const struct slot *A, const double *v)
{
#pragma unroll
    for (uint r = 0; r < LCL_BLOCK; ++r)
#pragma unroll
        for (uint c = 0; c < LCL_BLOCK; ++c)
            y[r] -= entry(A, r * LCL_BLOCK + c) * v[c];
}

#if LCL_WIDTH == 1

static inline void read_row(double *y, global const double *x, ulong row)
{
# pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        y[c] = x[row * LCL_BLOCK + c];
}

static inline void write_row(global double *x, ulong row, const double *y)
{
# pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        x[row * LCL_BLOCK + c] = y[c];
}

// y = y - sum_k A_k x_(column of A_k)
static inline void subtract_row(double *y, global const stored_t *val,
                                global const ushort *col, uint count,
                                global const double *x)
{
    struct slot A;
    double v[LCL_BLOCK];
    for (uint k = 0; k < count; ++k) {
        load(&A, val + k * WORDS, col + k, 1);
        read_row(v, x, A.col);
        subtract(y, &A, v);
    }
}

WORK_GROUP
kernel void packed_block(global const struct lcl_part *parts,
                         global const struct lcl_step *steps,
                         global const ushort *col, global const stored_t *val,
                         global const double *b, global double *x,
                         global const int *stop, int at)
{
    if (stop[at])
        return;
    const struct lcl_part p = parts[get_group_id(0)];
    double y[LCL_BLOCK];
    steps += p.step;
    col += p.slot;
    val += p.slot * WORDS;
    b += (ulong)p.row * LCL_BLOCK;
    x += (ulong)p.row * LCL_BLOCK;
    for (uint i = 0; i < p.rows; ++i) {
        const ulong first = steps[i].lower;
        read_row(y, b, i);
        subtract_row(y, val + first * WORDS, col + first, steps[i].lower_planes,
                     x);
        write_row(x, i, y);
    }
    for (uint i = p.rows; i-- > 0;) {
        const ulong first = steps[i].upper;
        set_zero(y);
        subtract_row(y, val + first * WORDS, col + first, steps[i].upper_planes,
                     x);
        write_row(x, i, y);
    }
}

#else

// Slots that a lane has on their way: as many as there are registers for.
# if !HELD
#  define AHEAD 0
# elif REGISTERS > 10
#  define AHEAD (40 / REGISTERS)
# else
#  define AHEAD 4
# endif

# if LCL_SWEEPS > 0
#  define TABLE local
# else
#  define TABLE global
# endif

// The slots of a lane in the order in which they are stored.
struct stream {
    global const stored_t *val; // of the next one to load
    global const ushort *col;
    TABLE const struct lcl_sweep *next; // sweep after its own
    uint sweeps;                        // from there on
    uint rows, planes;                  // of its own sweep, and still to come
# if AHEAD > 0
    struct slot ahead[AHEAD];
# endif
};

// Starts to load the next slot, if there is one and the lane has a row.
static inline void fetch(struct stream *s, struct slot *to)
{
    if (s->planes == 0) {
        if (s->sweeps == 0)
            return;
        s->rows = s->next->rows;
        s->planes = s->next->planes;
        ++s->next;
        --s->sweeps;
    }
    if (get_local_id(0) < s->rows)
        load(to, s->val, s->col, s->rows);
    s->val += s->rows * WORDS;
    s->col += s->rows;
    --s->planes;
}

static inline void start(struct stream *s)
{
# if AHEAD > 0
#  pragma unroll
    for (uint k = 0; k < AHEAD; ++k)
        fetch(s, &s->ahead[k]);
# endif
}

// The next slot of the lane.
static inline void take(struct stream *s, struct slot *A)
{
# if AHEAD > 0
    *A = s->ahead[0];
#  pragma unroll
    for (uint k = 1; k < AHEAD; ++k)
        s->ahead[k - 1] = s->ahead[k];
    fetch(s, &s->ahead[AHEAD - 1]);
# else
    fetch(s, A);
# endif
}

// Where component i of the subdomain's vector stands in local memory.
static inline uint place(uint i)
{
    const uint row = i / LCL_BLOCK;
    return (i - row * LCL_BLOCK) * LCL_ROWS + row;
}

static inline void read_row(double *v, local const double *y, uint row)
{
# pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        v[c] = y[c * LCL_ROWS + row];
}

static inline void write_row(local double *y, uint row, const double *v)
{
# pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        y[c * LCL_ROWS + row] = v[c];
}

// Row first + lane of a sweep.
static inline void do_sweep(struct stream *s, struct lcl_sweep w,
                            local double *y)
{
    const uint lid = get_local_id(0), row = w.first + lid;
    const bool active = lid < w.rows;
    double y_i[LCL_BLOCK], v[LCL_BLOCK];
    struct slot A;
    set_zero(y_i);
    if (active && !(w.flags & LCL_SWEEP_DIAGONAL))
        read_row(y_i, y, row);
    for (uint k = 0; k < w.planes; ++k) {
        take(s, &A);
        if (active) {
            read_row(v, y, A.col);
            subtract(y_i, &A, v);
        }
    }
    if (active)
        write_row(y, row, y_i);
}

WORK_GROUP
kernel void packed_block(global const struct lcl_part *restrict parts,
                         global const struct lcl_sweep *restrict all_sweeps,
                         global const ushort *restrict col,
                         global const stored_t *restrict val,
                         global const double *restrict b,
                         global double *restrict x, global const int *stop,
                         int at)
{
    local double y[LCL_BLOCK * LCL_ROWS];
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    if (stop[at])
        return;
# if LCL_SWEEPS > 0
    local struct lcl_sweep sweeps[LCL_SWEEPS];
    for (uint t = lid; t < p.sweeps; t += LCL_GROUP)
        sweeps[t] = all_sweeps[p.sweep + t];
# else
    global const struct lcl_sweep *sweeps = all_sweeps + p.sweep;
# endif
    const uint n = p.rows * LCL_BLOCK;
    b += (ulong)p.row * LCL_BLOCK;
    x += (ulong)p.row * LCL_BLOCK;
    for (uint i = lid; i < n; i += LCL_GROUP)
        y[place(i)] = b[i];
    GROUP_BARRIER();

    struct stream stream = {.val = val + p.slot * WORDS + lid,
                            .col = col + p.slot + lid,
                            .next = sweeps,
                            .sweeps = p.sweeps,
                            .rows = 0,
                            .planes = 0};
    start(&stream);
    for (uint t = 0; t < p.sweeps; ++t) {
        do_sweep(&stream, sweeps[t], y);
        GROUP_BARRIER();
    }
    for (uint i = lid; i < n; i += LCL_GROUP)
        x[i] = y[place(i)];
}
#endif
