# SPDX-License-Identifier: BSD-3-Clause
"""levelcl.py on a device, with scipy beside it. usage: test_levelcl.py"""
import copy
import gc
import logging
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import warnings

from support import need_device
import levelcl
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

RANDOM = np.random.default_rng(21)


def laplace(n):
    line = sp.diags([-1, 2, -1], [-1, 0, 1], (n, n))
    return sp.kronsum(line, line, format="csr")


def convection(n):
    line = sp.diags([-1.5, 2, -0.5], [-1, 0, 1], (n, n))
    return sp.kronsum(line, line, format="csr")


def right_hand_side(A):
    return RANDOM.standard_normal(A.shape[0])


def relative_residual(A, x, b):
    return np.linalg.norm(b - A @ x) / np.linalg.norm(b)


def iterations(method, A, b, **keywords):
    count = []
    x, info = method(A, b, atol=0, callback=lambda _: count.append(1),
                     **keywords)
    assert info == 0
    return x, len(count)


def closed_context():
    context = levelcl.Context(no_self_test=True)
    context.close()
    return context


class Case(unittest.TestCase):
    """Checks that a test frees all objects of the library that it made."""

    def setUp(self):
        self.freed, self.made = 0, 0
        create, release = levelcl._Handle.__init__, levelcl._Handle.release

        def count_made(handle, *arguments, **keywords):
            self.made += 1
            create(handle, *arguments, **keywords)

        def count_freed(handle):
            release(handle)
            self.freed += handle.users == 0

        levelcl.default_context()
        for name, function in (("__init__", count_made),
                               ("release", count_freed)):
            patch = unittest.mock.patch.object(levelcl._Handle, name, function)
            patch.start()
            self.addCleanup(patch.stop)

    def tearDown(self):
        gc.collect()
        self.assertEqual(self.freed, self.made)
        self.assertFalse(levelcl.default_context()._handle.core.dropped)


class Solve(Case):
    def test_solve__agrees_with_spsolve(self):
        A = convection(20)
        b = right_hand_side(A)
        x, report = levelcl.solve(A, b, rtol=1e-12)
        y = spla.spsolve(A.tocsc(), b)
        self.assertLess(np.linalg.norm(x - y), 1e-9 * np.linalg.norm(y))
        self.assertTrue(report.converged)
        self.assertEqual(report.attempts[0].solver, "bicgstab")
        self.assertIn("symmetric", report.reason)

    def test_solve__keeps_the_shape_of_b_and_the_guess(self):
        A = laplace(12)
        b = right_hand_side(A)[:, None]
        x, _ = levelcl.solve(A, b)
        self.assertEqual(x.shape, b.shape)
        guess = x.copy()
        again, report = levelcl.solve(A, b, x0=x.ravel())
        self.assertEqual(report.iterations, 0)
        np.testing.assert_array_equal(x, guess)
        np.testing.assert_array_equal(again, guess)

    def test_solve__takes_several_columns(self):
        A = laplace(12)
        B = RANDOM.standard_normal((144, 3))
        X, reports = levelcl.solve(A, B, rtol=1e-10, monitor_every=1)
        self.assertEqual((X.shape, len(reports)), (B.shape, 3))
        for x, b, report in zip(X.T, B.T, reports):
            self.assertTrue(report.converged)
            self.assertLess(relative_residual(A, x, b), 2e-10)
            self.assertEqual(len(report.attempts), 1)
        again, reports = levelcl.solve(A, B.tolist(), X)
        np.testing.assert_array_equal(again, X)
        self.assertEqual([report.iterations for report in reports], [0] * 3)
        for bad in B.T, B[:, :0], B[..., None]:
            with self.assertRaisesRegex(ValueError, "shape"):
                levelcl.solve(A, bad)

    def test_solve__single_precision_is_converted(self):
        A = laplace(12)
        b = right_hand_side(A).astype(np.float32)
        x, report = levelcl.solve(A.astype(np.float32), b, np.zeros_like(b),
                                  rtol=1e-12)
        self.assertEqual(x.dtype, np.float64)
        self.assertTrue(report.converged)
        self.assertLess(relative_residual(A, x, b), 2e-12)

    def test_solve__wide_indices_may_have_any_number_that_fits(self):
        A = laplace(12)
        b = right_hand_side(A)
        wide = A.copy()
        wide.indptr = wide.indptr.astype(np.int64)
        wide.indices = wide.indices.astype(np.int64)
        np.testing.assert_array_equal(levelcl.solve(wide, b).x,
                                      levelcl.solve(A, b).x)
        wide.indices[3] = 2**32
        with self.assertRaisesRegex(ValueError, "do not fit int32"):
            levelcl.solve(wide, b)

    def test_solve__history_is_that_of_the_residuals(self):
        A = laplace(20)
        b = right_hand_side(A)
        x, report = levelcl.solve(A, b, solver="cg", precond="jacobi",
                                  rtol=1e-6)
        self.assertEqual(report.history.shape, (report.iterations + 1,))
        self.assertEqual(report.history[0], 1)
        self.assertLessEqual(report.history[-1], 1e-6)
        self.assertAlmostEqual(report.true_residual,
                               relative_residual(A, x, b), delta=1e-12)
        self.assertEqual((report.status, report.stop), (0, "rtol"))

    def test_solve__keywords_are_the_options_of_the_library(self):
        A = convection(20)
        with levelcl.Operator(A, block_size=1, spmv="csr") as op:
            M = levelcl.Preconditioner(
                op, "ilut", ilut_p=5, ilut_tol=1e-2, transversal=True,
                partition="natural", subdomain_rows=np.int64(100), relax=None)
            self.assertEqual((op.info.spmv, op.info.nnz), ("csr", A.nnz))
            self.assertEqual((M.info.type, M.info.factors.ilut_p,
                              M.info.factors.parts),
                             ("ilut", 5, 4))
            self.assertTrue(M.info.factors.transversal)

    def test_solve__warns_of_a_solve_without_solution(self):
        A = laplace(20)
        with self.assertWarns(levelcl.NotConvergedWarning):
            _, report = levelcl.solve(A, right_hand_side(A), solver="cg",
                                      precond="none", max_iters=2)
        self.assertEqual(report.status, levelcl.Status.ITERATION_LIMIT)
        self.assertFalse(report.converged)
        self.assertEqual(report.stop, "max-iters")

    def test_solve__the_warning_names_the_line_of_the_caller(self):
        A = laplace(12)
        b = right_hand_side(A)
        options = {"solver": "cg", "precond": "none", "max_iters": 2}
        solver = levelcl.Solver(A, solver="cg", max_iters=2)
        for call in (lambda: levelcl.solve(A, b, **options),
                     lambda: solver.solve(b),
                     lambda: solver.solve_many(b[:, None]),
                     lambda: list(solver.iterate(b)),
                     lambda: levelcl.Chain(A, **options).solve(b)):
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always")
                call()
            self.assertEqual([(w.filename, w.category) for w in heard],
                             [(__file__, levelcl.NotConvergedWarning)])
            self.assertEqual(heard[0].lineno, call.__code__.co_firstlineno)

    def test_solve__near_null_vectors_save_iterations(self):
        A = laplace(30)
        weights = sp.diags(np.exp(RANDOM.uniform(-2, 2, A.shape[0])))
        A = (weights @ A @ weights).tocsr()
        near_null = 1 / weights.diagonal()[:, None]
        b = right_hand_side(A)
        options = {"solver": "cg", "precond": "amg", "amg_coarsening": "sa",
                   "amg_coarse_rows": 50}
        _, without = levelcl.solve(A, b, **options)
        _, report = levelcl.solve(A, b, near_nullspace=near_null, **options)
        self.assertTrue(report.converged)
        self.assertLess(report.iterations, without.iterations)
        with levelcl.Operator(A) as op:
            op.set_near_nullspace(near_null)
            op.set_near_nullspace(None)
            _, report = levelcl.solve(op, b, **options)
        self.assertEqual(report.iterations, without.iterations)

    def test_solve__null_vectors_are_removed(self):
        edge = sp.diags([np.ones(59), -np.ones(59)], [0, 1], (59, 60))
        A = (edge.T @ edge).tocsr()
        b = right_hand_side(A)
        start = np.full(60, 2.5)
        x, report = levelcl.solve(A, b, start, nullspace="constant",
                                  solver="cg")
        self.assertAlmostEqual(report.norm_removed, abs(b.sum()) / 60**0.5)
        np.testing.assert_allclose(A @ x, b - b.mean(), atol=1e-6)
        self.assertAlmostEqual(x.mean(), 2.5)
        scale = sp.diags(np.arange(1.0, 61))
        with levelcl.Operator((scale @ A).tocsr()) as op:
            with self.assertRaisesRegex(levelcl.LevelclError, "left"):
                op.set_nullspace()
            with self.assertRaisesRegex(ValueError, "constant"):
                op.set_nullspace("ones")
            with self.assertRaisesRegex(levelcl.LevelclError, "rows"):
                op.set_nullspace(np.ones((35, 1)))
            op.set_nullspace(left=1 / np.arange(1.0, 61)[:, None])
            x, _ = levelcl.solve(op, scale @ A @ b)
            np.testing.assert_allclose(x, b - b.mean(), atol=1e-5)
            op.set_nullspace(np.ones((60, 1)), check=False)
            op.set_nullspace(None)

    def test_rigid_body_modes__are_translations_and_rotations(self):
        points = RANDOM.uniform(size=(10, 2))
        modes = levelcl.rigid_body_modes(points)
        self.assertEqual(modes.shape, (20, 3))
        np.testing.assert_array_equal(modes[:, 0], np.tile([1, 0], 10))
        turned = points - points.mean(axis=0)
        turned = np.c_[-turned[:, 1], turned[:, 0]].ravel()
        self.assertAlmostEqual(
            abs(turned @ modes[:, 2]),
            np.linalg.norm(turned) * np.linalg.norm(modes[:, 2]))


class Scipy(Case):
    def test_preconditioner__saves_iterations_of_scipys_cg(self):
        A = laplace(30)
        b = right_hand_side(A)
        _, without = iterations(spla.cg, A, b)
        with levelcl.Preconditioner(A, "ic0", factor_storage="fp64") as M:
            x, count = iterations(spla.cg, A, b, M=M)
        self.assertLess(2 * count, without)
        self.assertLess(relative_residual(A, x, b), 1e-4)

    def test_preconditioner__saves_iterations_of_scipys_gmres(self):
        A = convection(30)
        b = right_hand_side(A)
        _, without = iterations(spla.gmres, A, b, callback_type="pr_norm")
        with levelcl.Preconditioner(A, "ildu0") as M:
            x, count = iterations(spla.gmres, A, b, M=M,
                                  callback_type="pr_norm")
        self.assertLess(2 * count, without)
        self.assertLess(relative_residual(A, x, b), 1e-4)

    def test_preconditioner__is_what_the_matrix_suggests(self):
        for A, precond in (laplace(30), "ic0"), (convection(30), "ildu0"):
            with levelcl.Preconditioner(A) as M:
                self.assertEqual(M.info.type, precond)

    def test_operator__applies_vectors_and_columns(self):
        A = sp.random(30, 20, 0.3, "csr", random_state=1)
        X = RANDOM.standard_normal((20, 3))
        with levelcl.Operator(A) as op:
            self.assertEqual(op.shape, (30, 20))
            np.testing.assert_allclose(op @ X[:, 0], A @ X[:, 0], atol=1e-14)
            np.testing.assert_allclose(op @ X, A @ X, atol=1e-14)
            np.testing.assert_allclose(op @ X[::2, :1].repeat(2, axis=0),
                                       A @ X[::2, :1].repeat(2, axis=0),
                                       atol=1e-14)

    def test_operator__takes_every_format(self):
        A = sp.random(24, 24, 0.2, "csr", random_state=2)
        x = RANDOM.standard_normal(24)
        backwards = np.concatenate([np.arange(end - 1, start - 1, -1) for
                                    start, end in zip(A.indptr, A.indptr[1:])])
        unsorted = sp.csr_matrix((A.data[backwards], A.indices[backwards],
                                  A.indptr), A.shape)
        wide = A.copy()
        wide.indices, wide.indptr = (wide.indices.astype(np.int64),
                                     wide.indptr.astype(np.int64))
        longer = sp.csr_matrix((np.r_[A.data, 9], np.r_[A.indices, 0],
                                A.indptr), A.shape)
        twice = sp.csr_matrix((np.r_[A.data, A.data] / 2,
                               (np.r_[A.tocoo().row, A.tocoo().row],
                                np.r_[A.indices, A.indices])), A.shape)
        for B in (A.tocoo(), A.tocsc(), A.tolil(), A.tobsr((3, 3)), A.todia(),
                  A.tobsr((4, 6)), A.toarray(), np.asfortranarray(A.toarray()),
                  sp.csr_array(A), unsorted, wide, twice, longer):
            with levelcl.Operator(B) as op:
                np.testing.assert_allclose(op @ x, A @ x, atol=1e-14)
        with levelcl.Operator(A.tobsr((3, 3))) as op:
            self.assertEqual(op.info.block_size, 3)
        with levelcl.Operator(A.astype(np.float32)) as op:
            np.testing.assert_allclose(op @ x, A @ x, atol=1e-5)


class Update(Case):
    def test_update__solves_with_the_new_values(self):
        A = convection(20)
        op = levelcl.Operator(A)
        chain = levelcl.Chain(op, rtol=1e-10)
        M = levelcl.Preconditioner(op)
        for values in (A + 3 * sp.eye(A.shape[0], format="csr"),
                       2 * A.data):
            new = A.copy()
            new.data[:] = values.data if sp.issparse(values) else values
            op.update(values)
            self.assertEqual(chain.update(), levelcl.Status.OK)
            self.assertEqual(M.update(), levelcl.Status.OK)
            b = right_hand_side(A)
            x, report = chain.solve(b)
            self.assertTrue(report.converged)
            self.assertLess(relative_residual(new, x, b), 2e-10)
            _, count = iterations(spla.gmres, new, b, M=M,
                                  callback_type="pr_norm")
            self.assertLess(count, 40)

    def test_update__refuses_another_pattern(self):
        A = laplace(6)
        blocks = sp.kron(A, np.ones((2, 2)), format="bsr")
        with levelcl.Operator(A.tocsc()) as op, levelcl.Operator(A) as direct, \
                levelcl.Operator(blocks) as in_blocks:
            for update, values, sentence in (
                    (direct.update, laplace(5), "another pattern"),
                    (direct.update, A[:, ::-1], "another pattern"),
                    (direct.update, A.data[1:],
                     f"values has {A.nnz - 1} elements"),
                    (op.update, A.data, "another order"),
                    (in_blocks.update, blocks.data[1:], "elements: expected")):
                with self.assertRaisesRegex(ValueError, sentence):
                    update(values)
            op.update(2 * A)
            in_blocks.update(2 * blocks.data)
            x = RANDOM.standard_normal(36)
            np.testing.assert_allclose(op @ x, 2 * A @ x, atol=1e-13)
            x = RANDOM.standard_normal(72)
            np.testing.assert_allclose(in_blocks @ x, 2 * blocks @ x,
                                       atol=1e-13)

    def test_set_tolerance__counts_from_the_next_solve_on(self):
        A = laplace(20)
        b = right_hand_side(A)
        for make in (lambda: levelcl.Solver(A, "jacobi", solver="cg"),
                     lambda: levelcl.Chain(A, precond="jacobi")):
            with make() as solver:
                long = solver.solve(b).report
                solver.set_tolerance(rtol=1e-3)
                short = solver.solve(b).report
            self.assertLess(short.iterations, long.iterations)


class Many(Case):
    def test_solve_many__solves_the_columns(self):
        A = convection(20)
        B = RANDOM.standard_normal((400, 3))
        with levelcl.Solver(A, "ildu0", rtol=1e-10) as solver:
            alone = [solver.solve(b) for b in B.T]
            for given in (B, np.asfortranarray(B), np.repeat(B, 2, 1)[:, ::2],
                          B.tolist(), B.astype(">f8")):
                X, reports = solver.solve_many(given)
                self.assertTrue(X.flags.f_contiguous)
                self.assertEqual(len(reports), 3)
                for j, (x, report) in enumerate(alone):
                    np.testing.assert_array_equal(X[:, j], x)
                    np.testing.assert_array_equal(reports[j].history,
                                                  report.history)
                    self.assertTrue(reports[j].converged)
                    self.assertLess(relative_residual(A, x, B[:, j]), 1.1e-10)
            again, reports = solver.solve_many(B, np.ascontiguousarray(X))
            self.assertEqual({report.iterations for report in reports}, {0})
            np.testing.assert_array_equal(again, X)

    def test_solve_many__a_chain_has_attempts_of_each_column(self):
        A, columns = laplace(20), []
        B = RANDOM.standard_normal((400, 3))

        def monitor(progress):
            columns.append(progress.column)
            return True

        with levelcl.Chain(A, precond="jacobi", solver="bicgstab",
                           monitor_every=1) as chain:
            X, reports = chain.solve_many(B, monitor=monitor)
        self.assertEqual(sorted(set(columns)), [0, 1, 2])
        for j, report in enumerate(reports):
            self.assertLess(relative_residual(A, X[:, j], B[:, j]), 1.1e-8)
            self.assertEqual([attempt.iterations
                              for attempt in report.attempts],
                             [report.iterations])

    def test_solve_many__a_column_that_fails_does_not_end_the_others(self):
        A = sp.diags([1.0, 1, -1, 1], format="csr")
        B = np.array([[1.0, 2, 0, 4], [1, 0, 1, 0], [0, 0, 0, 0]]).T
        with levelcl.Solver(A, solver="cg") as solver:
            with self.assertWarnsRegex(levelcl.NotConvergedWarning,
                                       "1 of 3 columns; column 1: "):
                X, reports = solver.solve_many(B)
        np.testing.assert_allclose(X[:, 0], B[:, 0])
        self.assertEqual(
            [report.status.name for report in reports],
            ["OK", "BREAKDOWN", "OK"])

    def test_solve_many__the_monitor_ends_all(self):
        A = laplace(20)
        B = RANDOM.standard_normal((400, 3))
        seen = []

        def monitor(step):
            seen.append(step)
            return sum(step.iteration == 0 for step in seen) < 2

        def fails(_):
            raise ZeroDivisionError("mine")

        with levelcl.Solver(A, solver="bicgstab", monitor_every=1) as solver, \
                warnings.catch_warnings():
            warnings.simplefilter("error")
            X, reports = solver.solve_many(B, monitor=monitor)
            with self.assertRaisesRegex(ZeroDivisionError, "mine"):
                solver.solve_many(B, monitor=fails)
            with self.assertRaisesRegex(RuntimeError, "own solve"):
                solver.solve_many(B, monitor=lambda _: solver.solve_many(B))
        self.assertEqual([report.stop for report in reports],
                         ["rtol", "monitor", "none"])
        self.assertEqual(reports[2].history.size, 0)
        self.assertFalse(reports[2].converged)
        np.testing.assert_array_equal(X[:, 2], 0)

    def test_solve_many__the_monitor_ends_columns_together(self):
        B = RANDOM.standard_normal((400, 3))
        with levelcl.Solver(laplace(20), solver="cg", monitor_every=1) as solver:
            _, reports = solver.solve_many(
                B, monitor=lambda step: step.iteration < 3)
        self.assertEqual([report.stop for report in reports], ["monitor"] * 3)
        self.assertEqual([report.history.size for report in reports], [4] * 3)

    def test_solve_many__bad_columns_are_refused(self):
        B, good = np.ones((36, 2)), np.ones((36, 2))
        B[7, 1] = np.nan
        with levelcl.Solver(laplace(6), solver="cg") as solver:
            for error, sentence, *arguments in (
                    (ValueError, r"B has shape \(36,\): expected \(36, k\)",
                     good[:, 0]),
                    (ValueError, r"B has shape \(2, 36\)", good.T),
                    (ValueError, r"B has shape \(36, 0\)", good[:, :0]),
                    (ValueError, r"B has shape \(36, 2, 1\)", good[..., None]),
                    (ValueError, "k < 2",
                     np.broadcast_to(1.0, (36, 2**31))),
                    (ValueError, r"X0 has shape \(36, 1\)", good, good[:, :1]),
                    (TypeError, "B has dtype complex", good * 1j),
                    (TypeError, "B has dtype object", sp.csr_matrix(good)),
                    (TypeError, "B has dtype <U1", [["x", "y"]] * 36),
                    (TypeError, "X0 has dtype complex", good, good * 1j),
                    (levelcl.LevelclError,
                     "right-hand side of column 1 .* NaN", B),
                    (levelcl.LevelclError, "start vector of column 1", good,
                     B)):
                with self.assertRaisesRegex(error, sentence):
                    solver.solve_many(*arguments)
            self.assertTrue(solver.solve_many(good).report[1].converged)
        with self.assertRaisesRegex(ValueError, "closed"):
            solver.solve_many(good)

    def test_solve_many__has_the_status_of_a_solve(self):
        A = sp.diags([1.0, 1, -1, 1], format="csr")
        for matrix, b, keywords in (
                (A, [1, 0, 1, 0], {"solver": "cg"}),
                (A, [0, 0, 0, 0], {"solver": "cg"}),
                (laplace(2), [1, 2, 3, 5], {"max_iters": 1}),
                (laplace(2), [1, 2, 3, 5], {"atol": 1e-3}),
                (sp.csr_matrix(np.eye(4, k=1) + np.diag([0.0, 0, 0, 1])),
                 [1, 1, 1, 1], {"solver": "gmres"})):
            with levelcl.Solver(matrix, **keywords) as solver, \
                    warnings.catch_warnings():
                warnings.simplefilter("ignore")
                report = solver.solve(b).report
                many = solver.solve_many(np.array([b]).T).report[0]
            self.assertEqual((report.status, report.stop),
                             (many.status, many.stop))


class Info(Case):
    def test_norm__is_that_of_the_report(self):
        A = laplace(20)
        b = right_hand_side(A)
        for norm, order in (("1", 1), ("2", 2), ("max", np.inf)):
            with levelcl.Solver(A, solver="cg", norm=norm, rtol=1e-6) as solver:
                self.assertEqual(solver.info.norm, norm)
                x, report = solver.solve(b)
            norm_b = np.linalg.norm(b, order)
            self.assertAlmostEqual(report.norm_b / norm_b, 1)
            self.assertAlmostEqual(
                report.true_residual,
                np.linalg.norm(b - A @ x, order) / norm_b, delta=1e-12)
        with self.assertRaisesRegex(levelcl.LevelclError, "norm"):
            levelcl.Solver(A, norm="3")

    def test_info__has_the_options_in_use(self):
        with levelcl.Solver(laplace(6), solver="gmres", basis="fp32") as solver:
            info = solver.info
        self.assertEqual((info.type, info.basis, info.restart, info.rtol),
                         ("gmres", "fp32", 30, 1e-8))
        self.assertFalse(hasattr(info, "monitor"))
        with self.assertRaisesRegex(ValueError, "closed"):
            solver.info

    def test_info__names_the_values_of_arrays_of_enums(self):
        with levelcl.Preconditioner(laplace(40), "amg", amg_storage="bf16",
                                    amg_coarse_rows=50) as M:
            info = M.info
        self.assertGreater(info.amg.levels, 1)
        self.assertEqual(info.amg.storage[0], "bf16")
        self.assertEqual(len(info.amg.storage), levelcl.AMG_LEVELS)

    def test_memory__grows_with_the_objects(self):
        A = laplace(40)
        with levelcl.Context(no_self_test=True) as context:
            empty = context.memory
            op = levelcl.Operator(A, context=context)
            with_operator = context.memory
            M = levelcl.Preconditioner(op, "ilu0", coarse="none")
            full = context.memory
            parts = op.info.bytes + M.info.bytes
            self.assertGreaterEqual(full.buffer_bytes - empty.buffer_bytes,
                                    parts)
            self.assertGreater(op.info.bytes, 8 * A.nnz)
            self.assertGreater(M.info.bytes, 0)
            self.assertGreaterEqual(full.device_bytes, full.buffer_bytes)
            self.assertGreater(full.buffers, with_operator.buffers)
            M.close()
            op.close()
            freed = context.memory
            self.assertEqual((freed.buffers, freed.buffer_bytes),
                             (empty.buffers, empty.buffer_bytes))
            self.assertGreaterEqual(freed.buffer_bytes_max, full.buffer_bytes)
        with self.assertRaisesRegex(ValueError, "closed"):
            context.memory


def shuffled_rows(A):
    """Columns and values of a CSR matrix, each row in another order."""
    order = np.concatenate([RANDOM.permutation(np.arange(start, end)) for
                            start, end in zip(A.indptr, A.indptr[1:])])
    return A.indices[order], A.data[order], order


class Layouts(Case):
    def applies(self, layout, A, params=None):
        """The product, then that with other values, in the same order."""
        x = RANDOM.standard_normal(A.shape[1])
        with levelcl.Operator(layout) as op:
            self.assertEqual(op.shape, A.shape)
            np.testing.assert_allclose(op @ x, A @ x, atol=1e-13)
            if params is not None:
                op.update(-2 * params)
                np.testing.assert_allclose(op @ x, -2 * (A @ x), atol=1e-13)

    def test_layouts__csr_with_rows_in_any_order(self):
        A = sp.random(30, 20, 0.3, "csr", random_state=3)
        col, val, _ = shuffled_rows(A)
        for index in np.int32, np.int64:
            for base in 0, 1:
                self.applies(levelcl.Layout(
                    "csr", np.int8(30), col + base, val, cols=20, base=base,
                    row_ptr=(A.indptr + base).astype(index)), A, val)

    def test_layouts__lists_of_entries(self):
        A = sp.random(30, 20, 0.3, "coo", random_state=4)
        row, col = np.r_[A.row, A.row[:9]], np.r_[A.col, A.col[:9]]
        val = np.r_[A.data, RANDOM.standard_normal(9)]
        summed = sp.coo_matrix((val, (row, col)), A.shape).tocsr()
        self.applies(levelcl.Layout("coo", 30, col, val, cols=20, row=row),
                     summed, val)

    def test_layouts__one_triangle(self):
        A = laplace(6)
        for triangle, part in ("lower", sp.tril(A)), ("upper", sp.triu(A)):
            part = part.tocoo()
            self.applies(levelcl.Layout(
                "coo", 36, part.col, part.data, row=part.row,
                triangle=triangle), A, part.data)

    def test_layouts__faces_between_cells(self):
        A = convection(6)
        faces = sp.triu(A, 1).tocoo()
        upper, lower = faces.data, np.asarray(A[faces.col, faces.row]).ravel()
        diagonal = A.diagonal()
        layout = levelcl.Layout("ldu", 36, faces.col, diagonal, row=faces.row,
                                upper=upper, lower=lower)
        self.applies(layout, A, np.r_[diagonal, upper, lower])
        symmetric = (sp.triu(A) + sp.triu(A, 1).T).tocsr()
        layout = levelcl.Layout("ldu", 36, faces.col, diagonal, row=faces.row,
                                upper=upper)
        self.applies(layout, symmetric, np.r_[diagonal, upper])
        b = right_hand_side(A)
        x, report = levelcl.solve(layout, b)
        self.assertTrue(report.converged)
        self.assertLess(relative_residual(symmetric, x, b), 1.1e-8)

    def test_layouts__orders_of_blocks(self):
        blocks = sp.random(60, 60, 0.1, "csr", random_state=5)
        values = RANDOM.standard_normal((blocks.nnz, 3, 3))
        A = sp.bsr_matrix((values, blocks.indices, blocks.indptr))
        for order, axes in (("rows", (0, 1, 2)), ("columns", (0, 2, 1)),
                            ("components", (1, 2, 0))):
            given = values.transpose(axes)
            self.applies(levelcl.Layout(
                "csr", np.int8(60), blocks.indices, given, row_ptr=blocks.indptr,
                order=order, block_size=np.int8(3)), A, given)

    def test_layouts__bad_arrays_are_refused(self):
        good = {"type": "coo", "rows": 2, "col": [0, 1], "val": [1.0, 1],
                "row": [0, 1]}
        for error, sentence, changes in (
                (ValueError, "type 'csc': expected csr, coo, ldu",
                 {"type": "csc"}),
                (ValueError, "triangle 3", {"triangle": 3}),
                (ValueError, "triangle array", {"triangle": np.ones(2)}),
                (ValueError, "order 'F'", {"order": "F"}),
                (ValueError, '"coo" needs row', {"row": None}),
                (ValueError, 'upper does not belong to "coo"',
                 {"upper": [1.0]}),
                (ValueError, '"csr" needs row_ptr', {"type": "csr",
                                                     "row": None}),
                (ValueError, '"ldu" needs upper', {"type": "ldu"}),
                (ValueError, "col has 1 elements: expected 2", {"col": [0]}),
                (ValueError, "val has 3 elements", {"val": [1.0, 1, 1]}),
                (ValueError, "val has 2 elements: expected 18",
                 {"block_size": 3}),
                (ValueError, "row_ptr has 2 elements: expected 3",
                 {"type": "csr", "row": None, "row_ptr": [0, 2]}),
                (ValueError, "col has 2 elements: expected -3",
                 {"type": "csr", "row": None, "row_ptr": [0, 1, -3]}),
                (ValueError, "block_size is 9", {"block_size": 9}),
                (ValueError, "base is 4294967296", {"base": 2**32}),
                (ValueError, "rows is -1", {"rows": -1}),
                (ValueError, "rows is 18446744073709551618",
                 {"rows": 2**64 + 2}),
                (TypeError, "col has dtype float64", {"col": [0.0, 1]}),
                (ValueError, "row has numbers that do not fit int32",
                 {"row": [0, 2**40]}),
                (TypeError, "hermitian is 1", {"hermitian": 1}),
                (TypeError, "integer", {"rows": 2.0})):
            with self.assertRaisesRegex(error, sentence):
                levelcl.Layout(**{**good, **changes})
        for sentence, changes in (
                ("outside of the matrix", {"col": [0, 2]}),
                ("finite", {"val": [1.0, np.nan]}),
                ("finite", {"val": [1.0, 1j * np.inf]}),
                ("not complex", {"hermitian": True}),
                ("triangle", {"col": [1, 1], "triangle": "lower"})):
            layout = levelcl.Layout(**{**good, **changes})
            with self.assertRaisesRegex(levelcl.LevelclError, sentence):
                levelcl.Operator(layout)
        with levelcl.Operator(levelcl.Layout(**good)) as op:
            with self.assertRaisesRegex(ValueError, "values has 3 elements"):
                op.update(np.ones(3))
            with self.assertRaisesRegex(ValueError, "is a Layout"):
                op.update(sp.eye(2))


class Complex(Case):
    """Complex matrices and vectors, beside scipy's direct solver."""

    @staticmethod
    def shifted(n, shift):
        A = convection(n) + shift * sp.eye(n * n)
        A.data = A.data * np.exp(0.3j * RANDOM.random(A.nnz))
        return A.tocsr()

    @staticmethod
    def vector(A, *shape):
        return (RANDOM.standard_normal((A.shape[0], *shape))
                + 1j * RANDOM.standard_normal((A.shape[0], *shape)))

    def test_complex__systems_are_solved(self):
        general = self.shifted(12, 1 + 2j)
        hermitian = laplace(12) + 0.3j * (sp.eye(144, k=1)
                                          - sp.eye(144, k=-1))
        for A in (general, general.astype(np.complex64), general.tocoo(),
                  general.tobsr((2, 2)), general.tocsc(), general.toarray(),
                  general + general.T, hermitian.tocsr()):
            b = self.vector(A)
            for right in (b, b.real, b.astype(np.complex64)):
                x, report = levelcl.solve(A, right, rtol=1e-11)
                self.assertTrue(report.converged)
                self.assertEqual(x.dtype, np.complex128)
                expected = spla.spsolve(sp.csc_matrix(A, dtype=complex), right)
                self.assertLess(np.abs(x - expected).max(), 1e-8)

    def test_complex__hermitian_matrices_take_cg(self):
        A = (laplace(12) + 0.3j * (sp.eye(144, k=1) - sp.eye(144, k=-1)))
        x, report = levelcl.solve(A.tocsr(), self.vector(A))
        self.assertEqual(report.attempts[0].solver, "cg")

    def test_complex__operators_are_those_of_scipy(self):
        A = self.shifted(9, 2j)
        x, X = self.vector(A), self.vector(A, 3)
        with levelcl.Operator(A) as op:
            self.assertEqual(op.dtype, np.complex128)
            self.assertEqual(op.shape, A.shape)
            self.assertTrue(op.info.is_complex)
            self.assertLess(np.abs(op @ x - A @ x).max(), 1e-13)
            self.assertLess(np.abs(op @ X - A @ X).max(), 1e-13)
            self.assertLess(np.abs(op.H @ x - A.conj().T @ x).max(), 1e-13)
            with levelcl.Preconditioner(op, "ildu0") as M:
                y, info = spla.gmres(A, x, M=M, restart=50, atol=0)
                self.assertEqual(info, 0)
            A.data *= 1.5
            op.update(A)
            self.assertLess(np.abs(op @ x - A @ x).max(), 1e-13)
            op.update(A.data * 2)
            self.assertLess(np.abs(op @ x - 2 * (A @ x)).max(), 1e-13)
            for call in (lambda: op.set_near_nullspace(X), op.set_nullspace):
                with self.assertRaisesRegex(TypeError, "A is complex"):
                    call()

    def test_complex__columns_and_guesses_are_complex(self):
        A = self.shifted(9, 1 + 1j)
        B = self.vector(A, 3)
        with levelcl.Operator(A) as op, levelcl.Chain(op, rtol=1e-11) as chain:
            X, reports = chain.solve_many(B, 0.5 * B)
            self.assertTrue(all(report.converged for report in reports))
            self.assertLess(np.abs(A @ X - B).max(), 1e-9)
            x, report = chain.solve(B[:, 0], X[:, 0])
            self.assertLessEqual(report.iterations, 1)

    def test_complex__a_callback_gets_complex_vectors(self):
        A, seen = self.shifted(6, 1 + 1j), []
        jacobi = spla.LinearOperator(
            A.shape, dtype=complex,
            matvec=lambda r: seen.append(r.dtype) or r / A.diagonal())
        with levelcl.Operator(A) as op, levelcl.Preconditioner(
                op, jacobi) as M, levelcl.Solver(op, M, solver="gmres") as S:
            x, report = S.solve(self.vector(A))
            self.assertTrue(report.converged)
            self.assertEqual(set(seen), {np.dtype(np.complex128)})

    def test_complex__layouts_have_one_triangle_of_hermitian_matrices(self):
        A = sp.coo_matrix([[4, 1 - 2j], [1 + 2j, 5]])
        lower = sp.tril(A)
        for hermitian in (True, False):
            layout = levelcl.Layout(
                "coo", 2, lower.col, lower.data, row=lower.row,
                triangle="lower", hermitian=hermitian)
            full = A if hermitian else lower + sp.tril(A, -1).T
            with levelcl.Operator(layout) as op:
                for x in ([1, 0], [1j, 2]):
                    self.assertLess(np.abs(op @ x - full @ x).max(), 1e-15)

    def test_complex__built_in_problem(self):
        A = levelcl.problem("helmholtz:3,1.5")
        self.assertEqual((A.shape, A.nnz), ((27, 27), 135))
        self.assertEqual(A[0, 0], 2.75 - 1.5j)


class BadInput(Case):
    def refused(self, error, sentence, function, *arguments, **keywords):
        with self.assertRaisesRegex(error, sentence) as caught:
            function(*arguments, **keywords)
        return caught.exception

    def test_bad_input__arrays_are_refused(self):
        A = laplace(6)
        b, short = np.ones(36), np.ones(35)
        for error, sentence, *arguments in (
                (TypeError, "complex", A, b.astype(complex)),
                (TypeError, "dtype", A, list("x" * 36)),
                (TypeError, "dtype object", A, A),
                (ValueError, r"shape \(35,\)", A, short),
                (ValueError, r"shape \(1, 36\)", A, b[None]),
                (ValueError, r"shape \(35,\)", A, b, short),
                (ValueError, "two dimensions", b, b)):
            self.refused(error, sentence, levelcl.solve, *arguments)

    def test_bad_input__the_librarys_sentence_reaches_the_caller(self):
        A = laplace(6)
        b, not_finite = np.ones(36), np.full(36, np.nan)
        bad = A.copy()
        bad.data[7] = np.inf
        for status, sentence, *arguments in (
                ("EFORMAT", "finite|NaN", A, not_finite),
                ("EFORMAT", "finite|NaN", A, b, not_finite),
                ("EFORMAT", "row", bad, b),
                ("EFORMAT", "square", A[:30], b[:30])):
            error = self.refused(levelcl.LevelclError, sentence,
                                 levelcl.solve, *arguments)
            self.assertEqual(error.status, levelcl.Status[status])
        error = self.refused(levelcl.LevelclError, "did you mean 'ilut'",
                             levelcl.Preconditioner, A, "ilutt")
        self.assertEqual(error.status, levelcl.Status.EINVAL)
        error = self.refused(levelcl.LevelclError, "nowhere", levelcl.Context,
                             "nowhere")
        self.assertEqual(error.status, levelcl.Status.ENODEVICE)
        with levelcl.Operator(A) as op:
            self.refused(levelcl.LevelclError, "finite", op.update, bad)
            self.refused(levelcl.LevelclError, "rows", op.set_near_nullspace,
                         np.ones((35, 1)))
            np.testing.assert_allclose(op @ b, A @ b, atol=1e-14)
        self.refused(levelcl.LevelclError, "", levelcl.problem, "lap9d:3")
        self.refused(levelcl.LevelclError, "", levelcl.rigid_body_modes,
                     np.ones((3, 5)))

    def damaged(self):
        """Matrices whose arrays do not fit, and what is said of them."""
        A = laplace(6)
        blocks = sp.kron(A, np.ones((2, 2)), format="bsr")
        for B in A, A.tocsc(), blocks, sp.kron(A, np.ones((2, 3)), "bsr"):
            for sentence, array, change in (
                    ("data has shape", "data", lambda a: a[:-1]),
                    ("data has shape", "data", lambda a: a[:, None]),
                    ("data has (shape|dtype)", "data", lambda a: "x"),
                    ("indices has shape", "indices", lambda a: a[:10]),
                    ("indices has dtype", "indices", lambda a: a + 0.5),
                    ("indices has shape", "indices", lambda a: None),
                    ("outside of 0 to", "indices", lambda a: a - 1),
                    ("outside of 0 to", "indices", lambda a: a + 2**20),
                    ("do not fit int32", "indices",
                     lambda a: a.astype(np.int64) + 2**32),
                    ("indptr: expected", "indptr", lambda a: a[:-1]),
                    ("indptr: expected", "indptr", lambda a: a + 1),
                    ("indptr: expected", "indptr", lambda a: a[::-1]),
                    ("indices has shape", "indptr",
                     lambda a: np.r_[a[:-1], 10**7])):
                broken = B.copy()
                setattr(broken, array, change(getattr(B, array)))
                yield sentence, broken
        for array, change in (
                ("row", lambda a: a + 30), ("col", lambda a: a - 1),
                ("row", lambda a: a[1:]), ("data", lambda a: a[1:])):
            broken = A.tocoo()
            setattr(broken, array, change(getattr(broken, array)))
            yield "", broken

    def test_bad_input__damaged_arrays_are_not_read(self):
        with levelcl.Operator(laplace(6)) as op:
            for sentence, broken in self.damaged():
                for use in levelcl.Operator, op.update:
                    self.refused((ValueError, TypeError), sentence, use, broken)
        layout = levelcl.Layout("csr", 2, [0, 1], [1.0, 1],
                                row_ptr=np.array([0, 1, 2]))
        layout._kept["row_ptr"][1] = 10**7
        self.refused(levelcl.LevelclError, "row 0", levelcl.Operator, layout)

    def test_bad_input__the_callers_arrays_may_change(self):
        A = laplace(6)
        x = RANDOM.standard_normal(36)
        for B in A, sp.csr_matrix((A.data, A.indices.astype(np.int64),
                                   A.indptr.astype(np.int64)), A.shape):
            B = B.copy()
            self.assertTrue(B.has_canonical_format)
            with levelcl.Operator(B) as op:
                B.indices[0], B.indices[-1] = 7, 3
                self.refused(ValueError, "another pattern", op.update, B)
                np.testing.assert_allclose(op @ x, A @ x, atol=1e-13)
            with levelcl.Operator(B) as op:  # sorted no more
                np.testing.assert_allclose(op @ x, B @ x, atol=1e-13)

    def test_bad_input__masks_are_not_ignored(self):
        A, b = laplace(6), np.ones(36)
        masked = np.ma.masked_array(b, np.arange(36) == 3)
        masked_matrix = A.copy()
        masked_matrix.data = np.ma.masked_less(A.data, 0)
        dense = np.ma.masked_equal(A.toarray(), 0)
        for arguments in ((A, masked), (A, masked[:, None]), (A, b, masked),
                          (dense, b), (masked_matrix, b)):
            self.refused(ValueError, "masked elements", levelcl.solve,
                         *arguments)
        with levelcl.Operator(A) as op, levelcl.Solver(op) as solver:
            for use, given in ((op.update, masked_matrix),
                               (op.update, masked_matrix.data),
                               (solver.solve_many, masked[:, None]),
                               (solver.solve_many, [masked[3:4]] * 36),
                               (op.set_near_nullspace, masked[:, None])):
                self.refused(ValueError, "masked elements", use, given)
            np.testing.assert_array_equal(
                solver.solve(np.ma.masked_array(b)).x, solver.solve(b).x)

    def test_bad_input__arguments_of_another_type_are_refused(self):
        A, b = laplace(6), np.ones(36)
        op = levelcl.Operator(A)
        solver, M = levelcl.Solver(op), levelcl.Preconditioner(op, "jacobi")
        for error, sentence, function in (
                (TypeError, "expected a Context",
                 lambda: levelcl.Operator(A, context="0")),
                (TypeError, "dtype object", lambda: levelcl.Operator(None)),
                (TypeError, "dtype object", lambda: levelcl.solve(A, None)),
                (TypeError, "dtype object", lambda: op.update(None)),
                (TypeError, "monitor is 3", lambda: solver.solve(b, None, 3)),
                (TypeError, "monitor is 3",
                 lambda: solver.solve_many(b[:, None], monitor=3)),
                (TypeError, "monitor is 3",
                 lambda: levelcl.solve(A, b, monitor=3)),
                (TypeError, "monitor_every is 1.5",
                 lambda: levelcl.Solver(op, monitor_every=1.5)),
                (ValueError, "monitor_every is 4294967297",
                 lambda: levelcl.Chain(op, monitor_every=2**32 + 1)),
                (ValueError, "max_iters is 4294967297",
                 lambda: solver.set_tolerance(max_iters=2**32 + 1)),
                (TypeError, "max_iters is '9'",
                 lambda: solver.set_tolerance(max_iters="9")),
                (TypeError, "rtol is '9'", lambda: solver.set_tolerance("9")),
                (TypeError, "rtol is array", lambda: solver.set_tolerance(b)),
                (ValueError, "width is 4294967297",
                 lambda: levelcl.Context(width=2**32 + 1)),
                (ValueError, "device has a null",
                 lambda: levelcl.Context("0\0")),
                (ValueError, "cache_dir has a null",
                 lambda: levelcl.Context(cache_dir="/\0")),
                (TypeError, "profile is 'off'",
                 lambda: levelcl.Context(profile="off")),
                (ValueError, "name has a null",
                 lambda: levelcl.problem("lap3d:4\0")),
                (TypeError, "name is 3", lambda: levelcl.problem(3)),
                (TypeError, "function has no options",
                 lambda: levelcl.Preconditioner(op, M, pivot="fail")),
                (ValueError, "cpr_blocks has 35 elements: expected 36",
                 lambda: levelcl.Preconditioner(op, cpr_blocks=b[1:])),
                (ValueError, "cpr_blocks has 35 elements",
                 lambda: levelcl.Chain(op, cpr_blocks=b[1:])),
                (TypeError, "cannot be copied", lambda: copy.copy(op)),
                (TypeError, "cannot be copied", lambda: copy.deepcopy(M)),
                (TypeError, "cannot be copied", lambda: copy.copy(solver)),
                (ValueError, "closed", lambda: levelcl.Operator(
                    A, context=closed_context()))):
            self.refused(error, sentence, function)
        self.assertEqual((op @ np.empty((36, 0))).shape, (36, 0))

    def test_bad_input__options_are_refused(self):
        A = laplace(6)
        for keyword, right in (("max_itrs", "max_iters"),
                               ("maxiter", "max_iters"), ("tol", "rtol"),
                               ("callback", "monitor"), ("M", "precond"),
                               ("restrt", "restart"), ("wrong", None)):
            for function in (levelcl.solve, levelcl.Solver, levelcl.Chain,
                             levelcl.Preconditioner, levelcl.Operator):
                arguments = (A, np.ones(36))[:1 + (function is levelcl.solve)]
                self.refused(
                    TypeError, f"^{keyword} is not an option"
                    + (f": did you mean {right}" if right else "$"),
                    function, *arguments, **{keyword: 3})
        self.refused(TypeError, "rtol is an option of another object",
                     levelcl.Operator, A, rtol=1)
        self.refused(TypeError, "pivot is an option of another object",
                     levelcl.Solver, A, solver="cg", pivot="fail")
        self.refused(ValueError, "null character", levelcl.solve, A,
                     np.ones(36), solver="cg\0")

    def test_bad_input__arrays_of_a_preconditioner(self):
        A = laplace(6)
        labels = np.repeat(np.arange(4), 9)
        with levelcl.Preconditioner(A, labels=labels) as M:
            self.assertEqual(M.info.factors.parts, 4)
        with levelcl.Preconditioner(
                A, "block-jacobi", block_ptr=np.arange(0, 37, 6)) as M:
            self.assertEqual(M.info.blocks.count, 6)
        for error, sentence, keywords in (
                (levelcl.LevelclError, "labels", {"labels": labels[1:]}),
                (TypeError, "float64", {"labels": labels + 0.5}),
                (ValueError, "int32", {"labels": labels + 2**40}),
                (levelcl.LevelclError, "block", {
                    "precond": "block-jacobi", "block_ptr": [0, 40]})):
            self.refused(error, sentence, levelcl.Preconditioner, A,
                         **keywords)


class Callbacks(Case):
    def setUp(self):
        super().setUp()
        self.A = laplace(30)
        self.b = right_hand_side(self.A)
        self.solver = levelcl.Solver(self.A, solver="cg", monitor_every=2)

    def tearDown(self):
        _, report = self.solver.solve(self.b)  # is as good as new
        self.assertTrue(report.converged)
        self.solver = None
        super().tearDown()

    def test_monitor__sees_the_solve_and_stops_it(self):
        seen = []
        _, report = self.solver.solve(self.b, monitor=seen.append)
        self.assertTrue(report.converged)
        self.assertGreater(len(seen), 5)
        for step in seen:
            self.assertEqual(step.residual, report.history[step.iteration])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _, report = self.solver.solve(
                self.b, monitor=lambda step: step.residual > 0.1)
        self.assertEqual(report.stop, "monitor")

    def test_monitor__its_exception_reaches_the_caller(self):
        for error in ZeroDivisionError("mine"), KeyboardInterrupt():
            calls = []

            def monitor(step):
                calls.append(step)
                raise error

            with self.assertRaises(type(error)) as caught:
                self.solver.solve(self.b, monitor=monitor)
            self.assertIs(caught.exception, error)
            self.assertEqual(len(calls), 1)

    def test_fork__is_an_error_in_the_child(self):
        def solve(connection):
            try:
                self.solver.solve(self.b)
            except levelcl.LevelclError as error:
                connection.send(error)

        here, there = multiprocessing.Pipe()
        child = multiprocessing.get_context("fork").Process(
            target=solve, args=(there,))
        child.start()
        self.assertTrue(here.poll(60))
        error = here.recv()
        child.join()
        self.assertEqual(error.status, levelcl.Status.EPROCESS)
        self.assertIn("fork()", str(error))

    def test_monitor__may_use_the_context_but_not_its_solver(self):
        M = levelcl.Preconditioner(self.A, "jacobi")
        expected = M @ self.b

        def monitor(_):
            np.testing.assert_array_equal(M @ self.b, expected)

        self.assertTrue(self.solver.solve(
            self.b, monitor=monitor).report.converged)
        with self.assertRaisesRegex(RuntimeError, "own solve"):
            self.solver.solve(self.b,
                              monitor=lambda _: self.solver.solve(self.b))

    def test_iterate__is_a_generator(self):
        expected = self.solver.solve(self.b)
        steps, solve = [], self.solver.iterate(self.b)
        with self.assertRaises(StopIteration) as end:
            while True:
                steps.append(next(solve))
        self.assertGreater(len(steps), 5)
        np.testing.assert_array_equal(end.exception.value.x, expected.x)
        with self.assertRaisesRegex(ValueError, "shape"):
            next(self.solver.iterate(self.b[1:]))

    def test_iterate__stops_the_solve_when_its_loop_is_left(self):
        threads = threading.active_count()
        for step in self.solver.iterate(self.b):
            with self.assertRaisesRegex(RuntimeError, "paused"):
                self.solver.solve(self.b)
            with self.assertRaisesRegex(RuntimeError, "paused"):
                next(self.solver.iterate(self.b))
            break
        gc.collect()
        self.assertEqual(threading.active_count(), threads)
        self.assertLess(step.iteration, 10)

    def test_transposes__serve_methods_of_scipy(self):
        A = self.A + sp.diags([0.5] * (self.A.shape[0] - 1), 1)
        with levelcl.Operator(A) as op, \
                levelcl.Preconditioner(op, "ildu0", coarse="none") as M:
            x = RANDOM.standard_normal(A.shape[0])
            np.testing.assert_allclose(op.rmatvec(x), A.T @ x, rtol=1e-12,
                                       atol=1e-12)
            self.assertAlmostEqual(M.matvec(self.b) @ x, self.b @ M.rmatvec(x),
                                   places=5)
            x, info = spla.bicg(op, self.b, M=M)
        self.assertEqual(info, 0)
        self.assertLess(relative_residual(A, x, self.b), 1e-4)

    def test_functions__solve_as_operator_and_preconditioner(self):
        A, diagonal = self.A, self.A.diagonal()
        op = levelcl.Operator(spla.aslinearoperator(A))
        M = spla.LinearOperator(A.shape, lambda x: x / diagonal)
        with levelcl.Solver(op, M, solver="cg") as solver:
            x, report = solver.solve(self.b)
        self.assertTrue(report.converged)
        self.assertLess(relative_residual(A, x, self.b), 1e-7)
        with self.assertRaisesRegex(ValueError, "no values"):
            op.update(A)

    def test_functions__their_exceptions_reach_the_caller(self):
        def fails(_):
            raise ZeroDivisionError("mine")
        shape = self.A.shape
        for function, error, sentence in (
                (fails, ZeroDivisionError, "mine"),
                (lambda x: x[1:], ValueError, "dimension|shape"),
                (lambda x: 1j * x, TypeError, "complex")):
            fails_on_host = spla.LinearOperator(shape, function, dtype=float)
            with levelcl.Operator(fails_on_host) as op, \
                    self.assertRaisesRegex(error, sentence):
                op @ self.b
            with levelcl.Solver(self.A, fails_on_host) as solver, \
                    self.assertRaisesRegex(error, sentence):
                solver.solve(self.b)


class Ends(Case):
    """Solves that end before they converge, which they never would."""
    endless = {"solver": "gmres", "rtol": 1e-300, "max_iters": 10**9,
               "stagnation": 10**9, "monitor_every": 1}

    def setUp(self):
        super().setUp()
        self.A = laplace(30)
        self.b = right_hand_side(self.A)
        self.solvers = (levelcl.Solver(self.A, "jacobi", **self.endless),
                        levelcl.Chain(self.A, **self.endless))

    def tearDown(self):
        for solver in self.solvers:  # as good as new
            solver.set_tolerance(1e-6)
            self.assertTrue(solver.solve(self.b).report.converged)
        del solver, self.solvers
        super().tearDown()

    def test_ends__another_thread_cancels(self):
        for solver in self.solvers:
            started, results = threading.Event(), []
            thread = threading.Thread(target=lambda: results.append(
                solver.solve(self.b, monitor=lambda _: started.set())))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                thread.start()
                started.wait()
                solver.cancel()
                thread.join()
            self.assertEqual(results[0].report.stop, "cancelled")
            self.assertLess(
                relative_residual(self.A, results[0].x, self.b), 1)

    def test_ends__updates_of_chains_can_be_cancelled(self):
        with levelcl.Operator(self.A) as op, levelcl.Chain(op) as chain:
            op.update(2 * self.A)
            chain.cancel()
            with self.assertRaises(levelcl.LevelclError) as caught:
                chain.update()
            self.assertEqual(
                caught.exception.status, levelcl.Status.ECANCELLED)
            self.assertTrue(chain.solve(self.b).report.converged)

    def test_ends__closed_objects_have_nothing_to_cancel(self):
        with levelcl.Chain(self.A) as chain:
            pass
        with self.assertRaisesRegex(ValueError, "closed"):
            chain.cancel()

    def press(self, solver, monitor):
        """A solve in this thread that Ctrl-C ends once it runs."""
        started = threading.Event()

        def interrupt():
            if monitor is None:
                while not solver._monitor.solving:
                    time.sleep(0.01)
                time.sleep(0.2)
            else:
                started.wait()
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            solver.solve(self.b, monitor=monitor and monitor(started))
        thread.join()

    def test_ends__the_keyboard_interrupts(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            for solver in self.solvers:
                self.press(solver, None)
                self.press(solver, lambda started: lambda _: started.set())
        finally:
            signal.signal(signal.SIGINT, before)

    def test_ends__time_is_limited(self):
        with levelcl.Solver(self.A, time_limit=1e-9) as solver, \
                self.assertWarns(levelcl.NotConvergedWarning):
            _, report = solver.solve(self.b)
        self.assertEqual(report.stop, "time-limit")
        with self.assertRaises(levelcl.LevelclError) as caught:
            levelcl.Chain(self.A, time_limit=1e-9)
        self.assertEqual(caught.exception.status, levelcl.Status.ECANCELLED)


class Objects(Case):
    def test_objects__close_in_any_order(self):
        A = laplace(6)
        for order in (0, 1, 2), (2, 1, 0), (1, 0, 2):
            op = levelcl.Operator(A)
            M = levelcl.Preconditioner(op)
            objects = op, M, levelcl.Solver(op, M)
            for at in order:
                objects[at].close()
                objects[at].close()
            for use in (lambda: op @ np.ones(36), lambda: M @ np.ones(36),
                        lambda: objects[2].solve(np.ones(36)),
                        lambda: op.info, M.update):
                with self.assertRaisesRegex(ValueError, "closed"):
                    use()

    def test_objects__live_as_long_as_what_was_made_of_them(self):
        A = laplace(6)
        b = right_hand_side(A)
        op = levelcl.Operator(A)
        solver = levelcl.Solver(op, "ilu0")
        op.close()
        solver.preconditioner.close()
        x, _ = solver.solve(b)
        self.assertLess(relative_residual(A, x, b), 1e-7)
        solver.itself = solver  # the garbage collector's to free
        del op, solver

    def test_objects__close_during_their_call(self):
        A = laplace(20)
        solver = levelcl.Solver(A, solver="cg", monitor_every=1)
        _, report = solver.solve(right_hand_side(A),
                                 monitor=lambda _: solver.close())
        self.assertTrue(report.converged)

    def test_objects__threads_take_turns(self):
        A = laplace(20)
        solver = levelcl.Solver(A, "ic0", solver="cg")
        failures = []

        def work(seed):
            random = np.random.default_rng(seed)
            for _ in range(20):
                b = random.standard_normal(A.shape[0])
                with levelcl.Operator(A) as op:
                    close = np.allclose(op @ b, A @ b, atol=1e-12)
                x, report = solver.solve(b)
                if not (close and report.converged and
                        relative_residual(A, x, b) < 1e-7):
                    failures.append(seed)

        threads = [threading.Thread(target=work, args=[seed])
                   for seed in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_objects__a_thread_may_close_what_another_one_uses(self):
        op = levelcl.Operator(laplace(6))
        handle = op._live()  # the other thread, about to call
        op.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            handle.call(levelcl._lib.operator_update, None)
        with self.assertRaisesRegex(ValueError, "closed"):
            levelcl._Handle(handle.core, "chain", levelcl._lib.chain_create,
                            handle.pointer, None, None, parents=(handle,))

    def test_objects__of_two_contexts_do_not_mix(self):
        A = laplace(6)
        with levelcl.Context(no_self_test=True) as context:
            M = levelcl.Preconditioner(levelcl.Operator(A, context=context))
            with self.assertRaisesRegex(ValueError, "different contexts"):
                levelcl.Solver(A, M)
        self.assertEqual(levelcl.default_context().caps.width, 1)

    def test_devices__are_those_of_contexts(self):
        devices = levelcl.devices()
        self.assertGreater(len(devices), 0)
        for index, caps in enumerate(devices):
            if not caps.fp64:
                continue
            with levelcl.Context(index, no_self_test=True) as context:
                self.assertEqual((context.caps.name, context.caps.platform),
                                 (caps.name, caps.platform))
        with self.assertRaises(levelcl.LevelclError) as caught:
            levelcl.Context(len(devices))
        self.assertEqual(caught.exception.status, levelcl.Status.ENODEVICE)

    def test_objects__warnings_go_to_the_logger(self):
        A = sp.csr_matrix(np.array([[1.0, 2], [2, 4]]))
        with self.assertLogs("levelcl", logging.WARNING) as logs, \
                levelcl.Context(no_self_test=True) as context, \
                levelcl.Operator(A, context=context, block_size=1) as op, \
                levelcl.Preconditioner(op, "ilu0") as M:
            self.assertEqual(M._handle.status, levelcl.Status.PIVOTS_REPAIRED)
        self.assertIn("pivot", logs.output[0])


class Library(unittest.TestCase):
    def test_library__is_found_or_the_reason_said(self):
        libc = levelcl.ctypes.util.find_library("c")
        for name, sentence in (("/nowhere.so", "/nowhere.so is not"),
                               (libc, f"{libc} is not levelcl's")):
            with unittest.mock.patch.dict(os.environ, LEVELCL_LIBRARY=name), \
                    self.assertRaisesRegex(ImportError, sentence):
                levelcl._load()
        with unittest.mock.patch.object(levelcl, "__version__", "9.9"), \
                self.assertRaisesRegex(ImportError, "9.9 needs"):
            levelcl._load()
        with unittest.mock.patch.object(levelcl, "_places",
                                        lambda: iter(())), \
                self.assertRaisesRegex(ImportError, "LEVELCL_LIBRARY"):
            levelcl._load()

    def test_library__of_the_same_prefix_is_found(self):
        with tempfile.TemporaryDirectory() as prefix:
            prefix = pathlib.Path(prefix).resolve()
            module = prefix / "share" / "levelcl" / "python"
            module.mkdir(parents=True)
            shutil.copy(levelcl.__file__, module)
            library = prefix / "lib" / "mips64-linux-gnu" / levelcl._SONAME
            library.parent.mkdir(parents=True)
            library.symlink_to(os.environ["LEVELCL_LIBRARY"])
            environment = dict(os.environ, PYTHONPATH=str(module))
            del environment["LEVELCL_LIBRARY"]
            shown = subprocess.run(
                [sys.executable, "-c",
                 "import levelcl; print(next(levelcl._places()))"],
                env=environment, check=True, text=True,
                stdout=subprocess.PIPE).stdout
            self.assertEqual(shown.strip(), str(library))

    def test_library__of_pythons_prefix_is_found(self):
        with tempfile.TemporaryDirectory() as prefix, \
                unittest.mock.patch.object(sys, "prefix", prefix), \
                unittest.mock.patch.dict(os.environ):
            del os.environ["LEVELCL_LIBRARY"]
            self.assertNotIn(prefix, "".join(levelcl._places()))
            library = pathlib.Path(prefix, "lib64", levelcl._SONAME)
            library.parent.mkdir()
            library.touch()
            self.assertEqual(next(levelcl._places()), str(library))

    def test_library__objects_may_be_open_at_exit(self):
        program = ("import levelcl, numpy\n"
                   "A = levelcl.problem('lap3d:6')\n"
                   "solver = levelcl.Solver(A, 'jacobi', solver='cg')\n"
                   "steps = solver.iterate(numpy.ones(A.shape[0]))\n"
                   "next(steps)\n")
        done = subprocess.run([sys.executable, "-c", program], text=True,
                              stderr=subprocess.PIPE, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


need_device()
unittest.main()
