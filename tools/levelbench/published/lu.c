// SPDX-License-Identifier: BSD-3-Clause
// Inverses by LU in fp64 and in fp32.
#include "tools/levelbench/published/lu.h"

#include <math.h>

enum { LU_MOST = 64 };

#define REAL       double
#define NAME(name) name##_fp64
#include "tools/levelbench/published/lu_invert.h"

#define REAL       float
#define NAME(name) name##_fp32
#include "tools/levelbench/published/lu_invert.h"
