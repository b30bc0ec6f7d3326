"""Compiled free functions on arrays.

Every kernel releases the interpreter lock, so that no user's page freezes, and is
cached on disk, so that only the first run on a machine pays for compilation. None uses
threads: two users training at once would abort Numba's fallback threading layer.
"""

import gc
import hashlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock
from numba import njit
from numba.core import event
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags, compile_extra
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]

from rankcore.base import kernel_cache
from rankcore.base.compiling import NOTICE

_DIGEST_BYTES = 16
# Seconds to wait for the lock of a cache; adding a version takes milliseconds.
_LOCK_SECONDS = 10.0


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile ``function`` with the package's options and further ones (``fastmath``
    …).

    ``error_model="numpy"`` drops the zero-division check that stops vectorisation.
    """
    # No C code calls kernels.
    options["no_cfunc_wrapper"] = True
    compiler = njit(nogil=True, error_model="numpy", **options)
    if function is None:
        return lambda function: _compiled(compiler, function)
    return _compiled(compiler, function)


def borrowing_kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a kernel that creates no arrays and counts no references to arguments.

    Its caller holds the references. Counting is an atomic operation, and kernels that
    call one another for every line of a text would spend a third of their time on it.
    """
    return kernel(function, _nrt=False, **options)


def _compiled(compiler: Callable[..., Any], function: Callable[..., Any]) -> Any:
    """Return a kernel that uses the shared cache and is linked into its callers."""
    dispatcher = compiler(function)
    # With compilation disabled, the decorator returns the function itself.
    if dispatcher is not function:
        dispatcher._cache = _SharedCache(function)
        _link_into_callers(dispatcher, compiler(function))
    return dispatcher


def _link_into_callers(dispatcher: Any, part: Any) -> None:
    """Make kernels that call ``dispatcher`` use the code of ``part``, the same
    function.

    Otherwise Numba also compiles every called kernel separately, with an unused Python
    wrapper, which takes a third of the time.
    """
    part._compiler = _PartCompiler(
        part.py_func, part.targetdescr, part.targetoptions, {}, Compiler
    )
    part.add_overload = lambda result: part.overloads.update(
        {tuple(result.signature.args): result}
    )
    dispatcher.get_call_template = part.get_call_template
    dispatcher.get_overload = part.get_overload


class _PartCompiler(_FunctionCompiler):
    """Compiles a kernel for the use of other kernels."""

    def _compile_core(self, args: Any, return_type: Any) -> Any:
        target = self.targetdescr.target_context
        flags: Any = Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        library = _PartLibrary(target.codegen(), self.py_func.__qualname__)
        result = compile_extra(
            self.targetdescr.typing_context,
            target,
            self.py_func,
            args,
            return_type,
            flags,
            self.locals,
            library,
            self.pipeline_class,
        )
        # The symbols by which callers link to the code.
        key = object()
        target.insert_user_function(key, result.fndesc, [library])
        return result._replace(entry_point=key)


class _PartLibrary(JITCodeLibrary):
    """Optimised code that is not translated to machine code by itself."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _Locator(_CacheLocator):
    """Numba's cache location of one function: a folder named after a hash of everything
    the code depends on.

    Numba discards a function's cache when its stamp differs, such as the time of the
    file, and checkouts with equal sources would discard each other's caches.
    """

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._folder = str(kernel_cache.folder_of(file))
        self._line = function.__code__.co_firstlineno
        # Numba's warnings contain this name.
        self._py_file = file

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "_Locator":
        return cls(function, file)

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Implementation(CompileResultCacheImpl):
    _locator_classes: list[Any] = [_Locator]  # noqa: RUF012


class _CheckedFiles(IndexDataCacheFile):
    """Numba's files of one function, each followed by a digest of its content.

    A file damaged by a crash or a disk counts as missing and is rewritten. Numba would
    raise an arbitrary error, or run machine code with a wrong bit.
    """

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        with super()._open_for_write(path) as file:
            file.write(content.getvalue() + _digest(content.getvalue()))

    def _load_index(self) -> dict[Any, str]:
        if _is_sound(self._index_path):
            return super()._load_index()
        return {}

    def _load_data(self, name: str) -> Any:
        if not _is_sound(self._data_path(name)):
            raise OSError("This file is damaged.")
        return super()._load_data(name)


def _digest(content: bytes) -> bytes:
    """Return the digest that is appended to the content of a file."""
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).digest()


def _is_sound(path: str) -> bool:
    """Whether a file exists and ends with the digest of its content."""
    try:
        file = Path(path).read_bytes()
    except OSError:
        return False
    content = file[:-_DIGEST_BYTES]
    return _digest(content) == file[len(content) :]


class _SharedCache(FunctionCache):
    """Numba's cache of one function, with a lock for additions.

    Numba numbers a function's compiled versions. Two processes adding versions at once
    would take the same number, and run the code of one version as the other.
    """

    _impl_class = _Implementation

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        locator = self._impl.locator
        self._cache_file = _CheckedFiles(
            self.cache_path, self._impl.filename_base, locator.get_source_stamp()
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        with suppress(OSError):
            return super().load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        # A full disk, a cache that is being removed, a process that hangs while it
        # holds the lock, or a disk without locks must not stop the work.
        with suppress(OSError, NotImplementedError):
            self._impl.locator.ensure_cache_path()
            lock = Path(self.cache_path, f"{self._impl.filename_base}.lock")
            with FileLock(lock, timeout=_LOCK_SECONDS):
                super().save_overload(sig, data)


class _Compilations(event.Listener):
    """Reports compilations, and pauses the garbage collector during them, which saves a
    fifth of the time.

    Numba compiles in one thread at a time, which calls these methods.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._collected = False

    def on_start(self, compilation: event.Event) -> None:
        if not _ours(compilation):
            return
        if self._depth == 0:
            self._collected = gc.isenabled()
            gc.disable()
        self._depth += 1
        NOTICE.begin()

    def on_end(self, compilation: event.Event) -> None:
        if not _ours(compilation):
            return
        NOTICE.end()
        self._depth -= 1
        if self._depth == 0 and self._collected:
            gc.enable()


def _ours(compilation: event.Event) -> bool:
    """Whether the function being compiled is a kernel of this package."""
    module: str = compilation.data["dispatcher"].py_func.__module__
    return module.startswith("rankcore.")


event.register("numba:compile", _Compilations())
