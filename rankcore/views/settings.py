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
        Theme of the visitor's screen.
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
    """A link's value that its setting refuses.

    Attributes
    ----------
    key, text : str
        The key, in its present form, and the link's text.
    reason : str
        The values that the setting accepts, as a sentence.
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
        Displayed texts: a name, the symbol in LaTeX, one sentence on hover.
    group : str
        The title of the folded group it is drawn in; empty: always visible.
    inline : bool
        Whether the view places its control beside its figures, with `view.Ask`.
    bare : bool
        Whether its label is for screen readers only.
    studied : bool
        Whether a study has to be made again when it changes.
    lasting : bool
        Whether it records an event, which neither *Reset* nor an earlier link undoes.
    shown_when : callable, optional
        Whether it matters, from the values of the settings before it.
    note : callable, optional
        A line below its control, from the values up to its own.
    about : callable, optional
        Markdown to unfold below its control, from the values up to its own.
    shown : optional
        Returns the value that its control shows instead.
    computed : callable, optional
        Its value from those of the settings before it; such a setting is only another
        way to change these, and is not in the link.
    linked : callable, optional
        Its value in links, from all values; by default its own value.
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
        """The label with the symbol, as plain text for screen readers."""
        return f"{self.label} ({plain(self.symbol)})" if self.symbol else self.label

    def matters(self, values: Values) -> bool:
        """Whether it has a control, given these values of other settings."""
        return self.shown_when is None or self.shown_when(values)

    def shows(self, values: Values) -> Any:
        """Return the value that its control shows; by default its own value."""
        return values[self.key] if self.shown is None else self.shown

    def beside(self) -> Self:
        """Return the same setting with its control beside the figures."""
        return dataclasses.replace(self, inline=True, group="")

    def silent(self) -> Self:
        """Return the same setting with its label for screen readers only."""
        return dataclasses.replace(self, bare=True)

    def plain(self) -> Self:
        """Return the same setting with its control always visible."""
        return dataclasses.replace(self, inline=False, group="")

    def check(self, value: Any) -> Any:
        """Return the value in its own type.

        Raises
        ------
        ValueError
            If it is not permitted; the message states the permitted values.
        """
        if isinstance(value, str):
            return value
        raise ValueError(f"{self.key} must be text, not {quoted(str(value))}")

    def parse(self, text: str) -> Any:
        """Return the value of a text, in the format of links and lessons.

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
        """Return the effective value, given those of earlier settings.

        The default replaces a value that a view cannot use, as after a change of data.
        """
        try:
            return self.check(value)
        except ValueError:
            return self.default

    def in_link(self, values: Values) -> Any:
        """Return its text for a link."""
        return values[self.key] if self.linked is None else self.linked(values)

    def refusal(self, value: Any, values: Values) -> str | None:
        """Return why a value is not allowed with those of earlier settings, as a
        sentence; None if it is."""
        if self.fitted(value, values) == value:
            return None
        return f"{self.key} cannot be {quoted(self.format(value))} beside the others"

    def stop_labels(self, values: Values) -> Mapping[Any, str]:
        """Return the labels of its slider's stops, by value; empty without stops."""
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
    """Return the effective values of settings: the choices, otherwise the defaults.

    Each may depend on those before it. Settings without effect have their defaults.
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
