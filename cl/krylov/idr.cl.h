// SPDX-License-Identifier: BSD-3-Clause
// Shared by idr.cl and idr_step.cl: right-preconditioned IDR(s), biorthogonal
// variant (van Gijzen and Sonneveld, ACM TOMS 38(1), 2011, Algorithm 913),
// s = IDR_S. A cycle is s inner steps (idr_step.cl) and one outer step
// (idr.cl), each around one product with A and one with M^-1. P holds the
// shadow vectors, G and U the directions, G = A U; m is the s x s lower
// triangle of <p_i, g_j>:
//
//     idr_v:     [once per cycle]  m c = f;  v = r - sum c_j g_j
//     inner step k = 0 .. s-1:
//                [y = M^-1 v]
//     idr_u:     ||r|| is known;  u = omega y + sum_{j>=k} c_j u_j
//                [t = A u]
//     idr_dot:   h = P^T t,  <t, t>
//     idr_step:  m_kk alpha = h, rows and columns below k
//                g_k = t - sum_{j<k} alpha_j g_j,  u_k = u - sum alpha_j u_j
//                m_k = h - sum_{j<k} alpha_j m_j;  beta = f_k / m_kk
//                x = x + beta u_k;  r = r - beta g_k;  f = f - beta m_k
//                m c = f, rows and columns above k
//                v = r - sum_{j>k} c_j g_j;  <r, r>
//     outer step:
//                [y = M^-1 r;  t = A y;  <t, r>, <t, t>]
//     idr_omega: ||r|| is known;  omega = <t, r> / <t, t>, larger if the angle
//                between t and r is large;  x = x + omega y;  r = r - omega t
//                f = P^T r,  <r, r>
//
// From the left, r is M^-1 (b - A x), y = v or r, and t = M^-1 A u or M^-1 A y.
//
// A cycle is 3 s + 2 launches, s + 1 products and s + 1 applications of M^-1:
// for s = 4, 4.8 launches per product. The kernels move 2 s^2 + 12.5 s + 9.5
// vectors per cycle: for s = 4, 18.3 per product.
//
// At the start of a system G, U and state[] are zero: m stores the reciprocals
// of its diagonal, so that c = 0. A stopped kernel changes no vector: x is that
// of the last sound step.
#pragma once

#include "idr_state.cl.h"
#include "krylov.cl.h"

#ifndef IDR_S
# define IDR_S 4 // shadow vectors, 1 to 8
#endif

// Words f and m of state[].
#define IDR_F(k)    (IDR_C + IDR_S + (k) % 2 * IDR_S)
#define IDR_M(i, j) (IDR_C + 3 * IDR_S + (i)*IDR_S + (j))

static inline int judge(double rr, double limit)
{
    return !isfinite(rr) ? KRYLOV_NOT_FINITE
           : rr <= limit ? KRYLOV_CONVERGED
                         : 0;
}
