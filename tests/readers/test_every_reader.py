"""What holds of every reader of files: none is missing in `SAMPLES`."""

import gzip
import io

import pytest

from tests.readers.samples import SAMPLES, plain

TEXTS = [name for name, sample in SAMPLES.items() if sample.is_text]
MARK = b"\xef\xbb\xbf"


def packed(*parts: bytes) -> bytes:
    """Files compressed one by one, and joined."""
    return b"".join(gzip.compress(part, 1, mtime=0) for part in parts)


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
