// SPDX-License-Identifier: BSD-3-Clause
// Shared by cl/operator/look.cl and the host.
#pragma once

// A row whose couplings add up to at most this share of its diagonal is
// dominated by it: the matrix scaled by its diagonal then has condition number
// 19 at most, if all rows are.
#define LOOK_CLOSE 0.9

// Couplings that add up to more than this multiple of the diagonal: no row of a
// discretised elliptic operator has them, and most rows of a badly scaled one
// do.
#define LOOK_LOOSE 1.5

// Sums over the rows, as in look.cl; the first LOOK_COUNTS count rows.
#define LOOK_COUNTS 4
#define LOOK_SUMS   8
