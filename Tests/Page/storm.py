"""The overlay in a storm for minutes: storm.py LIVECUE [--capture FILE] [--speed N] [--seconds N]

The capture is played over and over. Elements and heap must stay flat, and the frames be as many and as short as those of
an empty page that is looked at in a browser of its own beside it. Prints the figures; ends with 1 if they are worse.
"""

import argparse
import sys
import time

from browser import Browser
from studio import CAPTURE, Studio, until

SAMPLE_SECONDS = 10
FRAMES = """
window.gaps = [];
let last = performance.now();
function note(now) { gaps.push(now - last); last = now; requestAnimationFrame(note); }
requestAnimationFrame(note);
"""
TAKE = "const taken = gaps.slice(1); gaps.length = 0; return taken"
SHOWN = """return [document.querySelectorAll("*").length, document.querySelectorAll(".banner").length,
  livecue.particles.particles.length, livecue.room.waiting, [...livecue.room.sequences.values()].reduce((a, b) => a + b, 0)]"""


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def heap_bytes(browser):
    browser.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    metrics = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "JSHeapUsedSize")


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
        begin = time.monotonic()
        frames, empty, elements, heaps, sequences = [], [], [], [], []
        print("seconds  frames  p50 ms  p95 ms  elements  heap KiB  banners  particles  waiting  commands")
        while time.monotonic() - begin < words.seconds:
            until_next = begin + (len(heaps) + 1) * SAMPLE_SECONDS - time.monotonic()
            time.sleep(max(0, until_next))
            taken = browser.execute_script(TAKE)
            empty += beside.execute_script(TAKE)
            count, banners, particles, waiting, sequence = browser.execute_script(SHOWN)
            heaps.append(heap_bytes(browser))
            # What taking the measure costs is no frame of the page.
            browser.execute_script("gaps.length = 0")
            frames += taken
            elements.append(count)
            sequences.append(sequence)
            print(f"{time.monotonic() - begin:7.0f} {len(taken):7} {percentile(taken, .5):7.1f} {percentile(taken, .95):7.1f} "
                  f"{count:9} {heaps[-1] / 1024:9.0f} {banners:8} {particles:10} {waiting:8} {sequence:9}", flush=True)
            if replay.poll() is not None:
                replay = studio.replay(words.speed, words.capture)
        report(studio, empty, frames, elements, heaps, sequences, words.seconds)
    finally:
        browser.quit()
        beside.quit()
        studio.end()


def report(studio, empty, frames, elements, heaps, sequences, seconds):
    p95, empty_p95 = percentile(frames, .95), percentile(empty, .95)
    third = max(1, len(heaps) // 3)
    growth = min(heaps[-third:]) - min(heaps[:third])
    print(f"an empty page: {len(empty)} frames, p50 {percentile(empty, .5):.1f} ms, p95 {empty_p95:.1f} ms")
    print(f"the overlay: {len(frames)} frames, p50 {percentile(frames, .5):.1f} ms, p95 {p95:.1f} ms, "
          f"{p95 / empty_p95:.2f} of an empty page's")
    print(f"commands: {(sequences[-1] - sequences[0]) / seconds:.0f} a second")
    print(f"elements: at most {max(elements)}; heap: {growth / 1024:+.0f} KiB from the first third to the last")
    print(f"the overlay's server: {studio.resident_kilobytes('overlay')} KiB resident")
    faults = []
    if max(elements) > 200:
        faults.append("elements are not bounded")
    if growth > 1 << 20:
        faults.append("the heap grows")
    # A loaded machine leaves out frames of every page.
    if p95 > 17 and p95 > 1.1 * empty_p95 and len(frames) < 0.9 * len(empty):
        faults.append("frames are fewer and longer than an empty page's")
    for fault in faults:
        print(f"wrong: {fault}")
    sys.exit(1 if faults else 0)


main()
