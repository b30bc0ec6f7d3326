"""Pages run without a browser, alone and through app.py."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run_page(monkeypatch):
    """Run a page by its name, on its own, with settings from a link."""
    monkeypatch.chdir(ROOT)

    def run(name: str, **link: str) -> AppTest:
        test = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=60)
        for key, value in link.items():
            test.query_params[key] = value
        return test.run()

    return run


@pytest.fixture
def run_app(monkeypatch):
    """Run the app and open one of its pages."""
    monkeypatch.chdir(ROOT)

    def run(name: str) -> AppTest:
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
        return test.switch_page(f"pages/{name}.py").run()

    return run
