"""The run store: training runs that outlive the process that made them.

Runs are kept in a database, by default an SQLite file in the user's data folder::

    from rankcore.store import Query, open_store

    store = open_store()
    store.runs()                      # a DataFrame, the newest first
    store.search(Query("RSRank", sort="best")).table
    store.load("k3f…").history()      # the figures of each iteration
"""

from rankcore.store._keeper import SweepKeeper, SweepRecorder
from rankcore.store._recorder import Recorder
from rankcore.store._search import SORTS, Count, Found, Query
from rankcore.store._storage import LIMIT_VARIABLE, as_text, limit
from rankcore.store._store import Store, StoreError, open_store
from rankcore.store._stored import StoredRun, with_settings
from rankcore.store._sweeps import StoredSweep

__all__ = [
    "LIMIT_VARIABLE",
    "SORTS",
    "Count",
    "Found",
    "Query",
    "Recorder",
    "Store",
    "StoreError",
    "StoredRun",
    "StoredSweep",
    "SweepKeeper",
    "SweepRecorder",
    "as_text",
    "limit",
    "open_store",
    "with_settings",
]
