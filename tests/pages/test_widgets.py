"""Controls drawn from settings, each as its setting asks."""

import pytest
from streamlit.testing.v1 import AppTest


@pytest.fixture
def controls():
    """A page with a long text, a number with many digits, and a folded group."""

    def script():
        from pages.ui import widgets
        from rankcore.views import Number, Text, read

        rows = [
            Text("short", "a", "Short"),
            Text("long", "a, b", "Long", long=True),
            Number("precise", 4.20074, "Precise"),
            Number("whole", 3, "Whole", whole=True),
            Text("own", "a", "Own", group="At its default"),
            Text("other", "a", "Other", group="Changed"),
            Text("opened", "a", "Opened", group="As the page opens"),
            Number(
                "way",
                0.0,
                "Another way",
                group="At its default",
                computed=lambda values: 1.0,
                writes=lambda values, value: {},
            ),
        ]
        values = read(rows, {"other": "b", "opened": "b"})
        widgets.column(rows, values, lambda changes: None, {"opened": "b"})

    page = AppTest.from_function(script).run()
    assert not page.exception
    return page


def test_a_long_text_has_a_box_of_several_lines(controls):
    assert [box.label for box in controls.text_area] == ["Long"]
    assert [box.label for box in controls.text_input] == [
        "Short",
        "Own",
        "Other",
        "Opened",
    ]


def test_a_number_is_written_with_all_of_its_digits(controls):
    boxes = {box.label: box for box in controls.number_input}
    assert boxes["Precise"].proto.format % boxes["Precise"].value == "4.20074"
    assert boxes["Whole"].proto.format % boxes["Whole"].value == "3"


def test_a_group_opens_for_changed_settings_not_for_ways_to_change_them(controls):
    opened = {group.label: group.proto.expanded for group in controls.expander}
    wanted = {"At its default": False, "Changed": True, "As the page opens": False}
    assert opened == wanted


def test_controls_that_do_not_matter_take_no_place():
    def script():
        from pages.ui import stage
        from rankcore.views import Ask, Number, Shown, Text, read

        rows = [
            Number("never", 1, "Never", low=1, high=3, shown_when=lambda values: False),
            Text("always", "a", "Always"),
        ]
        values = read(rows, {})
        blocks = [Ask(rows[:1]), Ask(rows)]
        stage.draw(Shown(blocks=blocks), values, lambda changes: None)

    page = AppTest.from_function(script).run()
    assert not page.exception
    assert [box.label for box in page.text_input] == ["Always"]
    assert not page.slider


LABELS = {"a1": "RSRank, planted", "b2": "RSRank, planted", "c3": "ListNet, planted"}


@pytest.mark.parametrize("kind", ["listed", "boxed", "pills"])
@pytest.mark.parametrize("chosen", [["a1"], ["b2"], ["b2", "a1"], ["d4", "b2"]])
def test_what_is_called_the_same_is_told_apart(kind, chosen):
    """The browser reports labels, of which the first of two equal ones would count."""

    def script(kind, chosen, labels):
        from pages.ui import widgets
        from rankcore.views import Listed, Several, read

        row = (
            Listed("one", "a1", "One", names=labels, reads=str)
            if kind == "listed"
            else Several(
                "one", (), "One", names=labels, reads=str, boxed=kind == "boxed"
            )
        )
        values = read([row], {"one": tuple(chosen) if kind != "listed" else chosen[-1]})
        widgets.column([row], values, lambda changes: None, {})

    arguments = {"kind": kind, "chosen": chosen, "labels": LABELS}
    page = AppTest.from_function(script, kwargs=arguments).run()
    assert not page.exception
    settings = {
        "listed": page.selectbox,
        "boxed": page.multiselect,
        "pills": page.button_group,
    }
    (box,) = settings[kind]
    assert len(set(box.options)) == len(box.options)
    items = [f"RSRank, planted ({name})" for name in ("a1", "b2")]
    assert set(items) < set(box.options)
    wanted = chosen[-1:] if kind == "listed" else chosen
    reported = [box.value] if kind == "listed" else list(box.value)
    assert reported == wanted
