"""The study of rounds that a visitor looks at, and the round that is chosen."""

PLACE = "margins/Rounds"


def chosen(count: int, wanted: int) -> int:
    """The round that is shown, of ``count``; the last one unless it is another."""
    return wanted if 0 <= wanted < count else count - 1
