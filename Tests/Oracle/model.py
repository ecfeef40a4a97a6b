#!/usr/bin/env python3
"""A slow, literal reference model of LiveCue's engine (DESIGN.md, sections 3 and 4).

Reads lines {"at":ms,"topic":"im/ROOM/gift|comment|like|batch" or "cue/ROOM/control|feedback","payload":...} on
standard input and writes lines {"at":ms,"topic":T,"payload":{command}} in order, until every timer has fired.

    python3 model.py [--settings FILE] [--snapshots] < input.jsonl > commands.jsonl

Places where DESIGN.md was ambiguous are marked "READING" with a letter; README.md lists them all.
"""
import argparse
import json
import sys
from decimal import Decimal

from control import Refused, Request
from decoding import decode, is_control, mend_surrogates
from room import Room
from settings import Plan

KINDS = ("gift", "comment", "like", "batch")


class Service:
    """All rooms; what they say goes to `write` as {"at", "topic", "payload"}."""

    def __init__(self, settings, write, snapshots=False):
        self.plan = Plan(settings)
        self.rooms = {}                       # in the order of first appearance
        self.now = None
        self.write, self.snapshots = write, snapshots
        self.lastSeq, self.lastAt = {}, None

    def out(self, at, topic, payload):
        if "seq" in payload and payload["seq"] == 1:
            self.lastSeq[topic] = 0           # a room that came back
        if "seq" in payload:
            assert payload["seq"] == self.lastSeq.get(topic, 0) + 1, f"seq of {topic}: {payload}"
            self.lastSeq[topic] = payload["seq"]
        assert self.lastAt is None or at >= self.lastAt, f"time runs backwards: {payload}"
        self.lastAt = at
        if self.snapshots or not topic.endswith("/snapshot"):
            self.write({"at": at, "topic": topic, "payload": payload} if payload else
                       {"at": at, "topic": topic, "base64": ""})

    def advance(self, limit):
        """Fires every timer with a deadline of at most limit; with None all until every queue is drained."""
        while True:
            until = limit
            if limit is None and not any(room.is_busy() for room in self.rooms.values()):
                until = self.now
            timers = []
            for order, room in enumerate(self.rooms.values()):
                timers += [(timer[0], order, timer, room) for timer in room.timers()]
            deadline, _, timer, room = min(timers, key=lambda t: t[:3], default=(None, None, None, None))
            if deadline is None or until is not None and deadline > until:
                return
            self.now = max(self.now, deadline)
            room.fire(timer)
            if room.left:
                del self.rooms[room.name]

    def line(self, line):
        at = line["at"]
        self.now = at if self.now is None else max(self.now, at)
        self.advance(self.now)
        levels = line["topic"].split("/")
        if len(levels) != 3:
            return
        name = levels[1]
        if not 1 <= len(name.encode()) <= 128 or any(c in "+#" or is_control(c) for c in name):
            return
        payload = mend_surrogates(line["payload"])
        if levels[0] == "im" and levels[2] in KINDS:
            events = decode(payload, levels[2])
            if events:                        # READING N: a room is born by its first valid event
                self.room(name).handle(events, self.now)
        elif levels[0] == "cue" and levels[2] == "control":
            self.control(name, payload)
        elif levels[0] == "cue" and levels[2] == "feedback" and name in self.rooms and isinstance(payload, dict):
            room = self.rooms[name]
            if room.hear(payload, self.now):
                room.settle(self.now)
                room.send_paced(self.now)
            room.send_wanted(self.now)

    def room(self, name):
        if name not in self.rooms:
            self.rooms[name] = Room(name, self.now, self.plan, self.out)
        return self.rooms[name]

    def control(self, name, payload):
        answer = {"id": None}
        if isinstance(payload, dict) and isinstance(payload.get("id"), (str, int)):
            answer["id"] = payload["id"]
        try:
            if not isinstance(payload, dict):
                raise Refused("not-json")
            request = Request(payload, name, self.now)
            if name not in self.rooms and not request.makes_room():
                raise Refused("no-such-room")
            room = self.room(name)
            room.lastActivity = self.now
            room.obey(request, self.now)
            room.settle(self.now)
            room.send_paced(self.now)
            answer["ok"] = True
        except Refused as refused:
            answer.update(ok=False, error=str(refused))
        self.out(self.now, f"cue/{name}/control/reply", answer)


def run(settings, lines, snapshots=False):
    """What a list of input lines makes."""
    said = []
    service = Service(settings, said.append, snapshots)
    for line in lines:
        service.line(line)
    service.advance(None)
    return said


def read_settings(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--settings")
    parser.add_argument("--snapshots", action="store_true")
    arguments = parser.parse_args()
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    sys.stdout.reconfigure(encoding="utf-8")
    settings = read_settings(arguments.settings) if arguments.settings else {}
    lines = [json.loads(text) for text in sys.stdin if text.strip()]
    for said in run(settings, lines, arguments.snapshots):
        print(json.dumps(said, ensure_ascii=False, separators=(",", ":")))


if __name__ == "__main__":
    main()
