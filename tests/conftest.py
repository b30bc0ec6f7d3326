"""What tests of several folders share."""

import gc
import importlib
import os
import signal
import stat
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from rankcore import RankingDataset
from rankcore.studies.owners import ONE_PERSON

ROOT = Path(__file__).parents[1]
# The same examples each time, so that a test passes or fails by the code alone; with
# EXPLORE=1 in the environment new ones are drawn. No example is too slow: machines are.
settings.register_profile("same", derandomize=True, deadline=None)
if not os.environ.get("EXPLORE"):
    settings.load_profile("same")
# A shell lets what it runs in the background ignore Ctrl-C, and so would processes that
# tests start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config):
    """A run store of the tests' own, also for the processes that they start: named
    before tests are collected, since what pages offer is read then."""
    folder = tempfile.TemporaryDirectory(prefix="rankscope-store-")
    config.add_cleanup(folder.cleanup)
    # Pages are several visitors' unless a test says otherwise.
    os.environ[ONE_PERSON] = "no"
    os.environ["RANKSCOPE_DATABASE_URL"] = f"sqlite:///{folder.name}/runs.sqlite"


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Collect tests with the garbage collector off, and exempt them from it later."""
    gc.disable()
    try:
        compile_a_part(session.config)
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def compile_a_part(config):
    """Let each of several workers compile a part of the files, so that none compiles
    all of them."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1 or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    first = int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw"))
    files = sorted(Path(__file__).parent.rglob("test_*.py"))
    for file in files[first::workers]:
        name = file.relative_to(ROOT).with_suffix("")
        importlib.import_module(".".join(name.parts))


@pytest.fixture
def device(tmp_path):
    """Get a character device, one of the test's own where a fault could replace it."""
    numbers = {"null": (1, 3), "zero": (1, 5), "full": (1, 7)}

    def get(name: str) -> Path:
        if os.geteuid() != 0:
            return Path("/dev", name)
        path = tmp_path / name
        if not path.exists():
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(*numbers[name]))
        try:
            path.open("wb").close()
        except PermissionError:
            pytest.skip("devices do not work in the folder for temporary files")
        return path

    return get


@pytest.fixture
def small() -> RankingDataset:
    """Twelve queries of eight documents, whose grades follow the first of four features
    but for a little noise."""
    rng = np.random.default_rng(0)
    X = rng.random((96, 4))
    y = np.floor(3 * np.clip(X[:, 0] + 0.1 * rng.normal(size=96), 0, 0.99))
    return RankingDataset.from_arrays(X, y, np.repeat(np.arange(12), 8), name="small")
