// SPDX-License-Identifier: BSD-3-Clause
// Kernels that follow once a program is built: the kernels that solves with
// default options launch on PoCL, at width 1.
#pragma once

#include "host/spec.h"

#include <stdbool.h>
#include <stdint.h>

enum { LCL_FORECAST_KERNELS = 32 };

// Kernels of one program, in the order of their first launches.
struct lcl_forecast {
    const char *after;  // the program whose build predicts them
    const char *source; // their own program
    int power;          // its blocks: 0: none, 1: those of `after`, 2: squares
    int storage;
    struct lcl_define define;
    const char *kernels[LCL_FORECAST_KERNELS]; // up to the first NULL
};

// In the order of need; the last entry has no source.
extern const struct lcl_forecast lcl_forecasts[];

// One kernel of lcl_forecasts[part], if `after` has blocks of `block` rows.
struct lcl_forecast_entry {
    int32_t part, kernel, block;
};

// Sets the spec of an entry. Returns false if there is no such entry.
bool lcl_forecast_spec(struct lcl_spec *spec,
                       const struct lcl_forecast_entry *entry);

// Whether building this spec predicts kernels.
bool lcl_forecast_begins(const struct lcl_spec *built);

// Number of programs and kernels that follow once `after` is built, including
// itself.
int lcl_forecast_count(const char *after);

// Calls fn for all kernels that follow `built`, in reverse order of need, until
// fn returns false.
typedef bool lcl_forecast_fn(void *arg, const struct lcl_forecast_entry *entry);
void lcl_forecast_each(const char *after, int block, lcl_forecast_fn *fn,
                       void *arg);
