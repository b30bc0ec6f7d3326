"""Sparsity: what it costs to do without features."""

from streamlit.delta_generator import DeltaGenerator

from pages.ui import (
    controls,
    datasets,
    downloads,
    explain,
    frame,
    path_jobs,
    path_rules,
    sparsity_panels,
    state,
)

READING = """
- **Upper lines**: the measure on training, validation and test data, at each value of
  the penalty (or of the radius of the l1 ball). **Lower line**: features left.
- **Coefficients along the path**: a line that reaches zero is a feature the model gives
  up. Each value starts from the model before it.
- **The choice**: the smallest model is the one with the fewest features whose measure
  on validation data is inside the band, within the tolerated loss of the best one of
  the path. Where there are no validation data, training data choose. The chosen model
  alone is tested: against the full model, the one with the most features, with an
  interval from a bootstrap over the test queries.
- **What is kept**: nDCG@k over that of the full model as in figure 3 of the paper, the
  bold line at the value that is selected.
- **A click** on a point of any figure selects it: its features, and the rankings that
  change, the one that changes most first.
- **Compare rules** shrinks coefficients after every step, every tenth by ηg as
  printed, and every tenth by 10ηg as in truncated gradient (J. Langford, L. Li,
  T. Zhang, *Sparse online learning via truncated gradient*, JMLR 2009). The printed
  rule acts like g/10.

**Try.** Find the value where half of the features are gone: how much of the measure is
left? In *Compare rules*, which of the two rules at K = 10 acts like K = 1?
"""


def presets() -> dict[str, dict[str, object]]:
    """Scenarios of this page: RSRank's rules, and the l1 ball."""
    shared = {"data": "planted", "values": 12, "sparse_view": "One path"}
    return {
        "Truncated gradient": shared
        | {"sparse": "RSRank", "RSRank.truncation_interval": 1},
        "Shrink every 10 steps, as printed": shared
        | {
            "sparse": "RSRank",
            "RSRank.truncation_interval": 10,
            "RSRank.shrinkage": "paper",
        },
        "Shrink every 10 steps, Langford's rule": shared
        | {
            "sparse": "RSRank",
            "RSRank.truncation_interval": 10,
            "RSRank.shrinkage": "langford",
        },
        "The rules compared": shared
        | {"sparse": "RSRank", "sparse_view": "Compare rules"},
        "The l1 ball": shared | {"sparse": "FenchelRank"},
    }


def body(actions: DeltaGenerator) -> None:
    """What the page shows, and its export in ``actions``."""
    job = path_jobs.current()
    compares = state.get("sparse_view") == sparsity_panels.VIEWS[1]
    rules = path_jobs.current("rules") if compares else None
    settings, picture = frame.split()
    with settings:
        data = controls.dataset_picker()
        algorithm = controls.sparse_algorithm_picker()
        count = sparsity_panels.values_picker()
        log = sparsity_panels.axis_picker()
        tolerance = sparsity_panels.tolerance_picker()
        theirs = path_jobs.set_by_rules(algorithm) if compares else ()
        values = controls.hyperparameters(algorithm, str(algorithm.sparsity), *theirs)
        measure = controls.measure_picker()
        seed = controls.seed()
    with picture:
        splits = datasets.load_or_stop(data)
        plan = path_jobs.plan(data, splits, algorithm, values, count, measure, seed)
        view = sparsity_panels.view_picker(algorithm)
        if view == sparsity_panels.VIEWS[0]:
            sparsity_panels.show(plan, job, log, tolerance)
        else:
            path_rules.show(plan, rules, log, tolerance)
            path_rules.settled(algorithm)
        explain.panel(
            {
                "What it optimises": lambda: explain.algorithm(algorithm, values),
                "The measure": lambda: explain.measure(
                    measure.name, measure.convention
                ),
                "How to read this": READING,
                "Background": lambda: explain.background(algorithm),
            }
        )

    with actions:
        one = view == sparsity_panels.VIEWS[0]
        downloads.menu({"Path": _rows} if one else {"Rules": path_rules.rows})


def _rows() -> list[dict[str, object]]:
    """The points of the path so far, with the coefficients of each."""
    job = path_jobs.current()
    return [] if job is None else path_jobs.rows(path_jobs.of(job))


frame.run("Sparsity", "How many features can a ranker do without?", body, presets)
