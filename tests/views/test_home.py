"""The Home page: the small ranking, and ways to the other pages."""

import re
from urllib.parse import parse_qsl

import pytest

from pages.ui import finder, gallery, glossary, stage
from pages.ui.assets import ASSETS
from pages.ui.catalogue import pages
from pages.ui.lessons import store
from pages.views.home import first
from rankcore.algorithms import list_algorithms
from rankcore.cli import main
from rankcore.plot.palette import READS, contrast, palette
from rankcore.topics.home import ways
from rankcore.topics.home.toy import DOCUMENTS, staircase
from rankcore.views import Table, Toy, Values
from tests.viewing import shown, values, view

STAIRCASE = view("home", "Staircase")
TOY = ASSETS / "toy.js"


def toy(**chosen):
    (block,) = (b for b in shown(STAIRCASE, **chosen).blocks if isinstance(b, Toy))
    return block.data


def stair(weight):
    """The number of the piece of the staircase at a weight."""
    return next(i for i, p in enumerate(staircase()) if p.start <= weight <= p.end)


def test_the_toy_begins_at_the_weight_of_the_link():
    assert toy(weight=0.25)["start"] == 0.25
    assert values(STAIRCASE, weight=2.0).weight == STAIRCASE.settings[0].default


def test_the_toy_names_every_document_with_its_label():
    names = [document["name"] for document in toy()["documents"]]
    assert names == [f"{document.name} · {document.label}" for document in DOCUMENTS]


def test_the_slider_of_the_toy_can_show_the_weights_of_presets_and_lessons():
    """Another weight would be moved to the nearest stop, perhaps beyond a jump."""
    step = float(re.search(r'type="range" .* step="([0-9.]+)"', TOY.read_text())[1])
    presets = [preset["weight"] for preset in STAIRCASE.presets.values()]
    steps = [s for path in store.files() for s in store.find(path).steps]
    taught = [s.settings["weight"] for s in steps if "weight" in s.settings]

    assert len(taught) >= 2
    for weight in (*presets, *taught):
        assert weight / step == pytest.approx(round(weight / step)), weight


def test_presets_are_what_they_say():
    weights = {name: p["weight"] for name, p in STAIRCASE.presets.items()}
    stairs = staircase()
    longest = max(stairs, key=lambda piece: piece.end - piece.start)

    assert weights["Words only"] == 0
    assert weights["Clicks only"] == 1
    assert stairs[stair(weights["The ideal order"])].ndcg == 1
    assert longest.end - longest.start > 0.1
    assert stair(weights["A long stair"]) == stairs.index(longest)
    before = stairs[stair(weights["Just before a jump"])]
    after = stairs[stair(weights["Just before a jump"] + 0.01)]
    assert before.ndcg != after.ndcg


def test_the_table_has_a_row_for_every_stair():
    fold = shown(STAIRCASE).blocks[-1]
    (table,) = fold.blocks()
    assert isinstance(table, Table)
    assert len(table.rows) == len(staircase())
    assert table.rows[0]["Weight of clicks from"] == "0.000"


@pytest.mark.parametrize("runner", ["run_page", "run_app"])
def test_home_draws_its_first_screen(request, runner):
    page = request.getfixturevalue(runner)("home")

    assert not page.exception
    assert page.title[0].value == "Watch ranking algorithms learn"
    assert f"Train {len(list_algorithms())} published" in page.caption[0].value
    assert [page.button(key=key).label for key in ("watch", "first_lesson")] == [
        "Watch it learn",
        "Take the 15-minute lesson",
    ]
    assert "Why is this hard?" in [heading.value for heading in page.header]


def test_the_first_lesson_leaves_the_staircase_alone_on_the_page(run_app):
    page = run_app("home")
    page.button(key="first_lesson").click().run()

    assert not page.exception
    assert page.session_state["lesson"] == next(iter(store.files()))
    assert not page.header
    assert "watch" not in [button.key for button in page.button]


def test_the_stored_runs_have_colours_of_their_own_and_names_that_read():
    for theme in ("light", "dark"):
        sight = first.sight(Values({}, theme))
        colours = [one["colour"] for one in sight["algorithms"]]
        assert len(set(colours)) == len(colours)
        for one in sight["algorithms"]:
            assert contrast(one["ink"], palette(theme).background) >= READS
        assert len(sight["fills"]) == len(sight["inks"]) == 3


def followed(link):
    """The page and the view to which a link leads."""
    name, _, settings = link.partition("?")
    return pages()[name], pages()[name].view(dict(parse_qsl(settings)))


@pytest.mark.parametrize("road", ways.ROADS, ids=lambda road: road.title)
def test_roads_lead_where_they_say(road):
    assert 3 <= len(road.links) <= 4
    for link in road.links.values():
        page, result = followed(link)
        named = dict(parse_qsl(link.partition("?")[2]))
        assert list(named.values()) == ([result.name] if named else [])
        assert set(named) <= {page.key}


@pytest.mark.parametrize("road", ways.ROADS, ids=lambda road: road.title)
def test_commands_of_roads_are_there(road, capsys):
    _, command, *words = road.command.split()
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    out = capsys.readouterr().out

    assert end.value.code == 0
    assert all(word in out for word in words if word.startswith("--"))


def test_the_gallery_has_a_card_for_every_view_that_leads_to_it():
    cards = list(gallery.cards(without=("home", "lessons")))
    views = [
        item
        for page in pages().values()
        if page.name not in ("home", "lessons")
        for item in page.views.values()
    ]

    assert [card.view for card in cards] == views
    # A question that another view can answer needs none of its own.
    assert len(views) <= 34
    assert [followed(card.link) for card in cards] == [(c.page, c.view) for c in cards]
    for card in cards:
        named = dict(parse_qsl(card.link.partition("?")[2]))
        assert named.items() >= card.page.opens(card.view).items()
    assert len({card.title for card in cards}) == len(cards)


def test_every_card_of_the_gallery_has_a_small_picture_in_both_themes():
    cards = gallery.cards(without=("home", "lessons"))
    wanted = {card.picture(theme) for card in cards for theme in ("light", "dark")}
    items = set(gallery.PICTURES.glob("*"))

    assert items == wanted
    assert max(path.stat().st_size for path in items) <= 25_000


@pytest.mark.parametrize(
    ("algorithm", "lesson"),
    [
        ("RSRank", "3-zeros"),
        ("ApproxNDCG", "2-alpha"),
        ("ConeRank", "4-cones"),
        ("SVMMAP", "5-margins"),
        # By their families.
        ("SVMNDCG", "5-margins"),
        ("ApproxERR", "2-alpha"),
        ("AdaRank", "10-ties"),
        # No lesson is about it.
        ("NoRanker", "1-no-slope"),
    ],
)
def test_the_lesson_that_fits_an_algorithm(algorithm, lesson):
    assert store.fitting(algorithm).name == lesson


def test_the_search_leads_to_every_view_example_and_algorithm_and_defines_terms():
    entries = finder.places()
    for words, entry in entries.items():
        if isinstance(entry, str):
            assert glossary.TERMS[words.removeprefix("Term ")] == entry
            continue
        rows = {row.key: row for row in pages()[entry.page].rows(entry.settings)}
        for key, text in stage.link_texts(entry).items():
            assert key not in rows or rows[key].parse(text) == entry.settings[key]
    of_algorithms = [one for one in entries if one.startswith("Algorithm ")]
    assert len(of_algorithms) == len(list_algorithms())
    assert len(entries) - len(of_algorithms) > len(glossary.TERMS) + 100


def test_a_term_that_is_searched_for_is_defined(run_page):
    page = run_page("home")
    page.selectbox(key="find").set_value("Term gain").run()
    assert page.info[0].value == glossary.TERMS["gain"]
