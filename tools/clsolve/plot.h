// SPDX-License-Identifier: BSD-3-Clause
// A residual history as a plot in text.
#pragma once

#include <stdio.h>

// Prints history[0 .. count-1] on a logarithmic scale, in lines of at most
// `width` characters, at least 20. Values that are not positive and finite are
// left out; nothing is printed without two others.
void plot_history(FILE *out, const double *history, int count, int width);
