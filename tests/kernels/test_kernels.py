"""Where compiled code is kept, and that it is never outdated."""

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest
from filelock import FileLock

import rankcore._kernels as kernels
from rankcore.base import kernel_cache
from rankcore.base.compiling import DURATION
from rankcore.base.kernel_cache import VARIABLE
from rankcore.cli import main
from tests.soaking import soak

UNCOMPILED = {"NUMBA_DISABLE_JIT": "1"}

PROGRAM = (
    "from numpy import array\n"
    "from rankcore.base.kernel_cache import folder_of\n"
    "from rankcore._kernels.ordering import grouping\n"
    "order = grouping.group_by_label(array([1, 0]), array([0, 2]))[0]\n"
    "print(order.tolist(), folder_of(grouping.__file__))"
)


def run(cwd, home, **environment):
    """What the program gives, with the user's cache below ``home``."""
    settings = {name: value for name, value in os.environ.items() if name != VARIABLE}
    homes = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=cwd,
        env={**settings, **homes, "PYTHONPATH": str(cwd), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    value, _, folder = answer.stdout.strip().rpartition(" ")
    # On a slow machine the compilation is told of, too.
    lines = answer.stderr.splitlines()
    return value, Path(folder), [line for line in lines if DURATION not in line]


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
    first, folder, _ = run(copy, copy)
    assert first == "[1, 0]"
    compiled = sorted(folder.parent.rglob("*.nb?"))
    assert compiled
    change(source / "text" / "letor.py")
    assert run(copy, copy)[:2] == (first, folder)
    assert sorted(folder.parent.rglob("*.nb?")) == compiled
    change(source / "ordering" / "ranks.py")
    again, other, _ = run(copy, copy)
    assert again == first
    assert other != folder
    assert list(other.rglob("*.nbi"))


def test_the_cache_is_the_users_and_the_sources_stay_as_they_are(copy):
    before = sorted(path for path in copy.rglob("*") if path.is_file())
    value, folder, complaints = run(copy, copy / "home", PYTHONDONTWRITEBYTECODE="1")
    assert (value, complaints) == ("[1, 0]", [])
    assert folder.is_relative_to(copy / "home" / "cache" / "rankscope" / "kernels")
    assert list(folder.rglob("*.nbi"))
    outside = (path for path in copy.rglob("*") if path.is_file())
    assert sorted(p for p in outside if copy / "home" not in p.parents) == before


def test_the_cache_goes_where_numba_is_told_to_put_it(copy):
    result = copy / "elsewhere"
    _, folder, _ = run(copy, copy, **UNCOMPILED, **{VARIABLE: str(result)})
    assert folder.parents[1] == result / "rankscope"


def test_another_processor_has_a_cache_of_its_own(copy):
    generic = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "+sse2"}
    result, other = (
        run(copy, copy, **{**UNCOMPILED, **cpu})[1] for cpu in ({}, generic)
    )
    assert result.parent != other.parent
    assert result.name == other.name


def test_without_a_writable_place_a_private_one_is_found_and_named(copy):
    blocked, temporary = copy / "file", copy / "temporary"
    temporary.mkdir()
    blocked.write_text("not a folder")
    homes = {"XDG_CACHE_HOME": str(blocked), VARIABLE: str(blocked)}
    value, folder, complaints = run(copy, blocked, **homes, TMPDIR=str(temporary))
    assert value == "[1, 0]"
    place = folder.parents[1]
    assert place.parent == temporary
    assert place.stat().st_mode & 0o077 == 0
    assert list(folder.rglob("*.nbi"))
    (complaint,) = complaints
    assert str(place) in complaint
    assert VARIABLE in complaint


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of this process."""
    monkeypatch.setattr(kernel_cache, "place", lambda: tmp_path)
    monkeypatch.setattr(kernel_cache, "folder_of", kernel_cache.folder_of.__wrapped__)
    environment = kernel_cache._environment.__wrapped__
    monkeypatch.setattr(kernel_cache, "_environment", environment)
    return tmp_path


def age(folder, days):
    then = time.time() - days * 86400
    os.utime(folder, (then, then))


def test_what_is_in_use_stays_and_what_is_not_is_removed(cache):
    old, new = (cache / "0.0.1-python3.9" / name for name in ("old", "new"))
    for folder in (old, new):
        folder.mkdir(parents=True)
        (folder / "f.nbi").touch()
    age(old, kernel_cache.UNUSED_DAYS + 1)
    age(new, kernel_cache.UNUSED_DAYS - 1)
    result = kernel_cache.folder_of(kernels.__file__)
    assert result.is_dir()
    assert not old.exists()
    assert new.is_dir()
    age(result, kernel_cache.UNUSED_DAYS + 1)
    # It is used by this process once more, which another one that prunes sees.
    assert kernel_cache.folder_of(kernels.__file__) == result
    kernel_cache._prune(cache)
    assert result.is_dir()


def test_a_module_that_moves_unchanged_has_another_folder(cache, monkeypatch):
    monkeypatch.setattr(kernel_cache, "_PACKAGE", cache)
    files = [cache / place / "sorting.py" for place in ("before", "after")]
    for file in files:
        file.parent.mkdir()
        file.write_text("A = 1\n")
    before, after = (kernel_cache.folder_of(str(file)) for file in files)
    assert before != after
    assert kernel_cache.folder_of(str(files[0])) == before


def test_it_is_complete_until_a_folder_is_missing(cache):
    names = kernel_cache._names()
    assert not kernel_cache.is_complete()
    for name in names:
        (kernel_cache._environment() / name).mkdir(parents=True)
    assert not kernel_cache.is_complete()
    kernel_cache.set_complete()
    assert kernel_cache.is_complete()
    (kernel_cache._environment() / names[-1]).rmdir()
    assert not kernel_cache.is_complete()


def test_the_cache_can_be_shown_and_cleared(cache, capsys):
    folder = kernel_cache.folder_of(kernels.__file__)
    (folder / "f.nbi").write_bytes(bytes(200_000))
    for command in ("show", "clear", "show"):
        with pytest.raises(SystemExit):
            main(["cache", command])
    assert capsys.readouterr().out.splitlines() == [
        f"{cache}: 1 file, 0.2 MB",
        f"Removed 1 file, 0.2 MB from {cache}.",
        f"{cache}: 0 files, 0.0 MB",
    ]
    assert list(cache.iterdir()) == []


def test_a_cache_that_disappears_costs_a_compilation_and_no_more(cache):
    twice = kernels.kernel(lambda x: 2 * x)
    assert twice(3) == 6
    kernel_cache.clear()
    assert twice(1.5) == 3.0
    assert len(list(cache.rglob("*.nbc"))) == 1


def damages(content, rng):
    """Ways in which a file is damaged."""
    at, page = rng.randrange(len(content)), 4096
    flipped = bytearray(content)
    flipped[at] ^= 1 << rng.randrange(8)
    yield b""
    yield content[:at]
    yield bytes(len(content))
    yield bytes(flipped)
    yield content[:at] + bytes(rng.randrange(256) for _ in range(page))


@pytest.mark.parametrize("rounds", [1, soak(60)])
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_file_is_compiled_again(ending, rounds, cache):
    """One damaged bit of machine code would give another number, or end the process."""

    def weigh(x):
        return 3.25 * x + 7.5

    rng = random.Random(0)
    assert kernels.kernel(weigh)(2) == 3.25 * 2 + 7.5
    (file,) = cache.rglob(f"*.{ending}")
    for _ in range(rounds):
        for content in damages(file.read_bytes(), rng):
            file.write_bytes(content)
            again = kernels.kernel(weigh)
            assert again(2) == 3.25 * 2 + 7.5
            assert not again.stats.cache_hits
            later = kernels.kernel(weigh)
            assert later(2) == 3.25 * 2 + 7.5
            assert later.stats.cache_hits, "it has been written anew"


FITS = (
    "from rankcore import RSRank; "
    "model = RSRank(max_iter=2).fit([[0.0], [1.0], [2.0]], [0, 1, 2], None); "
    "print(model.coef_[0].hex())"
)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["none", "empty", "damaged", "removed", "no folder"])
def test_two_first_starts_at_once_on_any_cache(kind, tmp_path):
    """Each fits as if alone, and what they leave is sound."""
    environment = {**os.environ, VARIABLE: str(tmp_path)}

    def fit():
        return subprocess.Popen(
            [sys.executable, "-c", FITS],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def outcome(process):
        result, complaints = process.communicate(timeout=600)
        assert process.returncode == 0, complaints
        assert "Traceback" not in complaints
        return result

    expected, rng = outcome(fit()), random.Random(0)
    files = sorted(tmp_path.rglob("*.nb?"))
    assert files
    if kind == "none":
        shutil.rmtree(tmp_path / "rankscope")
    elif kind == "no folder":
        shutil.rmtree(tmp_path / "rankscope")
        (tmp_path / "rankscope").write_text("not a folder")
        environment["XDG_CACHE_HOME"] = str(tmp_path / "rankscope")
        environment["TMPDIR"] = str(tmp_path)
    elif kind == "removed":
        both = [fit(), fit()]
        while any(process.poll() is None for process in both):
            shutil.rmtree(tmp_path / "rankscope", ignore_errors=True)
            time.sleep(0.05)
        assert [outcome(process) for process in both] == [expected] * 2
    else:
        for number, file in enumerate(files):
            ways = list(damages(file.read_bytes(), rng))
            file.write_bytes(b"" if kind == "empty" else ways[number % len(ways)])
    both = [fit(), fit()]
    assert [outcome(process) for process in both] == [expected] * 2
    assert outcome(fit()) == expected
    for file in tmp_path.rglob("*.nb?"):
        assert kernels._is_sound(str(file))


def test_a_process_that_stands_still_while_it_adds_stops_nobody(cache, monkeypatch):
    monkeypatch.setattr(kernels, "_LOCK_SECONDS", 0.01)
    twice = kernels.kernel(lambda x: 2 * x)
    impl = twice._cache._impl
    impl.locator.ensure_cache_path()
    with FileLock(Path(twice._cache.cache_path, f"{impl.filename_base}.lock")):
        assert twice(3) == 6


def test_a_kernel_that_another_calls_is_compiled_for_python_only_if_called_from_it(
    cache,
):
    twice = kernels.kernel(lambda x: 2 * x)
    odd = kernels.kernel(lambda x: twice(x) + 1)
    assert odd(3) == 2 * 3 + 1
    assert (len(odd.signatures), len(twice.signatures)) == (1, 0)
    assert len(list(cache.rglob("*.nbc"))) == 1
    assert twice(3) == 2 * 3
    assert len(twice.signatures) == 1


def test_without_a_place_to_write_kernels_work_all_the_same(cache):
    twice = kernels.kernel(lambda x: 2 * x)
    folder = kernel_cache.folder_of(twice.py_func.__code__.co_filename)
    folder.rmdir()
    folder.write_text("not a folder")
    assert twice(3) == 6


def test_one_process_at_a_time_adds_to_the_cache_of_a_kernel(cache):
    twice = kernels.kernel(lambda x: 2 * x)
    impl = twice._cache._impl
    impl.locator.ensure_cache_path()
    lock = Path(twice._cache.cache_path, f"{impl.filename_base}.lock")
    adding = Thread(target=twice, args=(3,))
    with FileLock(lock):
        adding.start()
        adding.join(1)
        assert not list(cache.rglob("*.nb?"))
    adding.join()
    assert len(list(cache.rglob("*.nb?"))) == 2


TELLS = (
    "from numpy import array\n"
    "from rankcore._kernels.ordering import grouping\n"
    "from rankcore.base.compiling import telling\n"
    "with telling(lambda: print('compiling')):\n"
    "    grouping.group_by_label(array([1, 0]), array([0, 2]))\n"
)


def test_that_kernels_are_compiled_is_told_once_and_not_where_they_are(tmp_path):
    values = [
        subprocess.run(
            [sys.executable, "-c", TELLS],
            env={**os.environ, VARIABLE: str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        for _ in range(2)
    ]
    assert [run.stdout for run in values] == ["compiling\n", ""]
    assert [run.stderr for run in values] == ["", ""]


@pytest.mark.soak
def test_kernels_run_uncompiled():
    values = [
        subprocess.run(
            [sys.executable, "-c", FITS],
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for off in ("0", "1")
    ]
    assert values[0] == values[1]
