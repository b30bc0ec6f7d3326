"""Where compiled code is kept, and that it is never outdated."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest
from filelock import FileLock

import rankcore._kernels as kernels

PROGRAM = (
    "from numpy import array\n"
    "from rankcore._kernels import _cache_folder, grouping\n"
    "order = grouping.group_by_label(array([1, 0]), array([0, 2]))[0]\n"
    "print(order.tolist(), _cache_folder(grouping.__file__))"
)


def run(cwd, **environment):
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(cwd), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    value, _, folder = answer.stdout.strip().rpartition(" ")
    return value, Path(folder)


@pytest.fixture
def copy(tmp_path):
    """A copy of the package, with nothing compiled yet."""
    ignored = shutil.ignore_patterns("__pycache__")
    source = Path(kernels.__file__).parents[1]
    shutil.copytree(source, tmp_path / "rankcore", ignore=ignored)
    return tmp_path


def change(file):
    file.write_text(file.read_text() + "\n# A change that Numba does not see.\n")


@pytest.mark.soak
def test_only_a_change_in_a_called_kernel_costs_a_compilation(copy):
    source = copy / "rankcore" / "_kernels"
    first, folder = run(copy)
    assert first == "[1, 0]"
    assert folder.parent == source / "__pycache__"
    compiled = sorted(folder.parent.rglob("*.nb?"))
    assert compiled
    change(source / "letor.py")
    assert run(copy) == (first, folder)
    assert sorted(folder.parent.rglob("*.nb?")) == compiled
    change(source / "ranks.py")
    again, other = run(copy)
    assert again == first
    assert other != folder
    assert list(other.rglob("*.nbi"))


def test_the_cache_goes_where_numba_is_told_to_put_it(copy):
    told = copy / "elsewhere"
    _, folder = run(copy, NUMBA_CACHE_DIR=str(told))
    assert folder.parent == told


def test_without_a_writable_place_a_private_one_is_found(copy):
    blocked, temporary = copy / "file", copy / "temporary"
    temporary.mkdir()
    for file in (blocked, copy / "rankcore" / "_kernels" / "__pycache__"):
        file.write_text("not a folder")
    homes = {"HOME": str(blocked), "XDG_CACHE_HOME": str(blocked)}
    value, folder = run(copy, **homes, TMPDIR=str(temporary))
    assert value == "[1, 0]"
    assert folder.parent.parent == temporary
    assert folder.parent.stat().st_mode & 0o077 == 0
    assert list(folder.rglob("*.nbi"))


def test_the_house_options_leave_numbas_own_setting_alone():
    from numba import config

    before = config.CACHE_DIR
    with kernels._cached_in("somewhere"):
        assert config.CACHE_DIR == "somewhere"
    assert before == config.CACHE_DIR


def test_kernels_being_loaded_do_not_move_the_place_of_others():
    place = kernels._cache_folder.__wrapped__(kernels.__file__)
    with kernels._cached_in("somewhere"):
        assert kernels._cache_folder.__wrapped__(kernels.__file__) == place


def test_threads_that_load_kernels_at_once_keep_to_their_folders():
    from numba import config

    before, found = config.CACHE_DIR, []

    def load(folder):
        with kernels._cached_in(folder):
            time.sleep(0.02)
            found.append((folder, config.CACHE_DIR))

    threads = [Thread(target=load, args=(name,)) for name in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [(name, name) for name in ("one", "three", "two")]
    assert before == config.CACHE_DIR


def test_one_process_at_a_time_adds_to_the_cache_of_a_kernel(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels, "_cache_folder", lambda file: tmp_path)
    twice = kernels.kernel(lambda x: 2 * x)
    impl = twice._cache._impl
    impl.locator.ensure_cache_path()
    lock = Path(twice._cache.cache_path, f"{impl.filename_base}.lock")
    adding = Thread(target=twice, args=(3,))
    with FileLock(lock):
        adding.start()
        adding.join(1)
        assert not list(tmp_path.rglob("*.nb?"))
    adding.join()
    assert len(list(tmp_path.rglob("*.nb?"))) == 2


TELLS = (
    "from numpy import array\n"
    "from rankcore._kernels import grouping\n"
    "from rankcore.compiling import telling\n"
    "with telling(lambda: print('compiling')):\n"
    "    grouping.group_by_label(array([1, 0]), array([0, 2]))\n"
)


def test_that_kernels_are_compiled_is_told_once_and_not_where_they_are(tmp_path):
    told = [
        subprocess.run(
            [sys.executable, "-c", TELLS],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        for _ in range(2)
    ]
    assert [run.stdout for run in told] == ["compiling\n", ""]
    assert [run.stderr for run in told] == ["", ""]


@pytest.mark.soak
def test_kernels_run_uncompiled():
    program = (
        "from rankcore import RSRank; "
        "model = RSRank(max_iter=2).fit([[0.0], [1.0], [2.0]], [0, 1, 2]); "
        "print(model.coef_[0].hex())"
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    ]
    assert found[0] == found[1]
