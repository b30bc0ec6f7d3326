"""Keeping a command's run in the run store, beside its training."""

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rankcore.studies.store import Recorder, Store, StoredRun
    from rankcore.training import Run


class Recording:
    """Keeps a run in the store from now on, and says on standard error if it cannot.
    The settings say how its data was read, as `rankcore.cli._data.data_record` gives
    them.

    The store is opened in a thread of its own, so that training need not wait for the
    packages it takes.
    """

    def __init__(self, run: "Run", settings: Mapping[str, Any]) -> None:
        self._run = run
        self._settings = settings
        self._store: Store | None = None
        self._recorder: Recorder | None = None
        self._problem: str | None = None
        self._thread = threading.Thread(target=self._begin, daemon=True)
        self._thread.start()

    def _begin(self) -> None:
        from rankcore.studies.store import StoreError

        try:
            self._store = opened()
            self._recorder = self._store.record(self._run, settings=self._settings)
        except StoreError as error:
            self._problem = f"The run is not kept: {error}"

    def end(self, error: str | None = None) -> str | None:
        """Write how the run ended; return its id, None if it is not stored."""
        self._thread.join()
        recorder, store = self._recorder, self._store
        if recorder is not None:
            recorder.end(error)
            self._problem = recorder.problem
        if store is not None:
            store.close()
        if self._problem is not None:
            typer.echo(self._problem, err=True)
        return None if recorder is None else recorder.id


class Going:
    """Keeps what follows of a run that goes on; as `Recording`. Raises StoreError as
    `rankcore.studies.store.Store.resume` does."""

    def __init__(self, store: "Store", stored: "StoredRun", run: "Run") -> None:
        self._recorder = store.resume(stored, run)

    def end(self, error: str | None = None) -> str | None:
        """Write how the run ended; return its id."""
        self._recorder.end(error)
        if self._recorder.problem is not None:
            typer.echo(self._recorder.problem, err=True)
        return self._recorder.id


def keeping(stack: ExitStack, what: str) -> Any:
    """``store=`` of a sweep, a path or a search, which ``what`` names, until the stack
    closes; what cannot be kept goes to standard error, once."""
    from rankcore.studies.store import StoreError, SweepKeeper

    messages: set[str] = set()

    def note(error: StoreError) -> None:
        if not messages:
            typer.echo(f"The {what} is not kept: {error}", err=True)
        messages.add(what)

    try:
        store = stack.enter_context(opened())
    except StoreError as error:
        note(error)
        return None
    return SweepKeeper(lambda: store, note)


def opened() -> "Store":
    """Open the run store; what is to be said of that goes to standard error. Raises
    StoreError as `rankcore.studies.store.open_store` does."""
    from rankcore.studies.store import open_store

    store = open_store(quiet=True)
    for remark in store.remarks:
        typer.echo(remark, err=True)
    return store
