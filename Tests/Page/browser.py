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

# Watches the page and its frames, whose names they are noted by. A frame is the daemon's instant and the banners:
# track, group, number.
RECORDER = """
const stop = window.stopRecording = { isWanted: false };
const frames = window.frames_ = [];
const bannersOf = (root) => [...root.querySelectorAll(".banner")].map((banner) => [
  banner.parentElement.dataset.track, Number(banner.dataset.group),
  Number(banner.querySelector(".number").textContent.slice(1))]);
function record() {
  if (stop.isWanted) return;
  const seen = {};
  const note = (name, view) => {
    if (view.livecue?.clock.isKnown) seen[name] = [view.livecue.clock.now(), bannersOf(view.document)];
  };
  note("page", window);
  for (const element of document.querySelectorAll("iframe")) note(element.name, element.contentWindow);
  frames.push([performance.now(), seen]);
  requestAnimationFrame(record);
}
requestAnimationFrame(record);
"""

SEND = """
const [room, word, body, done] = arguments;
import("/page/feed.js").then((feed) => feed.send(room, word, body)).then(
  (answer) => done({ answer }), (error) => done({ error: error.message }));
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

    def record(self):
        self.execute_script(RECORDER)

    def recorded(self):
        """The frames since `record`, which ends."""
        return json.loads(self.execute_script("stopRecording.isWanted = true; return JSON.stringify(frames_)"))

    def send(self, room, word, body):
        """What a page of ours sends; returns the answer or raises with the refusal."""
        outcome = self.execute_async_script(SEND, room, word, body)
        if "error" in outcome:
            raise AssertionError(f"{word} {body} was refused: {outcome['error']}")
        return outcome["answer"]

    def control(self, room, op, **members):
        """The daemon's reply to an operator's command from a page of ours."""
        return json.loads(self.send(room, "control", {"op": op, **members}))

    def complaints(self):
        """What the browser found wrong: a lost connection is no fault of a page."""
        return [entry["message"] for entry in self.get_log("browser") if entry["level"] == "SEVERE"
                and not re.search(r"ERR_(CONNECTION|INCOMPLETE|INTERNET|EMPTY|NETWORK)", entry["message"])]
