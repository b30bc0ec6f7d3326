"""Titles that distinguish stored runs in lists, tables and figures."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankcore.base.numbers import listed
from rankcore.studies.store import with_settings

if TYPE_CHECKING:
    import pandas as pd


def run_names(table: "pd.DataFrame") -> list[str]:
    """Return the title of each run with its settings; equal titles get seed or time.

    Parameters
    ----------
    table : DataFrame
        From `rankcore.studies.store.Store.search`.
    """
    names = [*map(with_settings, table["title"], table["settings"])]
    return _told_apart(names, table)


def run_titles(table: "pd.DataFrame") -> list[str]:
    """Return the name of each run, its data and its best value:
    ``RSRank, g = 10, mslr10k-sample, 0.416``."""
    names = map(with_settings, table["title"], table["settings"])
    data = (name.removesuffix(" train") for name in table["data"])
    values = (
        "" if np.isnan(best) else str(listed(f"{best:.3f}", ranks))
        for best, ranks in zip(table["best"], table["best_ranks"], strict=True)
    )
    parts = zip(names, data, values, strict=True)
    return _told_apart([", ".join(filter(None, words)) for words in parts], table)


def _told_apart(names: Sequence[str], table: "pd.DataFrame") -> list[str]:
    """Return the names, with distinguishing details where several runs share one."""
    alike = defaultdict[str, list[int]](list)
    for place, name in enumerate(names):
        alike[name].append(place)
    titles = list(names)
    seeds = [f"seed {seed:.0f}" for seed in table["seed"]]
    times = [f"{moment:%d %b %H:%M:%S}" for moment in table["created"]]
    for places in alike.values():
        words = next(
            (
                column
                for column in (seeds, times)
                if len({column[place] for place in places}) == len(places)
            ),
            [f"{seed}, {time}" for seed, time in zip(seeds, times, strict=True)],
        )
        for place in places if len(places) > 1 else ():
            titles[place] = f"{names[place]}, {words[place]}"
    return titles
