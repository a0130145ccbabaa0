// SPDX-License-Identifier: BSD-3-Clause
// The ghosts of vectors in fp32 of a level of several ranks: they stand behind
// the rank's own entries. Messages are of fp64, each of which carries two
// entries.
#pragma once

#include "lib/storage/halo.h"

struct lcl_level_halo {
    struct lcl_halo_plan plan; // of the entries; sends them in order
    struct lcl_halo halo;      // of pairs; each message has whole pairs
    int64_t rows;              // the rank's own
    int32_t *sent;             // rows that others need, peer by peer
    lcl_buffer *send;          // the same on the device
    lcl_buffer *leaving;       // rows of the entries of the pairs, in order
    lcl_buffer *coming;        // entries among the pairs that ghosts are
    lcl_buffer *packed;        // pairs for other ranks
    lcl_kernel *gather;
};

// V has ranks and the rank's rows; takes *plan, which is connected, in any
// case. Collective. Statuses as lcl_halo_init(); *H is fit for
// lcl_level_halo_finish() in any case.
enum lcl_status lcl_level_halo_init(struct lcl_level_halo *H,
                                    const struct lcl_space *V,
                                    struct lcl_halo_plan *plan);
void lcl_level_halo_finish(struct lcl_level_halo *H);

// Fetches the ghosts of x, fp32, from their ranks. Collective; nothing blocks
// with a relay. Statuses as lcl_halo_begin().
enum lcl_status lcl_level_halo_fetch(struct lcl_level_halo *H, lcl_buffer *x);

// The same for t, fp64; through the host.
enum lcl_status lcl_level_halo_complete(const struct lcl_level_halo *H,
                                        lcl_buffer *t);

// Kernels that it launches to fetch ghosts.
int lcl_level_halo_launches(const struct lcl_level_halo *H);

uint64_t lcl_level_halo_bytes(const struct lcl_level_halo *H);

// The kernel `name` of ghosts.cl.
enum lcl_status lcl_ghosts_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const char *name);
