"""The selected runs: their names and notes, and the actions on them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pages.ui import shared, texts
from pages.ui.away import origins
from pages.ui.catalogue import pages, setting
from pages.ui.data import datasets
from pages.ui.serving import visitor
from pages.views.train.run import PINNED
from rankcore import views
from rankcore.base.errors import DataError
from rankcore.base.numbers import counted
from rankcore.data.trec import qrels_text, trec_run
from rankcore.measures import Rules
from rankcore.training import Run
from rankcore.training.selection import BEST, HOW
from rankcore.training.selection import LAST as LAST_MODEL
from rankcore.views.pins import pin_of, with_new

if TYPE_CHECKING:
    import numpy as np

    from rankcore.data.dataset import RankingDataset
    from rankcore.studies.store import Store, StoredRun

LAST = 10**9
CHOSEN = views.Text("runs_chosen", "", "Chosen runs", inline=True, studied=False)
DELETED = views.Text("runs_undo", "", "Recently deleted", inline=True, studied=False)
AT = views.Number(
    "runs_iteration",
    LAST,
    "Iteration to open",
    low=0,
    whole=True,
    box=True,
    inline=True,
    studied=False,
)
SETTINGS = (CHOSEN, DELETED, AT, PINNED, origins.ORIGINS)
# Pages for several runs, and for a single run, if they exist.
COMPARE, INSPECT = "compare", "inspect"
PINS = "The run stays in the figure on Train beside later runs."
ABSENT = "Not in this run store: {}. Open the link where the run was trained."
OTHERS = "Another visitor's run: only its owner can edit, delete or resume it."
SOME_OTHERS = "Some runs are not yours: you can only delete and bring back your own."
COMMON = (
    "A common run from the command line or Python: `rankscope runs delete` deletes it."
)
READ_ONLY = "Common runs are read-only on this server."


def ids(values: views.Values, key: str = CHOSEN.key) -> list[str]:
    """Return the ids in a setting."""
    return list(dict.fromkeys(filter(None, values[key].split(","))))


def _runs(keys: Sequence[str]) -> "list[StoredRun]":
    return [run for key in keys if (run := views.past.stored(key)) is not None]


def _owns(runs: "Sequence[StoredRun]") -> bool:
    """Whether this visitor may delete the runs."""
    who = visitor.owner()
    return all(run.owned_by(who) for run in runs)


def _editable(runs: "Sequence[StoredRun]") -> bool:
    """Whether this visitor may name, tag and resume the runs."""
    who = visitor.owner()
    return all(run.changeable_by(who) for run in runs)


def blocks(store: "Store", values: views.Values, there_are: bool) -> list[views.Block]:
    """Return the blocks beside the figure for one or several selected runs, or a hint
    if runs are listed and none is selected."""
    runs = _runs(ids(values))
    undo = [*_absent(values, runs), *_undo(store, values)]
    if values.runs_deleted:
        return [*undo, *_in_the_bin(store, runs)]
    if not runs and not there_are:
        return undo
    if not runs:
        hint = "Choose a run in the table to see its curve and open it, several to "
        hint += "compare them."
        return [*undo, views.Caption(hint)]
    if len(runs) == 1:
        return [*undo, *_one(store, runs[0], values)]
    return [*undo, *_several(store, runs)]


def rankings(run: "StoredRun") -> dict[str, Callable[[], str]]:
    """Return files for trec_eval: the best model's rankings and the labels, on the
    queries that selected it; empty if `_unranked` gives a reason."""
    if _unranked(run):
        return {}
    settings = views.past.settings(run)

    def scored() -> "tuple[RankingDataset, np.ndarray]":
        return run.scored(datasets.load(settings["data"], settings["normalise"]))

    def ranked() -> str:
        dataset, scores = scored()
        return trec_run(dataset, scores, run.algorithm)

    stem = f"run-{run.id}-{'valid' if run.valid_fingerprint else 'train'}"
    return {f"{stem}.trec": ranked, f"{stem}.qrels": lambda: qrels_text(scored()[0])}


def _unranked(run: "StoredRun") -> str:
    """Return the reason why a run has no rankings to export; empty if it has."""
    if "best" not in run.models():
        return "no model is stored"
    return (
        "" if datasets.here(views.past.settings(run)["data"]) else "its data is missing"
    )


def _absent(values: views.Values, runs: "Sequence[StoredRun]") -> list[views.Block]:
    """Return a notice about runs of the link that are not stored here."""
    absent = [key for key in ids(values) if key not in {run.id for run in runs}]
    names = ", ".join(texts.literal(key[:32]) for key in absent[:6])
    notice: list[views.Block] = (
        [views.Notice(ABSENT.format(names), warns=True)] if absent else []
    )
    return [*notice, *origins.elsewhere(values)]


def _undo(store: "Store", values: views.Values) -> list[views.Block]:
    keys = [run.id for run in _runs(ids(values, DELETED.key)) if _owns([run])]
    if not keys or values.runs_deleted:
        return []

    def undone() -> dict[str, Any]:
        store.restore(*keys, visitor=visitor.owner())
        return {DELETED.key: "", CHOSEN.key: ",".join(keys)}

    text = f"Deleted {_count(keys)}."
    return [
        views.Row(
            [
                [views.Caption(text)],
                [views.Act("Undo", "runs_restore", undone, icon="undo")],
            ],
            widths=(3, 2),
        )
    ]


def _one(store: "Store", run: "StoredRun", values: views.Values) -> list[views.Block]:
    ended = run.reason or f"{run.status.capitalize()}."
    caption = f"{texts.literal(run.described_data)}. {texts.literal(ended)}"
    return [
        *(_noting(store, run) if _editable([run]) else _noted(run)),
        *([] if _owns([run]) or not _editable([run]) else [views.Caption(COMMON)]),
        views.Caption(caption),
        *([views.Caption(_sentence(run))] if run.best_and_last else []),
        *_without_rankings([run]),
        *_opening(run, values),
        *_going(store, run, values),
    ]


def _sentence(run: "StoredRun") -> str:
    """Return the values of the best and last model, and how the best was selected."""
    how = HOW[run.chosen_by].removeprefix("best ")
    both = run.best_and_last
    return f"{run.measures[0] if run.measures else 'Objective'}: {both}. Best {how}."


def _noting(store: "Store", run: "StoredRun") -> list[views.Block]:
    """Return the fields for title, tags and note of a run."""

    def noted(name: str, read: Callable[[str], Any]) -> Callable[[str], views.Changes]:
        def write(text: str) -> views.Changes:
            store.note(run.id, **{name: read(text)}, visitor=visitor.owner())
            return {}

        return write

    titled = noted("title", lambda text: text.strip() or run.title)
    tags, tagged = ", ".join(run.tags), noted("tags", _tags)
    return [
        views.Edit("Title", "runs_title", run.title, titled),
        views.Row(
            [
                [views.Edit("Tags", "runs_tags", tags, tagged, hint="a, b")],
                [views.Edit("Note", "runs_note", run.notes, noted("notes", str))],
            ]
        ),
    ]


def _noted(run: "StoredRun") -> list[views.Block]:
    """Return the title, the tags and the note of another visitor's run, and why they
    cannot be edited."""
    noted = ". ".join(filter(None, [run.title, ", ".join(run.tags), run.notes]))
    text = READ_ONLY if run.visitor is None else OTHERS
    return [views.Words(f"{texts.literal(noted)}."), views.Caption(text)]


def _several(store: "Store", runs: "Sequence[StoredRun]") -> list[views.Block]:
    def tagged(text: str) -> dict[str, Any]:
        for run in runs:
            tags = [*run.tags, *_tags(text)]
            store.note(run.id, tags=tags, visitor=visitor.owner())
        return {}

    names = "\n".join(f"- {texts.literal(run.described)}" for run in runs[:6])
    more = f"\n- and {len(runs) - 6} more" if len(runs) > 6 else ""
    blocks: list[views.Block] = [
        views.Words(f"**{_count(runs)} chosen**\n{names}{more}")
    ]
    if _editable(runs):
        blocks.append(
            views.Edit("Add tags to all", "runs_tag_all", "", tagged, hint="a, b")
        )
    if COMPARE in pages():
        help_text = "Curves, differences between queries, and tests."
        ids = {"runs": tuple(run.id for run in runs)}
        blocks.append(views.Go("Compare", COMPARE, ids, help_text, "compare_arrows"))
    deleting = _deleting(store, runs) or [views.Caption(SOME_OTHERS)]
    return [*blocks, *_without_rankings(runs), *deleting]


def _without_rankings(runs: "Sequence[StoredRun]") -> list[views.Block]:
    """Return a caption on runs without rankings in Export, with reasons."""
    why = [(run.described, reason) for run in runs if (reason := _unranked(run))]
    each = ", ".join(f"{texts.literal(title)} ({reason})" for title, reason in why)
    return [views.Caption(f"Export has no TREC files for {each}.")] if why else []


def _opening(run: "StoredRun", values: views.Values) -> list[views.Block]:
    """Return links to the run on the Train page at selected iterations."""
    last, best = run.iterations, int(run.best.get("iteration") or 0)
    at = min(values[AT.key], last)

    def link(label: str, at: int, icon: str) -> views.Go:
        settings = {"job": run.id, shared.AT.key: str(at)}
        return views.Go(label, "train", settings, icon=icon)

    ways = [link(f"Open at best ({best})", best, "star")]
    if INSPECT in pages():
        settings = {"run": run.id, shared.AT.key: BEST}
        ways.append(views.Go("Inspect best model", INSPECT, settings, icon="search"))
    return [
        views.Row(
            [
                [views.Ask([replace(AT, high=last).silent()])],
                [link(f"Open at iteration {at}", at, "history")],
            ],
            widths=(2, 3),
        ),
        views.Row([[way] for way in ways]),
    ]


def _held_out(settings: Mapping[str, Any]) -> views.HeldOut | None:
    """Return the queries to compare a run's model on, if its data is available."""
    try:
        splits = datasets.load(settings["data"], settings["normalise"])
    except DataError:
        return None
    terms = {row.key: row.default for row in shared.EVALUATION} | dict(settings)
    rules = Rules(terms["convention"], terms["empty"])
    return views.HeldOut.of(splits, terms["measure"], rules)


def _going(store: "Store", run: "StoredRun", values: views.Values) -> list[views.Block]:
    settings = views.past.settings(run)

    def again() -> Run:
        splits = datasets.load(settings["data"], settings["normalise"])
        return run.again(splits.train, splits.valid if run.valid_fingerprint else None)

    begin = partial(views.Begin, page="train", run=again, settings=settings, plays=True)
    buttons: list[views.Block] = []
    if run.status in ("stopped", "interrupted") and _editable([run]):
        help_text = "Trains the rest, with the same result as an uninterrupted run."
        buttons.append(
            begin("Go on", "runs_go_on", help=help_text, icon="resume", resumes=run)
        )
    buttons.append(begin("Run again", "runs_again", icon="replay"))
    buttons.append(_pin(run, settings, values))
    if run.models().get("best") is not None:
        stem = f"{run.algorithm}-{run.id}"
        buttons.append(
            views.TakeModel(
                "Export model",
                "runs_model",
                "Export it as",
                lambda at=BEST: run.model(at),
                stem,
                partial(_held_out, settings),
                _models(run),
            )
        )
    buttons += _deleting(store, [run])
    pairs = zip_longest(buttons[::2], buttons[1::2])
    return [views.Row([[one], [two] if two else []]) for one, two in pairs]


def _models(run: "StoredRun") -> dict[str, str]:
    """Return the models available for export, with descriptions."""
    first, _, second = run.best_and_last.partition("; ")
    keeps_last = second and LAST_MODEL in run.models()
    return {BEST: first} | ({LAST_MODEL: second} if keeps_last else {})


def _pin(
    run: "StoredRun", settings: Mapping[str, Any], values: views.Values
) -> views.Act:
    text = with_new(values[PINNED.key], pin_of(run.id, settings, setting))
    return views.Act("Pin", "runs_pin", {PINNED.key: text}, PINS, "keep")


def _deleting(store: "Store", runs: "Sequence[StoredRun]") -> list[views.Block]:
    keys = [run.id for run in runs]
    if not _owns(runs):
        return []

    def deleted() -> dict[str, Any]:
        store.delete(*keys, visitor=visitor.owner())
        return {CHOSEN.key: "", DELETED.key: ",".join(keys)}

    label = "Delete" if len(keys) == 1 else f"Delete {_count(keys)}"
    return [views.Act(label, "runs_delete", deleted, "This can be undone.", "delete")]


def _in_the_bin(store: "Store", runs: "Sequence[StoredRun]") -> list[views.Block]:
    keys = [run.id for run in runs]

    def restored() -> dict[str, Any]:
        store.restore(*keys, visitor=visitor.owner())
        return {CHOSEN.key: ""}

    if not keys:
        return [views.Notice("Deleted runs stay here until they are removed for good.")]
    if not _owns(runs):
        return [views.Caption(SOME_OTHERS)]
    return [views.Act(f"Bring back {_count(keys)}", "runs_back", restored, icon="undo")]


def _tags(text: str) -> list[str]:
    return [tag for part in text.split(",") if (tag := part.strip())]


def _count(runs: Sequence[Any]) -> str:
    return counted(len(runs), "runs")
