// SPDX-License-Identifier: BSD-3-Clause
// The packed apply for interleaved columns: packed_columns.cl, at width 1
// packed_serial.cl.
#include "lib/trisolve/packed.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/factor/store.h"

enum {
    STAGES_STEP = 64, // rounding of the stage table: fewer programs
    LANE_SLOTS = 16,
    SPARE = 64, // local memory that the driver may use itself
};

struct columns {
    const struct lcl_trisolve_method *T;
    lcl_kernel *kernel;
};

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct columns *C = A->state;
    const struct lcl_packed *K = C->T->state;
    const struct lcl_factor *F = C->T->factor;
    const bool serial = lcl_context_caps(A->range.ctx)->width == 1;
    return LCL_LAUNCH(
        C->kernel, F->parts, lcl_arg_buffer(F->part),
        lcl_arg_buffer(serial ? K->table : F->stage), lcl_arg_buffer(F->col),
        lcl_arg_buffer(lcl_store_values(F)), lcl_arg_buffer(v->x),
        lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop), lcl_arg_int(v->at),
        lcl_arg_buffer(mode == LCL_APPLY_DOT ? v->sums : NULL));
}

static void destroy(lcl_operator *A)
{
    lcl_free(A->state);
}

static const struct lcl_operator_ops ops = {
    .apply = apply,
    .destroy = destroy,
};

// Of the ring of packed_ring.cl.h, for each lane of a stage.
#define LANE_BYTES (2 * LANE_SLOTS * (sizeof(double) + sizeof(uint16_t)))

// `columns` lanes work in place of one of packed.cl. Returns false if the
// device has no room for such groups.
static bool spec_of_lanes(struct lcl_spec *spec, const struct lcl_caps *caps,
                          const struct lcl_factor *F, int columns)
{
    const int rows = lcl_local_rows(F->rows_max);
    const int stages = (int)lcl_round_up(F->stages_max + 2, STAGES_STEP);
    const uint64_t bytes = (uint64_t)(rows > F->group ? rows : F->group) *
                               (uint64_t)columns * sizeof(double) +
                           (uint64_t)stages * sizeof(struct lcl_stage) +
                           (uint64_t)F->group * LANE_BYTES;
    *spec = (struct lcl_spec){.source = "packed_columns.cl",
                              .kernel = "packed_columns",
                              .group = F->group * columns,
                              .storage = (int)F->storage};
    lcl_spec_set(spec, "COLUMNS", columns);
    lcl_spec_set(spec, "SUBDOMAIN_ROWS", rows);
    lcl_spec_set(spec, "LOCAL_STAGES", stages);
    lcl_spec_set(spec, "STAGE_LANES", F->group);
    lcl_spec_set(spec, "LANE_SLOTS", LANE_SLOTS);
    return spec->group <= caps->max_group_size &&
           bytes + SPARE <= caps->local_bytes;
}

static bool spec_of(struct lcl_spec *spec, const struct lcl_caps *caps,
                    const struct lcl_factor *F, int columns)
{
    if (caps->width > 1)
        return spec_of_lanes(spec, caps, F, columns);
    *spec = lcl_packed_spec(caps, F, false);
    spec->kernel = "packed_columns";
    lcl_spec_set(spec, "COLUMNS", columns);
    return true;
}

enum lcl_status lcl_packed_interleave(lcl_operator *out,
                                      const struct lcl_trisolve_method *T,
                                      int columns)
{
    lcl_context *ctx = out->range.ctx;
    struct lcl_spec spec;
    if (!spec_of(&spec, lcl_context_caps(ctx), T->factor, columns))
        return LCL_EUNSUPPORTED;
    struct columns *C = lcl_calloc(1, sizeof *C);
    if (!C)
        return lcl_fail_memory(lcl_context_log(ctx), "a triangular solve");
    C->T = T;
    out->ops = &ops;
    out->state = C;
    out->modes = LCL_MODE_BIT(LCL_APPLY_DOT);
    out->range.groups = (int)T->factor->parts;
    return lcl_kernel_get(&C->kernel, ctx, &spec);
}
