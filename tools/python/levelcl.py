# SPDX-License-Identifier: BSD-3-Clause
"""levelcl from Python: large sparse linear systems on any OpenCL device.

    import levelcl
    x, report = levelcl.solve(A, b)                    # a chain of methods
    x, report = levelcl.solve(A, b, solver="cg", precond="amg", rtol=1e-10)
    X, reports = levelcl.solve(A, B)                   # columns

    op = levelcl.Operator(A)                           # step by step
    M = levelcl.Preconditioner(op, "ilu0")             # works in scipy, too
    with levelcl.Solver(op, M, solver="gmres", restart=50) as solver:
        x, report = solver.solve(b)
        X, reports = solver.solve_many(B)
    op.update(new_values)
    M.update()

Keywords are the options of the library with _ for -: lcl_options_help() lists
them, as does clsolve(1). True and False mean on and off, None the default. An
error of the library is a LevelclError with its sentence and its status, a bad
argument a TypeError or a ValueError; a solve that ends without a solution
returns its best x, with a NotConvergedWarning.

Objects may be used from several threads, which take turns at a context, and
closed in any order; what is not closed is freed with its last reference.
Ctrl-C in the main thread ends a solve there between iterations; other calls,
and set-ups in a solve, end first; then KeyboardInterrupt is raised. A handler
of your own stays, and may call cancel().
Warnings and messages go to the logger "levelcl", whose level counts when a
context is created.

Numbers are computed in double precision. float32 is converted, and x is always
float64, because rounded to float32 it would not meet the tolerance.

The library is $LEVELCL_LIBRARY, else that of the prefix in which this file is
installed, else that of Python's prefix, such as a virtual environment, else the
one that the linker finds, else that of /usr/local."""
import collections
import contextlib
import ctypes
import ctypes.util
import dataclasses
import difflib
import enum
import functools
import logging
import numbers
import operator
import os
import pathlib
import queue
import signal
import sys
import threading
import warnings

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import LinearOperator

__all__ = [
    "Chain", "Context", "Layout", "LevelclError", "NotConvergedWarning",
    "Operator",
    "Preconditioner", "Progress", "Report", "Result", "Solver", "Status",
    "default_context", "devices", "problem", "rigid_body_modes", "solve"]
__version__ = "0.2.0"  # that of the library: structs differ between releases

_log = logging.getLogger("levelcl")

# ------------------------------------------------------------------- structs

_int, _long, _bytes = ctypes.c_int, ctypes.c_int64, ctypes.c_uint64
_double, _bool, _text = ctypes.c_double, ctypes.c_bool, ctypes.c_char_p
_pointer, _address = ctypes.POINTER, ctypes.c_void_p


class _Enum(ctypes.c_int):
    """An enum whose values have names: lcl_NAME_name()."""


def _enum(name):
    return type(name, (_Enum,), {"namer": f"lcl_{name}_name"})


_solver, _precond, _spmv = _enum("solver"), _enum("precond"), _enum("spmv")
_kron, _communication = _enum("kron"), _enum("communication")
_trisolve, _partition = _enum("trisolve"), _enum("partition")
_elimination = _enum("elimination")
_coarse, _storage = _enum("coarse"), _enum("factor_storage")
_extraction, _apply = _enum("block_extraction"), _enum("block_apply")
_coarsening, _smoother = _enum("amg_coarsening"), _enum("amg_smoother")
_stop, _status = _enum("stop"), _enum("status")
_norm, _basis = _enum("norm"), _enum("basis_storage")
_orthogonalisation, _side = _enum("orthogonalisation"), _enum("side")


class _Struct(ctypes.Structure):
    """A struct of the headers, under its name there."""


class lcl_log(_Struct):
    _fields_ = [("fn", _address), ("user", _address), ("level", _int)]


class lcl_context_params(_Struct):
    _fields_ = [
        ("device", _text), ("log", lcl_log), ("cache_dir", _text),
        ("no_cache", _bool), ("no_self_test", _bool), ("compiling", _address),
        ("compiling_user", _address), ("no_helper", _bool), ("no_pool", _bool),
        ("profile", _bool), ("width", _int), ("exchange", _int)]


class lcl_caps(_Struct):
    _fields_ = [
        (name, ctypes.c_char * 128)
        for name in ("name", "vendor", "version", "driver", "platform")] + [
        ("type", _enum("device_type")), ("compute_units", _int),
        ("processors", _int), ("width", _int), ("max_group_size", _int),
        ("queues_overlap", _bool),
        ("global_bytes", _bytes), ("max_buffer_bytes", _bytes),
        ("local_bytes", _bytes), ("fp64", _bool),
        ("strict_rounding", _bool), ("int64_atomics", _bool),
        ("exchange", _enum("exchange")), ("local_add", _enum("atomic_add")),
        ("progress", _enum("progress")), ("fence", _enum("fence")),
        ("cl_std", ctypes.c_char * 16),
        ("timer_resolution", _double), ("pci", ctypes.c_char * 16),
        ("numa_node", _int)]


class lcl_memory_info(_Struct):
    _fields_ = [
        ("buffers", _long), ("buffer_bytes", _bytes),
        ("buffer_bytes_max", _bytes), ("device_bytes", _bytes),
        ("pinned_bytes", _bytes)]


class lcl_csr(_Struct):
    _fields_ = [
        ("rows", _long), ("cols", _long), ("nnz", _long),
        ("row_ptr", _pointer(_long)), ("col_ind", _pointer(ctypes.c_int32)),
        ("val", _pointer(_double))]


class lcl_bsr(_Struct):
    _fields_ = [
        ("rows", _long), ("cols", _long), ("nnz", _long), ("block_size", _int),
        ("row_ptr", _pointer(_long)), ("col_ind", _pointer(ctypes.c_int32)),
        ("val", _pointer(_double))]


class lcl_layout(_Struct):
    _fields_ = [
        ("type", _int), ("triangle", _int), ("order", _int),
        ("block_size", _int), ("base", _int), ("rows", _long), ("cols", _long),
        ("nnz", _long), ("row_ptr", _pointer(_long)),
        ("row_ptr32", _pointer(ctypes.c_int32)),
        ("row", _pointer(ctypes.c_int32)), ("col", _pointer(ctypes.c_int32)),
        ("val", _pointer(_double)), ("upper", _pointer(_double)),
        ("lower", _pointer(_double)), ("is_complex", _bool),
        ("hermitian", _bool)]


class lcl_dense(_Struct):
    _fields_ = [("rows", _long), ("cols", _long), ("val", _pointer(_double))]


class lcl_nullspace(_Struct):
    _fields_ = [("right", _pointer(lcl_dense)), ("left", _pointer(lcl_dense)),
                ("unchecked", _bool)]


class lcl_operator_params(_Struct):
    _fields_ = [
        ("spmv", _spmv), ("block_size", _int), ("kron", _kron),
        ("kron_exchange", _int), ("hec_width", _int),
        ("communication", _communication), ("is_complex", _bool)]


class lcl_operator_info(_Struct):
    _fields_ = [
        ("spmv", _spmv), ("kron", _kron), ("stages", _int), ("rows", _long),
        ("cols", _long), ("nnz", _long), ("block_size", _int),
        ("bytes", _bytes), ("traffic", _bytes), ("callback", _bool),
        ("is_complex", _bool), ("devices", _int),
        ("communication", _communication)]


class lcl_partition_params(_Struct):
    _fields_ = [
        ("type", _partition), ("weights", _int), ("rows", _long),
        ("box", _long * 3), ("grid", _long * 3),
        ("labels", _pointer(ctypes.c_int32)), ("labels_count", _long)]


class lcl_block_jacobi_params(_Struct):
    _fields_ = [
        ("max_rows", _int), ("block_ptr", _pointer(_long)), ("pointers", _long),
        ("extraction", _extraction), ("apply", _apply)]


class lcl_amg_params(_Struct):
    _fields_ = [
        ("coarsening", _coarsening), ("smoother", _smoother),
        ("refresh", _enum("amg_refresh")), ("storage", _storage),
        ("theta", _double), ("levels", _int), ("coarse_rows", _long)]


class lcl_cpr_params(_Struct):
    _fields_ = [("pressure", _int), ("blocks", _pointer(_double))]


class lcl_precond_params(_Struct):
    _fields_ = [
        ("type", _precond), ("trisolve", _trisolve),
        ("elimination", _elimination),
        ("partition", lcl_partition_params), ("pivot", _enum("pivot")),
        ("pivot_tol", _double), ("relax", _double), ("ilu_level", _int),
        ("ilut_p", _int), ("ilut_tol", _double), ("overlap", _int),
        ("transversal", _bool), ("order", _enum("order")),
        ("refresh", _enum("refresh")),
        ("coarse", _coarse), ("storage", _storage),
        ("block_jacobi", lcl_block_jacobi_params), ("amg", lcl_amg_params),
        ("cpr", lcl_cpr_params)]


AMG_LEVELS = 12
BLOCK_MAX = 8


class lcl_factors_info(_Struct):
    _fields_ = [
        ("trisolve", _trisolve), ("elimination", _elimination),
        ("order", _enum("order")), ("transversal", _bool),
        ("partition", _partition), ("weighted", _bool), ("parts", _long),
        ("part_rows_min", _long), ("part_rows_max", _long),
        ("overlap", _int), ("rows", _long), ("nnz", _long),
        ("ilu_level", _int), ("ilut_p", _int), ("ilut_tol", _double),
        ("dropped_share", _double), ("dropped_weight", _double),
        ("levels_max", _long), ("levels_mean", _double), ("barriers", _int),
        ("group_size", _int), ("form", _text)]


class lcl_blocks_info(_Struct):
    _fields_ = [
        ("extraction", _extraction), ("apply", _apply), ("count", _long),
        ("fp32", _long), ("bf16", _long), ("rows_max", _int)]


class lcl_coarse_info(_Struct):
    _fields_ = [
        ("type", _coarse), ("rows", _long), ("pinned", _long),
        ("bytes", _bytes)]


class lcl_amg_info(_Struct):
    _fields_ = [
        ("coarsening", _coarsening), ("smoother", _smoother),
        ("levels", _int), ("rows", _long * AMG_LEVELS),
        ("nnz", _long * AMG_LEVELS), ("plain", _bool * AMG_LEVELS),
        ("lambda_max", _double * AMG_LEVELS),
        ("storage", _storage * AMG_LEVELS),
        ("loss", _double * AMG_LEVELS), ("complexity", _double),
        ("bytes", _bytes), ("traffic", _bytes), ("setups", _int)]


class lcl_precond_info(_Struct):
    _fields_ = [
        ("type", _precond), ("rows", _long), ("nnz", _long),
        ("nnz_kept", _long), ("block_size", _int), ("storage", _storage),
        ("bytes", _bytes), ("launches", _int), ("missing_diagonals", _long),
        ("pivots_repaired", _long), ("repaired_rows", _long * 8),
        ("first_iterations", _int), ("last_iterations", _int),
        ("factors", lcl_factors_info), ("blocks", lcl_blocks_info),
        ("coarse", lcl_coarse_info), ("amg", lcl_amg_info)]


class lcl_solver_params(_Struct):
    _fields_ = [
        ("type", _solver), ("rtol", _double), ("atol", _double),
        ("relative_to", _int), ("reference", _double), ("max_iters", _int),
        ("stagnation", _int), ("idr_s", _int), ("restart", _int),
        ("basis", _basis), ("orthogonalisation", _orthogonalisation),
        ("side", _side),
        ("monitor", _address), ("monitor_user", _address),
        ("test", _address), ("test_user", _address), ("monitor_every", _int),
        ("norm", _norm), ("divergence", _double), ("time_limit", _double),
        ("rtol_may_be_zero", _bool)]


class lcl_options(_Struct):
    _fields_ = [
        ("op", lcl_operator_params), ("precond", lcl_precond_params),
        ("solver", lcl_solver_params)]


class lcl_option_help(_Struct):
    _fields_ = [
        (name, _text)
        for name in ("key", "values", "help", "field", "constants")]


class lcl_progress_info(_Struct):
    _fields_ = [
        ("iteration", _int), ("residual", _double), ("seconds", _double),
        ("column", _int)]


class lcl_report(_Struct):
    _fields_ = [
        ("stop", _stop), ("iterations", _int), ("x_iteration", _int),
        ("restarts", _int), ("exhausted", _bool), ("norm_b", _double),
        ("norm_removed", _double), ("residual", _double),
        ("true_residual", _double), ("seconds", _double),
        ("history", _pointer(_double)), ("history_count", _int),
        ("launches", _int), ("precond_solves", _int),
        ("precond_updates", _int), ("backward_error", _double),
        ("norm", _norm)]


class lcl_attempt(_Struct):
    _fields_ = [
        ("solver", _solver), ("precond", _precond), ("parameter", _int),
        ("variant", _text), ("status", _status), ("stop", _stop),
        ("iterations", _int), ("true_residual", _double),
        ("setup_seconds", _double), ("solve_seconds", _double)]


_PARTITION_LABELS = 4

_LOG = ctypes.CFUNCTYPE(None, _address, _int, _text)
_MONITOR = ctypes.CFUNCTYPE(_bool, _address, _pointer(lcl_progress_info))
_APPLY = ctypes.CFUNCTYPE(
    _int, _address, _pointer(_double), _pointer(_double))


class Status(enum.IntEnum):
    """enum lcl_status: 0 is success, negative values are errors."""
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


# ------------------------------------------------------------------- library

_SONAME = "liblevelcl.so.1"


def _installed(prefix):
    """Yields the libraries that a prefix has."""
    lib = prefix / "lib"
    for folder in lib, lib.with_name("lib64"), *sorted(lib.glob("*-linux-*")):
        if (folder / _SONAME).exists():
            yield str(folder / _SONAME)


def _places():
    """Yields the files that may be the library, best one first."""
    named = os.environ.get("LEVELCL_LIBRARY")
    if named:
        yield named
        return
    module = pathlib.Path(__file__).resolve()
    if module.match("share/levelcl/python/*"):
        yield from _installed(module.parents[3])
    yield from _installed(pathlib.Path(sys.prefix))
    found = ctypes.util.find_library("levelcl")
    if found:
        yield found
    yield from _installed(pathlib.Path("/usr/local"))


def _load():
    path = next(_places(), None)
    if path is None:
        raise ImportError(
            f"no {_SONAME}: install levelcl where the linker finds it, or name"
            " the file in LEVELCL_LIBRARY")
    try:
        lib = ctypes.CDLL(path)
        lib.lcl_version.restype = _text
    except (OSError, AttributeError) as error:
        raise ImportError(f"{path} is not levelcl's library: {error}") from None
    version = lib.lcl_version().decode()
    if version != __version__:
        raise ImportError(f"levelcl.py {__version__} needs the library of the"
                          f" same version, but {path} is {version}")
    return lib


_ref, _out = _address, _pointer(_address)
_PROTOTYPES = {
    "device_count": (_int, _pointer(_int), _pointer(lcl_log)),
    "device_caps": (_int, _pointer(lcl_caps), _int, _pointer(lcl_log)),
    "context_create": (_int, _out, _pointer(lcl_context_params)),
    "context_destroy": (None, _out),
    "context_trim": (None, _ref),
    "context_caps": (_pointer(lcl_caps), _ref),
    "context_memory": (lcl_memory_info, _ref),
    "operator_create": (_int, _out, _ref, _pointer(lcl_csr),
                        _pointer(lcl_operator_params)),
    "operator_create_bsr": (_int, _out, _ref, _pointer(lcl_bsr),
                            _pointer(lcl_operator_params)),
    "operator_create_layout": (_int, _out, _ref, _pointer(lcl_layout),
                               _pointer(lcl_operator_params)),
    "operator_create_callback": (_int, _out, _ref, _long, _long, _APPLY, _ref),
    "operator_update": (_int, _ref, _pointer(_double)),
    "operator_set_near_nullspace": (_int, _ref, _pointer(lcl_dense)),
    "operator_set_nullspace": (_int, _ref, _pointer(lcl_nullspace)),
    "operator_apply": (_int, _ref, _pointer(_double), _pointer(_double)),
    "operator_apply_transpose": (_int, _ref, _pointer(_double),
                                 _pointer(_double)),
    "operator_apply_many": (_int, _ref, _pointer(_double), _long,
                            _pointer(_double), _long, _long),
    "operator_info": (_pointer(lcl_operator_info), _ref),
    "operator_destroy": (None, _out),
    "precond_create": (_int, _out, _ref, _pointer(lcl_precond_params)),
    "precond_create_callback": (_int, _out, _ref, _APPLY, _ref),
    "precond_update": (_int, _ref),
    "precond_apply": (_int, _ref, _pointer(_double), _pointer(_double)),
    "precond_apply_transpose": (_int, _ref, _pointer(_double),
                                _pointer(_double)),
    "precond_info": (_pointer(lcl_precond_info), _ref),
    "precond_destroy": (None, _out),
    "solver_create": (_int, _out, _ref, _ref, _pointer(lcl_solver_params)),
    "solver_solve": (_int, _ref, _pointer(_double), _pointer(_double),
                     _pointer(lcl_report)),
    "solver_solve_many": (_int, _ref, _pointer(_double), _long,
                          _pointer(_double), _long, _int,
                          _pointer(lcl_report)),
    "solver_set_tolerance": (_int, _ref, _double, _double, _int),
    "solver_cancel": (None, _ref),
    "solver_info": (_pointer(lcl_solver_params), _ref),
    "solver_destroy": (None, _out),
    "choose_method": (_int, _ref, _pointer(lcl_precond_params),
                      _pointer(lcl_solver_params)),
    "chain_create": (_int, _out, _ref, _pointer(lcl_precond_params),
                     _pointer(lcl_solver_params)),
    "chain_update": (_int, _ref),
    "chain_set_tolerance": (_int, _ref, _double, _double, _int),
    "chain_cancel": (None, _ref),
    "chain_solve": (_int, _ref, _pointer(_double), _pointer(_double),
                    _pointer(lcl_report)),
    "chain_solve_many": (_int, _ref, _pointer(_double), _long,
                         _pointer(_double), _long, _int,
                         _pointer(lcl_report)),
    "chain_column_attempt": (_pointer(lcl_attempt), _ref, _int, _int),
    "chain_reason": (_text, _ref),
    "chain_destroy": (None, _out),
    "options_parse": (_int, _pointer(lcl_options), _text, _pointer(lcl_log)),
    "options_help": (_pointer(lcl_option_help), _int),
    "csr_problem": (_int, _pointer(lcl_csr), _text, _pointer(lcl_log)),
    "csr_finish": (None, _pointer(lcl_csr)),
    "problem_is_complex": (_bool, _text),
    "rigid_body_modes": (_int, _pointer(lcl_dense), _pointer(lcl_dense),
                         _pointer(lcl_log)),
    "dense_finish": (None, _pointer(lcl_dense)),
    "status_str": (_text, _int),
    "stop_str": (_text, _int),
    "stop_status": (_int, _int),
}


def _declare(lib):
    """The functions of the library without their prefix, as attributes."""
    functions = {}
    for name, (result, *arguments) in _PROTOTYPES.items():
        functions[name] = function = getattr(lib, "lcl_" + name)
        function.restype, function.argtypes = result, arguments
    for kind in _Enum.__subclasses__():
        function = getattr(lib, kind.namer)
        function.restype, function.argtypes = _text, [_int]
        kind.name = property(
            lambda self, name=function: name(self.value).decode())
    return collections.namedtuple("Functions", functions)(**functions)


_lib = _declare(_load())

# ----------------------------------------------------------- errors, messages


class LevelclError(Exception):
    """An error of the library: its sentence, and `status`, a Status."""

    def __init__(self, status, sentence=None):
        self.status = Status(status)
        super().__init__(sentence or _lib.status_str(status).decode())

    def __reduce__(self):  # between processes of multiprocessing
        return type(self), (self.status, str(self))


class NotConvergedWarning(UserWarning):
    """A solve ended without a solution; the report says why."""


def _warn(message):
    """A NotConvergedWarning at the line that called this module."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals is globals():
        level, frame = level + 1, frame.f_back
    warnings.warn(message, NotConvergedWarning, stacklevel=level)


class _Messages:
    """What the library logged and callbacks raised during a call."""

    def __init__(self):
        self.sentence = self.raised = None
        self.inside = False  # a function of this program, or of its user
        self.pressed = False  # Ctrl-C, in a solve

    def guard(self, function, failed):
        """A function for the library, which gets `failed` for exceptions."""
        def guarded(*arguments):
            inside = self.inside
            try:
                self.inside = True
                return function(*arguments)
            except BaseException as error:
                if self.raised is None:
                    self.raised = error
                return failed
            finally:
                self.inside = inside
        return guarded

    @contextlib.contextmanager
    def interruptible(self):
        """Around a solve. Ctrl-C in the main thread is raised at once in
        functions that the solve calls, else after it: what a handler raises as
        a function of ctypes begins is lost. Handlers of the user stay."""
        before = signal.getsignal(signal.SIGINT)
        mine = (before is signal.default_int_handler
                and threading.current_thread() is threading.main_thread())

        def press(*arguments):
            if self.inside:
                before(*arguments)
            self.pressed = True

        inside, self.inside = self.inside, False
        if mine:
            self.pressed = False
            signal.signal(signal.SIGINT, press)
        try:
            yield
        finally:
            if mine:
                signal.signal(signal.SIGINT, before)
            self.inside = inside
            if self.pressed:
                self.pressed = False
                raise KeyboardInterrupt

    def hear(self, _user, level, line):
        line = line.decode(errors="replace")
        if level == 1:
            self.sentence = line
        _log.log((logging.DEBUG, logging.DEBUG, logging.WARNING, logging.INFO,
                  logging.DEBUG, logging.DEBUG - 5)[level], "%s", line)

    def check(self, status):
        """Returns a status that is not an error."""
        raised, sentence = self.raised, self.sentence
        self.raised = self.sentence = None
        if raised is not None:
            raise raised
        if status < 0:
            raise LevelclError(status, sentence)
        return status


def _log_to(messages):
    """A logger of the library, and the callback that must outlive it."""
    listen = _LOG(messages.guard(messages.hear, None))
    wanted = _log.getEffectiveLevel()
    limits = (logging.DEBUG - 5, logging.DEBUG, logging.INFO, logging.WARNING)
    level = next((5 - i for i, limit in enumerate(limits) if wanted <= limit),
                 1)
    return lcl_log(ctypes.cast(listen, _address), None, level), listen


def _check_alone(function, *arguments):
    """Calls a function whose last argument is a logger."""
    messages = _Messages()
    log, listen = _log_to(messages)
    status = function(*arguments, ctypes.byref(log))
    del listen
    return messages.check(status)


# ------------------------------------------------------------------- handles


class _Core:
    """The lock of a context, its messages, and the handles to let go of."""

    def __init__(self):
        self.lock = threading.RLock()
        self.depth = 0
        self.dropped = collections.deque()
        self.messages = _Messages()
        self.log, self.listen = _log_to(self.messages)
        self.paused = None  # the thread whose iterate() holds the context

    @contextlib.contextmanager
    def entered(self):
        if self.paused == threading.get_ident():
            raise RuntimeError("the context is in a solve that iterate()"
                               " has paused in this thread")
        with self.lock:
            self.depth += 1
            try:
                yield
            finally:
                self.depth -= 1
                self.sweep()

    def sweep(self):
        """Frees what was dropped, unless a call is in progress."""
        while self.depth == 0 and self.dropped:
            self.dropped.popleft().release()

    def drop(self, handle):
        """From any thread, also from the garbage collector: never waits."""
        self.dropped.append(handle)
        if self.lock.acquire(blocking=False):
            try:
                self.sweep()
            finally:
                self.lock.release()


class _Handle:
    """An object of the library. It lives until its owner and all handles made
    from it have dropped it; `keep` lives as long."""

    def __init__(self, core, kind, create, *arguments, parents=(), keep=()):
        self.core, self.keep = core, keep
        self.destroying = threading.RLock()
        self.destroy = getattr(_lib, kind + "_destroy")
        self.parents, self.users = (), 1
        self.pointer = _address()
        try:
            with core.entered():
                for parent in parents:
                    parent.need()
                    parent.users += 1
                    self.parents += parent,
                self.status = Status(core.messages.check(create(
                    ctypes.byref(self.pointer), *arguments)))
        except BaseException:
            core.drop(self)
            raise

    def need(self):
        if not self.users:
            raise ValueError("another thread has closed the object")

    @contextlib.contextmanager
    def entered(self):
        """Nobody frees the object meanwhile."""
        with self.core.entered():
            self.need()
            yield self

    def call(self, function, *arguments):
        with self.entered():
            return self.core.messages.check(function(self.pointer, *arguments))

    def signal(self, function):
        """For functions that may be called while another one runs."""
        with self.destroying:
            function(self.pointer)

    def release(self):
        self.users -= 1
        if self.users == 0:
            with self.destroying:
                self.destroy(ctypes.byref(self.pointer))
            self.core.dropped.extend(self.parents)
            self.parents = ()


class _Owner:
    """Closes its handle at the end of a with block, or with the last
    reference."""
    _handle = None

    def _live(self):
        handle = self._handle
        if handle is None:
            raise ValueError(f"the {type(self).__name__} is closed")
        return handle

    def _record(self, getter, record):
        """What `getter` returns a pointer to, as a dataclass."""
        handle = self._live()
        with handle.entered():
            return record(**_values(getter(handle.pointer).contents))

    def close(self):
        """Frees the object, after what was made from it. Twice is once."""
        handle = self.__dict__.pop("_handle", None)
        if handle is not None:
            handle.core.drop(handle)

    __del__ = close

    def __reduce_ex__(self, _protocol):
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


# ------------------------------------------------------------------- records


def _value(value):
    if isinstance(value, _Enum):
        return value.name
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, ctypes.Array):
        return tuple(map(_value, value))
    if isinstance(value, _Struct):
        return _parts[type(value)](**_values(value))
    return value


def _names(struct):
    """The fields of a struct but functions and what they get."""
    return [name for name, ctype in struct._fields_ if ctype is not _address]


def _values(struct):
    return {name: _value(getattr(struct, name)) for name in _names(struct)}


def _dataclass(name, struct, doc):
    return dataclasses.make_dataclass(
        name, [(field, object) for field in _names(struct)], frozen=True,
        namespace={"__doc__": doc, "__module__": __name__})


FactorsInfo, BlocksInfo, CoarseInfo, AmgInfo = (
    _dataclass(name, struct, f"{name}: a part of PrecondInfo; precond.h.")
    for name, struct in (("FactorsInfo", lcl_factors_info),
                         ("BlocksInfo", lcl_blocks_info),
                         ("CoarseInfo", lcl_coarse_info),
                         ("AmgInfo", lcl_amg_info)))
_parts = {lcl_factors_info: FactorsInfo, lcl_blocks_info: BlocksInfo,
          lcl_coarse_info: CoarseInfo, lcl_amg_info: AmgInfo}
Caps = _dataclass("Caps", lcl_caps, "struct lcl_caps of context.h.")
Memory = _dataclass("Memory", lcl_memory_info,
                    "struct lcl_memory_info of memory.h.")
OperatorInfo = _dataclass("OperatorInfo", lcl_operator_info,
                          "struct lcl_operator_info of operator.h.")
PrecondInfo = _dataclass("PrecondInfo", lcl_precond_info,
                         "struct lcl_precond_info of precond.h.")
SolverInfo = _dataclass("SolverInfo", lcl_solver_params,
                        "struct lcl_solver_params of solver.h.")
Attempt = _dataclass("Attempt", lcl_attempt,
                     "What came of one method of a chain; chain.h.")
Progress = _dataclass("Progress", lcl_progress_info,
                      "What a monitor gets: iteration, residual, seconds, and"
                      " the column of several.")


Report = dataclasses.make_dataclass(
    "Report", [
        ("status", Status), ("message", str),
        *((field, object) for field in _names(lcl_report)
          if field != "history_count"),
        ("reason", str, ""), ("attempts", tuple, ())],
    frozen=True, namespace={
        "__module__": __name__,
        "converged": property(lambda self: self.status == Status.OK),
        "__doc__": """struct lcl_report of solver.h: `stop` is the name of the
    reason, such as "rtol", and `history` an array. `status` is a Status, and
    `message` the sentence that explains `stop`; `converged`: the status is OK.
    Of a chain `reason` says why its first method was chosen, and `attempts` has
    an Attempt for each method tried."""})


Result = collections.namedtuple("Result", ["x", "report"])


def _report(status, struct, **more):
    fields = _values(struct)
    count = fields.pop("history_count")
    history = fields["history"]
    fields["history"] = (np.ctypeslib.as_array(history, (count,)).copy()
                         if count else np.empty(0))
    return Report(status=Status(status),
                  message=_lib.stop_str(struct.stop).decode(),
                  **fields, **more)


# -------------------------------------------------------------------- arrays


def _array(values, name):
    """`values` as an array without a mask."""
    parts = values if isinstance(values, (tuple, list)) else (values,)
    if any(np.ma.is_masked(part) for part in parts
           if isinstance(part, np.ma.MaskedArray)):
        raise ValueError(f"{name} has masked elements: expected a number in"
                         " each place")
    return np.asarray(values)


def _doubles(values, name, order="C", dtype=np.float64):
    """`values` as an array of doubles, or of complex numbers, copied if need
    be."""
    values = _array(values, name)
    is_complex = np.dtype(dtype).kind == "c"
    if values.dtype.kind not in ("biufc" if is_complex else "biuf"):
        raise TypeError(f"{name} has dtype {values.dtype}: expected"
                        f" {'' if is_complex else 'real '}numbers")
    return np.require(values, dtype, [order, "A"])


def _dtype_of(*arrays):
    """That of matrices and vectors with these numbers."""
    kinds = {np.dtype(getattr(array, "dtype", float)).kind for array in arrays}
    return np.complex128 if "c" in kinds else np.float64


def _numbers_in(dtype):
    """The doubles of a number."""
    return 2 if np.dtype(dtype).kind == "c" else 1


def _vector(values, rows, name, dtype=np.float64):
    """`values` as `rows` numbers; one column counts as a vector."""
    values = _doubles(values, name, dtype=dtype)
    if values.shape not in ((rows,), (rows, 1)):
        raise ValueError(f"{name} has shape {values.shape}: expected"
                         f" ({rows},)")
    return values


def _columns(values, rows, name, dtype=np.float64):
    """`values` as columns of `rows` numbers, one after the other."""
    shape = np.shape(values)
    if len(shape) != 2 or shape[0] != rows or not 1 <= shape[1] < 2**31:
        raise ValueError(f"{name} has shape {shape}: expected ({rows}, k) with"
                         " 1 <= k < 2^31")
    return _doubles(values, name, "F", dtype)


def _need_columns(values, name):
    if values.ndim != 2:
        raise ValueError(f"{name} has shape {values.shape}: expected two"
                         " dimensions")


def _integers(values, dtype, name):
    """`values`, integers that fit `dtype`, as an array of that type."""
    values = _array(values, name)
    if values.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {values.dtype}: expected integers")
    limits = np.iinfo(dtype)
    if values.size and not (limits.min <= values.min()
                            and values.max() <= limits.max):
        raise ValueError(f"{name} has numbers that do not fit"
                         f" {np.dtype(dtype)}")
    return np.require(values, dtype, ["C", "A"])


def _at(array, ctype=_double):
    return array.ctypes.data_as(_pointer(ctype))


def _entries(array, count, axes, name):
    """The first `count` entries of an array that may have more."""
    array = _array(array, name)
    if array.ndim != axes or len(array) < count:
        raise ValueError(f"{name} has shape {array.shape}: expected {count}"
                         " entries")
    return array[:count]


def _block(A):
    """Rows and columns of a block of a BSR matrix; of others 1."""
    if A.format != "bsr":
        return 1, 1
    shape = np.shape(A.data)
    if len(shape) != 3 or 0 in shape[1:] or any(
            size % edge for size, edge in zip(A.shape, shape[1:])):
        raise ValueError(f"A.data has shape {shape}: expected blocks of a"
                         f" matrix of shape {A.shape}")
    return shape[1:]


def _pattern(A):
    """Checked copies of `indptr` and `indices` of a CSR, CSC or BSR matrix,
    whose owner may change them at any time."""
    lines, ends = map(operator.floordiv, A.shape, _block(A))
    if A.format == "csc":
        lines, ends = ends, lines
    ptr = _integers(A.indptr, np.int64, "A.indptr").copy()
    if ptr.shape != (lines + 1,) or ptr[0] != 0 or (ptr[1:] < ptr[:-1]).any():
        raise ValueError(f"A.indptr: expected {lines + 1} numbers from 0, none"
                         " less than the one before")
    index = _integers(_entries(A.indices, ptr[-1], 1, "A.indices"), np.int32,
                      "A.indices").copy()
    if index.size and not 0 <= index.min() <= index.max() < ends:
        raise ValueError(f"A.indices has numbers outside of 0 to {ends - 1}")
    return ptr, index


def _values_of(A, ptr):
    return _doubles(_entries(A.data, ptr[-1], 3 if A.format == "bsr" else 1,
                             "A.data"), "A", dtype=_dtype_of(A))


def _ascends(ptr, index):
    """The columns of each row ascend, and none is there twice."""
    later = index[1:] > index[:-1]
    starts = ptr[1:-1]
    later[starts[(starts > 0) & (starts < index.size)] - 1] = True
    return bool(later.all())


def _converted(A):
    """A as CSR. scipy's conversions read the arrays of A unchecked."""
    if A.format in ("csr", "csc", "bsr"):
        ptr, index = _pattern(A)
        make = getattr(scipy.sparse, A.format + "_matrix")
        A = make((_values_of(A, ptr), index, ptr), A.shape)
    elif A.format == "coo":
        row, col = _array(A.row, "A.row"), _array(A.col, "A.col")
        A = scipy.sparse.coo_matrix((A.data, (row, col)), A.shape, copy=True)
    A = A.tocsr(copy=True)
    A.sum_duplicates()
    return A


class _Matrix:
    """A matrix in the form of the library, with its arrays."""

    def __init__(self, A):
        if not scipy.sparse.issparse(A):
            A = _array(A, "A")
            A = _doubles(A, "A", dtype=_dtype_of(A))
            _need_columns(A, "A")
            A = scipy.sparse.csr_matrix(A)
        self.dtype = _dtype_of(A)
        _array(getattr(A, "data", ()), "A.data")
        self.shape = A.shape
        self.direct = self._take(A)
        if not self.direct:
            self._take(_converted(A))

    def _take(self, A):
        """Takes the arrays of A if they have the form of the library."""
        height, width = _block(A)
        self.block_size = height
        self.blocks = (A.format == "bsr" and height == width <= BLOCK_MAX
                       and self.dtype == np.float64)
        if A.format != "csr" and not self.blocks:
            return False
        self.row_ptr, self.col_ind = _pattern(A)
        self.val = _values_of(A, self.row_ptr)
        return _ascends(self.row_ptr, self.col_ind)

    @property
    def create(self):
        if self.dtype == np.complex128:
            return _lib.operator_create_layout
        return (_lib.operator_create_bsr if self.blocks
                else _lib.operator_create)

    def struct(self):
        arrays = (_at(self.row_ptr, _long), _at(self.col_ind, ctypes.c_int32),
                  _at(self.val))
        rows, cols = (size // self.block_size for size in self.shape)
        if self.dtype == np.complex128:
            row_ptr, col, val = arrays
            return lcl_layout(rows=rows, cols=cols, nnz=len(self.col_ind),
                              row_ptr=row_ptr, col=col, val=val,
                              is_complex=True)
        if self.blocks:
            return lcl_bsr(rows, cols, len(self.col_ind), self.block_size,
                           *arrays)
        return lcl_csr(rows, cols, len(self.col_ind), *arrays)

    def _is_of(self, A):
        """A has this pattern in this form, and its arrays need no check."""
        entries = len(self.col_ind)
        return (self.direct and A.shape == self.shape
                and A.format == ("bsr" if self.blocks else "csr")
                and _block(A) == (self.block_size, self.block_size)
                and np.array_equal(A.indptr, self.row_ptr)
                and np.ndim(A.indices) == 1
                and np.array_equal(A.indices[:entries], self.col_ind))

    def same_pattern(self, other):
        return (self.shape == other.shape
                and self.block_size == other.block_size
                and np.array_equal(self.row_ptr, other.row_ptr)
                and np.array_equal(self.col_ind, other.col_ind))

    def new_values(self, values):
        count = len(self.col_ind) * self.block_size**2
        if scipy.sparse.issparse(values):
            if self._is_of(values) and _dtype_of(values) == self.dtype:
                return _values_of(values, self.row_ptr)
            new = _Matrix(values)
            if not self.same_pattern(new):
                raise ValueError("the new matrix has another pattern")
            return _doubles(new.val, "values", dtype=self.dtype)
        if not self.direct:
            raise ValueError("A was converted, so that its values have another"
                             " order: expected a matrix")
        return _sized(_doubles(values, "values", dtype=self.dtype), count,
                      "values")


class Layout:
    """A matrix as other programs hold it: struct lcl_layout of layout.h. type:
    "csr" with row_ptr, columns in any order; "coo" with row; or "ldu" with row,
    upper and perhaps lower, where val is the diagonal, row the owners and col
    the neighbours of faces. triangle: "both", "lower" or "upper"; order, of the
    values of blocks: "rows", "columns" or "components". rows and cols count
    blocks; cols 0 means rows. hermitian: mirrored blocks are conjugated, too.
    Arrays of int32 (row_ptr also int64), float64 and, of complex matrices,
    complex128 are not copied."""
    create = _lib.operator_create_layout
    _arrays = {"csr": ("row_ptr",), "coo": ("row",),
               "ldu": ("row", "upper", "lower")}
    _triangles = ("both", "lower", "upper")
    _orders = ("rows", "columns", "components")

    def __init__(self, type, rows, col, val, *, cols=0, row_ptr=None, row=None,
                 upper=None, lower=None, triangle="both", order="rows",
                 block_size=1, base=0, hermitian=False):
        self.dtype = _dtype_of(*(np.asarray(array)
                                 for array in (val, upper, lower)
                                 if array is not None))
        self._struct = lcl_layout(
            is_complex=self.dtype == np.complex128,
            hermitian=_switch(hermitian, "hermitian"),
            type=_place(type, tuple(self._arrays), "type"),
            triangle=_place(triangle, self._triangles, "triangle"),
            order=_place(order, self._orders, "order"),
            block_size=_within(block_size, 1, BLOCK_MAX, "block_size"),
            base=_within(base, 0, 1, "base"),
            rows=_within(rows, 0, 2**31 - 1, "rows"),
            cols=_within(cols, 0, 2**31 - 1, "cols"))
        given = {"row_ptr": row_ptr, "row": row, "upper": upper, "lower": lower}
        self._check_arrays(type, given)
        self._take({"col": col, "val": val, **given}, type == "ldu")

    def _check_arrays(self, type, given):
        for name, array in given.items():
            if array is not None and name not in self._arrays[type]:
                raise ValueError(f'{name} does not belong to "{type}"')
            if array is None and name in self._arrays[type][:2]:
                raise ValueError(f'"{type}" needs {name}')

    def _take(self, given, ldu):
        L = self._struct
        self.shape = L.rows * L.block_size, (L.cols or L.rows) * L.block_size
        arrays = {name: _of_layout(array, name, self.dtype)
                  for name, array in given.items() if array is not None}
        if "row_ptr" in arrays:
            row_ptr = _sized(arrays["row_ptr"], L.rows + 1, "row_ptr")
            L.nnz = int(row_ptr[-1]) - L.base
        else:
            L.nnz = arrays["row"].size
        values = L.nnz * L.block_size**2
        sizes = {"row": L.nnz, "col": L.nnz, "upper": values, "lower": values,
                 "val": L.rows * L.block_size**2 if ldu else values}
        for name, array in arrays.items():
            _sized(array, sizes.get(name, array.size), name)
            field = "row_ptr32" if (name, array.dtype) == (
                "row_ptr", np.int32) else name
            setattr(L, field, _at(array, getattr(L, field)._type_))
        self._kept = arrays
        self._size = sum(arrays[name].size for name in ("val", "upper", "lower")
                         if name in arrays)

    def struct(self):
        return self._struct

    def new_values(self, values):
        if scipy.sparse.issparse(values):
            raise ValueError("A is a Layout: expected an array of its values")
        return _sized(_doubles(values, "values", dtype=self.dtype), self._size,
                      "values")


def _of_layout(array, name, dtype):
    if name in ("val", "upper", "lower"):
        return _doubles(array, name, dtype=dtype)
    wide = name == "row_ptr" and np.asarray(array).dtype != np.int32
    return _integers(array, np.int64 if wide else np.int32, name)


def _sized(array, size, name):
    if array.size != size:
        raise ValueError(f"{name} has {array.size} elements: expected {size}")
    return array


def _place(word, words, name):
    if not isinstance(word, str) or word not in words:
        raise ValueError(f"{name} {word!r}: expected {', '.join(words)}")
    return words.index(word)


def _int_of(number, name):
    """A count that fits an int of C, which ctypes would cut off."""
    return _within(number, 0, 2**31 - 1, name)


def _within(number, least, most, name):
    try:
        number = operator.index(number)
    except TypeError:
        raise TypeError(f"{name} is {number!r}: expected an integer") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}: expected {least} to {most}")
    return number


# ------------------------------------------------------------------- options


@functools.lru_cache(maxsize=None)
def _fields():
    """The field of struct lcl_options for each keyword."""
    fields, index = {}, 0
    while help_ := _lib.options_help(index):
        key = help_.contents.key.decode().replace("-", "_")
        fields[key] = help_.contents.field.decode()
        index += 1
    return fields


def _switch(value, name):
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value!r}: expected True or False")
    return bool(value)


def _real(value, name):
    if not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {value!r}: expected a number")
    return float(value)


def _text_of(text, name):
    """A text for C, which ends at a null character."""
    if not isinstance(text, (str, bytes, os.PathLike)):
        raise TypeError(f"{name} is {text!r}: expected a text")
    text = os.fsencode(text)
    if b"\0" in text:
        raise ValueError(f"{name} has a null character")
    return text


def _word(value):
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    if isinstance(value, (tuple, list)):
        return ",".join(map(_word, value))
    return str(value)


# what scipy calls the options
_SCIPY = {"maxiter": "max_iters", "tol": "rtol", "restrt": "restart",
          "callback": "monitor", "M": "precond"}


def _part(keyword, parts):
    """The part of struct lcl_options with that keyword, one of `parts`."""
    if keyword not in _fields():
        near = _SCIPY.get(keyword) or next(iter(
            difflib.get_close_matches(keyword, _fields(), 1)), None)
        raise TypeError(f"{keyword} is not an option"
                        + (f": did you mean {near}?" if near else ""))
    part = _fields()[keyword].split(".")[0]
    if part not in parts:
        raise TypeError(f"{keyword} is an option of another object")
    return part


def _options(keywords, *parts):
    """struct lcl_options from keywords of some of its parts."""
    options = lcl_options()
    for keyword, value in keywords.items():
        _part(keyword, parts)
        if value is None:
            continue
        text = f"{keyword.replace('_', '-')}={_word(value)}"
        _check_alone(_lib.options_parse, ctypes.byref(options),
                     _text_of(text, keyword))
    return options


def _precond_arrays(params, op, labels=None, block_ptr=None, cpr_blocks=None):
    """Takes the arrays of lcl_precond_params; returns those to keep."""
    if labels is not None:
        labels = _integers(labels, np.int32, "labels")
        params.partition.type = _PARTITION_LABELS
        params.partition.labels = _at(labels, ctypes.c_int32)
        params.partition.labels_count = labels.size
    if block_ptr is not None:
        block_ptr = _integers(block_ptr, np.int64, "block_ptr")
        params.block_jacobi.block_ptr = _at(block_ptr, _long)
        params.block_jacobi.pointers = block_ptr.size
    if cpr_blocks is not None:
        cpr_blocks = _sized(_doubles(cpr_blocks, "cpr_blocks"),
                            op.info.rows * op.info.block_size, "cpr_blocks")
        params.cpr.blocks = _at(cpr_blocks)
    return labels, block_ptr, cpr_blocks


# ------------------------------------------------------------------- objects


class Context(_Owner):
    """A device: an index, a part of its name, or None for the first GPU, else
    the first CPU. The other arguments are those of struct
    lcl_context_params."""

    def __init__(self, device=None, *, cache_dir=None, no_cache=False,
                 no_self_test=False, no_helper=False, no_pool=False,
                 profile=False, width=0):
        core = _Core()
        switches = {"no_cache": no_cache, "no_self_test": no_self_test,
                    "no_helper": no_helper, "no_pool": no_pool,
                    "profile": profile}
        params = lcl_context_params(
            device=(None if device is None
                    else _text_of(str(device), "device")),
            log=core.log,
            cache_dir=(None if cache_dir is None
                       else _text_of(cache_dir, "cache_dir")),
            width=_int_of(width, "width"),
            **{name: _switch(value, name) for name, value in switches.items()})
        self._handle = _Handle(core, "context", _lib.context_create,
                               ctypes.byref(params))

    @property
    def caps(self):
        """What the device can do, as Caps."""
        return self._record(_lib.context_caps, Caps)

    @property
    def memory(self):
        """The memory of its objects, as Memory; `info` has that of each."""
        handle = self._live()
        with handle.entered():
            return Memory(**_values(_lib.context_memory(handle.pointer)))

    def trim(self):
        """Gives device memory that no object uses back to the driver."""
        handle = self._live()
        with handle.entered():
            _lib.context_trim(handle.pointer)


def devices():
    """The devices of all platforms, a tuple of Caps: Context takes the place in
    it. What only trial builds tell is what the driver reports."""
    count, found = _int(), []
    _check_alone(_lib.device_count, ctypes.byref(count))
    for index in range(count.value):
        caps = lcl_caps()
        _check_alone(_lib.device_caps, ctypes.byref(caps), index)
        found.append(Caps(**_values(caps)))
    return tuple(found)


@functools.lru_cache(maxsize=None)
def default_context():
    """The context of operators that are created without one."""
    return Context()


def _applied(core, function, rows, cols, dtype=np.float64):
    """y = function(x) as a callback of the library."""
    parts = _numbers_in(dtype)

    def apply(_user, x, y):
        x = np.ctypeslib.as_array(x, (parts * cols,)).copy().view(dtype)
        y = np.ctypeslib.as_array(y, (parts * rows,)).view(dtype)
        y[:] = _vector(function(x), rows, "the result of the callback",
                       dtype).ravel()
        return Status.OK
    return _APPLY(core.messages.guard(apply, Status.EINVAL))


class Operator(LinearOperator, _Owner):
    """y = A x on the device, as a LinearOperator. A is a sparse matrix or what
    scipy makes one of, real or complex; a Layout; or a real LinearOperator,
    whose matvec() runs on the host. Vectors of a complex operator are complex,
    and its `info` counts real and imaginary parts.
    Options: block_size, spmv, hec_width."""

    def __init__(self, A, *, context=None, **options):
        params = _options(options, "op").op
        if not isinstance(context, (Context, type(None))):
            raise TypeError(f"context is {context!r}: expected a Context")
        owner = (context or default_context())._live()
        if isinstance(A, LinearOperator):
            self._matrix = None
            self._create_callback(owner, A)
        else:
            self._matrix = A if isinstance(A, Layout) else _Matrix(A)
            self._create(owner, params)
        if self._matrix is None:
            super().__init__(np.float64, A.shape)
        else:
            super().__init__(self._matrix.dtype, self._matrix.shape)

    def _create_callback(self, owner, A):
        if np.dtype(A.dtype or float).kind == "c":
            raise TypeError("A is complex: expected real numbers")
        apply = _applied(owner.core, A.matvec, *A.shape)
        self._handle = _Handle(
            owner.core, "operator", _lib.operator_create_callback,
            owner.pointer, *A.shape, apply, None, parents=(owner,),
            keep=(apply,))

    def _create(self, owner, params):
        struct = self._matrix.struct()
        self._handle = _Handle(
            owner.core, "operator", self._matrix.create, owner.pointer,
            ctypes.byref(struct), ctypes.byref(params), parents=(owner,))
        if isinstance(self._matrix, _Matrix):
            self._matrix.val = None  # the device has a copy

    def _matvec(self, x):
        handle = self._live()
        x = _vector(x, self.shape[1], "x", self.dtype)
        y = np.empty(self.shape[0], self.dtype)
        handle.call(_lib.operator_apply, _at(x), _at(y))
        return y

    # the transpose of the real form is the real form of the adjoint
    def _rmatvec(self, x):
        handle = self._live()
        x = _vector(x, self.shape[0], "x", self.dtype)
        y = np.empty(self.shape[1], self.dtype)
        handle.call(_lib.operator_apply_transpose, _at(x), _at(y))
        return y

    def _matmat(self, X):
        handle = self._live()
        parts = _numbers_in(self.dtype)
        X = _doubles(X, "X", "F", self.dtype)
        Y = np.empty((self.shape[0], X.shape[1]), self.dtype, order="F")
        handle.call(_lib.operator_apply_many, _at(X), parts * X.shape[0],
                    _at(Y), parts * Y.shape[0], X.shape[1])
        return Y

    @property
    def info(self):
        return self._record(_lib.operator_info, OperatorInfo)

    def update(self, values):
        """New values for the same pattern: a matrix, or an array in the order
        of its `data` if A was a CSR or BSR matrix in canonical format; of a
        Layout an array of val, or of val, upper and lower one after the other.
        Preconditioners and chains keep theirs until their update()."""
        handle = self._live()
        if self._matrix is None:
            raise ValueError("an operator made of a function has no values")
        val = self._matrix.new_values(values)
        handle.call(_lib.operator_update, _at(val))

    def set_near_nullspace(self, B):
        """Near-null vectors for AMG, columns of B; None: no vectors."""
        handle = self._live()
        self._need_real("near-null vectors")
        B = _doubles(np.empty((0, 0)) if B is None else B, "B", "F")
        struct = _dense(B, "B")
        handle.call(_lib.operator_set_near_nullspace, ctypes.byref(struct))

    def set_nullspace(self, right="constant", left=None, check=True):
        """The null space of a singular operator: "constant", or columns v with
        A v = 0; `left`: columns w with A^T w = 0, if others. None: A is
        regular. For solvers made from now on."""
        handle = self._live()
        self._need_real("a null space")
        if right is None:
            handle.call(_lib.operator_set_nullspace, None)
            return
        if isinstance(right, str) and right != "constant":
            raise ValueError(f'right {right!r}: expected "constant" or columns')
        given = {"right": None if isinstance(right, str) else right,
                 "left": left}
        arrays = {side: _doubles(X, side, "F") for side, X in given.items()
                  if X is not None}
        sides = {side: ctypes.pointer(_dense(X, side))
                 for side, X in arrays.items()}
        struct = lcl_nullspace(**sides, unchecked=not check)
        handle.call(_lib.operator_set_nullspace, ctypes.byref(struct))


    def _need_real(self, what):
        if self.dtype == np.complex128:
            raise TypeError(f"A is complex: {what} need a real matrix")


def _dense(X, name):
    _need_columns(X, name)
    return lcl_dense(X.shape[0], X.shape[1], _at(X))


def _operator(A):
    return A if isinstance(A, Operator) else Operator(A)


class Preconditioner(LinearOperator, _Owner):
    """y = M^-1 x on the device, as a LinearOperator. A is an Operator or a
    matrix. `precond` is a type such as "ilu0", by default the one that the
    matrix suggests, or a LinearOperator that does it on the host. The arrays
    are those of struct lcl_precond_params."""

    def __init__(self, A, precond=None, *, labels=None, block_ptr=None,
                 cpr_blocks=None, **options):
        self.operator = _operator(A)
        parent = self.operator._live()
        if isinstance(precond, LinearOperator):
            if options:
                raise TypeError("a preconditioner made of a function has no"
                                " options")
            self._create_callback(parent, precond)
        else:
            params = _options({"precond": precond, **options},
                              "precond").precond
            keep = _precond_arrays(params, self.operator, labels, block_ptr,
                                   cpr_blocks)
            parent.call(_lib.choose_method, ctypes.byref(params), None)
            self._handle = _Handle(
                parent.core, "precond", _lib.precond_create, parent.pointer,
                ctypes.byref(params), parents=(parent,), keep=keep)
        super().__init__(self.operator.dtype, self.operator.shape)

    def _create_callback(self, parent, M):
        if M.shape != self.operator.shape:
            raise ValueError(f"the preconditioner has shape {M.shape}:"
                             f" expected {self.operator.shape}")
        apply = _applied(parent.core, M.matvec, *M.shape, self.operator.dtype)
        self._handle = _Handle(
            parent.core, "precond", _lib.precond_create_callback,
            parent.pointer, apply, None, parents=(parent,), keep=(apply,))

    def _matvec(self, x):
        handle = self._live()
        x = _vector(x, self.shape[0], "x", self.dtype)
        y = np.empty(self.shape[0], self.dtype)
        handle.call(_lib.precond_apply, _at(x), _at(y))
        return y

    def _rmatvec(self, x):
        handle = self._live()
        x = _vector(x, self.shape[0], "x", self.dtype)
        y = np.empty(self.shape[0], self.dtype)
        handle.call(_lib.precond_apply_transpose, _at(x), _at(y))
        return y

    @property
    def info(self):
        return self._record(_lib.precond_info, PrecondInfo)

    def update(self):
        """Factors the values that the operator has now. Returns a Status."""
        handle = self._live()
        return Status(handle.call(_lib.precond_update))


class _Monitor:
    """The monitor of the solve in progress."""

    def __init__(self, messages):
        self.messages = messages
        self.function = None
        self.solving = False
        self.callback = _MONITOR(messages.guard(self.ask, False))

    def ask(self, _user, info):
        if self.messages.pressed or self.messages.raised is not None:
            return False
        if self.function is None:
            return True
        answer = self.function(Progress(**_values(info.contents)))
        return answer is None or bool(answer)

    def watch(self, params):
        params.monitor = ctypes.cast(self.callback, _address)


_WANTED = "monitor", "cancelled", "none"  # how the caller ends solves


class _Solving(_Owner):
    """What solvers and chains have in common."""

    def solve(self, b, x0=None, monitor=None):
        """Solves A x = b from x0, or 0. `monitor` gets a Progress now and then;
        False from it stops the solve, and so does an exception, which the
        caller gets. Returns a Result: x, and a Report."""
        return self._judged(self._run(b, x0, monitor))

    def _run(self, b, x0, monitor):
        handle, rows = self._live(), self.operator.shape[0]
        dtype = self.operator.dtype
        b = _vector(b, rows, "b", dtype)
        x = (np.zeros_like(b) if x0 is None
             else _vector(x0, rows, "x0", dtype).reshape(b.shape).copy())
        report = lcl_report()
        with self._watched(handle, monitor):
            status = handle.call(self._solve, _at(b), _at(x),
                                 ctypes.byref(report))
            report = _report(status, report, **self._more(handle))
        return Result(x, report)

    def _judged(self, result):
        report = result.report
        if not report.converged and report.stop not in _WANTED:
            _warn(report.message)
        return result

    def set_tolerance(self, rtol=0.0, atol=0.0, max_iters=0):
        """New limits from the next solve on; 0 means the default."""
        self._live().call(
            self._set_tolerance, _real(rtol, "rtol"), _real(atol, "atol"),
            _int_of(max_iters, "max_iters"))

    def cancel(self):
        """Ends the solve in progress in another thread, of a chain also the
        set-up or the update, which raises a LevelclError with
        Status.ECANCELLED; if there is none, the next one. The stop reason of a
        solve is "cancelled"."""
        self._live().signal(self._cancel)

    @contextlib.contextmanager
    def _watched(self, handle, monitor):
        if monitor is not None and not callable(monitor):
            raise TypeError(f"monitor is {monitor!r}: expected a function")
        with handle.entered(), handle.core.messages.interruptible():
            if self._monitor.solving:
                raise RuntimeError("a monitor cannot start its own solve")
            self._monitor.solving, self._monitor.function = True, monitor
            try:
                yield
            finally:
                self._monitor.solving, self._monitor.function = False, None

    def iterate(self, b, x0=None):
        """solve() as a generator: yields a Progress now and then, and returns
        the Result. Leaving the loop stops the solve. Meanwhile a thread solves,
        and this one must not use the context."""
        core = self._live().core
        steps, turns = queue.SimpleQueue(), queue.SimpleQueue()

        def monitor(progress):
            steps.put(progress)
            # the end of the program waits for this thread
            while threading.main_thread().is_alive():
                with contextlib.suppress(queue.Empty):
                    return turns.get(timeout=0.2)
            return False

        with core.entered():
            if core.depth > 1:
                raise RuntimeError("a callback cannot start iterate()")
            thread = threading.Thread(
                target=lambda: steps.put(self._outcome(b, x0, monitor)))
        thread.start()
        try:
            while isinstance(step := steps.get(), Progress):
                core.paused = threading.get_ident()
                yield step
                core.paused = None
                turns.put(True)
        finally:
            core.paused = None
            turns.put(False)
            thread.join()
        if isinstance(step, BaseException):
            raise step
        return self._judged(step)

    def _outcome(self, *arguments):
        try:
            return self._run(*arguments)
        except BaseException as error:
            return error

    def solve_many(self, B, X0=None, monitor=None):
        """Solves A X = B from X0, or 0, for the columns of B. A column that
        fails does not end the others, unless the monitor stopped it: the stop
        reason of those after it is "none". Returns a Result: X, in Fortran
        order, and a tuple with a Report per column."""
        handle, rows = self._live(), self.operator.shape[0]
        dtype = self.operator.dtype
        stride = _numbers_in(dtype) * rows
        B = _columns(B, rows, "B", dtype)
        if X0 is not None and np.shape(X0) != B.shape:
            raise ValueError(f"X0 has shape {np.shape(X0)}: expected {B.shape}")
        X = (np.zeros_like(B) if X0 is None
             else _columns(X0, rows, "X0", dtype).copy(order="F"))
        structs = (lcl_report * B.shape[1])()
        with self._watched(handle, monitor):
            handle.call(self._solve_many, _at(B), stride, _at(X), stride,
                        len(structs), structs)
            reports = tuple(_report(_lib.stop_status(struct.stop), struct,
                                    **self._more(handle, column))
                            for column, struct in enumerate(structs))
        self._warn_of(reports)
        return Result(X, reports)

    def _warn_of(self, reports):
        failed = [j for j, report in enumerate(reports)
                  if not report.converged
                  and report.stop not in _WANTED]
        if failed:
            _warn(f"{len(failed)} of {len(reports)} columns; column"
                  f" {failed[0]}: {reports[failed[0]].message}")

    def _more(self, _handle, _column=0):
        return {}


class Solver(_Solving):
    """A Krylov method for A, an Operator or a matrix; precond: a
    Preconditioner, what that class takes, or None. Options: solver, rtol, atol,
    norm, max_iters, stagnation, divergence, time_limit, idr_s, restart, basis,
    orthogonalisation, side.
    monitor_every: iterations between calls of a monitor at most."""
    _solve, _solve_many = _lib.solver_solve, _lib.solver_solve_many
    _set_tolerance, _cancel = _lib.solver_set_tolerance, _lib.solver_cancel

    def __init__(self, A, precond=None, *, monitor_every=0, **options):
        params = _options(options, "solver").solver
        self.operator = _operator(A)
        if precond is not None and not isinstance(precond, Preconditioner):
            precond = Preconditioner(self.operator, precond)
        self.preconditioner = precond
        parents = [self.operator._live()]
        if precond is not None:
            parents.append(precond._live())
        core = parents[0].core
        if parents[-1].core is not core:
            raise ValueError("operator and preconditioner have different"
                             " contexts")
        self._monitor = _Monitor(core.messages)
        self._monitor.watch(params)
        params.monitor_every = _int_of(monitor_every, "monitor_every")
        self._handle = _Handle(
            core, "solver", _lib.solver_create, parents[0].pointer,
            parents[1].pointer if precond is not None else None,
            ctypes.byref(params), parents=tuple(parents),
            keep=(self._monitor,))

    @property
    def info(self):
        """The options in use, as SolverInfo."""
        return self._record(_lib.solver_info, SolverInfo)


class Chain(_Solving):
    """The method that suits A, an Operator or a matrix, then others. Options:
    those of Preconditioner and Solver; they apply to the first method."""
    _solve, _solve_many = _lib.chain_solve, _lib.chain_solve_many
    _set_tolerance, _cancel = _lib.chain_set_tolerance, _lib.chain_cancel

    def __init__(self, A, *, labels=None, block_ptr=None, cpr_blocks=None,
                 monitor_every=0, **options):
        params = _options(options, "precond", "solver")
        self.operator = _operator(A)
        parent = self.operator._live()
        self._monitor = _Monitor(parent.core.messages)
        self._monitor.watch(params.solver)
        params.solver.monitor_every = _int_of(monitor_every, "monitor_every")
        keep = _precond_arrays(params.precond, self.operator, labels, block_ptr,
                               cpr_blocks)
        self._handle = _Handle(
            parent.core, "chain", _lib.chain_create, parent.pointer,
            ctypes.byref(params.precond), ctypes.byref(params.solver),
            parents=(parent,), keep=(*keep, self._monitor))

    def update(self):
        """Takes the values that the operator has now. Returns a Status."""
        handle = self._live()
        return Status(handle.call(_lib.chain_update))

    def _more(self, handle, column=0):
        attempts = []
        while attempt := _lib.chain_column_attempt(handle.pointer, column,
                                                   len(attempts)):
            attempts.append(Attempt(**_values(attempt.contents)))
        return {"attempts": tuple(attempts),
                "reason": _lib.chain_reason(handle.pointer).decode()}


def solve(A, b, x0=None, *, context=None, monitor=None, near_nullspace=None,
          nullspace=None, **options):
    """Solves A x = b by a Chain; see there for the options, and Operator for
    those of the product and both null spaces. Returns a Result: x, and a
    Report. Where b has several columns it is that of Chain.solve_many()."""
    parts = {"op": {}, "other": {}}
    for keyword, value in options.items():
        of_operator = _fields().get(keyword, "").startswith("op.")
        parts["op" if of_operator else "other"][keyword] = value
    with contextlib.ExitStack() as made:
        op = A
        if not isinstance(A, Operator):
            op = made.enter_context(
                Operator(A, context=context, **parts["op"]))
        elif context is not None or parts["op"]:
            raise TypeError("the operator has a context and options already")
        if near_nullspace is not None:
            op.set_near_nullspace(near_nullspace)
        if nullspace is not None:
            op.set_nullspace(nullspace)
        chain = made.enter_context(Chain(op, **parts["other"]))
        shape = np.shape(b)
        if len(shape) == 2 and shape[1] != 1:
            return chain.solve_many(b, x0, monitor)
        return chain.solve(b, x0, monitor)


# ------------------------------------------------------------------ matrices


def problem(name):
    """A built-in matrix such as "lap3d:32" as a scipy.sparse.csr_matrix;
    lcl_csr_problem() lists them."""
    A, text = lcl_csr(), _text_of(name, "name")
    _check_alone(_lib.csr_problem, ctypes.byref(A), text)
    try:
        arrays = [np.ctypeslib.as_array(array, (count,)).copy()
                  for array, count in ((A.val, A.nnz), (A.col_ind, A.nnz),
                                       (A.row_ptr, A.rows + 1))]
        matrix = scipy.sparse.csr_matrix(tuple(arrays), shape=(A.rows, A.cols))
    finally:
        _lib.csr_finish(ctypes.byref(A))
    return (_of_real_form(matrix) if _lib.problem_is_complex(text) else matrix)


def _of_real_form(A):
    """The complex matrix of blocks [[a, -b], [b, a]]."""
    blocks = A.tobsr((2, 2))
    val = blocks.data[:, 0, 0] + 1j * blocks.data[:, 1, 0]
    return scipy.sparse.csr_matrix((val, blocks.indices, blocks.indptr),
                                   shape=(A.shape[0] // 2, A.shape[1] // 2))


def rigid_body_modes(coordinates):
    """The rigid body modes of nodes, rows of 2 or 3 coordinates: near-null
    vectors of elasticity, as columns."""
    X = _doubles(coordinates, "coordinates", "F")
    struct, modes = _dense(X, "coordinates"), lcl_dense()
    _check_alone(_lib.rigid_body_modes, ctypes.byref(modes),
                 ctypes.byref(struct))
    try:
        val = np.ctypeslib.as_array(modes.val, (modes.cols, modes.rows))
        return val.T.copy(order="F")
    finally:
        _lib.dense_finish(ctypes.byref(modes))
