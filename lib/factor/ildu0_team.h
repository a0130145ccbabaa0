// SPDX-License-Identifier: BSD-3-Clause
// Several lanes for each row of the numeric factorisation.
#pragma once

#include "lib/factor/factor.h"

// The kernel of ildu0_team.cl or ildu0_block_team.cl for F, whose schedule and
// parameters are set. Returns false if one lane for each row (ildu0.cl,
// ildu0_block.cl) is the better choice: rows are short, waves have one lane,
// fill is to be moved to the diagonal, or local memory is too small.
bool lcl_ildu0_team_spec(struct lcl_spec *spec, const struct lcl_factor *F);
