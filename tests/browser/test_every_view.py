"""Every view as those meet it who listen to it, or hold it in one hand."""

import re
from urllib.parse import urlencode

import pytest

from pages.ui.catalogue import pages
from tests.browser.live import expect_drawn, expect_folded

NARROW = {"width": 390, "height": 844}
# What is not words: Markdown, LaTeX, HTML and the names of icons.
MARKS = re.compile(r"[$\\`*{}<>]|&\w+;|:material")
OPERATED = {
    "button", "checkbox", "combobox", "link", "listbox", "radio", "radiogroup",
    "searchbox", "slider", "spinbutton", "switch", "tab", "textbox",
}  # fmt: skip
# A page of 1440 pixels at twice its size.
MAGNIFIED = {"width": 720, "height": 450}
MOST_STOPS = 250
# What a control is, also after a figure was drawn anew with other buttons of that name;
# one that plays and pauses takes another name and stays the same element.
NAMED = """at => [at.tagName, at.getAttribute("aria-label") ?? at.textContent,
  at.closest("[class*=st-key-]")?.className].join("|")"""
# The focused element, noted as reached: "" where there is none, or what is wrong with
# how it shows that. A field shows it by the frame around it, a table in its cells.
FOCUSED = f"""() => {{
  const named = {NAMED};
  window.reached ??= new Set();
  let at = document.activeElement;
  while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  if (at === document.body) return null;
  window.reached.add(named(at)).add(at);
  const {{ outlineStyle, boxShadow }} = getComputedStyle(at);
  const shown = outlineStyle !== "none" || boxShadow !== "none";
  return shown || at.matches("input, textarea, canvas, td, div")
    ? "" : at.outerHTML.slice(0, 200);
}}"""
# Of radio buttons the Tab key reaches one, and arrow keys the others.
NOT_REACHED = f"""() => {{
  const named = {NAMED};
  const found = [];
  const look = (root) => {{
    for (const element of root.querySelectorAll("*")) {{
      if (element.shadowRoot) look(element.shadowRoot);
      if (element.tabIndex < 0 || element.disabled) continue;
      if (window.reached.has(element) || window.reached.has(named(element))) continue;
      if (!element.matches("a[href], button, input, textarea, summary, [role=button]"))
        continue;
      if (element.matches("[role=radio], [type=radio]")) continue;
      const {{ width, height }} = element.getBoundingClientRect();
      const seen = element.checkVisibility({{ visibilityProperty: true }});
      if (width * height < 4 || !seen) continue;
      found.push(element.outerHTML.slice(0, 200));
    }}
  }};
  look(document);
  return found;
}}"""
FOLDED = ".st-key-controls details:not([open]) > summary"


def links(quick):
    """The path of every view; the first one of a page is in the quick tests."""
    for name, page in pages().items():
        path = "/" if name == "home" else f"/{name}"
        for number, view in enumerate(page.views):
            chosen = f"?{urlencode({page.key: view})}" if page.choice else ""
            rare = number or name != quick
            marks = [pytest.mark.soak] if rare else []
            yield pytest.param(path + chosen, id=f"{name}, {view}", marks=marks)


def names(page):
    """Role and name of all that can be operated, as a screen reader is told."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    seen = [node for node in nodes if not node["ignored"]]
    values = [(node["role"]["value"], node["name"]["value"]) for node in seen]
    return [(role, name) for role, name in values if role in OPERATED]


@pytest.mark.parametrize("link", list(links(quick="measures")))
def test_the_tab_key_reaches_every_control_and_each_has_a_plain_name(
    open_page, assert_sound, link
):
    page = open_page(link, **MAGNIFIED)
    if page.locator(".st-key-controls").count():
        expect_folded(page)
    # Buttons come with a figure.
    expect_drawn(page)
    page.evaluate("() => document.activeElement.blur()")
    stops = []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(FOCUSED))
        if stops[-1] is None:
            break

    assert_sound(page)
    assert stops[-1] is None
    assert [unseen for unseen in stops if unseen] == []
    assert page.evaluate(NOT_REACHED) == []

    page.set_viewport_size(NARROW)
    assert_sound(page)
    while page.locator(FOLDED).count():
        page.locator(FOLDED).first.click()
    result = names(page)
    assert len(result) > 10
    assert [name for _, name in result if not name.strip() or MARKS.search(name)] == []
