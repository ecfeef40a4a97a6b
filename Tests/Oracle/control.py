"""Control and feedback (DESIGN.md, section 4): what operators and renderers say."""
import re

from decoding import Rejected, is_integer, read_event, read_id

PARTS = ("gift", "stage", "comment", "like")
OPS = ("pause", "resume", "skip", "clear", "mute", "unmute", "remove", "test")
LATE_MS = 5000


class Refused(Exception):
    pass


def member(request, name, known):
    value = request.get(name)
    if value not in known:
        raise Refused("bad-member")
    return value


def party_id(value):
    if isinstance(value, dict):
        value = value.get("id")
    try:
        found = read_id(value)
    except Rejected:
        found = None
    if found is None:
        raise Refused("bad-member")
    return found


def instant(request, name):
    value = request.get(name)
    if value is not None and not is_integer(value):
        raise Refused("bad-member")
    return value


class Request:
    """An operator's command, looked through before anything is done: READING Z: what it is, its members, whether it is
    too late, its event."""

    def __init__(self, request, room, now):
        op = request.get("op")
        self.op = op
        if op not in OPS:
            raise Refused("unknown-op")
        expires, time = instant(request, "expires"), instant(request, "time")
        if request.get("room") is not None and request["room"] != room:
            raise Refused("wrong-room")
        if expires is None and time is not None:
            expires = time + LATE_MS
        if self.op in ("pause", "resume", "clear"):
            part = member(request, "part", (None, "all") + PARTS)
            self.parts = PARTS if part in (None, "all") else (part,)
        elif self.op == "skip":
            self.track = str(request.get("track"))
            if not re.fullmatch("stage|gift/[0-9]+", self.track):
                raise Refused("no-such-track")
        elif self.op in ("mute", "unmute"):
            self.sender = party_id(request.get("sender"))
        elif self.op == "remove":
            ids = request.get("ids")
            self.ids = self.sender = None
            if ids is None:
                self.sender = party_id(request.get("sender"))
            elif isinstance(ids, list):
                self.ids = {party_id(i) if not isinstance(i, dict) else party_id(None) for i in ids}
            else:
                raise Refused("bad-member")
        else:
            if not isinstance(request.get("event"), dict):
                raise Refused("bad-member")
        if expires is not None and now > expires:
            raise Refused("expired")
        if self.op == "test":
            try:
                self.event = read_event(request.get("event"), "batch")
            except Rejected:
                raise Refused("bad-event")

    # What may make a room: there is something to keep. All others need one in which something has happened.
    def makes_room(self):
        return self.op in ("pause", "mute", "test")


class Control:
    def begin_control(self):
        self.paused = {}                      # part -> since when
        self.muted = set()
        self.resumedAt = self.epoch

    def stands(self, part):
        return part in self.paused

    def clock(self, part, now):
        """The instant by which the part reckons: in a pause, that of its begin."""
        return self.paused.get(part, now)

    def not_before(self, last, length):
        """When the next command is due that keeps a distance from the last; what a pause kept goes after it."""
        return self.resumedAt if last is None else max(self.resumedAt, last + length)

    def obey(self, request, now):
        getattr(self, f"obey_{request.op}")(request, now)

    def obey_pause(self, request, now):
        for part in request.parts:
            if part not in self.paused:
                topics = [t.topic for t in self.tracks] + ["gift/fold"] if part == "gift" else [part]
                for topic in topics:
                    self.send(now, topic, "pause")
                self.paused[part] = now

    def obey_resume(self, request, now):
        self.resume(request.parts, now)

    def resume(self, parts, now):
        for part in parts:
            if part in self.paused:
                length = now - self.paused.pop(part)
                what = {"gift": "gifts", "comment": "comments", "like": "likes"}.get(part, part)
                getattr(self, f"shift_{what}")(length)
                getattr(self, f"resume_{what}")(now)
                self.resumedAt = now
                self.settle(now)

    def obey_skip(self, request, now):
        if request.track == "stage":
            self.skip_stage(now)
            return
        for track in self.tracks:
            # READING W: gift/00 is gift/0.
            if re.fullmatch(f"gift/0*{track.index}", request.track):
                self.skip_gift(track, now)
                return
        raise Refused("no-such-track")

    def obey_clear(self, request, now):
        for part in request.parts:
            # READING Y: a part settles before the next is looked at.
            if part == "gift":
                self.clear_gifts(now)
                self.settle_gifts(now)
            elif part == "stage":
                self.clear_stage(now)
                self.settle_stage(now)
            elif part == "comment":
                self.remove_comments(lambda c: True, now)
            else:
                self.clear_likes(now)

    def obey_mute(self, request, now):
        if request.sender not in self.muted and len(self.muted) >= self.plan.maxMuted:
            raise Refused("too-many-muted")
        self.muted.add(request.sender)
        self.mute_gifts(request.sender, now)
        self.settle_gifts(now)
        self.mute_stage(request.sender, now)
        self.settle_stage(now)
        self.remove_comments(lambda c: c["sender"]["id"] == request.sender, now)

    def obey_unmute(self, request, now):
        self.muted.discard(request.sender)

    def obey_remove(self, request, now):
        if request.ids is None:
            self.remove_comments(lambda c: c["sender"]["id"] == request.sender, now)
        else:
            self.remove_comments(lambda c: c["id"] in request.ids, now)

    def obey_test(self, request, now):
        self.take(request.event, now, test=True)

    # ---- feedback

    def hear(self, feedback, now):
        """Whether that changed anything."""
        op, renderer, group = feedback.get("op"), feedback.get("renderer"), feedback.get("group")
        renderer = renderer if isinstance(renderer, str) else ""
        if op == "resync":
            self.wants_snapshot(now)
        elif op in ("done", "failed") and is_integer(group):
            if self.plan.leader and renderer == self.plan.leader and self.playing is not None \
                    and self.playing.number == group:
                self.end_play(op, now)
                return True
        elif op == "click" and is_integer(group):
            return self.click(group, renderer, now)
        return False

    def click(self, group, renderer, now):
        hit = None
        for track in self.tracks:
            if track.group is not None and track.group.number == group:
                hit = dict(group=group, **track.group.objects, count=track.group.shown, **track.group.mark)
        if self.playing is not None and self.playing.number == group:
            play = self.playing
            hit = dict(group=group, **play.objects, count=play.count, **play.mark)
        if hit is not None:
            self.send(now, "click", "click", **hit, **({"renderer": renderer} if renderer else {}))
        return hit is not None
