"""Every card of the papers, declared once: what is printed, and how it is checked."""

from collections.abc import Callable, Mapping
from operator import attrgetter

from rankcore.topics.papers import (
    _approx,
    _conerank,
    _fenchel,
    _rsrank,
    _scenes,
    _scores,
    _structured,
)
from rankcore.topics.papers.card import DATA_SETS, Card, CardView, Paper
from rankcore.topics.papers.entry import LeaderboardEntry
from rankcore.topics.papers.published import Printed
from rankcore.topics.papers.rules import undecided

PAPERS: Mapping[str, Paper] = {
    "approx": Paper(
        "Approx 2010",
        "T. Qin, T.-Y. Liu, H. Li: A general approximation framework for direct "
        "optimization of information retrieval measures. Information Retrieval 13, "
        "2010.",
    ),
    "rsrank": Paper(
        "RSRank 2009",
        "Z. Sun, T. Qin, Q. Tao, J. Wang: Robust sparse rank learning for non-smooth "
        "ranking measures. SIGIR 2009.",
    ),
    "conerank": Paper(
        "ConeRank 2012",
        "T. T. Tran, D.-S. Pham: ConeRANK: Ranking as learning generalized "
        "inequalities. arXiv:1206.4110, 2012.",
    ),
    "structured": Paper(
        "Structured 2008",
        "S. Chakrabarti, R. Khanna, U. Sawant, C. Bhattacharyya: Structured learning "
        "for non-smooth ranking losses. KDD 2008, slides.",
    ),
    "fenchelrank": Paper(
        "FenchelRank 2011",
        "H. Lai, Y. Pan, C. Liu, L. Lin, J. Wu: Sparse learning-to-rank via an "
        "efficient primal-dual algorithm. IEEE Transactions on Computers, 2011.",
    ),
    "liu": Paper(
        "LETOR baselines",
        "T.-Y. Liu: Learning to rank for information retrieval. Springer 2011, "
        "chapter 11.",
    ),
}

ADARANK_NDCG = LeaderboardEntry("AdaRank.NDCG", "AdaRank", {"criterion": "ndcg"})
ADARANK_MAP = LeaderboardEntry(
    "AdaRank.MAP", "AdaRank", {"criterion": "average_precision"}
)
RSRANK_DENSE = LeaderboardEntry("RSRank, g = 0", "RSRank", {"g": 0.0})
CONE = {"n_basis": 10, "max_iter": 10}
CONE_EG = LeaderboardEntry("ConeRank EG, K = 10", "ConeRank", {**CONE, "folding": "eg"})
CONE_SG = LeaderboardEntry(
    "ConeRank SG, K = 10",
    "ConeRank",
    {
        **CONE,
        "folding": "sg",
        "basis_update": "stochastic",
        "learning_rate": 0.001,
    },
)
PHI_MRR = LeaderboardEntry("SVMMRR, φₘᵣᵣ", "SVMMRR", {"feature_map": "first"})
SVMNDCG_TEN = LeaderboardEntry("SVMNDCG@10", "SVMNDCG", {"cutoff": 10})


def _plain(*names: str) -> dict[str, LeaderboardEntry]:
    return {name: LeaderboardEntry(name, name) for name in names}


_LETOR3 = {
    **_plain("RankSVM", "ListNet", "SoftRank", "ApproxNDCG"),
    "AdaRank.NDCG": ADARANK_NDCG,
}
_TABLE_THREE = {
    **_plain("RankSVM", "ListNet", "ApproxAP"),
    "AdaRank.MAP": ADARANK_MAP,
    "SVMmap": LeaderboardEntry("SVMMAP", "SVMMAP"),
}
_CONE = {
    **_plain("ListNet", "RankBoost"),
    "AdaRank-MAP": ADARANK_MAP,
    "AdaRank-NDCG": ADARANK_NDCG,
    "RankSVM-struct": LeaderboardEntry("RankSVM", "RankSVM"),
    "ConeRank-EG": CONE_EG,
    "ConeRank-SG": CONE_SG,
}
_STRUCTURED = {
    "SVMauc": LeaderboardEntry("SVMAUC", "SVMAUC"),
    "SVMmap": LeaderboardEntry("SVMMAP", "SVMMAP"),
    "SVMndcg": SVMNDCG_TEN,
    "SVMndcg-NC": LeaderboardEntry("SVMNDCG", "SVMNDCG"),
    "SVMndcg*": LeaderboardEntry("SVMNDCG", "SVMNDCG"),
    "SVMmrr": LeaderboardEntry("SVMMRR", "SVMMRR"),
    "SVMcombo": LeaderboardEntry("SVMCombo", "SVMCombo"),
    **_plain("DORM", "McRank"),
}
_LIU = {
    **_plain("RankSVM", "RankBoost", "ListNet"),
    "Regression": LeaderboardEntry("LeastSquares", "LeastSquares"),
    "AdaRank": LeaderboardEntry("AdaRank", "AdaRank"),
    "AdaRank.MAP": ADARANK_MAP,
    "SVMmap": LeaderboardEntry("SVMMAP", "SVMMAP"),
}


def _rows(
    paper: str,
    note: str = "",
    dataset: str = "",
    algorithm: str = "",
    metric: str = "",
) -> Callable[[Printed], bool]:
    """Return printed values by the first letters of their keys; the data set must
    match exactly."""

    def chosen(row: Printed) -> bool:
        return (
            row.paper == paper
            and row.note.startswith(note)
            and row.dataset == (dataset or row.dataset)
            and row.algorithm.startswith(algorithm)
            and row.metric.startswith(metric)
        )

    return chosen


def _either(*choices: Callable[[Printed], bool]) -> Callable[[Printed], bool]:
    return lambda row: any(chosen(row) for chosen in choices)


def _of_table_four(algorithm: str) -> Callable[[Printed], bool]:
    return _either(
        _rows("approx", "Table 4", algorithm=algorithm),
        _rows("approx", "text of section 5.4", algorithm=algorithm),
    )


CUTOFFS = tuple(f"nDCG@{k}" for k in range(1, 11))


APPROX = (
    Card(
        "approx-worked-example",
        "approx",
        "Table 1",
        "table",
        "Worked example with five documents",
        _approx.worked_example,
        _rows("approx", "section 4"),
        rule=_approx.DIGITS,
        scene=_scenes.one_list("AP", _scenes.TABLE_ONE),
        axis=("value", "quantity"),
    ),
    Card(
        "approx-theorem-1",
        "approx",
        "Theorem 1",
        "theorem",
        "The position error is below the bound",
        _approx.strict_positions,
        rule=_approx.POSITIONS,
        scene=_scenes.experiment("Strict inequality"),
        curve=True,
        axis=("gap δ between two scores", "position error"),
    ),
    Card(
        "approx-theorem-2",
        "approx",
        "Theorem 2",
        "theorem",
        "The error of AP is below the bound",
        _approx.measure_bound(2),
        rule=_approx.MEASURE_BOUND,
        scene=_scenes.one_list("AP"),
        axis=("error of AP", "list, by its sharpness α"),
    ),
    Card(
        "approx-theorem-3",
        "approx",
        "Theorem 3",
        "theorem",
        "The error of NDCG is below ε/(2 ln 2)",
        _approx.measure_bound(3),
        rule=_approx.MEASURE_BOUND,
        scene=_scenes.one_list("nDCG"),
        axis=("error of NDCG", "list, by its sharpness α"),
    ),
    Card(
        "approx-corollary-1",
        "approx",
        "Corollary 1",
        "theorem",
        "The largest position error of a list is below the bound",
        _approx.whole_list,
        rule=_approx.POSITIONS,
        scene=_scenes.one_list("nDCG"),
        axis=("largest position error", "list, by its sharpness α"),
    ),
    Card(
        "approx-equation-17",
        "approx",
        "Equation 17",
        "claim",
        "γ = 0.5 is the best centre of the cutoff",
        _approx.cutoff_centre,
        rule=_approx.CENTRE,
        scene=_scenes.experiment("Centre of the cutoff"),
        curve=True,
        axis=("centre γ", "worst error"),
    ),
    Card(
        "approx-equation-10",
        "approx",
        "Equation 10",
        "claim",
        "Positions are defined for tied scores",
        _approx.tied_positions,
        rule=_approx.TIES,
        scene=_scenes.experiment("Ties"),
        axis=("NDCG", "rule for ties"),
    ),
    Card(
        "approx-table-2",
        "approx",
        "Table 2",
        "table",
        "Sizes of the data sets",
        _scores.sizes,
        _rows("approx", "Table 2"),
        data=("OHSUMED", "TD2003", "TD2004"),
        rule=_scores.COUNTS,
        scene=CardView("data", {"part": "test"}),
        axis=("count", "quantity"),
    ),
    *(
        Card(
            f"approx-table-3-{name.lower()}",
            "approx",
            "Table 3",
            "table",
            f"MAP on {name}",
            _scores.scores("letor3"),
            _rows("approx", "Table 3", name),
            by="algorithm",
            data=(name,),
            entries=_TABLE_THREE,
            rule=_scores.TOLERATED,
            scene=_scenes.compared(
                "AP", "RankSVM", "ListNet", "AdaRank", "SVMMAP", "ApproxAP"
            ),
            axis=("AP, five-fold test mean", "algorithm"),
        )
        for name in ("TD2003", "TD2004")
    ),
    *(
        Card(
            f"approx-table-4-{name.lower().replace('.', '-')}",
            "approx",
            "Table 4",
            "table",
            f"{name} on OHSUMED, nDCG@k",
            _scores.scores("letor3"),
            _of_table_four(name),
            data=("OHSUMED",),
            entries=_LETOR3,
            rule=_scores.TOLERATED,
            scene=_scenes.trained(_LETOR3[name]),
            curve=True,
            axis=("measure", "five-fold test mean"),
            remark="nDCG@1 rests on one document a query, and nDCG@10 chose the model.",
        )
        for name in _LETOR3
    ),
    Card(
        "approx-section-5-3",
        "approx",
        "Section 5.3",
        "claim",
        "ApproxAP gains more than 15% over SVMMAP in AP, and 20% over AdaRank.MAP",
        _approx.relative_gain("TD2003", "AP", "ApproxAP"),
        data=("TD2003",),
        entries=_TABLE_THREE,
        claimed={"SVMmap": 0.15, "AdaRank.MAP": 0.20},
        rule=_approx.GAINS,
        scene=_scenes.compared("AP", "ApproxAP", "SVMMAP", "AdaRank"),
        axis=("relative gain in AP", "over"),
    ),
    Card(
        "approx-section-5-4",
        "approx",
        "Section 5.4",
        "claim",
        "ApproxNDCG gains 16% over Ranking SVM in nDCG@1, and 8% over two more",
        _approx.relative_gain("OHSUMED", "nDCG@1", "ApproxNDCG"),
        data=("OHSUMED",),
        entries=_LETOR3,
        claimed={"RankSVM": 0.16, "AdaRank.NDCG": 0.08, "SoftRank": 0.08},
        rule=_approx.GAINS,
        scene=_scenes.compared(
            "nDCG@1", "ApproxNDCG", "RankSVM", "AdaRank", "SoftRank"
        ),
        axis=("relative gain in nDCG@1", "over"),
    ),
    Card(
        "approx-table-5",
        "approx",
        "Table 5",
        "table",
        "One start and many, by sharpness",
        _approx.restarts_table,
        _rows("approx", "Table 5"),
        data=("OHSUMED",),
        rule=_approx.TABLE_FIVE,
        scene=CardView("approximation", _scenes.TABLE_FIVE),
        axis=("training nDCG@5", "sharpness α"),
    ),
    Card(
        "approx-section-5-5-2",
        "approx",
        "Section 5.5.2",
        "claim",
        "SoftRank after tuning, training nDCG@5",
        _approx.softrank_tuned,
        _rows("approx", "text of section 5.5.2"),
        data=("OHSUMED",),
        rule=_approx.TUNED,
        scene=_scenes.trained(_LETOR3["SoftRank"], "nDCG@5"),
        axis=("training nDCG@5", "width σ"),
    ),
    Card(
        "approx-table-6",
        "approx",
        "Table 6",
        "table",
        "Seconds per iteration on OHSUMED",
        _approx.pace,
        _rows("approx", "Table 6"),
        data=("OHSUMED",),
        rule=_approx.PACE,
        scene=_scenes.cost("ApproxNDCG", "SoftRank"),
        axis=("seconds per iteration", "algorithm"),
    ),
    *(
        Card(
            key,
            "approx",
            place,
            "figure",
            f"Error of approximate AP along training, for several {symbol}",
            _approx.errors_along("ApproxAP", symbol),
            data=("TD2004", "OHSUMED"),
            stand_in="OHSUMED",
            rule=_approx.errors_fall(symbol),
            scene=CardView("approximation", {**_scenes.ALONG, "approx_measure": "AP"}),
            curve=True,
            axis=("iteration", "mean error ρ"),
        )
        for key, place, symbol in (
            ("approx-figure-1", "Figure 1a", "α"),
            ("approx-figure-1-beta", "Figure 1b", "β"),
        )
    ),
    Card(
        "approx-figure-2",
        "approx",
        "Figure 2",
        "figure",
        "Error of approximate NDCG along training",
        _approx.errors_along("ApproxNDCG"),
        data=("OHSUMED",),
        rule=_approx.errors_fall("α"),
        scene=CardView("approximation", {**_scenes.ALONG, "approx_measure": "nDCG"}),
        curve=True,
        axis=("iteration", "mean error ρ"),
    ),
)

RSRANK = (
    Card(
        "rsrank-lemma-1",
        "rsrank",
        "Lemma 1",
        "theorem",
        "In the proof a swap of neighbours gains at most its weight",
        _rsrank.swaps,
        rule=_rsrank.SWAPS,
        scene=CardView("reduction", {"red_view": "Swaps", **_scenes.UPSIDE_DOWN}),
        axis=("NDCG", "swap"),
    ),
    Card(
        "rsrank-theorem-1",
        "rsrank",
        "Theorem 1",
        "theorem",
        "Pairwise regret bounds NDCG regret",
        _rsrank.regret_bound,
        rule=_rsrank.REGRETS,
        scene=CardView("reduction", _scenes.REGRETS),
        axis=("regret", "order"),
    ),
    Card(
        "rsrank-bound",
        "rsrank",
        "Section 3.3",
        "theorem",
        "A second theorem, not numbered: the weighted pair loss bounds 1 − NDCG",
        _rsrank.loss_bound,
        rule=_rsrank.LOSS_BOUND,
        scene=CardView("reduction", {"red_view": "Pairs", **_scenes.TWO}),
        axis=("1 − NDCG", "labels"),
    ),
    Card(
        "rsrank-equation-4",
        "rsrank",
        "Equation 4",
        "claim",
        "The pair loss is a sum over i < j",
        _rsrank.half_of_the_pairs,
        rule=_rsrank.HALF_OF_THE_PAIRS,
        scene=CardView("reduction", {"red_view": "Pairs", **_scenes.TWO}),
        axis=("loss", "labels"),
    ),
    Card(
        "rsrank-procedure-1",
        "rsrank",
        "Procedure 1",
        "claim",
        "The classifier learns 1{yᵢ > yⱼ}",
        _rsrank.targets,
        rule=_rsrank.TARGETS,
        scene=CardView("reduction", _scenes.REGRETS),
        axis=("1 − NDCG", "labels"),
    ),
    Card(
        "rsrank-equation-12",
        "rsrank",
        "Equation 12",
        "claim",
        "The weight needs no absolute value",
        _rsrank.signed_weights,
        rule=_rsrank.SIGNED_WEIGHTS,
        scene=CardView("reduction", {"red_view": "Pairs", **_scenes.UPSIDE_DOWN}),
        axis=("loss", "list"),
    ),
    Card(
        "rsrank-algorithm-1",
        "rsrank",
        "Algorithm 1",
        "claim",
        "Shrinking by ηg every K steps is the penalty g",
        _rsrank.interval_rule,
        rule=_rsrank.INTERVAL,
        scene=CardView(
            "sparsity", {"sparse_view": "Compare rules", "sparse": "RSRank"}
        ),
        axis=("coefficient", "rule"),
    ),
    Card(
        "rsrank-section-5-1",
        "rsrank",
        "Section 5.1",
        "table",
        "Sizes of the data sets",
        _scores.sizes,
        _rows("rsrank", "section 5.1"),
        data=("OHSUMED", "TD2003"),
        rule=_scores.COUNTS,
        scene=CardView("data", {"part": "test"}),
        axis=("count", "quantity"),
    ),
    *(
        Card(
            f"rsrank-figure-{number}",
            "rsrank",
            f"Figure {number}",
            "figure",
            f"RSRank leads at every cutoff on {name}",
            _scores.leads(
                name,
                RSRANK_DENSE,
                [
                    LeaderboardEntry("LambdaRank", "LambdaRank"),
                    ADARANK_NDCG,
                    LeaderboardEntry("ListNet", "ListNet"),
                ],
                CUTOFFS,
            ),
            data=(name,),
            rule=_scores.LEADS,
            scene=_scenes.compared(
                "nDCG@10", "RSRank", "LambdaRank", "AdaRank", "ListNet"
            ),
            curve=True,
            axis=("cutoff k", "nDCG@k, five-fold test mean"),
        )
        for number, name in ((1, "OHSUMED"), (2, "TD2003"))
    ),
    *(
        Card(
            f"rsrank-significance-{name.lower()}",
            "rsrank",
            "Section 5.2.1",
            "claim",
            title,
            _scores.better(
                name,
                RSRANK_DENSE,
                LeaderboardEntry("LambdaRank", "LambdaRank"),
                measures,
                level,
            ),
            _rows("rsrank", "text 5.2.1", name),
            data=(name,),
            rule=rule,
            scene=_scenes.compared(measures[0], "RSRank", "LambdaRank"),
            axis=("difference in nDCG@k", "measure"),
        )
        for name, title, measures, level, rule in (
            (
                "OHSUMED",
                "RSRank is better than LambdaRank, p < 0.032",
                CUTOFFS[2:],
                0.032,
                _scores.significantly_better(0.032),
            ),
            (
                "TD2003",
                "RSRank gains 6% over LambdaRank in nDCG@1",
                CUTOFFS[:1],
                0.05,
                _scores.GAIN,
            ),
        )
    ),
    *(
        Card(
            f"rsrank-table-1-{name.lower()}",
            "rsrank",
            "Table 1",
            "table",
            f"Features kept on {name} at a change below 3%",
            _rsrank.fraction_left,
            _rows("rsrank", "Table 1", name),
            data=(name,),
            rule=_rsrank.FRACTION,
            scene=_scenes.sparse_path("nDCG@10"),
            axis=("fraction of features", "data set"),
        )
        for name in ("OHSUMED", "TD2003")
    ),
    *(
        Card(
            f"rsrank-figure-3-{name.lower()}",
            "rsrank",
            "Figure 3",
            "figure",
            f"nDCG@k with over without sparsity on {name}",
            _rsrank.ratio_curve,
            _rows("rsrank", "text 5.2.2", f"{name} (test)", "RSRank (sparse)", "max"),
            data=(name,),
            claimed={"mean drop": 0.03},
            rule=_rsrank.DROPS,
            scene=_scenes.sparse_path("nDCG@10"),
            curve=True,
            axis=("cutoff k", "ratio"),
        )
        for name in ("OHSUMED", "TD2003")
    ),
    *(
        Card(
            f"rsrank-figure-{number}",
            "rsrank",
            f"Figure {number}",
            "figure",
            f"{title} nDCG@10 against g",
            _rsrank.over_penalties(split),
            _rows("rsrank", "text 5.2.2", f"OHSUMED ({split})", "RSRank g in", "max"),
            data=("OHSUMED",),
            rule=_rsrank.VARIATION,
            scene=_scenes.sparse_path("nDCG@10"),
            curve=True,
            axis=("penalty g", "nDCG@10"),
        )
        for number, title, split in ((4, "Training", "train"), (5, "Test", "test"))
    ),
    Card(
        "rsrank-features",
        "rsrank",
        "Section 5.2.2",
        "claim",
        "About three features at g = 250",
        _rsrank.kept_features,
        _rows("rsrank", "text 5.2.2", "OHSUMED", "RSRank g=250"),
        data=("OHSUMED",),
        rule=_rsrank.ABOUT_THREE,
        scene=_scenes.sparse_path("nDCG@10"),
        curve=True,
        axis=("penalty g", "features kept, of 45"),
    ),
    *(
        Card(
            f"rsrank-first-rank-{name.lower()}",
            "rsrank",
            "Section 5.2.2",
            "claim",
            f"The first ranks on {name} keep their quality",
            _rsrank.first_rank,
            _rows("rsrank", "text 5.2.2", name, metric="NDCG"),
            data=(name,),
            rule=_rsrank.FIRST_RANKS,
            scene=_scenes.sparse_path("nDCG@1" if name == "OHSUMED" else "nDCG@2"),
            axis=("nDCG, test", "model"),
        )
        for name in ("OHSUMED", "TD2003")
    ),
)

CONERANK = (
    *(
        Card(
            f"conerank-table-1-{name.lower()}-{metric.lower()}",
            "conerank",
            "Table 1",
            "table",
            f"{metric} on {name}",
            _scores.scores("letor4"),
            _rows("conerank", "Table 1", name, metric=metric),
            measure=lambda row: _conerank.measured_by(row.metric),
            by="algorithm",
            data=(name,),
            entries=_CONE,
            rule=_scores.TOLERATED,
            scene=_scenes.compared(
                "AP" if metric == "MAP" else "MeanNDCG",
                *("ConeRank", "RankSVM", "RankBoost", "ListNet", "AdaRank"),
                convention="letor4",
            ),
            remark="Figure 3 has the measure for other numbers of vectors.",
            axis=(
                "AP, five-fold test mean"
                if metric == "MAP"
                else "MeanNDCG, five-fold test mean",
                "algorithm",
            ),
        )
        for name in ("MQ2008", "MQ2007")
        for metric in ("MAP", "NDCG")
    ),
    *(
        Card(
            f"conerank-margin-{name.lower()}",
            "conerank",
            "Section 6.2",
            "claim",
            title,
            _conerank.behind_best,
            data=(name,),
            entries=_CONE,
            claimed=claimed,
            rule=_conerank.MARGIN,
            scene=_scenes.compared(
                "AP",
                *("ConeRank", "RankSVM", "RankBoost", "ListNet", "AdaRank"),
                convention="letor4",
            ),
            axis=("share behind the best", "measure"),
        )
        for name, title, claimed in (
            (
                "MQ2008",
                "ConeRank is within 3% of the best on MQ2008",
                {"MAP": 0.03, "NDCG": 0.03},
            ),
            (
                "MQ2007",
                "ConeRank has the highest MAP on MQ2007, its NDCG is within 2%",
                {"MAP": 0.0, "NDCG": 0.02},
            ),
        )
    ),
    Card(
        "conerank-figure-1",
        "conerank",
        "Figure 1",
        "figure",
        "A proper cone encloses the differences",
        _conerank.proper,
        rule=_conerank.PROPER,
        scene=_scenes.experiment("A cone of few vectors is proper"),
        axis=("distance", "moved"),
    ),
    Card(
        "conerank-figure-2",
        "conerank",
        "Figure 2",
        "figure",
        "A larger sum of weights reaches more differences",
        _conerank.largest_sum,
        rule=_conerank.LARGEST_SUM,
        scene=CardView("cones", {**_scenes.PLANE, "ConeRank.lambda_high": 3.0}),
        curve=True,
        axis=("largest sum of weights λᵤ", "mean squared distance"),
    ),
    Card(
        "conerank-figure-3",
        "conerank",
        "Figure 3",
        "figure",
        "Performance is highest near K = 10",
        _conerank.best_number,
        data=("MQ2007", "MQ2008"),
        stand_in="MQ2008",
        rule=_conerank.BEST_NUMBER,
        scene=CardView("explore", _scenes.OVER_K),
        remark="The paper found its K on MQ2007 and does not say when it stops "
        "training.",
        curve=True,
        axis=("basis vectors K", "AP"),
    ),
    Card(
        "conerank-figure-4",
        "conerank",
        "Figure 4",
        "figure",
        "About ten directions capture most of the energy",
        _conerank.spectrum,
        data=("MQ2007", "MQ2008"),
        stand_in="MQ2008",
        rule=_conerank.DIRECTIONS,
        scene=CardView("cones", _scenes.DIRECTIONS),
        curve=True,
        axis=("directions", "share of the energy"),
    ),
    Card(
        "conerank-theorem-1",
        "conerank",
        "Theorem 1",
        "theorem",
        "The true risk is bounded by the stability",
        _conerank.risk_bound,
        rule=_conerank.RISK_BOUND,
        scene=CardView("cones", _scenes.PLANE),
        curve=True,
        axis=("change of the basis", "added to the training risk"),
    ),
    Card(
        "conerank-theorem",
        "conerank",
        "Theorem 2",
        "theorem",
        "A change of the basis changes a loss by at most β",
        _conerank.stability,
        rule=_conerank.STABILITY,
        scene=CardView("cones", _scenes.PLANE),
        axis=("change of the loss", "random pair"),
    ),
    Card(
        "conerank-negative",
        "conerank",
        "Section 3.2",
        "claim",
        "Differences in the negative cone project to 0",
        _conerank.negative,
        rule=_conerank.NEGATIVE,
        scene=_scenes.experiment("The negative projects to zero"),
        axis=("coordinate of the projection", "coordinate"),
    ),
    Card(
        "conerank-clipping",
        "conerank",
        "Algorithm 1",
        "claim",
        "Clipping and rescaling finds the best weights",
        _conerank.clipping,
        rule=_conerank.CLIPPING,
        scene=_scenes.experiment("Clipping is a projection"),
        axis=("weight", "vector"),
    ),
    Card(
        "conerank-votes",
        "conerank",
        "Algorithm 2",
        "claim",
        "Votes order documents as a linear score does",
        _conerank.linear_order,
        rule=_conerank.LINEAR_ORDER,
        scene=_scenes.experiment("Votes and the linear score"),
        axis=("lists", "count"),
    ),
)

_OTHER_JUDGEMENTS = undecided(
    "Needs the judgements of the slides, which are binary and not given: LETOR has "
    "three levels, and with its upper two as one the values show how the algorithms "
    "compare here, not whether they are those of the slides."
)
_STRUCTURED_DATA = ("OHSUMED", "TD2003", "TD2004", "TREC2000", "TREC2001")
STRUCTURED = (
    *(
        Card(
            f"structured-{key}-{name.lower()}",
            "structured",
            place,
            "table",
            f"{title} on {name}",
            _scores.scores("letor3"),
            _rows("structured", note, name),
            by="algorithm",
            data=(name,),
            entries=_STRUCTURED,
            binary=True,
            rule=_OTHER_JUDGEMENTS if name == "OHSUMED" else _scores.TOLERATED,
            scene=CardView("margins", _scenes.MATRIX),
            axis=("five-fold test mean", "trained for"),
            remark="The slides do not say which judgements of OHSUMED are good ones."
            if name == "OHSUMED"
            else "",
            unobtainable=""
            if name in DATA_SETS
            else f"{name} cannot be computed here: LETOR has no features of it, and "
            "the slides give none. The printed values stand alone.",
        )
        for key, place, note, title in (
            (
                "true-loss",
                "“True” Δ",
                _structured.TRUE_LOSS,
                "Is training on the true loss best?",
            ),
            (
                "accuracy",
                "Accuracy",
                _structured.BY_LOSS,
                "Test accuracy by training loss",
            ),
        )
        for name in _STRUCTURED_DATA
    ),
    *(
        Card(
            f"structured-times-{name.lower()}",
            "structured",
            "Speed",
            "table",
            f"Training times on {name}",
            _structured.times,
            _rows("structured", "speed table", name),
            data=(name,),
            rule=_structured.TIMES,
            scene=_scenes.cost("McRank", "SVMNDCG", "SVMMRR"),
            axis=("seconds", "algorithm"),
        )
        for name in _STRUCTURED_DATA[:3]
    ),
    Card(
        "structured-speed-up",
        "structured",
        "Speed",
        "claim",
        "SVMCombo is 15 times as fast as DORM, 100 times as McRank",
        _structured.speed_ups,
        _rows("structured", "text"),
        data=("OHSUMED",),
        rule=_structured.SPEED_UPS,
        scene=_scenes.cost("SVMCombo", "DORM", "McRank"),
        axis=("times as fast", "algorithm"),
    ),
    Card(
        "structured-more-accurate",
        "structured",
        "Speed",
        "claim",
        "SVMCombo is more accurate than DORM and McRank in over 75% of data sets",
        _structured.more_accurate,
        data=_STRUCTURED_DATA[:3],
        entries={name: _STRUCTURED[name] for name in ("SVMcombo", "DORM", "McRank")},
        binary=True,
        claimed={"share of data sets": 0.75},
        rule=_structured.mostly_ahead(0.75),
        scene=_scenes.compared("nDCG@10", "SVMCombo", "DORM", "McRank"),
        axis=("SVMCombo’s value less the other’s", "measure"),
    ),
    *(
        Card(
            key,
            "structured",
            "Health",
            "figure",
            title,
            _structured.along_c(of, wording),
            data=("OHSUMED",),
            rule=_structured.GROWTH,
            scene=CardView("explore", _scenes.OVER_C),
            curve=True,
            axis=("C", axis),
        )
        for key, title, of, wording, axis in (
            (
                "structured-health",
                "Training removes more of the objective as C grows",
                attrgetter("gain"),
                _structured.objective_removed,
                "share of the objective removed",
            ),
            (
                "structured-length",
                "‖w‖ grows with C",
                attrgetter("norm"),
                _structured.length,
                "‖w‖",
            ),
        )
    ),
    Card(
        "structured-phi-mrr",
        "structured",
        "φₘᵣᵣ",
        "figure",
        "φₘᵣᵣ is far superior to φₚₒ",
        _structured.map_gain,
        data=("OHSUMED",),
        entries={"φₘᵣᵣ": PHI_MRR, "φₚₒ": LeaderboardEntry("SVMMRR", "SVMMRR")},
        rule=_structured.MAP_GAIN,
        scene=CardView("margins", _scenes.MAPS),
        axis=("five-fold test mean", "measure"),
    ),
    Card(
        "structured-combo-bound",
        "structured",
        "SVMCombo",
        "theorem",
        "The weighted slacks bound the sum of risks",
        _structured.combo_bound,
        rule=_structured.COMBO_BOUND,
        scene=_scenes.experiment("SVMCombo bounds every loss"),
        curve=True,
        axis=("C of each loss", "sum"),
    ),
    Card(
        "structured-second-form",
        "structured",
        "Tailoring φ",
        "claim",
        "φₚₒ has a second form",
        _structured.second_form,
        rule=_structured.SECOND_FORM,
        scene=_scenes.experiment("The second form of φₚₒ"),
        axis=("value", "order"),
    ),
    Card(
        "structured-reciprocal",
        "structured",
        "Argmax",
        "claim",
        "1, 1/2, …, 1/k, 0 are the values of Δₘᵣᵣ",
        _structured.reciprocal,
        rule=_structured.RECIPROCAL,
        scene=_scenes.experiment("The values of Δₘᵣᵣ"),
        axis=("loss", "rank of the first relevant document"),
    ),
    Card(
        "structured-template",
        "structured",
        "Template",
        "claim",
        "Merging by score finds the largest Δ + wᵀφₚₒ of every loss",
        _structured.template,
        rule=_structured.TEMPLATE,
        scene=_scenes.experiment("Merging by score finds the worst order"),
        axis=("Δ + wᵀφₚₒ", "loss, 1 less"),
    ),
)

FENCHELRANK = (
    Card(
        "fenchelrank-certificate",
        "fenchelrank",
        "Certificate",
        "theorem",
        "The gap bounds the distance from the optimum",
        _fenchel.certificate,
        rule=_fenchel.CERTIFICATE,
        scene=_scenes.FENCHEL,
        curve=True,
        axis=("iteration", "distance"),
    ),
    Card(
        "fenchelrank-rate",
        "fenchelrank",
        "Rate",
        "theorem",
        "ε-accurate after O(1/ε) iterations",
        _fenchel.rate,
        rule=_fenchel.RATE,
        scene=_scenes.FENCHEL,
        curve=True,
        axis=("iteration", "distance from the optimum"),
    ),
    Card(
        "fenchelrank-early-stopping",
        "fenchelrank",
        "Stopping",
        "claim",
        "A gap of 0.001 is enough for the ranking",
        _fenchel.early_stopping,
        data=("OHSUMED",),
        rule=_fenchel.EARLY,
        scene=_scenes.trained(
            LeaderboardEntry("FenchelRank", "FenchelRank", {"gap_tolerance": 0.001})
        ),
        curve=True,
        axis=("tolerance of the gap", "test nDCG@10"),
    ),
    Card(
        "fenchelrank-hinge",
        "fenchelrank",
        "Section 3",
        "theorem",
        "The pairwise hinge loss bounds 1 − NDCG",
        _fenchel.hinge,
        rule=_fenchel.HINGE,
        scene=CardView("reduction", {"red_view": "Losses"}),
        axis=("1 − NDCG", "bound"),
    ),
)

LIU = (
    Card(
        "liu-table-11-1",
        "liu",
        "Table 11.1",
        "table",
        "Baselines on TD2003",
        _scores.scores("letor3"),
        _rows("liu", "Table 11.1"),
        by="algorithm",
        data=("TD2003",),
        entries=_LIU,
        rule=_scores.TOLERATED,
        scene=_scenes.compared("AP", *_scenes.LIU_NAMES),
        axis=("five-fold test mean", "algorithm"),
    ),
    Card(
        "liu-table-11-9",
        "liu",
        "Table 11.9",
        "table",
        "Baselines on MQ2007",
        _scores.scores("letor4"),
        _rows("liu", "Table 11.9"),
        by="algorithm",
        data=("MQ2007",),
        entries=_LIU,
        rule=_scores.TOLERATED,
        scene=_scenes.compared("AP", *_scenes.LIU_NAMES, convention="letor4"),
        axis=("five-fold test mean", "algorithm"),
    ),
    Card(
        "liu-table-11-8",
        "liu",
        "Table 11.8",
        "table",
        "Winning numbers over seven data sets",
        _scores.scores("letor3"),
        _rows("liu", "Table 11.8"),
        by="algorithm",
        data=("LETOR 3.0 with its seven data sets",),
        unobtainable="It counts, over the seven data sets of LETOR 3.0, how often each "
        "algorithm beats another of the book: that cannot be computed from the five "
        "data sets of these cards. The printed values stand alone.",
        rule=undecided("Needs the seven data sets of LETOR 3.0, over which it counts."),
        scene=_scenes.compared("AP", *_scenes.LIU_NAMES),
        axis=("other algorithms beaten, summed over data sets", "algorithm"),
    ),
)

CARDS: tuple[Card, ...] = (
    *APPROX, *RSRANK, *CONERANK, *STRUCTURED, *FENCHELRANK, *LIU
)  # fmt: skip


def of_paper(paper: str) -> tuple[Card, ...]:
    """Return the cards of a paper, or of all for ``"all"``."""
    return tuple(card for card in CARDS if paper in (card.paper, "all"))


def card(key: str) -> Card:
    """Return the card of that key.

    Raises
    ------
    KeyError
        If there is none.
    """
    return next((c for c in CARDS if c.key == key), None) or _unknown(key)


def _unknown(key: str) -> Card:
    raise KeyError(f"There is no card {key!r}.")
