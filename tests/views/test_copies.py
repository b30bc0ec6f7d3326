"""What *Copy as* gives is run, and leads to what the view shows."""

import shlex
from itertools import product
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pandas as pd
import pytest

from pages.ui import registry
from pages.ui.away import copies, links, reports
from pages.ui.catalogue import pages
from pages.ui.data import datasets
from pages.ui.lessons import store
from rankcore import LeastSquares, RankingDataset, RankSVM, load_dataset, views
from rankcore.base.errors import DataError
from rankcore.cli._running import run
from rankcore.data.readers import Fold, Shares, Splits, read
from rankcore.data.readers.folds import same_features
from rankcore.data.uploads import Newest
from rankcore.training import Stop, drive
from rankcore.views import Shown, past
from tests.cli.conftest import write_letor
from tests.soaking import soak
from tests.viewing import recorded

SMALL = {
    "Train": "train?data=toy-2d&RSRank.max_iter=4&RSRank.g=2&seed=3&normalise=minmax",
    "Changed": "train?data=toy-2d&RSRank.max_iter=6&changes=2:g=5&measure=AP"
    "&convention=letor4&empty=skip",
    "Race": "train?train_view=Race&data=toy-2d&racers=RSRank,RSRank:g=5,ListNet"
    "&race_limit=4",
    "Path": "sparsity?data=toy-3d&values=4&RSRank.max_iter=5&tolerance=5",
    "Data": "data?data=toy-2d&normalise=minmax",
    "Measures": "measures?ranking=A2-B0-C1",
    "By hand": "margins?margin_source=by+hand",
    "Claim": "papers?papers_experiment=Ties",
}
EVERY = [
    links.link(page, page.rows(raw), views.read(page.rows(raw), raw))
    for page in pages().values()
    for raw in ({page.key: name} for name in page.views)
]


@pytest.fixture(scope="module")
def runs():
    """The ids of two stored runs, as a link names them."""
    splits, result = load_dataset("planted"), []
    for algorithm in (RankSVM(random_state=0), LeastSquares(random_state=0)):
        run = drive(algorithm, splits.train, splits.valid, stop=Stop(3))
        result.append(recorded(run, settings={"data": "planted"}))
    return ",".join(result)


def ways(link):
    return reports.part(links.opened(link)).copies


def ran(text):
    """The names that Python leaves behind."""
    names = {}
    exec(compile(text, "copied", "exec"), names)
    return names


@pytest.mark.parametrize("link", [SMALL["Measures"], SMALL["By hand"], SMALL["Claim"]])
def test_python_of_a_view_gives_its_tables_and_figures(link):
    shown, result = reports.show(link), ran(ways(link)["Python"])

    assert len(result["figures"]) == len(shown.panels())
    assert list(result["tables"]) == list(shown.exports())


@pytest.mark.parametrize("link", [SMALL["Train"], SMALL["Changed"]])
def test_python_of_a_run_trains_the_same(link):
    opened = links.opened(link)
    values = opened.values()
    (watched,) = reports.work_of(opened).findings
    text = opened.page.view(opened.raw).show(values, watched).python
    run_there = ran(text)["run"]

    np.testing.assert_array_equal(run_there.best.coef, watched.run.best.coef)
    assert run_there.history.changes == watched.run.history.changes
    assert run_there.rules == watched.run.rules
    assert run_there.best.valid == watched.run.best.valid


def test_python_of_a_race_comes_to_the_same_verdict(capsys):
    opened = links.opened(SMALL["Race"])
    (study,) = reports.work_of(opened).findings
    result = ran(ways(SMALL["Race"])["Python"])["found"]

    (judged,) = study.subject.judged
    assert result.sentence == judged.sentence
    assert result.conditions == judged.conditions


def test_python_of_a_path_chooses_the_same_model(capsys):
    opened = links.opened(SMALL["Path"])
    (study,) = reports.work_of(opened).findings
    result = ran(ways(SMALL["Path"])["Python"])["found"]

    (path,) = study.subject.ready(study.found).values()
    assert [p.nonzeros for p in result.points] == [p.nonzeros for p in path.points]
    for here, there in zip(result.points, path.points, strict=True):
        np.testing.assert_array_equal(here.coef, there.coef)


@pytest.mark.parametrize("link", [SMALL[k] for k in ("Train", "Data", "Path")])
def test_commands_run(link, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(ways(link)["Command"])

    assert words[0] == "rankscope"
    assert run(words[1:]) == 0
    assert bool(list(tmp_path.glob("view.html"))) == (words[1] == "export-view")


@pytest.mark.parametrize("link", SMALL.values(), ids=SMALL)
def test_links_lead_to_the_same_settings(link):
    opened = links.opened(link)
    again = links.opened(ways(link)["Link"])

    assert dict(again.values()) == dict(opened.values())


@pytest.mark.parametrize("link", SMALL.values(), ids=SMALL)
def test_a_copied_step_of_a_lesson_shows_the_same(link):
    opened, text = links.opened(link), ways(link)["Lesson step"]
    lesson = f"title: A\nsummary: B.\nsteps:\n{text}"
    (step,) = store.read(lesson.encode(), "mine.yaml", "mine").steps
    again = links.OpenLink(links.pages()[step.page], step.settings, {})

    assert dict(again.values()) == dict(opened.values())


HALVES = Shares((0.5, 0.5), 3)


@pytest.fixture(params=["divided", "whole", "table", "several"])
def own(request, small, tmp_path, monkeypatch):
    """The name of an upload, whose files are in the present folder."""
    monkeypatch.chdir(tmp_path)
    wide = RankingDataset.from_arrays(
        np.c_[small.X[:48], np.ones(48)], small.y[:48], np.repeat(np.arange(6), 8)
    )
    names, options, division = {"train": "my own.txt"}, {}, None
    write_letor(tmp_path / "my own.txt", small)
    if request.param == "divided":
        division = HALVES
    if request.param == "table":
        names, options = {"train": "own.csv"}, {"label": "stars", "query": "shop"}
        table = {"stars": small.y, "shop": np.repeat(np.arange(12), 8)}
        columns = {name: small.X[:, j] for j, name in enumerate("abcd")}
        pd.DataFrame(table | columns).to_csv("own.csv", index=False)
        division = Fold(1, 3, 0)
    if request.param == "several":
        names = {"train": "my own.txt", "valid": "valid.txt"}
        write_letor(tmp_path / "valid.txt", wide)
    parts = {split: read(file, **options) for split, file in names.items()}
    splits = Splits(**same_features(parts, tmp_path))
    if division is not None:
        splits = division.divide(parts["train"])
    return datasets.upload(splits, datasets.Files(names, options, division))


OF_UPLOADS = {
    "data": "data?data={}",
    "inspect": "inspect?data={}&beside=ideal",
    "sparsity": "sparsity?data={}&values=4&RSRank.max_iter=3&normalise=minmax",
}
SOME = {"divided": "sparsity", "whole": "data", "table": "inspect", "several": "data"}


@pytest.mark.parametrize(
    ("own", "page"),
    [
        pair if SOME[pair[0]] == pair[1] else soak(*pair)
        for pair in product(SOME, OF_UPLOADS)
    ],
    indirect=["own"],
)
def test_copies_of_an_upload_read_its_files(page, own, monkeypatch, capsys):
    opened = links.opened(OF_UPLOADS[page].format(own))
    here = reports.part(opened)
    shown, copied = here.scenes[0].light, here.copies
    # Another program.
    monkeypatch.setattr(datasets, "UPLOADS", Newest(each=8, most=64))
    with pytest.raises(DataError):
        datasets.load(own)

    assert {"data", "dataset"} & set(ran(copied["Python"]))
    assert same(shown, copied)
    words = shlex.split(copied["Command"])
    assert words[words.index("--data") + 1] in ("my own.txt", "own.csv")
    assert run(words[1:]) == 0
    html = Path("view.html").read_text("utf-8")
    assert all(fact.number in html for fact in untimed(shown))
    capsys.readouterr()


def test_training_on_an_upload_is_copied_with_its_file(own, monkeypatch, capsys):
    opened = links.opened(f"train?data={own}&RSRank.max_iter=3")
    here = reports.part(opened)
    monkeypatch.setattr(datasets, "UPLOADS", Newest(each=8, most=64))

    assert same(here.scenes[-1].light, here.copies)
    words = shlex.split(here.copies["Command"])
    assert words[:2] == ["rankscope", "train"]
    assert run(words[1:]) == 0


def test_an_upload_that_is_not_here_has_a_link_only():
    opened = links.opened("data?data=upload-nowhere")
    copied = copies.ways(opened.page, opened.rows(), opened.values(), Shown())

    assert list(copied) == ["Link"]


def on_page(run_page, link):
    """What a page shows when a link opens it, and what *Copy as* gives there."""
    parts = urlsplit(link)
    page = run_page(parts.path, **dict(parse_qsl(parts.query)))
    return taken(page)


def taken(page):
    page.session_state["downloads"] = True
    page.run()
    assert not page.exception
    names = ("Link", "Command", "Python")
    copied = dict(zip(names, (block.value for block in page.code), strict=False))
    return page.session_state["what the stage shows"].shown, copied


def same(shown, copied):
    """Whether the copied Python has the facts that the page shows, but for times."""
    there = ran(copied["Python"]).get("shown")
    if there is None or not shown.panels():
        return True
    panels = [len(one.panels()) for one in (shown, there)]
    return untimed(shown) == untimed(there) and panels[0] == panels[1]


def untimed(shown):
    """The facts but for seconds, and without what is said beside times."""
    return [f for f in shown.facts if not {"s", "ms"} & set(f.number.split())]


@pytest.mark.parametrize(
    "link",
    [
        "approximation?approx_view=Landscape&data=toy-2d",
        "approximation?approx_view=Landscape&land_shape=Line&data=toy-2d",
        "papers",
    ],
)
def test_python_gives_what_a_page_shows_that_needs_no_study(link, run_page):
    assert same(*on_page(run_page, link))


@pytest.mark.parametrize("view", ["", "&compare_view=Models", "&compare_view=Slices"])
def test_python_of_stored_runs_trains_no_others(view, run_page, runs):
    shown, copied = on_page(run_page, f"compare?runs={runs}{view}")

    assert shown.facts[3].number == "2"
    assert same(shown, copied)
    reported = reports.part(links.opened(f"compare?runs={runs}{view}"))
    assert reported.scenes[0].light.facts == shown.facts


def test_python_of_stored_runs_beside_others_trains_these(run_page, runs):
    page = run_page(
        "compare",
        data="planted",
        runs=runs,
        compared="ListNet",
        compared_values="1",
        compared_seeds="1",
        compared_limit="3",
    )
    page.button(key="study_start").click().run()
    assert registry.registry().get(page.query_params["job"]).wait(60)
    shown, copied = taken(page)

    assert shown.facts[3].number == "3"
    assert same(shown, copied)


TRAINS = {"Algorithms", "Values per algorithm", "Seeds per setting", "Folds"}


def test_a_report_of_stored_runs_lists_no_settings_of_others(runs):
    listed = dict(reports.part(links.opened(f"compare?runs={runs}")).settings)
    assert not TRAINS & listed.keys()
    assert listed["Data"] == "Planted sparse model"
    assert "Stored runs" in listed

    beside = "&compared=ListNet&compared_values=1&compared_seeds=1&compared_limit=2"
    link = f"compare?data=planted&runs={runs}{beside}&job=new"
    listed = dict(reports.part(links.opened(link)).settings)
    assert listed.keys() >= TRAINS
    assert listed["Algorithms"] == "ListNet"


def test_a_report_of_the_inspector_has_the_data_of_its_run(runs):
    first, _ = runs.split(",")
    part = reports.part(links.opened(f"inspect?run={first}"))
    assert dict(part.settings)["Data"] == "Planted sparse model"


def test_a_report_of_a_landscape_lists_no_settings_of_restarts_that_were_not_run():
    opened = links.opened("approximation?approx_view=Landscape&data=toy-2d")
    rows = {row.label for row in opened.rows() if row.key.startswith("land_restarts")}
    listed = dict(reports.of(opened, opened.values(), (None,)).settings)
    assert len(rows) == 2
    assert not rows & listed.keys()
    assert listed["Data"]


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """Become another computer, with a run store of its own."""

    def leave():
        url = f"sqlite:///{tmp_path / 'other.sqlite'}"
        monkeypatch.setenv("RANKSCOPE_DATABASE_URL", url)
        monkeypatch.setattr(past, "_OPENED", past._Opened())

    yield leave
    if (store := past.store()) is not None:
        store.close()


def train_again(page):
    """Where the links of a page lead that offer to train a run again."""
    return {
        one.proto.label: links.opened(f"{one.proto.page}?{one.proto.query_string}")
        for one in page.get("page_link")
        if one.proto.label.startswith("Train ")
    }


@pytest.fixture
def made():
    """A stored run of the Train page."""
    values = links.opened(SMALL["Changed"]).values()
    view = pages()["train"].view(values)
    settings = view.studied(values, values)
    run = view.work.run(values, None)
    return recorded(run, settings=settings), settings


NAMED = {"inspect": "run", "compare": "runs", "runs": "runs_chosen"}


@pytest.mark.parametrize("name", NAMED)
def test_a_link_with_a_run_offers_its_settings_on_another_computer(
    name, made, run_app, run_page, elsewhere
):
    key, settings = made
    here = run_page(name, **{NAMED[name]: key})
    link = dict(here.query_params)
    assert not here.exception
    elsewhere()
    page = run_app(name)
    page.query_params.update(link)
    page.run()

    assert not page.exception
    items = [one.value for one in (*page.warning, *page.caption)]
    assert any(key in text for text in items)
    assert any("rankscope runs import" in text for text in items)
    ((label, train),) = train_again(page).items()
    assert label == "Train RSRank again"
    assert train.page.name == "train"
    values = train.values()
    assert train.page.view(values).studied(values, values) == settings


@pytest.mark.soak
@pytest.mark.parametrize("link", EVERY)
def test_every_view_s_copies_run(link, run_page, tmp_path, monkeypatch, capsys):
    shown, copied = on_page(run_page, link)
    monkeypatch.chdir(tmp_path)

    assert same(shown, copied)
    assert run(shlex.split(copied["Command"])[1:]) == 0
    again = links.opened(copied["Link"])
    assert dict(again.values()) == dict(links.opened(link).values())
