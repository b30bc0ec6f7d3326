"""Every number that a lesson states is what its page computes."""

import math
import re
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from pages.ui import examples
from pages.ui.away import links
from pages.ui.catalogue import pages
from pages.ui.lessons import store
from pages.views.inspect._subject import Subject
from rankcore.algorithms.rsrank import RSRank
from rankcore.data.catalogue import load_dataset
from rankcore.measures import means, parse
from rankcore.topics.measuring.terms import by_rule
from rankcore.topics.train.verdict import verdict as judge
from rankcore.views import Training
from rankcore.views.steps import Amount
from tests.viewing import page, shown, studied, values, view

MEASURE = "nDCG@10"
# Not the digits in names such as x1 and nDCG@10, nor single digits.
_NUMBER = re.compile(r"(?<![\w@.,])\d[\d,]*(?:\.\d+)?(?!\w)")


def stated(step):
    """The numbers that a step states, but for single digits."""
    texts = [step.text, step.question, step.answer, step.notes, step.paper, step.learnt]
    if step.point is not None:
        texts.append(step.point.words)
    if isinstance(step.guess, Amount):
        texts.append(f"{step.guess.answer:.10g}")
    items = {number.rstrip(",") for text in texts for number in _NUMBER.findall(text)}
    return {number for number in items if len(number) > 1}


def digits(text):
    """The numbers of a text, with a point for decimals."""
    result = _NUMBER.findall(text.replace("· 10⁻⁴", "e-4"))
    return [float(number.replace(",", "")) for number in result]


def is_fact(number, facts):
    """Whether a fact is this number, to the digits that are written."""
    places = len(number.partition(".")[2])
    wanted = number.replace(",", "")
    # A number of zeros is no rounded small fact.
    near = facts if float(wanted) else [fact for fact in facts if fact == 0.0]
    return any(f"{fact:.{places}f}" == wanted for fact in near)


@cache
def facts_of(name, number):
    """The numbers in the settings and facts of a step, before and after its answer."""
    step = store.find(name).steps[number - 1]
    result = digits(" ".join(f"{value}" for value in step.settings.values()))
    for settings in (step.settings, {**step.settings, **step.then}):
        link = links.OpenLink(pages()[step.page], settings, {})
        view, values = link.page.view(link.raw), link.values()
        work, example = view.work_for(values), None
        if work is not None:
            example = examples.example(link.page, view, values)
        if example is not None:
            shown = example.show(values)
        elif work is None:
            shown = view.show(values)
        elif isinstance(work, Training):
            continue
        else:
            study = None if work.optional else studied(view, values)
            shown = view.show(values, study)
        for fact in shown.facts:
            result += digits(f"{fact.number} {fact.note} {fact.meaning}")
    return result


def by_hand(text):
    result = view("margins", "One list")
    chosen = {"margin_source": "by hand", "margin_learner": "SVMMAP"}
    facts = shown(result, margin_list=text, **chosen).facts
    return [fact.number for fact in facts]


def measures(ranking, tied=1):
    """nDCG@5 of a list by hand, as listed and by every rule for ties."""
    labels = [int(document[1]) for document in ranking.split("-")]
    result = by_rule(labels, tied, parse("nDCG@5"))
    return {rule: f"{value:.3f}" for rule, value in result.items()}


def reduction(ranking):
    facts = shown(view("reduction", "Pairs"), ranking=ranking).facts
    return {fact.meaning: fact.number for fact in facts}


def cone(size, vectors):
    facts = shown(view("cones", "Geometry"), cone_size=size, cone_k=vectors).facts
    return {fact.meaning: (fact.number, fact.note) for fact in facts}


@cache
def cones(data):
    """Columns of the table of the map over cones that ships as an example."""
    result = view("explore", "Map")
    chosen = values(
        result, data=data, algorithm="ConeRank", map_x="n_basis", map_x_to="10",
        map_y="none", map_values=33, map_iterations=40,
    )  # fmt: skip
    example = examples.example(page("explore"), result, chosen)
    rows = example.show(chosen).tables["map"]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


@cache
def trained(data, algorithm, seed=0, **settings):
    """A run of the page Train, at its end."""
    result = view("train", "Run")
    chosen = values(result, data=data, algorithm=algorithm, seed=seed, **settings)
    run = result.work_for(chosen).run(chosen, None)
    for _ in run:
        pass
    return run


def best_on(run, dataset):
    scores = run.algorithm.scores(dataset.X, run.best.coef)
    return means(dataset, scores, [MEASURE])[MEASURE]


@cache
def verdict(data, *racers):
    result = view("train", "Race")
    return judge(studied(result, values(result, data=data, racers=racers)).subject)


def standings(found):
    return {n: f"{one.valid[MEASURE]:.3f}" for n, one in found.standings.items()}


# A list by hand of 1 relevant document among 5, all tied, in any order.
DISCOUNTS = [1 / math.log2(1 + rank) for rank in range(1, 6)]


def a_neighbour_away():
    apart = 1 / 9
    return {f"{apart:.2f}", f"{300 * apart:.0f}"}


def soft_and_sharp():
    """NDCG of training at the end of a soft run, and of a sharp one from afar."""
    soft = trained("planted", "ApproxNDCG", ApproxNDCG__alpha=10.0)
    sharp = trained(
        "planted", "ApproxNDCG", ApproxNDCG__alpha=1000.0, ApproxNDCG__init_scale=10.0
    )
    ends = [run.history[-1].train[MEASURE] for run in (soft, sharp)]
    assert np.diff([one.objective for one in soft.history]).min() > 0
    falls = np.diff([one.train[MEASURE] for one in soft.history]) < 0
    assert 0 < falls.mean() < 1 / 2
    return {f"{soft.train.n_queries}", *(f"{end:.2f}" for end in ends)}


def planted_sizes():
    train, _, test = load_dataset("planted")
    return {f"{train.n_features}", f"{RSRank().max_iter}", f"{test.n_queries}"}


def orders_of_four():
    """All orders of two relevant documents, 0 and 1, and two others."""
    orders, losses, inverted = list(permutations(range(4))), {}, set()
    for order in orders:
        ranks = [1 + order.index(document) for document in range(4)]
        first, second = sorted(ranks[:2])
        losses.setdefault((first, second), []).append(1 - (1 / first + 2 / second) / 2)
        wrong = [(a, b) for a in (0, 1) for b in (2, 3) if ranks[a] > ranks[b]]
        inverted.add(tuple(wrong))
    assert {len(same) for same in losses.values()} == {4}
    assert len(losses) == 6
    items = sorted({f"{loss[0]:.3f}" for loss in losses.values()})
    assert items[0] == "0.000"
    wrong = 4 * (len(losses) - 1)
    exponents = (math.factorial(100), math.comb(100, 50))
    return {
        f"{len(orders)}",
        f"{len(orders) - 1}",
        f"{wrong}",
        f"{len(inverted) - 1}",
        items[1],
        items[-1],
        "10",
        "50",
        "100",
        *(f"{math.log10(count):.0f}" for count in exponents),
    }


def where_slack_ends():
    assert by_hand("0.25:1, 0:0")[0] == "0.000"
    assert by_hand("0.24:1, 0:0")[0] == f"{0.5 - 2 * 0.24:.3f}"
    return {"0.25", f"{2 * 0.25:g}"}


def four_documents():
    slack, most_violated, _, _ = by_hand("0.5:0, 0.6:1, 0.1:0, 0.55:1")
    last_two = 1 - (1 / 3 + 2 / 4) / 2
    return {slack, most_violated, f"{last_two:.3f}", f"{math.factorial(4)}"}


def six_vectors():
    assert cone("3-D", 6)["Opening of the cone"][1] == "covers the whole space"
    return {
        cone("3-D", vectors)["Pairs ranked correctly"][0].rstrip(" %")
        for vectors in (4, 6, 8)
    }


def vectors_on_web_search():
    result = cones("mslr10k-sample")
    train, K = result[f"Training {MEASURE}"], result["n_basis"]
    valid, objective = result[f"Validation {MEASURE}"], result["objective"]
    chosen = K[[train.argmax(), valid.argmax(), objective.argmin()]]
    assert chosen.tolist() == [1, 9, 10]
    values = [*train[[0, -1]], *valid[chosen - 1]]
    return {f"{one:.3f}" for one in values} | {f"{one:.0f}" for one in objective}


def vectors_on_planted():
    result = cones("planted")
    measured = result[f"Validation {MEASURE}"]
    at_two = measured[result["n_basis"] == 2][0]
    assert at_two == measured.max()
    value = trained("planted", "RankSVM")
    half_space = best_on(value, load_dataset("planted").valid)
    objective = {f"{one:.1f}" for one in result["objective"][[0, -1]]}
    return {f"{one:.3f}" for one in (measured[0], at_two, half_space)} | objective


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
    result = verdict("planted", "RankSVM", "ListNet")
    (pair,) = result.pairs
    more = pair.queries_needed - result.queries
    assert round(more, -1) == 260
    return {
        *standings(result).values(),
        f"{result.queries}",
        f"{pair.p_value:.2f}",
        "260",
        f"{pair.difference:.3f}",
    }


FOUR = ("RSRank", "ListNet", "RankSVM", "LambdaRank")
LED = (("ListNet", "RSRank"), ("ListNet", "RankSVM"))


def race_of_four():
    result = verdict("mslr10k-sample", *FOUR)
    led = [p for p in result.pairs if (p.better, p.other) in LED]
    return {*standings(result).values(), *(f"{pair.adjusted:.2f}" for pair in led)}


def tied_mean():
    mean = sum(DISCOUNTS) / 5
    assert measures("A1-B0-C0-D0-E0", 5)["mean"] == f"{mean:.3f}"
    return {f"{mean:.2f}"}


def tied_and_last():
    result = measures("A0-B0-C0-D0-E1", 5)
    assert result["standard"] == result["worst"]
    return {result["standard"], result["mean"], result["best"]}


def tied_middle():
    result = measures("A2-B1-C0-D0-E0", 5)
    return {result["middle rank"], result["mean"]}


def one_feature():
    run = trained("mslr10k-sample", "SingleFeature")
    valid, mean = load_dataset("mslr10k-sample").valid, run.best.valid[MEASURE]
    scores = run.algorithm.scores(valid.X, run.best.coef)
    worst = means(valid, scores, [MEASURE], ties="worst")[MEASURE]
    assert 1 - worst / mean == pytest.approx(1 / 4, abs=0.02)
    return {f"{mean:.3f}", f"{worst:.3f}"}


def race_of_two():
    result = verdict("mslr10k-sample", "RankSVM", "ListNet")
    (pair,) = result.pairs
    assert not pair.significant
    return {
        *standings(result).values(),
        f"{result.queries}",
        f"{pair.difference:.3f}",
        f"{pair.p_value:.2f}",
        f"{pair.queries_needed - result.queries}",
        "0.05",
    }


def holm_over_six():
    result = verdict("mslr10k-sample", *FOUR)
    (pair,) = (p for p in result.pairs if {p.better, p.other} == {"ListNet", "RankSVM"})
    assert len(result.pairs) == math.comb(4, 2)
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
    test, result = load_dataset("mslr10k-sample").test, {"500"}
    for name in ("ListNet", "SingleFeature", "RankSVM"):
        run = trained("mslr10k-sample", name)
        result |= {f"{run.best.valid[MEASURE]:.3f}", f"{best_on(run, test):.3f}"}
    return result


def linear_model():
    best = trained("mslr10k-sample", "RSRank").best
    return {f"{best.valid[MEASURE]:.3f}", f"{best.iteration}"}


def logistic(x):
    return 1 / (1 + math.exp(-x))


def counted_by_the_cutoff():
    """What is counted at positions 2 and 3 for k = 2, by a soft and a sharp cutoff."""
    return {
        f"{logistic(beta * (2.5 - position)):.{digits}f}"
        for beta, digits in ((1, 3), (1, 2), (10, 3))
        for position in (2, 3)
    }


def between_two_positions():
    scores = (0.62, 0.6, 0.58, 0.1)
    position = 1 + sum(logistic(30 * (s - 0.58)) for s in scores if s != 0.58)
    assert position < 2.5
    chosen = {"approx_list": "0.62:0, 0.6:1, 0.58:1, 0.1:0", "approx_measure": "P@k"}
    settings = {"approx_alpha": 30.0, "approx_beta": 100.0, "approx_k": 2}
    sharp = shown(view("approximation", "One list"), **chosen, **settings).facts
    assert sharp[1].number == "1.00"
    return {f"{position:.2f}", "0.02", "2.5", "1.00", "0.500"}


def soft_and_sharp_cutoff():
    """P@10 of training at the end, with a soft and with a sharp cutoff."""
    soft, sharp = (
        trained("planted", "ApproxPrecision", measure="P@10", ApproxPrecision__beta=b)
        for b in (1.0, 10.0)
    )
    assert len(soft.history) - 1 == 100
    assert len(sharp.history) - 1 == 3
    assert soft.algorithm.get_params()["alpha"] == 1.0
    assert type(soft.algorithm)().beta == 0.3
    ends = [run.history[-1].train["P@10"] for run in (soft, sharp)]
    return {"100", "0.3", *(f"{end:.2f}" for end in ends)}


def the_gap_bounds_the_minimum():
    chosen = {"sparse_view": "Steps to corners", "ball_radius": 5.0, "ball_step": 4}
    result = shown(view("sparsity", "Steps to corners"), **chosen).facts
    facts = {fact.meaning: fact.number for fact in result}
    low = float(facts["Loss P"]) - float(facts["Duality gap"])
    assert float(facts["Duality gap"]) < 0.05
    return {f"{low:.2f}", "0.05"}


def pairwise_steps():
    chosen = {"sparse_view": "Steps to corners", "FenchelRank.variant": "pairwise"}
    result = shown(
        view("sparsity", "Steps to corners"), ball_radius=5.0, ball_step=20, **chosen
    )
    assert "after 6 steps" in result.panels()[0].picture.alt
    assert {fact.meaning: fact.number for fact in result.facts}["Duality gap"] == "0"
    return set()


@cache
def drawn_at(document, vectors):
    """What the picture says of the documents around one."""
    chosen = {"cone_size": "2-D", "cone_k": vectors, "cone_centre": f"{document}"}
    panels = shown(view("cones", "Geometry"), **chosen).panels()
    (panel,) = (panel for panel in panels if panel.key == "query_documents")
    result = re.findall(
        r"(Better than|Worse|Not comparable|at once)[^:]*: ([^.]*)", panel.picture.alt
    )
    return {name: re.findall(r"x\d", names) for name, names in result}


def certified_and_chosen():
    run = trained("planted", "FenchelRank", FenchelRank__radius=10.0)
    last, best = run.history[-1], run.best
    assert (last.iteration, best.iteration) == (500, 102)
    items = [int((one.coef != 0).sum()) for one in (last, best)]
    values = [f"{one.valid[MEASURE]:.3f}" for one in (last, best)]
    gap = f"{last.diagnostics['gap']:.4f}"
    return {"500", "102", gap, *map(str, items), *values}


@cache
def forces(surrogate):
    """The forces on the documents of a query, best first, and their labels."""
    chosen = {"data": "mslr10k-sample", "part": "valid", "surrogate": surrogate}
    rows = Subject(links.OpenLink(pages()["inspect"], chosen, {}).values())
    table = rows.inspection().table()
    force = np.array([row["force"] for row in table])
    assert force.sum() == pytest.approx(0, abs=1e-12)
    assert [rank for rank, row in enumerate(table, 1) if row["label"] == 4] == [2, 17]
    return force


def at_the_top(surrogate):
    """The share of the force on the first ten documents, in per cent."""
    force = np.abs(forces(surrogate))
    return f"{100 * force[:10].sum() / force.sum():.0f}"


def longest(surrogate):
    """The rank with the longest arrow."""
    return 1 + int(np.abs(forces(surrogate)).argmax())


def forces_of_pairs():
    count = len(forces("RankSVM"))
    return {at_the_top("RankSVM"), f"{count}", f"{longest('RankSVM')}"}


def forces_of_smooth_pairs():
    return {at_the_top("RankNet")}


def forces_of_weighted_pairs():
    assert longest("LambdaRank") == 2
    return {at_the_top("LambdaRank")}


def forces_of_lists():
    assert forces("ListNet")[:10].argmax() + 1 == 2
    return {at_the_top("ListNet")}


def forces_of_the_measure():
    assert longest("RankNet") == 17
    assert longest("ApproxNDCG") == 2
    second, first = forces("ApproxNDCG")[[16, 1]]
    assert round(first / second) == 6
    return {at_the_top("ApproxNDCG"), "17"}


def rules_for_ties():
    """The figure calls its rows as the text does the formulas."""
    result = shown(view("papers", "Claims"), papers_experiment="Ties")
    rows = result.panels()[0].picture.layout["yaxis"]["ticktext"]
    return {row.removeprefix("equation ") for row in rows if "equation" in row}


def examined_at_ten(**chosen):
    """Examination of position ten in the example of settings, by line."""
    result = view("clicks", "Learning from clicks")
    now = values(result, data="planted", **chosen)
    drawn = examples.example(page("clicks"), result, now).show(now).panels()[1]
    return {name: row[9] for name, row in drawn.picture.table.items()}


def weight_at_ten():
    return {f"{1.0 / examined_at_ten()['true']:.0f}"}


def distrusted_estimate():
    return {f"{examined_at_ten(click_trust=0.5)['estimate']:.1%}".removesuffix("%")}


CHECKED = {
    ("2-alpha", 8): rules_for_ties,
    ("2-alpha", 4): a_neighbour_away,
    ("2-alpha", 5): soft_and_sharp,
    ("2-alpha", 6): soft_and_sharp,
    ("3-zeros", 1): planted_sizes,
    ("3-zeros", 4): planted_sizes,
    ("4-cones", 6): vectors_on_web_search,
    ("5-margins", 1): orders_of_four,
    ("7-slack", 3): where_slack_ends,
    ("7-slack", 4): four_documents,
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
    ("11-noise", 5): chosen_and_tested,
    ("12-production", 2): one_feature,
    ("12-production", 3): linear_model,
    ("13-cutoff", 1): counted_by_the_cutoff,
    ("13-cutoff", 2): counted_by_the_cutoff,
    ("13-cutoff", 3): between_two_positions,
    ("13-cutoff", 5): soft_and_sharp_cutoff,
    ("13-cutoff", 6): soft_and_sharp_cutoff,
    ("14-certificate", 3): the_gap_bounds_the_minimum,
    ("14-certificate", 4): pairwise_steps,
    ("14-certificate", 5): certified_and_chosen,
    ("16-one-gradient", 2): forces_of_pairs,
    ("16-one-gradient", 3): forces_of_smooth_pairs,
    ("16-one-gradient", 4): forces_of_weighted_pairs,
    ("16-one-gradient", 5): forces_of_lists,
    ("16-one-gradient", 6): forces_of_the_measure,
    ("17-clicks", 2): weight_at_ten,
    ("17-clicks", 5): distrusted_estimate,
}
# These train models; an edit of a lesson is tested with ``pytest -m soak``.
TRAINED = {
    soft_and_sharp, list_net_on_planted, race_on_planted,
    race_of_four, one_feature, race_of_two, holm_over_six, five_seeds,
    chosen_and_tested, linear_model, soft_and_sharp_cutoff,
    certified_and_chosen,
}  # fmt: skip
STEPS = [
    pytest.param(
        name,
        number,
        marks=[pytest.mark.soak] * (CHECKED.get((name, number)) in TRAINED),
    )
    for name in store.files()
    for number in range(1, 1 + len(store.find(name).steps))
]


def test_documents_compare_as_the_lesson_on_cones_says():
    first, fifth = drawn_at(1, 2), drawn_at(5, 2)
    assert (len(first["Better than"]), first["Not comparable"]) == (5, ["x2"])
    assert fifth["Better than"] == ["x7"]
    assert (len(fifth["Worse"]), len(fifth["Not comparable"])) == (3, 2)
    assert "x1" in fifth["Worse"]
    assert "x7" in first["Better than"]
    assert len(drawn_at(1, 1)["Not comparable"]) == 6
    assert len(drawn_at(1, 3)["at once"]) == 6


@pytest.mark.parametrize(("name", "number"), STEPS)
def test_every_number_of_a_lesson_is_computed(name, number):
    """A number is a setting or fact of the step, or of the one before, or is computed
    by a function above."""
    step = store.find(name).steps[number - 1]
    check = CHECKED.get((name, number), set)
    facts = [fact for at in (number, max(1, number - 1)) for fact in facts_of(name, at)]
    left = stated(step) - check()
    assert {one for one in left if not is_fact(one, facts)} == set()
