"""Steps to corners: FenchelRank on two features, on the ball in the plane."""

from typing import Any

from pages.ui import texts
from rankcore import views
from rankcore.algorithms.fenchel_rank import FenchelRank
from rankcore.base.hyperparameters import hyperparameters
from rankcore.topics.sparsity.ball import FEATURES, MOST_STEPS, BallRun, ball_run
from rankcore.topics.sparsity.ball_figure import ball_figure, progress_figure

# Lines with one point per iteration.
LINES = ("steps", "primal", "bound", "dual", "validation")
PLAIN = {"FenchelRank.variant": "plain"}
_R = hyperparameters(FenchelRank)["radius"]
AXES = views.Choice(
    "ball_features", next(iter(FEATURES)), "Features", names=tuple(FEATURES)
)
RADIUS = views.Number(
    "ball_radius", 5.0, _R.title, _R.symbol, _R.meaning, low=0.5, high=15.0, step=0.5
)
STEP = views.Number(
    "ball_step",
    1,
    "Iteration",
    meaning="0 is the start. Training can end before the last iteration.",
    low=0,
    high=MOST_STEPS,
    whole=True,
)


def run(values: views.Values) -> BallRun:
    """Return the run that the settings define."""
    return ball_run(values.ball_features, values.ball_radius, **values.of(FenchelRank))


def show(values: views.Values) -> views.Shown:
    """Return the steps on the ball, beside the loss and its lower bound."""
    trained = run(values)
    at, colour = min(values.ball_step, trained.last), values.style("FenchelRank")[0]

    def select(trace: str, place: int, *where: float) -> views.Changes:
        return {STEP.key: min(max(place, 0), trained.last)} if trace in LINES else {}

    ball = views.Panel(
        "ball",
        "Loss on the ℓ₁ ball",
        "bluer: lower loss, orange: next step and its corner; ring: best on validation",
        ball_figure(trained, at, colour, values.palette),
        on_click=select,
    )
    progress = views.Panel(
        "certificate",
        "Loss and lower bound",
        "band: range of the minimum, grey dots: D at each iteration; click to select",
        progress_figure(trained, at, colour, values.palette),
        on_click=select,
    )
    row = views.Row(
        [[ball, views.Caption(trained.caption(at))], [progress]], widths=(13, 8)
    )
    return views.Shown([views.Fact(*fact) for fact in trained.facts(at)], [row])


def explain(values: views.Values) -> dict[str, str]:
    """Return the tabs of the *Explain* panel."""
    chosen: dict[str, Any] = {"radius": values.ball_radius} | values.of(FenchelRank)
    objective = {"What it optimises": texts.algorithm(FenchelRank, chosen)}
    background = {"Background": texts.background(FenchelRank)}
    return objective | texts.tabs(__file__) | background


VIEW = views.View(
    "Steps to corners",
    "Why steps towards corners of a ball remove features.",
    [AXES, RADIUS, *views.declared(FenchelRank, "variant"), STEP],
    show,
    presets={
        "One feature is enough": PLAIN | {"ball_radius": 1.0, "ball_step": 0},
        "Zigzag towards an edge": PLAIN | {"ball_radius": 5.0, "ball_step": 1},
    },
    explain=explain,
    plays=STEP.key,
    plays_to=lambda values: run(values).last,
)
