"""Modules by the names that they had before; these go with the next version."""

from __future__ import annotations

import importlib
import importlib.machinery
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

OLD = {
    "arithmetic": "mathematics.arithmetic",
    "catalogue": "data.catalogue",
    "cells": "studies.cells",
    "changes": "training.changes",
    "charts": "plot",
    "charts.approximation": "topics.approximation.list_figure",
    "charts.approximation_errors": "topics.approximation.errors_figure",
    "charts.approximation_training": "topics.approximation.training_figure",
    "charts.chips": "topics.inspect.chips_figure",
    "charts.coefficients": "topics.train.coefficients_figure",
    "charts.compare": "topics.compare.differences_figure",
    "charts.compare_curves": "topics.compare.curves_figure",
    "charts.compare_models": "topics.compare.models_figure",
    "charts.compare_queries": "topics.compare.queries_figure",
    "charts.compare_ranks": "topics.compare.ranks_figure",
    "charts.cone": "topics.cones.cone_figure",
    "charts.cone_claims": "topics.cones.claims_figure",
    "charts.cone_folding": "topics.cones.folding_figure",
    "charts.cone_interior": "topics.cones.interior_figure",
    "charts.cone_plane": "topics.cones.plane_figure",
    "charts.cone_quality": "topics.cones.spectrum_figure",
    "charts.cone_seen": "topics.cones.sight_figure",
    "charts.cone_space": "topics.cones.space_figure",
    "charts.cone_training": "topics.cones.training_figure",
    "charts.data": "topics.datasets.description_figure",
    "charts.end_points": "topics.approximation.end_points_figure",
    "charts.inspection": "topics.inspect.inspection_figure",
    "charts.landscape": "topics.approximation.landscape_figure",
    "charts.leaderboard": "topics.papers.leaderboard_figure",
    "charts.map_cell": "topics.explore.cell_figure",
    "charts.map_curve": "topics.explore.curve_figure",
    "charts.map_lines": "topics.explore.lines_figure",
    "charts.map_words": "topics.explore.map_words",
    "charts.maps": "topics.explore.map_figure",
    "charts.margin_claims": "topics.margins.claims_figure",
    "charts.margin_hand": "topics.margins.hand_figure",
    "charts.margin_merges": "topics.margins.merges_figure",
    "charts.margin_rounds": "topics.margins.rounds_figure",
    "charts.margin_training": "topics.margins.training_figure",
    "charts.margins": "topics.margins.order_figure",
    "charts.measures": "topics.measuring.terms_figure",
    "charts.multiples": "topics.train.multiples_figure",
    "charts.numbers": "plot.numbers",
    "charts.pair_losses": "topics.reduction.pair_losses_figure",
    "charts.palette": "plot.palette",
    "charts.papers": "topics.papers.claims_figure",
    "charts.parallel": "topics.explore.parallel_figure",
    "charts.path_rules": "topics.sparsity.rules_figure",
    "charts.path_views": "topics.sparsity.views_figure",
    "charts.race": "topics.train.race_figure",
    "charts.reduction": "topics.reduction.swaps_figure",
    "charts.regrets": "topics.reduction.regrets_figure",
    "charts.ring": "topics.approximation.ring_figure",
    "charts.runs": "topics.runs.runs_figure",
    "charts.scenes": "topics.approximation.scenes_figure",
    "charts.search": "topics.explore.search_figure",
    "charts.sensitivity": "topics.explore.sensitivity_figure",
    "charts.sparsity": "topics.sparsity.trade_off_figure",
    "charts.sphere": "topics.approximation.sphere_figure",
    "charts.trade_offs": "topics.explore.trade_offs_figure",
    "charts.training": "topics.train.training_figure",
    "charts.why": "topics.inspect.why_figure",
    "compiling": "base.compiling",
    "data.readers.feature_log": "data.formats.feature_log",
    "data.readers.group_sizes": "data.formats.parts.group_sizes",
    "data.readers.judgements": "data.judgements",
    "data.readers.letor": "data.formats.letor",
    "data.readers.table": "data.formats.parts.table",
    "dataset": "data.dataset",
    "differences": "mathematics.differences",
    "errors": "base.errors",
    "executors": "compute.executors",
    "experiments": "studies.experiments",
    "exports": "studies.exports",
    "grids": "base.grids",
    "hyperparameters": "base.hyperparameters",
    "insight": "topics",
    "insight.agreement": "topics.compare.agreement",
    "insight.approximate_list": "topics.approximation.approximate_list",
    "insight.approximation": "topics.approximation.bounds",
    "insight.approximation_claims": "topics.approximation.claims",
    "insight.approximation_run": "topics.approximation.training",
    "insight.bands": "topics.train.bands",
    "insight.bootstrap": "topics.sparsity.changes",
    "insight.brush": "topics.explore.brush",
    "insight.coefficients": "topics.train.coefficients",
    "insight.comparable": "topics.compare.comparable",
    "insight.comparison": "topics.compare.comparison",
    "insight.comparison_plan": "topics.compare.comparison_plan",
    "insight.computed": "topics.explore.computed",
    "insight.cone": "topics.cones.cone",
    "insight.cone_claims": "topics.cones.claims",
    "insight.cone_view": "topics.cones.sight",
    "insight.curves": "topics.train.curves",
    "insight.data": "topics.datasets.description",
    "insight.data_checks": "topics.datasets.checks",
    "insight.directions": "topics.approximation.directions",
    "insight.edits": "topics.inspect.edits",
    "insight.end_points": "topics.approximation.end_points",
    "insight.entries": "topics.train.entries",
    "insight.explanation": "topics.train.explanation",
    "insight.first_sight": "topics.home.first_sight",
    "insight.hand_list": "topics.measuring.hand_list",
    "insight.inspection": "topics.inspect.inspection",
    "insight.landscape": "topics.approximation.landscape",
    "insight.maps": "topics.explore.maps",
    "insight.margin_claims": "topics.margins.claims",
    "insight.margin_matrix": "topics.margins.matrix",
    "insight.margin_merges": "topics.margins.merges",
    "insight.margin_models": "topics.margins.models",
    "insight.margin_rounds": "topics.margins.rounds",
    "insight.margin_training": "topics.margins.training",
    "insight.margins": "topics.margins.order",
    "insight.measure_terms": "topics.measuring.terms",
    "insight.model_curves": "topics.approximation.model_curves",
    "insight.model_study": "topics.explore.model_study",
    "insight.pace": "topics.train.pace",
    "insight.pair_losses": "topics.reduction.pair_losses",
    "insight.race": "topics.train.race",
    "insight.ranking": "topics.inspect.ranking",
    "insight.reduction": "topics.reduction.swaps",
    "insight.regrets": "topics.reduction.regrets",
    "insight.replacing": "topics.compare.replacing",
    "insight.run_names": "topics.train.run_names",
    "insight.scenes": "topics.approximation.scenes",
    "insight.score_list": "topics.approximation.score_list",
    "insight.search": "topics.explore.search",
    "insight.sensitivity": "topics.explore.sensitivity",
    "insight.shrinkage": "topics.sparsity.shrinkage",
    "insight.slices": "topics.compare.slices",
    "insight.sparsity": "topics.sparsity.paths",
    "insight.table_five": "topics.approximation.table_five",
    "insight.toy": "topics.home.toy",
    "insight.trade_offs": "topics.explore.trade_offs",
    "insight.trained": "topics.compare.trained",
    "insight.trained_cone": "topics.cones.trained",
    "insight.unjudged": "topics.datasets.unjudged",
    "insight.verdict": "topics.train.verdict",
    "insight.why": "topics.inspect.why",
    "insight.wins": "topics.compare.wins",
    "interop": "studies.interop",
    "jobs": "studies.jobs",
    "mathematics.assignment_loss": "algorithms.parts.margins.assignment_loss",
    "mathematics.cones": "algorithms.parts.cones",
    "mathematics.content_order": "algorithms.parts.content_order",
    "mathematics.forest_columns": "base.forest_columns",
    "mathematics.forests": "algorithms.parts.trees.forests",
    "mathematics.gain_sums": "algorithms.parts.gain_sums",
    "mathematics.line_search": "algorithms.parts.line_search",
    "mathematics.margin_losses": "algorithms.parts.margins.margin_losses",
    "mathematics.scales": "algorithms.parts.scales",
    "mathematics.scoring": "algorithms.parts.scoring",
    "models": "studies.models",
    "numbers": "base.numbers",
    "papers": "topics.papers",
    "papers.bench": "topics.papers.bench",
    "papers.boards": "topics.papers.boards",
    "papers.card": "topics.papers.card",
    "papers.cards": "topics.papers.cards",
    "papers.entry": "topics.papers.entry",
    "papers.published": "topics.papers.published",
    "papers.ranking": "topics.papers.ranking",
    "papers.report": "topics.papers.report",
    "papers.results": "topics.papers.results",
    "papers.rules": "topics.papers.rules",
    "papers.value": "topics.papers.value",
    "partitions": "data.partitions",
    "past": "views.past",
    "paths": "studies.paths",
    "planted": "data.planted",
    "readers": "data.readers",
    "reduction": "training.reduction",
    "reports.scores": "studies.scores",
    "reports.trec": "data.trec",
    "restarts": "studies.restarts",
    "samples": "data.samples",
    "searches": "studies.searches",
    "selection": "training.selection",
    "statistics": "mathematics.statistics",
    "steps": "training.steps",
    "store": "studies.store",
    "sweeps": "studies.sweeps",
    "symbols": "base.symbols",
    "warmup": "topics.warmup",
}


def now(name: str) -> str:
    """Return the present name of a module, or of one in a package that has moved; empty
    of any other."""
    top, _, rest = name.partition(".")
    if top != "rankcore" or not rest:
        return ""
    if rest in OLD:
        return f"rankcore.{OLD[rest]}"
    package, _, module = rest.rpartition(".")
    if package not in OLD:
        return ""
    from importlib.util import find_spec

    moved = f"rankcore.{OLD[package]}.{module}"
    return moved if find_spec(moved) else ""


class Finder:
    """Import hook that gives the module of now by its old name, and says so."""

    def find_spec(
        self, fullname: str, path: Any, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return what loads an old name; None of any other."""
        if not now(fullname):
            return None
        loader: Any = self
        return importlib.machinery.ModuleSpec(fullname, loader, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Leave it to Python to make a module, which `exec_module` replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of now in the place of the one of an old name; a package gives
        what it had."""
        import warnings

        old = module.__name__
        new = now(old)
        warnings.warn(
            f"{old} is {new} now; the old name goes with the next version.",
            DeprecationWarning,
            stacklevel=2,
        )
        target = importlib.import_module(new)
        if not hasattr(target, "__path__"):
            sys.modules[old] = target
            return

        def attribute(name: str) -> Any:
            if f"{old}.{name}".removeprefix("rankcore.") in OLD:
                return importlib.import_module(f"{old}.{name}")
            return getattr(target, name)

        vars(module)["__getattr__"] = attribute


def install() -> None:
    """Take old names in imports from now on."""
    finder: Any = Finder()
    sys.meta_path.insert(0, finder)
