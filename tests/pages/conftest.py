"""Pages run without a browser, alone and through app.py."""

import base64
import functools
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime import context
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session", autouse=True)
def scanned_once():
    """Every run of a page asks all installed packages for components, which takes ten
    times as long as most pages do; the answer stays the same."""
    with pytest.MonkeyPatch.context() as patch:
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(autouse=True)
def no_browser(monkeypatch):
    """Streamlit's runner has a mock in place of a browser's cookies and headers, which
    remembers each of thousands of calls; here there are none."""
    monkeypatch.setattr(context, "_get_client_context", lambda: None)


@pytest.fixture(autouse=True)
def own_main(monkeypatch):
    """A page takes the place of the main module, which new processes would run."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture
def run_page(monkeypatch):
    """Run a page by its name, on its own, with settings from a link."""
    monkeypatch.chdir(ROOT)

    def run(name: str, **link: str) -> AppTest:
        test = AppTest.from_file(
            str(ROOT / "pages" / f"{name}.py"), default_timeout=120
        )
        for key, value in link.items():
            test.query_params[key] = value
        return test.run()

    return run


@pytest.fixture
def run_app(monkeypatch):
    """Run the app and open one of its pages."""
    monkeypatch.chdir(ROOT)

    def run(name: str) -> AppTest:
        test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
        return test.switch_page(f"pages/{name}.py").run()

    return run


def unpacked(value):
    """What the browser is sent, with the arrays that were packed into text."""
    if isinstance(value, list):
        return [unpacked(part) for part in value]
    if not isinstance(value, dict):
        return value
    if "bdata" not in value:
        return {name: unpacked(part) for name, part in value.items()}
    array = np.frombuffer(base64.b64decode(value["bdata"]), value["dtype"])
    shape = value.get("shape", "-1").split(",")
    return array.reshape([int(n) for n in shape]).tolist()


@pytest.fixture
def drawn():
    """What each figure of a page was given to draw, by its key."""

    def figures(page: AppTest) -> dict[str, dict]:
        settings = {}
        for mounted in page.get("bidi_component"):
            data = json.loads(mounted.proto.json or "null")
            if isinstance(data, dict) and data.get("kind") == "figure":
                key = mounted.proto.id.rsplit("-", 1)[-1].removesuffix("_figure")
                settings[key] = unpacked(data["content"]) | {"alt": data["alt"]}
        return settings

    return figures
