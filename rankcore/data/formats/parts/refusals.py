"""Messages about refused lines of LETOR text."""

import re
from typing import NamedTuple

from rankcore.base.arrays import Bytes
from rankcore.data.formats.parts.cells import GRADES

SHOWN_BYTES = 40
NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)", re.IGNORECASE)
# A field that normally follows the label.
NO_GRADE = re.compile(r"(qid|[0-9]+):")


class Refusal(NamedTuple):
    """The problem of a token and its remedy."""

    problem: str
    remedy: str


NOT_TEXT = Refusal(
    "The line contains bytes that are not text",
    "Give LETOR text, plain or compressed by gzip",
)

NO_LABEL = Refusal(
    "The label is missing",
    f"Begin each line with a grade such as 0 (irrelevant), 1 or 2, or {GRADES}",
)

_OF_RANKINGS = (
    "compare rankings of any ranker with `evaluate --run` and --judgements, or under "
    "Rankings on the Data page"
)
# Lines of other files, by their form.
_OTHERS = {
    re.compile(r"\S+\s+Q?0\s+\S+\s+-?[0-9]+\s*"): Refusal(
        "The line is in TREC qrels format, which has no features",
        f"Give judgements together with a feature log, or {_OF_RANKINGS}",
    ),
    re.compile(r"\S+\s+Q0(\s+\S+){3,4}\s*"): Refusal(
        "The line is in TREC run format, which has scores but no features",
        f"Give data to train on, or {_OF_RANKINGS}",
    ),
}

CARRIAGE_RETURN = Refusal(
    "There is a carriage return within the line",
    "Save the file with line ends of Unix or Windows",
)


def shown(text: Bytes, position: int) -> str:
    """Return the token at ``position``, shortened."""
    return _word(text, position).decode("utf-8", "backslashreplace")


def _word(text: Bytes, position: int) -> bytes:
    word = re.match(rb"[^ \t\r\n#]*", text[position : position + SHOWN_BYTES].tobytes())
    return word.group() if word else b""


def _is_text(word: bytes) -> bool:
    try:
        return word.decode().isprintable()
    except UnicodeDecodeError as error:
        # A token cut in the middle of a character is still text.
        return error.end == len(word) == SHOWN_BYTES


def reason(code: int, text: Bytes, position: int, last: int, max_label: int) -> Refusal:
    """Return the reason why the compiled parser stopped at ``position``."""
    if b"\r" in text[max(position - 1, 0) : position + 1].tobytes():
        return CARRIAGE_RETURN
    if not _is_text(_word(text, position)):
        return NOT_TEXT
    line = _line(text, position)
    other = next(
        (value for form, value in _OTHERS.items() if form.fullmatch(line)), None
    )
    return other or _reason(code, shown(text, position), last, max_label)


def _line(text: Bytes, position: int) -> str:
    """Return the line at a position, shortened."""
    before = text[max(position - SHOWN_BYTES, 0) : position].tobytes()
    after = text[position : position + 2 * SHOWN_BYTES].tobytes()
    begin = re.split(rb"\n", before)[-1]
    return (begin + re.split(rb"[\r\n]", after)[0]).decode("utf-8", "replace")


def _reason(code: int, token: str, last: int, max_label: int) -> Refusal:
    from rankcore._kernels.text import letor

    index, _, value = token.partition(":")
    if code == letor.BAD_VALUE and NOT_FINITE.fullmatch(value):
        return Refusal(
            f"The value {value!r} of feature {index} is not a finite number",
            "Replace it by a number; an omitted feature counts as 0",
        )
    if code == letor.BAD_LABEL and NO_GRADE.match(token):
        return NO_LABEL
    reasons = {
        letor.TOO_WIDE: Refusal(
            f"Feature {index} is above {last}, the last feature allowed here",
            "Use the same features in all files, or raise the limit",
        ),
        letor.BAD_LABEL: Refusal(
            f"The label {token!r} is not a whole number",
            NO_LABEL.remedy,
        ),
        letor.HIGH_LABEL: Refusal(
            f"The label {token} is above {max_label}"
            + ", too large for the exponential gain" * (max_label < 2**53),
            "Use fewer grades, such as 0 to 4, or read the file for the linear gain "
            "(--label-gain linear)",
        ),
        letor.NO_QUERY: Refusal(
            f"There is {token!r} instead of the query id"
            if token
            else "The query id is missing",
            "Write qid:<query> after the label, or give a file with the number of rows "
            "of each query with groups= (on the command line --groups)",
        ),
        letor.EMPTY_QUERY: Refusal(
            "The query id is empty",
            "Write the query id after qid:, as in qid:17",
        ),
        letor.BAD_TOKEN: Refusal(
            f"{token!r} is not a feature",
            "Write features as number:value, as in 3:0.25, and comments after #",
        ),
        letor.INDEX_ZERO: Refusal(
            f"With a feature 0 and a feature {last}, there is one feature too many",
            "Use the same features in all files, or raise the limit",
        ),
        letor.INDEX_TWICE: Refusal(
            f"Feature {index} occurs twice in this line",
            "Give each feature only once per line",
        ),
        letor.BAD_VALUE: Refusal(
            f"The value {value!r} of feature {index} is not a number",
            "Write values such as 3, -0.25 or 1e-7",
        ),
        letor.NOT_TEXT: NOT_TEXT,
    }
    return reasons[code]
