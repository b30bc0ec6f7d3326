"""Views, lessons and runs as reports, and as Python; without Streamlit."""

import re
from dataclasses import replace

import pytest

from pages.ui.away import links
from pages.ui.away import reports as away
from pages.ui.catalogue import pages
from pages.ui.lessons import store
from rankcore import RSRank, load_dataset
from rankcore.algorithms import get_algorithm, list_algorithms
from rankcore.data.catalogue import Splits
from rankcore.reports import markdown, open_view
from rankcore.studies.store import open_store
from rankcore.training import Stop, drive
from rankcore.views import Training, read
from tests.soaking import soak

EVERY = [
    links.link(page, page.rows(raw), read(page.rows(raw), raw))
    for page in pages().values()
    for raw in ({page.key: name} for name in page.views)
]


@pytest.mark.parametrize("link", EVERY)
def test_the_link_of_a_view_opens_it(link):
    opened = links.opened(f"http://127.0.0.1:8501/{link}")
    rows = opened.rows()

    assert links.link(opened.page, rows, opened.values()) == link


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("marginss", "There is no page 'marginss'; the pages are approximation, "),
        (
            "margins?margin_view=Nope",
            "margin_view must be one of One list, Trained on",
        ),
        ("margins?nonsense=1", "names the setting 'nonsense', which no view has"),
        ("measures?cutoff=-1", "cutoff must be from"),
        ("home?lesson=nope", "There is no lesson 'nope'; the lessons are 1-no-slope"),
    ],
)
def test_links_that_lead_nowhere_are_refused_with_a_sentence(link, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        away.report(link)


@pytest.mark.parametrize("link", ["measures", soak("cones"), "data?data=toy-2d"])
def test_a_view_s_report_has_its_figures_texts_and_numbers(link):
    opened = links.opened(link)
    part = away.part(opened)
    shown = part.scenes[part.at].light
    html = away.report(link)

    assert html.count('class="plot"') >= len(shown.panels()) > 0
    assert "-badge[" not in html
    for panel in shown.panels():
        assert panel.key in html
    for title in part.explain:
        assert f"<summary>{title}" in html
    assert part.settings


def test_a_view_that_plays_has_a_slider_to_where_its_play_ends():
    part = away.part(links.opened("cones?data=toy-2d"))

    assert len(part.scenes) > 3
    assert part.slider == "Iteration of training"
    assert "Iteration of training" not in dict(part.settings)


def test_a_study_ends_at_the_time_limit_and_the_report_says_so():
    part = away.part(links.opened("train?train_view=Race&data=toy-2d"), seconds=0)

    assert part.notes == [
        "Stopped at the time limit: the report shows the results up to then."
    ]


@pytest.mark.parametrize("most", [2, soak(None)])
def test_a_lesson_s_report_has_every_step_with_its_answer_and_text_for_paper(
    monkeypatch, most
):
    whole = store.find("6-reduction")
    first, *others = whole.steps[:most]
    result = replace(first, paper="Nothing to *press*.")
    lesson = replace(whole, steps=(result, *others))
    monkeypatch.setattr(store, "find", lambda name: lesson)
    html = away.lesson(lesson.name, seconds=0.2)

    assert html.count('<section class="part"') == len(lesson.steps) > 1
    assert html.count("<summary>Answer") == len(lesson.steps)
    assert lesson.title in html
    assert "Nothing to <em>press</em>." in html
    assert first.text[:40] not in html
    assert others[0].text[:20] in html


def step_part(monkeypatch, name, number):
    """A step as a part of its lesson's file."""
    parts = []
    monkeypatch.setattr(away, "page", lambda title, views, *_: parts.extend(views))
    lesson = store.find(name)
    alone = replace(lesson, steps=lesson.steps[number - 1 : number])
    monkeypatch.setattr(store, "find", lambda _: alone)
    away.lesson(name)
    return parts[0]


def notes(shown):
    return [
        note.get("text")
        for panel in shown.panels()
        for note in panel.picture.layout.get("annotations", ())
    ]


def test_a_lesson_s_file_points_at_the_mark_once_nothing_is_left_to_guess(monkeypatch):
    open_step = step_part(monkeypatch, "2-alpha", 1)
    assert "document 5" in notes(open_step.scenes[0].light)
    assert "document 5" in notes(open_step.scenes[0].dark)
    assert open_step.answered is None


def test_a_lesson_s_file_tells_nothing_before_the_answer(monkeypatch):
    guessed = step_part(monkeypatch, "2-alpha", 4)
    before, after = guessed.scenes[0].light, guessed.answered.scenes[0].light
    words = "no force"
    assert words in notes(after)
    assert words not in notes(before)
    assert after.facts
    assert not before.facts


def test_a_lesson_s_file_shows_the_settings_of_its_answer(monkeypatch):
    turned = step_part(monkeypatch, "14-certificate", 1)
    assert turned.scenes[turned.at].label == "0"
    assert turned.answered.scenes[turned.answered.at].label == "1"


def test_a_lesson_s_file_shows_the_example_of_a_step_and_no_whole_data(monkeypatch):
    def trained(*_):
        raise AssertionError("The step has an example.")

    monkeypatch.setattr(away, "work_of", trained)
    step = step_part(monkeypatch, "3-zeros", 3)
    shown = step.scenes[0].light
    assert shown.panels()
    assert not shown.tables
    assert not step.notes


LESSONS = [
    pytest.param(name, marks=[] if name == "5-margins" else pytest.mark.soak)
    for name in store.files()
]


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_s_file_has_3_megabytes_and_its_studies_to_their_end(name):
    """As the page of lessons writes it."""
    steps = pages()["lessons"].views["Lessons"]
    html = steps.show(read(steps.rows({}), {})).files[f"{name}.html"]()
    assert len(html.encode()) <= 3_000_000
    assert "time limit" not in html


@pytest.fixture
def stored(tmp_path):
    train, valid, _ = load_dataset("toy-2d")
    with open_store(f"sqlite:///{tmp_path / 'own.sqlite'}", quiet=True) as store:
        run = drive(
            RSRank(g=3.0, random_state=4), train, valid, stop=Stop(12),
            measures=("nDCG@5", "AP"),
        )  # fmt: skip
        with store.recording(run) as recorder:
            for _ in run:
                pass
        yield store.load(recorder.id), Splits(train, valid)


def test_a_stored_run_s_report_goes_through_its_iterations(stored):
    run, splits = stored
    html = away.stored_run(run, splits)

    assert 'max="12" value="12"' in html
    for text in (run.id, run.fingerprint, "Sparsity", "nDCG@5", "toy-2d train"):
        assert text in html


def test_the_link_of_a_stored_run_gives_its_report(stored, monkeypatch):
    run, _ = stored
    monkeypatch.setattr(away.past, "stored", lambda key: run if key == "k" else None)

    assert run.fingerprint in away.report("train?job=k")
    assert 'max="12" value="3"' in away.report("train?job=k&at=3")
    with pytest.raises(ValueError, match="no iteration 99"):
        away.report("train?job=k&at=99")
    for make in (away.report, away.show):
        with pytest.raises(ValueError, match="no iteration 99"):
            make("train?data=toy-2d&RSRank.max_iter=12&at=99")


def test_a_stored_run_needs_its_own_data(stored):
    run, _ = stored
    train, valid, _ = load_dataset("toy-3d")

    with pytest.raises(ValueError, match="was trained on other data"):
        away.stored_run(run, Splits(train, valid))


def test_a_view_opens_in_python():
    shown = open_view("measures?ranking=A2-B0-C1")

    assert shown.panels()[0].picture.figure().data
    assert shown.exports()["Terms of nDCG@5"]


def formulas():
    """Every formula of the explanations and of the algorithms."""
    texts = [f"$$\n{get_algorithm(name).equation}\n$$" for name in list_algorithms()]
    for page in pages().values():
        for view in page.views.values():
            texts += view.explained(read(view.rows({}), {})).values()
    for text in texts:
        yield from re.findall(r"<math.*?</math>", markdown.html_of(text), re.DOTALL)


def test_every_formula_is_drawn():
    values = list(formulas())

    assert len(values) > 90
    assert not [formula for formula in values if "\\" in formula]


@pytest.mark.soak
@pytest.mark.parametrize("link", EVERY)
def test_every_view_makes_a_report(link):
    opened = links.opened(link)
    limit = None if isinstance(opened.page.view(opened.raw).work, Training) else 60

    assert "<figure>" in away.report(link, seconds=limit) or link in ("lessons", "home")
