"""Which presets a page offers beside its views."""

import dataclasses

from tests.viewing import page


def test_presets_of_all_views_are_offered_or_those_of_the_chosen_view():
    apart = page("approximation")
    whole = dataclasses.replace(apart, presets_by_view=False)
    settings = {
        name: dict(view.scenarios({}))
        for name, view in apart.views.items()
        if view.scenarios({})
    }
    assert len(settings) > 1
    for name, presets in settings.items():
        raw = {"approx_view": name}
        expected = {title: raw | dict(changes) for title, changes in presets.items()}
        assert apart.scenarios(raw) == expected | dict(apart.presets)
        assert expected.items() <= whole.scenarios(raw).items()
    assert len(whole.scenarios({})) == sum(map(len, settings.values())) + len(
        apart.presets
    )
