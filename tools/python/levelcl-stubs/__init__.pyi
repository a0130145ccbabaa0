# SPDX-License-Identifier: BSD-3-Clause
"""The types of levelcl.py, for type checkers and editors. A test compares them
with the module."""
import enum
import os
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, NamedTuple, TypeVar, Union

from numpy import float64
from numpy.typing import ArrayLike, NDArray
from scipy.sparse.linalg import LinearOperator  # type: ignore[import]

__all__ = [
    "Chain", "Context", "Layout", "LevelclError", "NotConvergedWarning",
    "Operator",
    "Preconditioner", "Progress", "Report", "Result", "Solver", "Status",
    "default_context", "devices", "problem", "rigid_body_modes", "solve"]
__version__: str

AMG_LEVELS: int
BLOCK_MAX: int

# what scipy makes a sparse matrix of, which has no types of its own
_Matrix = Any
_MonitorFunction = Callable[[Progress], Union[bool, None]]
_Option = Union[str, float, bool, None, Sequence[Union[str, float]]]
_R = TypeVar("_R")
_T = TypeVar("_T")

class Status(enum.IntEnum):
    OK = 0
    ITERATION_LIMIT = 1
    STAGNATION = 2
    BREAKDOWN = 3
    NOT_FINITE = 4
    PIVOTS_REPAIRED = 5
    DIVERGED = 6
    EINVAL = -1
    ENOMEM = -2
    EIO = -3
    EFORMAT = -4
    EUNSUPPORTED = -5
    ERANGE = -6
    ENODEVICE = -7
    EDEVICE = -8
    EDEVMEM = -9
    EBUILD = -10
    ESELFTEST = -11
    EPIVOT = -12
    EBUSY = -13
    ECANCELLED = -14
    EPROCESS = -15

class LevelclError(Exception):
    status: Status
    def __init__(self, status: int, sentence: Union[str, None] = ...) -> None: ...

class NotConvergedWarning(UserWarning): ...

@dataclass(frozen=True)
class Caps:
    name: str
    vendor: str
    version: str
    driver: str
    platform: str
    type: str
    compute_units: int
    processors: int
    width: int
    max_group_size: int
    queues_overlap: bool
    global_bytes: int
    max_buffer_bytes: int
    local_bytes: int
    fp64: bool
    strict_rounding: bool
    int64_atomics: bool
    exchange: str
    local_add: str
    progress: str
    fence: str
    cl_std: str
    timer_resolution: float
    pci: str
    numa_node: int

@dataclass(frozen=True)
class Memory:
    buffers: int
    buffer_bytes: int
    buffer_bytes_max: int
    device_bytes: int
    pinned_bytes: int

@dataclass(frozen=True)
class OperatorInfo:
    spmv: str
    kron: str
    stages: int
    rows: int
    cols: int
    nnz: int
    block_size: int
    bytes: int
    traffic: int
    callback: bool
    is_complex: bool
    devices: int
    communication: str

@dataclass(frozen=True)
class FactorsInfo:
    trisolve: str
    elimination: str
    order: str
    transversal: bool
    partition: str
    weighted: bool
    parts: int
    part_rows_min: int
    part_rows_max: int
    overlap: int
    rows: int
    nnz: int
    ilu_level: int
    ilut_p: int
    ilut_tol: float
    dropped_share: float
    dropped_weight: float
    levels_max: int
    levels_mean: float
    barriers: int
    group_size: int
    form: str

@dataclass(frozen=True)
class BlocksInfo:
    extraction: str
    apply: str
    count: int
    fp32: int
    bf16: int
    rows_max: int

@dataclass(frozen=True)
class CoarseInfo:
    type: str
    rows: int
    pinned: int
    bytes: int

@dataclass(frozen=True)
class AmgInfo:
    coarsening: str
    smoother: str
    levels: int
    rows: tuple[int, ...]
    nnz: tuple[int, ...]
    plain: tuple[bool, ...]
    lambda_max: tuple[float, ...]
    storage: tuple[str, ...]
    loss: tuple[float, ...]
    complexity: float
    bytes: int
    traffic: int
    setups: int

@dataclass(frozen=True)
class PrecondInfo:
    type: str
    rows: int
    nnz: int
    nnz_kept: int
    block_size: int
    storage: str
    bytes: int
    launches: int
    missing_diagonals: int
    pivots_repaired: int
    repaired_rows: tuple[int, ...]
    first_iterations: int
    last_iterations: int
    factors: FactorsInfo
    blocks: BlocksInfo
    coarse: CoarseInfo
    amg: AmgInfo

@dataclass(frozen=True)
class SolverInfo:
    type: str
    rtol: float
    atol: float
    relative_to: int
    reference: float
    max_iters: int
    stagnation: int
    idr_s: int
    restart: int
    basis: str
    orthogonalisation: str
    side: str
    monitor_every: int
    norm: str
    divergence: float
    time_limit: float
    rtol_may_be_zero: bool

@dataclass(frozen=True)
class Attempt:
    solver: str
    precond: str
    parameter: int
    variant: str
    status: str
    stop: str
    iterations: int
    true_residual: float
    setup_seconds: float
    solve_seconds: float

@dataclass(frozen=True)
class Progress:
    iteration: int
    residual: float
    seconds: float
    column: int

@dataclass(frozen=True)
class Report:
    status: Status
    message: str
    stop: str
    iterations: int
    x_iteration: int
    restarts: int
    exhausted: bool
    norm_b: float
    norm_removed: float
    residual: float
    true_residual: float
    seconds: float
    history: NDArray[float64]
    launches: int
    precond_solves: int
    precond_updates: int
    backward_error: float
    norm: str
    reason: str = ...
    attempts: tuple[Attempt, ...] = ...
    @property
    def converged(self) -> bool: ...

class Result(NamedTuple, Generic[_R]):
    x: NDArray[float64]
    report: _R

class _Owner:
    def close(self) -> None: ...
    def __enter__(self: _T) -> _T: ...
    def __exit__(
        self, *error: Union[type[BaseException], BaseException, TracebackType, None]
    ) -> None: ...

class Layout:
    shape: tuple[int, int]
    def __init__(
        self, type: str, rows: int, col: ArrayLike, val: ArrayLike, *,
        cols: int = ..., row_ptr: Union[ArrayLike, None] = ...,
        row: Union[ArrayLike, None] = ..., upper: Union[ArrayLike, None] = ...,
        lower: Union[ArrayLike, None] = ..., triangle: str = ...,
        order: str = ..., block_size: int = ..., base: int = ...,
        hermitian: bool = ...) -> None: ...

class Context(_Owner):
    def __init__(
        self, device: Union[int, str, None] = ..., *,
        cache_dir: Union[str, bytes, os.PathLike[str], None] = ...,
        no_cache: bool = ..., no_self_test: bool = ..., no_helper: bool = ...,
        no_pool: bool = ..., profile: bool = ..., width: int = ...) -> None: ...
    @property
    def caps(self) -> Caps: ...
    @property
    def memory(self) -> Memory: ...
    def trim(self) -> None: ...

def devices() -> tuple[Caps, ...]: ...
def default_context() -> Context: ...

class Operator(LinearOperator, _Owner):  # type: ignore[misc]
    shape: tuple[int, int]
    def __init__(self, A: _Matrix, *, context: Union[Context, None] = ...,
                 **options: _Option) -> None: ...
    @property
    def info(self) -> OperatorInfo: ...
    def update(self, values: _Matrix) -> None: ...
    def set_near_nullspace(self, B: Union[ArrayLike, None]) -> None: ...
    def set_nullspace(
        self, right: Union[str, ArrayLike, None] = ...,
        left: Union[ArrayLike, None] = ..., check: bool = ...) -> None: ...

class Preconditioner(LinearOperator, _Owner):  # type: ignore[misc]
    shape: tuple[int, int]
    operator: Operator
    def __init__(
        self, A: _Matrix, precond: Union[str, LinearOperator, None] = ..., *,
        labels: Union[ArrayLike, None] = ...,
        block_ptr: Union[ArrayLike, None] = ...,
        cpr_blocks: Union[ArrayLike, None] = ..., **options: _Option) -> None: ...
    @property
    def info(self) -> PrecondInfo: ...
    def update(self) -> Status: ...

class _Solving(_Owner):
    operator: Operator
    def solve(
        self, b: ArrayLike, x0: Union[ArrayLike, None] = ...,
        monitor: Union[_MonitorFunction, None] = ...) -> Result[Report]: ...
    def solve_many(
        self, B: ArrayLike, X0: Union[ArrayLike, None] = ...,
        monitor: Union[_MonitorFunction, None] = ...
    ) -> Result[tuple[Report, ...]]: ...
    def iterate(
        self, b: ArrayLike, x0: Union[ArrayLike, None] = ...
    ) -> Generator[Progress, None, Result[Report]]: ...
    def set_tolerance(self, rtol: float = ..., atol: float = ...,
                      max_iters: int = ...) -> None: ...
    def cancel(self) -> None: ...

class Solver(_Solving):
    preconditioner: Union[Preconditioner, None]
    def __init__(
        self, A: _Matrix,
        precond: Union[Preconditioner, str, LinearOperator, None] = ..., *,
        monitor_every: int = ..., **options: _Option) -> None: ...
    @property
    def info(self) -> SolverInfo: ...

class Chain(_Solving):
    def __init__(
        self, A: _Matrix, *, labels: Union[ArrayLike, None] = ...,
        block_ptr: Union[ArrayLike, None] = ...,
        cpr_blocks: Union[ArrayLike, None] = ..., monitor_every: int = ...,
        **options: _Option) -> None: ...
    def update(self) -> Status: ...

# a Report for one right-hand side, a tuple of them for several columns
def solve(
    A: _Matrix, b: ArrayLike, x0: Union[ArrayLike, None] = ..., *,
    context: Union[Context, None] = ..., monitor: Union[_MonitorFunction, None] = ...,
    near_nullspace: Union[ArrayLike, None] = ...,
    nullspace: Union[str, ArrayLike, None] = ...,
    **options: _Option) -> Result[Any]: ...
def problem(name: str) -> Any: ...
def rigid_body_modes(coordinates: ArrayLike) -> NDArray[float64]: ...
