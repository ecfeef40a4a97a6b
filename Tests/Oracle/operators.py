"""What operators and renderers say at random: the part of fuzz.py that stresses control, feedback and the stage."""

ASSETS = ["castle.webm", "rocket"]
PARTS = ["gift", "stage", "comment", "like"]


class Operators:
    def begin_operators(self, spice):
        self.p_control = spice(0, .05, .15, .4, .6)
        self.p_feedback = spice(0, .05, .2, .5)
        self.p_asset = spice(0, .3, .8)
        self.p_bad_control = 0 if self.plain else spice(0, .1)
        self.p_aim = spice(0, .1, .4)          # lines that come at the very instant of a timer
        self.favourite = spice(None, "pause", "clear", "skip", "mute", "remove", "test")
        self.requests = 0

    def operator_settings(self, settings):
        pick = self.r.choice
        if self.chance(.8):
            settings["stage"] = {"leader": pick(["", "L", "L"]), "maxWaiting": pick([0, 1, 2, 50])}
        if self.chance(.7):
            settings["snapshot"] = {"everyMs": pick([0, self.ms(1, 5), self.ms(5, 40)])}
        if self.chance(.2):
            settings["limits"] = {"maxMuted": pick([0, 1, 2])}

    def asset(self, rule):
        if self.chance(self.p_asset):
            rule["asset"] = self.r.choice(ASSETS)
            if self.chance(.7):
                rule["durationMs"] = self.r.choice([0, self.ms(1, 10), self.ms(10, 80)])

    # ---- control

    def control(self, room, now):
        op = self.favourite if self.favourite and self.chance(.5) else self.r.choice(
            ["pause", "resume", "resume", "skip", "clear", "mute", "unmute", "remove", "test", "test"])
        if op == "pause" and self.stands(room) and self.chance(.6):
            op = "resume"
        request = {"op": op}
        if self.chance(.7):
            self.requests += 1
            request["id"] = self.r.choice([f"o-{self.requests}", self.requests])
        if self.chance(.1):
            request["time"] = now - self.r.choice([0, 1000, 4999, 5000, 5001])
        if self.chance(.1):
            request["expires"] = now + self.r.choice([-1, 0, 1, 1000])
        if self.chance(.05):
            request["room"] = room
        if op in ("pause", "resume", "clear"):
            if self.chance(.6):
                request["part"] = self.r.choice(PARTS + ["gift", "gift", "all", None])
        elif op == "skip":
            request["track"] = self.r.choice(["stage", "gift/0", "gift/0", "gift/1", "gift/2"])
        elif op in ("mute", "unmute"):
            request["sender"] = self.someone()
        elif op == "remove":
            if self.chance(.5):
                request["sender"] = self.someone()
            else:
                request["ids"] = self.r.sample(self.comment_ids(room), min(3, len(self.comment_ids(room))))
        elif op == "test":
            kind = self.r.choice(["gift", "gift", "comment", "like"])
            request["event"] = getattr(self, kind)(now, True)
        if self.chance(self.p_bad_control):
            request = self.bad_control(request)
        return request

    def someone(self):
        name = self.r.choice(self.senders)
        return self.r.choice([name, {"id": name}, {"id": name, "name": "Ann"}])

    def comment_ids(self, room):
        known = ["none", 7]
        if room in self.watched.rooms:
            seen = self.watched.rooms[room]
            known += [c["id"] for c in (seen.list + seen.newComments)[-6:]]
        return known

    def stands(self, room):
        return room in self.watched.rooms and bool(self.watched.rooms[room].paused)

    def bad_control(self, request):
        return self.r.choice([
            {**request, "op": self.r.choice(["stop", "", None, 7])}, {**request, "part": "gift/0", "op": "pause"},
            {"op": "skip", "track": self.r.choice(["gift", "gift/99", "comment", "gift/-1", "gift/00", "", 7, None])},
            {"op": "mute"}, {"op": "mute", "sender": self.r.choice([{}, "", None, [], {"name": "Ann"}])},
            {"op": "remove"}, {"op": "remove", "ids": self.r.choice(["a", {}, [None], [""]])},
            {"op": "test"}, {"op": "test", "event": self.r.choice([{}, 7, {"type": "poll"}, {"type": "gift"}])},
            {**request, "room": "elsewhere"}, {**request, "expires": self.r.choice(["soon", 1.5, True])}])

    # ---- feedback

    def feedback(self, room):
        op = self.r.choice(["done", "done", "failed", "click", "click", "resync"])
        said = {"op": op}
        if self.chance(.8):
            said["renderer"] = self.r.choice(["L", "L", "L", "obs", ""])
        if op != "resync":
            said["group"] = self.some_group(room)
        return said

    def some_group(self, room):
        """Of what is to be seen, as a rule; else any number."""
        seen = self.watched.rooms.get(room)
        groups = [self.r.randint(0, 40)]
        if seen is not None:
            groups += [t.group.number for t in seen.tracks if t.group is not None]
            if seen.playing is not None:
                groups += [seen.playing.number] * 3
        return self.r.choice(groups)

    # ---- time

    def aim(self, now):
        """The instant of a timer to come, which the line then meets."""
        timers = [t[0] for room in self.watched.rooms.values() for t in room.timers()]
        due = sorted(t for t in timers if now <= t < now + 3_600_000)
        return self.r.choice(due[:4]) + self.r.choice([0, 0, 0, 0, -1, 1]) if due else now
