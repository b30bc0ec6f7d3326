"""Train live: what happens to the measure while a model learns."""

from pages.ui import controls, datasets, export, frame, jobs, run_panel, transport

job = jobs.current()
actions = frame.page(
    "Train live",
    "What happens to nDCG, and to the coefficients, while a model learns?",
    presets=controls.presets(controls.chosen_algorithm()),
)
settings, picture = frame.split()
with settings:
    data = controls.dataset_picker()
    algorithm = controls.algorithm_picker()
    hyperparameters = controls.hyperparameters(algorithm)
    measure = controls.measure_picker()
    seed = controls.seed()
with picture:
    splits = datasets.load_or_stop(data)
    plan = jobs.plan(data, splits, algorithm, hyperparameters, measure, seed)
    transport.buttons(plan, job)
    run_panel.show(plan, job)
with actions:
    export.pin_button(job)
    export.menu(plan, job)
