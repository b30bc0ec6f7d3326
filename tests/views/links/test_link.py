"""Links: what a page takes from one, and what it writes into its own."""

from types import SimpleNamespace
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages.ui import link, registry, streamlit_compat, texts
from pages.ui.away import links
from pages.ui.catalogue import pages
from pages.ui.data import datasets
from pages.ui.lessons.store import PAGES
from pages.ui.shared import DATA
from pages.views import sparsity
from rankcore.views import DraggedRanking, Text, read
from tests.odd_texts import ODD

RANKING = "B4-A0-C1"
LESSON = "1-no-slope"


@pytest.mark.parametrize("before", ["https://a.org", "http://localhost:8501/tools"])
def test_the_address_of_the_app_is_that_of_a_page_without_its_name(before, monkeypatch):
    for after in ("", "/", "/measures"):
        context = SimpleNamespace(url=before + after)
        monkeypatch.setattr(link.st, "context", context)
        assert link.server(pages()["measures"]) == before


def chosen(page, *keys):
    return [page.session_state[key] for key in keys]


def test_a_page_takes_its_settings_from_the_link(run_page):
    page = run_page("measures", ranking=RANKING, alpha="20", terms_of="AP")

    assert not page.exception
    assert chosen(page, "ranking", "alpha", "terms_of") == [RANKING, 20.0, "AP"]
    assert page.query_params == {
        "ranking": RANKING,
        "alpha": "20",
        "terms_of": "AP",
    }


def test_links_of_earlier_versions_are_understood_and_renewed(run_page):
    old = {"taken_apart": "AP", "mover": "C", "tied_to": "3", "alpha": "20.0"}
    page = run_page("measures", **old)

    assert not page.exception
    assert page.query_params == {
        "terms_of": "AP",
        "moved_document": "C",
        "n_tied": "3",
        "alpha": "20",
    }


@pytest.mark.parametrize(
    ("old", "now"),
    [
        ({"taken_apart": "AP"}, {"terms_of": "AP"}),
        ({"land_t": "0.5"}, {"line_position": "0.5"}),
        ({"cones": "abc"}, {link.JOB: "abc"}),
        ({"cone_view": "Geometry"}, {}),
        ({"nobody": "knows"}, {"nobody": "knows"}),
        (
            {"margin_view": "By hand", "margin_list": "1:0, 0:1"},
            {
                "margin_view": "One list",
                "margin_source": "by hand",
                "margin_list": "1:0, 0:1",
            },
        ),
    ],
)
def test_old_names_become_those_of_now(old, now):
    assert link.renamed(old) == now
    assert link.renamed(now) == now


def test_unknown_keys_are_left_out(run_page, drawn):
    page = run_page("data", data="planted", nobody="knows", weight="abc")

    assert not page.exception
    assert not page.warning
    assert page.query_params == {"data": "planted"}
    assert drawn(page)


def test_blanks_around_a_value_are_left_out(run_page, drawn):
    page = run_page("data", data=" planted ")

    assert not page.warning
    assert page.selectbox(key="data#0").value == "planted"
    assert drawn(page)


def test_unknown_values_are_named_and_no_figures_shown(run_page, drawn):
    link = {"algorithm": "Nope", "data": "nowhere", "RSRank.g": "abc", "job": "gone"}
    page = run_page("train", **link, nobody="knows")

    assert not page.exception
    (warning,) = page.warning
    for key, value in link.items():
        assert f"**{key} = {value}**" in warning.value
    assert "Did you mean" in warning.value
    assert drawn(page) == {}
    assert not any('"rs-facts"' in html.proto.body for html in page.get("html"))
    # The link still says what it said, to whoever opens it next.
    assert page.query_params == link


def test_figures_are_shown_once_unknown_values_are_chosen_or_left_out(run_page, drawn):
    page = run_page("data", data="nowhere", query="-4", part="middle")
    page.selectbox(key="data#0").select("planted").run()
    assert "query = -4" in page.warning[0].value
    assert "part = middle" in page.warning[0].value
    assert "data" not in page.warning[0].value
    assert drawn(page) == {}
    page.button(key="leave_out").click().run()

    assert not page.warning
    assert drawn(page)
    assert page.query_params == {"data": "planted"}


@pytest.mark.parametrize("of", ["an example", "a run"])
def test_an_iteration_after_the_end_is_named_and_no_figures_shown(run_page, drawn, of):
    link, last = {}, 500
    if of == "a run":
        begun = run_page("train", **{"data": "toy-2d", "RSRank.max_iter": "3"})
        begun.button(key="play").click().run()
        link, last = dict(begun.query_params), 3
        assert registry.registry().get(link["job"]).wait(60)
    page = run_page("train", **link, at="9999")

    assert not page.exception
    (warning,) = page.warning
    assert "**at = 9999**: There is no iteration 9999" in warning.value
    assert f"the run has those up to {last}. Choose" in warning.value
    assert drawn(page) == {}
    assert not any('"rs-facts"' in html.proto.body for html in page.get("html"))
    assert not any("Example" in one.value for one in page.caption)
    assert page.query_params == {**link, "at": "9999"}

    page.button(key="leave_out").click().run()
    assert not page.warning
    assert drawn(page)
    assert page.query_params == link


@pytest.mark.parametrize(
    ("pin", "said"),
    [
        ("run=a&data=nowhere", "no data set 'nowhere'"),
        ("run=a&algorithm=RSRank&RSRank.g=abc", "not 'abc'"),
        ("name=x", "Write ids"),
    ],
)
def test_pins_with_unknown_values_are_named(run_page, drawn, pin, said):
    page = run_page("train", data="toy-2d", pin=pin)

    assert not page.exception
    assert said in page.warning[0].value
    assert drawn(page) == {}


def test_pins_of_earlier_versions_are_understood():
    (pin,) = links.checked_pins("run=a&speed=as+fast+as+it+goes&taken_apart=AP")
    assert links.read_texts(pin.settings) == (
        {"speed": "unlimited", "terms_of": "AP"},
        {},
    )


def test_pins_of_which_nothing_is_known_are_named(run_page):
    page = run_page("train", data="toy-2d", pin="gone")

    assert any(
        "missing here" in item.value and "gone" in item.value for item in page.caption
    )


def test_values_that_the_others_leave_no_room_for_are_named(run_page, drawn):
    page = run_page("data", data="toy-2d", query="500")

    assert "must be from 1 to 6 here" in page.warning[0].value
    assert drawn(page) == {}
    # Data without a seventh query, once they are known.
    page = run_page("data", data="nowhere", query="500")
    assert "query" not in page.warning[0].value
    page.button(key="leave_out").click().run()
    assert "query = 500" in page.warning[0].value


def test_a_change_of_data_still_moves_a_query_silently(run_page):
    page = run_page("data", data="planted", query="20")
    page.selectbox(key="data#0").select("toy-2d").run()

    assert not any("query" in warning.value for warning in page.warning)
    assert page.query_params == {"data": "toy-2d"}


def test_what_has_its_default_is_not_in_the_link(run_page):
    page = run_page("data", data="mslr10k-sample", part="train", query="1")

    assert page.query_params == {}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("as fast as it goes", "unlimited"),
        ("2 steps a second", "2 iterations/s"),
        ("100 steps a second", "100 iterations/s"),
    ],
)
def test_speeds_of_earlier_links_still_count(run_page, old, new):
    page = run_page("train", data="toy-2d", speed=old)

    assert page.session_state["speed"] == new
    assert page.query_params["speed"] == new


@pytest.mark.parametrize("text", ODD[::6])
def test_nearly_numbers_open_every_page(run_page, text):
    for name, keys in {
        "measures": ("cutoff", "n_tied", "alpha", "ranking", "query", "seed"),
        "data": ("query", "step", "present", "part", "lesson"),
    }.items():
        page = run_page(name, data="toy-2d", **dict.fromkeys(keys, text))
        assert not page.exception, name


def test_a_choice_goes_into_the_link_and_its_default_out_of_it(run_page):
    page = run_page("measures")
    page.slider(key="cutoff#0").set_value(3).run()
    page.run()
    assert page.query_params == {"cutoff": "3"}

    page.slider(key="cutoff#0").set_value(5).run()
    page.run()
    assert page.query_params == {}


def test_a_step_back_to_an_earlier_link_gives_all_else_its_default(run_page):
    page = run_page("measures", alpha="20", cutoff="3")
    page.query_params.clear()
    page.query_params["cutoff"] = "2"
    page.run()

    assert page.slider(key="cutoff#1").value == 2
    assert page.select_slider(key="alpha#1").value == 3.0
    assert page.query_params == {"cutoff": "2"}


@pytest.mark.parametrize("through_history", [True, False])
def test_an_earlier_link_of_another_page_gives_what_it_leaves_out_its_default(
    monkeypatch, run_app, through_history
):
    page = run_app("data")
    page.selectbox(key="data#0").select("planted").run()
    page = page.switch_page("pages/sparsity.py").run()
    assert page.session_state["data"] == "planted"
    monkeypatch.setattr(
        streamlit_compat, "went_through_history", lambda: through_history
    )
    page.query_params.clear()
    page = page.switch_page("pages/data.py").run()

    # A menu keeps what was chosen.
    assert page.query_params == ({} if through_history else {"data": "planted"})


@pytest.mark.parametrize(
    "earlier", [{}, {"lesson": LESSON}, {"lesson": LESSON, "step": "2"}]
)
def test_a_step_back_to_an_earlier_link_gives_its_place_in_a_lesson(run_page, earlier):
    page = run_page("measures", lesson=LESSON, step="5", present="1")
    page.query_params.clear()
    page.query_params.update(earlier)
    page.run()

    assert page.query_params == earlier


def test_a_choice_goes_with_the_visitor_to_another_page(run_app):
    page = run_app("data")
    page.selectbox(key="data#0").select("planted").run()
    page = page.switch_page("pages/measures.py").run()
    page = page.switch_page("pages/data.py").run()

    assert not page.exception
    assert page.query_params == {"data": "planted"}
    assert page.selectbox(key="data#0").value == "planted"


def test_a_link_that_names_a_setting_twice_opens_the_page(run_page):
    page = run_page("measures", cutoff=["3", "4"], ranking=[RANKING, RANKING])

    assert not page.exception


def test_reset_keeps_the_place_in_a_lesson_alone(run_page):
    place = {"lesson": LESSON, "step": "5"}
    page = run_page("measures", **place, alpha="2", cutoff="3")
    page.button(key="reset").click().run()
    page.run()

    assert page.query_params == {
        "lesson": LESSON,
        "step": "5",
    }


def test_the_navigation_has_every_page():
    from tests.pages.conftest import ROOT

    app = (ROOT / "app.py").read_text("utf-8")
    assert all(f'"pages/{name}.py"' in app for name in PAGES)


def test_late_requests_one_after_another_go_back_to_the_opened_page(
    monkeypatch, run_page
):
    """The second comes before the opened page has begun again."""
    went = []
    monkeypatch.setattr(link.st, "switch_page", went.append)
    monkeypatch.setattr(link.st, "session_state", run_page("cones").session_state)
    for _ in range(2):
        link.stay(sparsity.PAGE)

    assert went == ["pages/cones.py"] * 2


def taking_nonsense(view):
    """The settings of a view that link of it can name wrongly, with such a value."""
    raw = {"data": "toy-2d"}
    wrong = {}
    for row in view.rows(raw):
        if row.computed is not None or row.key == "data":
            continue
        for text in ("no such thing", "-7", "99999999"):
            if links.read_texts({row.key: text}).refusals:
                wrong[row.key] = text
                break
    return wrong


@pytest.mark.contract
@pytest.mark.parametrize(
    ("page", "view"),
    [(page, name) for page, result in pages().items() for name in result.views],
)
def test_every_view_names_unknown_values_of_its_settings(run_page, drawn, page, view):
    result = pages()[page]
    wrong = taking_nonsense(result.views[view]) | {"data": "nowhere"}
    if "data" not in {row.key for row in result.views[view].rows({})}:
        del wrong["data"]
    chosen = {result.key: view} if result.choice else {}
    if not wrong:
        return
    app = run_page(page, **chosen, **wrong, nobody="knows")

    assert not app.exception
    named = "".join(warning.value for warning in app.warning)
    missing = [k for k, v in wrong.items() if texts.literal(f"{k} = {v}") not in named]
    assert missing == []
    assert drawn(app) == {}
    assert not any('"rs-facts"' in html.proto.body for html in app.get("html"))
    assert {k: app.query_params[k] for k in wrong} == wrong


# Texts that name nothing by themselves, or of which the figures say what they lack.
FREE = {
    "find", "made_with", "map_taken", "outline", "pin", "runs_cell", "runs_chosen",
    "runs_search", "runs_study", "runs_sweep", "runs_undo", "sweeps_undo",
}  # fmt: skip


@pytest.mark.contract
def test_every_text_that_names_something_says_what_it_cannot_name():
    raw = {"data": "planted", "compared_query": "1"}
    silent = set()
    for page in pages().values():
        for view in page.views.values():
            rows = view.rows(raw)
            for row in rows:
                if not isinstance(row, Text) or isinstance(row, DraggedRanking):
                    continue
                named = links.read_texts({row.key: "no such thing"})
                unfit = links.unfit(rows, named.values, read(rows, raw))
                if not (named.refusals or unfit):
                    silent.add(row.key)
    assert silent == FREE


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("train", {"train_view": "Run", "why_document": "none"}),
        ("train", {"train_view": "Race", "race_runs": "run=Nobody&hidden=1"}),
        ("compare", {"data": "planted", "compared_query": "none"}),
        ("explore", {"data": "planted", "map_cell": "99,0"}),
        ("inspect", {"data": "planted", "inspect_document": "none"}),
        ("inspect", {"data": "planted", "edits": "planted/given/train/1?3.z=4"}),
    ],
)
def test_texts_that_name_nothing_here_are_named(run_page, drawn, page, link):
    app = run_page(page, **link)

    assert not app.exception
    assert texts.literal(list(link)[-1]) in app.warning[0].value
    assert drawn(app) == {}


def test_what_names_nothing_any_more_is_left_out_of_a_link():
    page = pages()["inspect"]
    raw = {"data": "planted"}
    rows = page.rows(raw)
    lists = datasets.of(read(rows, raw)).train
    longest, shortest = int(lists.lengths.argmax()), int(lists.lengths.argmin())
    raw |= {"inspect_document": lists.query(longest).doc_ids[-1]}
    for query, named in ((longest, True), (shortest, False)):
        example = links.query(rows, read(rows, raw | {"query": query + 1}))
        assert ("inspect_document" in example) == named


@pytest.mark.parametrize(
    ("page", "link"),
    [
        ("compare", {"baseline": "Nope"}),
        ("sparsity", {"path_at": "7.77"}),
        ("explore", {"map_query": "Nope"}),
    ],
)
def test_names_that_a_study_does_not_have_are_named(run_page, drawn, page, link):
    """In place of the example, whose models are known, and of words about it."""
    ((key, value),) = link.items()
    app = run_page(page, **pages()[page].opening, **link)
    assert value in app.warning[0].value
    assert drawn(app) == {}
    assert not any("Example" in one.value for one in [*app.caption, *app.markdown])
    assert app.query_params[key] == value

    app.button(key="leave_out").click().run()
    assert not app.warning
    assert drawn(app)
    assert any("Example" in one.value for one in [*app.caption, *app.markdown])
    assert key not in app.query_params


MANY = "planted-900"
COMPARING = [name for name, page in pages().items() if page.opening.get("data") == MANY]


def test_pages_that_compare_models_open_on_data_that_tells_them_apart():
    assert COMPARING == ["compare", "explore"]


@pytest.mark.parametrize("name", COMPARING)
def test_a_page_without_a_link_opens_with_settings_of_its_own(run_app, name):
    page = run_app(name)
    assert not page.exception
    assert page.query_params["data"] == MANY

    # As a browser does that goes to another page.
    page.query_params.clear()
    page = page.switch_page("pages/measures.py").run()
    assert "data" not in page.session_state


@pytest.mark.parametrize("name", COMPARING)
def test_a_link_that_names_no_data_keeps_the_default(run_page, name):
    page = run_page(name, seed="1")
    assert not page.exception
    assert page.selectbox(key="data#0").value == DATA.default
    assert page.query_params.get("data", DATA.default) == DATA.default


@pytest.mark.parametrize("name", COMPARING)
def test_a_link_whose_settings_have_their_defaults_is_told_from_none(run_page, name):
    page = run_page(name)
    page.selectbox(key="data#0").select(DATA.default).run()
    page.run()
    link = dict(page.query_params)
    again = run_page(name, **link)
    assert again.selectbox(key="data#0").value == DATA.default
    assert again.query_params == link

    result = pages()[name]
    copied = links.link(result, result.rows({}), read(result.rows({}), {}))
    assert links.opened(copied).values().data == DATA.default
    assert link.items() == dict(parse_qsl(urlsplit(copied).query)).items()


@pytest.mark.parametrize("name", COMPARING)
def test_a_link_that_names_a_view_only_opens_as_its_button_does(run_page, name):
    result = pages()[name]
    view = list(result.views)[1]
    page = run_page(name, **{result.key: view})
    assert not page.exception
    assert page.query_params["data"] == MANY
    link = dict(page.query_params)
    page.selectbox(key="data#0").select(DATA.default).run()
    # So the link of the defaults is another one, which opens as it was.
    again = run_page(name, **page.query_params)
    assert again.selectbox(key="data#0").value == DATA.default
    assert link.keys() == dict(again.query_params).keys() == {result.key, "data"}


def test_sparsity_opens_on_scaled_features_and_links_keep_their_scaling(run_app):
    page = run_app("sparsity")
    assert not page.exception
    assert page.query_params["normalise"] == "minmax"
    assert page.selectbox(key="normalise#0").value == "minmax"
    facts = next(html for html in page.get("html") if "rs-facts" in html.proto.body)
    assert "features scaled to 0 to 1" in facts.proto.body

    page.query_params.clear()
    page = page.switch_page("pages/train.py").run()
    assert "normalise" not in page.session_state


@pytest.mark.parametrize("link", [{"values": "5"}, {"data": "mslr10k-sample-raw"}])
def test_a_link_to_sparsity_that_names_no_scaling_has_none(run_page, link):
    page = run_page("sparsity", **link)
    assert not page.exception
    assert page.selectbox(key="normalise#0").value == "as given"
    assert dict(page.query_params) == link
    assert any("Features are taken as given." in item.value for item in page.caption)


def test_data_that_was_chosen_stays_where_a_page_opens(run_app):
    page = run_app("data")
    page.selectbox(key="data#0").select("toy-2d").run()
    page = page.switch_page("pages/compare.py").run()
    assert page.query_params["data"] == "toy-2d"
    page = page.switch_page("pages/measures.py").run()
    assert page.session_state["data"] == "toy-2d"
