"""Problems and suspicions in data files, each with its remedies."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any, Literal, NamedTuple

import numpy as np

from rankcore import measures
from rankcore.base.errors import DataError, WordsError, gathered_warnings
from rankcore.base.numbers import shortlist
from rankcore.data.dataset import RankingDataset
from rankcore.data.readers import Note, Problems, Splits, format_lines, noted
from rankcore.measures import STANDARD
from rankcore.topics.datasets import checks
from rankcore.topics.datasets.description import differ_in_scale, feature_spread

Weight = Literal["error", "warning", "note"]
Options = dict[str, Any]

# A feature that alone reaches this nDCG@10 probably contains the label.
SUSPICIOUS = 0.98
# If any order reaches this nDCG@10, that proves nothing.
EASY = 0.9
MOSTLY = 0.5
SHOWN_LINES = 6
MOST_COLUMNS = 8


class Remedy(NamedTuple):
    """A remedy of a finding.

    Attributes
    ----------
    option : str
        An option of `rankcore.data.readers.read`, or ``shared`` or ``normalise``; ""
        changes nothing.
    word : str
        The value of the option; "" for the columns or lines of the finding.
    """

    title: str
    option: str = ""
    word: str = ""


class FindingKind(NamedTuple):
    """A kind of finding.

    Attributes
    ----------
    title, meaning : str
        The meaning is a sentence, with the consequence of ignoring it.
    weight : {"error", "warning", "note"}
        With an error, the files cannot be read before it is remedied.
    remedies : dict of str to Remedy
        The first one is the default.
    """

    title: str
    meaning: str
    weight: Weight
    remedies: Mapping[str, Remedy]


def _kinds() -> dict[str, FindingKind]:
    """Return the kinds declared in ``findings.toml``."""
    file = resources.files("rankcore.topics.datasets").joinpath("findings.toml")
    return {
        name: FindingKind(
            **row
            | {"remedies": {n: Remedy(*words) for n, words in row["remedies"].items()}}
        )
        for name, row in tomllib.loads(file.read_text("utf-8")).items()
    }


KINDS: Mapping[str, FindingKind] = _kinds()
# Options for a tolerant reading, for each kind of finding that is an error.
LENIENT: Options = {
    "missing": "median",
    "unjudged": "irrelevant",
    "duplicates": "highest",
}
_FIELDS = {"ignore": "columns", "skip_lines": "rows"}
_DOUBTS = {checks.RANKS_ALONE: "leak", checks.COUNTS_ROWS: "row number"}


class Finding(NamedTuple):
    """A problem or suspicion.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    n, total : int
        Number of affected rows, features or queries, and of all; 0 if unknown.
    unit : str
        The unit that is counted.
    columns : tuple of str
        The affected features.
    rows : tuple of int
        The lines of the file, from 1; empty for several files.
    examples : str
        The first ones, for display.
    default : str
        The key of the default remedy, if it is not the first one of its kind.
    """

    kind: str
    n: int
    total: int
    unit: str = "rows"
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    examples: str = ""
    default: str = ""

    @property
    def key(self) -> str:
        """A name that distinguishes it from other findings on the files."""
        single = len(self.columns) == 1 and self.unit == "features"
        return f"{self.kind} {self.columns[0]}" if single else self.kind

    @property
    def title(self) -> str:
        """Its kind, and the feature if there is one."""
        return KINDS[self.kind].title

    @property
    def place(self) -> str:
        """Its place, and the affected share of the data."""
        share = f"{self.n:,} of {self.total:,} {self.unit}"
        if not self.total:
            share = f"{self.n:,} {self.unit if self.n != 1 else self.unit[:-1]}"
        if self.unit == "features" and len(self.columns) == 1:
            share = self.columns[0]
        return f"{share}: {self.examples}" if self.examples else share

    @property
    def remedies(self) -> dict[str, Remedy]:
        """The remedies, the default first."""
        remedies = KINDS[self.kind].remedies
        keys = sorted(remedies, key=lambda key: key != self.default)
        return {
            key: remedies[key]
            for key in keys
            if remedies[key].word
            or not remedies[key].option
            or self._places(remedies[key])
        }

    def _places(self, remedy: Remedy) -> tuple[Any, ...]:
        places: tuple[Any, ...] = getattr(self, _FIELDS[remedy.option])
        return places

    def value(self, remedy: Remedy) -> Any:
        """Return the value to which the remedy sets its option."""
        return remedy.word or self._places(remedy)


class Examination(NamedTuple):
    """The findings of some files.

    Attributes
    ----------
    findings : list of Finding
        In the order of `KINDS`.
    data : dict of str to RankingDataset
        Data by split, read with the default remedies of errors; empty if none helps.
    is_plain : bool
        Whether reading without any remedy gives the same data.
    sentences : sequence of str
        Warnings of the reader.
    """

    findings: list[Finding]
    data: Mapping[str, RankingDataset]
    is_plain: bool = False
    sentences: Sequence[str] = ()


Reading = Callable[[Options], Mapping[str, RankingDataset]]
FindingProblems = Callable[[DataError, Options], Problems]


def examination(
    reading: Reading, problems: FindingProblems, options: Mapping[str, Any]
) -> Examination:
    """Examine files read by a function.

    Parameters
    ----------
    reading : callable
        Returns the data of each split for options of the reader.
    problems : callable
        Returns the problems of the files if reading fails.
    options : mapping
        Known options, for columns and judgements.
    """
    chosen: Options = {**LENIENT, **options}
    words: list[str] = []
    unreadable: list[Finding] = []
    while True:
        try:
            with gathered_warnings() as sentences, noted() as notes:
                data = reading(chosen)
        except DataError as error:
            first = error.alone()
        else:
            break
        if isinstance(first, WordsError):
            words.append(str(first.column))
            chosen["ignore"] = [*chosen.get("ignore", ()), str(first.column)]
            continue
        report = problems(first, chosen)
        if not report.lines or "skip_lines" in chosen:
            return Examination(_of_words(words), {})
        unreadable = [_unreadable(report)]
        chosen["skip_lines"] = report.lines
    findings = [
        *unreadable,
        *_of_words(words),
        *_noted(notes),
        *_unjudged(data, notes),
        *of_features(data["train"], missing=_lacking(notes)),
    ]
    order = list(KINDS)
    findings.sort(key=lambda finding: order.index(finding.kind))
    is_plain = not (notes or words or unreadable)
    return Examination(findings, data, is_plain, sentences)


def of_splits(splits: Splits) -> list[Finding]:
    """Find queries that are in two splits."""
    leaking = checks.repeated(splits).leaking
    total = sum(part.n_queries for part in splits if part is not None)
    if not leaking:
        return []
    examples = shortlist([" = ".join(group) for group in leaking])
    return [Finding("shared", len(leaking), total, "queries", examples=examples)]


def of_features(
    dataset: RankingDataset, missing: Mapping[str, float] | None = None
) -> list[Finding]:
    """Find features that are suspicious or useless.

    Parameters
    ----------
    dataset : RankingDataset
        With unscaled features.
    missing : mapping, optional
        Share of missing values, by feature.
    """
    kinds: dict[str, str] = {
        name: "mostly missing"
        for name, share in (missing or {}).items()
        if share > MOSTLY
    }
    for name, doubt in checks.doubtful_features(dataset).items():
        kinds.setdefault(name, _DOUBTS[doubt])
    alone = _alone(dataset, [n for n in dataset.feature_names if n not in kinds])
    kinds |= dict.fromkeys(alone, "leak")
    for name in _identifiers(dataset):
        kinds.setdefault(name, "identifier")
    total = dataset.n_features
    about = {name: f"nDCG@10 {value:.3f} alone" for name, value in alone.items()} | {
        name: f"{share:.0%} missing" for name, share in (missing or {}).items()
    }
    # If all are suspicious, at least one must stay.
    default = "keep" if len(kinds) == total else ""
    findings = [
        Finding(kind, 1, total, "features", (name,), (), about.get(name, ""), default)
        for name, kind in kinds.items()
    ]
    spread = feature_spread(dataset)
    constant = [spread.names[j] for j in np.flatnonzero(spread.constant)]
    constant = [name for name in constant if name not in kinds]
    if constant and len(constant) < total:
        findings.append(
            Finding(
                "constant",
                len(constant),
                total,
                "features",
                tuple(constant),
                examples="" if len(constant) == 1 else shortlist(constant),
            )
        )
    others = [name for name in dataset.feature_names if name not in kinds]
    if others and differ_in_scale(feature_spread(dataset.with_features(others))):
        findings.append(Finding("scales", len(others), total, "features"))
    return findings


def chosen_options(findings: Sequence[Finding], chosen: Mapping[str, str]) -> Options:
    """Return the options set by remedies, for `rankcore.data.readers.read` and `Files`.

    Parameters
    ----------
    chosen : mapping
        Keys of remedies by `Finding.key`.
    """
    options: Options = {}
    for finding in findings:
        remedy = finding.remedies.get(chosen.get(finding.key, ""))
        if remedy is None or not remedy.option:
            continue
        value = finding.value(remedy)
        if remedy.option in _FIELDS:
            value = tuple(dict.fromkeys([*options.get(remedy.option, ()), *value]))
        options[remedy.option] = value
    if "skip_lines" in options:
        options["skip_lines"] = tuple(sorted(options["skip_lines"]))
    if "ignore" in options:
        options["ignore"] = list(options["ignore"])
    return options


def combined(options: Mapping[str, Any], remedies: Mapping[str, Any]) -> Options:
    """Join options of the reader with those set by remedies; a column with a role is
    not ignored."""
    roles = {name for one in options.values() for name in _listed(one)}
    ignored = [name for name in remedies.get("ignore", ()) if name not in roles]
    ignored = [*options.get("ignore", ()), *ignored]
    others = {n: v for n, v in remedies.items() if n not in ("shared", "normalise")}
    joined = {**options, **others}
    return joined | {"ignore": ignored} if ignored else joined


def _listed(option: Any) -> Sequence[Any]:
    return option if isinstance(option, list) else [option] * isinstance(option, str)


def _unreadable(problems: Problems) -> Finding:
    examples = f"{_lines(problems.lines)}. {problems.errors[0].problem}"
    return Finding(
        "unreadable", len(problems.lines), 0, rows=problems.lines, examples=examples
    )


def _of_words(columns: Sequence[str]) -> list[Finding]:
    if not columns:
        return []
    names = tuple(columns)
    return [Finding("words", len(names), 0, "columns", names, (), shortlist(names))]


def _lacking(notes: Sequence[Note]) -> dict[str, float]:
    """Return the share of missing values of each feature."""
    counts: Counter[str] = Counter()
    total = 0
    for note in notes:
        if note.kind == "missing":
            counts.update(note.columns)
            total += note.n_rows
    return {name: count / total for name, count in counts.most_common()}


def _noted(notes: Sequence[Note]) -> list[Finding]:
    """Join the notes of several files."""
    by_kind: dict[str, list[Note]] = {}
    for note in notes:
        by_kind.setdefault(note.kind, []).append(note)
    return [_joined(kind, findings) for kind, findings in by_kind.items()]


def _joined(kind: str, notes: Sequence[Note]) -> Finding:
    columns: Counter[str] = Counter()
    for note in notes:
        columns.update(note.columns)
    rows = notes[0].rows if len({note.file for note in notes}) == 1 else ()
    examples = "; ".join(
        f"{note.file} {_lines(note.rows)}" if not rows else _lines(note.rows)
        for note in notes
    )
    if columns:
        most = [f"{name} {n:,}" for name, n in columns.most_common(MOST_COLUMNS)]
        more = f" and {len(columns) - len(most):,} more" * (len(columns) > len(most))
        examples = f"{', '.join(most)}{more}; {examples}"
    return Finding(
        kind,
        sum(len(note.rows) for note in notes),
        sum(note.n_rows for note in notes),
        "rows",
        tuple(name for name, _ in columns.most_common()),
        rows,
        examples,
    )


def _unjudged(
    data: Mapping[str, RankingDataset], notes: Sequence[Note]
) -> list[Finding]:
    """Return the finding of unjudged documents in feature logs."""
    if any(note.kind == "unjudged" for note in notes):
        return []
    parts = data.values()
    total = sum(part.n_documents for part in parts)
    unjudged = total - sum(part.n_judged for part in parts)
    return [Finding("unjudged", unjudged, total, "documents")] if unjudged else []


def _lines(rows: Sequence[int]) -> str:
    text = format_lines(rows[:SHOWN_LINES])
    more = len(rows) - SHOWN_LINES
    word = "line" if len(rows) == 1 else "lines"
    return f"{word} {text.replace(',', ', ')}" + f" and {more:,} more" * (more > 0)


def _alone(dataset: RankingDataset, names: Sequence[str]) -> dict[str, float]:
    """Return the nDCG@10 of each feature that alone reaches `SUSPICIOUS`."""
    sample = checks.first_queries(dataset)
    if sample.judged is not None and sample.judged.any():
        sample = sample.documents(sample.judged)
    starts = sample.offsets[:-1]
    lows, highs = (of.reduceat(sample.y, starts) for of in (np.minimum, np.maximum))
    several = np.flatnonzero(lows < highs)
    if len(several) < checks.FEWEST_QUERIES:
        return {}
    sample = sample.subset(several)

    def value(scores: Any) -> float:
        return next(iter(measures.means(sample, scores, "nDCG@10", *STANDARD).values()))

    if value(np.zeros(sample.n_documents)) >= EASY:
        return {}
    rows = {}
    for name in names:
        column = sample.X[:, sample.feature_names.index(name)].astype(np.float64)
        best = max(value(column), value(-column))
        if best >= SUSPICIOUS:
            rows[name] = best
    return rows


def _identifiers(dataset: RankingDataset) -> list[str]:
    """Return integer features with names of identifiers."""
    columns = zip(dataset.feature_names, dataset.X.T, strict=True)
    return [
        name
        for name, column in columns
        if checks.names_identifier(name) and (np.floor(column) == column).all()
    ]
