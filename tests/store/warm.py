"""What the processes of `nursery` have ready: imported where they come from."""

from rankcore.studies.store import open_store
from tests.store.nursery import ALGORITHMS, run_of

open_store("sqlite://").close()
for name in ALGORITHMS:
    list(run_of(name, 2))
