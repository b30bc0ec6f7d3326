"""Texts of the interface use the terms of the glossary, and define their symbols."""

import re

import pytest
import typer

from pages.ui import examples, glossary
from pages.ui.catalogue import pages
from pages.ui.lessons import store
from pages.ui.stage import heading
from rankcore.cli._app import application
from rankcore.views import Act, Caption, Notice, Panel, Table, Tiles, Words, flat, read
from tests.documents import DOCUMENTS, prose
from tests.viewing import at_first

pytestmark = pytest.mark.contract

VIEWS = [
    pytest.param(page, view, id=f"{page.name}-{name}")
    for page in pages().values()
    for name, view in page.views.items()
]
GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "Δ": "Delta", "η": "eta",
    "λ": "lambda", "ξ": "xi", "ρ": "rho", "φ": "phi",
}  # fmt: skip
# What texts do not say → what they say.
NOT = {
    r"\bpass(es)? (over|of|through) (the )?(training|data)": "iteration",
    r"\bfeatures (that are |are )?left\b": "kept features",
    r"\bfeatures that survive\b": "kept features",
    r"\bearn(s)? too little\b": "removed features",
    r"\bsmooth one\b": "surrogate",
    r"\breal one\b": "exact",
    r"\bmost violating\b": "most violated",
    r"\bas fast as it goes\b": "full speed",
    r"\bwhoever\b|\bsomebody\b|\banybody\b|\bnobody\b": "name who acts",
    r"\bwhat is true\b": "Paper versus experiment",
    r"\b(the|its|a page's) address\b": "link",
    r"\bit is everything\b": "covers the whole plane",
    r"\bjobs?\b": "run or study",
    r"\bone's own\b|\bone can\b|\bone sees\b": "address the reader or name the thing",
    r"\bblack\b|\bwhite\b": "what it is in both themes",
    r"!(?!=)(\s|$)": "no exclamation marks",
    r"\b(of|for) each(?=[.,;:)]|$)": "name what each is",
    r"\bhere is\b": "there is, or name the place",
    r"\b(what|runs that) (is|are) kept\b": "name it, or stored runs",
    r"\btakes a share\b": "times, or %",
}
# Second names of things, in the interface, the documents and the help of commands.
SECOND = {
    r"\blearners?\b": "algorithm",
    r"\btrain live\b": "Train",
    r"\blearning_rate\b": "learning rate, or η",
    r"\d\s%(?!\w)": "a percent sign without a space",
    r"(?-i:\bSVM(map|ndcg|mrr|auc|combo)\b)": "the name that links and commands have",
}


def faults(text: str, *, forbidden=NOT | SECOND) -> list[str]:
    """What a text should not say, with what to say instead."""
    return [
        f"{result.group().strip()!r}: {say}"
        for pattern, say in forbidden.items()
        if (result := re.search(pattern, text, re.I))
    ]


def form(where, text):
    """What a caption or a title should not look like."""
    captions = where.startswith(("panel ", "block ")) and text.count(";") > 1
    heads = ("title", "label ", "preset", "fact", "panel ", "block ", "button")
    code = where.startswith(heads) and re.search(r"\w_\w", text)
    return ["one semicolon in a caption"] * captions + ["no name of code"] * bool(code)


def texts(page, view):
    """Every text of a view as it is by default, with where it stands."""
    raw = {"data": "toy-2d"}
    values = read(view.rows(raw), raw)
    yield "title", page.title
    yield "question of the page", page.question
    yield "question", view.question
    for title in view.scenarios(raw):
        yield "preset", title
    for row in view.every_row():
        yield f"label of {row.key}", row.label
        yield f"help of {row.key}", row.meaning
    for title, text in view.explained(values).items():
        if title != "Background":
            yield f"tab {title}", text
    if view.refusal(values) is not None:
        return
    shown = at_first(view, values)
    for fact in shown.facts:
        yield "fact", f"{fact.meaning} {fact.note}"
    for block in flat(shown.blocks):
        if isinstance(block, Panel):
            yield f"panel {block.key}", f"{block.title}. {block.note}"
            yield f"alt of {block.key}", block.picture.alt
        elif isinstance(block, Tiles | Table):
            yield f"block {block.key}", f"{block.title}. {block.note}"
        elif isinstance(block, Words | Caption | Notice):
            yield type(block).__name__, block.text
        elif isinstance(block, Act):
            yield "button", block.label


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_texts_use_the_terms_of_the_glossary(page, view):
    settings = {
        f"{where}: {text[:60]}": wrong
        for where, text in texts(page, view)
        if (wrong := faults(_plain(text)) + form(where, text))
    }
    assert settings == {}


@pytest.mark.parametrize("view", [*pages()["explore"].views, *pages()["papers"].views])
def test_notes_are_sentences(view):
    """A legend is not a sentence of semicolons."""
    page = next(result for result in pages().values() if view in result.views)
    values = read(page.views[view].rows(page.opening), page.opening)
    example = examples.example(page, page.views[view], values)
    result = (
        at_first(page.views[view], values) if example is None else example.show(values)
    )
    for block in flat(result.blocks):
        if isinstance(block, Panel | Table | Tiles) and block.note:
            assert ";" not in block.note
            assert not block.note[0].islower(), block.note
        assert getattr(block, "label", "") != "Select"
        if isinstance(block, Table):
            heads = ", ".join(block.drawn()[0])
            assert not form("label ", heads) + faults(heads), heads


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_symbols_are_defined_where_they_stand(page, view):
    settings = dict(texts(page, view))
    explained = " ".join(
        [
            *(
                text
                for where, text in settings.items()
                if where.startswith(("tab", "help"))
            )
        ]
    )
    symbols = " ".join(row.symbol for row in view.every_row())
    for where, text in settings.items():
        for letter, name in GREEK.items():
            if letter in text:
                result = letter in explained or f"\\{name}" in symbols + explained
                assert result, f"{letter} in {where}: {text}"


@pytest.mark.parametrize("name", store.files())
def test_lessons_use_the_terms_of_the_glossary(name):
    lesson = store.find(name)
    values = [lesson.title, lesson.summary]
    for step in lesson.steps:
        values += [step.text, step.asked, step.answered, step.notes]
    assert {text: wrong for text in values if (wrong := faults(_plain(text)))} == {}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_have_one_name_for_a_thing(path):
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", "", prose(path))
    if path.name != "CHANGELOG.md":
        assert faults(text, forbidden=SECOND) == []


def test_the_help_of_commands_has_one_name_for_a_thing():
    root = typer.main.get_command(application([]))
    commands = [root, *root.commands.values()]
    groups = [one for one in commands[1:] if hasattr(one, "commands")]
    commands += [item for group in groups for item in group.commands.values()]
    texts = [one.help or "" for one in commands]
    texts += [getattr(row, "help", "") or "" for one in commands for row in one.params]
    assert len(texts) > 100
    assert [wrong for text in texts for wrong in faults(text, forbidden=SECOND)] == []


def test_a_forbidden_word_is_found():
    assert faults("The features left after training!")
    assert faults("Seeds of each")
    assert faults("Within 3\N{NO-BREAK SPACE}% of the best")
    assert not faults("Within 3% of the best")
    assert faults("Learners drawn, SVMndcg")[-1].startswith("'SVMndcg'")
    assert not faults("SVMNDCG, an algorithm")
    assert not faults("Seeds of each setting")
    assert form("panel curve", "Line: mean; band: interval; dot: best")
    assert form("fact", "learning_rate")
    assert not faults("The kept features after training.")


def test_the_first_term_of_a_caption_has_its_sentence():
    html = glossary.marked("Objective & <slack>")
    assert html.startswith('<abbr title="')
    assert "&lt;" in html
    assert "<slack>" not in html
    assert glossary.marked("Nothing here") == "Nothing here"
    assert callable(heading)


def test_terms_are_one_sentence_each():
    for term, meaning in glossary.TERMS.items():
        assert meaning.endswith("."), term
        assert not faults(meaning), term


def _plain(text):
    """A text without its formulas."""
    return re.sub(r"\$\$.*?\$\$|\$[^$]*\$", "", text, flags=re.S)
