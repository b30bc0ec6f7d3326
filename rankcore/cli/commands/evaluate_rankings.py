"""``rankscope evaluate --run``: rankings of any ranker against judgements."""

from collections import ChainMap, Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from rankcore.base.numbers import counted
from rankcore.cli import _output
from rankcore.cli._data import Reading, usual_measures
from rankcore.cli._failures import Misused, misuse

if TYPE_CHECKING:
    from rankcore.data.judgements import Judgements
    from rankcore.measures import RunRules, RunValues
    from rankcore.topics.compare.comparison import Comparison

# The reading options that `--run` accepts, all about judgements.
_READING = ("judgements", "header", "labels", "encoding", "gain")
PAIR_HEADS = (
    *("run", "against", "difference", "low", "high"),
    *("p", "p (Holm)", "wins", "ties", "losses"),
)


def judge(
    paths: Sequence[Path],
    names: Sequence[str] | None,
    rules: tuple[str, str, str | None, str | None],
    reading: Reading,
    refused: Mapping[str, object],
    per_query: bool,
    as_json: bool,
) -> None:
    """Evaluate runs, and compare several.

    ``rules`` are those of `rankcore.measures.run_rules`, and ``refused`` maps the
    options that have no effect on runs to their values. Raises Misused for options that
    exclude each other.
    """
    from rankcore import measures
    from rankcore.data.formats.parts.source import limits_of_machine
    from rankcore.data.rankings import read_rankings

    _check(refused, reading)
    chosen = usual_measures(names, measures.LETOR_MEASURES, reading)
    with misuse():
        checked = measures.run_rules(*rules)
        for name in chosen:
            checked.measure(name).describe(*checked.rules)
    judgements = _judgements(reading, checked)
    limits = limits_of_machine()
    runs = []
    for path in paths:
        rankings = read_rankings(path, limits=limits)
        with misuse():
            runs.append(measures.measure_run(rankings, judgements, chosen, checked))
    if reading.weights is not None:
        runs = _weighted(runs, reading)
    shown = _JudgedRuns(_by_name(runs, paths), checked)
    if as_json:
        _output.print_json(shown.to_json(per_query))
    else:
        shown.show(per_query)


def _weighted(runs: "Sequence[RunValues]", reading: Reading) -> "list[RunValues]":
    """Return runs with the query weights of a file."""
    from rankcore.data.formats.parts.query_weights import read_query_weights

    file = reading.weights_file
    if file is None:
        raise Misused(
            "--weights with --run needs a file with a query and its weight in each "
            f"line; there is no file {reading.weights!r}."
        )
    weights = read_query_weights(file)
    return [run.weighted(weights, file.name) for run in runs]


def _check(refused: Mapping[str, object], reading: Reading) -> None:
    others = {
        **{f"--{name}": value for name, value in reading.columns.items()},
        "--divide": reading.division,
        "--shared": reading.shared,
    }
    options = [
        *(option for option, value in refused.items() if value not in (None, [])),
        *(
            option
            for option, value in others.items()
            if value and option.removeprefix("--") not in _READING
        ),
    ]
    for option in options[:1]:
        raise Misused(
            f"{option.replace('_', '-')} has no effect with --run, which evaluates "
            "rankings, not a model on data."
        )
    if reading.columns["judgements"] is None:
        raise Misused("--run needs --judgements FILE: CSV or TREC qrels, for example.")


def _judgements(reading: Reading, rules: "RunRules") -> "Judgements":
    """Read the judgements; with trec_eval's rules labels have linear gain."""
    from rankcore.data.formats import recoded
    from rankcore.data.formats.parts.source import limits_of_machine
    from rankcore.data.judgements import read_judgements

    columns = reading.columns
    path = columns["judgements"]
    how = {
        key: columns[key] for key in ("header", "labels", "gain") if columns.get(key)
    }
    if rules.is_trec:
        how.setdefault("gain", "linear")
    with recoded(path, str(path), columns["encoding"]) as text:
        return read_judgements(text, name=str(path), limits=limits_of_machine(), **how)


class _JudgedRuns:
    """Evaluated runs by name, to be printed."""

    def __init__(self, runs: "Mapping[str, RunValues]", rules: "RunRules") -> None:
        self.runs, self.rules = runs, rules
        self.measures = list(next(iter(runs.values())).values)

    def comparison(self, measure: str) -> "Comparison":
        """Compare several runs by a measure."""
        from rankcore.topics.compare.ranked_files import compare_files

        return compare_files(self.runs, measure)

    def to_json(self, per_query: bool) -> dict[str, Any]:
        """Return the means, intervals and differences of each measure as JSON."""
        content: dict[str, Any] = {
            **self.rules._asdict(),
            "rules": self.rules.text,
            "runs": {
                name: {
                    "queries": len(run.query_ids),
                    "documents": run.documents,
                    "judged queries without documents": run.missing,
                    "queries without judgements": run.unjudged,
                    "ranks": run.ranks,
                    **_effective(run, "effective queries"),
                    "measures": run.means,
                    "intervals": {
                        measure: {"low": interval.low, "high": interval.high}
                        for measure in self.measures
                        if (interval := run.interval(measure))
                    },
                }
                for name, run in self.runs.items()
            },
        }
        if len(self.runs) > 1:
            content["pairs"] = {
                measure: [
                    dict(zip(PAIR_HEADS, row, strict=True))
                    for row in _pair_rows(self.comparison(measure))
                ]
                for measure in self.measures
            }
        if per_query:
            content["per query"] = {
                measure: {n: run.per_query(measure) for n, run in self.runs.items()}
                for measure in self.measures
            }
        return content

    def show(self, per_query: bool) -> None:
        """Print the evaluation; the parameter is that of `to_json`."""
        if per_query:
            self._show_queries()
        means = {name: run.means for name, run in self.runs.items()}
        _output.print_measures(means, self.rules.rules, self.rules.ties)
        typer.echo(f"\n{self.rules.text}")
        for name, run in self.runs.items():
            for sentence in _left_out(run, name):
                typer.echo(sentence)
        numbers = [_effective(run, name) for name, run in self.runs.items()]
        _output.print_weights({"effective queries": dict(ChainMap(*numbers[::-1]))})
        self._show_intervals()
        if len(self.runs) > 1:
            self._show_pairs()

    def _show_intervals(self) -> None:
        rows = [
            (name, measure, interval)
            for measure in self.measures
            for name, run in self.runs.items()
            if (interval := run.interval(measure))
        ]
        if rows:
            typer.echo("\n95% intervals of the means over queries:")
            _output.print_table(
                ("run", "measure", "mean", "low", "high"),
                [(*names, *interval[:3]) for *names, interval in rows],
            )
            for caution in dict.fromkeys(interval.caution for *_, interval in rows):
                if caution:
                    typer.echo(caution)

    def _show_pairs(self) -> None:
        comparisons = [self.comparison(measure) for measure in self.measures]
        if any(one.pairs for one in comparisons):
            typer.echo(
                f"\nDifferences over the {len(comparisons[0].ids)} queries common to "
                "all runs: 95% intervals, paired two-sided randomisation tests, and "
                "their p-values after Holm's correction within a measure."
            )
            rows = [
                (one.measure, *row) for one in comparisons for row in _pair_rows(one)
            ]
            _output.print_table(("measure", *PAIR_HEADS), rows)
        for one in comparisons[:1]:
            typer.echo(f"\n{one.measure}: {' '.join(one.sentences)}")

    def _show_queries(self) -> None:
        """Print the values of each query, and for two runs the better one."""
        from rankcore.topics.compare.ranked_files import wins_of

        for measure in self.measures:
            typer.echo(f"{measure}:")
            if len(self.runs) == 2:
                comparison = self.comparison(measure)
                table = wins_of(comparison, 0, 1).rows(*comparison.names)
                cells = [map(_plain, column) for column in table.values()]
                _output.print_table(list(table), zip(*cells, strict=True))
            else:
                each = [run.per_query(measure) for run in self.runs.values()]
                queries = dict.fromkeys(query for values in each for query in values)
                _output.print_table(
                    ("query", *self.runs),
                    [
                        (query, *(values.get(query) for values in each))
                        for query in queries
                    ],
                )
            typer.echo()


def _by_name(
    runs: "Sequence[RunValues]", paths: Sequence[Path]
) -> "dict[str, RunValues]":
    """Return runs by name, or by path where two have the same name."""
    times = Counter(run.name for run in runs)
    by_name = {
        run.name if times[run.name] == 1 else str(path): run
        for run, path in zip(runs, paths, strict=True)
    }
    if len(by_name) < len(runs):
        raise Misused("A run is given twice: give each file once.")
    return by_name


def _effective(run: "RunValues", key: str) -> dict[str, float]:
    """Return the effective number of queries; empty if all weights are equal."""
    return {} if run.effective is None else {key: run.effective}


def _plain(cell: Any) -> Any:
    return cell.item() if hasattr(cell, "item") else cell


def _left_out(run: "RunValues", name: str) -> list[str]:
    """Report how many queries occur in only one of the two files."""
    sentences = []
    if run.missing:
        one = run.missing == 1
        counts = "it counts" if one else "they count"
        if run.rules.queries != "judged":
            counts = "it is left out" if one else "they are left out"
        sentences.append(
            f"{name} has no documents for {run.missing} of the judged queries; "
            f"{counts}."
        )
    if run.unjudged:
        left_out = "is" if run.unjudged == 1 else "are"
        sentences.append(
            f"{name} has {counted(run.unjudged, 'queries')} without judgements, which "
            f"{left_out} left out."
        )
    return sentences


def _pair_rows(comparison: "Comparison") -> list[tuple[object, ...]]:
    from rankcore.topics.compare.ranked_files import wins_of

    rows: list[tuple[object, ...]] = []
    for pair in comparison.pairs:
        first, second, one = pair.first, pair.second, pair.difference
        count = wins_of(comparison, first, second)
        rows.append(
            (
                *(comparison.names[first], comparison.names[second]),
                *(one.mean, one.low, one.high, one.p_value, pair.adjusted),
                *(count.wins, count.ties, count.losses),
            )
        )
    return rows
