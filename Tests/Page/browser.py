"""A headless Chromium, and what is watched in its pages."""

import json
import re

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# A page with `shift=MS` in its address believes another time of day.
SHIFT = """
const shift = Number(new URLSearchParams(location.search).get("shift") ?? 0);
if (shift) {
  const [now, time] = [Date.now, performance.now.bind(performance)];
  Date = class extends Date { constructor(...values) { values.length ? super(...values) : super(now() + shift); } };
  Date.now = () => now() + shift;
  performance.now = () => time() + shift;
}
"""

# True for a page, or the frame of a name in it, that has missed nothing of these numbers.
COMPLETE = """
const [numbers, name] = arguments;
const view = name === "page" ? window : document.querySelector(`iframe[name=${name}]`).contentWindow;
const { room, clock } = view.livecue ?? {};
return Boolean(room?.hasSnapshot && clock.isKnown && room.broken.size === 0
  && Object.entries(numbers).every(([track, number]) => room.sequences.get(track) >= number));
"""

# Where the middle of an element of a frame, which may be drawn smaller, is in the window.
MIDDLE = """
const frame = document.getElementById(arguments[0]), element = frame.contentDocument.querySelector(arguments[1]);
if (!element) return null;
frame.scrollIntoView();
const outer = frame.getBoundingClientRect(), inner = element.getBoundingClientRect(), scale = outer.width / frame.clientWidth;
return [outer.left + (inner.left + inner.right) / 2 * scale, outer.top + (inner.top + inner.bottom) / 2 * scale];
"""

# Watches the page and its frames, whose names they are noted by: at each frame the daemon's instant that was drawn and
# the banners (track, group, number), and when which command came.
RECORDER = """
const notes = window.notes = { frames: [], received: {}, isOver: false };
const bannersOf = (root) => [...root.querySelectorAll(".banner")].map((banner) => [
  banner.parentElement.dataset.track, Number(banner.dataset.group),
  Number(banner.querySelector(".number").textContent.slice(1))]);
function watch(name, view) {
  const received = notes.received[name] = [];
  const { room, clock } = view.livecue;
  const take = room.take.bind(room);
  room.take = (command) => {
    received.push([command.at, clock.now()]);
    return take(command);
  };
}
function record() {
  if (notes.isOver) return;
  const seen = {};
  const note = (name, view) => {
    if (!view.livecue) return;
    if (!notes.received[name]) watch(name, view);
    if (view.livecue.drawnAt !== null) seen[name] = [view.livecue.drawnAt, bannersOf(view.document)];
  };
  note("page", window);
  for (const element of document.querySelectorAll("iframe.watched")) note(element.name, element.contentWindow);
  notes.frames.push(seen);
  requestAnimationFrame(record);
}
record();
"""

SEND = """
const [room, bodies, done] = arguments;
import("/page/feed.js")
  .then((feed) => Promise.all(bodies.map((body) => feed.send(room, "control", body))))
  .then((answers) => done({ answers }), (error) => done({ error: error.message }));
"""


class Browser(webdriver.Chrome):
    """`width` and `height` are those of the first window."""

    def __init__(self, width=1280, height=720, arguments=()):
        options = Options()
        words = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--mute-audio",
                 f"--window-size={width},{height}", *arguments]
        for word in words:
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        super().__init__(service=Service("/usr/bin/chromedriver"), options=options)
        self.set_script_timeout(60)
        self.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SHIFT})

    def open(self, address, how="window"):
        """Opens an address in a new window or tab and returns its handle."""
        self.switch_to.new_window(how)
        self.get(address)
        return self.current_window_handle

    def click_in_frame(self, frame, selector):
        """Clicks with the pointer, so that what lies over an element takes the click; nothing if there is none. (The
        driver's own click misses what is in a frame that is drawn smaller.)"""
        middle = self.execute_script(MIDDLE, frame, selector)
        for kind in ("mousePressed", "mouseReleased") if middle else ():
            self.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": kind, "x": middle[0], "y": middle[1], "button": "left", "clickCount": 1})

    def is_complete(self, numbers, name="page"):
        """True if a page, or a frame in it, knows the commands up to these numbers: one that was just opened on a
        loaded machine may await a snapshot yet."""
        return self.execute_script(COMPLETE, numbers, name)

    def watch_frame(self, name):
        """From now on a frame's pictures are noted too."""
        self.execute_script("document.querySelector(`iframe[name=${arguments[0]}]`).classList.add('watched')", name)

    def record(self):
        self.execute_script(RECORDER)

    def recorded(self):
        """What was noted since `record`, which ends."""
        return json.loads(self.execute_script("notes.isOver = true; return JSON.stringify(notes)"))

    def controls(self, room, bodies):
        """The daemon's replies to an operator's commands from a page of ours."""
        outcome = self.execute_async_script(SEND, room, bodies)
        if "error" in outcome:
            raise AssertionError(f"a command was refused: {outcome['error']}")
        return [json.loads(answer) for answer in outcome["answers"]]

    def control(self, room, op, **members):
        return self.controls(room, [{"op": op, **members}])[0]

    def complaints(self):
        """What the browser found wrong: a lost connection is no fault of a page."""
        return [entry["message"] for entry in self.get_log("browser") if entry["level"] == "SEVERE"
                and not re.search(r"ERR_(CONNECTION|INCOMPLETE|INTERNET|EMPTY|NETWORK)", entry["message"])]
