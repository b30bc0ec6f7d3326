"""What visitors share outlives Streamlit's cache, which every client may clear."""

import streamlit as st

from pages.ui import registry
from pages.ui.data import datasets
from pages.ui.lessons import store
from tests.views.lessons.test_lesson_files import GOOD
from tests.views.uploads.test_upload import LETOR


def test_clearing_the_cache_deletes_no_job_and_no_upload(run_page):
    page = run_page("data")
    page.file_uploader(key="upload").upload("mine.txt", LETOR, "text/plain").run()
    name = page.session_state["data"]
    lesson = store.upload(GOOD.encode(), "mine.yaml")
    page = run_page("train", data="planted")
    page.button(key="play").click().run()
    page.run()
    job = registry.registry().get(page.query_params["job"])

    st.cache_data.clear()
    st.cache_resource.clear()

    assert datasets.UPLOADS.get(name) is not None
    assert store.UPLOADS.get(lesson.name) == lesson
    assert registry.registry().get(job.id) is job
    again = run_page("train", data=name, job=job.id)
    assert not again.exception
    assert not again.warning
    job.steer().stop()
