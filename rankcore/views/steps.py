"""A lesson: its steps, their guesses, and their content in a presentation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankcore.plot.numbers import minus
from rankcore.plot.pointing import pointed
from rankcore.views.blocks import (
    Ask,
    Block,
    Caption,
    DocumentTiles,
    Notice,
    Panel,
    Row,
    Shown,
    Table,
    Tiles,
    Toy,
    Words,
    flat,
)

# Levels in the recommended order.
LEVELS = ("foundations", "methods", "practice")


@dataclass(frozen=True)
class Choices:
    """A guess among a few answers, one of which is correct."""

    choices: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class Amount:
    """A guess of a number.

    Attributes
    ----------
    low, high : float
        The ends of the guess's scale.
    answer : float
        The answer, on that scale.
    step : float
        Distance of two guesses.
    unit : str
        The unit, such as ``"features"``; may be empty.
    """

    low: float
    high: float
    answer: float
    step: float
    unit: str = ""

    def share(self, number: float) -> float:
        """Position of a number between the ends, from 0 to 1."""
        return (number - self.low) / (self.high - self.low)

    @property
    def preset(self) -> float:
        """Initial guess: the middle of the scale, or a quarter if the middle reveals
        the answer."""
        steps = (self.high - self.low) / self.step
        middle = self.low + self.step * round(steps / 2)
        if abs(middle - self.answer) >= self.step:
            return middle
        return self.low + self.step * round(steps / 4)

    @property
    def digits(self) -> int:
        """The decimals of a guess; 0: guesses are whole numbers."""
        ends = (self.low, self.high, self.step)
        return max(len(f"{n:.10g}".partition(".")[2]) for n in ends)

    def written(self, number: float) -> str:
        """Return a number with its unit."""
        gap = "" if self.unit == "%" else " "
        return f"{self.numeral(number)}{gap}{self.unit}".rstrip()

    def numeral(self, number: float) -> str:
        """Return a number of the scale, with a true minus sign."""
        return minus(f"{number:.10g}")


Guess = Choices | Amount


@dataclass(frozen=True)
class InSight:
    """The parts of a view shown while a step is presented.

    Attributes
    ----------
    figures : tuple of int
        Numbers from 1, counted from the top of the view: figures, tables, rankings.
    facts : bool
        The strip of numbers above the figures.
    words : bool
        Formulas, findings and notices between figures.
    controls : tuple of str
        The keys of settings whose controls stay.
    """

    figures: tuple[int, ...] = (1,)
    facts: bool = False
    words: bool = False
    controls: tuple[str, ...] = ()

    def of(self, shown: Shown) -> Shown:
        """Return the parts of a view's content to show."""
        blocks: list[Block] = []
        figure = 0
        for block in flat(shown.blocks):
            if isinstance(block, Ask):
                rows = [row for row in block.settings if row.key in self.controls]
                if rows:
                    blocks.append(Ask(rows))
            elif isinstance(block, Words | Notice):
                if self.words:
                    blocks.append(block)
            elif isinstance(block, _FIGURES):
                figure += 1
                if figure in self.figures:
                    blocks.append(block)
        facts = shown.facts if self.facts else ()
        return shown._replace(facts=facts, blocks=_beside(blocks))

    def first(self, shown: Shown) -> Shown:
        """Return all content of a view; if the first block with figures has none of the
        step's, blocks that have them come first, each after its controls."""
        above: list[Block] = []
        below: list[Block] = []
        figure = 0
        for block in shown.blocks:
            count = sum(isinstance(one, _FIGURES) for one in flat([block]))
            numbers = range(figure + 1, figure + count + 1)
            if not set(self.figures) & set(numbers):
                below.append(block)
            elif figure == 0:
                return shown
            else:
                controls = [below.pop()] if isinstance(below[-1], Ask) else []
                above += [*controls, block]
            figure += count
        return shown._replace(blocks=[*above, *below])


def _beside(blocks: list[Block]) -> list[Block]:
    """Return blocks with two figures side by side, if there are two, because a slide is
    too low to stack them."""
    places = [at for at, block in enumerate(blocks) if isinstance(block, Panel)]
    if len(places) != 2:
        return blocks
    one, two = places
    row = Row([[blocks[one]], [blocks[two]]])
    return [*blocks[:one], row, *blocks[one + 1 : two], *blocks[two + 1 :]]


@dataclass(frozen=True)
class FigureArrow:
    """An arrow at a mark of a figure.

    Attributes
    ----------
    mark : str
        The name of a trace; the first figure that has it gets the arrow.
    words : str
        Beside the arrow.
    """

    mark: str
    words: str

    def on(self, shown: Shown) -> Shown:
        """Return a view's content with the arrow, or without it if no mark has the
        name."""
        return shown._replace(blocks=self._among(shown.blocks) or shown.blocks)

    def _among(
        self, blocks: Sequence[Block], share: float = 1.0
    ) -> Sequence[Block] | None:
        """Return blocks, of this share of the page's width, with the arrow, or None if
        none of them has the mark."""
        for place, block in enumerate(blocks):
            if (with_arrow := self._in(block, share)) is not None:
                return [*blocks[:place], with_arrow, *blocks[place + 1 :]]
        return None

    def _in(self, block: Block, share: float) -> Block | None:
        if isinstance(block, Panel):
            picture = pointed(block.picture, self.mark, self.words, share)
            return None if picture is None else block._replace(picture=picture)
        if isinstance(block, Row):
            widths = block.widths or [1] * len(block.columns)
            for at, column in enumerate(block.columns):
                width = share * widths[at] / sum(widths)
                if (with_arrow := self._among(column, width)) is not None:
                    after = block.columns[at + 1 :]
                    return block._replace(
                        columns=[*block.columns[:at], with_arrow, *after]
                    )
        return None


def untold(shown: Shown) -> Shown:
    """Return a view's content without its facts and without texts about figures."""
    return shown._replace(facts=(), blocks=_wordless(shown.blocks))


def _wordless(blocks: Sequence[Block]) -> list[Block]:
    return [
        block._replace(columns=[_wordless(column) for column in block.columns])
        if isinstance(block, Row)
        else block
        for block in blocks
        if not isinstance(block, Words | Notice | Caption)
    ]


_FIGURES = (Panel, Tiles, DocumentTiles, Table, Toy)


@dataclass(frozen=True)
class LessonStep:
    """One step: a page with settings, a text, a question and its answer.

    Attributes
    ----------
    settings : dict
        Key → value; others have their defaults.
    text, question, answer : str
        In Markdown.
    guess : Choices or Amount, optional
        The guess before the answer is shown.
    then : dict
        Settings that change when the answer is shown.
    press : bool
        Whether the view's study starts when the step opens, unless there is an example
        of it.
    in_sight : InSight
        The parts shown while the step is presented.
    notes : str
        For the speaker, in Markdown.
    paper : str
        The text where nothing can be pressed, such as in a file of the lesson; empty:
        the text fits there as well.
    point : FigureArrow, optional
        Drawn once nothing remains to be guessed.
    learnt : str
        The result of the step, in one sentence of Markdown, for the closing slide;
        empty: the slide shows its question.
    """

    page: str
    settings: Mapping[str, Any]
    text: str
    question: str
    answer: str
    guess: Guess | None = None
    then: Mapping[str, Any] = field(default_factory=dict)
    press: bool = False
    in_sight: InSight = InSight()
    notes: str = ""
    paper: str = ""
    learnt: str = ""
    point: FigureArrow | None = None

    @property
    def asked(self) -> str:
        """The question, with the answers to choose from, in Markdown."""
        if isinstance(self.guess, Choices):
            rows = "\n".join(f"- {choice}" for choice in self.guess.choices)
            return f"{self.question}\n\n{rows}"
        return self.question

    @property
    def answered(self) -> str:
        """The answer, with the correct guess, in Markdown."""
        if self.guess is None:
            return self.answer
        right = self.guess.answer
        if isinstance(self.guess, Amount):
            right = self.guess.written(self.guess.answer)
        return f"**{right}.** {self.answer}"


@dataclass(frozen=True)
class Lesson:
    """A guided lesson; ``name`` is what links call it, ``level`` one of `LEVELS` or
    empty."""

    name: str
    title: str
    summary: str
    steps: tuple[LessonStep, ...]
    level: str = ""
