"""Checks the overlay's pages in a headless Chromium: check.py LIVECUE [--strict]

A broker, the daemon and the overlay's server of the program LIVECUE run for it; the calm capture is played at 20×.
Prints a line for each thing that was checked; ends with 1 and a word on the first thing that is wrong. What a page was
told it must show at once; how soon it is told depends on the machine, and is asserted with --strict only.
"""

import math
import re
import signal
import sys
import time
import urllib.request

from browser import Browser
from hostile import check_hostile_texts
from model import Commands, Lateness, Tracks
from proxy import Proxy
from rules import check_rules
from studio import ROOM, Studio, until

SPEED = 20
SETTINGS = """
gift: {rules: [{priority: 9, gifts: [rocket], asset: rocket, durationMs: 5000}]}
rooms: {quick: {gift: {holdMs: 800}}, lobby: {gift: {tracks: 5}}}
"""
IS_STRICT = "--strict" in sys.argv
# Within which a page is right again after its network works again.
RECOVERY = 1000 if IS_STRICT else 5000
# Within which nearly all commands come.
DELAY = 300 if IS_STRICT else 10_000
THEME = ":root { --accent: rgb(1, 2, 3) }"
THEME_MODULE = """
export function show(element, banner) {
  element.dataset.mine = banner.group;
  element.prepend(new Image(500, 500));
  throw new Error("on purpose");
}
export function count(element, banner, number) { element.dataset.counted = number; }
export function hide(element) { window.hidden = (window.hidden ?? 0) + 1; }
"""


def require(holds, words):
    if not holds:
        print(f"wrong: {words}", flush=True)
        sys.exit(1)


def daemon_now():
    """The daemon runs on this machine's clock."""
    return time.time() * 1000


def judge(notes, view, tracks, since=0):
    """Holds what one page showed against the commands that it had. Returns how many banners were compared, and how
    late commands came."""
    compared, last = 0, {}
    lateness = Lateness(notes["received"][view])
    for seen in notes["frames"]:
        if view not in seen or seen[view][0] < since:
            continue
        now, banners = seen[view]
        shown = {track: (group, number) for track, group, number in banners}
        require(len(shown) == len(banners), f"{view}: two banners on a track: {banners}")
        groups = [group for group, _ in shown.values()]
        require(len(set(groups)) == len(groups), f"{view}: a group on two tracks: {banners}")
        known = lateness.known(now)
        if known is None:
            continue
        for track in tracks.shows:
            banner = shown.get(track)
            require(tracks.allows(track, banner, now, known),
                    f"{view}: {track} shows {banner} at {now}, expected {tracks.banner(track, now, known)}")
            if banner:
                compared += 1
                check_rise(tracks, view, track, banner, last.get((track, banner[0])), now)
                last[track, banner[0]] = (banner[1], now)
    return compared, lateness


def check_rise(tracks, view, track, banner, before, now):
    """A number never falls, and below catch-up it leaves none out that there was time to draw."""
    if not before:
        return
    group, number = banner
    require(number >= before[0], f"{view}: {track}: group {group} fell from {before[0]} to {number}")
    run = tracks.run_of(track, group, number)
    if run and run["from"] < before[0]:
        step = run["durationMs"] / (run["to"] - run["from"])
        possible = math.ceil((now - before[1] + 1) / step)
        require(number - before[0] <= possible, f"{view}: {track}: group {group} leapt from {before[0]} to {number}")


def add_frames(browser, addresses):
    browser.execute_script("""
      for (const [name, address] of Object.entries(arguments[0])) {
        const frame = document.createElement("iframe");
        Object.assign(frame, { name, src: address });
        frame.style = "position:fixed;inset:0;width:100%;height:100%;border:0";
        document.body.append(frame);
      }""", addresses)


COMMENTS = """
const views = [document, ...arguments[0].map((name) => document.querySelector(`iframe[name=${name}]`).contentDocument)];
return views.map((view) => [...view.querySelectorAll("#comments li")].map((line) => [
  line.textContent, line.querySelector(".name").style.getPropertyValue("--name")]));
"""


class Windows:
    """One page that is always there, with others in it; one whose network is cut; one that is hidden."""

    def __init__(self, studio, browser, commands):
        self.studio, self.browser = studio, browser
        self.proxy = Proxy(int(studio.address.rstrip("/").rsplit(":", 1)[1]))
        page = f"overlay?room={ROOM}"
        self.far = browser.open(f"http://127.0.0.1:{self.proxy.port}/{page}")
        self.hidden = browser.open(studio.address + page)
        self.window = browser.execute_cdp_cmd("Browser.getWindowForTarget", {})["windowId"]
        self.main = browser.open(studio.address + page)
        until(lambda: browser.execute_script("return document.querySelector('.banner') !== null"), "no banner comes")
        for handle in (self.far, self.hidden, self.main):
            browser.switch_to.window(handle)
            numbers = commands.sequences()
            until(lambda: browser.is_complete(numbers), "a page does not know all")
            browser.record()
        self._show("minimized")
        # These come in the middle.
        self.views = {
            "late": f"{page}&worker=0", "ahead": f"{page}&shift=3600000", "behind": f"{page}&shift=-3600000"}
        add_frames(browser, {**self.views, "minimal": f"minimal?room={ROOM}"})
        numbers = commands.sequences()
        for name in self.views:
            until(lambda: browser.is_complete(numbers, name), f"the page {name} does not know all")
            browser.watch_frame(name)

    def _show(self, state):
        self.browser.execute_cdp_cmd(
            "Browser.setWindowBounds", {"windowId": self.window, "bounds": {"windowState": state}})

    def come_back(self):
        self.browser.switch_to.window(self.hidden)
        require(self.browser.execute_script("return document.hidden"), "the hidden page is not hidden")
        fresh = """return [livecue.clock.now(), document.querySelectorAll("#comments .fresh").length,
            livecue.room.comments.filter((item) => livecue.clock.now() - item.at < 1500).length,
            livecue.particles.particles.length]"""
        self._show("normal")
        until(lambda: not self.browser.execute_script("return document.hidden"), "the hidden page does not return")
        _, drawn, recent, particles = self.browser.execute_script(fresh)
        require(drawn <= recent + 12 and particles <= 20, f"a burst on return: {drawn} of {recent} comments, {particles}")

    def recorded(self, handle):
        self.browser.switch_to.window(handle)
        return self.browser.recorded()


def check_numbers(studio, browser, commands):
    windows = Windows(studio, browser, commands)
    cut_at = time.monotonic()
    windows.proxy.cut()
    until(lambda: time.monotonic() - cut_at > 5, "", 6)
    windows.proxy.mend()
    mended = daemon_now()
    until(lambda: daemon_now() - mended > 1300, "", 3)
    returned = daemon_now()
    windows.come_back()
    until(lambda: daemon_now() - returned > 700, "", 3)
    main, far, hidden = (windows.recorded(handle) for handle in (windows.main, windows.far, windows.hidden))
    browser.switch_to.window(windows.main)
    tracks = Tracks(commands.all)
    for view in ("page", *windows.views):
        compared, lateness = judge(main, view, tracks)
        require(compared > 40, f"{view}: only {compared} banners could be compared")
        p95 = lateness.percentile(.95)
        require(p95 < DELAY, f"{view}: commands come {p95:.0f} ms late")
        print(f"{view}: {compared} banners compared, commands come {lateness.percentile(.5):.0f} ms late, p95 {p95:.0f}")
    recovered = Lateness(far["received"]["page"]).complete(mended) - mended
    compared, _ = judge(far, "page", tracks, since=mended + recovered)
    require(compared > 5 and recovered < RECOVERY, f"{recovered:.0f} ms after a cut not all is known, {compared} compared")
    print(f"cut: after 5 s without a network all is known in {recovered:.0f} ms, {compared} compared")
    compared, _ = judge(hidden, "page", tracks, since=returned)
    instants = [seen["page"][0] for seen in hidden["frames"] if "page" in seen]
    gap = max(after - before for before, after in zip(instants, instants[1:]))
    require(compared > 5 and gap > 3000, f"hidden: only {compared} banners, and {gap} ms without a frame")
    print(f"hidden: after {gap / 1000:.1f} s without a frame {compared} compared")
    # What comes now would be on one page sooner than on another.
    studio.kill("replay")
    check_same(browser, windows)
    for handle in (windows.far, windows.hidden):
        browser.switch_to.window(handle)
        browser.close()
    browser.switch_to.window(windows.main)


def check_same(browser, windows):
    """All pages of the room have the same list, and the smallest renderer the same numbers."""
    def are_same():
        first, *others = browser.execute_script(COMMENTS, list(windows.views))
        return len(first) == 12 and all(other == first for other in others)

    until(are_same, "the comment lists differ")
    same = """
      const text = (view, banner) => `${banner.querySelector(".sender").textContent}: ` +
        `${banner.querySelector(".gift").textContent} ${banner.querySelector(".number").textContent}`;
      const small = document.querySelector("iframe[name=minimal]").contentDocument;
      const ours = [...document.querySelectorAll(".banner")].filter((banner) => !banner.matches(".leaving"))
        .map((banner) => text(document, banner));
      const theirs = [...small.querySelectorAll("#tracks .banner")].map((line) => line.textContent);
      return ours.length > 0 && ours.every((line) => theirs.includes(line));"""
    until(lambda: browser.execute_script(same), "the smallest renderer shows something else")
    elements = browser.execute_script("return document.querySelectorAll('*').length")
    require(elements < 200, f"{elements} elements")
    print(f"same: lists of {len(windows.views) + 1} pages and the smallest renderer, {elements} elements")


def check_many(studio, browser):
    """Eight more pages of the browser, one of them with a theme of the operator's own."""
    # The commands here, a worker, and the two pages without one.
    until(lambda: studio.get("rooms")["readers"] == 4, "closed pages still read")
    browser.execute_script("""
      window.pages = [...Array(8).keys()].map((place) =>
        open(`/overlay?room=many${place ? "" : "&theme=mine"}`, "", "width=300,height=200"));""")
    ready = "return pages.every((page) => page.livecue?.room && page.document.readyState === 'complete')"
    until(lambda: browser.execute_script(ready), "eight pages do not load")
    gift = {"type": "gift", "sender": {"id": "u1", "name": "Ann"}, "gift": {"id": "rose", "name": "Rose"}, "count": 3}
    reply = browser.control("many", "test", event=gift)
    require(reply["ok"], f"a test was refused: {reply}")
    shown = "return pages.every((page) => page.document.querySelector('.banner .number')?.textContent === 'x3')"
    until(lambda: browser.execute_script(shown), "not all of eight pages are live")
    readers = studio.get("rooms")["readers"]
    require(readers == 5, f"eight more pages of a room are {readers - 4} more streams")
    mine = browser.execute_script("""
      const page = pages[0], banner = page.document.querySelector(".banner");
      return [page.getComputedStyle(page.document.documentElement).getPropertyValue("--accent"), banner.dataset.counted];""")
    require(mine == ["rgb(1, 2, 3)", "3"], f"the theme of the folder is not in force: {mine}")
    beside = browser.execute_script("""
      const banner = pages[0].document.querySelector(".banner"), { top, bottom } = banner.getBoundingClientRect();
      return [...banner.children].filter((part) => part.className !== "ring").every((part) => {
        const place = part.getBoundingClientRect(), middle = (place.top + place.bottom) / 2;
        return top < middle && middle < bottom;
      });""")
    require(beside, "a theme's picture breaks the banner's line")
    # As OBS does with its "Custom CSS".
    color = browser.execute_script("""
      const page = pages[1], style = page.document.createElement("style");
      style.textContent = ".banner { color: rgb(9, 8, 7) }";
      page.document.head.append(style);
      return page.getComputedStyle(page.document.querySelector(".banner")).color;""")
    require(color == "rgb(9, 8, 7)", f"OBS's own style is refused: {color}")
    print("many: eight pages of one browser are live on one stream; a theme and a style of one's own are in force")


def check_lines(studio, browser):
    comment = {"type": "comment", "sender": {"id": "u1", "name": "Ann"}, "text": "one"}
    for _ in range(2):
        browser.control("lines", "test", event=comment)
    for asked, count in (("", 2), ("many", 2), ("-1", 2), ("1", 1), ("0", 0)):
        browser.get(f"{studio.address}overlay?room=lines&comments={asked}")
        known = "return window.livecue?.room.comments.length === 2 && livecue.drawnAt !== null"
        until(lambda: browser.execute_script(known), "a page knows no comments")
        shown = browser.execute_async_script("""
          const [done] = arguments, count = () => document.querySelectorAll("#comments li").length;
          requestAnimationFrame(() => requestAnimationFrame(() => done(count())));""")
        require(shown == count, f"comments={asked} shows {shown} lines")
    print("lines: as many as the address asks for")


def check_full(browser):
    """Where too many read, the smallest renderer comes as soon as there is a place."""
    studio = Studio(sys.argv[1], overlay="maxReaders: 1")
    figures = lambda: urllib.request.urlopen(studio.address + "metrics").read().decode()
    try:
        reader = urllib.request.urlopen(studio.address + "rooms/full/events")
        browser.get(f"{studio.address}minimal?room=full")
        until(lambda: re.search(r"livecue_overlay_refused_readers_total [1-9]", figures()), "nobody is refused")
        reader.close()
        until(lambda: "\nlivecue_overlay_readers 0\n" in figures(), "the reader stays")
        until(lambda: "\nlivecue_overlay_readers 1\n" in figures(), "who was refused stays away")
    finally:
        studio.end()
    print("full: a renderer that was refused comes back")


def check_click(studio, browser):
    clicks = Commands(studio.address, "many", "click")
    # The same group as long as it is there, or one of its kind.
    gift = {"type": "gift", "sender": {"id": "u1", "name": "Ann"}, "gift": {"id": "rose", "name": "Rose"}, "count": 3}
    browser.control("many", "test", event=gift)
    press = "pages[1].document.querySelector('.banner')?.click()"
    click = until(lambda: browser.execute_script(press) or clicks.all, "no click comes out")[0]
    seen = click["sender"]["id"], click["gift"]["id"], click["count"] in range(7)
    require(seen == ("u1", "rose", True), f"a click is {click}")
    browser.execute_script("pages.forEach((page) => page.close())")
    print("click: comes out with its group")


def check_silence(studio, browser):
    """The daemon is killed while a banner holds: the banner goes by itself, and a new one comes with a new daemon."""
    banner = "const banner = window.livecue?.room.banners.get('gift/0'); "
    browser.get(f"{studio.address}overlay?room=quick")
    gift = {"type": "gift", "sender": {"id": "u2", "name": "Bo"}, "gift": {"id": "rose", "name": "Rose"}}
    browser.control("quick", "test", event=gift)
    holds = banner + "return banner?.sender.id === 'u2' && banner.phases.at(-1)?.op === 'hold' ? banner.end : 0"
    end = until(lambda: browser.execute_script(holds), "no banner holds")
    studio.kill("daemon")
    gone_at = until(
        lambda: browser.execute_script("return document.querySelector('.banner') ? 0 : livecue.clock.now()"),
        "a banner stays that no command ends")
    require(end <= gone_at <= end + 4500, f"a banner that ends at {end} went at {gone_at}")
    studio.start_daemon()
    gift["sender"] = {"id": "u3", "name": "Cy"}
    browser.control("quick", "test", event=gift)
    until(lambda: browser.execute_script("return document.querySelector('.banner .sender')?.textContent === 'Cy'"),
          "nothing is shown after a new start")
    print(f"silence: a banner went {(gone_at - end) / 1000:.1f} s after its end; after a new start they come again")


def check_studio_page(studio, browser):
    browser.get(f"{studio.address}?room=lobby")
    replies = "return [...document.querySelectorAll('#replies li')].map((line) => [line.className, line.textContent])"
    ready = "return document.getElementById('preview').contentWindow.livecue?.room !== undefined"
    until(lambda: browser.execute_script(ready), "there is no preview")

    def press(selector, count=1):
        browser.execute_script("document.getElementById('replies').replaceChildren()")
        browser.execute_script(f"document.querySelector('[data-{selector}]').click()")
        line = until(lambda: browser.execute_script(replies), f"{selector} is not answered")[0]
        return tuple(line)

    for test in ("single", "ten", "hundred", "vip", "comment", "like"):
        require(press(f"test={test}")[0] == "done", f"the test {test} is refused")
    browser.switch_to.frame("preview")
    for part in (".banner", "#comments li", "#stage .card"):
        until(lambda: browser.execute_script(f"return document.querySelector('{part}') !== null"), f"there is no {part}")
    browser.switch_to.default_content()
    state = "return document.getElementById('state').textContent"
    require(press("control=pause") == ("done", "pause"), "pause is refused")
    until(lambda: browser.execute_script(state) == "paused", "the pause is not shown")
    require(press("control=resume") == ("done", "resume"), "resume is refused")
    until(lambda: browser.execute_script(state) == "playing", "the resume is not shown")
    require(press("control=skip") == ("done", "skip gift/0"), "skip is refused")
    require(press("control=mute")[0] == "refused", "nobody can be muted")
    # Whoever is clicked in the preview can be muted.
    for part, who in ("#comments li:last-child", "who commented"), (".banner", "who gave"):
        browser.execute_script("document.getElementById('sender').value = ''")
        require(press("test=single" if part == ".banner" else "test=comment")[0] == "done", "a test is refused")
        sender = until(
            lambda: browser.click_in_frame("preview", part)
            or browser.execute_script("return document.getElementById('sender').value"), f"{who} is not known")
        require(sender.startswith("studio-"), f"{who} is {sender}")
    require(press("control=mute") == ("done", f"mute {sender}"), "mute is refused")
    require(press("control=clear") == ("done", "clear"), "clear is refused")
    tracks = "return [...document.querySelectorAll('#track option')].map((option) => option.value).join()"
    until(lambda: browser.execute_script(tracks) == "gift/0,gift/1,gift/2,gift/3,gift/4,stage", "five tracks are not offered")
    air = "return document.getElementById('air').textContent"
    studio.kill("daemon")
    until(lambda: browser.execute_script(air) == "the daemon is off", "a killed daemon looks live")
    studio.start_daemon()
    until(lambda: browser.execute_script(air) == "live", "a daemon that is back does not look live")
    studio.children["overlay"].send_signal(signal.SIGSTOP)
    until(lambda: browser.execute_script(air) == "the overlay's server is away", "a server that stands still looks live")
    studio.children["overlay"].send_signal(signal.SIGCONT)
    until(lambda: browser.execute_script(air) == "live", "a server that goes on does not look live")
    studio.kill("overlay")
    until(lambda: browser.execute_script(air) == "the overlay's server is away", "a lost server looks live")
    require("cannot be reached" in press("test=single")[1], "a lost server is not told")
    studio.start_overlay_again()
    until(lambda: browser.execute_script(air) == "live", "the studio does not come back")
    require(press("test=single")[0] == "done", "after a restart a test is refused")
    print("studio: tests and commands are answered, and it says when nobody can")


def main():
    studio = Studio(sys.argv[1], SETTINGS)
    (studio.themes / "mine.css").write_text(THEME)
    (studio.themes / "mine.js").write_text(THEME_MODULE)
    browser = Browser()
    try:
        check_rules(studio, browser)
        commands = Commands(studio.address, ROOM)
        studio.replay(SPEED)
        check_numbers(studio, browser, commands)
        check_many(studio, browser)
        check_click(studio, browser)
        check_hostile_texts(studio, browser)
        check_studio_page(studio, browser)
        check_lines(studio, browser)
        check_silence(studio, browser)
        # That nobody can be muted is one.
        complaints = [line for line in browser.complaints() if "/rooms/lobby/control" not in line]
        require(not complaints, f"the browser complains: {complaints}")
        check_full(browser)
    finally:
        browser.quit()
        studio.end()


main()
