"""Storing a command's run while it trains."""

import threading
from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rankcore.studies.store import Recorder, Store, StoredRun
    from rankcore.training import Run


class Recording:
    """A run that is being stored; failures are reported on standard error. The settings
    of its data are those of `rankcore.cli._data.data_record`.

    The store is opened in a separate thread, so that training does not wait for the
    import of its packages.
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
            self._problem = f"The run is not stored: {error}"

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
    """A resumed run whose new iterations are stored, as by `Recording`. Raises
    StoreError as `rankcore.studies.store.Store.resume` does."""

    def __init__(self, store: "Store", stored: "StoredRun", run: "Run") -> None:
        self._recorder = store.resume(stored, run)

    def end(self, error: str | None = None) -> str | None:
        """Write how the run ended; return its id."""
        self._recorder.end(error)
        if self._recorder.problem is not None:
            typer.echo(self._recorder.problem, err=True)
        return self._recorder.id


def keeping(stack: ExitStack, what: str) -> Any:
    """Return ``store=`` of a sweep, a path or a search, which ``what`` names, until the
    stack closes; the first failure is reported on standard error."""
    from rankcore.studies.store import StoreError, SweepKeeper

    messages: set[str] = set()

    def note(error: StoreError) -> None:
        if not messages:
            typer.echo(f"The {what} is not stored: {error}", err=True)
        messages.add(what)

    try:
        store = stack.enter_context(opened())
    except StoreError as error:
        note(error)
        return None
    return SweepKeeper(lambda: store, note)


def opened() -> "Store":
    """Open the run store; its notices go to standard error. Raises StoreError as
    `rankcore.studies.store.open_store` does."""
    from rankcore.studies.store import open_store

    store = open_store(quiet=True)
    for remark in store.remarks:
        typer.echo(remark, err=True)
    return store
