#!/usr/bin/env python3
"""Random settings and input lines that stress the rules of DESIGN.md, section 4.

    python3 fuzz.py --seed N --out DIR [--lines N] [--plain]

writes DIR/settings.json and DIR/input.jsonl; one seed gives the same bytes always. The model plays along, so that
operators aim at what is to be seen, and lines at the instants of timers. --plain leaves out what the
text does not settle (elements to be rejected, odd names, likes with neither count nor total, maxStreaks).
"""
import argparse
import json
import os
import random
from decimal import Decimal

from model import Service
from operators import Operators

SENDERS = ["u1", "u2", "u3", "u4", "u5"]
GIFTS = ["rose", "car", "ship"]
RECEIVERS = ["host", "guest"]


def is_id(value):
    return value is not None and len(str(value)) <= 256


class Fuzz(Operators):
    def __init__(self, seed, lines, plain):
        self.r = random.Random(seed)
        self.plain = plain
        self.unit = self.r.choice([50, 100, 100])
        self.lines = lines or self.r.choice([10, 30, 60, 120, 250])
        self.rooms = ["r1", "r2", "房3"][:self.r.choice([1, 1, 1, 2, 3])]
        self.crowd = self.r.random() < .1       # so many that more than a hundred wait
        self.senders = [f"v{n}" for n in range(150)] if self.crowd else SENDERS[:self.r.randint(1, 5)]
        self.gifts = GIFTS[:self.r.randint(1, 3)]
        self.ids = {"gift": [], "comment": [], "like": []}
        self.made = 0
        self.platform = {}                 # what a plausible source of totals sends: key -> total
        self.likes = self.r.randint(1, 500)
        # How often each spice is used differs from seed to seed, so that each rule is met alone too.
        spice = lambda *choices: self.r.choice(choices)
        self.p_single = spice(0, 0, .05, .3)
        self.p_anonymous = spice(0, 0, .05, .2)
        self.p_receiver = spice(0, .1, .5)
        self.p_total = spice(0, 0, .3, .7, 1)
        self.p_streak = spice(0, 0, .3, .8)
        self.p_end = spice(0, .1, .3)
        self.p_time = spice(0, 0, .3, .9, 1)
        self.p_id = spice(0, .2, .8)
        self.p_repeat = spice(0, .1, .3)
        self.p_bad = 0 if plain else spice(0, 0, .05, .2)
        self.p_comment = spice(0, .2, .6)
        self.p_like = spice(0, .1, .5)
        self.p_level = spice(0, .3, .8)
        self.p_price = spice(0, .3, .8)
        self.most = spice(2, 5, 50)
        self.begin_operators(spice)
        self.pauses = spice((0, 1, 2), (0, 1, 4, 10), (1, 5, 20), (0, 0, 1, 40), (5, 10, 30, 100))

    def chance(self, p):
        return self.r.random() < p

    def ms(self, low, high):
        """A multiple of the unit: deadlines often tie."""
        return self.r.randint(low, high) * self.unit

    # ---- settings

    def settings(self):
        r, pick = self.r, self.r.choice
        gift = {}

        def maybe(name, make, p=.7):
            if self.chance(p):
                gift[name] = make()

        maybe("tracks", lambda: pick([1, 2, 3, 4, 1, 2, [{"minPriority": pick([0, 0, 1, 3, 5, 7, 9])}
                                                         for _ in range(r.randint(1, 4))]]), .9)
        if isinstance(gift.get("tracks"), list) and self.chance(.5):
            gift["tracks"][0] = {}             # the default minPriority
        maybe("showMs", lambda: self.ms(1, 6))
        maybe("stepMs", lambda: self.ms(1, 8))
        maybe("catchUpMs", lambda: self.ms(1, 20))
        maybe("holdMs", lambda: self.ms(1, 30))
        maybe("holdBusyMs", lambda: self.ms(1, 12))
        maybe("hideMs", lambda: self.ms(1, 6))
        maybe("maxGroupMs", lambda: pick([0, self.ms(1, 10), self.ms(5, 40), self.ms(20, 80)]), .9)
        maybe("minPace", lambda: pick([1, 1.0, 0.9, 0.75, 0.5, 0.25, 0.1]))
        maybe("perStep", lambda: pick([True, False]), .4)
        maybe("leaveNumber", lambda: pick([True, False]), .4)
        maybe("maxWaiting", lambda: pick([0, 1, 2, 3, 5, 8, 200]))
        maybe("agingMs", lambda: pick([0, self.ms(1, 5), self.ms(5, 30)]))
        maybe("foldAfterMs", lambda: pick([0, self.ms(1, 10), self.ms(10, 60)]))
        maybe("protectPriority", lambda: pick([0, 1, 3, 5, 9]))
        maybe("foldEveryMs", lambda: self.ms(1, 20))
        maybe("maxFoldItems", lambda: pick([1, 2, 3, 5, 100]))
        maybe("streakGapMs", lambda: pick([self.ms(1, 10), self.ms(5, 40), 10000]))
        if not self.plain:
            maybe("maxStreaks", lambda: pick([1, 2, 3, 6, 10000]), .3)
        maybe("rules", lambda: [self.rule() for _ in range(r.randint(0, 4))], .8)
        comment, like = {}, {}
        if self.chance(.7):
            comment = {"maxItems": pick([1, 2, 3, 10, 1000]), "flushMs": self.ms(0, 5)}
        if self.chance(.3):
            comment["colors"] = pick([["#111111"], ["#111111", "#222222"], ["#1", "#2", "#3"]])
            if not all(len(c) == 7 for c in comment["colors"]):
                comment["colors"] = ["#101010", "#202020", "#303030"]
        if self.chance(.7):
            like = {"burstMs": self.ms(0, 8), "showerMs": self.ms(1, 25), "maxParticles": pick([1, 10, 30])}
        settings = {"gift": gift, "comment": comment, "like": like}
        self.operator_settings(settings)
        return {name: section for name, section in settings.items() if section or self.chance(.5)}

    def rule(self):
        rule = {"priority": self.r.randint(0, 9)}
        if self.chance(.4):
            rule["minLevel"] = self.r.choice([1, 10, 20, 30])
        if self.chance(.3):
            rule["senders"] = self.r.sample(SENDERS, self.r.randint(1, 2))
        if self.chance(.4):
            rule["gifts"] = self.r.sample(GIFTS, self.r.randint(1, 2))
        if self.chance(.4):
            rule["minValue"] = self.r.choice([1, 10, 100, 1000])
        self.asset(rule)
        return rule

    # ---- events

    def sender(self):
        name = self.r.choice(self.senders)
        if self.chance(self.p_anonymous):
            return self.r.choice([{"anonymous": True}, {"id": name, "anonymous": True},
                                  {"id": name, "name": "Somebody", "anonymous": True, "level": 20}])
        if self.chance(.3):
            return name
        sender = {"id": name}
        if self.chance(.7):
            sender["name"] = self.r.choice(["Ann", "Bo", "安娜", "Ann \"A\"", ""])
        if not self.plain and self.chance(.05):
            sender["name"] = self.r.choice(["A\u0007n\u202en", "é" * 200, "x" * 255 + "é", "\u0085", "\ud800x"])
        if self.chance(self.p_level):
            sender["level"] = self.r.choice([1, 5, 10, 15, 20, 30, 60])
        if self.chance(.05):
            sender["avatar"] = "https://example.org/a.png"
        return sender

    def gift_object(self, event):
        name = self.r.choice(self.gifts)
        if self.chance(.3):
            event[self.r.choice(["gift", "giftName"])] = name
            return name
        gift = {"id": name}
        if self.chance(.6):
            gift["name"] = name.title()
        if self.chance(self.p_price):
            gift["price"] = self.r.choice([0, 1, 5, 100, 1000, 10 ** 12])
        if self.chance(.05):
            gift["icon"] = "i.png"
        event["gift"] = gift
        return name

    def base(self, kind, now, typed):
        event = {}
        if typed:
            event["type"] = kind
        elif self.chance(.2):
            event["type"] = kind if self.plain else self.r.choice(["gift", "comment", "like"])
        if self.chance(self.p_id):
            known = self.ids[kind]
            if known and self.chance(self.p_repeat):
                event["id"] = self.r.choice(known[-12:])
                if self.chance(.3):            # 7 and "7" are one
                    event["id"] = str(event["id"])
            else:
                self.made += 1
                event["id"] = self.made if self.chance(.3) else f"e-{self.made}" if self.chance(.7) else str(self.made)
                known.append(event["id"])
        if self.chance(self.p_time):
            event["time"] = now + self.r.choice([0, 0, 0, -1, 1, -5, 5, 20]) * self.unit
        return event

    def gift(self, now, typed):
        event = self.base("gift", now, typed)
        event["sender"] = self.sender()
        gift = self.gift_object(event)
        if self.chance(self.p_receiver):
            receiver = self.r.choice(RECEIVERS)
            event["receiver"] = self.r.choice([receiver, {"id": receiver}, {"id": receiver, "name": "Host"}])
        if self.chance(self.p_single):
            event["combo"] = False
        elif self.chance(.1):
            event["combo"] = True
        if self.chance(self.p_total):
            sender = event["sender"]
            sender = sender if isinstance(sender, str) else sender.get("id", "anonymous")
            if self.chance(self.p_streak):
                event["streak"] = self.r.choice(["s1", "s2", 3])
            event["total"] = self.total((sender, gift, str(event.get("streak"))))
            if self.chance(self.p_end):
                event["end"] = True
            if self.chance(.1):
                event["count"] = self.r.randint(1, 5)
        elif self.chance(.8):
            event["count"] = self.r.choice([1, 1, 1, 2, self.r.randint(1, self.most)])
        return event

    def total(self, key):
        last = self.platform.get(key, 0)
        turn = self.r.random()
        if turn < .35 or last == 0:
            new = last + self.r.choice([1, 1, 1, 2, self.r.randint(1, self.most)])
        elif turn < .55:
            new = last                          # a repeat
        elif turn < .70:
            new = 1                             # a new streak
        elif turn < .80:
            new = self.platform.get(("before", key), last)
        elif turn < .90:
            new = self.r.randint(1, last)       # out of order, or a new streak
        else:
            new = self.r.randint(1, self.most)
        if new < last:
            self.platform["before", key] = last
        self.platform[key] = new
        return new

    def comment(self, now, typed):
        event = self.base("comment", now, typed)
        event["sender"] = self.sender()
        event["text"] = self.r.choice(["hello", "hi", "你好", "666", "a \"b\" \\ c", "x\ty" if not self.plain else "y"])
        if self.chance(.1):
            event["style"] = self.r.choice(["follow", "super-chat", "", 7, "a\u0000b"])
        return event

    def like(self, now, typed):
        event = self.base("like", now, typed)
        event["sender"] = self.sender()
        form = self.r.choice(["count", "count", "total", "both"] if self.plain or self.chance(.95) else ["neither"])
        if form in ("count", "both"):
            event["count"] = self.r.randint(1, 40)
        if form in ("total", "both"):
            turn = self.r.random()
            if turn < .8:
                self.likes += self.r.randint(0, 30)
            elif turn < .9:
                self.likes = max(1, self.likes - self.r.randint(0, 20))
            else:
                self.likes = max(1, self.likes * self.r.randint(1, 9) // 10)
            if not self.plain and self.chance(.03):
                self.likes = self.r.choice([1_000_000, 1_000_001, 2 ** 53])
            # A source that goes beyond the limit is refused; one that stays below goes on.
            event["total"] = self.likes
        return event

    def bad(self, kind):
        """An element that is dropped."""
        choice = self.r.choice
        if kind == "batch":
            return choice([{"type": "poll", "sender": "u1"}, {"sender": "u1", "gift": "rose"}, 7, None, [],
                           {"type": "gift", "sender": "u1"}, {"type": "comment", "sender": "u1", "text": ""},
                           {"type": "gift", "sender": "u1", "gift": "rose", "count": 0}])
        if kind == "gift":
            return choice([{"gift": "rose"}, {"sender": "u1"}, {"sender": {"name": "Ann"}, "gift": "rose"},
                           {"sender": "u1", "gift": {"name": "Rose"}}, "gift", None, 5,
                           {"sender": "u1", "gift": "rose", "count": 0},
                           {"sender": "u1", "gift": "rose", "count": 1000001},
                           {"sender": "u1", "gift": "rose", "count": "3"},
                           {"sender": "u1", "gift": "rose", "count": 1.5},
                           {"sender": "u1", "gift": "rose", "total": 0},
                           {"sender": "u1", "gift": {"id": "rose", "price": -1}},
                           {"sender": "u1", "gift": {"id": "rose", "price": 10 ** 12 + 1}},
                           {"id": "x" * 257, "sender": "u1", "gift": "rose"},
                           {"sender": {"id": "é" * 129}, "gift": "rose"}])
        if kind == "comment":
            return choice([{"sender": "u1"}, {"text": "hello"}, {"sender": "u1", "text": ""}, None,
                           {"sender": "u1", "text": "\u0007\u202e"}, {"sender": "u1", "text": 5}])
        return choice([{"sender": "u1", "count": 0}, {"sender": "u1", "count": -5}, None, "like",
                       {"sender": "u1", "total": 0}, {"sender": "u1", "total": 2 ** 53 + 1}])

    def event(self, kind, now):
        if kind != "batch":
            return getattr(self, kind)(now, False)
        turn = self.r.random()
        kind = "comment" if turn < self.p_comment else "like" if turn < self.p_comment + self.p_like else "gift"
        return getattr(self, kind)(now, True)

    # ---- lines

    def batches(self):
        now = start = self.r.choice([0, 1000, 1722400000000])
        jump = self.r.randrange(self.lines) if self.chance(.1) else None
        born, latest = set(), None         # latest: the last gift with an id, with its topic and instant
        for index in range(self.lines):
            now += self.r.choice(self.pauses) * self.unit
            if self.chance(.02):
                now += self.r.choice([1, 7, 33])           # off the grid
            if index == jump and latest is not None:
                # The same gift again, about when its id is forgotten.
                topic, event, instant = latest
                now = max(now, instant + 3_600_000 + self.r.choice([0, 0, 1, -1, 10 * self.unit]))
                yield {"at": now, "topic": topic, "payload": [event]}
            if self.chance(self.p_aim):
                now = max(now, self.aim(now))
            room = self.r.choice(self.rooms)
            while self.chance(self.p_control):
                yield {"at": now, "topic": f"cue/{room}/control", "payload": self.control(room, now)}
            while self.chance(self.p_feedback):
                yield {"at": now, "topic": f"cue/{room}/feedback", "payload": self.feedback(room)}
            turn = self.r.random()
            kind = ("batch" if turn < .4 else "comment" if turn < .4 + .4 * self.p_comment
                    else "like" if turn < .4 + .4 * self.p_comment + .2 * self.p_like else "gift")
            events = [self.event(kind, now)
                      for _ in range(self.r.choice([1, 1, 2, 3, self.r.randint(1, 60 if self.crowd else 8)]))]
            if room in born:
                for position in range(len(events)):
                    if self.chance(self.p_bad):
                        events.insert(position, self.bad(kind))
            born.add(room)
            payload = events
            turn = self.r.random()
            if turn < .05:
                payload = {"events": events}
            elif turn < .15 and len(events) == 1 and isinstance(events[0], dict):
                payload = events[0]
            for event in events:
                if isinstance(event, dict) and kind == "gift" and is_id(event.get("id")) and "gift" in event:
                    latest = f"im/{room}/{kind}", event, now
            at = now
            if self.chance(.02):
                at = max(start, now - self.r.randint(1, 10) * self.unit)
            yield {"at": at, "topic": f"im/{room}/{kind}", "payload": payload}

    def write(self, folder):
        """Writes settings and input, and returns what the model says to them."""
        settings = json.dumps(self.settings(), indent=1)
        said = []
        self.watched = Service(json.loads(settings, parse_float=Decimal), said.append, snapshots=True)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "settings.json"), "w", encoding="utf-8") as file:
            file.write(settings + "\n")
        with open(os.path.join(folder, "input.jsonl"), "w", encoding="utf-8") as file:
            for line in self.batches():
                text = json.dumps(line, ensure_ascii=True)
                file.write(text + "\n")
                file.flush()
                self.watched.line(json.loads(text))
        self.watched.advance(None)
        return said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--lines", type=int, default=None)
    parser.add_argument("--plain", action="store_true")
    arguments = parser.parse_args()
    Fuzz(arguments.seed, arguments.lines, arguments.plain).write(arguments.out)


if __name__ == "__main__":
    main()
