"""The Lessons page and the bar above every page while a lesson is open."""

import secrets

import pytest

from pages.ui import link, registry
from pages.ui.away import links
from pages.ui.catalogue import pages
from pages.ui.lessons import draft, panels, place, slide
from pages.ui.lessons import store as lesson_store
from pages.ui.serving import visitor
from rankcore.data.uploads import Newest
from rankcore.studies.jobs import Steering
from rankcore.studies.store import StoreError
from rankcore.views import past
from rankcore.views.lessons import LEVELS
from tests.soaking import soak
from tests.viewing import view
from tests.views.uploads.test_upload import LETOR

SHORT = ("1-no-slope", "5-margins", "6-reduction")
SHIPPED = [path.stem for path in sorted(lesson_store.HERE.glob("*.yaml"))]
FIRST, ZEROS = "1-no-slope", "3-zeros"
# `tests.views` checks the settings of every step; most walks take several seconds.
WALKED = [
    pytest.param(name, marks=[] if name in SHORT else pytest.mark.soak)
    for name in SHIPPED
]
HEAD = "title: A title\nsummary: What it is about.\nsteps:\n"


def start(run_app, name, kind="start"):
    page = run_app("lessons")
    page.button(key=f"{kind}_{name}").click().run()
    return press(page)


def press(page, key=None):
    """Press a button on the page of the step, where a visitor's browser is."""
    if key is not None:
        page.button(key=key).click().run()
    lesson = lesson_store.find(page.session_state["lesson"])
    step = lesson.steps[int(page.query_params.get("step", 1)) - 1]
    # The test's browser does not follow the app from page to page by itself, and draws
    # of a page only what a control has changed.
    return page.switch_page(f"pages/{step.page}.py").run()


def test_lessons_of_a_level_show_pictures_of_their_own(run_app, monkeypatch):
    shown = []
    monkeypatch.setattr(panels.st, "image", lambda image, **_: shown.append(image))
    assert not run_app("lessons").exception
    # The page may have begun to draw before.
    cards = shown[-len(SHIPPED) :]
    first = [name for name in SHIPPED if _level(name) == LEVELS[0]]
    assert len(set(cards[: len(first)])) == len(first)
    # Three lessons are on Cones alone, or nearly so.
    assert len(set(cards)) >= len(cards) - 2


def _level(name):
    return lesson_store.find(name).level


def texts(page):
    """What stands between figures, without the picture of the first."""
    return [e.value for e in page.markdown if "rs-still" not in e.value]


def cutoff(page):
    """The slider of the cutoff, whichever it is by now."""
    (slider,) = (one for one in page.slider if one.label.startswith("Cutoff"))
    return slider


def has_button(page, key):
    return any(button.key == key for button in page.button)


@pytest.mark.parametrize("runner", ["run_page", "run_app"])
def test_all_lessons_are_offered(request, runner):
    page = request.getfixturevalue(runner)("lessons")

    assert not page.exception
    assert not page.error
    assert all(has_button(page, f"start_{name}") for name in SHIPPED)


@pytest.mark.parametrize("name", WALKED)
def test_every_step_sets_its_page_up(run_app, name):
    lesson = lesson_store.find(name)
    page = start(run_app, name)
    for number, step in enumerate(lesson.steps, start=1):
        assert not page.exception, (number, page.exception[0].message)
        assert step.text in texts(page)
        assert step.question in texts(page)
        assert not has_button(page, "lesson_again")
        for key, value in step.settings.items():
            assert page.session_state[key] == value, (number, key)
        if number < len(lesson.steps):
            press(page, "lesson_next")
    assert page.button(key="lesson_next").disabled


def test_a_step_leaves_nothing_of_the_one_before(run_app):
    page = start(run_app, FIRST)
    for _ in range(3):
        press(page, "lesson_next")
    cutoff(page).set_value(2).run()
    assert page.session_state["cutoff"] == 2
    page.run()
    press(page, "lesson_next")

    assert cutoff(page).value == view("measures", "One list").settings[1].default


def test_back_and_leave(run_app):
    page = start(run_app, FIRST)
    assert page.button(key="lesson_back").disabled
    press(page, "lesson_next")
    press(page, "lesson_back")
    assert page.session_state["step"] == 1
    page.button(key="lesson_leave").click().run()
    page.run()

    assert not has_button(page, "lesson_next")
    assert "lesson" not in page.query_params


def test_an_answer_is_shown_on_demand_and_only_there(run_app):
    lesson = lesson_store.find(FIRST)
    page = start(run_app, FIRST)
    assert lesson.steps[0].answer not in texts(page)
    press(page, "lesson_show_answer")
    assert lesson.steps[0].answer in texts(page)
    press(page, "lesson_next")

    assert lesson.steps[1].answer not in texts(page)


def test_a_link_brings_the_step_its_settings_and_its_view(run_page):
    step = lesson_store.find(FIRST).steps[4]
    page = run_page(step.page, lesson=FIRST, step="5", present="1")

    assert not page.exception
    assert step.text in texts(page)
    assert page.button(key="lesson_present").label == "Exit presentation"
    assert page.session_state["alpha"] == step.settings["alpha"]


def test_settings_in_a_link_win_over_those_of_the_step(run_page):
    page = run_page("measures", lesson=FIRST, step="5", alpha="2.0")

    assert page.session_state["alpha"] == 2.0
    page.button(key="lesson_again").click().run()
    assert page.session_state["alpha"] == 20.0


def arrows(figures):
    """The words of arrows in the figures of a page."""
    notes = [
        n for item in figures.values() for n in item["layout"].get("annotations", ())
    ]
    return [note["text"] for note in notes if note.get("showarrow")]


@pytest.mark.parametrize(
    ("key", "value"), [("approx_alpha", 20.0), ("approx_measure", "nDCG")]
)
def test_an_arrow_goes_when_the_figure_is_changed_and_comes_back(
    run_page, drawn, key, value
):
    """Whether or not the step names the setting."""
    step = lesson_store.find("2-alpha").steps[0]
    page = run_page(step.page, lesson="2-alpha", step="1")
    assert step.point.words in arrows(drawn(page))
    assert not has_button(page, "lesson_again")
    page.session_state[key] = value
    page.run()
    assert step.point.words not in arrows(drawn(page))
    page.button(key="lesson_again").click().run()
    assert step.point.words in arrows(drawn(page))


def test_an_arrow_is_drawn_on_the_page_of_every_step_that_has_one(run_page, drawn):
    for name in SHIPPED:
        for number, step in enumerate(lesson_store.find(name).steps, 1):
            if step.point is None or step.guess is not None:
                continue
            page = run_page(step.page, lesson=name, step=str(number))
            assert step.point.words in arrows(drawn(page)), (name, number)


def test_the_keys_of_a_presenter(run_app):
    page = start(run_app, FIRST, "present")
    shortcuts = {button.key: button.proto.shortcut for button in page.button}

    assert shortcuts["lesson_next"] == "pagedown"
    assert shortcuts["lesson_back"] == "pageup"
    assert shortcuts["lesson_show_answer"] == "a"
    assert shortcuts["lesson_present"] == "escape"
    page.button(key="lesson_present").click().run()
    assert page.button(key="lesson_present").label == "Present"
    assert page.query_params.get("present") is None


@pytest.mark.parametrize("link", [{"lesson": "nowhere"}, {"lesson": "upload-1234"}])
def test_a_lesson_that_is_not_here_is_said(run_page, link):
    page = run_page("measures", **link)

    assert not page.exception
    assert any("is not on this server" in text for text in texts(page))
    page.button(key="lesson_leave").click().run()
    page.run()
    assert not has_button(page, "lesson_leave")
    assert page.query_params == {}


@pytest.mark.parametrize("step", ["0", "-3", "100", "five"])
def test_a_step_that_there_is_not_gives_one_that_there_is(run_page, step):
    page = run_page("measures", lesson=FIRST, step=step)

    assert not page.exception
    assert has_button(page, "lesson_next")


def test_a_page_apart_from_the_step_leads_back_to_it(run_app):
    page = start(run_app, FIRST)
    page.switch_page("pages/data.py").run()
    assert page.button(key="lesson_again").label == "Go to the step"
    press(page, "lesson_again")

    assert page.title[0].value == "Watch ranking algorithms learn"
    assert not has_button(page, "lesson_again")


@pytest.mark.parametrize("scaling", ["standard", soak("zscore")])
def test_data_that_was_chosen_before_a_lesson_is_back_after_it(run_app, scaling):
    page = run_app("data")
    page.file_uploader(key="upload").upload("mine.txt", LETOR, "text/plain").run()
    page.run()
    data = page.session_state["data"]
    if scaling != "standard":
        (chosen,) = (box for box in page.selectbox if box.key.startswith("normalise#"))
        chosen.set_value(scaling).run()
    page.switch_page("pages/lessons.py").run()
    page.button(key=f"start_{ZEROS}").click().run()
    page = press(page)
    for _ in range(2):
        page = press(page, "lesson_next")
    assert "data" not in page.session_state or page.session_state["data"] != data
    page.button(key="lesson_leave").click().run()
    page.run()
    assert not page.exception
    for name in ("train", "sparsity", "data"):
        page.switch_page(f"pages/{name}.py").run()
        assert not page.exception
        assert page.query_params["data"] == data
        assert page.query_params.get("normalise", "as given") == scaling


def test_without_chosen_data_a_lesson_s_stays_after_it(run_app):
    page = start(run_app, ZEROS)
    while "data" not in page.session_state:
        page = press(page, "lesson_next")
    data = page.session_state["data"]
    page.button(key="lesson_leave").click().run()
    assert page.session_state["data"] == data


def test_the_steps_of_a_lesson_can_be_read(run_app):
    lesson = lesson_store.find(FIRST)
    page = run_app("lessons")
    page.button(key=f"read_{FIRST}").click().run()

    assert not page.exception
    assert any(lesson.steps[-1].text in text for text in texts(page))
    page.button(key="open_3").click().run()
    assert page.session_state["step"] == 3


def test_a_lesson_goes_on_where_it_was_left(run_app):
    page = start(run_app, FIRST)
    page = press(page, "lesson_next")
    page.button(key="lesson_leave").click().run()
    page.switch_page("pages/lessons.py").run()
    assert page.button(key=f"start_{FIRST}").label == "Continue"
    page.button(key=f"start_{FIRST}").click().run()
    assert page.session_state["step"] == 2


# The file of a lesson may have become shorter since a step was opened.
@pytest.mark.parametrize("reached", [len(lesson_store.find(FIRST).steps), 99])
def test_a_finished_lesson_is_opened_again_from_its_first_step(
    run_app, reached, monkeypatch
):
    monkeypatch.setattr(place, "progress", lambda: {FIRST: reached})
    page = run_app("lessons")
    assert not page.exception
    assert page.button(key=f"start_{FIRST}").label == "Open again"
    page.button(key=f"start_{FIRST}").click().run()
    assert page.session_state["step"] == 1


@pytest.fixture
def reader(monkeypatch):
    """Make all sessions one visitor's, who has not opened a step yet."""
    name = secrets.token_hex(16)
    monkeypatch.setattr(visitor, "current", lambda: name)
    return name


def test_a_lesson_goes_on_in_another_session_of_the_same_visitor_only(
    run_app, run_page, reader, monkeypatch
):
    step = lesson_store.find(FIRST).steps[4]
    run_page(step.page, lesson=FIRST, step="5")
    page = run_app("lessons")
    assert page.button(key=f"start_{FIRST}").label == "Continue"
    assert page.button(key=f"start_{ZEROS}").label == "Start"
    monkeypatch.setattr(visitor, "current", lambda: "another")
    assert run_app("lessons").button(key=f"start_{FIRST}").label == "Start"


def test_a_step_opens_where_progress_cannot_be_kept(run_app, reader, monkeypatch):
    def full(*step):
        raise StoreError("The store is full.")

    monkeypatch.setattr(past.store(), "put_progress", full)
    page = start(run_app, FIRST)
    assert not page.exception
    assert place.progress() == {}


def test_presenting_a_lesson_does_not_set_its_progress_back(run_app, reader):
    past.keep_progress(reader, FIRST, 4)
    page = run_app("lessons")
    page.button(key=f"present_{FIRST}").click().run()
    page = press(page)
    page = press(page, "lesson_next")
    assert page.session_state["step"] == 2
    assert place.progress() == {FIRST: 4}


def test_the_path_goes_through_all_levels_to_an_end(monkeypatch):
    # Other tests may have uploaded lessons in this process.
    monkeypatch.setattr(lesson_store, "UPLOADS", Newest(each=1, most=1))
    shelves, problems = lesson_store.shelves()
    assert not problems
    assert tuple(shelves) == LEVELS
    path = [lesson for shelf in shelves.values() for lesson in shelf]
    assert {lesson.name for lesson in path} == set(SHIPPED)
    for lesson, following in zip(path, [*path[1:], None], strict=True):
        assert lesson_store.following(lesson) == following


def test_a_file_of_ones_own_is_checked_and_started(run_app):
    content = lesson_store.files()[FIRST].read_bytes()
    page = run_app("lessons")
    wrong = content.replace(b"page: home", b"page: hme", 1)
    page.file_uploader(key="lesson_upload").upload("a.yaml", wrong, "text/yaml").run()
    assert "There is no page 'hme'" in page.error[0].value
    assert not has_button(page, "start_own")

    page.file_uploader(key="lesson_upload").upload("a.yaml", content, "text/yaml").run()
    assert not page.error
    page.button(key="start_own").click().run()
    press(page)
    assert page.session_state["lesson"].startswith("upload-")
    assert lesson_store.find(FIRST).steps[0].text in texts(page)


def test_after_the_last_step_comes_a_slide_with_a_sentence_for_each(run_page):
    lesson = lesson_store.find(FIRST)
    count = len(lesson.steps)
    page = run_page(lesson.steps[-1].page, lesson=FIRST, step=str(count), present="1")
    page.button(key="lesson_next").click().run()
    assert not page.exception
    assert not has_button(page, "lesson_show_answer")
    words = " ".join(texts(page))
    assert all((step.learnt or step.question) in words for step in lesson.steps)
    assert page.button(key="lesson_next").disabled
    following = lesson_store.following(lesson)
    assert page.button(key="lesson_following").label.endswith(following.title)

    page.button(key="lesson_back").click().run()
    assert lesson.steps[-1].text in texts(page)
    page.button(key="lesson_next").click().run()
    page.button(key="lesson_present").click().run()
    assert page.session_state["step"] == count + 1
    assert lesson.steps[-1].text in texts(page)


def test_the_last_slide_has_what_each_step_has_shown_or_asked(run_page):
    content = f"{GUESSING}    learnt: It goes up.\n".encode()
    name = lesson_store.upload(content, "mine.yaml").name
    page = run_page("measures", lesson=name, step="3", present="1")
    assert "What we have seen" in html_with(page, 'class="rs-end"')
    assert "1. What will it be?\n1. It goes up." in texts(page)


def test_titles_and_summaries_are_shown_as_they_are_written(run_page, monkeypatch):
    content = GUESSING.replace("A title", "A *b* of $c$").replace("about.", "_about_.")
    lesson = lesson_store.upload(content.encode(), "mine.yaml")
    title = r"A \*b\* of \$c\$"
    monkeypatch.setattr(lesson_store, "everything", lambda: ([lesson], []))
    page = run_page("lessons")
    assert {f"**{title}**", r"What it is \_about\_."} <= set(texts(page))
    monkeypatch.setattr(lesson_store, "following", lambda _: lesson)
    page = run_page("measures", lesson=lesson.name, step="3", present="1")
    assert page.button(key="lesson_following").label == f"Next lesson: {title}"
    page = run_page("measures", lesson=lesson.name)
    assert f":material/school: {title} · step 1 of 2" in [c.value for c in page.caption]


def test_the_code_on_the_last_slide_leads_to_the_first_step(run_page, monkeypatch):
    opened = []

    def server(page):
        opened.append(page.name)
        return "https://rank.example.org"

    monkeypatch.setattr(link, "server", server)
    lesson = lesson_store.find("2-alpha")
    # The page of the last step has been left.
    number = str(len(lesson.steps) + 1)
    page = run_page("data", lesson=lesson.name, step=number, present="1")
    assert not page.exception
    assert set(opened) == {"data"}
    address = slide.address(lesson, pages()["data"])
    assert address == "https://rank.example.org/approximation?lesson=2-alpha"
    home = slide.address(lesson_store.find(FIRST), pages()["data"])
    assert home == f"https://rank.example.org/?lesson={FIRST}"


def test_a_slide_shows_only_what_its_step_uses(run_page):
    page = run_page("measures", lesson=FIRST, step="4")
    assert len(page.slider) > 1
    assert html_with(page, '<div class="rs-facts">')
    page = run_page("measures", lesson=FIRST, step="4", present="1")

    assert not page.exception
    assert not page.slider
    assert [slider.label for slider in page.select_slider] == ["Sharpness (α)"]
    with pytest.raises(StopIteration):
        html_with(page, '<div class="rs-facts">')


GUESSING = (
    HEAD
    + """\
  - page: measures
    settings: {ranking: A0-B1}
    text: One. Two.
    question: What will it be?
    guess: {choices: [up, down], answer: up}
    answer: So it is.
    then: {ranking: B1-A0}
  - page: measures
    text: One. Two.
    question: How many?
    guess: {from: 0, to: 4, answer: 3, unit: documents}
    answer: So it is.
"""
)


@pytest.fixture
def guessing():
    return lesson_store.upload(GUESSING.encode(), "mine.yaml").name


def test_a_guess_comes_before_the_answer_and_stands_beside_it(run_page, guessing):
    page = run_page("measures", lesson=guessing)
    assert page.button(key="lesson_show_answer").disabled
    page.radio(key=f"lesson_guess {guessing} 1").set_value("down").run()
    page.button(key="lesson_show_answer").click().run()

    assert not page.exception
    result = html_with(page, "rs-choices")
    assert '<li class="right">up</li>' in result
    assert "down <small>your guess</small>" in result
    assert "So it is." in texts(page)
    assert page.session_state["ranking"] == "B1-A0"
    assert not has_button(page, "lesson_again")
    page.button(key="lesson_show_answer").click().run()
    assert page.session_state["ranking"] == "A0-B1"
    assert page.radio(key=f"lesson_guess {guessing} 1").value == "down"


def test_before_the_answer_no_fact_tells_what_is_guessed(run_page, guessing):
    page = run_page("measures", lesson=guessing, step="2")
    for _ in range(2):
        with pytest.raises(StopIteration):
            html_with(page, '<div class="rs-facts">')
        assert not any("DCG" in text for text in texts(page))
        page.slider(key=f"lesson_guess {guessing} 2").set_value(1).run()
    page.button(key="lesson_show_answer").click().run()
    page.run()
    assert html_with(page, '<div class="rs-facts">')
    assert any("DCG" in text for text in texts(page))


def test_a_number_is_guessed_on_a_scale(run_page, guessing):
    page = run_page("measures", lesson=guessing, step="2")
    page.slider(key=f"lesson_guess {guessing} 2").set_value(1).run()
    page.button(key="lesson_show_answer").click().run()

    result = html_with(page, "rs-guess")
    assert "your guess: 1 documents" in result
    assert '<span class="right">answer: 3 documents</span>' in result
    assert "left:25.00%" in result
    assert "left:75.00%" in result


def test_a_number_may_be_guessed_where_the_scale_begins(run_page, guessing):
    page = run_page("measures", lesson=guessing, step="2")
    page.button(key="lesson_preset").click().run()
    assert not has_button(page, "lesson_preset")
    page.button(key="lesson_show_answer").click().run()
    assert "your guess: 2 documents" in html_with(page, "rs-guess")


def test_a_presenter_may_show_the_answer_without_a_guess(run_page, guessing):
    page = run_page("measures", lesson=guessing, step="2", present="1")
    page.button(key="lesson_show_answer").click().run()

    result = html_with(page, "rs-guess")
    assert "answer: 3 documents" in result
    assert "your guess" not in result


def test_a_lesson_is_written_beside_its_preview(run_app):
    page = run_app("lessons")
    field = next(one for one in page.text_area if one.label == "The lesson")
    assert not page.error
    assert any("Five documents in the order" in text for text in texts(page))
    assert "Closing slide" in [fold.label for fold in page.expander]
    assert any("A swap high in the list" in text for text in texts(page))
    field.set_value(HEAD + "  - page: hme\n    text: No question.\n").run()
    assert "line 4, step 1, page\\: There is no page 'hme'" in page.error[0].value
    assert "question is missing" in page.error[0].value
    assert not has_button(page, "start_own")

    field = next(one for one in page.text_area if one.label == "The lesson")
    field.set_value(GUESSING).run()
    assert not page.error
    page.button(key="draft_2").click().run()
    assert page.session_state["lesson"].startswith("upload-")
    assert page.session_state["step"] == 2


def test_the_steps_of_a_lesson_are_read_with_their_figures(run_page, drawn):
    step = lesson_store.find("13-cutoff").steps[0]
    page = run_page("lessons", outline="13-cutoff")
    assert not drawn(page)
    page.session_state["13-cutoff_1_figure"] = True
    page.run()
    assert not page.exception
    (figure,) = drawn(page).values()
    link = links.OpenLink(pages()[step.page], step.settings, {})
    shown = link.page.view(link.raw).show(link.values())
    assert figure["alt"] in [panel.picture.alt for panel in shown.panels()]


@pytest.mark.parametrize("name", SHIPPED)
def test_the_preview_of_every_step_has_a_figure_or_says_why_not(name):
    """Only runs and studies without an example have to begin first."""
    for number, step in enumerate(lesson_store.find(name).steps, 1):
        page, raw = pages()[step.page], step.settings
        work = page.view(raw).work_for(links.OpenLink(page, raw, {}).values())
        blocks = step.in_sight.of(draft._opened(step, "light")).blocks
        assert blocks or work is not None, number


def html_with(page, name):
    """The HTML of a page with this class."""
    values = (element.proto.body for element in page.get("html"))
    return next(body for body in values if name in body)


def look(page, name="train/Run"):
    """The job that is looked at in a view, if any."""
    return registry.registry().get(page.session_state["jobs looked at"].get(name))


def test_a_step_does_not_show_the_run_of_the_step_before(run_app):
    page = start(run_app, ZEROS)
    assert look(page) is None
    page.button(key="step_1").click().run()
    page.run()
    job = look(page)
    assert job.settings["RSRank.g"] == 0
    press(page, "lesson_next")
    assert page.session_state["RSRank.g"] == 50
    assert look(page) is None
    press(page, "lesson_back")
    assert look(page) is job


PRESSED = [
    pytest.param(lesson.name, number, id=f"{lesson.name}-{number}")
    for lesson in map(lesson_store.find, SHIPPED)
    for number, step in enumerate(lesson.steps, 1)
    if step.press
]


@pytest.mark.parametrize(("name", "number"), PRESSED)
def test_a_step_begins_its_study_and_shows_it(run_page, drawn, name, number):
    step = lesson_store.find(name).steps[number - 1]
    page = run_page(step.page, lesson=name, step=str(number))
    job = registry.registry().get(page.query_params["job"])
    assert job.wait(60)
    page.run()
    assert not page.exception
    assert not page.error
    assert job.run.reason is not None or job.state == "finished"
    assert drawn(page)
    assert page.query_params["job"] == job.id


def test_a_study_of_a_step_that_takes_too_long_leaves_the_reason_and_no_figure(
    run_page, drawn, monkeypatch
):
    monkeypatch.setattr(place, "PRESS_SECONDS", 0)
    monkeypatch.setattr(Steering, "play", lambda steering: None)
    page = run_page("compare", lesson="11-noise", step="5")
    job = registry.registry().get(page.query_params["job"])
    assert job.wait(60)
    page.run()
    assert not page.exception
    assert page.error[0].value == registry.LATE.format(0)
    assert drawn(page) == {}
