import json
from pathlib import Path

from playwright.sync_api import expect

from pages.ui.catalogue import pages
from tests.browser.live import choose

# Its number grows when the program changes the value.
DATA = "[class*=st-key-data-]"
BROKEN = b"2 qid:1 1:0.5\n0 qid:1 1:oops\n"
FINE = b"2 qid:1 1:0.5\n0 qid:1 1:0.1\n1 qid:2 1:0.9\n0 qid:2 1:0\n"


def test_controls_fold_on_a_narrow_screen_only(open_page):
    wide = open_page("/data")
    expect(wide.locator(DATA)).to_be_visible()

    # A telephone, and a screen of 1440 x 900 at twice its size.
    for width, height in ((720, 450), (390, 844)):
        narrow = open_page("/data", width=width, height=height)
        expect(narrow.locator(DATA)).not_to_be_visible()
    narrow.get_by_text("Settings", exact=True).click()
    expect(narrow.locator(DATA)).to_be_visible()


def test_a_choice_goes_into_the_link_and_comes_back_from_it(open_page, settle):
    page = open_page("/data")
    choose(page, page.locator(DATA).get_by_role("combobox"), "Planted sparse model")
    page.wait_for_url("**/data?data=planted")

    again = open_page(page.url.removeprefix(open_page.url), apart=True)
    expect(again.get_by_text("64 training queries")).to_be_visible()


def test_reset_returns_to_the_defaults(open_page):
    page = open_page("/data?data=planted&query=3")
    page.get_by_role("button", name="Reset").first.click()
    page.wait_for_url("**/data")

    expect(page.get_by_text("136 features").first).to_be_visible()


def test_a_choice_survives_a_visit_to_another_page(open_page, settle):
    page = open_page("/data?data=planted")
    sidebar = page.get_by_test_id("stSidebarNav")
    sidebar.get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(pages()["home"].title)
    settle(page)
    # The server drops the pictures of a page that is left.
    page.wait_for_load_state("networkidle")
    sidebar.get_by_role("link", name="Data").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Data")

    expect(page.get_by_text("64 training queries")).to_be_visible()


def test_an_upload_is_checked_and_then_used(open_page):
    page = open_page("/data")
    chooser = page.locator(".st-key-upload input[type=file]")
    chooser.set_input_files(
        {"name": "bad.txt", "mimeType": "text/plain", "buffer": BROKEN}
    )
    expect(page.get_by_text("bad.txt, line 2, column")).to_be_visible()

    chooser.set_input_files(
        {"name": "fine.txt", "mimeType": "text/plain", "buffer": FINE}
    )
    page.wait_for_url("**/data?data=upload-*")
    expect(page.get_by_text("2 training queries")).to_be_visible()
    expect(page.get_by_text("Uploaded by you; stays on this computer.")).to_be_visible()


MOST_CLICKS = 8
SHOP = b"qid,grade,sku,title,keywords,price,stars\n" + b"".join(
    b"s%d,%d,P-%d-%d,Product %d of %d,words of %d,%d,%d\n"
    % (q, (q + d) % 3, q, d, d, q, q, q + d, (q + d) % 3 + d % 2)
    for q in range(20)
    for d in range(5)
)


def test_a_file_of_one_s_own_becomes_its_solr_model_in_few_clicks(open_page, settle):
    clicks = []

    def click(control) -> None:
        clicks.append(control)
        control.click()

    page = open_page("/data")
    with page.expect_file_chooser() as chosen:
        click(page.get_by_test_id("stFileUploaderDropzone"))
    chosen.value.set_files({"name": "shop.csv", "mimeType": "text/csv", "buffer": SHOP})
    expect(page.get_by_text("12 training queries")).to_be_visible()
    settle(page)
    # Words and titles stand where ids would.
    tiles = page.locator(".rs-chips li")
    expect(tiles.first).to_contain_text("Product 0 of")
    expect(page.get_by_text("“words of").first).to_be_visible()
    click(page.get_by_role("link", name="Train on it"))
    click(page.locator(".st-key-play button"))
    expect(page.get_by_text("Finished.")).to_be_visible()
    settle(page)
    click(page.get_by_role("button", name="Export model"))
    settle(page)
    click(page.locator(".st-key-export_format").get_by_role("combobox"))
    click(page.get_by_role("option", name="Solr LTR"))
    expect(page.get_by_text("LinearModel").first).to_be_visible()
    with page.expect_download() as download:
        click(page.locator(".st-key-model_file button"))
    model = json.loads(Path(download.value.path()).read_text())

    assert len(clicks) <= MOST_CLICKS
    assert model["class"].endswith("LinearModel")
    assert set(model["params"]["weights"]) <= {"price", "stars"}
    assert model["params"]["weights"]["stars"] > 0
