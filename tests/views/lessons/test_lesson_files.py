"""Lessons as files: whatever is wrong is said with its line, and nothing is loaded."""

import re

import pytest
import yaml
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pages.ui.away import links
from pages.ui.lessons import draft
from pages.ui.lessons import store as lesson_store
from pages.ui.lessons.store import STEP_PAGES
from pages.ui.lessons.store import read as read_lesson
from rankcore.data.uploads import Newest
from rankcore.plot.style import Picture
from rankcore.views import Ask, Caption, Fact, Number, Panel, Row, Shown, Table, Words
from rankcore.views._tree import LINK
from rankcore.views.lessons import LENGTHS, MAX_BYTES, LessonError, sentences
from rankcore.views.steps import Amount, Choices, InSight
from tests.soaking import examples

STEP = """\
  - page: measures
    settings:
      alpha: 3
    text: One sentence. And 0.5 more.
    question: Why?
    answer: Because.
"""
HEAD = "title: A title\nsummary: What it is about.\nsteps:\n"
GOOD = HEAD + 2 * STEP


def problems(text):
    content = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(LessonError) as caught:
        read_lesson(content, "mine.yaml", "mine")
    return [str(problem) for problem in caught.value.problems]


def test_a_sound_file_becomes_a_lesson():
    lesson = read_lesson(GOOD.encode(), "mine.yaml", "mine")

    assert (lesson.name, lesson.title, len(lesson.steps)) == ("mine", "A title", 2)
    assert lesson.steps[0].settings == {"alpha": 3.0}
    assert lesson.steps[0].question == "Why?"


def test_hyperparameters_come_in_their_own_type():
    text = GOOD.replace("alpha: 3", "ConeRank.lambda_high: none", 1)
    lesson = read_lesson(text.encode(), "mine.yaml", "mine")

    assert lesson.steps[0].settings == {"ConeRank.lambda_high": None}


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("page: measures", "page: measurs", 4, "Perhaps you mean measures"),
        (
            "answer: Because.",
            "answer: Because.\n    point: [a]",
            10,
            "not point at a mark",
        ),
        (
            "answer: Because.",
            "answer: Because.\n    point: [a, b c d e f g h i j]",
            10,
            "The arrow has 9 words",
        ),
        (
            "answer: Because.",
            "answer: Because.\n    learnt: One. Two.",
            10,
            "not one sentence without line breaks",
        ),
        (
            "answer: Because.",
            "answer: Because.\n    learnt: |-\n      One\n      line.",
            10,
            "Write one that ends with a full stop",
        ),
        (
            "answer: Because.",
            "answer: Because.\n    learnt: One. No end",
            10,
            "not one sentence",
        ),
        ("steps:", "level: method\nsteps:", 3, "Perhaps you mean methods"),
        ("steps:", "level: [methods]\nsteps:", 3, "Write one of foundations, "),
        ("steps:", "level:\nsteps:", 3, "Write one of foundations, "),
        ("page: measures", "page: nowhere_at_all", 4, "Write one of "),
        ("page: measures", "page: [a]", 4, "There is no page"),
        ("page: measures", "page: lessons", 4, "No step can be shown on 'lessons'"),
        ("alpha: 3", "alhpa: 3", 6, "Perhaps you mean alpha"),
        ("alpha: 3", "lesson: other", 6, "There is no such setting"),
        ("alpha: 3", "RSRank.h: 1", 6, "There is no such setting"),
        ("alpha: 3", "RSRank.random_state: 1", 6, "There is no such setting"),
        ("alpha: 3", "NoRank.g: 1", 6, "There is no such setting"),
        ("alpha: 3", "alpha: much", 6, "alpha must be a number"),
        ("alpha: 3", "part: exam", 6, "one of train, valid, test, not 'exam'"),
        ("alpha: 3", "ranking: A0-A1", 6, "from the top down, each a letter"),
        ("alpha: 3", "algorithm: RSRnk", 6, "Did you mean: RSRank"),
        ("alpha: 3", "measure: nGCD@5", 6, "Did you mean nDCG"),
        ("alpha: 3", "data: nothing", 6, "There is no data set 'nothing'"),
        ("alpha: 3", "documents: 4", 6, "There is no such setting"),
        ("alpha: 3", "present: 1", 6, "There is no such setting"),
        ("alpha: 3", "alpha: [3]", 6, "This is not a single value"),
        ("question: Why?", "question: Because.", 8, "This is not one question"),
        ("question: Why?", "question: Why? How?", 8, "This is not one question"),
        ("answer: Because.", "answer: ", 9, "There is no text"),
        ("answer: Because.", "answer: [a]", 9, "There is no text"),
        ("    answer: Because.\n", "", 4, "answer is missing"),
        ("answer: Because.", f"answer: {'a' * 500}", 9, "This has 500 characters"),
        ("answer: Because.", "answer: '![x](http://y)'", 9, "Pictures are not shown"),
        ("answer: Because.", "answer: a\n    more: b", 10, "'more' is not a key here"),
        ("answer: Because.", "answer: a\n    answer: b", 10, "This key occurs twice"),
        ("title: A title", "titel: A title", 1, "Perhaps you mean title"),
        ("steps:", "steps: none\nother:", 3, "The steps are missing"),
        ("settings:", "settings: 3\n    text:", 5, "Keys are missing"),
    ],
)
def test_a_problem_is_said_with_line_and_remedy(old, new, line, words):
    result = problems(GOOD.replace(old, new, 1))

    assert any(
        one.startswith(f"mine.yaml, line {line}, ") or f"line {line}:" in one
        for one in result
        if words in one
    ), result
    assert all(one.endswith(".") and ": " in one for one in result)


# What a page would not take: most depends on no more than the setting itself.
REFUSED = [
    ("RSRank.g", "-1"),
    ("ConeRank.folding", "twice"),
    ("query", "1.5"),
    ("query", "0"),
    ("weight", "2"),
    ("approx_alpha", "-5"),
    ("approx_alpha", "inf"),
    ("approx_beta", "0"),
    ("margin_round", "-2"),
    ("approx_list", "rubbish"),
    ("margin_list", "1"),
    ("margin_learner", "Nobody"),
    ("margin_learner", "RSRank"),
    ("margin_model", "none"),
    ("margin_document", "last"),
    ("land_from", "Nobody"),
    ("land_to", "Nobody"),
    ("land_first", "BM25"),
    ("sparse", "RankSVM"),
    ("red_first", "9x"),
    ("red_second", "00000"),
    ("red_order", "122"),
    ("cone_z", "x"),
    ("cone_vectors", "1,0;1"),
    ("cone_features", "a"),
    ("cone_show", "all"),
    ("part", "exam"),
    ("mover", "Z"),
    ("ranking", "A0-A1"),
    ("algorithm", "RSRnk"),
    ("data", "nothing"),
]


@pytest.mark.parametrize(("key", "value"), REFUSED)
def test_a_value_that_its_page_would_not_take_is_refused(key, value):
    (result,) = problems(GOOD.replace("alpha: 3", f"{key}: {value}", 1))

    assert result.startswith(f"mine.yaml, line 6, step 1, settings, {key}: ")
    assert value in result
    assert result.endswith(".")


def test_a_value_of_the_data_is_not_checked_against_one_data_set():
    text = GOOD.replace("alpha: 3", "query: 400", 1)
    assert read_lesson(text.encode(), "mine.yaml", "mine").steps[0].settings == {
        "query": 400
    }


@pytest.mark.parametrize("key", ["title", "summary", "text", "question", "answer"])
@pytest.mark.parametrize(
    "link",
    [
        "[here](//a.org)",
        "[here]( https://a.org 'title')",
        "[1]: javascript:alert(1)",
        "<ftp:a.org>",
        "<MAILTO:me@a.org>",
        "HTTPS://a.org",
        "WWW.a.org",
        "me@mail.a.org",
        r"\$ [x](http://a.org) \$",
        "[x](&#104;ttp&#58;//a.org)",
    ],
)
def test_no_text_makes_a_link(key, link):
    lesson = yaml.safe_load(GOOD)
    texts = lesson if key in lesson else lesson["steps"][0]
    texts[key] = f"See {link} there?"
    result = problems(yaml.safe_dump(lesson))
    assert any("Lessons have no links" in one for one in result), result


LINKISH = ["[a]", "(b)", "[", "]", ": c", "<", "http:", ">", "\n", "\\", "`", "$", " "]


@examples(200, 1000, st.lists(st.sampled_from(LINKISH), max_size=8))
def test_what_markdown_makes_a_link_of_is_found(tokens):
    text = "".join(tokens)
    rendered = MarkdownIt("commonmark").render(text)
    assert "<a " not in rendered or LINK.search(text)


WORDS = (draft.TEMPLATE.read_text() + "[] {} : - & * ! ? | > % @ ` null 1e9").split()


@examples(
    60,
    200,
    st.integers(0, 40),
    st.integers(0, 3),
    st.lists(st.sampled_from(WORDS), max_size=4),
    st.sampled_from([" ", "\n", "\n    ", ": ", ", "]),
)
def test_a_broken_file_is_read_or_said_to_be_broken(first, count, words, between):
    lines = draft.TEMPLATE.read_text().splitlines()
    lines[first : first + count] = [between.join(words)]
    values = ()
    try:
        lesson = read_lesson("\n".join(lines).encode(), "mine.yaml", "mine")
    except LessonError as error:
        values = error.problems
    assert values or lesson.steps
    assert all(one.problem and one.remedy for one in values)


def test_every_problem_is_said_at_once():
    text = GOOD.replace("alpha: 3", "alhpa: 3").replace("Why?", "Why.")

    assert len(problems(text)) == 4


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "The file is empty"),
        (b"- a\n- b\n", "Keys are missing"),
        (b"a: b: c", "It cannot be read as YAML"),
        (b"title: !!python/object/apply:os.system [ls]", "There is no text"),
        (b"title: {a: &b [*b]}", "There is no text"),
        (b"a: &a [1]\n--- \nb: 2", "It cannot be read as YAML"),
        (b"\xff\xfe\x00", "It is not text in UTF-8"),
        (b"a: \x00", "It cannot be read as YAML"),
        (b"[" * 600, "It is nested too deeply"),
        (b" " * (MAX_BYTES + 1), "It is too large"),
        (
            HEAD.replace("steps:\n", "steps: []").encode(),
            "It has 0 steps. Write 1 to 12",
        ),
        (HEAD.encode() + 13 * STEP.encode(), "It has 13 steps"),
        (b"? [a, b]\n: c", "is not a key here"),
    ],
)
def test_what_is_no_lesson_gets_a_sentence(content, words):
    assert any(words in one for one in problems(content))


def test_one_step_is_enough():
    assert len(read_lesson((HEAD + STEP).encode(), "mine.yaml", "mine").steps) == 1


def test_problems_of_a_step_are_said_beside_that_there_are_too_many():
    text = HEAD + 12 * STEP + STEP.replace("alpha: 3", "alhpa: 3")
    result = problems(text)

    assert len(result) == 2
    assert "It has 13 steps" in result[0]
    assert "line 78, step 13, settings, alhpa: There is no such setting" in result[1]


def with_lines(*lines):
    """A lesson whose only step has these lines more."""
    return HEAD + STEP + "".join(f"    {line}\n" for line in lines)


def read_step(*lines):
    return read_lesson(with_lines(*lines).encode(), "mine.yaml", "mine").steps[0]


def test_a_guess_is_one_of_several_choices_or_a_number_on_a_scale():
    choice = read_step("guess: {choices: [up, down], answer: up}")
    assert choice.guess == Choices(("up", "down"), "up")
    assert choice.asked == "Why?\n\n- up\n- down"
    assert choice.answered == "**up.** Because."

    whole = read_step("guess: {from: 0, to: 45, answer: 37, unit: features}").guess
    assert (whole.step, whole.digits) == (1, 0)
    assert whole.written(37.0) == "37 features"
    assert whole.written(-0.5) == "−0.5 features"
    share = read_step("guess: {from: 0, to: 100, answer: 14.7, unit: '%'}").guess
    assert share.written(14.7) == "14.7%"
    assert whole.share(9) == 9 / 45
    assert read_step("guess: {from: 0, to: 1, answer: 0.4131}").guess.step == 1 / 100


def test_a_step_says_what_stays_in_sight_and_what_the_answer_changes():
    plain = read_step()
    assert plain.in_sight == InSight((1,))
    assert (plain.guess, plain.notes, plain.then) == (None, "", {})
    assert not plain.press
    assert not read_step("press: false").press
    assert read_step("press: true").press

    step = read_step(
        "show: [figure 2, facts, tied_to]", "then: {alpha: 20}", "notes: Hm"
    )
    assert step.in_sight == InSight((2,), facts=True, controls=("n_tied",))
    assert step.then == {"alpha": 20.0}
    assert step.notes == "Hm"


@pytest.mark.parametrize(
    ("line", "key", "words"),
    [
        ("guess: up", "guess", "There is nothing to guess"),
        ("guess: {answer: up}", "guess", "There is nothing to guess"),
        ("guess: {choices: up, answer: up}", "guess, choices", "This is not a list"),
        (
            "guess: {choices: [up], answer: up}",
            "guess, choices",
            "not 2 to 5 different",
        ),
        (
            "guess: {choices: [a, a], answer: a}",
            "guess, choices",
            "not 2 to 5 different",
        ),
        ("guess: {choices: [up, down], answer: dwn}", "guess, answer", "mean down"),
        ("guess: {choices: [up, down]}", "guess", "answer is missing"),
        ("guess: {from: 0, to: 1}", "guess", "answer is missing"),
        ("guess: {from: 0, to: x, answer: 1}", "guess, to", "'x' is not a number"),
        ("guess: {from: 0, to: inf, answer: 1}", "guess, to", "is not a number"),
        ("guess: {from: 2, to: 1, answer: 1}", "guess, to", "1 is not above 2"),
        (
            "guess: {from: 0, to: 1, answer: 2}",
            "guess, answer",
            "2 is not between 0 and",
        ),
        ("guess: {from: 0, to: 1, step: 0, answer: 1}", "guess, step", "0 is no step"),
        ("show: facts", "show", "This is not a list"),
        ("show: [figure 0]", "show", "There is no figure 0"),
        ("show: [alhpa]", "show", "Perhaps you mean alpha"),
        ("show: [zzz zzz]", "show", "cannot be shown"),
        ("press: maybe", "press", "'maybe' is neither true nor false"),
        ("press: [true]", "press", "is neither true nor false"),
        ("then: {alpha: much}", "then, alpha", "alpha must be a number"),
        (f"notes: {'a' * 1201}", "notes", "This has 1201 characters"),
    ],
)
def test_a_problem_of_what_may_be_left_out_is_said_with_its_line(line, key, words):
    (result,) = problems(with_lines(line))

    assert result.startswith(f"mine.yaml, line 10, step 1, {key}: "), result
    assert words in result


def test_only_what_a_step_uses_stays_of_a_view():
    one, two = (Table(key, key, "", {}) for key in ("one", "two"))
    alpha, beta = Number("alpha", 1.0), Number("beta", 1.0)
    blocks = [Words("A"), Row([[one, Ask([alpha, beta])], [two]]), Caption("B")]
    shown = Shown([Fact("n", "1")], blocks)

    assert InSight().of(shown) == Shown((), [one])
    every = InSight((1, 2), facts=True, words=True, controls=("beta",))
    assert every.of(shown) == Shown(
        [Fact("n", "1")], [Words("A"), one, Ask([beta]), two]
    )


def test_two_figures_of_a_step_stand_beside_each_other():
    one, two, three = (Panel(key, key, "", Picture([], {})) for key in "abc")
    alpha = Ask([Number("alpha", 1.0)])
    shown = Shown([], [one, alpha, Row([[two], [three]])])

    seen = InSight((1, 2), controls=("alpha",)).of(shown)
    assert seen.blocks == [Row([[one], [two]]), alpha]
    assert InSight((1, 2, 3)).of(shown).blocks == [one, two, three]


def test_the_figures_of_a_step_are_the_first_outside_a_slide():
    one, two, three = (Panel(key, key, "", Picture([], {})) for key in "abc")
    alpha, words = Ask([Number("alpha", 1.0)]), Words("A")
    shown = Shown([], [words, Row([[one], [words]]), alpha, two, three])

    assert InSight((2,)).first(shown).blocks == [alpha, two, *shown.blocks[:2], three]
    assert InSight((3,)).first(shown).blocks == [three, *shown.blocks[:4]]
    assert InSight((1, 3)).first(shown) == shown


def test_the_template_is_sound():
    content = draft.TEMPLATE.read_bytes()
    (step,) = read_lesson(content, "template.yaml", "template").steps

    assert step.guess.answer in step.guess.choices


def test_sentences_end_neither_in_numbers_nor_in_formulas():
    assert sentences("It is 0.5. So $a.b$ holds.") == 2
    assert sentences("Is it *so?*") == 1
    assert sentences("") == 0


def test_a_folder_of_lessons_is_shown_and_its_faults_are_said(tmp_path, monkeypatch):
    (tmp_path / "mine.yaml").write_text(GOOD)
    (tmp_path / "broken.yml").write_text("title: only")
    (tmp_path / "notes.txt").write_text("no lesson")
    monkeypatch.setenv(lesson_store.VARIABLE, str(tmp_path))
    lessons, result = lesson_store.everything()

    assert lesson_store.find("mine").title == "A title"
    assert lesson_store.find("broken") is None
    assert "mine" in {lesson.name for lesson in lessons}
    assert {problem.file for problem in result} == {"broken.yml"}

    (tmp_path / "mine.yaml").write_text(GOOD.replace("A title", "Another title"))
    assert lesson_store.find("mine").title == "Another title"


def test_a_folder_that_is_not_there_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv(lesson_store.VARIABLE, str(tmp_path / "nowhere"))

    assert "There is no such folder" in str(lesson_store.everything()[1][0])


def test_uploads_are_bounded_and_the_newest_stay(monkeypatch):
    monkeypatch.setattr(lesson_store, "UPLOADS", Newest(2, 9))
    names = [
        lesson_store.upload(GOOD.replace("A title", title).encode(), "mine.yaml").name
        for title in ("One", "Two", "Three")
    ]

    assert lesson_store.find(names[0]) is None
    lessons, _ = lesson_store.everything()
    assert [lesson.title for lesson in lessons[-2:]] == ["Three", "Two"]


# What cannot be done on paper.
PRESSES = re.compile(
    r"\b([Pp]ress|[Dd]rag|Move the|you move|[Oo]pen \*|[Bb]utton|[Cc]hoose [A-Z])"
)
SHIPPED = sorted(lesson_store.HERE.glob("*.yaml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_lesson_of_ours_has_its_form(path):
    lesson = lesson_store.load(path)

    assert 5 <= len(lesson.steps) <= 8
    for step in lesson.steps:
        assert sentences(step.text) == 2, step.text
        assert len(step.text) <= LENGTHS["text"]
        assert step.page in STEP_PAGES
        assert not PRESSES.search(f"{step.paper or step.text} {step.answer}"), step.text
        assert sentences(step.paper or step.text) == 2, step.paper


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_step_of_ours_sets_and_shows_what_its_view_has(path):
    for step in lesson_store.load(path).steps:
        for changes in (step.settings, {**step.settings, **step.then}):
            opened = links.OpenLink(links.pages()[step.page], changes, {})
            values = opened.values()
            assert {key: values[key] for key in changes} == changes
            assert opened.page.view(opened.raw).no_study(values) is None
        assert {row.key for row in opened.rows()} >= set(step.in_sight.controls)


def test_lessons_come_in_the_order_of_their_numbers(tmp_path, monkeypatch):
    for name in ("10-b.yaml", "9-a.yaml", "c.yaml"):
        (tmp_path / name).write_text(GOOD)
    monkeypatch.setenv(lesson_store.VARIABLE, str(tmp_path))

    assert list(lesson_store.files())[-3:] == ["9-a", "10-b", "c"]


@pytest.mark.parametrize("name", list(lesson_store.files()))
def test_a_speaker_has_notes_and_the_audience_guesses(name):
    steps = lesson_store.find(name).steps
    assert sum(bool(step.notes) for step in steps) >= 3
    assert any(step.guess is not None for step in steps)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_preset_of_a_guess_is_on_its_scale_and_not_the_answer(path):
    for step in lesson_store.load(path).steps:
        if isinstance(guess := step.guess, Amount):
            assert guess.low <= guess.preset <= guess.high
            assert abs(guess.preset - guess.answer) > guess.step / 2
            assert ((guess.preset - guess.low) / guess.step) == pytest.approx(
                round((guess.preset - guess.low) / guess.step)
            )
