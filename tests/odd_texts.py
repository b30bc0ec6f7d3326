"""Texts that are nearly numbers, for tests of whatever reads one."""

from hypothesis import strategies as st

ODD = [
    "", " ", "-", "+", ".", "e5", "9" * 400, "-" + "9" * 400, "9" * 5000, "1e999",
    "-1e999", "1e-999", "inf", "-inf", "nan", "NaN", "Infinity", "1_0", "٣", "۱۲", "½",
    "²", "0x10", "0b1", "1e", "1,5", "1 0", "True", "None", "null", "\x00", "\n1\n",
    "𝟗", "1j", "１", "--1", "1e400", "0" * 400, "1." + "0" * 400, "auto" * 100,
]  # fmt: skip

numbers = st.one_of(st.integers(), st.floats(), st.integers(15, 5000).map("9".__mul__))
texts = st.one_of(
    st.sampled_from(ODD), st.text(max_size=50), numbers.map(lambda n: f"{n!s:.5000}")
)


def outcome(function, *arguments):
    """What a function gives, and the sentence with which it refuses instead."""
    try:
        return function(*arguments), None
    except ValueError as error:
        return None, str(error)
