"""The figures of a page after a change that only the browser knows."""

import pytest

import live_figure
from pages.ui import preview
from pages.ui.catalogue import pages
from rankcore.base.errors import DataError
from rankcore.views import Number, Panel, Training, flat, read
from rankcore.views.preview import Now, PagePreview, asked_for
from rankcore.views.work import Watched

VIEWS = [
    pytest.param(page, name, id=f"{page} {name}")
    for page, own in pages().items()
    for name, view in own.views.items()
    if not isinstance(view.work, Training)
]


def of(page, raw):
    """A page with these settings, before anything has changed."""
    rows = list(page.rows(raw))
    now = Now(page.view(raw), rows, read(rows, raw), raw)
    study = () if now.view.work_for(now.values) is None else (None,)

    def show(values):
        return now.view.show(values, *study)

    return PagePreview(page, now, show(now.values), show)


def figures(after):
    """What a browser is told of the content of a page as it is."""
    blocks, palette = after.shown.blocks, after.now.values.palette
    return preview.live.frames(blocks, palette, large=False)


def opened(page, name):
    page = pages()[page]
    raw = {} if page.choice is None else {page.key: name}
    try:
        return of(page, raw)
    except DataError:
        pytest.skip("Its data are not here.")


def moved(row, values):
    """Where its slider is one step on, or back at its end, and what the setting then
    is; nothing without a slider."""
    if stops := list(row.stop_labels(values)):
        at = stops.index(row.shows(values))
        at = at + 1 if at + 1 < len(stops) else max(at - 1, 0)
        return [(at, stops[at])]
    if not isinstance(row, Number) or row.box or row.names:
        return []
    low, high = row.range(values)
    if high is None or low == high:
        return []
    step = row.step or (1 if row.whole else (high - low) / 100)
    value = values[row.key] + (step if values[row.key] + step <= high else -step)
    return [(value, value)]


@pytest.mark.parametrize(("page", "name"), VIEWS)
def test_figures_after_a_slider_are_those_of_the_page_with_its_setting(page, name):
    before = opened(page, name)
    raw, values = before.now.raw, before.now.values
    for row in (*before.now.rows, *asked_for(before.shown)):
        if row.group or not row.matters(values) or row.computed:
            continue
        for at, value in moved(row, values):
            changes = row.writes(values, value) if row.writes else {row.key: value}
            control = "-".join((*row.key.replace(".", "-").split(" "), "0"))
            settings = {"control": control, "at": at}
            answer = preview.figures(of(before.page, raw), False, settings)
            rows = before.page.rows(raw | changes)
            if before.now.view.refusal(read(rows, raw | changes)) is not None:
                assert answer is None
            elif answer is not None:
                assert answer == figures(of(before.page, raw | changes)), row.key
            else:
                assert before.now.view.work is not None, row.key


@pytest.mark.parametrize(("page", "name"), VIEWS)
def test_figures_after_a_drag_are_those_of_the_page_with_the_point_there(page, name):
    before = opened(page, name)
    raw, values = before.now.raw, before.now.values
    for panel in flat(before.shown.blocks):
        if not isinstance(panel, Panel) or panel.on_drag is None:
            continue
        for trace in panel.picture.data:
            if "drag" not in (trace.get("meta") or {}):
                continue
            axes = "xyz" if "z" in trace["meta"]["drag"] else "xy"
            point = [float(trace[axis][0]) for axis in axes]
            point[0] += 0.25
            named = (trace.get("name", ""), 0, *point)
            changes = panel.on_drag(*named)
            changes = changes(values) if callable(changes) else changes
            settings = {"figure": f"{panel.key}_figure", "trace": named[0], "point": 0}
            settings |= dict(zip(axes, point, strict=True))
            answer = preview.figures(of(before.page, raw), False, settings)
            assert answer == figures(of(before.page, raw | changes)), panel.key


def test_a_setting_without_a_slider_has_no_figures():
    after = opened("margins", "One list")
    report = {"control": "SVMMAP-scaling-0", "at": 1}
    assert preview.figures(after, False, report) is None


def test_a_page_goes_on_from_the_changes_before():
    after = opened("approximation", "One list")
    for key, at in (("approx_alpha", 0), ("approx_k", 3)):
        answer = preview.figures(after, False, {"control": f"{key}-0", "at": at})
    row = next(row for row in after.now.rows if row.key == "approx_alpha")
    least = next(iter(row.stop_labels(after.now.values)))
    changes = {"approx_alpha": least, "approx_k": 3}
    assert answer == figures(of(after.page, after.now.raw | changes))


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"at": 1},
        {"control": "approx_k-0"},
        {"control": "approx_k-0", "at": "high"},
        {"control": "approx_k-0", "at": 1e9},
        {"control": "approx_k-0", "at": float("nan")},
        {"control": "approx_alpha-0", "at": float("inf")},
        {"control": "approx_alpha-0", "at": 99},
        {"control": "approx_alpha-0", "at": -1},
        {"control": "nothing-0", "at": 1},
        {"control": ["approx_k-0"], "at": 1},
        {"figure": "nothing_figure", "trace": "", "point": 0, "x": 1, "y": 1},
        {"figure": "approx_truncation_figure", "trace": "", "point": 0, "x": 1, "y": 1},
        {"figure": "approx_positions_figure", "trace": "documents", "point": 99},
        {"figure": "approx_positions_figure", "trace": "a", "point": "b", "x": "c"},
        {"figure": "approx_positions_figure"},
    ],
)
def test_what_no_page_reports_has_no_figures(told):
    assert preview.figures(opened("approximation", "One list"), False, told) is None


def test_what_a_run_is_made_with_waits_for_the_page():
    watched = Watched("", "", "not begun", None, None)
    page = pages()["train"]
    raw = {"data": "toy-2d"}
    rows = list(page.rows(raw))
    now = Now(page.view(raw), rows, read(rows, raw), raw)

    def show(values):
        return now.view.show(values, watched)

    after = PagePreview(page, now, show(now.values), show)
    assert preview.figures(after, False, {"control": "RSRank-g-0", "at": 3}) is None
    assert preview.figures(after, False, {"control": "train_list-0", "at": 1}) is None


def test_a_report_of_a_figure_that_has_gone_changes_nothing():
    """The page has changed while a point is dragged."""
    reports = []
    live_figure._calling(reports.append, "gone_figure", "dragged")()
    assert reports == []
