"""The Papers page: its filter, its cards, and the links to other views."""

import numpy as np
import pytest

from pages.ui.catalogue import pages, setting
from pages.views.papers import leaderboard
from rankcore.algorithms import get_algorithm
from rankcore.data import catalogue
from rankcore.data.catalogue import FOLDER_VARIABLE, load_dataset
from rankcore.mathematics import statistics
from rankcore.measures import evaluate
from rankcore.studies.owners import ONE_PERSON
from rankcore.topics.papers import computed, results, sources
from rankcore.topics.papers._approx import FIGURE_ITERATIONS, RESTARTS
from rankcore.topics.papers._rsrank import ITERATIONS, PENALTIES
from rankcore.topics.papers.boards import Board, FoldQueries, Standing
from rankcore.topics.papers.cards import CARDS, card
from rankcore.topics.papers.ranking import Ranking
from rankcore.topics.papers.results import Results
from rankcore.topics.papers.rules import FALSE
from rankcore.training import Stop, drive
from rankcore.views import Ask, Go, Notice, Popover, Table, Words, flat
from rankcore.views.paper_data import data_blocks
from tests.cli.conftest import write_letor
from tests.viewing import recorded, shown, studied, values, view

CLAIMS = view("papers", "Claims")


@pytest.mark.parametrize("one", CARDS, ids=lambda one: one.key)
def test_a_card_leads_to_a_view_that_there_is(one):
    assert one.scene is not None
    assert one.scene.page in pages()
    assert one.scene.settings
    # Its page's view, where there are several, and what that one has.
    page = pages()[one.scene.page]
    named = one.scene.settings.get(page.key)
    assert named in page.views if len(page.views) > 1 else named is None
    shows = page.views[named] if named else next(iter(page.views.values()))
    raw = dict(one.scene.settings)
    settings = {row.key for row in shows.rows(raw)} | {page.key}
    assert set(raw) <= settings
    for key, value in one.scene.settings.items():
        row = setting(key)
        assert row is not None, key
        assert row.check(value) == value


@pytest.mark.parametrize(
    ("key", "settings"),
    [
        ("rsrank-figure-4", {"values": len(PENALTIES), "RSRank.max_iter": ITERATIONS}),
        ("approx-table-5", {"land_restarts_in": "all features",
                            "land_restarts": RESTARTS}),
        ("approx-figure-1", {"approx_passes": FIGURE_ITERATIONS}),
        ("conerank-figure-3", {"map_x": "n_basis", "convention": "standard"}),
    ],
)  # fmt: skip
def test_the_view_of_a_card_has_the_settings_of_its_experiment(key, settings):
    assert settings.items() <= card(key).scene.settings.items()


def test_a_card_whose_data_is_not_here_says_that_its_view_opens_other_data():
    for key, result in (("approx-table-5", True), ("approx-theorem-1", False)):
        shows = shown(CLAIMS, papers_card=key)
        items = [getattr(b, "text", "") for b in shows.blocks[0].columns[1]]
        assert any("opens other data" in text for text in items) == result


def test_the_filter_leaves_the_claims_of_its_verdict():
    result = shown(CLAIMS, papers_verdict=FALSE)
    _, *heads = [b.text for b in flat(result.blocks) if isinstance(b, Words)]
    assert len(heads) > 3
    assert all(FALSE in head for head in heads)


@pytest.mark.parametrize(
    "changes",
    [
        *(item for item in CLAIMS.presets.values() if not item["papers_experiment"]),
        {"papers_paper": "structured"},
    ],
)
def test_the_selected_claim_is_one_of_the_filter(changes):
    chosen = values(CLAIMS, papers_card="approx-table-4-ranksvm", **changes)
    result = CLAIMS.show(chosen)
    first, *others = [b.text for b in flat(result.blocks) if isinstance(b, Words)]
    assert first in others
    (row,) = (row for row in CLAIMS.rows({}) if row.key == "papers_card")
    _, second, *_ = names = row.labels(chosen)
    assert len(names) < len(CARDS)
    value = CLAIMS.show(values(CLAIMS, papers_card=second, **changes))
    assert value.panels()[1].title == card(second).title


def test_a_click_outside_the_filter_ends_it():
    chosen = {"papers_paper": "rsrank", "papers_verdict": FALSE}
    overview = CLAIMS.show(values(CLAIMS, **chosen)).panels()[0]
    changes = chosen | overview.on_click("reached", 0)
    after = CLAIMS.show(values(CLAIMS, **changes))
    assert after.panels()[1].title == CARDS[0].title
    items = [
        opacity == 1.0 for opacity in overview.picture.data[3]["marker"]["opacity"]
    ]
    assert overview.on_click(FALSE, items.index(True)).keys() == {"papers_card"}


def test_the_rule_of_a_verdict_stands_beside_it():
    for key in ("approx-theorem-1", "approx-table-4-ranksvm", "liu-table-11-1"):
        details = shown(CLAIMS, papers_card=key).blocks[0].columns[1]
        texts = [getattr(block, "text", "") for block in details]
        assert sum(card(key).rule.text in text for text in texts) == 1
    heads = [block for block in flat(shown(CLAIMS).blocks) if isinstance(block, Words)]
    rules = [one.rule.text for one in (CARDS[0], *CARDS[:6])]
    assert [head.help for head in heads] == rules


NEEDS_DATA = "approx-table-4-ranksvm"


@pytest.fixture
def folds(tmp_path, monkeypatch):
    """A folder in the shape of OHSUMED, of another name."""
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))
    data = load_dataset("planted")
    for number in range(1, 6):
        fold = tmp_path / "letor" / f"Fold{number}"
        fold.mkdir(parents=True)
        for name, part in zip(("train", "vali", "test"), data, strict=True):
            write_letor(
                fold / f"{name}.txt", part.subset(np.arange(part.n_queries) < 2)
            )
    yield tmp_path / "letor"
    catalogue.remove_folder("ohsumed")


def field(shows):
    (more,) = (b for b in flat(shows.blocks) if isinstance(b, Popover))
    assert more.title == "I have the folder"
    return more.blocks()[0]


def test_a_claim_without_its_data_says_how_to_get_it_and_takes_its_folder(folds):
    chosen = {"papers_card": NEEDS_DATA}
    before = CLAIMS.show(values(CLAIMS, **chosen))
    (value,) = (
        b.text for b in flat(before.blocks) if "**Source**" in getattr(b, "text", "")
    )
    assert "OHSUMED of LETOR 3.0 by Microsoft Research" in value
    assert "`OHSUMED/Fold1` to `OHSUMED/Fold5`" in value
    assert "agreement" in value
    assert CLAIMS.no_study(values(CLAIMS, **chosen)) is not None

    assert field(before).write(f"  {folds}") == {"papers_folder": ""}

    assert CLAIMS.no_study(values(CLAIMS, **chosen)) is None
    after = CLAIMS.show(values(CLAIMS, **chosen))
    assert not any(isinstance(b, Popover) for b in flat(after.blocks))
    opened = next(b for b in flat(after.blocks) if isinstance(b, Go))
    assert opened.settings["data"] == "ohsumed/Fold1"
    result = studied(CLAIMS, values(CLAIMS, **chosen)).found[-1]
    assert result.made
    assert "folds as supplied" in result.protocol


def test_a_visitor_who_comes_through_a_proxy_meanwhile_opens_no_folder(folds):
    owners = iter(["", "her"])
    now = values(CLAIMS, papers_card=NEEDS_DATA)
    more, *_ = data_blocks(card(NEEDS_DATA), now, lambda: next(owners))
    assert more.blocks()[0].write(str(folds)) == {"papers_folder": ""}
    assert computed.folds_of("OHSUMED") == []


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("", "path"),
        ("letor", "path"),
        ("{}/absent", "missing"),
        ("{}/Fold1", "folds"),
        ("{}/Fold1/train.txt", "missing"),
        ("{}/a\0b", "path"),
        ("/" + 5000 * "a", "path"),
    ],
)
def test_a_path_that_is_no_such_folder_is_refused(folds, path, problem):
    changes = field(shown(CLAIMS, papers_card=NEEDS_DATA)).write(path.format(folds))

    assert changes == {"papers_folder": problem}
    after = CLAIMS.show(values(CLAIMS, papers_card=NEEDS_DATA, **changes))
    (notice,) = (b for b in flat(after.blocks) if isinstance(b, Notice))
    assert notice.text == sources.PROBLEMS[problem]
    assert computed.folds_of("OHSUMED") == []


def test_a_folder_of_other_data_is_refused(folds):
    wide = load_dataset("toy-2d").train
    write_letor(folds / "Fold1" / "train.txt", wide)
    write_letor(folds / "Fold1" / "vali.txt", wide)
    write_letor(folds / "Fold1" / "test.txt", wide)
    assert sources.take_folder("OHSUMED", str(folds)) == "other"
    (folds / "Fold1" / "train.txt").write_text("no LETOR text\n")
    assert sources.take_folder("OHSUMED", str(folds)) == "unreadable"
    assert computed.folds_of("OHSUMED") == []


def test_a_server_with_other_visitors_takes_no_folder(run_page, monkeypatch):
    refused = []
    for one_person in ("yes", "no"):
        monkeypatch.setenv(ONE_PERSON, one_person)
        captions = [c.value for c in run_page("papers", papers_card=NEEDS_DATA).caption]
        assert any("**Source**" in text for text in captions)
        refused.append(any("opens no folders" in text for text in captions))
    assert refused == [False, True]


def test_a_click_selects_a_claim_and_its_values_are_shown():
    overview = shown(CLAIMS).panels()[0]
    reached = overview.picture.data[0]
    assert reached["name"] == "reached"
    changes = overview.on_click("reached", 0, reached["x"][0], reached["y"][0])
    chosen = card(changes["papers_card"])
    result = shown(CLAIMS, **changes)
    assert result.panels()[1].title == chosen.title


def test_every_printed_value_is_in_the_table():
    (table,) = (b for b in flat(shown(CLAIMS).blocks) if isinstance(b, Table))
    assert len(table.rows) == 421
    for row in table.rows:
        if row["here"] is not None:
            assert row["protocol"]
            assert row["convention"]
            assert row["spread"]
            assert row["seconds"] > 0.0 or "counted" in row["protocol"]
            assert row["computed"]


def test_a_live_claim_is_computed_again_on_the_page():
    chosen = values(CLAIMS, papers_card="rsrank-lemma-1")
    before = flat(CLAIMS.show(chosen, None).blocks)
    assert not any("**Computed**: now" in getattr(b, "text", "") for b in before)
    assert any(isinstance(b, Go) for b in before)
    after = CLAIMS.show(chosen, studied(CLAIMS, chosen))
    assert any(
        "**Computed**: now" in getattr(b, "text", "") for b in flat(after.blocks)
    )


@pytest.fixture
def ohsumed(tmp_path, monkeypatch):
    """A folder of two small folds, in the catalogue under the name of OHSUMED."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))
    splits = load_dataset("toy-2d")
    for fold in ("Fold1", "Fold2"):
        folder = tmp_path / "ohsumed" / fold
        folder.mkdir(parents=True)
        for part, data in zip(("train", "vali", "test"), splits, strict=True):
            write_letor(folder / f"{part}.txt", data)


def test_a_link_leads_to_the_folder_of_the_claim(ohsumed):
    chosen = values(CLAIMS, papers_card="approx-table-6")
    links = [b for b in flat(CLAIMS.show(chosen, None).blocks) if isinstance(b, Go)]
    assert links[0].settings["data"] == "ohsumed/Fold1"


def test_a_claim_with_data_is_computed_again_and_kept(ohsumed):
    chosen = values(CLAIMS, papers_card="approx-table-2")
    assert CLAIMS.no_study(chosen) is None
    study = studied(CLAIMS, chosen)
    queries = 2 * load_dataset("toy-2d").test.n_queries
    (value,) = (v for v in study.found[-1].values if v.x == "queries" and v.ours)
    assert value.ours == queries
    result = Results.read(results.folder() / results.FILE)
    assert result.outcomes["approx-table-2"].values == study.found[-1].values
    after = CLAIMS.show(chosen, None)
    assert any(f"{queries}, not 106" in getattr(b, "text", "")
               for b in flat(after.blocks))  # fmt: skip


def test_what_an_experiment_has_computed_is_said_meanwhile(ohsumed, monkeypatch):
    chosen = values(CLAIMS, papers_card="approx-table-4-adarank-ndcg")
    study, value = CLAIMS.work_for(chosen).study(chosen), []
    assert study.doing == "the experiment"
    check = results.check

    def checked(one, bench):
        result = check(one, bench)
        value.append(study.doing)
        return result

    monkeypatch.setattr(results, "check", checked)
    assert list(study) == []
    assert len(value) == 1
    assert value[0].startswith("computed: OHSUMED Fold2")
    assert study.reason.startswith("Computed in ")


def test_the_time_counts_every_learner_that_the_card_compares():
    boards = Results.shipped().boards["OHSUMED"].standings
    one = card("approx-table-4-adarank-ndcg")
    names = {entry.name for entry in one.entries.values()}
    expected = sum(boards[name].seconds for name in names)
    assert computed.seconds(one) == pytest.approx(expected)
    chosen = values(CLAIMS, papers_card=one.key)
    promise = CLAIMS.work_for(chosen).promise(chosen)
    assert f"about {expected:.0f} s of computing" in promise


def test_a_claim_without_its_data_says_what_to_do():
    for key, words in (
        ("approx-table-4-ranksvm", "OHSUMED is not here: name its folder"),
        ("structured-accuracy-trec2000", "cannot be computed here"),
    ):
        assert words in CLAIMS.no_study(values(CLAIMS, papers_card=key))


@pytest.fixture
def own_results(tmp_path, monkeypatch):
    """A user's board of two learners over two queries."""
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    folds = (FoldQueries("Fold1", "print", (3, 2)),)
    standings = {
        "ListNet": Standing("ListNet", 3.0, 1.0, "today", bytes([1, 0, 0, 1, 0])),
        "RankSVM": Standing("RankSVM", 2.0, 1.0, "today", bytes([0, 1, 0, 0, 1])),
    }
    Results({}, {"TD2003": Board(folds, standings)}).write(tmp_path / results.FILE)
    return tmp_path / results.FILE


def test_the_leaderboard_has_every_learner_of_a_user_s_results(own_results):
    for measure in ("nDCG@10", "ERR", "P@5", "RR"):
        result = shown(
            view("papers", "Leaderboard"),
            board_measure=measure,
            board_convention="standard",
        )
        board = result.panels()[0].picture.numbers()
        settings = {r["algorithm"]: r["mean"] for r in board if r["data"] == "TD2003"}
        assert set(settings) == {"ListNet", "RankSVM"}
        assert settings["ListNet"] > settings["RankSVM"] or measure == "P@5"


def test_the_best_learners_of_the_leaderboard_are_drawn_and_all_on_request():
    board = view("papers", "Leaderboard")
    few, every = shown(board), shown(board, board_rows="all")
    names = [drawn(item) for item in (few, every)]
    first = [
        fact.note.removeprefix("highest mean: ").rpartition(",")[0]
        for fact in few.facts
    ]
    offered = [b for b in few.blocks if isinstance(b, Ask)]
    tables = [item.panels()[0].picture.numbers() for item in (few, every)]

    assert len(names[0]) == leaderboard.FEW < len(names[1])
    assert set(first) <= set(names[0])
    left = [name for name in names[1] if name not in first]
    items = {*first, *left[: leaderboard.FEW - len(set(first))]}
    assert names[0] == [name for name in names[1] if name in items]
    assert [b.settings for b in offered] == [[leaderboard.ROWS]]
    assert tables[0] == tables[1]


def test_the_leaderboard_is_sorted_by_the_data_set_that_is_chosen():
    for chosen in ("OHSUMED", "MQ2008"):
        result = shown(
            view("papers", "Leaderboard"), board_rows="all", board_sort=chosen
        )
        rows = result.panels()[0].picture.numbers()
        items = [row for row in rows if row["data"] == chosen]
        assert rows[: len(items)] == items
        assert items == sorted(items, key=lambda row: -row["mean"])
        assert drawn(result)[0] == items[0]["algorithm"]
        ties = [row for row in items if row["tied with the best"] == "yes"]
        value = next(fact for fact in result.facts if fact.meaning.endswith(chosen))
        assert value.number == f"{len(ties)} of {len(items)}"


def drawn(found):
    """The names beside the rows of the leaderboard."""
    return found.panels()[0].picture.layout["yaxis"]["ticktext"]


def test_the_leaderboard_says_by_which_rules_printed_values_were_made():
    for convention, result in (("standard", True), ("letor3", False)):
        board = shown(view("papers", "Leaderboard"), board_convention=convention)
        items = [b.text for b in flat(board.blocks) if isinstance(b, Notice)]
        text = "letor3 on OHSUMED"
        assert any(text in one for one in items) == result
        # Values on another scale stand apart from the axes, in the table alone.
        traces = [trace.get("name") for trace in board.panels()[0].picture.data]
        assert ("OHSUMED, printed" in traces) != result
        (table,) = (b for b in flat(board.blocks) if isinstance(b, Table))
        assert any(row["printed"] for row in table.rows)
    hidden = {"board_convention": "standard", "board_printed": "hide"}
    board = shown(view("papers", "Leaderboard"), **hidden)
    assert not [b for b in flat(board.blocks) if isinstance(b, Notice)]


def test_results_that_cannot_be_read_leave_the_shipped_ones(own_results):
    own_results.write_text("[]")
    for name in ("Claims", "Leaderboard"):
        blocks = flat(shown(view("papers", name)).blocks)
        items = [b.text for b in blocks if isinstance(b, Notice)]
        assert any("holds no results of papers" in text for text in items)


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """A stored run on a data set whose test queries a user's board has."""
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    splits = load_dataset("planted")
    test = splits.test
    labels = Ranking.of(test, test.X[:, 0]).labels
    lengths = tuple(test.lengths.tolist())
    board = Board(
        (
            FoldQueries("Fold1", test.fingerprint, lengths),
            FoldQueries("Fold2", "other", lengths),
        ),
        {"ListNet": Standing("ListNet", 3.0, 1.0, "today", labels + labels)},
    )
    Results({}, {"TD2003": board}).write(tmp_path / results.FILE)
    run = drive(
        get_algorithm("LeastSquares")(), splits.train, splits.valid,
        stop=Stop(max_iterations=1), measures=("nDCG@10",),
    )  # fmt: skip
    return recorded(run, settings={"data": "planted"}), run, test


def test_entries_that_do_not_differ_from_the_best_are_ties():
    result = shown(view("papers", "Leaderboard"))
    rows = result.panels()[0].picture.numbers()
    assert result.facts
    for fact in result.facts:
        items = [row for row in rows if row["data"] == fact.meaning.split()[-1]]
        ties = [row for row in items if row["p against the best"] > 0.05]
        best = max(items, key=lambda row: row["mean"])
        assert fact.meaning.startswith("Tied for the best on")
        assert fact.number == f"{len(ties)} of {len(items)}"
        assert fact.note == f"highest mean: {best['algorithm']}, {best['mean']:.3f}"


def test_an_own_run_stands_beside_the_board_with_a_paired_test(stored):
    key, run, test = stored
    chosen = {"runs": (key,), "board_convention": "standard", "board_measure": "AP"}
    panel = shown(view("papers", "Leaderboard"), **chosen).panels()[0]
    (row,) = (r for r in panel.picture.numbers() if r["algorithm"].startswith("own: "))
    result, theirs = (
        evaluate(test, scores, "AP")["AP"].to_numpy()
        for scores in (test.X @ run.best.coef, test.X[:, 0])
    )
    assert row["mean"] == pytest.approx(result.mean())
    assert row["folds"] == f"Fold1; ListNet there: {theirs.mean():.3f}"
    expected = statistics.randomisation_test(theirs, result).p_value
    assert row["p against the best"] == expected
    stars = [t for t in panel.picture.data if t.get("name") == "own"]
    assert [list(one["x"]) for one in stars] == [[pytest.approx(result.mean())]]
    panel.picture.figure()


def test_an_own_run_on_other_queries_gets_a_sentence(stored, tmp_path):
    key, *_ = stored
    (tmp_path / results.FILE).unlink()
    result = shown(view("papers", "Leaderboard"), runs=(key, "nosuchrun"))
    items = [b.text for b in flat(result.blocks) if isinstance(b, Notice)]
    assert any("test queries have no board" in text for text in items)
    assert any("nosuchrun is not in the run store" in text for text in items)
