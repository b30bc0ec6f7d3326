"""The numbers behind rankings that are drawn as chips."""

import numpy as np
import pytest


@pytest.mark.parametrize(
    ("name", "key", "link"),
    [
        (
            "approximation",
            "land_ranking",
            {"approx_view": "Landscape", "data": "toy-2d", "land_shape": "Circle"},
        ),
        (
            "reduction",
            "red_chips",
            {"red_source": "a query of the data", "data": "toy-2d"},
        ),
    ],
)
def test_a_ranking_has_its_numbers_behind_it(run_page, name, key, link):
    page = run_page(name, **link)
    before = len(page.dataframe)
    page.session_state[f"data_of_{key}"] = True
    page.run()

    assert not page.exception
    assert len(page.dataframe) == before + 1
    tables = [table.value for table in page.dataframe]
    numbers = next(table for table in tables if "ideal rank" in table)
    assert numbers["rank"].tolist() == list(range(1, len(numbers) + 1))
    assert (np.diff(numbers["score"]) <= 0.0).all()
    ideal = numbers.sort_values("ideal rank")
    assert ideal["ideal rank"].tolist() == numbers["rank"].tolist()
    assert (np.diff(ideal["label"]) <= 0).all()
    assert numbers["document"].is_unique
