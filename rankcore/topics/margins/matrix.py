"""The plan of structured rankers trained for one measure and tested by all."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcore.algorithms.parts.scoring import linear_scores
from rankcore.base.arrays import Floats
from rankcore.base.hyperparameters import hyperparameters
from rankcore.base.numbers import phrase
from rankcore.data.catalogue import Splits, load_dataset
from rankcore.data.dataset import Normalisation, RankingDataset
from rankcore.mathematics.statistics import SIGNIFICANT, few_differ, holm
from rankcore.measures import STANDARD, Rules
from rankcore.studies import Study
from rankcore.topics.datasets.description import PART_WORDS, parts
from rankcore.topics.margins import training as margin_training
from rankcore.topics.margins.models import by_feature_map, scaled_weights
from rankcore.topics.margins.rounds import slack_weights, structured_algorithms
from rankcore.topics.margins.training import MEASURES, Mismatch, MismatchRow

if TYPE_CHECKING:
    from rankcore.algorithms import StructuredRanker


# The papers' symbols of the feature maps.
MAP_SYMBOLS = {"pairs": "φₚₒ", "first": "φₘᵣᵣ"}


def map_symbol(feature_map: str) -> str:
    """Return the symbol of a feature map, or its name."""
    return MAP_SYMBOLS.get(feature_map, feature_map)


def learners(C: float, relevant_from: int) -> "dict[str, StructuredRanker]":
    """Return every structured ranker with the same C; rankers with one loss appear with
    each of their feature maps.

    Parameters
    ----------
    C : float
        The sum of the C of all losses of a ranker.
    relevant_from : int
        The lowest relevant label, for rankers that distinguish only two levels.
    """
    every_learner: dict[str, StructuredRanker] = {}
    for cls in structured_algorithms().values():
        values: dict[str, Any] = dict(scaled_weights(cls(), C))
        if "relevant_from" in hyperparameters(cls):
            values["relevant_from"] = relevant_from
        algorithm = cls(**values)
        one_loss = len(slack_weights(algorithm)) == 1
        every = by_feature_map(algorithm) if one_loss else {"": algorithm}
        for name, learner in every.items():
            every_learner[f"{cls.title}, {map_symbol(name)}" if name else cls.title] = (
                learner
            )
    return every_learner


@dataclass(frozen=True)
class MatrixPlan:
    """Algorithms and data of one matrix.

    Attributes
    ----------
    algorithms : dict of str to StructuredRanker
        By name; algorithms that refuse the training data are left out.
    splits : Splits
        The training split is used for training, the last split for testing.
    folds : tuple of str
        Names of data sets in the catalogue. If there are any, they replace ``splits``
        in training and testing.
    normalise : {"minmax", "zscore"} or None
        How features of the folds are scaled; ``splits`` are used as they are.
    rules : Rules
        Evaluation rules.
    """

    algorithms: "Mapping[str, StructuredRanker]"
    splits: Splits
    folds: tuple[str, ...] = ()
    normalise: Normalisation | None = None
    rules: Rules = STANDARD

    @cached_property
    def able(self) -> "dict[str, StructuredRanker]":
        """The algorithms that can be trained on this data."""
        return {
            name: algorithm
            for name, algorithm in self.algorithms.items()
            if algorithm.unsupported_reason(self.splits.train) is None
        }

    @property
    def description(self) -> str:
        """Sentences on the models to train, their test and the figure."""
        part, judged = list(parts(self.splits).items())[-1]
        where = f"each tested on {judged.n_queries} {PART_WORDS[part]} queries"
        if self.folds:
            where = f"trained and tested in each of {len(self.folds)} folds"
        return (
            f"{len(self.able)} algorithms, {where}, by {len(MEASURES)} measures. The "
            "figure shows every algorithm by every measure."
        )

    def study(self) -> Study:
        """Return the study of training and testing, not yet started.

        Returns
        -------
        Study
            It finds a `MismatchRow` for each algorithm, or each algorithm and fold; its
            subject is a `MismatchSubject`.
        """
        part, judged = list(parts(self.splits).items())[-1]
        folds = [partial(_ends, name, self.normalise) for name in self.folds]
        return margin_training.mismatch_study(
            self.able,
            self.splits.train,
            judged,
            rules=self.rules,
            part=part,
            folds=folds,
        )


class Lead(NamedTuple):
    """The best model trained for a measure, compared with the best other one.

    Attributes
    ----------
    lead : float
        Lead of the other one in the measure; negative if it is behind.
    p_value : float
        p-value of a paired randomisation test, adjusted by Holm's method over the
        measures; NaN without a test.
    undecided : str
        Why no test can decide, as a sentence; empty where one can.
    """

    measure: str
    lead: float
    p_value: float
    undecided: str


def leads(mismatch: Mismatch, aimed: NDArray[np.bool_]) -> list[Lead]:
    """Return a `Lead` for each measure for which some models were trained, but not all.

    Parameters
    ----------
    aimed : (m, k) bool
        Whether each model was trained for each measure.
    """
    ranks = ~np.array(mismatch.even or [False] * len(mismatch.trained))
    pairs = {
        j: (_best(mismatch, j, ~column & ranks), _best(mismatch, j, column & ranks))
        for j, column in enumerate(aimed.T)
        if (column & ranks).any() and (~column & ranks).any()
    }
    tests = {
        j: test
        for j, pair in pairs.items()
        for test in mismatch.tests(mismatch.tested[j], [pair])
    }
    adjusted = dict(zip(tests, holm([t.p_value for t in tests.values()]), strict=True))
    return [
        Lead(
            mismatch.tested[j],
            float(mismatch.values[other, j] - mismatch.values[learner, j]),
            float(adjusted.get(j, np.nan)),
            few_differ(tests[j].differing, tests[j].queries) if j in tests else "",
        )
        for j, (other, learner) in pairs.items()
    ]


def _best(mismatch: Mismatch, measure: int, able: NDArray[np.bool_]) -> int:
    """Return the best of some models by a measure."""
    return int(np.where(able, mismatch.values[:, measure], -np.inf).argmax())


def verdict(leads: Sequence[Lead]) -> str:
    """Return sentences on whether models trained for a measure are best on it, and
    significantly so; empty without measures."""
    phrases = []
    for one in leads:
        ahead = "another model" if one.lead > 0.0 else "a model trained for it"
        by = f"{ahead} leads by {abs(one.lead):.3f}"
        if one.lead == 0.0:
            by = "models trained for it and others are equal"
        elif one.undecided:
            by += f" ({one.undecided[0].lower()}{one.undecided[1:-1]})"
        elif one.p_value > SIGNIFICANT:
            by += f", which is a tie (p = {one.p_value:.2g})"
        elif one.p_value <= SIGNIFICANT:
            by += f", more than noise (p = {one.p_value:.2g})"
        phrases.append(f"on {one.measure} {by}")
    if not phrases:
        return ""
    ties = [one for one in leads if one.lead and one.p_value > SIGNIFICANT]
    text = _ties(ties) if len(ties) == len(leads) else "; ".join(phrases)
    tested = any(not np.isnan(one.p_value) for one in leads)
    test = " Paired tests over queries, adjusted by Holm." * tested
    return f"{text[0].upper()}{text[1:]}.{test}"


def _ties(leads: Sequence[Lead]) -> str:
    """Return one sentence on leads that are all insignificant."""
    sides = {
        who: phrase(
            f"{one.measure} ({abs(one.lead):.3f})"
            for one in leads
            if (one.lead > 0.0) == other
        )
        for who, other in (("models trained for it lead", False), ("others", True))
    }
    leading = ", ".join(f"{who} on {on}" for who, on in sides.items() if on)
    least, most = (end(one.p_value for one in leads) for end in (min, max))
    sign = "=" if least == most else "≥"
    return f"every lead is a tie (p {sign} {least:.2g}): {leading}"


def zero_models(rows: Sequence[MismatchRow]) -> dict[str, tuple[int, int]]:
    """Return how often a model was zero and was trained, by name, without models that
    never were zero."""
    times = Counter(row.trained for row in rows)
    zero = Counter(row.trained for row in rows if row.even)
    return {name: (count, times[name]) for name, count in zero.items()}


def zero_sentence(rows: Sequence[MismatchRow]) -> str:
    """Return a sentence on the zero models, and the reason; empty if there are none."""
    names = [
        name if count == of else f"{name} in {count} of {of} folds"
        for name, (count, of) in zero_models(rows).items()
    ]
    if not names:
        return ""
    return (
        f"{'; '.join(names)}: w = 0 is optimal, so documents stay in the order of the "
        "data."
    )


def compare_maps(
    algorithms: "Mapping[str, StructuredRanker]",
    models: Mapping[str, Floats],
    splits: Splits,
    rules: Rules = STANDARD,
) -> tuple[Mismatch, NDArray[np.bool_], str]:
    """Test models of several feature maps on the last part of a data set.

    Parameters
    ----------
    algorithms, models : dict
        Each algorithm and its (d,) coefficients, by the same names.
    rules : Rules
        Evaluation rules.

    Returns
    -------
    compared : Mismatch
    aimed : (m, k) bool
        Whether each model was trained for each measure.
    words : str
        Name of the last split.
    """
    part, judged = list(parts(splits).items())[-1]
    compared = compare_models(models, judged, MEASURES, rules)
    aimed = margin_training.aimed(algorithms, splits.train)
    return compared, aimed, PART_WORDS[part]


def compare_models(
    models: Mapping[str, Floats],
    dataset: RankingDataset,
    measures: Sequence[str] = MEASURES,
    rules: Rules = STANDARD,
) -> Mismatch:
    """Test linear models by every measure.

    Parameters
    ----------
    models : dict of str to (d,) float64
        Coefficients by model name.
    rules : Rules
        How they are computed.
    """
    return margin_training.matrix(
        [
            margin_training.mismatch_row(
                name, dataset, linear_scores(dataset.X, coef), measures, rules
            )
            for name, coef in models.items()
        ]
    )


def _ends(
    name: str, normalise: Normalisation | None
) -> tuple[RankingDataset, RankingDataset]:
    """Load the training data and the test data of a fold."""
    every = list(parts(load_dataset(name).normalise(normalise)).values())
    return every[0], every[-1]
