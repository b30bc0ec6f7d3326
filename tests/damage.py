"""Ways in which files are damaged."""

from hypothesis import strategies as st

MARKS = [b",", b"\n", b'"', b"\r", b" ", b"\t", b"-", b"\0", b"{"]
PIECES = [*MARKS, b"1", b"1e999", b"x"]
edits = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 8),
        st.one_of(st.sampled_from(PIECES), st.binary(max_size=3)),
    ),
    min_size=1,
    max_size=4,
)


def damaged(content, changes):
    for where, length, piece in changes:
        begin = round(where * len(content))
        content = content[:begin] + piece + content[begin + length :]
    return content


def replaced(content, value):
    """JSON with one of its values or one of its names replaced, at each place."""
    yield value
    for key in content if isinstance(content, dict) else range(len(content[:1])):
        kind = type(content)
        yield kind(content) | {key: value} if kind is dict else [value, *content[1:]]
        if isinstance(content[key], dict | list):
            for inner in replaced(content[key], value):
                yield (
                    {**content, key: inner} if kind is dict else [inner, *content[1:]]
                )
    if isinstance(content, dict):
        for key in content:
            yield {name: content[name] for name in content if name != key}
