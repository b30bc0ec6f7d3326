"""Files for results: whole or as before, through links, with their modes; what is not a
file is never replaced."""

import contextlib
import os
import resource
import stat
import subprocess
import sys
import threading

import pytest

from rankcore.base.outputs import Output, check_apart


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def umask():
    """Set the mask of new files' modes."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.mark.parametrize(("mask", "expected"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_has_the_mode_of_any_new_file(tmp_path, umask, mask, expected):
    umask(mask)
    Output(tmp_path / "new.txt").write("α\n")
    assert (tmp_path / "new.txt").read_bytes() == "α\n".encode()
    assert mode(tmp_path / "new.txt") == expected
    assert left_in(tmp_path) == ["new.txt"]


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o664, 0o755])
def test_a_file_that_is_there_keeps_its_mode(tmp_path, kept):
    path = tmp_path / "old.txt"
    path.write_text("a longer text from before")
    path.chmod(kept)
    Output(path).write("new")
    assert path.read_text() == "new"
    assert mode(path) == kept
    assert left_in(tmp_path) == ["old.txt"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_somebody_else_stays_theirs(tmp_path):
    path = tmp_path / "old.txt"
    path.touch()
    path.chmod(0o640)
    os.chown(path, 12345, 54321)
    Output(path).write("new")
    result = path.stat()
    assert (result.st_uid, result.st_gid, mode(path)) == (12345, 54321, 0o640)


def test_extended_attributes_stay(tmp_path):
    path = tmp_path / "old.txt"
    path.touch()
    try:
        os.setxattr(path, "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    Output(path).write("new")
    assert os.getxattr(path, "user.note") == b"kept"


@pytest.mark.parametrize("there", [True, False])
def test_links_are_followed_and_stay_links(tmp_path, there):
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "target.txt"
    if there:
        target.touch(0o600)
    (tmp_path / "first").symlink_to("folder/target.txt")
    (tmp_path / "second").symlink_to(tmp_path / "first")
    Output(tmp_path / "second").write("through both")
    assert target.read_text() == "through both"
    assert (tmp_path / "first").readlink() == target.relative_to(tmp_path)
    assert (tmp_path / "second").readlink() == tmp_path / "first"
    assert left_in(tmp_path / "folder") == ["target.txt"]
    if there:
        assert mode(target) == 0o600


def test_a_long_name_is_no_problem(tmp_path):
    path = tmp_path / ("n" * 255)
    Output(path).write("text")
    assert path.read_text() == "text"


def folder(path):
    path.mkdir()


def link_to_itself(path):
    path.symlink_to(path)


def link_into_nowhere(path):
    path.symlink_to(path.parent / "no" / "file")


def unread_pipe(path):
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (folder, "this is a folder; name a file in it"),
        (link_to_itself, "symbolic links"),
        (link_into_nowhere, "there is no folder .*no; create it first"),
        (unread_pipe, "nobody reads from this pipe; start its reader first"),
    ],
)
def test_what_cannot_be_written_is_refused_before_any_work(tmp_path, make, reason):
    path = tmp_path / "given"
    make(path)
    before = path.lstat()
    with pytest.raises(OSError, match=reason) as caught:
        Output(path)
    assert caught.value.filename == str(path)
    assert path.lstat().st_ino == before.st_ino
    assert left_in(tmp_path) == ["given"]


def test_a_disk_is_refused(tmp_path):
    path = tmp_path / "disk"
    try:
        os.mknod(path, stat.S_IFBLK | 0o600, os.makedev(7, 200))
    except PermissionError:
        pytest.skip("block devices may not be made here")
    with pytest.raises(OSError, match="this is a disk"):
        Output(path)


def test_a_pipe_with_a_reader_gets_the_text(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    output = None
    while output is None:
        # Its reader has yet to open it.
        with contextlib.suppress(OSError):
            output = Output(path)
    text = "text\n" * 100_000
    output.write(text)
    reader.join()
    assert read == [text]
    assert path.is_fifo()
    assert not output.is_file


def test_a_device_stays_one(device):
    path = device("null")
    before = path.lstat()
    output = Output(path)
    output.write("gone")
    assert os.path.samestat(before, path.lstat())
    assert not output.is_file


def test_a_device_that_takes_nothing_is_named(device):
    path = device("full")
    with pytest.raises(OSError, match="No space") as caught:
        Output(path).write("text")
    assert caught.value.filename == str(path)


PRINTING = """
from rankcore.base.outputs import Output
print("before")
Output({path!r}).write("text\\n")
print("after")
"""


@pytest.mark.parametrize("to_file", [True, False])
def test_standard_output_gets_the_text_in_turn(tmp_path, to_file):
    # As /dev/stdout, which a fault would replace for the whole machine.
    path = tmp_path / "stdout"
    path.symlink_to("/proc/self/fd/1")
    command = [sys.executable, "-c", PRINTING.format(path=str(path))]
    if to_file:
        with (tmp_path / "out.txt").open("w") as file:
            subprocess.run(command, stdout=file, check=True)
        printed = (tmp_path / "out.txt").read_text()
    else:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        printed = done.stdout
    assert printed == "before\ntext\nafter\n"


@pytest.mark.parametrize("there", [True, False])
def test_a_full_disk_leaves_what_was_there(tmp_path, there):
    path = tmp_path / "old.txt"
    if there:
        path.write_text("from before")
    output = Output(path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="large") as caught:
            output.write("x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == str(path)
    assert left_in(tmp_path) == (["old.txt"] if there else [])
    if there:
        assert path.read_text() == "from before"


def test_a_file_written_in_pieces_is_named_where_that_fails(tmp_path):
    path = tmp_path / "a.txt"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def write():
        with Output(path).opened() as file:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
            try:
                file.write(bytes(10**6))
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)

    with pytest.raises(OSError, match="too large") as caught:
        write()
    assert caught.value.filename == str(path)
    assert not list(tmp_path.iterdir())
    with pytest.raises(FileNotFoundError) as caught, Output(path).opened():
        (tmp_path / "other").read_text()
    assert caught.value.filename == str(tmp_path / "other")


def test_what_has_become_a_device_meanwhile_is_not_replaced(tmp_path):
    path = tmp_path / "later"
    output = Output(path)
    os.mkfifo(path)
    with pytest.raises(OSError, match="no longer a file"):
        output.write("text")
    assert path.is_fifo()
    assert left_in(tmp_path) == ["later"]


def test_file_and_folder_are_flushed_to_disk(tmp_path, monkeypatch):
    flushed = []

    def noted(number):
        flushed.append(os.fstat(number))
        fsync(number)

    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", noted)
    Output(tmp_path / "new.txt").write("text")
    wanted = [(tmp_path / "new.txt").stat(), tmp_path.stat()]
    assert [one.st_ino for one in flushed] == [one.st_ino for one in wanted]
    assert flushed[0].st_size == len("text")


@pytest.fixture
def files(tmp_path):
    (tmp_path / "data.txt").touch()
    (tmp_path / "soft").symlink_to("data.txt")
    (tmp_path / "hard").hardlink_to(tmp_path / "data.txt")
    (tmp_path / "other").touch()
    (tmp_path / "to new").symlink_to("new")
    return tmp_path


@pytest.mark.parametrize("name", ["data.txt", "soft", "hard", "./data.txt"])
def test_what_is_read_is_not_written(files, name):
    with pytest.raises(ValueError, match=r"--out .* would overwrite .*data\.txt"):
        check_apart({"--out": files / name}, [files / "other", files / "data.txt"])


@pytest.mark.parametrize(
    ("one", "other"), [("data.txt", "hard"), ("new", "new"), ("new", "to new")]
)
def test_two_outputs_are_two_files(files, one, other):
    with pytest.raises(ValueError, match="--out and --history name the same file"):
        check_apart({"--out": files / one, "--history": files / other}, [])


def test_other_files_and_shared_devices_are_no_clash(files, device):
    others = {"--out": files / "other", "--history": files / "new"}
    check_apart(others, [files / "soft"])
    null = device("null")
    check_apart({"--out": null, "--history": null}, [null])
