// SPDX-License-Identifier: BSD-3-Clause
// Numbers by which ranks compare what they have to have in common (FNV-1a).
#include "tools/clsolve/ranks.h"

#include <string.h>

static const uint64_t start = UINT64_C(14695981039346656037);

static void add(uint64_t *hash, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t k = 0; k < bytes; ++k)
        *hash = (*hash ^ p[k]) * UINT64_C(1099511628211);
}

static void add_text(uint64_t *hash, const char *text)
{
    const char *given = text ? text : "\1";
    add(hash, given, strlen(given) + 1);
}

// Devices may be named otherwise on another host.
uint64_t ranks_hash_options(const struct cli *cli)
{
    const char *const texts[] = {
        lcl_version(), cli->matrix,  cli->problem, cli->rhs,     cli->rhs_text,
        cli->tau_text, cli->kron[0], cli->kron[1], cli->kron[2], cli->kron[3]};
    uint64_t hash = start;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k)
        add_text(&hash, texts[k]);
    for (int k = 0; k < CLI_KEYS; ++k)
        add_text(&hash, cli->given[k]);
    return hash;
}

uint64_t ranks_hash_kron(const struct lcl_kron *K)
{
    const size_t entries = (size_t)(K->stages * K->stages);
    uint64_t hash = start;
    add(&hash, &K->stages, sizeof K->stages);
    add(&hash, K->A, entries * sizeof *K->A);
    add(&hash, K->B, entries * sizeof *K->B);
    return hash;
}
