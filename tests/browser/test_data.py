import json
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.live import choose

# Its number grows when the program changes the value.
DATA = "[class*=st-key-data-]"
BROKEN = b"2 qid:1 1:0.5\n0 qid:1 1:oops\n"


COPIES = """button => new Promise(done => {
  const look = () => button.textContent.includes("Copied") && done();
  new MutationObserver(look).observe(button, { childList: true, subtree: true });
  button.click();
})"""


def test_a_choice_goes_into_the_link_and_comes_back_until_a_reset(open_page):
    page = open_page("/data")
    choose(page, page.locator(DATA).get_by_role("combobox"), "Planted sparse model")
    page.wait_for_url("**/data?data=planted")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    # The button says so for a moment, which a busy machine may pass over.
    page.get_by_role("button", name="Copy link").evaluate(COPIES)
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url

    page = open_page(copied.removeprefix(open_page.url) + "&query=3")
    expect(page.get_by_text("64 training queries")).to_be_visible()
    page.get_by_role("button", name="Reset").first.click()
    page.wait_for_url("**/data")
    expect(page.get_by_text("136 features").first).to_be_visible()


MOST_CLICKS = 8
SHOP = b"qid,grade,sku,title,keywords,price,stars\n" + b"".join(
    b"s%d,%d,P-%d-%d,Product %d of %d,words of %d,%d,%d\n"
    % (q, (q + d) % 3, q, d, d, q, q, q + d, (q + d) % 3 + d % 2)
    for q in range(20)
    for d in range(5)
)


def test_a_file_of_one_s_own_is_checked_and_becomes_its_solr_model_in_few_clicks(
    open_page, settle
):
    clicks = []

    def click(control) -> None:
        clicks.append(control)
        control.click()

    page = open_page("/data?RSRank.max_iter=50&speed=as+fast+as+it+goes")
    chooser = page.locator(".st-key-upload input[type=file]")
    chooser.set_input_files(
        {"name": "bad.txt", "mimeType": "text/plain", "buffer": BROKEN}
    )
    expect(page.get_by_text("bad.txt, line 2, column")).to_be_visible()
    with page.expect_file_chooser() as chosen:
        uploader = page.locator(".st-key-upload")
        click(uploader.get_by_test_id("stFileUploaderDropzone"))
    chosen.value.set_files({"name": "shop.csv", "mimeType": "text/csv", "buffer": SHOP})
    page.wait_for_url("**/data?*data=upload-*")
    expect(page.get_by_text("12 training queries")).to_be_visible()
    expect(page.get_by_text("Uploaded by you; stays on this computer.")).to_be_visible()
    settle(page)
    # Words and titles stand where ids would.
    tiles = page.locator(".rs-chips li")
    expect(tiles.first).to_contain_text("Product 0 of")
    expect(page.get_by_text("“words of").first).to_be_visible()
    click(page.get_by_role("link", name="Train on it"))
    click(page.locator(".st-key-play button"))
    expect(page.get_by_text("Finished.")).to_be_visible()
    lesson = page.get_by_role("button", name="Lesson: How truncated gradient makes")
    expect(lesson).to_be_visible()
    settle(page)
    click(page.get_by_role("button", name="Export model"))
    settle(page)
    click(page.locator(".st-key-export_format").get_by_role("combobox"))
    click(page.get_by_role("option", name="Solr LTR"))
    expect(page.get_by_text("LinearModel").first).to_be_visible()
    settle(page)
    with page.expect_download() as download:
        click(page.locator(".st-key-model_file button"))
    model = json.loads(Path(download.value.path()).read_text())

    assert len(clicks) <= MOST_CLICKS
    assert model["class"].endswith("LinearModel")
    assert set(model["params"]["weights"]) <= {"price", "stars"}
    assert model["params"]["weights"]["stars"] > 0
