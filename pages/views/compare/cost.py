"""Accuracy against what it costs: features kept, seconds of training."""

from pages.views.compare import _found, _setup
from rankcore.studies import Study
from rankcore.topics.compare.models_figure import COSTS, cost_figure
from rankcore.views import Ask, Panel, Shown, Values, View


def show(values: Values, study: Study | None) -> Shown:
    """Return the measure of every model over its cost."""
    run_set, notices = _found.of(values | {_setup.SHOWN.key: _setup.EVERY}, study)
    if run_set is None:
        return _found.shown(None, notices)
    over = values.compared_cost
    equal = "; equal costs ± ½ feature" * (over == "features")
    panel = Panel(
        "compared_cost_figure",
        f"{run_set.shown.measure} against {COSTS[over]}",
        f"95 % interval over {len(run_set.shown.ids)} {run_set.split} queries{equal}",
        cost_figure(run_set.shown, over, values.palette),
    )
    return _found.shown(run_set, notices, [panel, Ask([_setup.COST])])


VIEW = View(
    "Cost",
    "How many features and how much time the accuracy of a model takes.",
    _setup.settings,
    show,
    work=_setup.work,
    presets={
        "Accuracy and features": {_setup.COST.key: "features"},
        "Accuracy and seconds": {_setup.COST.key: "seconds"},
    },
    explain=_setup.explain,
)
