import re
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect

from pages.ui import finder
from rankcore.topics.home import ways

END = "60"
STATE = """({ dataset }) =>
  ["iteration", "order", "kept"].map(name => dataset[name] ?? null)"""


def sight(page):
    """The stored runs."""
    return page.locator(".sight")


def ended(page):
    """The stored runs, played to their end."""
    expect(sight(page)).to_have_attribute("data-iteration", END)
    expect(sight(page)).to_have_attribute("data-playing", "false")
    return sight(page)


def see_the_end(open_page, assert_sound, width, theme):
    """See the home page with reduced motion: a still picture of the end."""
    page = open_page.tab
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(open_page.url)
    seen = page.wait_for_selector(".sight[data-iteration]")

    assert seen.get_attribute("data-iteration") == END
    assert seen.get_attribute("data-playing") == "false"
    assert_sound(page)


def test_a_stored_run_draws_itself_where_motion_is_not_reduced(
    open_page, settle, assert_sound
):
    page = open_page.tab
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    page.goto(open_page.url, wait_until="commit")
    seen = []
    while not seen or seen[-1][0] != END:
        seen.append(sight(page).evaluate(STATE))
    iterations, orders, result = map(set, zip(*seen, strict=True))

    assert len(iterations) > 3
    assert len(orders) > 1
    assert len(result) > 1
    settle(page)
    expect(page.get_by_text("9 of 45 features kept")).to_be_visible()
    expect(
        page.get_by_role("img", name=re.compile("validation queries"))
    ).to_be_visible()
    assert_sound(page)
    lowest = page.get_by_role("heading", name="Why is this hard?").bounding_box()
    assert lowest["y"] + lowest["height"] <= 900


@pytest.mark.soak
def test_a_narrow_still_picture_of_the_end(open_page, assert_sound):
    see_the_end(open_page, assert_sound, 390, "dark")


@pytest.mark.soak
def test_choosing_and_moving_the_setting_ask_the_server_nothing(open_page):
    values = []

    def note(sent):
        values.append(sent)

    page = open_page("/data", apart=True)
    page.on("websocket", lambda socket: socket.on("framesent", note))
    page.goto(open_page.url)
    ended(page)
    assert values
    page.on("request", note)
    values.clear()
    expect(sight(page)).to_have_attribute("data-run", "RSRank 30")
    before = sight(page).get_attribute("data-order")

    slider = page.get_by_role("slider", name="Sparsity g of RSRank")
    slider.press("ArrowRight")
    expect(sight(page)).to_have_attribute("data-run", "RSRank 100")
    expect(page.get_by_text("7 of 45 features kept")).to_be_visible()
    slider.press("Home")
    expect(page.get_by_text("all 45 features in use")).to_be_visible()

    page.get_by_text("ApproxNDCG", exact=True).click()
    expect(sight(page)).to_have_attribute("data-run", "ApproxNDCG 10")
    page.get_by_role("slider", name="of ApproxNDCG").press("End")
    expect(page.get_by_text("The gradient has vanished")).to_be_visible()
    assert sight(page).get_attribute("data-order") != before
    assert values == []


@pytest.mark.soak
def test_the_keyboard_plays_scrubs_and_chooses(open_page):
    page = open_page("/")
    ended(page)
    scrub = page.get_by_role("slider", name="Iteration")
    scrub.press("Home")
    expect(sight(page)).to_have_attribute("data-iteration", "0")
    scrub.press("ArrowRight")
    expect(sight(page)).to_have_attribute("data-iteration", "1")

    page.get_by_role("radio", name="RSRank").press("ArrowRight")
    expect(sight(page)).to_have_attribute("data-run", "ApproxNDCG 10")
    page.get_by_role("button", name="Play the stored run").press("Enter")
    expect(page.get_by_role("button", name="Pause the stored run")).to_be_visible()
    ended(page)


@pytest.mark.soak
def test_a_finished_run_offers_the_lesson_that_fits(open_page):
    page = open_page("/train?data=planted&algorithm=RSRank&RSRank.max_iter=3")
    page.get_by_role("button", name="Play").click()
    lesson = page.get_by_role("button", name="Lesson: How truncated gradient makes")
    lesson.click()

    expect(page.get_by_text("step 1 of 6")).to_be_visible()
    expect(lesson).to_have_count(0)


def parted(link):
    """The page of a link, and its settings."""
    name, _, settings = link.partition("?")
    return name, parse_qsl(settings)


def links(page):
    """The links of the roads and of the gallery, by their words."""
    result = page.locator(".st-key-roads a, .st-key-gallery a").all()
    return {link.inner_text(): link.get_attribute("href") for link in result}


def test_the_toy_answers_keys_and_all_else_leads_where_it_says(
    open_page, assert_sound, settle
):
    see_the_end(open_page, assert_sound, 1440, "light")
    page = open_page.tab
    settle(page)
    slider = page.get_by_role("slider", name=re.compile("Weight of clicks"))
    value = page.locator(".st-key-toy strong")
    expect(value).to_have_text("0.615")
    slider.press("End")
    expect(value).to_have_text("0.803")
    slider.press("ArrowLeft")
    expect(value).to_have_text("0.803")

    wanted = {words: name for name, words in ways.QUESTIONS.items()}
    for road in ways.ROADS:
        wanted |= road.links
    assert {words: parted(link) for words, link in links(page).items()} == {
        words: parted(link) for words, link in wanted.items()
    }
    page.get_by_role("button", name="Take the 15-minute lesson").click()
    expect(page.get_by_text("step 1 of 7")).to_be_visible()
    expect(sight(page)).to_have_count(0)
    page.get_by_role("button", name="Leave").click()
    expect(sight(page)).to_have_count(1)
    settle(page)

    page.get_by_role("button", name="Use my own data").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Data")
    settle(page)
    sidebar = page.get_by_test_id("stSidebarNav")
    sidebar.get_by_role("link", name="Home").click()
    page.get_by_role("link", name="Which features can go?").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sparsity")


def test_a_view_is_found_by_its_name_from_the_keyboard(open_page):
    page = open_page("/home")
    field = page.get_by_role("combobox", name=finder.WORDS)
    expect(field).to_be_visible()
    # The program that hears the keys may come later than the field.
    button = page.locator("[data-to=list]").element_handle()
    page.wait_for_function("button => Boolean(button.onclick)", arg=button)
    page.keyboard.press("/")
    expect(field).to_be_focused()
    page.keyboard.type("Algorithm ConeRank")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Train")
    expect(page).to_have_url(re.compile("algorithm=ConeRank"))


@pytest.mark.soak
def test_all_links_lead_where_they_say(page, open_page, assert_sound):
    for link in links(page).values():
        app = open_page(f"/{link}")
        assert_sound(app)
