"""Drives the overlay's page in a headless Chromium against a running `livecue demo`.

    page.py ADDRESS ROOM DEMO

ADDRESS is the studio's, ROOM a room with commands, DEMO the process, which is stopped for a while and goes on. The
commands are read a second time here, from the room's stream, and what is on the screen is compared with them. Prints
what was checked; ends with 1 and a word on the first thing that is wrong.
"""

import json
import os
import signal
import sys
import threading
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

HOSTILE = [
    "<img src=x onerror=window.hacked=1>", "<script>window.hacked=1</script>", "</li></ol><h1>big</h1>",
    "<svg onload=window.hacked=1>", "&lt;b&gt;", "${window.hacked=1}", "{{page-token}}", "javascript:window.hacked=1",
    "'\"><iframe src=/>", "\\u003cb\\u003e", "%3Cb%3E", "<style>*{display:none}</style>", "<!--", "]]>",
    "\u202egnp.exe", "\u2066\u2067abc", "a\u200b\u200bb", "z" + "\u0301" * 200, "W" * 250, "👨‍👩‍👧‍👦🏳️‍🌈",
    "漢字かな交じり文", "مرحبا بالعالم", "\u3164",
]

# Each frame: the daemon's instant, and what stands on each track of the page and of one that came late.
SAMPLER = """
const [milliseconds, done] = arguments;
const frames = [];
const begin = performance.now();
const seen = (root) => [...root.querySelectorAll(".banner")].map((banner) => [
  banner.parentElement.dataset.track, Number(banner.dataset.group),
  Number(banner.querySelector(".number").textContent.slice(1))]);
const late = document.querySelector("iframe")?.contentDocument;
function frame() {
  frames.push([livecue.clock.now(), seen(document), late ? seen(late) : []]);
  if (performance.now() - begin < milliseconds) requestAnimationFrame(frame);
  else done(frames);
}
requestAnimationFrame(frame);
"""

SEND = """
const [room, word, body, done] = arguments;
import("/page/feed.js").then((feed) => feed.send(room, word, body)).then(() => done(""), (error) => done(error.message));
"""


def require(holds, words):
    if not holds:
        print(f"wrong: {words}")
        sys.exit(1)


def open_browser():
    options = Options()
    for word in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1920,1080"]:
        options.add_argument(word)
    browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    browser.set_script_timeout(60)
    return browser


class Commands(threading.Thread):
    """The room's commands, read from its stream."""

    def __init__(self, address, room):
        super().__init__(daemon=True)
        self.stream = urllib.request.urlopen(f"{address}rooms/{room}/events?tracks=gift")
        self.all = []

    def run(self):
        event = ""
        for line in self.stream:
            if line.startswith(b"event: "):
                event = line[7:].strip().decode()
            elif line.startswith(b"data: ") and event == "command":
                self.all.append(json.loads(line[6:]))


def check_frames(frames, commands, place):
    """Compares one page's frames with the commands. Returns how many numbers of holding groups were compared."""
    holds, runs, ends = {}, {}, {}
    for command in list(commands):
        key = (command["track"], command.get("group"))
        if command["op"] == "hold":
            holds.setdefault(key, []).append(command)
        elif command["op"] == "count":
            runs.setdefault(key, []).append(command)
        elif command["op"] == "hide":
            ends[key] = command
    compared = 0
    last = {}
    for frame in frames:
        now, tracks = frame[0], [tuple(entry) for entry in frame[place]]
        require(len({track for track, _, _ in tracks}) == len(tracks), f"two banners on a track: {tracks}")
        for track, group, number in tracks:
            key = (track, group)
            require(number >= last.get(key, 0), f"the number of {key} fell from {last.get(key)} to {number}")
            for run in runs.get(key, []):
                step = run["durationMs"] / max(1, run["to"] - run["from"])
                is_slow = step >= 200 and run["from"] >= 1
                if is_slow and run["from"] < number <= run["to"] and key in last:
                    require(number - last[key] <= 1, f"the number of {key} leapt from {last[key]} to {number}")
            last[key] = number
            # A quarter of a second is what a loaded machine may need to hand a command over.
            for hold in holds.get(key, []):
                later = [run["at"] for run in runs.get(key, []) if run["at"] >= hold["at"] and run is not hold]
                until = min([hold["until"]] + later + ([ends[key]["at"]] if key in ends else []))
                if hold["at"] + 250 <= now <= until:
                    require(number == hold["count"], f"{key} shows {number} at {now}, expected {hold['count']}")
                    compared += 1
            if key in ends:
                gone = ends[key]["at"] + ends[key]["durationMs"]
                require(now < gone + 500, f"{key} is there at {now}, it left at {gone}")
    return compared


def check_numbers(browser, address, room, commands):
    browser.get(f"{address}overlay?room={room}")
    WebDriverWait(browser, 20).until(lambda _: browser.execute_script("return livecue?.clock.isKnown"))
    browser.execute_async_script(SAMPLER, 500)
    # A page that joins in the middle.
    browser.execute_script(
        "const late = document.createElement('iframe'); late.src = location.href + '&worker=0';"
        "late.style = 'position:fixed;inset:0;width:100%;height:100%;border:0'; document.body.append(late);")
    WebDriverWait(browser, 20).until(
        lambda _: browser.execute_script("return document.querySelector('iframe').contentWindow.livecue?.clock.isKnown"))
    for _ in range(2):
        event = {"type": "gift", "sender": {"id": "u1", "name": "Ann"}, "gift": {"id": "rose", "name": "Rose"}}
        refusal = browser.execute_async_script(SEND, room, "test", {"event": event, "times": 10})
        require(refusal == "", f"a test was refused: {refusal}")
    frames = browser.execute_async_script(SAMPLER, 6000)
    require(len(frames) > 60, f"only {len(frames)} frames in 6 s")
    first, late = (check_frames(frames, commands.all, place) for place in (1, 2))
    require(first > 20 and late > 20, f"only {first} and {late} numbers could be compared")
    elements = browser.execute_script("return document.querySelectorAll('*').length")
    require(elements < 300, f"{elements} elements")
    print(f"numbers: {len(frames)} frames, {first} and {late} numbers compared")


def check_hostile_texts(browser, address):
    browser.get(f"{address}overlay?room=quiet&comments=50")
    for place, text in enumerate(HOSTILE):
        sender = {"id": f"u{place}", "name": text, "avatar": "javascript:window.hacked=1"}
        gift = {"id": text, "name": text, "icon": "data:text/html,<script>window.hacked=1</script>"}
        for event in ({"type": "comment", "sender": sender, "text": text}, {"type": "gift", "sender": sender, "gift": gift}):
            refusal = browser.execute_async_script(SEND, "quiet", "test", {"event": event})
            require(refusal == "", f"a test was refused: {refusal}")
    lines = "return [...document.querySelectorAll('#comments li')].map((line) => line.lastChild.textContent)"
    # A text that shows nothing at all is dropped or stays empty; all others are there.
    WebDriverWait(browser, 20).until(lambda _: len(browser.execute_script(lines)) >= len(HOSTILE) - 1)
    WebDriverWait(browser, 20).until(lambda _: browser.execute_script("return document.querySelector('.banner') !== null"))
    shown = browser.execute_script(lines)
    for text in HOSTILE:
        if text.isprintable() and not any(0x300 <= ord(letter) < 0x370 for letter in text) and text != "\u3164":
            # Joiners and what makes emoji coloured belong to the text.
            require(text in shown, f"{text!r} is not shown as it is: {shown}")
    require(not any("\u202e" in text or "\u200b" in text or "\u2066" in text for text in shown), "marks of direction stay")
    require(max(text.count("\u0301") for text in shown) <= 3, "a tower of accents stays")
    names = browser.execute_script(
        "return [...new Set([...document.querySelectorAll('#comments *, #banners *')].map((element) => element.tagName))]")
    require(set(names) <= {"LI", "BDI", "DIV", "SPAN"}, f"a text became an element: {names}")
    require(browser.execute_script("return window.hacked === undefined"), "a text was run")
    wide = browser.execute_script(
        "return [...document.querySelectorAll('#comments li, .banner')].filter((element) => {"
        "const place = element.getBoundingClientRect(); return place.right > innerWidth || place.height > 120; }).length")
    require(wide == 0, f"{wide} elements break the layout")
    print(f"texts: {len(HOSTILE)} hostile ones stayed text")


def check_silence(browser, address, room, demo):
    browser.get(f"{address}overlay?room={room}")
    banners = "return document.querySelectorAll('.banner').length"
    WebDriverWait(browser, 20).until(lambda _: browser.execute_script(banners) > 0)
    os.kill(demo, signal.SIGSTOP)
    try:
        WebDriverWait(browser, 20).until(lambda _: browser.execute_script(banners) == 0)
    finally:
        os.kill(demo, signal.SIGCONT)
    WebDriverWait(browser, 20).until(lambda _: browser.execute_script(banners) > 0)
    print("silence: banners that no command ended went by themselves, and came back")


def main():
    address, room, demo = sys.argv[1], sys.argv[2], int(sys.argv[3])
    commands = Commands(address, room)
    commands.start()
    browser = open_browser()
    try:
        check_numbers(browser, address, room, commands)
        check_hostile_texts(browser, address)
        check_silence(browser, address, room, demo)
        complaints = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
        require(not complaints, f"the browser complains: {complaints}")
    finally:
        browser.quit()


main()
