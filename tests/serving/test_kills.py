"""A server that is killed at any moment loses none of the runs that it kept."""

import asyncio
import contextlib
import logging
import random
import sqlite3
import threading
from contextlib import closing

import pytest

from rankcore.studies.store import open_store
from tests.browser.conftest import free_port, started
from tests.soaking import soak
from tests.streamlit_client import Visitor, cookie_of, run

LOG = logging.getLogger(__name__)
PAGES = ("", "train", "compare", "explore", "runs", "inspect", "data", "papers")
# A run that trains, a map, a comparison, and somebody who moves controls.
BUSY = {
    "train": ("data=planted&RSRank.max_iter=5000", "Play"),
    "explore": ("data=toy-2d", "Train the map"),
    "compare": ("data=toy-2d", "Compare"),
    "sparsity": ("data=planted", ""),
}


async def use(url, seed):
    """Use pages, several at once, until the server is gone."""

    async def visit(page, query, button, rng):
        # Whatever ends with the server.
        with contextlib.suppress(Exception):
            async with Visitor(url, page, query, cookie_of(url)) as visitor:
                while not any("cannot go on" in fault for fault in visitor.faults):
                    if not (button and await visitor.press(button)):
                        await visitor.wander(rng)
                    await visitor.rest(0.2)

    visits = [
        visit(page, query, button, random.Random(f"{seed} {page}"))
        for page, (query, button) in BUSY.items()
    ]
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*visits), 60)


async def opened(url):
    """Open every page; return what is wrong with each."""
    faults = {}
    for page in PAGES:
        async with Visitor(url, page, "", cookie_of(url)) as visitor:
            faults[page] = visitor.faults
    return faults


@pytest.mark.parametrize("moments", [soak(30)])
def test_a_server_that_is_killed_keeps_what_it_had(moments, tmp_path):
    rng, file = random.Random(38), tmp_path / "runs.sqlite"
    store_url = f"sqlite:///{file}"
    reached = {}
    for moment in range(moments):
        port = free_port()
        server = started(port, RANKSCOPE_DATABASE_URL=store_url)
        timer = threading.Timer(rng.uniform(0.2, 8.0), server.kill)
        timer.start()
        try:
            run(use(f"http://127.0.0.1:{port}", moment))
        finally:
            timer.join()
            server.wait()
        with closing(sqlite3.connect(file)) as connection:
            check = connection.execute("PRAGMA integrity_check").fetchall()
        assert check == [("ok",)]
        with open_store(store_url) as store:
            settings = {key: store.load(key).iterations for key in store.runs().index}
        for key, iterations in reached.items():
            assert settings[key] >= iterations
        reached = settings
    LOG.info("%d runs were kept, of %d kills", len(reached), moments)
    assert reached
    port = free_port()
    server = started(port, RANKSCOPE_DATABASE_URL=store_url)
    try:
        assert not any(run(opened(f"http://127.0.0.1:{port}")).values())
    finally:
        server.kill()
        server.wait()
