# SPDX-License-Identifier: BSD-3-Clause
"""A tour of levelcl.py, in cells as notebooks have them. Plots residuals to
histories.png, or the file that the argument names; without matplotlib it prints
them."""
# %% A matrix of scipy: diffusion with random coefficients, a random b
import sys

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import levelcl

cells = 48
random = np.random.default_rng(1)
difference = sp.diags([-1, 1], [0, 1], (cells - 1, cells))
gradient = sp.vstack([sp.kron(sp.eye(cells), difference),
                      sp.kron(difference, sp.eye(cells))])
conductivity = sp.diags(np.exp(random.normal(0, 2, gradient.shape[0])))
A = (gradient.T @ conductivity @ gradient + 1e-2 * sp.eye(cells**2)).tocsr()
b = random.standard_normal(A.shape[0])

# %% One call: the library chooses the method
x, report = levelcl.solve(A, b)
print(f"{report.attempts[0].solver} with {report.attempts[0].precond},"
      f" since {report.reason}")
print(f"{report.iterations} iterations, residual {report.true_residual:.1e}")

# %% Step by step, one operator for several methods
op = levelcl.Operator(A)
histories = {}
for precond in "jacobi", "ic0", "amg":
    M = levelcl.Preconditioner(op, precond)
    with levelcl.Solver(op, M, solver="cg") as solver:
        histories[f"cg, {precond}"] = solver.solve(b).report.history

# %% The preconditioner in a solver of scipy
M = levelcl.Preconditioner(op, "ic0", factor_storage="fp64")
residuals = []
y, _ = spla.cg(A, b, M=M, atol=0, callback=lambda y: residuals.append(
    np.linalg.norm(b - A @ y) / np.linalg.norm(b)))
histories["scipy's cg, ic0"] = np.array([1, *residuals])

# %% A solve as a generator, left when it is good enough
with levelcl.Solver(op, M, solver="gmres", monitor_every=1) as solver:
    for step in solver.iterate(b):
        if step.residual < 1e-3:
            print(f"residual {step.residual:.1e} after {step.iteration}"
                  " iterations")
            break

# %% New values for the same pattern: time steps, each from the last solution
with levelcl.Chain(op) as chain:
    for shift in 0.1, 0.2, 0.4:
        op.update(A + shift * sp.eye(cells**2, format="csr"))
        chain.update()
        x, report = chain.solve(b, x0=x)
        print(f"shift {shift}: {report.iterations} iterations")

# %% The histories
try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    for name, history in histories.items():
        print(name, *(f"{residual:.1e}" for residual in history[::10]))
else:
    for name, history in histories.items():
        pyplot.semilogy(history, label=name)
    pyplot.xlabel("iteration")
    pyplot.ylabel("||b - A x|| / ||b||")
    pyplot.legend()
    pyplot.savefig(sys.argv[1] if len(sys.argv) > 1 else "histories.png")
