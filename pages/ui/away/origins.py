"""The settings of stored runs, for links that name them: a run store that does not have
the runs can train them again."""

from collections.abc import Iterator, Sequence

from pages.ui.away import links
from pages.ui.catalogue import pages, setting
from rankcore.algorithms import get_algorithm
from rankcore.views import Block, Caption, Go, Text, Values, past, read
from rankcore.views.pins import MOST_PINNED, Pin, pin_of, read_pins, write_pins

# Settings that hold run ids: two of Compare and Runs, two of the Inspector.
RUNS = ("runs", "runs_chosen")
NAMING = ("run", "beside", *RUNS)
TAKE_OVER = (
    "On the computer that has a run, `rankscope runs export ID --out run.json` writes "
    "it to a file; `rankscope runs import run.json` takes it in here."
)


def _linked(values: Values) -> str:
    """Return the runs that the settings name, as pins; empty if there are too many."""
    by_id = {pin.id: pin for pin in read_pins(values.made_with)}
    keys, pins = list(_keys(values)), []
    if len(keys) > MOST_PINNED:
        return ""
    for key in keys:
        run = past.stored(key)
        if run is not None:
            pins.append(pin_of(key, past.settings(run), setting))
        elif key in by_id:
            pins.append(by_id[key])
    return write_pins(pins)


ORIGINS = Text(
    "made_with", "", "How the runs were made", inline=True, studied=False,
    linked=_linked,
)  # fmt: skip


def elsewhere(values: Values) -> list[Block]:
    """Ways to get runs that the store lacks; empty if it has all."""
    pins = {pin.id: pin for pin in read_pins(values.made_with)}
    keys, surely = dict.fromkeys(_keys(values)), {*_keys(values, RUNS)}
    runs = [key for key in keys if key in pins or key in surely]
    gone = [key for key in runs if past.stored(key) is None]
    ways = [_again(pins[key]) for key in gone if key in pins]
    return [*filter(None, ways), *([Caption(TAKE_OVER)] if gone else [])]


def _keys(values: Values, by: Sequence[str] = NAMING) -> Iterator[str]:
    for key in by:
        chosen = values.get(key, ())
        yield from filter(
            None, chosen.split(",") if isinstance(chosen, str) else chosen
        )


def _again(pin: Pin) -> Go | None:
    """Return the link to Train with a run's settings; None if they cannot be read, for
    example because its data is missing."""
    train = pages()["train"]
    linked = links.values(pin.settings)
    if "algorithm" not in linked or len(linked) < len(pin.settings):
        return None
    rows = train.rows(linked)
    # A setting missing from the link has its default, whatever other pages chose.
    settings = train.view(linked).studied(read(rows, linked), linked)
    title = get_algorithm(linked["algorithm"]).title
    return Go(
        f"Train {title} again",
        "train",
        {train.key: train.view(linked).name, **settings},
        f"Run {pin.id} is not in this run store; the link holds its settings.",
        "replay",
    )
