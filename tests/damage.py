"""Ways in which files are damaged."""

from hypothesis import strategies as st

from rankcore import DataError

MARKS = [b",", b"\n", b'"', b"\r", b" ", b"\t", b"-", b"\0", b"{"]


def edits_of(words, longest=4, most=3, least=1, other_bytes=True):
    """Up to so many changes for `damaged`: up to ``longest`` bytes, somewhere, become
    one of the words, or other bytes."""
    pieces = st.sampled_from(words)
    if other_bytes:
        pieces |= st.binary(max_size=3)
    change = st.tuples(st.floats(0, 1), st.integers(0, longest), pieces)
    return st.lists(change, min_size=least, max_size=most)


edits = edits_of([*MARKS, b"1", b"1e999", b"x"], longest=8, most=4)


def damaged(content, changes):
    for where, length, piece in changes:
        begin = round(where * len(content))
        content = content[:begin] + piece + content[begin + length :]
    return content


# In place of a value: its name is left out.
ABSENT = ...


def replaced(content, value):
    """JSON with one of its values replaced, at each place."""
    if value is not ABSENT:
        yield value
    if isinstance(content, dict):
        for name, result in content.items():
            if value is ABSENT:
                yield {key: content[key] for key in content if key != name}
            for inner in replaced(result, value):
                yield {**content, name: inner}
    elif isinstance(content, list) and content:
        for inner in replaced(content[0], value):
            yield [inner, *content[1:]]


def outcome(action, *given, **named):
    """What an action gives, or its error, which says where it is and what helps."""
    try:
        return action(*given, **named)
    except DataError as error:
        result = error
    assert result.problem
    assert result.remedy
    assert (result.line or 1) >= 1
    return result
