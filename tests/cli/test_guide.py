"""The way from a search log to the model at work gives what the guide and the app say
of it."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADING = "# From a search log to the model at work"
TEXTS = {
    "guide": ROOT / "docs" / "how-to" / "search-log.md",
    "app": ROOT / "pages" / "views" / "data" / "data_set.md",
}
GUIDES = {
    name: path.read_text("utf-8").partition(HEADING)[2].partition("\n#")[0]
    for name, path in TEXTS.items()
}


def commands(guide):
    return re.findall(r"^rankscope (.*)$", guide, re.MULTILINE)


@pytest.fixture
def ended(rankscope, tmp_path, monkeypatch):
    """What the guide's commands said, in order, run where the data are."""
    shutil.copytree(ROOT / "data" / "shop-log", tmp_path / "data" / "shop-log")
    monkeypatch.chdir(tmp_path)
    values = [rankscope(*shlex.split(c)) for c in commands(GUIDES["guide"])]
    assert [one.code for one in values] == [0] * len(values)
    return values


def test_the_app_has_the_commands_of_the_guide():
    assert len(commands(GUIDES["guide"])) == 4
    assert commands(GUIDES["app"]) == commands(GUIDES["guide"])


@pytest.mark.parametrize("text", list(GUIDES))
def test_the_guide_gives_what_it_says(ended, text):
    guide = GUIDES[text]
    _, measured, features, exported = ended
    nothing, judged = re.findall(r"nDCG@3 is ([\d.]+) while.*and ([\d.]+) on", guide,
                                 re.DOTALL)[0]  # fmt: skip
    row = next(x for x in measured.out.splitlines() if x.startswith("nDCG@3 "))
    _, value, condensed, _ = row.split()
    assert float(value) == pytest.approx(float(nothing), abs=0.005)
    assert float(condensed) == pytest.approx(float(judged), abs=0.005)
    assert re.search(r"the 3 documents of 18 without\s+a judgement", guide)
    assert "3 of 18 documents have no judgement" in measured.out

    result = features.err + exported.err
    sent = re.findall(r"^curl .*$", guide, re.MULTILINE)
    assert len(sent) == 3
    assert [line for line in sent if line not in result] == []
    listed = json.loads(Path("features.json").read_text())["featureset"]["features"]
    model = json.loads(Path("shop.json").read_text())["model"]
    weights = json.loads(model["model"]["definition"])
    assert model["name"] == "shop"
    assert {feature["name"] for feature in listed} == set(weights)

    lines = Path("data/shop-log/log.ndjson").read_text().splitlines()
    answer = next(a for a in map(json.loads, lines) if a["query"] == "blue mug")
    scored = {}
    for place, hit in enumerate(answer["hits"]["hits"], start=1):
        (logged,) = hit["fields"]["_ltrlog"]
        score = sum(weights[f["name"]] * f.get("value", 0) for f in logged["main"])
        scored[hit["_id"]] = hit["_source"]["title"], str(place), score
    order = sorted(scored, key=lambda document: -scored[document][2])
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in re.findall(r"^\| P.*$", guide, re.MULTILINE)
    ]
    assert [row[0] for row in rows] == order
    for document, title, place, score in rows:
        assert scored[document][:2] == (title, place)
        assert float(score) == pytest.approx(scored[document][2], abs=0.02)
