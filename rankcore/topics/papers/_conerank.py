"""Checks of Tran and Pham: a cone of document differences."""

from contextlib import closing

import numpy as np

from rankcore.algorithms.cone_rank import ConeRank
from rankcore.base.draws import standard_normal
from rankcore.base.numbers import percent, three_digits
from rankcore.mathematics.elementary import geomspace
from rankcore.mathematics.products import norm
from rankcore.mathematics.small_matrices import spectral_norm
from rankcore.studies.paths import path
from rankcore.topics.cones import claims as cone_claims
from rankcore.topics.cones.cone import (
    energy_spectrum,
    fold,
    project_onto_simplex,
    stability_bound,
    uniform_stability_risk,
)
from rankcore.topics.papers import published, rules
from rankcore.topics.papers.bench import PROTOCOL, Bench, Data, ends
from rankcore.topics.papers.card import OVER_FOLDS, Card, CardOutcome
from rankcore.topics.papers.rules import BROKEN, FALSE, TRIED, Facts, Values
from rankcore.topics.papers.value import CardValue
from rankcore.training import Stop

CONES = ("ConeRank-EG", "ConeRank-SG")
TEST = "test AP"
BASES = (1, 2, 3, 5, 10, 20)
ITERATIONS = 8
DRAWS = 500
REBUILT = (
    " A lower objective ranks worse: vectors of opposite preference come to rebuild "
    "the differences between them."
)
# The paper's settings: features and queries of MQ2007, and K.
PRINTED_FEATURES, PRINTED_QUERIES, PRINTED_BASIS = 46, 1017, 10
# Our interpretation of "most of the energy", a share, and of "about", a tolerance, for
# which the paper gives no numbers.
MOST, ABOUT = 0.9, 1
ADDED, LARGEST_LOSS = "added at a change of 1/P", "largest loss"
FEWEST, MOST_OF_A_FOLD = "fewest directions of a fold", "most directions of a fold"


def bases_task(data: Data, dataset: str, fold: str) -> list[tuple[float, ...]]:
    """ConeRank at each number of vectors: K, objective, AP on training and test."""
    cone = ConeRank(random_state=0)
    points = path(
        cone,
        data[dataset][fold],
        "n_basis",
        BASES,
        measures=["AP"],
        stop=Stop(max_iterations=ITERATIONS),
        warm=False,
    )
    with closing(points):
        return [
            (
                point.cell.value,
                point.objective,
                point.train["AP"],
                point.test["AP"],
                point.seconds,
            )
            for point in points
        ]


def best_number(card: Card, bench: Bench) -> CardOutcome:
    """Figure 3: performance is highest near ten vectors."""
    dataset = card.dataset(bench)
    tasks = [(dataset, fold) for fold in bench.folds(dataset)]
    folds = np.array(bench.run(bases_task, tasks))
    table = folds.mean(axis=0)
    values = tuple(
        CardValue(name, f"{k:g}", None, float(values.mean()), *ends(values))
        for column, name in ((2, "training AP"), (3, TEST))
        for k, values in zip(table[:, 0], folds[:, :, column].T, strict=True)
    )
    best = int(table[np.argmax(table[:, 3]), 0])
    falls = bool((np.diff(table[:, 1]) < 0.0).all())
    facts, note = card.on(dataset)
    return card.outcome(
        values,
        f"On {dataset} test AP is highest at K = {best}: {table[0, 3]:.3f} at K = 1, "
        f"{table[BASES.index(PRINTED_BASIS), 3]:.3f} at K = {PRINTED_BASIS} and "
        f"{table[-1, 3]:.3f} at K = {BASES[-1]}, while the objective "
        f"{'falls' if falls else 'does not always fall'} with K."
        + (REBUILT if falls and table[-1, 3] < table[0, 3] else "")
        + note,
        f"exact folding-in, at most {ITERATIONS} iterations, seed 0; mean of the folds",
        "standard",
        OVER_FOLDS,
        float(table[:, 4].sum()) * len(tasks),
        facts=facts,
    )


def _best_at_ten(values: Values, facts: Facts) -> bool:
    test = [value for value in values if value.series == TEST]
    return max(test, key=lambda value: value.ours or 0.0).x == f"{PRINTED_BASIS}"


BEST_NUMBER = rules.when(
    f"Reached where, of K = {', '.join(map(str, BASES))}, test AP is highest at K = "
    f"{PRINTED_BASIS}.",
    _best_at_ten,
)


def behind_best(card: Card, bench: Bench) -> CardOutcome:
    """Gap between the better of the two ConeRank variants and the best algorithm."""
    (dataset,) = (name for name in card.data if name in bench.data)
    tested = {name: bench.tested(dataset, e) for name, e in card.entries.items()}
    values, sentences = list[CardValue](), []
    for metric, claimed in card.claimed.items():
        measure = published.measure_of(metric) or card.measure_otherwise
        means = {name: each.mean(measure, "letor4") for name, each in tested.items()}
        best = max(means, key=lambda name: means[name])
        leader = max(CONES, key=lambda name: means[name])
        behind = 1.0 - means[leader] / means[best]
        in_folds = 1.0 - tested[leader].means(measure, "letor4") / tested[best].means(
            measure, "letor4"
        )
        spread = ends(in_folds, behind)
        values.append(CardValue(card.axis[0], metric, claimed, behind, *spread))
        sentences.append(
            f"In {measure} {leader}, with {means[leader]:.3f}, is {percent(behind, 1)} "
            f"behind {best}, with {means[best]:.3f}; printed: at most "
            f"{percent(claimed)}."
            if leader != best
            else f"In {measure} {leader} is the best, with {means[leader]:.3f}."
        )
    return card.outcome(
        values,
        " ".join(sentences),
        f"{PROTOCOL}; of {' and '.join(CONES)} the one with the larger mean",
        "letor4",
        OVER_FOLDS,
        sum(each.seconds for each in tested.values()),
    )


def spectrum(card: Card, bench: Bench) -> CardOutcome:
    """Figure 4: about ten eigenvalues capture most of the energy."""
    dataset = card.dataset(bench)
    cone = ConeRank()
    folds = np.array(
        [
            energy_spectrum(cone.differences(splits.train)).subspace
            for splits in bench.folds(dataset).values()
        ]
    )
    shares = folds.mean(axis=0)
    half, most = ((folds < share).sum(axis=1) + 1 for share in (0.5, MOST))
    values = tuple(
        CardValue(
            "share of the energy", str(k), None, float(shares.mean()), *ends(shares)
        )
        for k, shares in enumerate(folds.T[:20], 1)
    )
    other, note = card.on(dataset)
    facts = {FEWEST: float(most.min()), MOST_OF_A_FOLD: float(most.max()), **other}
    return card.outcome(
        values,
        f"In the training data of {dataset} {_range(most)} directions hold "
        f"{percent(MOST)} of the differences' energy, and {PRINTED_BASIS} hold "
        f"{percent(float(shares[:PRINTED_BASIS][-1]))}. The paper prints no share: "
        f"{_range(half)} directions hold half.{note}",
        "second-moment matrix of the ordered differences, not centred",
        spread=OVER_FOLDS,
        facts=facts,
    )


DIRECTIONS = rules.when(
    f"Reached where {PRINTED_BASIS - ABOUT} to {PRINTED_BASIS + ABOUT} directions hold "
    f"{percent(MOST)} of the energy in every fold.",
    lambda values, facts: all(
        abs(facts[name] - PRINTED_BASIS) <= ABOUT for name in (FEWEST, MOST_OF_A_FOLD)
    ),
)


def _range(counts: np.ndarray) -> str:
    """Return the smallest and the largest of the folds' counts."""
    low, high = int(counts.min()), int(counts.max())
    return f"{low}" if low == high else f"{low} to {high}"


def largest_sum(card: Card, bench: Bench) -> CardOutcome:
    """Figure 2: with a larger sum of weights a cone reaches more differences."""
    basis = np.array([[1.0, 0.2], [0.2, 1.0]])
    inside = np.array([[1.2, 1.0], [0.9, 0.4], [0.6, 1.4]])
    values = []
    losses = []
    for high in (1.0, 1.5, 2.0, 3.0):
        loss = float((fold(basis, inside, 1.0, high).distances ** 2).mean())
        losses.append(loss)
        values.append(CardValue("mean squared distance", f"{high:g}", None, loss))
    return card.outcome(
        values,
        f"Three differences in the cone: the loss is {losses[0]:.3f} with sums of "
        f"weights up to 1, and {three_digits(losses[-1])} with sums up to 3.",
        "two vectors in the plane, exact folding-in",
    )


def _falls_to_zero(values: Values, facts: Facts) -> bool:
    losses = rules.ours(values)
    return bool((np.diff(losses) <= 1e-12).all()) and losses[-1] < 1e-9


LARGEST_SUM = rules.when(
    "Reached where the distance of differences within the cone does not rise with the "
    "largest sum of weights, and ends at 0.",
    _falls_to_zero,
)


def risk_bound(card: Card, bench: Bench) -> CardOutcome:
    """Theorem 1: the bound on the true risk, from the stability of Theorem 2."""
    rho = float(np.sqrt(PRINTED_FEATURES))
    cap, queries = 2.0 * rho, PRINTED_QUERIES
    largest = (rho + cap) * (rho + cap)

    def excess(change: float) -> float:
        beta = stability_bound(change, PRINTED_BASIS, rho, cap)
        return uniform_stability_risk(0.0, beta, queries, largest)

    values = tuple(
        CardValue("added to the risk", f"{change:g}", largest, excess(change))
        for change in (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
    )
    grid = geomspace(1e-6, 1.0, 601)
    last = max((float(s) for s in grid if excess(s) < largest), default=0.0)
    facts = {ADDED: excess(1.0 / queries), LARGEST_LOSS: largest}
    return card.outcome(
        values,
        f"The bound is computed as printed. With a change of the basis of 0.01 it adds "
        f"{excess(0.01):.0f} to the training risk, and no loss is larger than "
        f"{largest:.0f}. It says something for changes up to {three_digits(last)}, and "
        f"much only where they are of the order of 1/P = "
        f"{three_digits(1.0 / queries)}.",
        f"N = {PRINTED_FEATURES} features, K = {PRINTED_BASIS}, P = {queries} queries "
        "as in a training fold of MQ2007, ε = 0.05, β from Theorem 2; hollow: the "
        "largest loss",
        facts=facts,
    )


RISK_BOUND = rules.when(
    "Reached where the bound says something, that is, adds less than the largest loss "
    "to the training risk at a change of the basis of 1/P.",
    lambda values, facts: facts[ADDED] < facts[LARGEST_LOSS],
)


def stability(card: Card, bench: Bench) -> CardOutcome:
    """Check the bound on the change of a pair's loss by a change of the basis."""
    broken, ratios = 0, []
    rng = np.random.default_rng(0)
    values = []
    for number in range(DRAWS):
        d, k = int(rng.integers(2, 6)), int(rng.integers(1, 5))
        rho = float(np.sqrt(d))
        U, V = (
            _capped(standard_normal(rng, (d, k)), 2 * rho),
            standard_normal(rng, (d, k)),
        )
        V = _capped(U + 0.3 * V, 2 * rho)
        z = standard_normal(rng, (1, d))
        z *= rho * rng.random() / norm(z[0])
        one, two = (float((fold(b, z).distances ** 2)[0]) for b in (U, V))
        change = spectral_norm(U - V)
        bound = stability_bound(change, k, rho, 2 * rho)
        broken += abs(one - two) > bound
        ratios.append(abs(one - two) / bound)
        if number % 40 == 0:
            values.append(CardValue("pairs", f"{number + 1}", bound, abs(one - two)))
    facts = {TRIED: DRAWS, BROKEN: broken}
    return card.outcome(
        values,
        f"{broken or 'None'} of {DRAWS} random changes exceed the bound. The largest "
        f"is {three_digits(max(ratios))} times its bound.",
        "random bases of 2 to 5 features and 1 to 4 vectors, seed 0; hollow: the bound",
        facts=facts,
    )


def _capped(basis: np.ndarray, cap: float) -> np.ndarray:
    lengths = np.sqrt((basis**2).sum(axis=0))
    return basis * np.minimum(1.0, cap / lengths)


def proper(card: Card, bench: Bench) -> CardOutcome:
    """Check that a cone of fewer vectors than features has no interior."""
    interior = cone_claims.interior(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]))
    values = tuple(
        CardValue("distance from the cone", way, interior.step, distance)
        for way, distance in zip(("up", "down"), interior.distances, strict=True)
    )
    return card.outcome(
        values,
        "Two vectors in three dimensions: the deepest point, moved by "
        f"{interior.step:g} to either side, is {interior.distances[0]:.3g} and "
        f"{interior.distances[1]:.3g} from the cone. A proper cone has an interior.",
        "hollow: how far the point was moved",
    )


PROPER = rules.when(
    "False as printed where the deepest point of a cone of few vectors leaves it on "
    "either side at once, so that the cone has no interior.",
    lambda values, facts: any(a <= 0.99 * b for a, b in rules.compared(values)),
    FALSE,
)


def negative(card: Card, bench: Bench) -> CardOutcome:
    """P(z) = 0 for z in the negative of the cone."""
    basis = np.array([[1.0, -1.0], [0.0, 1.0]])
    negative_cone = cone_claims.negative(basis, [-1.0, 0.0])
    parts = [f"{part:.2g}".replace("-", "−") for part in negative_cone.projection]
    values = tuple(
        CardValue("projection", name, 0.0, float(part))
        for name, part in zip(
            ("first", "second"), negative_cone.projection, strict=True
        )
    )
    assert negative_cone.in_negative
    return card.outcome(
        values,
        "With vectors (1, 0) and (−1, 1) the difference z = (−1, 0) lies in the "
        f"negative of the cone and projects to ({', '.join(parts)}). The condition is "
        "Uᵀz ≤ 0.",
        "exact projection; hollow: the printed projection",
    )


NEGATIVE = rules.when(
    "False as printed where a difference in the negative of the cone has a projection "
    "other than 0.",
    lambda values, facts: not any(rules.ours(values)),
    FALSE,
)


def clipping(card: Card, bench: Bench) -> CardOutcome:
    """Check steps 1a to 1c: clipping and rescaling as folding-in."""
    basis, z = np.array([[2.0, 0.0], [0.0, 1.0]]), np.array([1.0, 0.2])
    paths = cone_claims.folding_paths(basis, z, 0.01, ("exact", "sg"), 20_000)
    exact, clipped = (paths[rule].weights[-1] for rule in ("exact", "sg"))
    values = tuple(
        CardValue("weight", name, float(c), float(e))
        for name, c, e in zip(("first", "second"), clipped, exact, strict=True)
    )
    onto = project_onto_simplex([0.9, 0.4])
    return card.outcome(
        values,
        f"Clipping and rescaling ends at weights ({clipped[0]:.3f}, {clipped[1]:.3f}), "
        f"the best are ({exact[0]:.3f}, {exact[1]:.3f}). A projection of (0.9, 0.4) is "
        f"({onto[0]:.3g}, {onto[1]:.3g}); rescaling gives (0.692, 0.308).",
        "vectors (2, 0) and (0, 1), difference (1, 0.2); hollow: steps 1a to 1c",
    )


CLIPPING = rules.when(
    "False as printed where the weights at which steps 1a to 1c settle are more than "
    "0.001 from the best ones.",
    lambda values, facts: all(abs(a - b) <= 1e-3 for a, b in rules.compared(values)),
    FALSE,
)


def linear_order(card: Card, bench: Bench) -> CardOutcome:
    """Algorithm 2: ranking by votes is ranking by a linear score."""
    differing = cone_claims.orders_that_differ(200)
    values = (CardValue("lists", "ordered differently", 0.0, float(differing)),)
    return card.outcome(
        values,
        f"{differing} of 200 random cones and lists are ordered differently by votes "
        "and by the score aᵀx.",
        "random cones of 1 to 8 vectors, lists of 2 to 8 documents, seed 0",
    )
