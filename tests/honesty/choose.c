// SPDX-License-Identifier: BSD-3-Clause
// Random questions about a system: how it is solved, and until when.
#include "tests/honesty/choose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add_option(struct trial *T, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_option(struct trial *T, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(T->option[T->options++], TRIAL_OPTION_LENGTH, format, arguments);
    va_end(arguments);
}

// key=WORD with one of the words, which blanks separate.
static void add_word(struct trial *T, struct rng *g, const char *key,
                     const char *words)
{
    int count = 1;
    for (const char *at = words; (at = strchr(at, ' ')); ++at)
        ++count;
    for (int skip = rng_int(g, 0, count - 1); skip > 0; --skip)
        words = strchr(words, ' ') + 1;
    add_option(T, "%s=%.*s", key, (int)strcspn(words, " "), words);
}

static bool symmetric(const struct lcl_csr *A)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int32_t j = A->col_ind[k];
            double mirror = 0;
            for (int64_t l = A->row_ptr[j]; l < A->row_ptr[j + 1]; ++l)
                if (A->col_ind[l] == i)
                    mirror = A->val[l];
            if (mirror != A->val[k])
                return false;
        }
    return true;
}

void choose_shape(struct trial *T, struct rng *g, bool few)
{
    T->columns = rng_chance(g, 0.2) ? rng_int(g, 2, 9) : 1;
    T->steps = T->form == FORM_MATRIX && rng_chance(g, 0.2) ? 3 : 1;
    T->devices = 1;
    if (T->form != FORM_CALLBACK && T->n > 8 && rng_chance(g, 0.15) && !few)
        T->devices = 2;
    T->warm = rng_chance(g, 0.5);
    T->stale = rng_chance(g, 0.3);
    T->constants = strcmp(T->kind, "neumann") == 0 && rng_chance(g, 0.5);
    T->chain = rng_chance(g, 0.35);
    T->give_up = rng_chance(g, 0.03) ? rng_int(g, 1, 20) : 0;
}

// ------------------------------------------------------------------ tolerance

static void choose_tolerance(struct trial *T, struct rng *g)
{
    if (rng_chance(g, 0.8))
        add_option(T, "rtol=%.3g", rng_decade(g, -15, -0.01));
    if (rng_chance(g, 0.1))
        add_option(T, "atol=%.3g", rng_decade(g, -300, 3));
    add_word(T, g, "norm",
             T->form == FORM_CALLBACK ? "2 1 max" : "2 1 max auto rows");
    T->relative_to = LCL_RELATIVE_TO_DEFAULT;
    if (rng_chance(g, 0.3))
        T->relative_to = (enum lcl_relative_to)rng_int(
            g, LCL_RELATIVE_TO_B, LCL_RELATIVE_TO_COUNT - 1);
    if (T->relative_to == LCL_RELATIVE_TO_REFERENCE)
        T->reference = rng_chance(g, 0.8) ? rng_decade(g, -3, 3)
                                          : rng_decade(g, -300, 300);
    add_option(T, "max-iters=%d", rng_int(g, 1, rng_chance(g, 0.2) ? 20 : 400));
    if (rng_chance(g, 0.1))
        add_option(T, "stagnation=%d", rng_int(g, 1, 50));
}

// --------------------------------------------------------------------- method

static void choose_solver(struct trial *T, struct rng *g, bool few)
{
    const bool cg = T->form != FORM_KRON && symmetric(&T->A);
    const char *any =
        few ? "bicgstab idr gmres" : "bicgstab bicgstab idr gmres fgmres";
    const char *with_cg =
        few ? "bicgstab cg minres gmres"
            : "bicgstab cg cg cg_pipelined cg_published minres idr gmres";
    add_word(T, g, "solver", cg || rng_chance(g, 0.05) ? with_cg : any);
    if (!few && rng_chance(g, 0.2))
        add_word(T, g, "idr-s", "1 2 8");
    if (rng_chance(g, 0.3))
        add_word(T, g, "restart", "2 5 100");
    if (!few && rng_chance(g, 0.1))
        add_option(T, "basis=fp32");
}

// Whether an option begins with the text.
static bool chosen(const struct trial *T, const char *text)
{
    for (int k = 0; k < T->options; ++k)
        if (strncmp(T->option[k], text, strlen(text)) == 0)
            return true;
    return false;
}

static void choose_precond(struct trial *T, struct rng *g, bool few)
{
    if (T->form == FORM_CALLBACK)
        add_option(T, "precond=none");
    else if (few)
        add_word(T, g, "precond", "none jacobi ildu0");
    else if (T->form == FORM_KRON)
        add_word(T, g, "precond", "none block-jacobi ildu0 ilu0");
    else
        add_word(T, g, "precond",
                 "none jacobi jacobi block-jacobi ilu0 ildu0 ildu0 ic0 iluk "
                 "ilut ras as amg");
}

static void choose_factors(struct trial *T, struct rng *g)
{
    const bool factors = chosen(T, "precond=il") || chosen(T, "precond=ras");
    if (rng_chance(g, 0.2))
        add_word(T, g, "pivot", "boost replace shift");
    if (rng_chance(g, 0.1))
        add_word(T, g, "factor-storage", "fp64 fp32 bf16");
    if (factors && !chosen(T, "solver=cg") && rng_chance(g, 0.1))
        add_option(T, "transversal=on");
    else if (chosen(T, "precond=ildu0") && rng_chance(g, 0.1))
        add_word(T, g, "coarse", "add mult");
    if (rng_chance(g, 0.1))
        add_word(T, g, "subdomain-rows", "1 4 16");
    if (chosen(T, "precond=amg") && rng_chance(g, 0.3))
        add_word(T, g, "amg-coarsening", "sa classical");
}

static void choose_product(struct trial *T, struct rng *g)
{
    if (rng_chance(g, 0.05))
        add_word(T, g, "spmv", "csr sliced binned adaptive hec");
    if (T->devices > 1 && rng_chance(g, 0.3))
        add_word(T, g, "communication", "step reproducible");
}

void choose_options(struct trial *T, struct rng *g, bool few)
{
    choose_tolerance(T, g);
    if (few && T->form == FORM_MATRIX)
        add_option(T, "block-size=1");
    if (T->chain && rng_chance(g, 0.7))
        return;
    choose_solver(T, g, few);
    choose_precond(T, g, few);
    if (few || T->form != FORM_MATRIX)
        return;
    choose_factors(T, g);
    choose_product(T, g);
}
