"""Text in UTF-8, a few lines at a time."""

from collections.abc import Iterator

from rankcore.base.errors import DataError
from rankcore.data.formats.parts.source import (
    BYTE_ORDER_MARK,
    Interrupted,
    Opened,
    encoding_problem,
    say_encoding,
)


def decoded_lines(
    source: Opened, instead: str, bad: dict[int, DataError] | None = None
) -> Iterator[tuple[int, str]]:
    """Yield whole lines, many at a time, with the number of lines before them.

    Parameters
    ----------
    instead : str
        Remedy for a file that is not text: the formats to give instead.
    bad : dict, optional
        Receives the errors of lines, counted from 1, that are not text; these are read
        as empty. Without it, the first one raises.

    Raises
    ------
    DataError
        With the line and column of bytes that are not text, or of the early end.
    """
    n_lines, rest = 0, bytearray()
    blocks = source.blocks()
    while True:
        try:
            block = next(blocks, b"")
        except Interrupted as interruption:
            problem, remedy = interruption.args
            line = n_lines + 1
            raise DataError(problem, remedy, source.name, line, 1) from interruption
        cut = block.rfind(b"\n") + 1 if block else 0
        rest += block[: cut or len(block)]
        if block and not cut:
            continue
        whole, rest = rest, bytearray(block[cut:])
        if not n_lines:
            if other := encoding_problem(whole):
                raise DataError(*other, source.name, 1, 1)
            del whole[: len(BYTE_ORDER_MARK) * whole.startswith(BYTE_ORDER_MARK)]
        yield n_lines, _decoded(whole, n_lines, source.name, instead, bad)
        n_lines += whole.count(b"\n")
        if not block:
            return


def numbered_lines(source: Opened, instead: str) -> Iterator[tuple[int, str]]:
    """Yield lines one by one, each with its number from 1, like `decoded_lines`."""
    for n_before, text in decoded_lines(source, instead):
        yield from enumerate(text.split("\n"), start=n_before + 1)


def _decoded(
    lines: bytearray,
    n_before: int,
    file: str,
    instead: str,
    bad: dict[int, DataError] | None,
) -> str:
    try:
        return _text(lines, n_before, file, instead)
    except DataError:
        if bad is None:
            raise
    texts = []
    for number, line in enumerate(lines.split(b"\n"), start=n_before):
        try:
            texts.append(_text(line, number, file, instead))
        except DataError as error:
            bad[number + 1] = error
            texts.append("")
    return "\n".join(texts)


def _text(lines: bytearray, n_before: int, file: str, instead: str) -> str:
    at = lines.find(b"\0")
    if at >= 0:
        problem = "The file contains bytes that are not text"
        raise DataError(problem, instead, file, *_place(lines, at, n_before))
    try:
        return lines.decode()
    except UnicodeDecodeError as error:
        problem = f"The byte 0x{lines[error.start]:02X} is not text in UTF-8"
        place = _place(lines, error.start, n_before)
        remedy = f"Save the file as UTF-8, or {say_encoding('windows-1252')}"
        raise DataError(problem, remedy, file, *place) from error


def _place(lines: bytearray, at: int, n_before: int) -> tuple[int, int]:
    line = n_before + lines.count(b"\n", 0, at) + 1
    return line, at - lines.rfind(b"\n", 0, at)
