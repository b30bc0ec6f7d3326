"""What visitors upload, kept in this process, in a bounded store."""

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class Newest(Generic[T]):
    """The newest of what has been kept, by name; the oldest makes room for one more.

    Not in Streamlit's cache, which every client may clear for all.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, T] = OrderedDict()

    def keep(self, name: str, value: T) -> T:
        """Keep a value under a name, and return it."""
        with self._lock:
            self._kept[name] = value
            self._kept.move_to_end(name)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return value

    def get(self, name: str) -> T | None:
        """The value of that name, or None if it is not here (any more)."""
        with self._lock:
            return self._kept.get(name)

    def newest(self) -> list[T]:
        """All that is here, newest first."""
        with self._lock:
            return [*reversed(self._kept.values())]
