"""Quality and K: objective and measure as the number of basis vectors grows."""

from pages.ui import shared, texts
from pages.ui.data import datasets
from pages.ui.data.derived import with_derived
from pages.views.cones import _cone
from rankcore import views
from rankcore.algorithms.cone_rank import ConeRank
from rankcore.studies import Study
from rankcore.topics.cones import quality as insight
from rankcore.topics.cones import quality_figure as charts
from rankcore.topics.cones import trained as trained_cone
from rankcore.views import Block, Fact, Panel, Values

(PAPER,) = texts.tabs(__file__).values()
PLANTED = "Planted data"
HYPERPARAMETERS = ("lambda_low", "lambda_high", "folding", "basis_update", "init")
MOST = views.Number(
    "cone_most", 10, "Largest number of basis vectors", "K",
    "Cones are trained for several K up to this one, each from its own start.",
    low=2, high=20, whole=True,
)  # fmt: skip


def study(values: Values) -> Study:
    """Train RankSVM and a cone for each K."""
    return insight.quality_study(
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


def show(values: Values, study: Study | None) -> views.Shown:
    """Measure and objective against K, as far as cones are trained."""
    if study is None or not study.found:
        return views.Shown()
    subject = study.subject
    found = insight.quality(list(study.found), subject.measure, subject.cones.values)
    left, right = _quality(values, found, study), _energy(values, found, study)
    row = views.Row([left, [right, views.Words(PAPER)]], widths=(9, 5))
    return views.Shown(_facts(found, study), [row])


def _facts(quality: insight.Quality, study: Study) -> list[Fact]:
    split = "valid" if "valid" in quality.measured else "train"
    judged, half_space = insight.verdict(quality, split), study.subject.half_space
    part, measure = charts.PART_NAMES[split], study.subject.measure
    numbers, K = quality.n_basis.tolist(), judged.best
    facts = [Fact(f"Best K, {part}", str(K), f"up to {quality.wanted[-1]}")]
    for own in (own for own in (split, "test") if own in quality.measured):
        values = quality.measured[own]
        ends = [f"{values[i]:.3f} at K = {numbers[i]}" for i in (0, -1)]
        name = f"{charts.PART_NAMES[own].capitalize()} {measure}, K = {K}"
        chosen = f"{values[numbers.index(K)]:.3f}"
        facts.append(Fact(name, chosen, ", ".join(ends)))
    objective = f"{judged.first[1]:.3g} → {judged.last[1]:.3g}"
    svm = Fact(f"RankSVM, {part}", f"{half_space[split]:.3f}", "a half-space")
    return [*facts, Fact("Objective", objective, "lower is better"), svm]


def _quality(values: Values, result: insight.Quality, study: Study) -> list[Block]:
    measure, svm = study.subject.measure, study.subject.half_space.get("train")
    picture = charts.quality_figure(result, measure, values.palette, half_space=svm)
    panel = Panel(
        "cone_quality",
        f"{measure} and objective against K",
        "ring: best on validation; RankSVM: on training data",
        picture.described(picture.alt, study.subject.cones.path(study.found).to_frame),
    )
    worse = (
        "**A lower objective, but a worse ranking.** " * insight.verdict(result).worse
    )
    return [panel, views.Words(worse + picture.alt * (len(result.n_basis) > 1))]


def _energy(values: Values, quality: insight.Quality, study: Study) -> Panel:
    energy = trained_cone.difference_spectrum(study.subject.train)
    cones = quality.n_basis.tolist(), quality.captured.tolist()
    return Panel(
        "cone_energy",
        "Energy captured",
        "line: best subspace of as many dimensions; diamonds: these cones",
        charts.spectrum_figure(energy, values.palette, cones=cones),
    )


VIEW = views.View(
    "Quality and K",
    "Does a lower objective with more basis vectors mean a better ranking?",
    [
        shared.DATA,
        shared.NORMALISE,
        MOST,
        *shared.EVALUATION,
        *with_derived(
            views.declared(ConeRank, *HYPERPARAMETERS, group=views.MORE),
            lambda values: ConeRank(**values.of(ConeRank)),
        ),
        shared.SEED,
    ],
    show,
    work=views.Work(
        study,
        lambda values: f"Train {len(insight.numbers(values.cone_most))} cones",
        "Measure and objective appear here for each K, with RankSVM beside them. A "
        "cone of ten vectors takes several seconds.",
    ),
    refuses=refuses,
    presets={
        "More vectors, worse ranking": {"data": "mslr10k-sample", "cone_most": 10},
        PLANTED: {"data": "planted", "cone_most": 10},
    },
    shipped=(PLANTED,),
    explain=_cone.explain,
)
