"""Hundreds of readers of one room's stream, and one that takes nothing: readers.py LIVECUE [--readers N] [--seconds N]

The delay from the instant of a command to its arrival is measured at every reader, in a run in which all read and in one
in which one more stalls. Prints the figures; ends with 1 if the stalled one costs the others more than 50 ms at p99, is
not dropped, or memory grows by more than may wait for it.
"""

import argparse
import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import time

from studio import ROOM, Studio, until

AT = re.compile(rb'event: command\ndata: \{[^\n]*?"at":(\d+)')
MAX_READER_BYTES = 131_072
SETTINGS = "comment: {flushMs: 100}\n"


class Readers:
    def __init__(self, port, count):
        self.selector = selectors.DefaultSelector()
        self.delays = []
        self.bytes = 0
        for _ in range(count):
            self.selector.register(self.connect(port), selectors.EVENT_READ, bytearray())

    @staticmethod
    def connect(port, room_bytes=None):
        reader = socket.socket()
        if room_bytes:
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room_bytes)
        reader.connect(("127.0.0.1", port))
        reader.sendall(f"GET /rooms/{ROOM}/events HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
        reader.setblocking(False)
        return reader

    def turn(self, seconds, counts):
        limit = time.monotonic() + seconds
        while (left := limit - time.monotonic()) > 0:
            ready = self.selector.select(left)
            now = time.time() * 1000
            for key, _ in ready:
                piece = key.fileobj.recv(262_144)
                if not piece:
                    raise AssertionError("a reader that reads was dropped")
                kept = key.data
                kept += piece
                end = kept.rfind(b"\n\n")
                if end < 0:
                    continue
                if counts:
                    self.bytes += len(piece)
                    self.delays += [now - int(at) for at in AT.findall(bytes(kept[:end]))]
                del kept[:end + 2]

    def close(self):
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def run(studio, words, stalls):
    port = int(studio.address.rstrip("/").rsplit(":", 1)[1])
    before = studio.get("rooms")["slowReaders"]
    readers = Readers(port, words.readers)
    stalled = Readers.connect(port, 4096) if stalls else None
    expected = words.readers + (1 if stalls else 0)
    until(lambda: readers.turn(0.05, False) or studio.get("rooms")["readers"] == expected, "not all readers come")
    studio.replay(20)
    # Long texts, so that what waits for the stalled one grows as fast as in the largest rooms.
    chatter = subprocess.Popen(
        ["sh", "-c", f"while :; do cat '{studio.folder}/comment'; sleep 0.1; done | "
         f"mosquitto_pub -p {studio.port} -t native/{ROOM}/comment -q 1 -l"], start_new_session=True)
    try:
        readers.turn(3, False)
        resident = studio.resident_kilobytes("overlay")
        peak = resident
        for _ in range(words.seconds):
            readers.turn(1, True)
            peak = max(peak, studio.resident_kilobytes("overlay"))
    finally:
        os.killpg(chatter.pid, signal.SIGKILL)
        chatter.wait()
        studio.kill("replay")
    readers.close()
    slow = studio.get("rooms")["slowReaders"] - before
    if stalled:
        stalled.close()
    until(lambda: studio.get("rooms")["readers"] == 0, "readers that left are not noticed")
    p50, p99 = percentile(readers.delays, .5), percentile(readers.delays, .99)
    print(f"{'one stalls' if stalls else 'all read  '}: {words.readers} readers, {len(readers.delays)} commands, "
          f"{readers.bytes / words.seconds / 1e6:.1f} MB/s, p50 {p50:.0f} ms, p99 {p99:.0f} ms, "
          f"resident {resident} KiB, at most {peak}, {slow} dropped", flush=True)
    return p99, slow, peak - resident


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("livecue")
    parser.add_argument("--readers", type=int, default=500)
    parser.add_argument("--seconds", type=int, default=20)
    words = parser.parse_args()
    studio = Studio(words.livecue, SETTINGS, overlay=f"maxReaderBytes: {MAX_READER_BYTES}")
    try:
        with open(f"{studio.folder}/comment", "w") as file:
            file.write('{"type":"comment","sender":"Long","text":"' + "long " * 390 + '"}\n')
        calm, slow_in_calm, _ = run(studio, words, False)
        stalled, slow, growth = run(studio, words, True)
    finally:
        studio.end()
    faults = []
    if slow_in_calm or slow != 1:
        faults.append(f"{slow_in_calm} and {slow} readers were dropped, expected 0 and 1")
    if stalled > calm + 50:
        faults.append(f"the stalled reader costs the others {stalled - calm:.0f} ms at p99")
    if growth > 8192:
        faults.append(f"memory grew by {growth} KiB")
    for fault in faults:
        print(f"wrong: {fault}")
    sys.exit(1 if faults else 0)


main()
