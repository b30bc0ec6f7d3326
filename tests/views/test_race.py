"""A race on the Train page: its curves, its verdict, its lists, and why."""

import time

import pytest

from pages.ui import registry
from rankcore.studies.jobs import Job
from rankcore.topics.train.verdict import verdict
from rankcore.views import Caption, Go, Notice, Panel, Popover, Runs, Tiles, read
from rankcore.views.pins import Pin, read_pins, with_pin, write_pins
from tests import viewing
from tests.viewing import blocks

pytestmark = pytest.mark.unit

VIEW = viewing.view("train", "Race")
RACERS = ("RSRank", "RSRank:g=50", "ListNet")


def values(**chosen):
    return viewing.values(
        VIEW, **{"data": "planted", "race_limit": 8, "racers": RACERS, **chosen}
    )


@pytest.fixture(scope="module")
def ended():
    return viewing.studied(VIEW, values())


def test_the_chart_comes_first_then_who_leads(ended):
    shown = VIEW.show(values(), ended)
    chart, notice = shown.blocks[:2]

    assert isinstance(chart, Panel)
    assert chart.picture.layout["height"] >= 380
    assert chart.picture.layout["xaxis"]["title"]["text"] == "iteration"
    assert notice == Notice(verdict(ended.subject).sentence)
    names = " ".join(label["text"] for label in chart.picture.layout["annotations"])
    for racer in ended.subject.racers:
        best = racer.run.best.valid["nDCG@10"]
        assert f"{racer.name} ○ {best:.3f}" in names
    conditions = blocks(shown, Caption)[0].text
    assert "planted valid, 21 queries; seed 0" in conditions
    (test,) = blocks(shown, Popover)
    assert len(test.blocks()[0].rows) == 3


def test_the_axis_may_be_the_training_time(ended):
    chart = VIEW.show(values(train_axis="seconds"), ended).blocks[0]

    assert "seconds" in chart.picture.layout["xaxis"]["title"]["text"]
    assert VIEW.studied(values(), {}) == VIEW.studied(values(train_axis="seconds"), {})


def test_while_it_runs_there_is_no_verdict():
    study = VIEW.work.study(values())
    assert VIEW.show(values(), study).blocks == []
    next(study)
    shown = VIEW.show(values(), study)

    assert blocks(shown, Notice) == []
    assert len(blocks(shown, Tiles)[0].heads) == 1
    assert study.doing == ""
    for _ in range(12):
        next(study)
    assert study.doing.startswith("about ")


def test_the_models_are_compared_within_the_study_and_once(ended):
    (result,) = ended.subject.judged
    assert result.sentence == verdict(ended.subject).sentence
    VIEW.show(values(), ended)
    assert ended.subject.judged == [result]


def test_a_race_that_was_stopped_is_judged_as_far_as_it_went():
    study = VIEW.work.study(values())
    for _ in range(9):
        next(study)
    study.close()
    shown = VIEW.show(values(), study)

    assert blocks(shown, Notice) == [Notice(verdict(study.subject).sentence)]


def test_each_run_has_a_list_and_the_ideal_is_last(ended):
    (tiles,) = blocks(VIEW.show(values(query=3), ended), Tiles)
    race = ended.subject
    expected = race.rankings(race.data.train, 2, best=True)

    shown = [item.documents for item in (tiles.ranking, *tiles.others)]
    assert shown == [item.documents for item in expected]
    assert [name for name, _ in tiles.heads] == [racer.name for racer in race.racers]
    assert len({colour for _, colour in tiles.heads}) == 3
    table = tiles.table()
    assert set(table) >= {"rank by RSRank, g = 50", "rank by ListNet", "ideal rank"}
    other = dict(zip(table["document"], table["rank by ListNet"], strict=True))
    assert sorted(other, key=other.get) == list(tiles.others[1].documents)


def test_a_run_is_inspected_beside_another(ended):
    for number in range(3):
        shown = VIEW.show(values(race_list=number), ended)
        (go,) = (block for block in blocks(shown, Go) if "beside" in block.settings)
        assert go.settings["run"] != go.settings["beside"]


def test_a_click_on_a_document_explains_it(ended):
    shown = VIEW.show(values(), ended)
    (tiles,) = blocks(shown, Tiles)
    document, above = tiles.others[1].documents[4], tiles.others[1].documents[3]
    changes = tiles.on_click(document, 2)
    after = VIEW.show(values() | changes, ended)
    panel = blocks(after, Panel)[1]

    assert panel.title == f"Why is {document} below {above}?"
    assert panel.note.startswith("ListNet")
    # A click in the ideal order asks about the last list.
    assert tiles.on_click(document, 3) == changes


def test_a_run_that_cannot_begin_is_a_line_with_its_reason():
    chosen = values(racers=("SingleFeature:feature=no such", "ListNet"))
    study = viewing.studied(VIEW, chosen)
    shown = VIEW.show(chosen, study)
    warning = next(notice for notice in blocks(shown, Notice) if notice.warns)

    assert warning.text.startswith("Single feature, feature = no such: ")
    assert len(study.subject.begun) == 1
    assert list(viewing.unsound(shown)) == []


def test_algorithms_are_named_with_any_setting():
    result = values(
        racers=("RSRank:g=7", "rsrank", "nonsense", "ListNet", "RSRank:g=7")
    )
    row = next(row for row in VIEW.rows({}) if row.key == "racers")

    assert result.racers == ("RSRank:g=7", "ListNet")
    assert row.parse("RSRank:g=7.0,listnet") == ("RSRank:g=7", "ListNet")
    assert row.parse(row.format(result.racers)) == result.racers
    with pytest.raises(ValueError, match="not a setting of RSRank"):
        row.check(("RSRank:speed=7",))
    five = ("ListNet", "RankNet", "RankSVM", "DORM", "AdaRank")
    assert read(VIEW.rows({}), {"racers": five}).racers == five[:4]


def click(page, key):
    page.button(key=key).click().run()
    return page.run()


def paused(page):
    """The page's race, once it has paused."""
    job = registry.registry().get(page.session_state["jobs looked at"]["train/Race"])
    while job.state != "paused":
        time.sleep(0.01)
    page.run()
    return job


def iterations(job):
    return [len(racer.run.history) - 1 for racer in job.run.subject.racers]


def test_a_race_is_paused_and_taken_step_by_step(run_page):
    # Both go on for more iterations than the test waits for.
    link = {"train_view": "Race", "data": "planted", "racers": "RSRank,LambdaRank"}
    page = run_page("train", **link, race_limit="1000")
    click(page, "study_step")
    job = paused(page)
    assert iterations(job) == [1, 1]
    click(page, "study_step")
    assert paused(page) is job
    assert iterations(job) == [2, 2]
    assert job.run.subject.judged == []

    job.steer().limit(20.0)
    click(page, "study_play")
    page.number_input(key="seed#0").set_value(5).run()
    page.run()
    assert page.button(key="study_pause")
    assert page.button(key="study_start").label == "Train 2 models"
    click(page, "study_pause")
    first, second = iterations(paused(page))
    assert first - second in (0, 1)
    assert "study_play" not in [one.key for one in page.button]
    page.number_input(key="seed#0").set_value(0).run()
    page.run()
    assert page.button(key="study_play")
    click(page, "study_stop")
    assert job.wait(60)
    page.run()
    assert page.button(key="study_start")
    assert not page.exception


STUDIES = {
    "race": {
        "page": "train",
        "train_view": "Race",
        "racers": "RSRank,RankNet",
        "race_limit": "1000",
    },
    "comparison": {"page": "compare", "compared_seeds": "20"},
    "map": {"page": "explore", "map_iterations": "1000"},
}


@pytest.fixture
def endless(monkeypatch):
    """Let a job rest after its first step until it is stopped."""

    def rest(job: Job) -> None:
        with job._changed:
            job._changed.wait_for(lambda: job._stopping)

    monkeypatch.setattr(Job, "_after_step", rest)


@pytest.mark.usefixtures("endless")
@pytest.mark.parametrize("name", STUDIES)
def test_a_stranger_watches_a_study_and_begins_an_own_one(name, run_page):
    link = {"data": "planted", **STUDIES[name]}
    name = link.pop("page")
    page = run_page(name, **link)
    click(page, "study_start")
    job = registry.registry().get(page.query_params["job"])
    other = run_page(name, **{key: page.query_params[key] for key in page.query_params})
    assert not other.exception
    begun = [one.key for one in other.button if one.key.startswith("study_")]
    assert begun == ["study_start"]
    assert other.button(key="study_start").label == "Start your own"
    assert any("Another visitor's study" in one.value for one in other.caption)
    speed, steps = job.speed, job._allowed
    other.run()
    assert (job.speed, job._allowed) == (speed, steps)

    click(other, "study_start")
    result = registry.registry().get(other.query_params["job"])
    assert result is not job
    assert result.settings == job.settings
    assert not job.ended
    for one in (job, result):
        one.steer().stop()
        assert one.wait(60)


def test_a_band_is_drawn_for_every_run_on_request(ended):
    shown = VIEW.show(values(train_band="on"), ended)
    names = [trace.get("name") for trace in shown.blocks[0].picture.data]
    assert names.count("band") == 3
    assert shown.blocks[1].text.startswith("Band: 95% interval of the mean over 21 ")


def chart(shown):
    return shown.blocks[0].picture


def drawn(shown):
    """The names of the curves, and of the lists."""
    names = [trace.get("name") for trace in chart(shown).data]
    (tiles,) = blocks(shown, Tiles) or [Tiles("", "", "", None, 0, "")]
    return [name for name in names if name != "best"], [name for name, _ in tiles.heads]


def test_the_runs_of_a_race_are_listed_hidden_renamed_and_removed(ended):
    now = values()
    (runs,) = blocks(VIEW.show(now, ended), Runs)
    names = ["RSRank", "RSRank, g = 50", "ListNet"]
    assert [(row.id, row.name, row.hidden) for row in runs.rows] == [
        (name, name, False) for name in names
    ]
    colours = [row.colour for row in runs.rows]

    def pinned(run, **changes):
        return {runs.setting: with_pin(runs.pins(now), run, **changes)}

    now |= pinned("RSRank", hidden=True)
    shown = VIEW.show(now, ended)
    assert drawn(shown) == (names[1:], names[1:])
    assert colours[1] == chart(shown).data[0]["line"]["color"]
    assert blocks(shown, Runs)[0].rows[0].hidden
    document = blocks(shown, Tiles)[0].ranking.documents[4]
    assert blocks(shown, Tiles)[0].on_click(document, 0)["race_list"] == 1

    now |= pinned("RSRank, g = 50", name="Sparse, <50>")
    shown = VIEW.show(now, ended)
    assert drawn(shown)[1] == ["Sparse, <50>", "ListNet"]
    assert "Training curve, Sparse, <50>" in shown.tables
    result = verdict(ended.subject).sentence.replace(names[1], "Sparse, <50>")
    assert blocks(shown, Notice)[0].text == result
    # Names that are not told apart are left as they were.
    same = now | pinned("RSRank, g = 50", name="ListNet")
    assert drawn(VIEW.show(same, ended))[1] == names[1:]

    now |= pinned("RSRank", hidden=False)
    now |= runs.removed(now, "RSRank, g = 50")
    assert now.racers == ("RSRank", "ListNet")
    shown = VIEW.show(now, ended)
    assert drawn(shown) == (["RSRank", "ListNet"], ["RSRank", "ListNet"])
    assert [row.name for row in blocks(shown, Runs)[0].rows] == ["RSRank", "ListNet"]
    # What is chosen again is there again, under its own name.
    again = VIEW.show(now | {"racers": RACERS}, ended)
    assert drawn(again) == (names, names)

    now |= runs.removed(now, "RSRank")
    (last,) = blocks(VIEW.show(now, ended), Runs)[0].rows
    assert (last.id, last.name) == ("", "ListNet")
    # Before the next race, the one before is there whole.
    other = VIEW.show(values(racers=("RankNet",)), ended)
    assert drawn(other) == (names, names)


def test_all_runs_may_be_hidden(ended):
    pins = [Pin(racer.name, hidden=True) for racer in ended.subject.racers]
    shown = VIEW.show(values(race_runs=write_pins(pins)), ended)
    assert drawn(shown) == ([], [])
    assert chart(shown).alt == "All runs are hidden."
    assert len(blocks(shown, Runs)[0].rows) == 3


def test_the_list_of_a_race_is_worked_on_the_page(run_page):
    link = {"train_view": "Race", "data": "planted", "racers": "RSRank,RankNet"}
    page = run_page("train", **link, race_limit="3")
    click(page, "study_start")
    job = registry.registry().get(page.session_state["jobs looked at"]["train/Race"])
    assert job.wait(60)
    page.run()
    page.checkbox(key="run_shown RSRank False").uncheck().run()
    page.text_input(key="run_name RankNet RankNet").set_value("Old").run()
    assert read_pins(page.query_params["race_runs"]) == [
        Pin("RSRank", hidden=True),
        Pin("RankNet", "Old"),
    ]
    click(page, "run_removed RSRank")
    assert page.query_params["racers"] == "RankNet"
    assert "run_removed RankNet" not in [one.key for one in page.button]
    assert not page.exception
