"""Train live: what happens to the measure while a model learns."""

from streamlit.delta_generator import DeltaGenerator

from pages.ui import (
    controls,
    datasets,
    explain,
    export,
    frame,
    jobs,
    run_panel,
    run_view,
    transport,
)

READING = """
- **Solid** is training, **dashed** validation; the **ring** marks the best pass on
  validation, which is the model that *Export* gives. Lines of pinned runs are faint.
- The **lower curve** is what the algorithm optimises. Where it goes on while the upper
  ones stand still, the objective and the measure have parted.
- **Coefficients** keep their places; a hollow mark is one that has become zero.
- The **column on the right** is one query: the model's order, and the ideal one. Lines
  that are steep near the top cost the most.

**Try.** Press a preset above the picture, then Play, and *Pin run* before you change a
setting: both runs stay in the picture. *Weakest* finds the query on which the model
loses most. When it pauses, pull *Look back* and see when a document found its place.
"""


def body(actions: DeltaGenerator) -> None:
    """What the page shows, and its buttons in ``actions``."""
    job = jobs.current()
    settings, picture = frame.split()
    with settings:
        data = controls.dataset_picker()
        algorithm = controls.algorithm_picker(datasets.refusals(data))
        values = controls.hyperparameters(algorithm, names=datasets.feature_names(data))
        measure = controls.measure_picker()
        seed = controls.seed()
    with picture:
        splits = datasets.load_or_stop(data)
        plan = jobs.plan(data, splits, algorithm, values, measure, seed)
        view = run_view.of(plan, job)
        transport.buttons(plan, job, view.moving)
        run_panel.show(plan, view)
        explain.panel(
            {
                "What it optimises": lambda: explain.algorithm(algorithm, values),
                "The measure": lambda: explain.measure(*measure),
                "How to read this": READING,
                "Background": lambda: explain.background(algorithm),
                "All algorithms": explain.all_algorithms,
            }
        )
    with actions:
        export.pin_button(job)
        export.menu(plan, job)


frame.run(
    "Train live",
    "What happens to nDCG, and to the coefficients, while a model learns?",
    body,
    lambda: controls.presets(controls.chosen_algorithm()),
)
