"""Colours of every picture, for the light and the dark theme.

Runs have hues of the Okabe-Ito palette, with lightness levels that distinguish marks
and texts also for readers without red or green cones; relevance labels have a scale of
their own, darker (in the dark theme: brighter) for more relevant documents.
"""

import colorsys
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from rankcore.base.spellings import american_names

# Minimum contrast of text, and of lines, with the background (WCAG 2.1, level AA).
READS = 4.5
VISIBLE = 3.0
# Beyond this contrast, the eye no longer sees a colour's hue.
_HUELESS = 11.0


@dataclass(frozen=True)
class Palette:
    """The colours of one theme, as ``#rrggbb``.

    Attributes
    ----------
    kind : {"light", "dark"}
    background, panel, line, ink, secondary, primary : str
        Page, raised areas, thin lines, text, notes, and selected items.
    runs : tuple of str
        One colour per run or algorithm, in order; its hue is the same in every theme.
    relevance : tuple of str
        Colours of the labels 0 to 4.
    """

    kind: Literal["light", "dark"]
    background: str
    panel: str
    line: str
    ink: str
    secondary: str
    primary: str
    runs: tuple[str, ...]
    relevance: tuple[str, ...]

    def label(self, label: float, highest: float = 4) -> str:
        """Colour of a relevance label on a scale that ends at ``highest``."""
        last = len(self.relevance) - 1
        return self.relevance[round(last * min(label, highest) / (highest or 1))]

    def on(self, colour: str) -> str:
        """Text on ``colour``: ink or background; black or white if both are faint."""

        def reads(text: str) -> float:
            return contrast(text, colour)

        best = max((self.ink, self.background), key=reads)
        return best if reads(best) >= READS else max(("#000000", "#ffffff"), key=reads)

    def readable(self, colour: str) -> str:
        """``colour``, darkened (in the dark theme: lightened) to a contrast of 4.5 : 1
        as text."""
        end = "#ffffff" if self.kind == "dark" else "#000000"
        for step in range(41):
            mixed = mix(colour, end, step / 40)
            if contrast(mixed, self.background) >= READS:
                break
        return mixed


LIGHT = Palette(
    kind="light",
    background="#ffffff",
    panel="#f6f7f9",
    line="#e3e6eb",
    ink="#1b1f24",
    secondary="#5b6572",
    primary="#0b5cad",
    runs=("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#6B4A00", "#004E7A"),
    relevance=("#e6e9ee", "#b3cee6", "#7fb2dd", "#4b8cc9", "#0b5cad"),
)

DARK = Palette(
    kind="dark",
    background="#0f1318",
    panel="#171c23",
    line="#2a313b",
    ink="#e7ebf0",
    secondary="#9aa5b3",
    primary="#56a2f8",
    runs=("#56B4E9", "#D55E00", "#009E73", "#C15C94", "#E69F00", "#0088D4"),
    relevance=("#262d37", "#2a4662", "#2e5f8d", "#4884be", "#62a8ee"),
)

DASHES = {"train": "solid", "valid": "dash", "test": "dot"}
MARKERS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")
# One chart cannot distinguish more algorithms than hues and markers.
MOST_TOGETHER = len(MARKERS)


def palette(kind: str | None) -> Palette:
    """Return the palette of a theme; the light one if the theme is unknown."""
    return DARK if kind == "dark" else LIGHT


def faded(colour: str, share: float) -> str:
    """Return a colour ``#rrggbb`` made translucent."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share:g})"


def mix(colour: str, other: str, share: float) -> str:
    """``colour`` with a ``share`` (0 to 1) of ``other`` mixed in."""
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def shade(colours: Sequence[str], share: float) -> str:
    """Return the colour at a ``share`` (0 to 1) of a scale of colours."""
    place = min(max(share, 0.0), 1.0) * (len(colours) - 1)
    before = min(int(place), len(colours) - 2)
    return mix(colours[before], colours[before + 1], place - before)


def contrast(colour: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.1)."""
    darker, lighter = sorted((_luminance(colour), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(maxsize=4096)
def _luminance(colour: str) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in _channels(colour))
    ]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def lightness_steps(colour: str, count: int, palette: Palette) -> list[str]:
    """Colours of one hue, distinguishable and visible on the background.

    Parameters
    ----------
    colour : str
        The first one, with its lightness changed if its contrast is below 3 : 1.
    count : int
        The first colours of a longer list are the same.

    Returns
    -------
    list of str
        Each after the first has the contrast, from 3 to 11 : 1, that differs most in
        ratio from those before it.
    """
    return list(_lightness_steps(colour, count, palette.background))


@lru_cache(maxsize=1024)
def _lightness_steps(colour: str, count: int, background: str) -> tuple[str, ...]:
    hue, light_now, saturation = colorsys.rgb_to_hls(
        *(c / 255 for c in _channels(colour))
    )

    def light(lightness: float) -> str:
        channels = colorsys.hls_to_rgb(hue, lightness, saturation)
        return "#" + "".join(f"{round(255 * channel):02x}" for channel in channels)

    def depth(shown: str) -> float:
        return math.log(contrast(shown, background))

    levels = [light(step / 100) for step in range(1, 100)]
    visible = [
        shown
        for shown in levels
        if math.log(VISIBLE) <= depth(shown) <= math.log(_HUELESS)
    ]
    nearest = min(
        visible, key=lambda shown: abs(depth(shown) - depth(light(light_now)))
    )
    steps = [colour.lower() if contrast(colour, background) >= VISIBLE else nearest]
    while len(steps) < count:
        depths = [depth(shown) for shown in steps]
        steps.append(
            max(visible, key=lambda shown: min(abs(depth(shown) - at) for at in depths))
        )
    return tuple(steps[:count])


def rising_steps(colour: str, count: int, palette: Palette) -> list[str]:
    """Return the `lightness_steps` from near the background to near the ink, for a
    setting that increases from line to line."""
    steps = lightness_steps(colour, count, palette)
    return sorted(steps, key=lambda step: contrast(step, palette.background))


def algorithm_style(name: str, palette: Palette) -> tuple[str, str]:
    """Return the colour and the marker of an algorithm, the same in every picture,
    whichever packages are installed.

    Parameters
    ----------
    name : str
        A registered algorithm; any other name gets the first one's style.
    """
    from rankcore.algorithms import list_algorithms

    names = list_algorithms(installed=False)
    position = names.index(name) if name in names else 0
    runs = palette.runs
    marker = MARKERS[position // len(runs) % len(MARKERS)]
    return runs[position % len(runs)], marker


@american_names
class RunStyle(NamedTuple):
    """The style of a run among others.

    Attributes
    ----------
    colour : str
        As ``#rrggbb``, with a contrast of at least 3 : 1 to the background.
    marker : str
        A Plotly symbol, which identifies the algorithm without the hue.
    """

    colour: str
    marker: str


def run_styles(algorithms: Sequence[str], palette: Palette) -> list[RunStyle]:
    """Return the styles of several runs in one picture.

    Every algorithm has its own hue and marker from `algorithm_style`, and its further
    runs the same hue at other lightness. If an earlier algorithm of the picture has
    that hue or marker, a free one replaces it; a hue near one used in several lightness
    steps also counts as taken. More than `MOST_TOGETHER` algorithms keep their own:
    they belong in small multiples.

    Parameters
    ----------
    algorithms : sequence of str
        The algorithm of each run.

    Returns
    -------
    list of RunStyle
        One per run, in order.
    """
    styles = {
        name: algorithm_style(name, palette) for name in dict.fromkeys(algorithms)
    }
    count = {name: algorithms.count(name) for name in styles}
    hues = {name: colour for name, (colour, _) in styles.items()}
    markers = {name: marker for name, (_, marker) in styles.items()}
    if len(styles) <= MOST_TOGETHER:

        def taken_for(name: str, colour: str, other: str, in_use: str) -> bool:
            several = max(count[name], count[other]) > 1
            return colour == in_use or (several and _near(colour, in_use))

        hues = _distinct(hues, palette.runs, taken_for)
        markers = _distinct(
            markers, MARKERS, lambda _, style, __, in_use: style == in_use
        )
    steps = {
        name: iter(lightness_steps(hue, count[name], palette))
        for name, hue in hues.items()
    }
    return [RunStyle(next(steps[name]), markers[name]) for name in algorithms]


def _distinct(
    colours: Mapping[str, str],
    choices: Sequence[str],
    alike: Callable[[str, str, str, str], bool],
) -> dict[str, str]:
    """Return a colour for each name: its own, or an unused one if an earlier name has
    a similar colour.

    Parameters
    ----------
    colours : dict of str to str
        Preferred colour by name.
    choices : sequence of str
        Replacement colours, at least as many as names.
    alike : callable
        Whether two names with these colours could be confused; its arguments are a
        name, its colour, the other name and its colour.
    """
    names = list(colours)
    late = {
        name
        for place, name in enumerate(names)
        if any(
            alike(name, colours[name], other, colours[other]) for other in names[:place]
        )
    }
    shades: dict[str, str] = {}
    # Names whose colours clash choose last, so they take no other name's preferred
    # colour.
    for name in sorted(names, key=late.__contains__):
        unused = [
            each for each in (colours[name], *choices) if each not in shades.values()
        ]
        shades[name] = next(
            (
                each
                for each in unused
                if not any(alike(name, each, *one) for one in shades.items())
            ),
            unused[0],
        )
    return shades


def shapes(styles: Sequence[RunStyle]) -> list[str]:
    """Return the markers of runs along their curves: none if all have one algorithm."""
    several = len({style.marker for style in styles}) > 1
    return [style.marker if several else "" for style in styles]


def _near(colour: str, other: str) -> bool:
    """Whether two hues are less than 10 degrees apart, and so could be confused at
    different lightness."""
    first, second = (
        colorsys.rgb_to_hls(*(channel / 255 for channel in _channels(each)))[0]
        for each in (colour, other)
    )
    apart = abs(first - second)
    return min(apart, 1.0 - apart) < 10.0 / 360.0
