"""Every number that a lesson states is what its page computes."""

import math
import re
from functools import cache

import pytest

from pages.ui import examples
from pages.ui.lessons import store
from rankcore.data.catalogue import load_dataset
from rankcore.measures import means, parse
from rankcore.topics.cones.quality import quality, quality_study
from rankcore.topics.measuring.terms import by_rule
from rankcore.topics.train.verdict import verdict as judge
from rankcore.views.steps import Amount
from tests.viewing import page, shown, studied, values, view

MEASURE = "nDCG@10"
# Not the digits in names such as x1 and nDCG@10, nor single digits.
_NUMBER = re.compile(r"(?<![\w@.,])\d[\d,]*(?:\.\d+)?(?!\w)")


def stated(step):
    """The numbers that a step states, beside those that its settings set."""
    texts = [step.text, step.question, step.answer, step.notes]
    if isinstance(step.guess, Amount):
        texts.append(f"{step.guess.answer:.10g}")
    found = {number.rstrip(",") for text in texts for number in _NUMBER.findall(text)}
    given = re.findall(r"[\d.]+", " ".join(map(str, step.settings.values())))
    return {number for number in found if len(number) > 1} - set(given)


def by_hand(text):
    own = view("margins", "By hand")
    chosen = {"margin_view": "By hand", "margin_learner": "SVMMAP"}
    facts = shown(own, margin_list=text, **chosen).facts
    return [fact.number for fact in facts]


def measures(ranking, tied=1):
    """nDCG@5 of a list by hand, as listed and by every rule for ties."""
    labels = [int(document[1]) for document in ranking.split("-")]
    found = by_rule(labels, tied, parse("nDCG@5"))
    return {rule: f"{value:.3f}" for rule, value in found.items()}


def reduction(ranking):
    facts = shown(view("reduction", "Pairs"), ranking=ranking).facts
    return {fact.meaning: fact.number for fact in facts}


def cone(size, vectors):
    facts = shown(view("cones", "Geometry"), cone_size=size, cone_k=vectors).facts
    return {fact.meaning: (fact.number, fact.note) for fact in facts}


@cache
def cones(data):
    run = quality_study(load_dataset(data), 10, MEASURE)
    for _ in run:
        pass
    return run.subject, quality(run.found, MEASURE, run.subject.cones.values)


@cache
def trained(data, algorithm, seed=0, **settings):
    """A run of the page Train, at its end."""
    own = view("train", "Run")
    chosen = values(own, data=data, algorithm=algorithm, seed=seed, **settings)
    run = own.work_for(chosen).run(chosen, None)
    for _ in run:
        pass
    return run


def best_on(run, dataset):
    scores = run.algorithm.scores(dataset.X, run.best.coef)
    return means(dataset, scores, [MEASURE])[MEASURE]


@cache
def verdict(data, *racers):
    own = view("train", "Race")
    return judge(studied(own, values(own, data=data, racers=racers)).subject)


def standings(found):
    return {one.name: f"{one.value:.3f}" for one in found.standings}


# A list by hand of 1 relevant document among 5, all tied, in any order.
DISCOUNTS = [1 / math.log2(1 + rank) for rank in range(1, 6)]


def slack_of_two():
    slack, _, _, predicted = by_hand("0:1, 0.5:0")
    assert slack == f"{0.5 + 2 * 0.5:.2f}"
    return {predicted.rstrip("0")}


def slack_of_a_lead():
    slack, _, margin, predicted = by_hand("0.1:1, 0:0")
    loss = by_hand("0:1, 0.1:0")[3]
    # The right order is the most violated one where no other asks for more.
    assert predicted == "0.000"
    assert margin in ("0.200", "−0.200")
    return {slack, loss, margin.lstrip("−")}


def where_slack_ends():
    assert by_hand("0.25:1, 0:0")[0] == "0.000"
    assert by_hand("0.24:1, 0:0")[0] == f"{0.5 - 2 * 0.24:.3f}"
    return {"0.25", f"{2 * 0.25:g}"}


def four_documents():
    slack, most_violated, _, _ = by_hand("0.5:0, 0.6:1, 0.1:0, 0.55:1")
    last_two = 1 - (1 / 3 + 2 / 4) / 2
    return {slack, most_violated, f"{last_two:.3f}", f"{math.factorial(4)}"}


def slack_above_loss():
    slack, _, _, predicted = by_hand("0.5:0, 0.2:1, 0.1:0, -0.3:1")
    return {slack, predicted}


def one_vector():
    assert cone("3-D", 1)["Pairs ranked correctly"][1] == "75 pairs"
    return {"75", cone("3-D", 1)["Pairs ranked correctly"][0].rstrip("%")}


def three_vectors():
    found = cone("3-D", 3)
    energy = found["Objective"][1].partition("%")[0]
    inside, right = (
        found[name][0].rstrip("%")
        for name in ("Pairs inside the cone", "Pairs ranked correctly")
    )
    return {energy, inside, right}


def six_vectors():
    assert cone("3-D", 6)["Opening of the cone"][1] == "covers the whole space"
    return {
        cone("3-D", vectors)["Pairs ranked correctly"][0].rstrip("%")
        for vectors in (4, 6, 8)
    }


def vectors_of_the_lesson_on_cones():
    _, found = cones("mslr10k-sample")
    best = [int(found.n_basis[found.measured[p].argmax()]) for p in ("train", "test")]
    assert best == [1, 5]
    assert found.measured["test"][-1] < found.measured["test"][0]
    ends = found.measured["train"][[0, -1]]
    return {
        *(f"{objective:.0f}" for objective in found.objective[[0, -1]]),
        *(f"{value:.2f}" for value in ends),
    }


def vectors_on_web_search():
    _, found = cones("mslr10k-sample")
    at = {int(k): i for i, k in enumerate(found.n_basis)}
    assert found.measured["train"].argmax() == at[1]
    assert found.measured["valid"].argmax() == at[7]
    assert found.objective.argmin() == at[10]
    said = {f"{found.objective[at[k]]:.0f}" for k in (1, 10)}
    for part, numbers in {
        "train": (1, 10),
        "valid": (1, 7, 10),
        "test": (1, 7),
    }.items():
        said |= {f"{found.measured[part][at[k]]:.3f}" for k in numbers}
    return said


def vectors_on_planted():
    subject, found = cones("planted")
    valid = found.measured["valid"]
    assert valid.max() == valid[found.n_basis == 5]
    said = {f"{valid[found.n_basis == k][0]:.3f}" for k in (1, 2, 5)}
    return said | {
        *(f"{objective:.1f}" for objective in found.objective[[0, -1]]),
        f"{subject.half_space['valid']:.3f}",
    }


def three_misordered_pairs():
    orders = "A1-B0-C0-D0-E1", "A0-B1-C0-D1-E0"
    assert {reduction(order)["Misordered pairs"] for order in orders} == {"3"}
    return {measures(order)["standard"] for order in orders}


def weighted_pairs():
    return {reduction(order)["L"] for order in ("A1-B0-C0-D0-E1", "A0-B1-C0-D1-E0")}


def list_net_on_planted():
    best = trained("planted", "ListNet").best
    assert best.iteration == 5
    return {f"{best.valid[MEASURE]:.3f}"}


def race_on_planted():
    found = verdict("planted", "RankSVM", "ListNet")
    (pair,) = found.pairs
    more = pair.queries_needed - found.queries
    assert round(more, -1) == 260
    return {
        *standings(found).values(),
        f"{found.queries}",
        f"{pair.p_value:.2f}",
        "260",
        f"{pair.difference:.3f}",
    }


FOUR = ("RSRank", "ListNet", "RankSVM", "LambdaRank")


def race_of_four():
    return set(standings(verdict("mslr10k-sample", *FOUR)).values())


def tied_mean():
    mean = sum(DISCOUNTS) / 5
    assert measures("A1-B0-C0-D0-E0", 5)["mean"] == f"{mean:.3f}"
    return {f"{mean:.2f}"}


def tied_and_last():
    found = measures("A0-B0-C0-D0-E1", 5)
    assert found["standard"] == found["worst"]
    return {found["standard"], found["mean"], found["best"]}


def tied_middle():
    found = measures("A2-B1-C0-D0-E0", 5)
    return {found["middle rank"], found["mean"]}


def one_feature():
    run = trained("mslr10k-sample", "SingleFeature")
    valid, mean = load_dataset("mslr10k-sample").valid, run.best.valid[MEASURE]
    scores = run.algorithm.scores(valid.X, run.best.coef)
    worst = means(valid, scores, [MEASURE], ties="worst")[MEASURE]
    assert 1 - worst / mean == pytest.approx(1 / 4, abs=0.02)
    return {f"{mean:.3f}", f"{worst:.3f}"}


def race_of_two():
    found = verdict("mslr10k-sample", "RankSVM", "ListNet")
    (pair,) = found.pairs
    assert not pair.significant
    return {
        *standings(found).values(),
        f"{found.queries}",
        f"{pair.difference:.3f}",
        f"{pair.p_value:.2f}",
        f"{pair.queries_needed - found.queries}",
        "0.05",
    }


def holm_over_six():
    found = verdict("mslr10k-sample", *FOUR)
    (pair,) = (p for p in found.pairs if {p.better, p.other} == {"ListNet", "RankSVM"})
    assert len(found.pairs) == math.comb(4, 2)
    return {f"{pair.p_value:.2f}", f"{pair.adjusted:.2f}", "0.05"}


def five_seeds():
    runs = [
        trained("mslr10k-sample", "ConeRank", seed, ConeRank__n_basis=5)
        for seed in range(5)
    ]
    reached = [run.best.valid[MEASURE] for run in runs]
    assert min(reached) < 0.390 < max(reached)
    return {f"{min(reached):.3f}", f"{max(reached):.3f}", "0.390"}


def chosen_and_tested():
    run = trained("mslr10k-sample", "ListNet")
    assert run.best.iteration == 7
    assert run.max_iterations == 500
    tested = best_on(run, load_dataset("mslr10k-sample").test)
    return {f"{run.best.valid[MEASURE]:.3f}", f"{tested:.3f}", "500"}


def judgements():
    facts = shown(view("data", "Data set"), data="mslr10k-sample").facts
    return {fact.number for fact in facts} | {"136"}


def linear_model():
    best = trained("mslr10k-sample", "RSRank").best
    return {f"{best.valid[MEASURE]:.3f}", f"{best.iteration}"}


def smallest_model():
    path = view("sparsity", "One path")
    opened = examples.example(page("sparsity"), path, values(path))
    kept, tested = (fact.number for fact in opened.show(values(path)).facts[:2])
    assert kept == "14 of 136 features"
    assert tested.replace("\xa0", " ") == "−4.2 % [−15.8, +9.0]"
    return {"14", "136", "4.2", "15.8", "9.0"}


CHECKED = {
    ("4-cones", 6): vectors_of_the_lesson_on_cones,
    ("7-slack", 1): slack_of_two,
    ("7-slack", 2): slack_of_a_lead,
    ("7-slack", 3): where_slack_ends,
    ("7-slack", 4): four_documents,
    ("7-slack", 5): slack_above_loss,
    ("8-basis", 1): one_vector,
    ("8-basis", 2): three_vectors,
    ("8-basis", 3): six_vectors,
    ("8-basis", 4): vectors_on_web_search,
    ("8-basis", 5): vectors_on_planted,
    ("9-pairs-and-lists", 1): three_misordered_pairs,
    ("9-pairs-and-lists", 2): weighted_pairs,
    ("9-pairs-and-lists", 4): list_net_on_planted,
    ("9-pairs-and-lists", 5): race_on_planted,
    ("9-pairs-and-lists", 6): race_of_four,
    ("10-ties", 1): tied_mean,
    ("10-ties", 2): tied_and_last,
    ("10-ties", 3): tied_middle,
    ("10-ties", 4): one_feature,
    ("11-noise", 1): race_of_two,
    ("11-noise", 2): holm_over_six,
    ("11-noise", 3): five_seeds,
    ("11-noise", 4): chosen_and_tested,
    ("12-production", 1): judgements,
    ("12-production", 2): one_feature,
    ("12-production", 3): linear_model,
    ("12-production", 4): smallest_model,
}
# These train models; an edit of a lesson is tested with ``pytest -m soak``.
TRAINED = {
    vectors_on_planted, list_net_on_planted, race_on_planted,
    race_of_four, one_feature, race_of_two, holm_over_six, five_seeds,
    chosen_and_tested, linear_model, vectors_of_the_lesson_on_cones,
}  # fmt: skip
LESSONS = sorted({name for name, _ in CHECKED})
STEPS = [
    pytest.param(
        name,
        number,
        marks=[pytest.mark.soak] * (CHECKED.get((name, number)) in TRAINED),
    )
    for name in LESSONS
    for number in range(1, 1 + len(store.find(name).steps))
]


@pytest.mark.parametrize(("name", "number"), STEPS)
def test_every_number_of_a_lesson_is_computed(name, number):
    step = store.find(name).steps[number - 1]
    check = CHECKED.get((name, number), set)
    assert stated(step) - check() == set()
