// SPDX-License-Identifier: BSD-3-Clause
// Vector kernels of preconditioned MINRES (Paige and Saunders, SIAM J. Numer.
// Anal. 12 (1975)): two kernels per iteration around one product with A and one
// with M^-1. The Lanczos vectors v are not normalised: z = M^-1 v, b^2 = <v,
// z>.
//
//                [q = A z;  <z, q>]
//     minres_v:  a = <z, q> / b^2;  v'' = q / b - (a / |b|) v - (b / b') v'
//                [z'' = M^-1 v'';  <v'', z''>]
//     minres_x:  w'' = (z / b - d w - e w') / rho;  x = x + f w''
//                r = s^2 r - (f / rho) v'';  <r, r>
//
// v' and w' are the vectors of the iteration before; v'' and w'' take their
// places. The plane rotation (c, s) makes the tridiagonal matrix of the a and b
// triangular, with the column (e, d, rho); f = c phi, and phi becomes s phi.
//
// MINRES minimises phi, the norm of r that M^-1 induces, but a solve ends by
// ||r||. No scalar of the recurrence tells it: r is updated, for 3 of the 13
// vectors that the kernels move besides the products. Without preconditioner z
// is v and phi is ||r||, so that r is not needed: 10 vectors. M may be negative
// definite: b then is negative, and MINRES takes the same steps as for -M.
#include "krylov.cl.h"
#include "minres.cl.h"

struct scalars {
    double b;    // sqrt |<v, z>|, with the sign of <v, z>
    double c, s; // the last rotation
    double d, e; // what rotations have made of column `it`
    double phi;  // ||r|| in the norm of M^-1
};

static inline int place_of(int it)
{
    return MINRES_SCALARS + it % 2 * MINRES_COUNT;
}

static inline struct scalars load_scalars(global const double *state, int it)
{
    global const double *own = state + place_of(it);
    const struct scalars t = {own[0], own[1], own[2], own[3], own[4], own[5]};
    return t;
}

static inline void store_scalars(global double *state, int it, struct scalars t)
{
    global double *own = state + place_of(it);
    own[0] = t.b;
    own[1] = t.c;
    own[2] = t.s;
    own[3] = t.d;
    own[4] = t.e;
    own[5] = t.phi;
}

// sqrt |vz| with the sign of vz.
static inline double signed_root(double vz)
{
    return copysign(sqrt(fabs(vz)), vz);
}

static inline struct scalars first_scalars(double vz)
{
    const double b = signed_root(vz);
    const struct scalars t = {b, -1, 0, 0, 0, fabs(b)};
    return t;
}

static inline int judge_v(double b, double alpha, double rr, double limit)
{
    if (!isfinite(rr))
        return KRYLOV_NOT_FINITE;
    if (rr <= limit)
        return KRYLOV_CONVERGED;
    if (!isfinite(b))
        return KRYLOV_NOT_FINITE;
    if (b == 0)
        return KRYLOV_INDEFINITE_M;
    return isfinite(alpha) ? 0 : KRYLOV_NOT_FINITE;
}

// `dots` holds the partial sums of <z, q> of `groups` groups; `sums` those of
// <v, z>, which only iteration 0 reads, and, in its second half, of <r, r>.
// With `plain` z is v, only iteration 0 reads <r, r>, and the first half
// receives <v'', v''>. `v_old` is v' and becomes v''. `limit` is the squared
// tolerance.
WORK_GROUP
kernel void minres_v(int it, long n, double limit, int groups, int plain,
                     global const double *dots, global double *sums,
                     global const double *restrict q,
                     global const double *restrict v,
                     global double *restrict v_old, global double *state,
                     global int *stop)
{
    local double scratch[LCL_GROUP];
    const double own_zq = krylov_share(dots, groups);
    const double own_rr = krylov_share(sums + groups, groups);
    const double own_vz = plain ? own_rr : krylov_share(sums, groups);
    // iteration 0 stores its scalars, so that it must not load them
    struct scalars t = load_scalars(state, it == 0 ? 1 : it);
    const double old_b = state[place_of(it + 1)];
    if (krylov_is_over(stop, MINRES_STOP_X, MINRES_STOP_V))
        return;
    const double zq = group_sum(own_zq, scratch);
    const double sum = group_sum(own_rr, scratch);
    const double rr =
        krylov_residual(state, plain && it > 0 ? t.phi * t.phi : sum);
    if (it == 0)
        t = first_scalars(group_sum(own_vz, scratch));
    const double alpha = krylov_ratio(zq, t.b * t.b);
    const int reason = judge_v(t.b, alpha, rr, limit);
    if (krylov_is_lead()) {
        krylov_decide(state, stop, MINRES_STOP_V, reason);
        krylov_note(state, it, rr);
        state[MINRES_ALPHA] = alpha;
        if (it == 0)
            store_scalars(state, it, t);
    }
    if (reason)
        return;
    const double of_q = krylov_ratio(1.0, t.b), of_v = alpha * fabs(of_q);
    const double of_old = it == 0 ? 0.0 : krylov_ratio(t.b, old_b);
    double vv = 0;
    for (RANGE(i, n)) {
        const double v_i = of_q * q[i] - of_v * v[i] - of_old * v_old[i];
        v_old[i] = v_i;
        vv += v_i * v_i;
    }
    if (!plain)
        return;
    vv = group_sum(vv, scratch);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = vv;
}

// sqrt(a^2 + b^2); hypot() of some drivers divides by 0.
static inline double length_of(double a, double b)
{
    const double large = fmax(fabs(a), fabs(b)), small = fmin(fabs(a), fabs(b));
    const double ratio = small / fmax(large, 0x1p-1022);
    return large * sqrt(1.0 + ratio * ratio);
}

// Column `it` of the triangular factor: the diagonal element, and the two above
// it, from near to far.
struct column {
    double rho, d, e;
};

// The scalars after the rotation of column `it`, for which `b` is the element
// below the diagonal; *column has 1 / rho in place of rho.
static inline struct scalars rotate(struct scalars t, double alpha, double b,
                                    struct column *column)
{
    const double size = fabs(b);
    const double before = t.s * t.d - t.c * alpha;
    const double rho = length_of(before, size);
    struct scalars u;
    column->d = t.c * t.d + t.s * alpha;
    column->e = t.e;
    column->rho = rho;
    u.b = b;
    u.c = before * krylov_ratio(1.0, rho);
    u.s = size * krylov_ratio(1.0, rho);
    u.d = -t.c * size;
    u.e = t.s * size;
    u.phi = u.s * t.phi;
    return u;
}

// Whether the diagonal element is rounding error.
static inline bool is_singular(struct column column)
{
    const double others = length_of(column.d, column.e);
    return !isfinite(krylov_ratio(1.0, column.rho)) ||
           column.rho <= KRYLOV_TINY * others;
}

static inline int judge_x(double b, double vz, struct column column)
{
    if (!isfinite(vz))
        return KRYLOV_NOT_FINITE;
    if (vz != 0 && (vz > 0) != (b > 0))
        return KRYLOV_INDEFINITE_M;
    return is_singular(column) ? KRYLOV_BREAKDOWN_SPACE : 0;
}

// `sums` holds <v'', z''>; its second half receives <r, r>. With `plain` r is
// not updated and v is not read. `v` is v'', `w` w, and `w_old` w', which
// becomes w''.
WORK_GROUP
kernel void minres_x(int it, long n, int groups, int plain, global double *sums,
                     global const double *restrict z,
                     global const double *restrict v,
                     global const double *restrict w,
                     global double *restrict w_old, global double *restrict x,
                     global double *restrict r, global double *state,
                     global int *stop)
{
    local double scratch[LCL_GROUP];
    const double own_vz = krylov_share(sums, groups);
    const struct scalars t = load_scalars(state, it);
    const double alpha = state[MINRES_ALPHA];
    if (krylov_is_over(stop, MINRES_STOP_V, MINRES_STOP_X))
        return;
    const double vz = group_sum(own_vz, scratch);
    struct column column;
    const struct scalars u = rotate(t, alpha, signed_root(vz), &column);
    const int reason = judge_x(t.b, vz, column);
    if (krylov_is_lead()) {
        krylov_decide(state, stop, MINRES_STOP_X, reason);
        store_scalars(state, it + 1, u);
    }
    if (reason)
        return;
    const double inverse = krylov_ratio(1.0, column.rho);
    const double of_z = krylov_ratio(inverse, t.b);
    const double of_w = column.d * inverse, of_old = column.e * inverse;
    const double step = u.c * t.phi, decay = u.s * u.s;
    for (RANGE(i, n)) {
        const double w_i = of_z * z[i] - of_w * w[i] - of_old * w_old[i];
        w_old[i] = w_i;
        x[i] += step * w_i;
    }
    if (plain)
        return;
    double rr = 0;
    for (RANGE(i, n)) {
        const double r_i = decay * r[i] - step * inverse * v[i];
        r[i] = r_i;
        rr += r_i * r_i;
    }
    rr = group_sum(rr, scratch);
    if (get_local_id(0) == 0)
        sums[groups + get_group_id(0)] = rr;
}
