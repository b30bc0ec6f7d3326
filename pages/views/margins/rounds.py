"""Rounds: cutting planes round by round, and the planes below the objective."""

from collections.abc import Mapping
from typing import Any

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.margins import _case, _learner
from rankcore import views
from rankcore.base.numbers import three_digits
from rankcore.studies import Study
from rankcore.topics.margins.cloud import round_orders
from rankcore.topics.margins.round_orders_figure import round_orders_figure
from rankcore.topics.margins.rounds import Rounds, rounds, rounds_study
from rankcore.topics.margins.rounds_figure import planes_figure, rounds_figure

PROMISE = (
    "Each round adds the most violated order of every query as a constraint. Objective "
    "and lower bound approach each other; each round adds planes."
)


def _count(values: views.Values) -> int:
    """How many rounds there are to choose from: none while the study goes on."""
    study = values.work(_learner.ROUNDS)
    return len(study.records) if study is not None and study.ended else 0


CHOSEN_ROUND = views.Number(
    "choose_round",
    0,
    "Round",
    meaning="The same as a click in the figure.",
    low=-1,
    whole=True,
    inline=True,
    studied=False,
    limits=lambda values: (0, max(_count(values) - 1, 0)),
    computed=lambda values: _learner.chosen_round(values, _count(values)),
    writes=lambda values, number: {"margin_round": number},
)


def settings(raw: Mapping[str, Any]) -> list[views.Setting]:
    """Return data, learner and speed."""
    return [
        *_learner.DATA,
        _learner.LEARNER,
        _learner.LOSS,
        *_learner.tuned(_learner.learner_of(raw)),
        shared.SPEED,
        _learner.ROUND.beside(),
        CHOSEN_ROUND,
        shared.QUERY.beside(),
    ]


def show(values: views.Values, study: Study | None) -> views.Shown:
    """Return the rounds so far, and at the end their planes."""
    if study is None or not study.records:
        return views.Shown()
    algorithm, last = study.subject.algorithm, len(study.records) - 1
    # It may end meanwhile, which counts from the next time it is drawn.
    ended = values.choose_round >= 0
    number = values.choose_round if ended else last
    found = rounds(algorithm, study.records[: last + 1])
    colour = values.style(type(algorithm).__name__)[0]
    picture = rounds_figure(found, colour, number, values.palette)
    note = "dots: the objective; the minimum lies between the lines"
    click = (lambda trace, point, x, y: {"margin_round": point}) if ended else None
    right: list[views.Block] = [
        views.Caption("Its planes follow at the end of training.")
    ]
    if study.found:
        planes = planes_figure(study.found[0], number, colour, values.palette)
        right = [
            views.Panel("planes", "Cutting planes", "from w = 0 to the model", planes)
        ]
    if ended:
        asked = [views.Ask([CHOSEN_ROUND])] if last else []
        link = _case.inspected(values, part="train")
        one = _query(values, study, number)
        right = [*asked, *right, views.Ask([shared.QUERY]), one, link]
    left = [views.Panel("rounds", "Rounds", note, picture, on_click=click)]
    return views.Shown(
        _facts(found, number), [views.Row([left, right], _learner.WIDTHS)]
    )


def _facts(rounds: Rounds, number: int) -> list[views.Fact]:
    held = f"{rounds.constraints[number]:,} constraints"
    return [
        views.Fact("Round", str(number), f"of {len(rounds.primal) - 1}"),
        views.Fact("Objective", three_digits(rounds.primal[number])),
        views.Fact(
            "Gap", f"{rounds.gap[number]:.3g}", f"tolerance {rounds.allowed:.2g}"
        ),
        views.Fact("Largest violation", f"{rounds.violation[number]:.3g}"),
        views.Fact("‖w‖", f"{rounds.norm[number]:.3g}", held),
    ]


def _query(values: views.Values, study: Study, number: int) -> views.Panel:
    """Return the orders of a training query under the model of a round, and those that
    rounds have added."""
    chosen, train = study.subject
    query = min(values["query"], train.n_queries)
    same = values.margin_learner == type(chosen).__name__
    loss = values.margin_loss or None if same else None
    models = [record.coef for record in study.records[: number + 1]]
    orders = round_orders(chosen, train, query - 1, models, loss)
    title = f"Orders of training {train.query(query - 1).name} at round {number}"
    note = "rings: added, with their rounds; grey lines: planes so far; blue: the slack"
    picture = round_orders_figure(orders, values.palette)
    return views.Panel("round_orders", title, note, picture)


def _study(values: views.Values) -> Study:
    train, speed = datasets.of(values).train, shared.SPEEDS[values.speed]
    return rounds_study(_learner.algorithm(values), train, speed)


VIEW = views.View(
    "Rounds",
    "How cutting planes approach the minimum round by round.",
    settings,
    show,
    work=views.Work(
        _study,
        button=lambda values: f"Train {_learner.algorithm(values).title}",
        promise=PROMISE,
        speed=lambda values: shared.SPEEDS[values.speed],
    ),
    refuses=_learner.unable,
    presets={"Cutting planes": {"margin_learner": "SVMMAP", "data": "planted"}},
    explain=_learner.explain,
)
