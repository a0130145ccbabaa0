// SPDX-License-Identifier: BSD-3-Clause
// PCLEVELCL and KSPLEVELCL as a program with PETSc uses them.
// usage: mpirun -n RANKS PROGRAM liblevelcl_petsc.so; a rank that waits is
// ended by the alarm.
#include "tests/support/test.h"

#include <petscksp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS = 100, POINTS = 16 };

static const double tolerance = 1e-8;
static int ranks;

static void need(PetscErrorCode error)
{
    assert_int_equal(error, 0);
}

// ---------------------------------------------------------------- the systems

enum form { CONVECTION, SYMMETRIC, UPPER };

// Convection and diffusion or, in the other forms, diffusion on POINTS x POINTS
// points with `block` unknowns each; the diagonal is multiplied by `diagonal`.
static void fill(Mat A, int block, enum form form, double diagonal)
{
    PetscInt first, end;
    need(MatGetOwnershipRange(A, &first, &end));
    for (PetscInt row = first; row < end; ++row) {
        const PetscInt point = row / block, x = point % POINTS;
        const double wind = form == CONVECTION ? 0.3 : 0;
        const PetscInt col[] = {row, row - block, row + block,
                                row - POINTS * block, row + POINTS * block};
        const double val[] = {4.1 * diagonal, -1 - wind, -1 + wind, -1, -1};
        const bool there[] = {true, x > 0, x < POINTS - 1, point >= POINTS,
                              point < POINTS * (POINTS - 1)};
        for (int k = 0; k < 5; ++k)
            if (there[k] && (form != UPPER || col[k] >= row))
                need(MatSetValues(A, 1, &row, 1, &col[k], &val[k],
                                  INSERT_VALUES));
    }
    need(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    need(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

static Mat create_matrix(const char *type, int block)
{
    const PetscInt n = POINTS * POINTS * block;
    Mat A;
    need(MatCreate(PETSC_COMM_WORLD, &A));
    need(MatSetType(A, type));
    need(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
    need(MatSetBlockSize(A, block));
    need(MatSetUp(A));
    fill(A, block, strcmp(type, MATSBAIJ) == 0 ? UPPER : CONVECTION, 1);
    return A;
}

struct case_data {
    Mat A;
    KSP ksp;
    Vec b, x;
};

static void options(const char *text)
{
    need(PetscOptionsClear(NULL));
    need(PetscOptionsInsertString(NULL, text));
}

static void set_up(struct case_data *c, Mat A, const char *text)
{
    options(text);
    c->A = A;
    need(MatCreateVecs(A, &c->x, &c->b));
    need(VecSetRandom(c->b, NULL));
    need(KSPCreate(PETSC_COMM_WORLD, &c->ksp));
    need(KSPSetOperators(c->ksp, A, A));
    need(KSPSetTolerances(c->ksp, tolerance, PETSC_DEFAULT, PETSC_DEFAULT,
                          PETSC_DEFAULT));
    need(KSPSetFromOptions(c->ksp));
}

static void tear_down(struct case_data *c)
{
    need(KSPDestroy(&c->ksp));
    need(VecDestroy(&c->b));
    need(VecDestroy(&c->x));
    need(MatDestroy(&c->A));
}

static KSPConvergedReason reason(const struct case_data *c)
{
    KSPConvergedReason why;
    need(KSPSolve(c->ksp, c->b, c->x));
    need(KSPGetConvergedReason(c->ksp, &why));
    return why;
}

static double residual(const struct case_data *c)
{
    Vec r;
    PetscReal norm_r, norm_b;
    need(VecDuplicate(c->b, &r));
    need(MatMult(c->A, c->x, r));
    need(VecAYPX(r, -1, c->b));
    need(VecNorm(r, NORM_2, &norm_r));
    need(VecNorm(c->b, NORM_2, &norm_b));
    need(VecDestroy(&r));
    return norm_r / norm_b;
}

// New values, of which PETSc learns by KSPSetOperators().
static void change_to(const struct case_data *c, enum form form,
                      double diagonal)
{
    fill(c->A, 1, form, diagonal);
    need(KSPSetOperators(c->ksp, c->A, c->A));
}

static void change(const struct case_data *c, double diagonal)
{
    change_to(c, CONVECTION, diagonal);
}

static void expect_solved(const struct case_data *c)
{
    assert_int_equal(reason(c), KSP_CONVERGED_RTOL);
    assert_true(residual(c) <= 1.01 * tolerance);
}

// What KSPView() prints on this rank, which is the first.
static void view(const struct case_data *c, char *text, size_t size)
{
    FILE *file = tmpfile();
    PetscViewer viewer;
    assert_non_null(file);
    need(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, file, &viewer));
    need(KSPView(c->ksp, viewer));
    need(PetscViewerFlush(viewer));
    need(PetscViewerDestroy(&viewer));
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void expect_view(const struct case_data *c, const char *words)
{
    PetscMPIInt rank;
    char text[8192];
    need(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    view(c, text, sizeof text);
    if (rank == 0 && !strstr(text, words))
        fail_msg("no '%s' in:\n%s", words, text);
}

#define SOLVER "-ksp_type levelcl -pc_type levelcl "

// ---------------------------------------------------------------------- tests

static void test_pc__solves_with_the_solvers_of_petsc(void **state)
{
    static const char *const types[] = {MATAIJ, MATBAIJ, MATSBAIJ};
    struct case_data c;
    (void)state;
    for (int i = 0; i < 3; ++i) {
        set_up(&c, create_matrix(types[i], 1 + i),
               "-ksp_type gmres -ksp_pc_side right -pc_type levelcl");
        expect_solved(&c);
        expect_view(&c, i < 2 ? "ildu0" : "ic0"); // as the matrix suggests
        tear_down(&c);
    }
}

static void test_ksp__solves_all_types_of_matrices(void **state)
{
    static const char *const types[] = {MATAIJ, MATBAIJ, MATSBAIJ};
    struct case_data c;
    (void)state;
    for (int i = 0; i < 3; ++i) {
        set_up(&c, create_matrix(types[i], 1 + i), SOLVER);
        expect_solved(&c);
        expect_view(&c, i < 2 ? "bicgstab" : "cg of levelcl");
        tear_down(&c);
    }
}

static void test_pc__takes_the_rows_of_each_rank_alone(void **state)
{
    struct case_data c;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1),
           "-ksp_type bcgs -ksp_pc_side right -pc_type levelcl "
           "-pc_levelcl_local");
    expect_solved(&c);
    expect_view(&c, "the rows of each rank");
    tear_down(&c);
}

static void test_pc__new_values_repeat_no_analysis(void **state)
{
    struct case_data c;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1), SOLVER);
    for (int step = 0; step < 3; ++step) {
        change(&c, 1 + 0.1 * step);
        expect_solved(&c);
        expect_solved(&c);
    }
    expect_view(&c, "set up 1 times, new values taken 2 times");
    tear_down(&c);
}

static void test_pc__a_new_pattern_is_set_up_again(void **state)
{
    struct case_data c;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1), SOLVER);
    expect_solved(&c);
    Mat A = create_matrix(MATAIJ, 1);
    need(KSPSetOperators(c.ksp, A, A));
    need(MatDestroy(&c.A));
    c.A = A;
    expect_solved(&c);
    expect_view(&c, "set up 2 times");
    tear_down(&c);
}

static void test_ksp__old_factors_serve_new_values(void **state)
{
    struct case_data c;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1), SOLVER);
    expect_solved(&c);
    need(KSPSetReusePreconditioner(c.ksp, PETSC_TRUE));
    change(&c, 1.2);
    expect_solved(&c);
    expect_view(&c, "set up 1 times, new values taken 0 times");
    need(KSPSetReusePreconditioner(c.ksp, PETSC_FALSE));
    change(&c, 1.2);
    expect_solved(&c);
    expect_view(&c, "set up 1 times, new values taken 1 times");
    tear_down(&c);
}

static void test_ksp__another_matrix_may_make_the_preconditioner(void **state)
{
    struct case_data c;
    Mat B = create_matrix(MATAIJ, 1);
    (void)state;
    fill(B, 1, CONVECTION, 1.1);
    set_up(&c, create_matrix(MATAIJ, 1), SOLVER);
    need(KSPSetOperators(c.ksp, c.A, B));
    expect_solved(&c);
    fill(c.A, 1, CONVECTION, 1.3);
    expect_solved(&c);
    need(MatDestroy(&B));
    tear_down(&c);
}

static PetscErrorCode multiply(Mat shell, Vec x, Vec y)
{
    Mat A;
    PetscFunctionBegin;
    PetscCall(MatShellGetContext(shell, &A));
    PetscCall(MatMult(A, x, y));
    PetscFunctionReturn(0);
}

static void test_ksp__shells_are_applied_on_one_rank(void **state)
{
    struct case_data c;
    Mat shell;
    PetscInt n;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1), SOLVER);
    need(MatGetLocalSize(c.A, &n, NULL));
    need(MatCreateShell(PETSC_COMM_WORLD, n, n, PETSC_DETERMINE,
                        PETSC_DETERMINE, c.A, &shell));
    need(MatShellSetOperation(shell, MATOP_MULT, (void (*)(void))multiply));
    need(KSPSetOperators(c.ksp, shell, c.A));
    if (ranks == 1) {
        expect_solved(&c);
    } else {
        need(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
        assert_int_equal(KSPSolve(c.ksp, c.b, c.x), PETSC_ERR_SUP);
        need(PetscPopErrorHandler());
    }
    need(MatDestroy(&shell));
    tear_down(&c);
}

static PetscErrorCode monitor(KSP ksp, PetscInt it, PetscReal norm, void *user)
{
    int *calls = user;
    (void)ksp;
    PetscFunctionBegin;
    PetscCheck(it == *calls && norm > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
               "iteration %d", (int)it);
    ++*calls;
    PetscFunctionReturn(0);
}

static void test_ksp__limits_history_and_monitors_are_those_of_petsc(
    void **state)
{
    struct case_data c;
    PetscInt length, its;
    PetscReal norm, norm_b;
    const PetscReal *history;
    int calls = 0;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1), SOLVER "-pc_levelcl_precond jacobi ");
    need(VecNorm(c.b, NORM_2, &norm_b));
    need(KSPSetResidualHistory(c.ksp, NULL, PETSC_DECIDE, PETSC_TRUE));
    need(KSPMonitorSet(c.ksp, monitor, &calls, NULL));
    need(KSPSetTolerances(c.ksp, 1e-14, PETSC_DEFAULT, PETSC_DEFAULT, 3));
    assert_int_equal(reason(&c), KSP_DIVERGED_ITS);
    need(KSPGetIterationNumber(c.ksp, &its));
    need(KSPGetResidualHistory(c.ksp, &history, &length));
    assert_int_equal(its, 3);
    assert_int_equal(length, 4);
    assert_int_equal(calls, 4);
    assert_true(fabs(history[0] - norm_b) < 1e-12 * norm_b);
    need(KSPMonitorCancel(c.ksp));
    need(KSPSetTolerances(c.ksp, 0, 1e-3 * norm_b, PETSC_DEFAULT, 100));
    assert_int_equal(reason(&c), KSP_CONVERGED_ATOL);
    need(KSPGetResidualNorm(c.ksp, &norm));
    assert_true(norm <= 1e-3 * norm_b);
    need(VecSet(c.b, 0));
    assert_int_equal(reason(&c), KSP_CONVERGED_ATOL);
    tear_down(&c);
}

// D A D: the residual of CG grows by 1e5 or more before it falls.
static Mat create_growing(void)
{
    Mat A = create_matrix(MATAIJ, 1);
    Vec d;
    PetscInt first, end;
    fill(A, 1, SYMMETRIC, 1);
    need(MatCreateVecs(A, &d, NULL));
    need(VecGetOwnershipRange(d, &first, &end));
    for (PetscInt row = first; row < end; ++row)
        need(VecSetValue(d, row, row % 2 ? 1e3 : 1e-3, INSERT_VALUES));
    need(VecAssemblyBegin(d));
    need(VecAssemblyEnd(d));
    need(MatDiagonalScale(A, d, d));
    need(VecDestroy(&d));
    return A;
}

static KSPConvergedReason diverging(const struct case_data *c, PetscReal dtol)
{
    need(VecSet(c->x, 0));
    need(KSPSetTolerances(c->ksp, 1e-3, PETSC_DEFAULT, dtol, PETSC_DEFAULT));
    return reason(c);
}

#define GROWING SOLVER "-ksp_levelcl_solver cg -pc_levelcl_precond jacobi "

// By a chain, then by a solver, which belongs to another matrix.
static void test_ksp__dtol_of_the_program_is_taken(void **state)
{
    (void)state;
    for (int chained = 1; chained >= 0; --chained) {
        struct case_data c;
        Mat B = create_growing();
        set_up(&c, create_growing(), GROWING);
        if (!chained)
            need(KSPSetOperators(c.ksp, c.A, B));
        assert_int_equal(diverging(&c, PETSC_DEFAULT), KSP_CONVERGED_RTOL);
        assert_int_equal(diverging(&c, 1e3), KSP_DIVERGED_DTOL);
        assert_int_equal(diverging(&c, 1e30), KSP_CONVERGED_RTOL);
        need(MatDestroy(&B));
        tear_down(&c);
    }
}

static void test_ksp__options_name_dtol(void **state)
{
    struct case_data c;
    (void)state;
    set_up(&c, create_growing(), GROWING "-ksp_divtol 1e4");
    assert_int_equal(diverging(&c, PETSC_DEFAULT), KSP_DIVERGED_DTOL);
    tear_down(&c);
    set_up(&c, create_growing(), GROWING "-ksp_levelcl_divergence 1e30");
    assert_int_equal(diverging(&c, 1e3), KSP_CONVERGED_RTOL);
    tear_down(&c);
}

static void test_ksp__an_initial_guess_is_taken(void **state)
{
    struct case_data c;
    PetscInt its;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1), SOLVER);
    expect_solved(&c);
    need(KSPSetInitialGuessNonzero(c.ksp, PETSC_TRUE));
    expect_solved(&c);
    need(KSPGetIterationNumber(c.ksp, &its));
    assert_int_equal(its, 0);
    tear_down(&c);
}

static void test_ksp__definite_matrices_get_cg(void **state)
{
    struct case_data c;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1), SOLVER "-pc_levelcl_precond ic0");
    fill(c.A, 1, SYMMETRIC, 1);
    need(MatSetOption(c.A, MAT_SPD, PETSC_TRUE));
    expect_solved(&c);
    expect_view(&c, "cg of levelcl");
    expect_view(&c, "ic0");
    tear_down(&c);
}

// Its diagonal is positive, but its eigenvalues have both signs.
static void test_ksp__goes_on_where_the_first_method_fails(void **state)
{
    struct case_data c;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1), SOLVER);
    change_to(&c, SYMMETRIC, 0.5);
    expect_solved(&c);
    expect_view(&c, "minres of levelcl");
    expect_view(&c, "tried cg with ic0: indefinite-matrix");
    expect_solved(&c);
    tear_down(&c);
}

static void test_ksp__a_named_method_is_the_only_one(void **state)
{
    static const char *const named[] = {SOLVER "-ksp_levelcl_solver cg",
                                        SOLVER "-pc_levelcl_precond ic0"};
    struct case_data c;
    (void)state;
    for (int i = 0; i < 2; ++i) {
        set_up(&c, create_matrix(MATAIJ, 1), named[i]);
        change_to(&c, SYMMETRIC, 0.5);
        assert_int_equal(reason(&c), KSP_DIVERGED_INDEFINITE_MAT);
        expect_view(&c, "cg of levelcl");
        tear_down(&c);
    }
}

static void test_pc__values_may_lose_their_symmetry(void **state)
{
    static const enum form forms[] = {SYMMETRIC, CONVECTION, SYMMETRIC};
    static const char *const texts[] = {
        SOLVER, "-ksp_type gmres -ksp_pc_side right -pc_type levelcl",
        SOLVER "-ksp_levelcl_solver gmres -pc_levelcl_amg_coarse_rows 20"};
    struct case_data c;
    (void)state;
    for (int i = ranks == 1 ? 0 : 1; i < 3; ++i) {
        set_up(&c, create_matrix(MATAIJ, 1), texts[i]);
        for (int k = 0; k < 3; ++k) {
            change_to(&c, forms[k], 1);
            expect_solved(&c);
        }
        tear_down(&c);
    }
}

static void test_pc__serves_levelcl_and_petsc_in_turn(void **state)
{
    struct case_data c;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1), SOLVER "-ksp_pc_side right");
    for (int k = 0; k < 2; ++k) {
        need(KSPSetType(c.ksp, "levelcl"));
        expect_solved(&c);
        need(KSPSetType(c.ksp, KSPGMRES));
        expect_solved(&c);
        change(&c, 1.2 + k);
        expect_solved(&c);
    }
    tear_down(&c);
}

// S A S with S = diag(s) has the near-null vector 1 / s.
static void scale(Mat A, bool near_null)
{
    MatNullSpace space;
    Vec s;
    need(MatCreateVecs(A, &s, NULL));
    need(VecSetRandom(s, NULL));
    need(VecShift(s, 0.5));
    need(MatDiagonalScale(A, s, s));
    need(VecReciprocal(s));
    need(VecNormalize(s, NULL));
    need(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 1, &s, &space));
    if (near_null)
        need(MatSetNearNullSpace(A, space));
    need(MatNullSpaceDestroy(&space));
    need(VecDestroy(&s));
}

static PetscInt iterations_of_multigrid(bool near_null)
{
    struct case_data c;
    PetscInt its;
    set_up(&c, create_matrix(MATAIJ, 1),
           SOLVER "-pc_levelcl_precond amg -pc_levelcl_amg_coarse_rows 20");
    fill(c.A, 1, SYMMETRIC, 1);
    scale(c.A, near_null);
    expect_solved(&c);
    need(KSPGetIterationNumber(c.ksp, &its));
    tear_down(&c);
    return its;
}

static void test_pc__multigrid_takes_near_null_vectors(void **state)
{
    (void)state;
    assert_true(iterations_of_multigrid(true) < iterations_of_multigrid(false));
}

// What the view says of multigrid for two unknowns at each node, with nodes of
// so many axes or, if there are none, without.
static void view_of_nodes(char *text, size_t size, PetscInt axes)
{
    PetscReal coordinates[3 * POINTS * POINTS];
    struct case_data c;
    PetscInt rows;
    PC pc;
    set_up(&c, create_matrix(MATAIJ, 2),
           SOLVER "-pc_levelcl_precond amg -pc_levelcl_amg_coarse_rows 20");
    need(MatGetLocalSize(c.A, &rows, NULL));
    for (PetscInt k = 0; k < axes * rows / 2; ++k)
        coordinates[k] = k % 7 + 0.1 * k;
    need(KSPGetPC(c.ksp, &pc));
    if (axes > 0)
        need(PCSetCoordinates(pc, axes, rows / 2, coordinates));
    expect_solved(&c);
    view(&c, text, size);
    tear_down(&c);
}

static void test_pc__coordinates_of_other_nodes_are_refused(void **state)
{
    const PetscReal coordinates[6] = {0};
    struct case_data c;
    PC pc;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 2), SOLVER);
    need(KSPGetPC(c.ksp, &pc));
    need(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    assert_int_equal(PCSetCoordinates(pc, 2, 3, (PetscReal *)coordinates),
                     PETSC_ERR_ARG_SIZ);
    need(PetscPopErrorHandler());
    expect_solved(&c);
    tear_down(&c);
}

// Rigid body modes make other levels, if the unknowns are displacements.
static void test_pc__coordinates_tell_displacements(void **state)
{
    static char plain[8192], text[8192];
    PetscMPIInt rank;
    (void)state;
    need(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    view_of_nodes(plain, sizeof plain, 0);
    for (PetscInt axes = 1; axes <= 3; ++axes) {
        view_of_nodes(text, sizeof text, axes);
        assert_int_equal(strcmp(text, plain) != 0, axes == 2 && rank == 0);
    }
}

// The Laplacian without boundary values.
static void make_singular(Mat A)
{
    Vec sums;
    need(MatCreateVecs(A, NULL, &sums));
    need(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
    fill(A, 1, SYMMETRIC, 0);
    need(MatGetRowSum(A, sums));
    need(VecScale(sums, -1));
    need(MatDiagonalSet(A, sums, INSERT_VALUES));
    need(VecDestroy(&sums));
}

static void attach_constants(Mat A, bool as_vector)
{
    MatNullSpace space;
    Vec ones;
    need(MatCreateVecs(A, &ones, NULL));
    need(VecSet(ones, 1));
    need(VecNormalize(ones, NULL));
    need(MatNullSpaceCreate(PETSC_COMM_WORLD,
                            as_vector ? PETSC_FALSE : PETSC_TRUE,
                            as_vector ? 1 : 0, &ones, &space));
    need(MatSetNullSpace(A, space));
    need(MatNullSpaceDestroy(&space));
    need(VecDestroy(&ones));
}

static void test_ksp__null_spaces_are_removed(void **state)
{
    struct case_data c;
    PetscScalar sum;
    (void)state;
    for (int as_vector = 0; as_vector < 2; ++as_vector) {
        set_up(&c, create_matrix(MATAIJ, 1), SOLVER);
        make_singular(c.A);
        need(VecSum(c.b, &sum));
        assert_true(sum > 1); // no x solves it
        attach_constants(c.A, as_vector);
        assert_int_equal(reason(&c), KSP_CONVERGED_RTOL);
        need(VecShift(c.b, -sum / (POINTS * POINTS)));
        assert_true(residual(&c) <= 2 * tolerance);
        tear_down(&c);
    }
}

static void test_options__keys_of_the_library_have_underscores(void **state)
{
    struct case_data c;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1),
           SOLVER "-pc_levelcl_factor_storage fp64 -ksp_levelcl_solver idr "
                  "-ksp_levelcl_idr_s 2");
    expect_solved(&c);
    expect_view(&c, "fp64");
    expect_view(&c, "idr of levelcl");
    tear_down(&c);
}

static void expect_refused_options(const char *text)
{
    KSP ksp;
    options(text);
    need(KSPCreate(PETSC_COMM_WORLD, &ksp));
    need(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    assert_int_equal(KSPSetFromOptions(ksp), PETSC_ERR_ARG_WRONG);
    need(PetscPopErrorHandler());
    need(KSPDestroy(&ksp));
}

static void test_options__a_bad_value_is_an_error(void **state)
{
    (void)state;
    expect_refused_options(SOLVER "-pc_levelcl_precond ilduO");
    expect_refused_options(SOLVER "-ksp_levelcl_idr_s 99");
}

static void test_ksp__other_preconditioners_are_refused(void **state)
{
    struct case_data c;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1), "-ksp_type levelcl -pc_type jacobi");
    need(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    assert_int_equal(KSPSolve(c.ksp, c.b, c.x), PETSC_ERR_SUP);
    need(PetscPopErrorHandler());
    tear_down(&c);
}

static void test_ksp__no_number_in_b_is_a_reason_to_stop(void **state)
{
    struct case_data c;
    (void)state;
    set_up(&c, create_matrix(MATAIJ, 1), SOLVER);
    need(VecSet(c.b, NAN));
    assert_int_equal(reason(&c), KSP_DIVERGED_NANORINF);
    need(VecSetRandom(c.b, NULL));
    expect_solved(&c);
    tear_down(&c);
}

static void expect_failures(const char *text)
{
    struct case_data c;
    set_up(&c, create_matrix(MATAIJ, 1), text);
    expect_solved(&c);
    change(&c, 0);
    assert_int_equal(reason(&c), KSP_DIVERGED_PC_FAILED);
    change(&c, NAN);
    assert_int_equal(reason(&c), KSP_DIVERGED_PC_FAILED);
    change(&c, 1);
    expect_solved(&c);
    tear_down(&c);
}

static void test_pc__values_that_cannot_be_factored_fail_the_solve(void **state)
{
    (void)state;
    expect_failures(SOLVER "-pc_levelcl_precond ildu0 -pc_levelcl_pivot fail");
    expect_failures("-ksp_type gmres -ksp_pc_side right -pc_type levelcl "
                    "-pc_levelcl_pivot fail");
}

#undef SOLVER

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pc__solves_with_the_solvers_of_petsc),
        cmocka_unit_test(test_ksp__solves_all_types_of_matrices),
        cmocka_unit_test(test_pc__takes_the_rows_of_each_rank_alone),
        cmocka_unit_test(test_pc__new_values_repeat_no_analysis),
        cmocka_unit_test(test_pc__a_new_pattern_is_set_up_again),
        cmocka_unit_test(test_ksp__old_factors_serve_new_values),
        cmocka_unit_test(test_ksp__another_matrix_may_make_the_preconditioner),
        cmocka_unit_test(test_ksp__shells_are_applied_on_one_rank),
        cmocka_unit_test(
            test_ksp__limits_history_and_monitors_are_those_of_petsc),
        cmocka_unit_test(test_ksp__dtol_of_the_program_is_taken),
        cmocka_unit_test(test_ksp__options_name_dtol),
        cmocka_unit_test(test_ksp__an_initial_guess_is_taken),
        cmocka_unit_test(test_pc__multigrid_takes_near_null_vectors),
        cmocka_unit_test(test_pc__coordinates_tell_displacements),
        cmocka_unit_test(test_pc__coordinates_of_other_nodes_are_refused),
        cmocka_unit_test(test_ksp__definite_matrices_get_cg),
        cmocka_unit_test(test_ksp__goes_on_where_the_first_method_fails),
        cmocka_unit_test(test_ksp__a_named_method_is_the_only_one),
        cmocka_unit_test(test_pc__values_may_lose_their_symmetry),
        cmocka_unit_test(test_pc__serves_levelcl_and_petsc_in_turn),
        cmocka_unit_test(test_ksp__null_spaces_are_removed),
        cmocka_unit_test(test_options__keys_of_the_library_have_underscores),
        cmocka_unit_test(test_options__a_bad_value_is_an_error),
        cmocka_unit_test(test_ksp__other_preconditioners_are_refused),
        cmocka_unit_test(test_ksp__no_number_in_b_is_a_reason_to_stop),
        cmocka_unit_test(
            test_pc__values_that_cannot_be_factored_fail_the_solve),
    };
    alarm(SECONDS);
    const char *library = argc > 1 ? argv[1] : "";
    if (PetscInitialize(&argc, &argv, NULL, NULL) ||
        PetscDLLibraryAppend(PETSC_COMM_WORLD, &PetscDLLibrariesLoaded,
                             library))
        return 1;
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return PetscFinalize() || failed;
}
