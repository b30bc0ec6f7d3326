"""Keeping sweeps and paths whose training must not depend on the store."""

from collections.abc import Callable, Mapping
from typing import Any

from rankcore.store._database import StoreError
from rankcore.store._store import Store


class SweepKeeper:
    """``store=`` of `rankcore.sweeps.sweep` and `rankcore.paths.path`: what cannot be
    kept is noted, and training goes on.

    Parameters
    ----------
    find : callable
        Gives the store, None where there is none; may raise StoreError.
    note : callable
        Called with each StoreError.
    visitor : str, optional
        Whose the sweeps are; by default everybody's.
    """

    def __init__(
        self,
        find: Callable[[], Store | None],
        note: Callable[[StoreError], None],
        visitor: str | None = None,
    ) -> None:
        self._find = find
        self._note = note
        self._visitor = visitor

    def begin_sweep(self, **fields: Any) -> str:
        """As of `Store`; an empty id where it is not kept."""
        try:
            store = self._find()
            if store is not None:
                return store.begin_sweep(visitor=self._visitor, **fields)
        except StoreError as error:
            self._note(error)
        return ""

    def put_cell(self, key: str, cell: int, figures: Mapping[str, Any]) -> None:
        """As of `Store`, if the sweep is kept."""
        try:
            store = self._find() if key else None
            if store is not None:
                store.put_cell(key, cell, figures)
        except StoreError as error:
            self._note(error)
