"""Blocks on the workers of a Dask cluster; see `rankcore.compute.executors.Dask`.

Each worker has a `Home`, an actor that keeps blocks and computes with them. The client
keeps all blocks, too, or knows their files: a lost or late home is skipped, and others
receive its blocks. One answer is used per block, and answers are put into the order of
the blocks, so nothing is lost or counted twice.
"""

import itertools
import logging
import pickle
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from concurrent import futures
from typing import Any

from rankcore.base.cancellation import cancel_point
from rankcore.base.errors import LostWorkerError
from rankcore.base.extras import command
from rankcore.base.version import __version__
from rankcore.compute import mapped_arrays
from rankcore.compute.interface import Executor, Placed, Serial

_LOG = logging.getLogger("rankcore")
_CONNECT_SECONDS = 10.0
# Seconds between two updates of the list of workers.
_LOOK_SECONDS = 1.0
_LOOK_WHILE_WAITING_SECONDS = 0.2
_TURN_SECONDS = 0.05
# Seconds to wait for new workers, or for lost ones to be detected.
_GREETING_SECONDS = 0.5
_EXTRA = f"Install it with: {command('cluster')}."


class Dask(Executor):
    """The workers of a Dask cluster, each of which keeps some blocks.

    Features in a memory map, such as those of `rankcore.load_partitions`, are read by
    the workers themselves, from a file that has the same path there; other data are
    sent once. Other workers replace one that is lost or does not answer in time;
    workers that join later receive blocks, too. Workers run any code that they receive:
    connect only to clusters in a closed network, or by TLS.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as ``tcp://127.0.0.1:8786`` or ``tls://…``; for
        TLS, Dask's configuration names the certificates.
    late_seconds : float
        A worker that takes longer for a step is late, and others compute it, too.
    patience_seconds : float
        How long to wait for a worker if there is none.

    Raises
    ------
    ValueError
        If Dask is not installed, there is no scheduler or no worker, or versions on
        workers differ from this process.
    """

    is_here = False

    def __init__(
        self,
        address: str,
        *,
        late_seconds: float = 60.0,
        patience_seconds: float = 60.0,
    ) -> None:
        try:
            from distributed import Client
            from distributed.comm import get_address_host_port
            from distributed.scheduler import KilledWorker
        except ImportError as error:
            raise ValueError(f"Dask is not installed. {_EXTRA}") from error
        self.address, self.deadly = address, (KilledWorker,)
        self.late_seconds, self._patience = late_seconds, patience_seconds
        try:
            # Without a port in the address, a client would wait 20 seconds when Python
            # exits, and print a traceback.
            get_address_host_port(address)
            self._client = Client(
                address,
                timeout=_CONNECT_SECONDS,
                set_as_default=False,
                direct_to_workers=True,
            )
        except (OSError, ValueError, TypeError) as error:
            raise ValueError(
                f"There is no Dask scheduler at {address} ({error}). Check the "
                "address, or start a cluster here with `rankscope cluster`."
            ) from error
        self._worker_names: set[str] = set()
        self._homes: dict[str, _Home] = {}
        self._refused: dict[str, str] = {}
        self._newcomers: dict[str, _Home] = {}
        self._looked = 0.0
        self._lock = threading.RLock()
        self._numbers = itertools.count()
        self.live: set[int] = set()
        try:
            self.homes()
        except BaseException:
            self.close()
            raise

    @property
    def workers(self) -> int:  # type: ignore[override]
        """Current number of workers."""
        return len(self.homes())

    def runs(self) -> futures.Executor:
        # A run whose worker is lost restarts on another one.
        return self._client.get_executor()

    def runs_at_once(self) -> int:
        # Workers that train runs are too busy to create a home for blocks.
        end = time.monotonic() + self._patience
        while not (present := self._present()):
            if time.monotonic() > end:
                raise self._nobody()
            cancel_point()
            time.sleep(_LOOK_WHILE_WAITING_SECONDS)
        return 2 * len(present)

    def place(self, parts: Sequence[Any]) -> Placed:
        if len(parts) == 1:
            return Serial().place(parts)
        key = next(self._numbers)
        self.live.add(key)
        placed = _OnCluster(self, key, parts)
        weakref.finalize(placed, self.live.discard, key)
        return placed

    def close(self) -> None:
        self._homes.clear()
        self._client.close()

    def homes(self, look: bool = False) -> "list[_Home]":
        """Return the available homes, in the order of their addresses.

        Parameters
        ----------
        look : bool
            Whether to update the list of workers now.

        Raises
        ------
        LostWorkerError, ValueError
            If there is no worker, and none joins.
        """
        end = time.monotonic() + self._patience
        while True:
            with self._lock:
                if look or time.monotonic() - self._looked > _LOOK_SECONDS:
                    self._look()
                live = [self._homes[name] for name in sorted(self._homes)]
            prompt = [home for home in live if not home.is_late]
            if prompt or live:
                return prompt or live
            if self._refused and not self._newcomers:
                raise ValueError(next(iter(self._refused.values())))
            if time.monotonic() > end:
                raise self._nobody()
            cancel_point()
            time.sleep(_LOOK_WHILE_WAITING_SECONDS)
            look = True

    def _present(self) -> set[str]:
        """Return the addresses of the present workers; while the client reconnects to
        its scheduler, the last known ones."""
        client = self._client
        if client.status in ("closing", "closed"):
            raise self._lost("has ended")
        if client.scheduler is not None:
            try:
                # `Client.scheduler_info` would wait forever.
                identity = client.sync(
                    client.scheduler.identity,
                    n_workers=-1,
                    callback_timeout=self._patience,
                )
                self._worker_names = set(identity["workers"])
            except TimeoutError as error:
                raise self._lost("does not answer") from error
            except OSError:
                _LOG.debug("The scheduler %s is not connected.", self.address)
        return self._worker_names

    def _lost(self, what: str) -> LostWorkerError:
        return LostWorkerError(
            f"The Dask scheduler {self.address} {what}. Restart it and its workers, "
            "and train again."
        )

    def _nobody(self) -> LostWorkerError:
        return LostWorkerError(
            f"There is no worker at the Dask scheduler {self.address}. Start one with: "
            f"dask worker {self.address}"
        )

    def has(self, home: "_Home") -> bool:
        """Return whether a home is present."""
        return self._homes.get(home.address) is home

    def forget(self, home: "_Home") -> None:
        """Remove a lost home."""
        with self._lock:
            if self.has(home):
                del self._homes[home.address]

    def _look(self) -> None:
        """Update the list of workers, and create homes on new ones."""
        present = self._present()
        for address in [a for a, home in self._homes.items() if not home.is_alive]:
            del self._homes[address]
        places: list[dict[str, Any]] = [self._homes, self._refused, self._newcomers]
        for those in places:
            for address in those.keys() - present:
                del those[address]
        new = sorted(present.difference(*places))
        self._newcomers |= {address: _Home(self._client, address) for address in new}
        end = time.monotonic() + _GREETING_SECONDS * bool(new)
        while self._greet() and time.monotonic() < end:
            time.sleep(_TURN_SECONDS)
        self._looked = time.monotonic()

    def _greet(self) -> int:
        """Add the new homes that have answered; return the number of others."""
        for address, home in list(self._newcomers.items()):
            try:
                if not home.greet():
                    continue
                self._homes[address] = home
            except ValueError as error:
                _LOG.warning("%s", error)
                self._refused[address] = str(error)
            except _LostError:
                # The next update finds it again if it is present.
                pass
            del self._newcomers[address]
        return len(self._newcomers)

    def __repr__(self) -> str:
        return f"Dask({self.address!r})"


def versions() -> dict[str, str]:
    """Return the versions in this process that models and messages depend on."""
    import platform

    import distributed
    import llvmlite
    import numba
    import numpy as np
    import scipy

    return {
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "Numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "distributed": distributed.__version__,
        "RankScope": __version__,
    }


class Home:
    """Blocks on a worker, by loss and number; a Dask actor.

    Parameters
    ----------
    address : str
        Address of the worker.
    wanted : dict of str to str
        The `versions` of the client; other versions could give other numbers, and raise
        ValueError.
    """

    def __init__(self, address: str, wanted: Mapping[str, str]) -> None:
        self._held: dict[int, dict[int, Any]] = {}
        here = versions()
        for package, version in wanted.items():
            if here.get(package) != version:
                raise ValueError(
                    f"The worker {address} has {package} {here.get(package)}, and this "
                    f"program {version}: models could differ. Install the same "
                    "versions everywhere."
                )

    def answer(self, message: bytes) -> bytes:
        """Run a task; return its result or error."""
        try:
            task, *details = pickle.loads(message)
            answer = True, getattr(self, f"_{task}")(*details)
        except Exception as error:
            answer = False, error
        try:
            return pickle.dumps(answer)
        except Exception as error:
            return pickle.dumps(
                (False, RuntimeError(f"{type(error).__name__}: {error}"))
            )

    def _place(
        self, live: set[int], key: int, numbers: Sequence[int], content: bytes
    ) -> None:
        """Store blocks of a loss; drop most other blocks, and ended losses."""
        for old in self._held.keys() - live:
            del self._held[old]
        held = self._held.setdefault(key, {})
        for number in held.keys() - set(numbers):
            del held[number]
        try:
            blocks = pickle.loads(content)
        except FileNotFoundError as error:
            raise ValueError(
                f"A worker of the cluster has no file {error.filename}: put the data "
                "where all workers can read them under the same path."
            ) from error
        held.update(blocks)

    def _call(
        self, key: int, method: str, arguments: Mapping[int, tuple[Any, ...]]
    ) -> dict[int, Any]:
        held = self._held[key]
        return {
            number: getattr(held[number], method)(*call)
            for number, call in arguments.items()
        }


class _LostError(Exception):
    """The worker of a `Home` is lost, or does not answer in time."""


class _Home:
    """The client's view of a `Home`. Before the greeting its worker may be lost or
    busy, and nothing waits for it.

    Attributes
    ----------
    address : str
        Address of its worker.
    holds : dict of int to set of int
        Numbers of its blocks, by loss.
    """

    def __init__(self, client: Any, address: str) -> None:
        self.address, self._client = address, client
        self.holds: dict[int, set[int]] = {}
        self._future: Any = client.submit(
            Home, address, versions(), workers=[address], pure=False, actor=True
        )
        self._actor: Any = None
        self._owed: Any = None

    def greet(self) -> bool:
        """Return whether it has answered.

        Raises
        ------
        ValueError
            If its worker cannot load this program or has other versions.
        _LostError
            If its worker is lost.
        """
        if not self._future.done():
            return False
        try:
            # A worker that has left meanwhile never answers.
            self._actor = self._future.result(timeout=_GREETING_SECONDS)
        except ValueError:
            raise
        except (ImportError, AttributeError, TypeError) as error:
            raise ValueError(
                f"The worker {self.address} cannot load RankScope ({error}). Install "
                "this program's version there."
            ) from error
        except Exception as error:  # a lost worker raises many kinds of errors
            raise _LostError from error
        return True

    def send(self, *message: Any) -> Any:
        """Send a task; return the future of its answer.

        Raises
        ------
        _LostError
            If its worker is known to be lost.
        """
        text = pickle.dumps(message)
        try:
            # The actor finds its client by the context.
            with self._client.as_current():
                return self._actor.answer(text)
        except RuntimeError as error:
            raise _LostError from error

    @property
    def is_alive(self) -> bool:
        return self._future.status == "finished"

    @property
    def is_late(self) -> bool:
        """Whether an answer is outstanding that is no longer awaited."""
        return self._owed is not None and not self._owed.done()

    def pass_over(self, future: Any) -> None:
        """Send it nothing until a late answer has arrived."""
        self._owed = future


class _OnCluster(Placed):
    """Parts on the workers of a cluster."""

    def __init__(self, cluster: Dask, key: int, parts: Sequence[Any]) -> None:
        self._cluster, self._key, self._parts = cluster, key, list(parts)

    def call(
        self,
        method: str,
        *arguments: Any,
        per_part: Sequence[tuple[Any, ...]] | None = None,
    ) -> list[Any]:
        count = len(self._parts)
        each = [()] * count if per_part is None else per_part
        results: dict[int, Any] = {}
        look = False
        while len(results) < count:
            homes = self._cluster.homes(look)
            share: dict[_Home, list[int]] = {home: [] for home in homes}
            for number in range(count):
                share[homes[number * len(homes) // count]].append(number)
            requests = {}
            for home, numbers in share.items():
                left = [number for number in numbers if number not in results]
                if not left:
                    continue
                try:
                    self._provide(home, numbers)
                    calls = {k: (*arguments, *each[k]) for k in left}
                    requests[home] = home.send("call", self._key, method, calls)
                except _LostError:
                    look = True
            for home, future in requests.items():
                try:
                    results.update(self._answer(home, future))
                except _LostError:
                    look = True
        return [results[number] for number in range(count)]

    def _provide(self, home: _Home, numbers: Sequence[int]) -> None:
        """Send a home its missing blocks, and let it drop unnecessary ones."""
        holds = home.holds.setdefault(self._key, set())
        lacking = [{k: self._parts[k]} for k in numbers if k not in holds]
        for some in lacking or [{}] * (holds != set(numbers)):
            live, parts = set(self._cluster.live), mapped_arrays.dumps(some)
            self._answer(home, home.send("place", live, self._key, numbers, parts))
            holds.intersection_update(numbers)
            holds.update(some)

    def _answer(self, home: _Home, future: Any) -> Any:
        """Return an answer, or raise the worker's error."""
        began = looked = time.monotonic()
        while True:
            try:
                good, answer = pickle.loads(future.result(timeout=_TURN_SECONDS))
            except TimeoutError:
                cancel_point()
            except (OSError, RuntimeError, KeyError) as error:
                # Errors of the block itself arrive as answers.
                self._cluster.forget(home)
                raise _LostError from error
            else:
                cancel_point()
                if not good:
                    raise answer
                return answer
            now = time.monotonic()
            if now - looked > _LOOK_WHILE_WAITING_SECONDS:
                others = self._cluster.homes(look=True)
                looked = time.monotonic()
                if not self._cluster.has(home):
                    raise _LostError
                if now - began > self._cluster.late_seconds and others != [home]:
                    _LOG.warning(
                        "The worker %s has not answered for %.0f seconds; others "
                        "compute its blocks.",
                        *(home.address, now - began),
                    )
                    home.pass_over(future)
                    raise _LostError
