"""Settings: each declared once, and read by controls, links, lessons and tests.

A setting is a row of a view::

    NOISE = Number("cone_noise", 0.0, label="Noise", low=0.0, high=2.0, step=0.05,
                   meaning="Added to every feature, in standard deviations.")

Its control, its place in the link, the check of a lesson's value and the cases of the
contract test all follow from the row. Nothing here draws anything.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from rankcore.base.numbers import quoted
from rankcore.base.symbols import plain
from rankcore.plot.palette import Palette, algorithm_style, palette

MORE = "More settings"


def _no_work(place: str) -> None:
    """Return the background work that a visitor without any looks at: none."""


class Values(Mapping[str, Any]):
    """The values of a view's settings, by key and as attributes.

    Parameters
    ----------
    values : dict
        Key → value.
    theme : {"light", "dark"}
        Of the visitor's screen.
    work : callable, optional
        ``work(place)`` is the background work that the visitor looked at last in
        another view, such as ``"train/Run"``, or the work with that id; None if there
        is none.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        theme: str = "light",
        work: Callable[[str], Any] = _no_work,
    ) -> None:
        self._values = dict(values)
        self.theme = theme
        self.work = work

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, key: str) -> Any:
        try:
            return self.__dict__["_values"][key]
        except KeyError:
            raise AttributeError(f"There is no setting {key!r} here") from None

    @property
    def palette(self) -> Palette:
        """The colours of the visitor's theme."""
        return palette(self.theme)

    def style(self, algorithm: str) -> tuple[str, str]:
        """Return the colour and the marker of an algorithm, the same on every page."""
        return algorithm_style(algorithm, self.palette)

    @property
    def colour(self) -> str:
        """The colour of the algorithm that is set."""
        return self.style(self.algorithm)[0]

    def of(self, algorithm: type) -> dict[str, Any]:
        """Return the hyperparameters of an algorithm that are settings here, by
        name."""
        prefix = f"{algorithm.__name__}."
        return {
            key.removeprefix(prefix): value
            for key, value in self._values.items()
            if key.startswith(prefix)
        }

    def only(self, *keys: str) -> tuple[tuple[str, Any], ...]:
        """Return some of the values, in a form that can be looked up in a cache."""
        return tuple((key, self._values[key]) for key in keys)

    def themed(self, theme: str) -> "Values":
        """Return the same values for a screen of another theme."""
        return Values(self._values, theme, self.work)

    def __or__(self, changes: Mapping[str, Any]) -> "Values":
        return Values(self._values | dict(changes), self.theme, self.work)


class RefusedValue(NamedTuple):
    """A value of a link that its setting does not take.

    Attributes
    ----------
    key, text : str
        What the link says, under the key of now.
    reason : str
        What the setting takes instead, as a sentence.
    """

    key: str
    text: str
    reason: str


@dataclass(frozen=True)
class Setting:
    """One setting of the app.

    Attributes
    ----------
    key : str
        Its name in the link and in the session; the same on all pages that have it.
    default : value
    label, symbol, meaning : str
        What a person reads: a name, the symbol in LaTeX, one sentence on hover.
    group : str
        The title of the folded group it is drawn in; empty: always in sight.
    inline : bool
        Whether the view places its control beside its figures, with `view.Ask`.
    bare : bool
        Whether its label is for screen readers only.
    studied : bool
        Whether a study has to be made again when it changes.
    lasting : bool
        Whether it says what happened, which neither *Reset* nor an earlier link undoes.
    shown_when : callable, optional
        Whether it matters, from the values of the settings before it.
    note : callable, optional
        A line below its control, from the values up to its own.
    about : callable, optional
        Markdown to unfold below its control, from the values up to its own.
    shown : optional
        What its control shows in place of its value.
    computed : callable, optional
        Its value from those of the settings before it; such a setting is another way
        to change these, and is not in the link.
    linked : callable, optional
        What a link says of it, from all values; by default its value.
    writes : callable, optional
        The settings that change with it, from the values and its new value.
    """

    key: str
    default: Any
    label: str = ""
    symbol: str = ""
    meaning: str = ""
    group: str = dataclasses.field(default="", kw_only=True)
    inline: bool = dataclasses.field(default=False, kw_only=True)
    bare: bool = dataclasses.field(default=False, kw_only=True)
    studied: bool = dataclasses.field(default=True, kw_only=True)
    lasting: bool = dataclasses.field(default=False, kw_only=True)
    shown_when: Callable[[Values], bool] | None = dataclasses.field(
        default=None, kw_only=True
    )
    note: Callable[[Values], str] | None = dataclasses.field(default=None, kw_only=True)
    about: Callable[[Values], str] | None = dataclasses.field(
        default=None, kw_only=True
    )
    shown: Any = dataclasses.field(default=None, kw_only=True)
    computed: Callable[[Values], Any] | None = dataclasses.field(
        default=None, kw_only=True
    )
    linked: Callable[[Values], Any] | None = dataclasses.field(
        default=None, kw_only=True
    )
    writes: Callable[[Values, Any], Mapping[str, Any]] | None = dataclasses.field(
        default=None, kw_only=True
    )

    @property
    def title(self) -> str:
        """The label with the symbol, as plain text: screen readers read it out."""
        return f"{self.label} ({plain(self.symbol)})" if self.symbol else self.label

    def matters(self, values: Values) -> bool:
        """Whether it has a control beside these values."""
        return self.shown_when is None or self.shown_when(values)

    def shows(self, values: Values) -> Any:
        """Return what its control shows; its value, unless the setting or its kind says
        else."""
        return values[self.key] if self.shown is None else self.shown

    def beside(self) -> Self:
        """Return the same setting, its control beside the figures."""
        return dataclasses.replace(self, inline=True, group="")

    def silent(self) -> Self:
        """Return the same setting, its label for screen readers only."""
        return dataclasses.replace(self, bare=True)

    def plain(self) -> Self:
        """Return the same setting, its control always in sight."""
        return dataclasses.replace(self, inline=False, group="")

    def check(self, value: Any) -> Any:
        """Return the value in its own type.

        Raises
        ------
        ValueError
            If it is not permitted; the sentence says what is.
        """
        if isinstance(value, str):
            return value
        raise ValueError(f"{self.key} must be text, not {quoted(str(value))}")

    def parse(self, text: str) -> Any:
        """Return the value that a text stands for, as links and lessons write it.

        Raises
        ------
        ValueError
            As `check`.
        """
        return self.check(text)

    def format(self, value: Any) -> str:
        """Return the text that `parse` reads back as ``value``."""
        return str(value)

    def fitted(self, value: Any, values: Values) -> Any:
        """Return the value as it counts beside those of the settings before it.

        What a view cannot use, as after a change of data, gives way to the default.
        """
        try:
            return self.check(value)
        except ValueError:
            return self.default

    def in_link(self, values: Values) -> Any:
        """Return what a link says of it."""
        return values[self.key] if self.linked is None else self.linked(values)

    def refusal(self, value: Any, values: Values) -> str | None:
        """Return why a value does not count beside those of the settings before it, as
        a sentence; None where it does."""
        if self.fitted(value, values) == value:
            return None
        return f"{self.key} cannot be {quoted(self.format(value))} beside the others"

    def stop_labels(self, values: Values) -> Mapping[Any, str]:
        """Return what its slider says at each stop, by value; empty without stops."""
        return {}

    def examples(self, values: Values) -> Sequence[Any]:
        """Values that a test tries: both ends, every choice."""
        return (self.default,)


def read(
    settings: Sequence[Setting],
    raw: Mapping[str, Any],
    theme: str = "light",
    work: Callable[[str], Any] = _no_work,
) -> Values:
    """Return the values of settings: what has been chosen, as it counts, else the
    defaults.

    Each may depend on those before it. One that does not matter has its default.
    ``theme`` and ``work`` are those of `Values`.
    """
    mapping: dict[str, Any] = {}
    for setting in settings:
        values = Values(mapping, theme, work)
        if setting.computed is not None:
            mapping[setting.key] = setting.computed(values)
        elif setting.matters(values):
            mapping[setting.key] = setting.fitted(
                raw.get(setting.key, setting.default), values
            )
        else:
            mapping[setting.key] = setting.default
    return Values(mapping, theme, work)
