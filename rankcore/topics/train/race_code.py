"""Python code that runs a race."""

from collections.abc import Sequence
from string import Template

_CODE = Template("""from functools import partial

from rankcore import load_dataset
from rankcore.topics.train.entries import read_entry
from rankcore.topics.train.race import race_study
from rankcore.topics.train.verdict import verdict
from rankcore.measures import Rules
from rankcore.training import Stop, drive

train, valid, test = $data
runs = {
    entry.title: partial(
        drive,
        entry.ranker(random_state=$seed),
        train,
        valid,
        stop=Stop(max_iterations=$iterations),
        measures=$measures,
        rules=$rules,
    )
    for entry in map(read_entry, $racers)
}
study = race_study(runs, $pace)
for record in study:
    pass
found = verdict(study.subject)
print(found.sentence, found.conditions)
""")


def race_code(
    data: str,
    rules: str,
    racers: Sequence[str],
    seed: int,
    iterations: int,
    measures: Sequence[str],
    pace: str,
) -> str:
    """Return Python code that runs a race.

    Parameters
    ----------
    data, rules : str
        Expressions for the splits and for the evaluation rules.
    racers : sequence of str
        As in `rankcore.topics.train.entries.read_entry`.
    seed, iterations : int
        Seed of all runs, and maximum number of iterations of each.
    pace : str
        As in `rankcore.topics.train.race.race_study`.
    """
    values = {"seed": seed, "iterations": iterations, "measures": measures}
    texts = {name: repr(value) for name, value in values.items()}
    return _CODE.substitute(
        texts, data=data, rules=rules, racers=repr([*racers]), pace=repr(pace)
    )
