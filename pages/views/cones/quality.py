"""Quality and K: objective and measure as the number of basis vectors grows."""

from pages.ui import shared
from pages.ui.data import datasets
from pages.views.cones import _cone
from rankcore.algorithms.cone_rank import ConeRank
from rankcore.charts.cone import colours
from rankcore.charts.cone_quality import PART_NAMES, quality_figure, spectrum_figure
from rankcore.insight.cone_quality import (
    Quality,
    numbers,
    quality,
    quality_study,
    verdict,
)
from rankcore.studies import Study
from rankcore.views import (
    MORE,
    Block,
    Fact,
    Number,
    Panel,
    Row,
    Shown,
    Values,
    View,
    Words,
    Work,
    declared,
)

PAPER = """
The paper reports the best ranking near K = 10 of 46 features. Compare the two lines:
with more vectors the objective falls, because they reconstruct differences better. But
soon some vectors have opposite preferences, and their sums reconstruct a difference
without saying which document is better. How soon depends on the data.
"""

HYPERPARAMETERS = ("lambda_low", "lambda_high", "folding", "basis_update", "init")
MOST = Number(
    "cone_most",
    10,
    "Largest number of basis vectors",
    "K",
    "Cones are trained for several K up to this one, each from its own start.",
    low=2,
    high=20,
    whole=True,
)


def study(values: Values) -> Study:
    """Train RankSVM and a cone for each K."""
    return quality_study(
        datasets.of(values),
        values.cone_most,
        values.measure,
        rules=shared.rules(values),
        seed=values.seed,
        **values.of(ConeRank),
    )


def refuses(values: Values) -> str | None:
    """Why no cone can be trained on the data."""
    largest = ConeRank(n_basis=values.cone_most)
    return largest.unsupported_reason(datasets.of(values).train)


def show(values: Values, study: Study | None) -> Shown:
    """Measure and objective against K, as far as cones are trained."""
    if study is None or not study.found:
        return Shown()
    wanted = study.subject.cones.values
    found = quality(list(study.found), study.subject.measure, wanted)
    left, right = _quality(values, found, study), _energy(values, found, study)
    row = Row([left, [right, Words(PAPER)]], widths=(9, 5))
    return Shown(_facts(found, study), [row])


def _facts(found: Quality, study: Study) -> list[Fact]:
    split = "test" if "test" in found.measured else "train"
    judged, measure = verdict(found, split), study.subject.measure
    name = f"{PART_NAMES[split].capitalize()} {measure}"
    (first, start, low), (last, end, high) = judged.first, judged.last
    best = f"best {found.measured[split].max():.4f}"
    most = f"up to {found.wanted[-1]}"
    facts = [
        Fact(f"Best K, {PART_NAMES[split]}", str(judged.best), most),
        Fact(f"{name}, K = {first}", f"{low:.4f}"),
        Fact(f"{name}, K = {last}", f"{high:.4f}", best),
        Fact("Objective", f"{start:.3g} → {end:.3g}", "lower is better"),
    ]
    if split in study.subject.half_space:
        svm = f"{study.subject.half_space[split]:.4f}"
        facts.append(Fact("RankSVM", svm, "a half-space"))
    return facts


def _quality(values: Values, found: Quality, study: Study) -> list[Block]:
    measure, judged = study.subject.measure, verdict(found)
    used, svm = colours(values.palette), study.subject.half_space.get("train")
    picture = quality_figure(
        found,
        measure,
        used.cone,
        values.palette,
        references={} if svm is None else {"RankSVM": (svm, used.svm)},
    )
    table = study.subject.cones.path(study.found).to_frame
    panel = Panel(
        "cone_quality",
        f"{measure} and objective against K",
        "ring: best on validation; RankSVM: on training data",
        picture.described(picture.alt, table),
    )
    worse = "**A lower objective, but a worse ranking.** " * judged.worse
    return [panel, Words(worse + picture.alt * (len(found.n_basis) > 1))]


def _energy(values: Values, found: Quality, study: Study) -> Panel:
    return Panel(
        "cone_energy",
        "Energy captured",
        "line: best subspace of as many dimensions; diamonds: these cones",
        spectrum_figure(
            _cone.spectrum(study.subject.train),
            colours(values.palette).cone,
            values.palette,
            cones=(found.n_basis.tolist(), found.captured.tolist()),
        ),
    )


VIEW = View(
    "Quality and K",
    "Does a lower objective with more basis vectors mean a better ranking?",
    [
        shared.DATA,
        shared.NORMALISE,
        MOST,
        *shared.EVALUATION,
        *declared(ConeRank, *HYPERPARAMETERS, group=MORE),
        shared.SEED,
    ],
    show,
    work=Work(
        study,
        lambda values: f"Train {len(numbers(values.cone_most))} cones",
        "Measure and objective appear here for each K, with RankSVM beside them. A "
        "cone of ten vectors takes several seconds.",
    ),
    refuses=refuses,
    presets={
        "More vectors, worse ranking": {"data": "mslr10k-sample", "cone_most": 10}
    },
    explain=_cone.explain,
)
