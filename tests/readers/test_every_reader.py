"""What holds of every reader of files: none is missing in `SAMPLES`."""

import gzip
import importlib
import inspect
import io
import itertools
import json
import pkgutil
import re
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankcore.data
from rankcore import RankingDataset
from rankcore.base.errors import DataError, gathered_warnings
from rankcore.data import formats, judgements, rankings
from rankcore.data.ratings import read_ratings
from rankcore.data.readers import Limits
from tests.damage import ABSENT, damaged, edits, outcome, replaced
from tests.odd_texts import ODD
from tests.readers.samples import SAMPLES, plain
from tests.soaking import numbers

TEXTS = [name for name, sample in SAMPLES.items() if sample.is_text]
MARK = b"\xef\xbb\xbf"


def packed(*parts: bytes) -> bytes:
    """Files compressed one by one, and joined."""
    return b"".join(gzip.compress(part, 1, mtime=0) for part in parts)


def unpacked(content: bytes) -> bytes:
    """What a file can be decompressed to up to where it is damaged."""
    result = b""
    while content:
        member = zlib.decompressobj(31)
        try:
            for at in range(len(content)):
                result += member.decompress(content[at : at + 1])
        except zlib.error:
            break
        content = member.unused_data
    return result


def letters(content: bytes) -> list[bytes]:
    return [content[at : at + 1] for at in range(len(content))]


WAYS = {
    "as it is": lambda content: content,
    "with a mark": lambda content: MARK + content,
    "packed": packed,
    "packed with a mark": lambda content: packed(MARK + content),
    "an empty file before it": lambda content: packed(b"", content),
    "many empty files before it": lambda content: packed(*[b""] * 300, content),
    "the mark by itself": lambda content: packed(b"", MARK, b"", content),
    "every letter by itself": lambda content: packed(*letters(content)),
    "cut in two": lambda content: packed(content[:7], content[7:]),
    "zeros behind it": lambda content: packed(content, b"") + bytes(9),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_however_a_file_is_packed_it_is_read_as_what_it_is(name):
    sample = SAMPLES[name]
    expected = plain(sample.read(sample.content))
    for way, pack in WAYS.items():
        content = pack(sample.content)
        assert plain(sample.read(content)) == expected, way
        assert plain(sample.read(Pipe(content))) == expected, way


class Pipe(io.RawIOBase):
    """A file of which nothing can be read twice."""

    def __init__(self, content: bytes) -> None:
        self.content = io.BytesIO(content)

    def read(self, size: int = -1) -> bytes:
        return self.content.read(size)


def readers() -> set[str]:
    """The functions of `rankcore.data` that read a source."""
    values = set()
    for module in pkgutil.walk_packages(rankcore.data.__path__, "rankcore.data."):
        for name, one in vars(importlib.import_module(module.name)).items():
            is_reader = name.startswith("read_") and inspect.isfunction(one)
            if is_reader and "source" in inspect.signature(one).parameters:
                values.add(f"{one.__module__}.{one.__name__}")
    return values


def test_every_reader_and_form_has_a_sample():
    used = {
        f"{one.reader.__module__}.{one.reader.__name__}" for one in SAMPLES.values()
    }
    assert readers() <= used
    for kinds, reader in (
        (rankings.forms(), "rankings"),
        (judgements.forms(), "judge"),
    ):
        lines = [
            judgements.first_line(one.content)
            for name, one in SAMPLES.items()
            if name.startswith(reader)
        ]
        firsts = {
            next(kind for kind in kinds if kind.recognises(line)) for line in lines
        }
        assert firsts == set(kinds)
    begun = [one.content for name, one in SAMPLES.items() if name.startswith("any")]
    assert {formats.of_begin(content) for content in begun} == set(
        formats.all_formats()
    )


def check(name: str, content: bytes) -> None:
    """Content is read and sound, or refused with a sentence and a place in it."""
    sample = SAMPLES[name]
    with gathered_warnings():
        result = outcome(sample.read, content)
    if isinstance(result, DataError):
        text = unpacked(content) if content.startswith(b"\x1f\x8b") else content
        lines = text.count(b"\n") + text.count(b"\r") + 1
        assert not sample.is_text or (result.line or 1) <= lines
        assert not isinstance(result.column, int) or result.column >= 1
        assert len(str(result)) < 1000
        return
    # Results can be used: no value is infinite, and names can be encoded.
    for values in arrays(result):
        assert values.dtype.kind in "iub" or not np.isinf(values).any()
    repr(plain(result)).encode()


def arrays(value):
    """The arrays in what was read."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, RankingDataset):
        assert np.isfinite(value.X).all()
        yield value.y
        repr((value.query_ids, value.doc_ids)).encode()
    elif isinstance(value, dict):
        yield from arrays(list(value.values()))
    elif isinstance(value, tuple | list):
        for one in value:
            yield from arrays(one)
    elif isinstance(value, float):
        yield np.array([value])
    elif hasattr(value, "__dataclass_fields__"):
        yield from arrays(list(vars(value).values()))


@pytest.mark.parametrize("name", SAMPLES)
@numbers(12, 400)
def test_a_damaged_file_is_refused_or_read(name, number):
    @given(edits)
    @settings(max_examples=number, deadline=None)
    def run(changes):
        content = damaged(SAMPLES[name].content, changes)
        check(name, content)
        check(name, damaged(packed(SAMPLES[name].content), changes))

    run()


@pytest.mark.parametrize("name", SAMPLES)
@numbers(10, 200)
def test_binary_rubbish(name, number):
    @given(st.binary(max_size=100))
    @settings(max_examples=number, deadline=None)
    def run(content):
        check(name, content)

    run()


@pytest.mark.parametrize("name", SAMPLES)
@numbers(8, 2000)
def test_a_file_that_ends_early_or_has_wrong_bits(name, number):
    content = SAMPLES[name].content
    rng = np.random.default_rng(len(content))
    for at in rng.choice(len(content), min(number, len(content)), replace=False):
        check(name, content[:at])
        check(name, packed(content)[: -1 - at % 40])
        flipped = content[at] ^ (1 << int(rng.integers(8)))
        check(name, content[:at] + bytes([flipped]) + content[at + 1 :])


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_in_another_encoding(name):
    text = SAMPLES[name].content.decode().replace("d", "é")
    encodings = (
        *("latin-1", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7"),
        *("cp037", "shift_jis"),
    )
    for encoding in encodings:
        check(name, text.encode(encoding, "replace"))
    check(name, b"\xff\xfe" + text.encode())
    check(name, text.encode() + b"\xed\xa0\x80")
    check(name, text.replace("é", "\ufeff").encode())
    check(name, text.replace("é", "\u202e\x00").encode())


WORD = re.compile(r'"[^"\n]*"|[^\s,;:{}"|]+')


@pytest.mark.parametrize("name", TEXTS)
@numbers(1, 6)
def test_a_file_with_odd_words(name, number):
    """Each of the first words, names of columns among them, is left out, doubled, or
    another one, a number of many digits for instance."""
    text = SAMPLES[name].content.decode()
    words = list(WORD.finditer(text))[:16]
    for turn, word in enumerate(words):
        odd = [ODD[(turn * number + at) % len(ODD)] for at in range(number)]
        for other in ("", word[0] * 2, f'"{odd[0]}"', *odd):
            check(name, (text[: word.start()] + other + text[word.end() :]).encode())
    lines = text.splitlines(keepends=True)
    for at in range(min(len(lines), 3)):
        check(name, "".join(lines[:at] + lines[at + 1 :]).encode())
        check(name, "".join(lines[: at + 1] + lines[at:]).encode())


JSON = [name for name in TEXTS if SAMPLES[name].content.startswith((b"{", b"["))]


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize(
    "value", [ABSENT, None, [1], 10**400, "\ud800", {}, -1, 1e999, True, [[]] * 9]
)
def test_json_with_other_values(name, value):
    text = SAMPLES[name].content.decode()
    first, _, others = text.partition("\n")
    if first == "{":
        first, others = text, ""
    for content in itertools.islice(replaced(json.loads(first), value), 40):
        check(name, f"{json.dumps(content)}\n{others}".encode())


@pytest.mark.parametrize(
    "name", ["ratings", "weights of queries", "weights of documents"]
)
def test_rows_and_names_are_limited(name):
    sample = SAMPLES[name]
    for limits in (Limits(rows=5), Limits(text=200)):
        with pytest.raises(DataError, match=r"more than (5|200) .*raise the limit"):
            sample.reader(sample.content, limits=limits)


def test_rows_that_say_the_same_count():
    content = b"query,document,rater,label\n" + b"q,d,a,1\n" * 6
    with pytest.raises(DataError, match=r"line 7, column 1: .* more than 5 judgements"):
        read_ratings(content, limits=Limits(rows=5))
