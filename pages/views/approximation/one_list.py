"""One list: exact and approximated positions, measures and forces."""

from collections.abc import Mapping
from typing import Any

from pages.ui.data import datasets
from pages.ui.data.take_query import QUERY_OF_DATA, taking
from pages.views.approximation import _surrogate
from rankcore import views
from rankcore.base.numbers import three_digits
from rankcore.data.dataset import RankingDataset
from rankcore.plot.numbers import decimals, subscript
from rankcore.plot.style import Picture
from rankcore.topics.approximation import approximate_list as insight
from rankcore.topics.approximation import errors_figure as error_charts
from rankcore.topics.approximation import list_figure as charts
from rankcore.topics.approximation import score_list
from rankcore.topics.approximation.bounds import PositionErrors, position_errors
from rankcore.topics.approximation.position_figure import position_figure
from rankcore.views.score_settings import score_settings

TABLE_1 = "4.20074:0, 3.12378:0, 4.40918:2, 1.55258:0, 4.1333:1"
RELEVANT = "4.20074:1, 3.12378:0, 4.40918:1, 1.55258:0, 4.1333:0"
LONG = ", ".join(
    f"{1 - i / 40:.10g}:{2 if i % 9 == 4 else int(i % 5 == 2)}" for i in range(40)
)
EVEN = ", ".join(f"{round(1 - i / 9, 4):.10g}:{int(i == 9)}" for i in range(10))
LIST = score_settings("approx_", TABLE_1, "Change one document")


def _features(values: views.Values) -> Mapping[str, str]:
    """Return the features by name; the first has an empty name, which links omit."""
    splits = datasets.readable(values)
    names = [""] if splits is None else splits.train.feature_names
    return {"": names[0]} | {name: name for name in names[1:]}


FEATURE = views.Listed(
    "approx_feature", "", "Score by the feature", names=_features, inline=True
)


def on_list(
    text: str, alpha: float, beta: float, cutoff: int, measure: str
) -> dict[str, Any]:
    """Return the settings that show a list."""
    chosen = {"alpha": alpha, "beta": beta, "k": cutoff, "measure": measure}
    return {"approx_list": text} | {f"approx_{k}": v for k, v in chosen.items()}


PRESETS = {
    "Table 1": on_list(TABLE_1, 10.0, 10.0, 2, "AP"),
    "Table 1 at α = 100": on_list(RELEVANT, 100.0, 100.0, 2, "AP"),
    "Nearly tied scores": on_list(
        "1:0, 0.99:2, 0.98:1, 0.5:0, 0.49:1, 0:0", 30.0, 10.0, 2, "nDCG"
    ),
    "A long list": on_list(LONG, 100.0, 10.0, 10, "nDCG"),
    "Too sharp to learn": on_list(EVEN, 300.0, 10.0, 3, "nDCG"),
}


def show(values: views.Values) -> views.Shown:
    """Return positions, cutoff, measures, theorems and errors against α."""
    documents = LIST.documents(values)
    scores, labels = documents.scores, documents.labels.tolist()
    alpha, beta, cutoff = values.approx_alpha, values.approx_beta, values.approx_k
    place, palette = _surrogate.place(values), values.palette
    positions = position_errors(insight.one_list(scores, labels), scores, alpha)
    surrogates = insight.list_values(scores, labels, alpha, beta, cutoff)
    cut = insight.truncation(positions, cutoff, beta)
    swept = insight.sweep(_surrogate.learner(values), scores, labels, insight.alphas())
    value, strongest = surrogates[place], float(swept.largest.max())

    picture = charts.list_figure(
        scores, labels, positions, value, alpha, strongest, palette
    )
    values_panel = views.Panel(
        "approx_values",
        "Each measure and its surrogate",
        "filled: exact, open: approximated; triangle: force, hollow if downwards, "
        "ring: vanished force",
        charts.values_figure(surrogates, place, alpha, labels, palette),
    )
    cutoff_panel = views.Panel(
        "approx_truncation",
        f"The cutoff at k = {cutoff}",
        "the step, its logistic, the documents",
        error_charts.truncation_figure(cut, positions, labels, cutoff, palette),
    )
    sweep_panel = views.Panel(
        "approx_sweep",
        "Error against α",
        f"dots: measured; {value.bounds_note}",
        error_charts.sweep_figure(swept, alpha, palette=palette),
    )
    left: list[views.Block] = [_list_panel(values, picture), _take(values)]
    left += [_sum_panel(values, positions), values_panel]
    right: list[views.Block] = [
        cutoff_panel,
        views.Words("**The theorems for this list**, with ≤ for <"),
        *(
            views.Words(
                f":small[{bound.name}: {bound.verdict}]\n\n$$\n{bound.filled}\n$$"
            )
            for bound in insight.bounds(*documents, alpha, beta)
        ),
    ]
    facts = _facts(value, positions, swept.best_text)
    return views.Shown(facts, [views.Row([left, right], widths=(7, 4)), sweep_panel])


def _list_panel(values: views.Values, picture: Picture) -> views.Panel:
    labels = LIST.documents(values).labels.tolist()

    def dragged(trace: str, point: int, x: float, y: float) -> views.Changes:
        chosen = {LIST.document.key: str(point + 1)}
        return LIST.moved(values, point, x) | chosen if trace == "scores" else {}

    def clicked(trace: str, point: int, x: float, y: float) -> views.Changes:
        if trace != "documents":
            return {LIST.document.key: str(point + 1)} if trace == "scores" else {}
        return LIST.relabelled(values, point, labels[point] + 1)

    return views.Panel(
        "approx_positions",
        "Scores and positions",
        "drag a score, or click a document for its next label; arrow: force, filled: "
        "true position, open: approximated",
        picture,
        dragged,
        clicked,
    )


def _sum_panel(values: views.Values, positions: PositionErrors) -> views.Panel:
    (scores, labels), place = LIST.documents(values), LIST.place(values)
    ends = charts.score_range(scores)
    terms = insight.sigmoid_sum(scores, place, values.approx_alpha, ends)

    def dragged(trace: str, point: int, x: float, y: float) -> views.Changes:
        return LIST.moved(values, place, x) if trace == "score" else {}

    return views.Panel(
        "approx_sum",
        f"The position of x{subscript(place + 1)} as a sum of sigmoids",
        "one band per other document, staircase: exact; click a score above to select",
        position_figure(terms, positions, labels.tolist(), values.palette),
        dragged,
    )


def _facts(
    value: insight.ListValue, positions: PositionErrors, best_text: str
) -> list[views.Fact]:
    worst = insight.error_text(positions.error.max())
    bound = f"bound {insight.error_text(positions.bound.max())}"
    force = "vanished" if value.flat else three_digits(value.largest)
    return [
        views.Fact(f"{value.name}, exact", decimals(value.exact)),
        views.Fact(f"{value.name}, approximated", decimals(value.smooth)),
        views.Fact("Error", insight.error_text(value.error), value.bound_text),
        views.Fact("Largest position error ε", worst, bound),
        views.Fact("Largest force", force, best_text),
    ]


def _take(values: views.Values) -> views.Popover:
    most, highest = score_list.MOST, score_list.HIGHEST

    def write(dataset: RankingDataset, place: int) -> str:
        feature = values.approx_feature or dataset.feature_names[0]
        best = insight.query_list(dataset, place, feature, most, highest)
        return score_list.write(score_list.ScoreList(*best))

    note = f"Its best {most} documents, scores from 0 to 1, labels at most {highest}."
    return taking(LIST.text, values, FEATURE, write, note)


VIEW = views.View(
    "One list",
    "Positions, measures and forces of one list, exact and approximated.",
    [*_surrogate.SURROGATE, *LIST, *QUERY_OF_DATA, FEATURE],
    show,
    presets=PRESETS,
    explain=_surrogate.EXPLAIN,
)
