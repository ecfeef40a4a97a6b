"""The overlay in a storm for minutes: storm.py LIVECUE [--capture FILE] [--speed N] [--seconds N]

The capture is played over and over. Nodes and heap must stay flat, and the frames be as many and as short as those of
an empty page that is looked at in a browser of its own beside it. Prints the figures; ends with 1 if they are worse.
"""

import argparse
import subprocess
import sys
import time

from browser import Browser
from studio import CAPTURE, Studio, until

SAMPLE_SECONDS = 10
MOST_NODES = 400
# The browser's own tables, of numbers as texts and of colours, grow to their ends by some 150 KiB in the first half hour.
# In the usual five minutes a leak of 50 bytes a command would be more than this.
MOST_GROWTH = 256 << 10
# One number a tenth of a millisecond, so that the measure itself takes no memory while it runs.
FRAMES = """
window.frames = new Uint32Array(10000);
let last = performance.now();
function note(now) {
  frames[Math.min(9999, Math.round((now - last) * 10))] += 1;
  last = now;
  requestAnimationFrame(note);
}
requestAnimationFrame(note);
"""
TAKE = "return [...frames]"
COMMANDS = "return [...livecue.room.sequences.values()].reduce((sum, sequence) => sum + sequence, 0)"


def percentile(frames, share):
    """Milliseconds, of a count for each tenth of a millisecond."""
    rest = sum(frames) * share
    for tenths, count in enumerate(frames):
        rest -= count
        if rest <= 0:
            return tenths / 10
    raise ValueError("no frame was counted")


def measured(browser):
    """Nodes and bytes of heap that are in use, by the browser's own count.

    Each script that is run from outside leaves a kilobyte and more in the page, of an empty one too: none is run meanwhile.
    """
    browser.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    metrics = {each["name"]: each["value"] for each in browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
    return metrics["Nodes"], metrics["JSHeapUsedSize"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("livecue")
    parser.add_argument("--capture", default=CAPTURE)
    # The calm room at this speed has as many gifts a second as a storm at 20×.
    parser.add_argument("--speed", type=float, default=170)
    parser.add_argument("--seconds", type=int, default=300)
    words = parser.parse_args()
    studio = Studio(words.livecue)
    browser, beside = Browser(1920, 1080), Browser(1920, 1080)
    try:
        browser.execute_cdp_cmd("Performance.enable", {})
        beside.get("about:blank")
        replay = studio.replay(words.speed, words.capture)
        room = until(lambda: studio.get("rooms")["rooms"], "no room comes")[0]
        browser.get(f"{studio.address}overlay?room={room}")
        until(lambda: browser.execute_script("return document.querySelector('.banner') !== null"), "no banner comes")
        for each in (browser, beside):
            each.execute_script(FRAMES)
        begin, before = time.monotonic(), browser.execute_script(COMMANDS)
        nodes, heaps = [], []
        print("seconds  nodes  heap KiB")
        while time.monotonic() - begin < words.seconds:
            try:
                # Until the next sample, or until the capture is over, which then begins anew.
                if replay.wait(max(0, begin + (len(heaps) + 1) * SAMPLE_SECONDS - time.monotonic())) != 0:
                    sys.exit(f"the capture is not played: {studio.output('replay')}")
                replay = studio.replay(words.speed, words.capture)
                continue
            except subprocess.TimeoutExpired:
                count, heap = measured(browser)
            nodes.append(count)
            heaps.append(heap)
            print(f"{time.monotonic() - begin:7.0f} {count:6} {heap / 1024:9.0f}", flush=True)
        commands = (browser.execute_script(COMMANDS) - before) / (time.monotonic() - begin)
        report(studio, beside.execute_script(TAKE), browser.execute_script(TAKE), nodes, heaps, commands)
    finally:
        browser.quit()
        beside.quit()
        studio.end()


def report(studio, empty, frames, nodes, heaps, commands):
    p95, empty_p95 = percentile(frames, .95), percentile(empty, .95)
    third = max(1, len(heaps) // 3)
    growth = min(heaps[-third:]) - min(heaps[:third])
    print(f"an empty page: {sum(empty)} frames, p50 {percentile(empty, .5):.1f} ms, p95 {empty_p95:.1f} ms")
    print(f"the overlay: {sum(frames)} frames, p50 {percentile(frames, .5):.1f} ms, p95 {p95:.1f} ms, "
          f"{p95 / empty_p95:.2f} of an empty page's")
    print(f"commands: {commands:.0f} a second")
    print(f"nodes: at most {max(nodes)}; heap: {growth / 1024:+.0f} KiB from the first third to the last")
    print(f"the overlay's server: {studio.resident_kilobytes('overlay')} KiB resident")
    faults = []
    if max(nodes) > MOST_NODES:
        faults.append("the page's nodes are not bounded")
    if growth > MOST_GROWTH:
        faults.append("the heap grows")
    if commands < 1:
        faults.append("no storm was shown")
    # A loaded machine leaves out frames of every page.
    if p95 > 17 and p95 > 1.1 * empty_p95 and sum(frames) < 0.9 * sum(empty):
        faults.append("frames are fewer and longer than an empty page's")
    for fault in faults:
        print(f"wrong: {fault}")
    sys.exit(1 if faults else 0)


main()
