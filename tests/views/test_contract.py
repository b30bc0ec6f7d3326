"""The contract of every view: settings, blocks, study and presets."""

import dataclasses
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from pages.ui.catalogue import pages
from rankcore import DataError
from rankcore.base.kernel_cache import VARIABLE
from rankcore.views import (
    Choice,
    Declared,
    Listed,
    Number,
    Points,
    Setting,
    Training,
    Values,
    View,
    read,
)
from tests import viewing
from tests.digits import of_controls, of_tabs, too_long
from tests.drawing import undrawn
from tests.soaking import soak, spread
from tests.viewing import at_first, shown, studied, unsound

pytestmark = pytest.mark.contract

ROOT = Path(__file__).parents[2]
SMALL = {"data": "toy-2d"}
# So little that a study ends soon.
SHORT = {
    "values": 4, "RSRank.max_iter": 20, "map_values": 5, "map_iterations": 5,
    "search_models": 10, "search_iterations": 5, "vary_iterations": 5,
    "compared_limit": 5, "click_sessions": 250,
}  # fmt: skip
# Controls beside the figures that are drawn open; others are in a group.
MOST_CONTROLS = 4
VIEWS = [
    pytest.param(page.name, view, id=f"{page.name}-{name}")
    for page in pages().values()
    for name, view in page.views.items()
]
STUDIES = [
    param
    for param in VIEWS
    if param.values[1].work is not None
    and not isinstance(param.values[1].work, Training)
]
CLAIMS = viewing.view("papers", "Claims")
(CLAIM,) = (row for row in CLAIMS.rows({}) if row.key == "papers_experiment")


@pytest.fixture(scope="module", autouse=True)
def data_folder(tmp_path_factory):
    """A folder of data of which some cannot be read, which changes no view."""
    place = tmp_path_factory.mktemp("data")
    (place / "shop").mkdir()
    (place / "shop" / "dataset.json").write_text("[1]")
    for name in ("mine", "broken"):
        shutil.copytree(ROOT / "data" / "toy-2d", place / name / "Fold1")
    with (place / "broken" / "Fold1" / "train.csv").open("a") as train:
        train.write("broken\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANKSCOPE_DATA", str(place))
        yield place


def small(view: View, **chosen: object) -> Values:
    """The values by default on small data, but for those chosen."""
    raw = SMALL | chosen
    return read(view.rows(raw), raw)


def faults(view: View, values: Values) -> list[str]:
    """What is wrong with a view as it is shown before any study."""
    refusal = view.refusal(values)
    if refusal is not None:
        return [] if refusal.strip().endswith(".") else [f"refuses with {refusal!r}"]
    shown = at_first(view, values)
    items = list(unsound(shown))
    if view.work is None and not (shown.blocks or shown.exports()):
        items.append("shows nothing")
    return items


def texts_of(shown: object) -> Iterator[str]:
    """All texts of what a view shows."""
    if isinstance(shown, str):
        yield shown
    elif dataclasses.is_dataclass(shown):
        for field in dataclasses.fields(shown):
            yield from texts_of(getattr(shown, field.name))
    elif isinstance(shown, Mapping):
        yield from texts_of([*shown, *shown.values()])
    elif isinstance(shown, Iterable):
        for inner in shown:
            yield from texts_of(inner)


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_it_is_shown_by_default_and_names_no_folder_of_the_server(
    page, view, data_folder
):
    values = small(view, data="mine/Fold1")
    assert faults(view, values) == []
    if view.refusal(values) is None:
        shown = at_first(view, values)
        assert list(undrawn(page, shown)) == []
        places = str(data_folder.parent), str(ROOT), str(Path.home())
        texts = "\n".join(texts_of(shown))
        assert not [place for place in places if f"{place}/" in texts]


@pytest.mark.parametrize("claim", CLAIM.examples(read(CLAIMS.rows({}), {})))
def test_every_claim_draws_its_numbers(claim):
    result = shown(CLAIMS, papers_experiment=claim)
    assert list(unsound(result)) == []
    assert list(undrawn("papers", result)) == []


@pytest.mark.parametrize(("page", "view"), VIEWS)
@pytest.mark.parametrize(
    ("data", "file"),
    [
        ("shop-sample", "shop/dataset.json"),
        ("broken/Fold1", "broken/Fold1/train.csv"),
    ],
)
def test_data_that_cannot_be_read_is_an_error_with_a_place(page, view, data, file):
    try:
        result = faults(view, small(view, data=data))
    except DataError as error:
        # The frame shows it.
        result = [] if error.file == file else [error]
    assert result == []


@pytest.mark.long
@pytest.mark.parametrize(("page", "view"), VIEWS)
@pytest.mark.parametrize("most", [4, soak(None)])
def test_it_is_shown_at_every_end_and_choice_of_each_setting(page, view, most):
    values = small(view)
    settings = {}
    for row in view.rows(SMALL):
        if row.shown_when is not None and not row.shown_when(values):
            continue
        for value in spread(row.examples(values), most):
            changed = row.writes(values, value) if row.writes else {row.key: value}
            wrong = faults(view, small(view, **changed))
            if wrong:
                settings[row.key, value] = wrong
    assert settings == {}


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_every_preset_sets_what_there_is(page, view):
    for title, changes in view.scenarios({}).items():
        raw = dict(changes)
        values = read(view.rows(raw), raw)
        for key, value in changes.items():
            assert values[key] == value, (title, key)


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_settings_are_named_explained_and_read_back(page, view):
    values = small(view)
    for row in view.rows(SMALL):
        assert row.label, row.key
        assert not re.match(r"[A-Z][a-z]+[A-Z]", row.label), "the name of a class"
        for value in {row.default, values[row.key], *row.examples(values)}:
            assert row.parse(row.format(value)) == row.check(value), row.key


def awkward(view: View) -> dict[str, float]:
    """Values with all digits of the settings that are real numbers."""
    settings = {}
    for row in view.rows(SMALL):
        result = row.declared if isinstance(row, Declared) else row
        low, high = getattr(result, "low", None), getattr(result, "high", None)
        whole = (
            getattr(result, "whole", False) or getattr(result, "kind", "real") != "real"
        )
        few = getattr(row, "stops", ())
        if low is not None and high is not None and not (whole or few):
            settings[row.key] = low + (high - low) / math.pi
    return settings


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_numbers_that_people_read_have_three_digits(page, view):
    """Of controls, of explanations, and of what is shown of settings with more."""
    long = awkward(view)
    for raw in ({}, *view.scenarios({}).values(), SMALL | long):
        rows = view.rows(raw)
        values = read(rows, raw)
        assert list(too_long(of_controls(rows, values))) == []
        assert list(too_long(of_tabs(view.explained(values)))) == []
        if raw.keys() >= long.keys():
            assert [fault for fault in faults(view, values) if "number" in fault] == []


@pytest.mark.parametrize(("page", "view"), STUDIES)
def test_a_study_that_a_picture_does_not_wait_for_is_optional(page, view):
    values = small(view)
    drawn = bool(view.show(values, None).panels())
    assert view.work_for(values).optional == drawn


@pytest.mark.parametrize(("page", "view"), STUDIES)
def test_its_study_fills_its_picture(page, view):
    values = small(view, **SHORT)
    assert view.refusal(values) is None
    study = studied(view, values)
    assert study.reason
    assert study.done == study.total
    shown = view.show(values, study)
    assert shown.panels()
    assert list(unsound(shown)) == []
    assert list(undrawn(page, shown)) == []


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_few_controls_are_in_sight(page, view):
    defaults = read(view.rows({}), {})
    chosen = [
        {row.key: name}
        for row in view.rows({})
        if isinstance(row, Choice)
        for name in row.examples(defaults)
    ]
    for raw in ({}, *view.scenarios({}).values(), *chosen):
        rows = view.rows(raw)
        values = read(rows, raw)
        seen = {
            row.key: boxes(row, values)
            for row in rows
            if not row.group and not row.inline and row.matters(values)
        }
        assert sum(seen.values()) <= MOST_CONTROLS, (raw, seen)


def boxes(row: Setting, values: Values) -> int:
    """How many controls a setting has: points have one for each coordinate, and one to
    choose among them."""
    if not isinstance(row, Points):
        return 1
    return row.points(values).shape[1] + (len(row.names) > 1)


def test_a_setting_is_declared_once():
    settings: dict[str, Setting] = {}
    for page in pages().values():
        for view in page.views.values():
            for row in view.every_row():
                # A view may say where a setting stands and what else it changes.
                plain = dataclasses.replace(row, inline=False, group="", writes=None)
                if isinstance(plain, Number):
                    # A view may narrow the range to what it shows.
                    plain = dataclasses.replace(plain, limits=None, names=None)
                if isinstance(plain, Listed) and plain.reads is not None:
                    # What any text can name, a view may offer or leave out.
                    plain = dataclasses.replace(plain, names=(), shown_when=None)
                result = settings.setdefault(row.key, plain)
                if isinstance(plain, Listed) and isinstance(plain.names, Mapping):
                    # A view may offer fewer names, and draw no control for one.
                    fewer, more = sorted([plain.names, result.names], key=len)
                    assert fewer.items() <= more.items(), row.key
                    shown_when = (result if len(fewer) == 1 else plain).shown_when
                    plain = dataclasses.replace(
                        plain, names=result.names, shown_when=shown_when
                    )
                if not row.key[:1].isupper():
                    assert result == plain, row.key


LOADS = """
import sys
from rankcore.base.compiling import telling

with telling(lambda: print("compiling")):
    from pages.ui.catalogue import known_settings, pages
    from rankcore.reports.app import away

    assert known_settings()
    assert all(page.views for page in pages().values())
    assert away()
assert "streamlit" not in sys.modules
"""


def test_loading_views_and_reports_imports_no_streamlit_and_compiles_nothing(tmp_path):
    answer = subprocess.run(
        [sys.executable, "-c", LOADS],
        cwd=ROOT,
        env={**os.environ, VARIABLE: str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (answer.returncode, answer.stdout) == (0, ""), answer.stderr[-2000:]
