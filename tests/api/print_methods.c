// SPDX-License-Identifier: BSD-3-Clause
// Prints the rules of the automatic choice or the later methods of a chain, one
// a line, as documents list them, or each Krylov method: its name, constant,
// source and kernels.
// usage: print_methods rules|later|krylov
#include "lib/chain/later.h"
#include "lib/krylov/methods.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_permutations(const struct lcl_precond_params *p)
{
    if (p->transversal)
        printf(", transversal");
    if (p->order)
        printf(", order %s", lcl_order_name(p->order));
}

static void print_rule(const struct lcl_rule *R)
{
    printf("%s: %s", R->reason, lcl_precond_name(R->precond));
    if (R->fill && R->fill->ilut_p > 0)
        printf(", p %d, tol 1e%.0f", R->fill->ilut_p, log10(R->fill->ilut_tol));
    if (R->fill && R->fill->ilu_level > 0)
        printf(", level %d", R->fill->ilu_level);
    if (R->fill && R->fill->block_jacobi.max_rows > 0)
        printf(", %d rows", R->fill->block_jacobi.max_rows);
    if (R->fill && R->fill->trisolve)
        printf(", of the whole matrix");
    if (R->fill)
        print_permutations(R->fill);
    putchar('\n');
}

static const char *shape_name(enum lcl_shape shape)
{
    return shape == LCL_SHAPE_DEFINITE    ? "definite"
           : shape == LCL_SHAPE_SYMMETRIC ? "symmetric"
           : shape == LCL_SHAPE_ANY       ? "any"
           : shape == LCL_SHAPE_FREE      ? "no matrix"
                                          : "unknown";
}

static const char *dropped_name(enum lcl_dropped dropped)
{
    static const char *const name[] = {
        [LCL_DROPPED_ANY] = "",
        [LCL_DROPPED_LITTLE] = ", little was dropped",
        [LCL_DROPPED_MUCH] = ", much was dropped",
    };
    return name[dropped];
}

static void print_later(const struct lcl_later *L)
{
    printf("%s%s%s%s: %s with %s", shape_name(L->shape), *L->when ? ", " : "",
           L->when, dropped_name(L->dropped), lcl_solver_name(L->solver),
           L->precond.type ? lcl_precond_name(L->precond.type)
                           : "that of the first");
    if (*L->variant)
        printf(", %s", L->variant);
    print_permutations(&L->precond);
    putchar('\n');
}

static void print_krylov(const struct lcl_krylov_method *m, const char *name,
                         const char *constant)
{
    printf("%s %s %s", name, constant, m->source ? m->source : "-");
    for (int k = 0; k < LCL_KRYLOV_KERNELS && m->kernels[k].name; ++k)
        printf(" %s", m->kernels[k].name);
    putchar('\n');
}

#define PRINT(type, name) print_krylov(&lcl_##name, #name, "LCL_SOLVER_" #type);

int main(int argc, char **argv)
{
    const bool rules = argc == 2 && strcmp(argv[1], "rules") == 0;
    const bool later = argc == 2 && strcmp(argv[1], "later") == 0;
    const bool krylov = argc == 2 && strcmp(argv[1], "krylov") == 0;
    for (int k = 0; rules && k < lcl_rule_count; ++k)
        print_rule(&lcl_rules[k]);
    for (int k = 0; later && k < lcl_later_count; ++k)
        print_later(&lcl_later[k]);
    if (krylov) {
        LCL_KRYLOV_METHODS(PRINT)
    }
    return !rules && !later && !krylov;
}
