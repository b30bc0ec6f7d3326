"""Learning from clicks: naive, weighted and full information, as sessions arrive."""

from typing import Any

from pages.ui import shared, texts
from pages.ui.data import datasets, models
from rankcore import views
from rankcore.studies import Study
from rankcore.studies.models import model_to_json
from rankcore.topics.clicks import curves as insight
from rankcore.topics.clicks import logged, logged_learning
from rankcore.topics.clicks.simulation import ClickBehaviour
from rankcore.views import MORE, Choice, Number, Values, clicks

USERS = "Users"
GONE = "The log {} is not available: upload it again."
OFFER, OFFERED = "Offer to other pages", "Offered to other pages"
HINT = "Lists them on Compare and in the Inspector, like uploaded models."
POSITION, CASCADE = "position", "cascade"
ORDER, WEAK, FEATURE = "arbitrary order", "weak model", "one feature"
TRUE, SWAPS, EM, WRONG = "true", "swaps", "regression", "wrong"
LOG = views.Listed(
    "click_log", "", "Clicks",
    meaning="Clicks of simulated users, or of a log that you upload below.",
    names=lambda values: {"": "simulated users"} | models.CLICKS.names(),
    reads=str, group=USERS,
)  # fmt: skip
SEVERITY = Number(
    "click_severity", 1.0, "Severity of position bias", "\\eta",
    "Position k is examined with probability (1/k)^η; 0: no bias.",
    low=0.0, high=2.0, step=0.25,
    shown_when=lambda values: values.click_model == POSITION,
)  # fmt: skip
SOURCE = views.Listed(
    "click_source", TRUE, "Propensities",
    meaning="Weights of clicks. Swaps need as many extra sessions, in which the top "
    "document is swapped with a random one.",
    names={
        TRUE: "true", SWAPS: "estimated by random swaps",
        EM: "estimated by regression-based EM", WRONG: "wrong, of another severity",
    },
)  # fmt: skip
ASSUMED = Number(
    "click_assumed", insight.ASSUMED, "Assumed severity", "",
    "Clicks are weighted by k^η of this severity, not of the true one.",
    low=0.0, high=2.0, step=0.25, group=USERS,
    shown_when=lambda values: values.click_source == WRONG,
)  # fmt: skip
SESSIONS = Number(
    "click_sessions", 10_000, "Sessions",
    meaning="Lists shown to users, each for a random query.",
    stops=(250, 1_000, 2_500, 10_000, 25_000), whole=True,
)  # fmt: skip
BEHAVIOUR = Choice(
    "click_model", POSITION, "Users",
    meaning="Whether users examine positions at random, or read until the first click.",
    names={POSITION: "examine by position", CASCADE: "stop at a click"}, group=USERS,
)  # fmt: skip
NOISE = Number(
    "click_noise", 0.1, "Noise", "\\varepsilon^-",
    "Probability that an irrelevant document is clicked when it is examined.",
    low=0.0, high=0.4, step=0.05, group=USERS,
)  # fmt: skip
TRUST = Number(
    "click_trust", 0.0, "Trust in the top", "\\tau",
    "Increase of the noise at position 1; at position k it is τ/k.",
    low=0.0, high=0.6, step=0.1, group=USERS,
)  # fmt: skip
LOGGER = Choice(
    "click_logger", ORDER, "Logging ranker",
    meaning="Ranker that orders the lists. The weak model is trained on judgements of "
    f"{insight.WEAK_QUERIES} queries.", names=(ORDER, WEAK, FEATURE), group=MORE,
)  # fmt: skip
COLUMN = Number(
    "click_feature", 0, "Feature of the logging ranker", low=0, whole=True, box=True,
    limits=lambda values: (0, max(len(datasets.feature_names(values.data)) - 1, 0)),
    group=MORE, shown_when=lambda values: values.click_logger == FEATURE,
)  # fmt: skip
SHOWN = Number("click_shown", 50, "Documents shown", low=2, high=50, whole=True,
               group=MORE)  # fmt: skip
CLIP = Number(
    "click_clip", 0.0, "Clip propensities at",
    meaning="Lower limit of propensities: less variance, but some bias.",
    stops=(0.0, 0.02, 0.05, 0.1, 0.2, 0.5), group=MORE,
)  # fmt: skip


def plan(values: Values) -> insight.CurvePlan:
    """Return the simulation that the settings describe."""

    def chosen(*names: str) -> dict[str, Any]:
        return {name: values[f"click_{name}"] for name in names}

    users = ClickBehaviour(**chosen("model", "severity", "noise", "trust"))
    engine = chosen("sessions", "shown", "logger", "feature")
    weights = chosen("source", "assumed", "clip")
    data = datasets.of(values)
    return insight.CurvePlan(data, users, **engine, **weights, seed=values.seed)


def show(values: Values, study: Study | None = None) -> views.Shown:
    """Return the curves so far, and the estimated examination."""
    if values.click_log:
        return _of_log(values, study)
    return views.Shown() if study is None else clicks.simulated(study, values.palette)


def _log_plan(values: Values) -> Any:
    """Return the plan for learning from the log, or the reason against it."""
    file = models.CLICKS.get(values.click_log)
    if file is None:
        return GONE.format(values.click_log)
    log, data = (logged.logged_clicks(file.content, values.click_clip), values.data)
    return logged_learning.log_plan(log, datasets.load(data), values.click_clip)


def _refusal(values: Values) -> str | None:
    log = _log_plan(values)
    return log if isinstance(log, str) else None


def _of_log(values: Values, study: Study | None) -> views.Shown:
    """Return the estimates from a log, and the models trained on it."""
    file = models.CLICKS.get(values.click_log)
    if file is None:
        gone = GONE.format(values.click_log)
        return views.Shown((), [views.Notice(gone, "error", warns=True)])
    log = logged.logged_clicks(file.content, values.click_clip)
    learnt = [] if study is None or not study.ended else _models(study)
    return clicks.of_log(log, study, values.palette, learnt)


def _models(study: Study) -> list[views.Block]:
    """Return the controls that export the models with the most sessions."""
    last = logged_learning.last_models(study.found)
    if not last:
        return []

    def keep() -> views.Changes:
        for name, model in last.items():
            models.MODELS.add(model_to_json(model).encode(), f"{name}.json")
        return {}

    export = views.TakeModel(
        "Export model", "click_export", "Export the model as",
        lambda at="": last[at or next(iter(last))], "clicks",
        choices={name: name for name in last},
    )  # fmt: skip
    there = {f"File: {name}.json" for name in last} <= {*models.names().values()}
    act = views.Act(
        OFFERED if there else OFFER, "click_keep", keep, HINT, disabled=there
    )
    return [views.Row([[export], [act]])]


def _scene(**chosen: Any) -> views.Changes:
    """Return the settings of a preset: all settings of the page except the seed."""
    return {
        "data": "planted",
        **{row.key: row.default for row in SETTINGS if row.key.startswith("click_")},
        **{f"click_{name}": value for name, value in chosen.items()},
    }


SETTINGS = (
    shared.DATA, LOG, BEHAVIOUR, SEVERITY, SOURCE, SESSIONS, ASSUMED, NOISE, TRUST,
    LOGGER, COLUMN, SHOWN, CLIP, shared.NORMALISE, shared.SEED,
)  # fmt: skip
PRESETS = {
    "Weights win": _scene(),
    "Trust in the top biases weights": _scene(trust=0.5),
    "Users who stop at a click defeat weights": _scene(model=CASCADE, shown=20),
    "Wrong propensities do harm": _scene(severity=0.5, source=WRONG),
    "Few clicks: naive learning is better": _scene(sessions=250),
    "Clipping helps where clicks are few": _scene(sessions=250, clip=0.2),
    "Weights lose behind a poor ranker": _scene(
        severity=2.0, shown=20, logger=FEATURE, feature=29
    ),
}
WORK = views.Work(
    lambda values: insight.CurveStudy(plan(values)),
    "Let users click",
    "Sessions arrive; at growing numbers of them, models train on all clicks so far.",
    steps=lambda values, study: 1,
    finding=insight.CurvePoint,
    frames=lambda values, study: clicks.panels(study, values.palette),
)
LOG_WORK = views.Work(
    lambda values: logged_learning.log_study(_log_plan(values)),
    "Learn from the log",
    "Trains naive and weighted models on growing numbers of sessions and evaluates "
    "them on held-out sessions.",
    name="log",
    settings=(shared.DATA.key, LOG.key, CLIP.key),
    refuses=_refusal,
    optional=True,
)
VIEW = views.View(
    "Learning from clicks",
    "Does a ranker trained on clicks become as good as one trained on labels?",
    lambda raw: (LOG, shared.DATA, CLIP) if raw.get(LOG.key) else SETTINGS,
    show,
    work=lambda values: LOG_WORK if values.click_log else WORK,
    refuses=lambda now: None if now.click_log else insight.refusal(datasets.of(now)),
    presets=PRESETS,
    shipped=tuple(PRESETS)[1:],
    explain=texts.tabs(__file__),
)
