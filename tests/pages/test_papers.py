"""The Papers page in a session: a claim whose experiment runs again."""

from pages.ui import registry


def test_a_claim_runs_again(run_page):
    page = run_page("papers", papers_card="rsrank-lemma-1", papers_kind="theorem")
    assert not page.exception
    page.button(key="study_start").click().run()
    assert registry.registry().get(page.query_params["job"]).wait(60)
    page.run()
    assert any("**Computed**: now" in one.value for one in page.caption)
    assert not page.exception
