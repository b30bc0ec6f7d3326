"""The run store: training runs that outlive the process that made them.

Runs are kept in a database, by default an SQLite file in the user's data folder::

    from rankcore.studies.store import Query, open_store

    store = open_store() store.runs() # a DataFrame, the newest first
    store.search(Query("RSRank", sort="best")).table store.load("k3f…").history()      #
    the figures of each iteration
"""

from rankcore.base.extras import needed_to

with needed_to("keep runs in a database"):
    from rankcore.studies.store._keeper import SweepKeeper, SweepRecorder
    from rankcore.studies.store._recorder import Recorder
    from rankcore.studies.store._search import SORTS, Count, Query, StoredRuns
    from rankcore.studies.store._storage import LIMIT_VARIABLE, as_text, limit
    from rankcore.studies.store._store import Store, StoreError, open_store
    from rankcore.studies.store._stored import StoredRun, with_settings
    from rankcore.studies.store._sweeps import StoredSweep

__all__ = [
    "LIMIT_VARIABLE",
    "SORTS",
    "Count",
    "Query",
    "Recorder",
    "Store",
    "StoreError",
    "StoredRun",
    "StoredRuns",
    "StoredSweep",
    "SweepKeeper",
    "SweepRecorder",
    "as_text",
    "limit",
    "open_store",
    "with_settings",
]
