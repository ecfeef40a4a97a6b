#!/usr/bin/env python3
"""A slow, literal reference model of LiveCue's engine (DESIGN.md, sections 3 and 4).

Reads lines {"at":ms,"topic":"im/ROOM/gift|comment|like|batch","payload":...} on standard input and writes
lines {"at":ms,"topic":T,"payload":{command}} in order, until every timer has fired.

    python3 model.py [--settings FILE] < input.jsonl > commands.jsonl

Places where DESIGN.md was ambiguous are marked "READING" with a letter; README.md lists them all.
"""
import json
import sys
from decimal import Decimal

HOUR = 3_600_000
ROOM_IDLE = 2 * HOUR
COLORS = ["#00AEFF", "#00A61C", "#5400E6", "#FF3377", "#FF8800", "#FF5E00", "#CA2EE6"]
GIFT_DEFAULTS = dict(
    tracks=3, showMs=300, stepMs=400, catchUpMs=2000, holdMs=3000, holdBusyMs=800, hideMs=300, maxGroupMs=8000,
    minPace=Decimal("0.5"), perStep=False, leaveNumber=True, maxWaiting=200, agingMs=3000, foldAfterMs=10000,
    protectPriority=5, foldEveryMs=1000, maxFoldItems=100, streakGapMs=10000, maxStreaks=10000, rules=[])
COMMENT_DEFAULTS = dict(maxItems=1000, flushMs=100, colors=COLORS)
LIKE_DEFAULTS = dict(burstMs=250, showerMs=2000, maxParticles=30)
COLOR_SENDERS = 10_000
MAX_EVENTS = 10_000


class Plan:
    """The settings, as attributes, e.g. plan.showMs."""

    def __init__(self, settings):
        for section, defaults in (("gift", GIFT_DEFAULTS), ("comment", COMMENT_DEFAULTS), ("like", LIKE_DEFAULTS)):
            given = settings.get(section) or {}
            unknown = set(given) - set(defaults)
            if unknown:
                raise SystemExit(f"model: unknown settings in {section}: {sorted(unknown)}")
            for name, default in defaults.items():
                setattr(self, name, given.get(name, default))
        if isinstance(self.tracks, int):
            self.minPriorities = [0] * self.tracks
        else:
            self.minPriorities = [track.get("minPriority", 0) for track in self.tracks]
        self.minPacePermille = int(1000 * Decimal(self.minPace))


# ---------------------------------------------------------------------------------------------- decoding

class Rejected(Exception):
    pass


class Event:
    kind = id = time = sender = anonymous = None
    # gift
    gift = receiver = streak = total = None
    count = 1
    combo = True
    end = False
    # comment
    text = style = None


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def mend_surrogates(value):
    """Lone surrogates become U+FFFD, everywhere in a JSON value."""
    if isinstance(value, str):
        return "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in value)
    if isinstance(value, list):
        return [mend_surrogates(v) for v in value]
    if isinstance(value, dict):
        return {mend_surrogates(k): mend_surrogates(v) for k, v in value.items()}
    return value


def is_control(scalar):
    c = ord(scalar)
    return c < 0x20 or 0x7F <= c <= 0x9F or 0x202A <= c <= 0x202E or 0x2066 <= c <= 0x2069


def clean(text, limit):
    text = "".join(c for c in text if not is_control(c))
    size = 0
    for position, c in enumerate(text):
        size += len(c.encode())
        if size > limit:
            return text[:position]
    return text


def read_id(value):
    """The text of an id; None where there is none. READING D: neither string nor integer, or empty: none."""
    if is_integer(value):
        value = str(value)
    if not isinstance(value, str) or value == "":
        return None
    if len(value.encode()) > 256:
        raise Rejected("id-too-long")
    return value


def read_number(value, low, high, reason):
    if not is_integer(value) or not low <= value <= high:
        raise Rejected(reason)
    return value


def read_party(value, extras, missing):
    """A sender, receiver or gift: the object that commands carry (id, name and what was given of extras)."""
    if isinstance(value, str):
        value = {"id": value, "name": value}
    if not isinstance(value, dict):
        raise Rejected(missing)
    party_id = read_id(value.get("id"))
    if party_id is None and value.get("anonymous") is True and missing == "missing-sender":
        party_id = "anonymous"
    if party_id is None:
        raise Rejected(missing)
    name = value.get("name")
    name = clean(name, 256) if isinstance(name, str) else ""
    party = {"id": party_id, "name": name or party_id}
    for extra in extras:
        given = value.get(extra)
        if given is None:
            continue
        if extra == "price":
            party["price"] = read_number(given, 0, 10 ** 12, "bad-price")
        elif extra == "level":
            if is_integer(given):
                party["level"] = given
        elif isinstance(given, str):        # avatar, icon: passed through
            party[extra] = given
    return party


def read_event(element, kind):
    if not isinstance(element, dict):
        raise Rejected("unknown-type")
    if kind == "batch":
        kind = element.get("type")
        if kind not in ("gift", "comment", "like"):
            raise Rejected("unknown-type")
    event = Event()
    event.kind = kind
    event.id = read_id(element.get("id"))
    if is_integer(element.get("time")):
        event.time = element["time"]
    event.sender = read_party(element.get("sender"), ["level", "avatar"], "missing-sender")
    event.anonymous = isinstance(element["sender"], dict) and element["sender"].get("anonymous") is True
    if kind == "comment":
        text = element.get("text")
        event.text = clean(text, 2000) if isinstance(text, str) else ""
        if event.text == "":
            raise Rejected("missing-text")
        style = element.get("style")
        event.style = clean(style, 256) if isinstance(style, str) else ""
        return event
    count, total = element.get("count"), element.get("total")
    if total is not None:
        # A room's likes are far more than its gifts: their total is what fits a double exactly.
        event.total = read_number(total, 1, 2 ** 53 if kind == "like" else 1_000_000, "bad-count")
    if kind == "like":
        event.count = None
        if count is not None:
            event.count = read_number(count, 1, 1_000_000, "bad-count")
        elif total is None:
            event.count = 1                  # READING E: a like with neither counts 1, as a gift does
        return event
    if total is None and count is not None:  # with both, count is not read at all
        event.count = read_number(count, 1, 1_000_000, "bad-count")
    gift = element.get("gift")
    if gift is None:
        gift = element.get("giftName")
    event.gift = read_party(gift, ["price", "icon"], "missing-gift")
    if element.get("receiver") is not None:
        try:
            event.receiver = read_party(element["receiver"], ["level", "avatar"], "no-receiver")
        except Rejected as rejection:
            if str(rejection) != "no-receiver":
                raise                        # READING D: a receiver without an id is no receiver
    event.combo = element.get("combo") is not False
    event.streak = read_id(element.get("streak"))
    event.end = element.get("end") is True
    return event


def decode(payload, kind):
    if isinstance(payload, dict):
        payload = payload["events"] if "events" in payload else [payload]
    if not isinstance(payload, list) or len(payload) > MAX_EVENTS:
        return []                            # rejected whole
    events = []
    for element in payload:
        try:
            events.append(read_event(element, kind))
        except Rejected:
            pass
    return events


# ------------------------------------------------------------------------------------------------ engine

class Group:
    def __init__(self, number, key, single, event_objects, priority, pending, base, arrival):
        self.number = number                  # the integer of the group
        self.key = key                        # (sender id, gift id, receiver id or None)
        self.single = single                  # combo: false or anonymous: nothing joins
        self.objects = event_objects          # {"sender":…, "gift":…, "receiver"?:…} of the first event
        self.priority = priority
        self.pending = pending
        self.base = base
        self.shown = base                     # the number shown
        self.arrival = arrival
        self.shownAt = None


class Track:
    def __init__(self, index, minPriority):
        self.index = index
        self.minPriority = minPriority
        self.state = "idle"                   # idle showing counting holding hiding
        self.group = None
        self.deadline = None                  # end of the phase
        self.heldSince = None
        self.owesHold = False                 # a hold must be sent by this settle


class Streak:
    def __init__(self):
        self.last = 0
        self.arrival = None
        self.time = None
        self.stands = "open"                  # open closed ended
        self.before = None                    # last of the streak that a 1 replaced while open


class Room:
    def __init__(self, name, epoch, plan, out):
        self.name, self.epoch, self.plan, self.out = name, epoch, plan, out
        self.seqs = {}
        self.tracks = [Track(i, p) for i, p in enumerate(plan.minPriorities)]
        self.waiting = []                     # in the order of joining
        self.groupsMade = 0
        self.leftBehind = {}                  # key -> (number, until)
        self.seen = {}                        # (kind, id) -> instant
        self.streaks = {}                     # (sender, gift, receiver, streak id or None) -> Streak, by recency
        # folds
        self.foldItems = []                   # [key or None, item]
        self.foldGroups = 0
        self.foldDeadline = None
        self.lastFold = None
        # comments
        self.newComments = []
        self.skipped = 0
        self.listed = 0
        self.lastAppend = None
        self.namelessComments = 0
        self.colors = {}                      # sender id -> color, by recency
        self.colorsGiven = 0
        # likes
        self.newLikes = 0
        self.likeSum = 0
        self.likeBaseline = None
        self.likeHighest = None
        self.lastBurst = None
        self.stopAt = None
        self.lastActivity = epoch             # the last batch or timer
        # the ledger of the model's own check
        self.accepted, self.shownSum, self.foldedSum = {}, {}, {}

    def send(self, now, track, op, **members):
        self.seqs[track] = self.seqs.get(track, 0) + 1
        command = {"v": 1, "room": self.name, "track": track, "epoch": self.epoch, "seq": self.seqs[track],
                   "at": now, "op": op, **members}
        self.out(now, f"cue/{self.name}/{track}", command)

    # ---- timers

    def next_timer(self):
        """(deadline, class, index) of the timer that fires next, or None."""
        timers = [(t.deadline, 0, t.index) for t in self.tracks if t.deadline is not None]
        timers += [(g.arrival + self.plan.foldAfterMs, 1, 0) for g in self.waiting if self.folds_by_time(g)]
        if self.foldDeadline is not None:
            timers.append((self.foldDeadline, 2, 0))
        if self.newComments:
            timers.append((self.lastAppend + self.plan.flushMs, 3, 0))
        if self.newLikes:
            timers.append((self.lastBurst + self.plan.burstMs, 4, 0))
        if self.stopAt is not None:
            timers.append((self.stopAt, 5, 0))
        if not timers and self.waiting:      # READING O: what may use no track folds before the room leaves
            timers.append((self.lastActivity + ROOM_IDLE, 6, 0))
        return min(timers) if timers else None

    def fire(self, timer):
        now, kind, index = timer
        self.lastActivity = now
        if kind == 0:
            self.end_phase(self.tracks[index], now)
        elif kind == 1:
            for group in list(self.waiting):
                if self.folds_by_time(group) and group.arrival + self.plan.foldAfterMs <= now:
                    self.fold(group, now)
        elif kind == 2:
            self.send_fold(now)
        elif kind == 3:
            self.send_comments(now)
        elif kind == 4:
            self.send_burst(now)
        elif kind == 5:
            self.send(now, "like", "stop", total=self.like_total())
            self.stopAt = None
        else:
            for group in list(self.waiting):
                self.fold(group, now)
        self.settle(now)
        self.check()

    def handle(self, events, now):
        self.lastActivity = now
        for event in events:
            self.take(event, now)
            self.settle(now)
            self.check()
        plan = self.plan
        if self.newComments and (self.lastAppend is None or now - self.lastAppend >= plan.flushMs):
            self.send_comments(now)
        if self.newLikes and (self.lastBurst is None or now - self.lastBurst >= plan.burstMs):
            self.send_burst(now)
        if self.foldDeadline is not None and self.foldDeadline <= now:
            self.send_fold(now)
        self.check()

    def take(self, event, now):
        if event.id is not None:
            seen_at = self.seen.get((event.kind, event.id))
            # READING F: an id counts as seen for one hour from the instant of its first arrival; a duplicate
            # does not renew it. Ids of comments and likes are never forgotten here.
            if seen_at is not None and (event.kind != "gift" or now - seen_at < HOUR):
                return
        if event.kind == "gift":
            try:
                self.take_gift(event, now)
            except Rejected:                 # too-many-streaks. READING G: its id is not remembered
                return
        elif event.kind == "comment":
            self.take_comment(event)
        else:
            self.take_like(event)
        if event.id is not None:
            self.seen[(event.kind, event.id)] = now

    # ---- gifts: rules 1 to 3

    def take_gift(self, event, now):
        key = (event.sender["id"], event.gift["id"], event.receiver["id"] if event.receiver else None)
        delta, base = self.measure(event, key, now)
        if delta == 0:
            return
        self.accepted[key] = self.accepted.get(key, 0) + delta
        priority = self.priority(event, delta)
        single = event.anonymous or not event.combo
        if not single:
            for track in self.tracks:
                group = track.group
                if track.state in ("showing", "counting", "holding") and not group.single and group.key == key:
                    group.pending += delta
                    group.priority = max(group.priority, priority)
                    if track.state == "holding":
                        self.start_run(track, now)
                    return
            for group in self.waiting:
                if not group.single and group.key == key:
                    group.pending += delta
                    group.priority = max(group.priority, priority)
                    return
            left = self.leftBehind.get(key)
            if left is not None and now < left[1]:
                base = max(base, left[0])    # READING H: a left-behind number is used, not used up
        objects = {"sender": event.sender, "gift": event.gift}
        if event.receiver:
            objects["receiver"] = event.receiver
        self.make_group(key, single, objects, priority, delta, base, now)

    def make_group(self, key, single, objects, priority, pending, base, now):
        self.groupsMade += 1
        self.waiting.append(Group(self.groupsMade, key, single, objects, priority, pending, base, now))

    def priority(self, event, delta):
        value = min(event.gift.get("price", 0) * delta, 2 ** 63 - 1)
        for rule in self.plan.rules:
            if "minLevel" in rule and event.sender.get("level", 0) < rule["minLevel"]:
                continue
            if "senders" in rule and event.sender["id"] not in rule["senders"]:
                continue
            if "gifts" in rule and event.gift["id"] not in rule["gifts"]:
                continue
            if "minValue" in rule and value < rule["minValue"]:
                continue
            return rule.get("priority", 0)
        return 0

    def measure(self, event, key, now):
        """(delta, base) of a gift: the counting sources."""
        if event.total is None:
            return event.count, 0
        new = event.total
        memory_key = key + (event.streak,)
        streak = self.streaks.get(memory_key)
        first = streak is None
        if first:
            if len(self.streaks) >= self.plan.maxStreaks:
                oldest = next(iter(self.streaks), None)
                # READING I: for leaving, the gap is measured between arrivals.
                if oldest is None or now - self.streaks[oldest].arrival < self.plan.streakGapMs:
                    raise Rejected("too-many-streaks")
                del self.streaks[oldest]
            streak = Streak()
        else:
            del self.streaks[memory_key]     # to the recent end
        self.streaks[memory_key] = streak
        try:
            if event.streak is not None:
                if new > streak.last:
                    base, streak.last = streak.last, new
                    return new - base, base
                return 0, 0
            return self.measure_nameless(event, streak, first, now)
        finally:
            streak.arrival, streak.time = now, event.time

    def measure_nameless(self, event, streak, first, now):
        new = event.total
        if first:
            gap = None
        elif event.time is not None and streak.time is not None:
            gap = event.time - streak.time
        else:
            gap = now - streak.arrival

        def new_streak(before=None):
            streak.last, streak.stands, streak.before = new, "open", before
            return new, 0

        ends = event.end
        if first or gap >= self.plan.streakGapMs:
            result = new_streak()            # READING J: past the gap, no closing frame of the old one is awaited
        elif new == streak.last and (streak.stands == "open" or (streak.stands == "ended" and event.end)):
            streak.stands = "closed"
            result = 0, 0
        elif new == streak.last:
            result = new_streak()
        elif new == streak.before:
            streak.before = None
            ends = False
            result = 0, 0
        elif streak.stands == "ended":
            result = new_streak()
        elif new < streak.last and (new == 1 or streak.stands == "closed"):   # READING K: the comma
            result = new_streak(before=streak.last if new == 1 and streak.stands == "open" else None)
        elif new > streak.last:
            result = new - streak.last, streak.last
            streak.last, streak.stands = new, "open"
        else:
            result = 0, 0
        if ends:
            streak.stands = "ended"
        return result

    # ---- gifts: rule 4, settle

    def settle(self, now):
        self.fill(now)
        self.shorten(now)
        while len(self.waiting) > self.plan.maxWaiting:
            order = [(g.priority, g.arrival, position) for position, g in enumerate(self.waiting)]
            self.fold(self.waiting[min(order)[2]], now)

    def could_use(self, group, track):
        return group.priority >= track.minPriority

    def effective(self, group, now):
        aged = (now - group.arrival) // self.plan.agingMs if self.plan.agingMs > 0 else 0
        return min(9, group.priority + aged)

    def fill(self, now):
        while True:
            idle = [t for t in self.tracks if t.state == "idle"]
            candidates = [(-self.effective(g, now), g.arrival, position)
                          for position, g in enumerate(self.waiting) if any(self.could_use(g, t) for t in idle)]
            if not candidates:
                return
            group = self.waiting.pop(min(candidates)[2])
            usable = [(-t.minPriority, t.index) for t in idle if self.could_use(group, t)]
            self.start_show(self.tracks[min(usable)[1]], group, now)

    def shorten(self, now):
        holding = sorted((t for t in self.tracks if t.state == "holding"), key=lambda t: (t.heldSince, t.index))
        shortened = 0
        for track in holding:
            users = sum(1 for g in self.waiting if self.could_use(g, track))
            if users > shortened:
                shortened += 1               # READING L: counts even where until did not change
                until = min(track.deadline, max(now, track.heldSince + self.paced(self.plan.holdBusyMs)))
                if until != track.deadline:
                    track.deadline = until
                    track.owesHold = True
            if track.owesHold:
                track.owesHold = False
                self.send(now, f"gift/{track.index}", "hold", group=track.group.number, count=track.group.shown,
                          until=track.deadline)

    def paced(self, length):
        waiting, tracks = len(self.waiting), len(self.tracks)
        if waiting <= tracks:
            return length
        return length * max(self.plan.minPacePermille, 1000 * tracks // waiting) // 1000

    # ---- gifts: the phases, rules 5 to 8

    def run_length(self, count):
        step, catchUp = self.paced(self.plan.stepMs), self.paced(self.plan.catchUpMs)
        return min(count * step, max(step, catchUp))

    def start_show(self, track, group, now):
        length = self.paced(self.plan.showMs)
        first_run = 1 if self.plan.perStep else group.pending
        track.state, track.group, track.deadline, group.shownAt = "showing", group, now + length, now
        self.send(now, f"gift/{track.index}", "show", group=group.number, **group.objects, combo=not group.single,
                  base=group.base, priority=group.priority, durationMs=length,
                  until=now + length + self.run_length(first_run) + self.plan.holdMs)

    def start_run(self, track, now):
        group = track.group
        count = 1 if self.plan.perStep else group.pending
        length = self.run_length(count)
        group.pending -= count
        start, group.shown = group.shown, group.shown + count
        self.shownSum[group.key] = self.shownSum.get(group.key, 0) + count
        track.state, track.deadline, track.heldSince = "counting", now + length, None
        self.send(now, f"gift/{track.index}", "count", group=group.number, **{"from": start}, to=group.shown,
                  durationMs=length, until=now + length + self.plan.holdMs)

    def end_phase(self, track, now):
        group = track.group
        if track.state == "showing":
            self.start_run(track, now)
        elif track.state == "counting":
            if self.is_overdue(track, now):
                track.heldSince = now
                self.hide(track, "cut", now)
                if group.pending > 0:
                    pending, group.pending = group.pending, 0
                    self.make_group(group.key, group.single, group.objects, group.priority, pending, group.shown, now)
            elif group.pending > 0:
                self.start_run(track, now)
            else:
                track.state, track.heldSince = "holding", now
                track.deadline, track.owesHold = now + self.plan.holdMs, True
        elif track.state == "holding":
            self.hide(track, "expired", now)
        else:
            track.state, track.group, track.deadline, track.heldSince = "idle", None, None, None

    def is_overdue(self, track, now):
        longest = self.plan.maxGroupMs
        return (longest > 0 and now - track.group.shownAt >= longest
                and any(self.could_use(g, track) for g in self.waiting))

    def hide(self, track, reason, now):
        group, length = track.group, self.paced(self.plan.hideMs)
        until = track.heldSince + self.plan.holdMs
        if self.plan.leaveNumber and not group.single and now < until:
            self.leftBehind[group.key] = (group.shown, until)
        track.state, track.deadline = "hiding", now + length
        self.send(now, f"gift/{track.index}", "hide", group=group.number, count=group.shown, reason=reason,
                  durationMs=length)

    # ---- folds

    def folds_by_time(self, group):
        return self.plan.foldAfterMs > 0 and group.priority < self.plan.protectPriority

    def fold(self, group, now):
        self.waiting.remove(group)
        self.foldGroups += 1
        self.foldedSum[group.key] = self.foldedSum.get(group.key, 0) + group.pending
        for key, item in self.foldItems:
            if not group.single and key == group.key:
                item["count"] += group.pending
                break
        else:
            self.foldItems.append((None if group.single else group.key, {**group.objects, "count": group.pending}))
        group.pending = 0
        if self.foldDeadline is None:
            self.foldDeadline = now if self.lastFold is None else max(now, self.lastFold + self.plan.foldEveryMs)
        if len(self.foldItems) >= self.plan.maxFoldItems:
            self.send_fold(now)

    def send_fold(self, now):
        items = [item for _, item in self.foldItems]
        self.send(now, "gift/fold", "fold", groups=self.foldGroups, gifts=sum(i["count"] for i in items),
                  senders=len({i["sender"]["id"] for i in items}), items=items)
        self.foldItems, self.foldGroups, self.foldDeadline, self.lastFold = [], 0, None, now

    # ---- comments

    def take_comment(self, event):
        comment_id = event.id
        if comment_id is None:
            self.namelessComments += 1
            comment_id = f"lc-{self.epoch}-{self.namelessComments}"
        item = {"id": comment_id, "sender": event.sender, "color": self.color(event.sender["id"]),
                "text": event.text}
        if event.style:
            item["style"] = event.style
        self.newComments.append(item)
        if len(self.newComments) > self.plan.maxItems:
            self.newComments.pop(0)
            self.skipped += 1

    def color(self, sender):
        color = self.colors.pop(sender, None)
        if color is None:
            color = self.plan.colors[self.colorsGiven % len(self.plan.colors)]
            self.colorsGiven += 1
            if len(self.colors) >= COLOR_SENDERS:
                del self.colors[next(iter(self.colors))]
        self.colors[sender] = color
        return color

    def send_comments(self, now):
        items, self.newComments = self.newComments, []
        skipped, self.skipped = self.skipped, 0
        evicted = max(0, self.listed + len(items) - self.plan.maxItems)
        self.listed += len(items) - evicted
        self.lastAppend = now
        self.send(now, "comment", "append", items=items, evicted=evicted, skipped=skipped)

    # ---- likes

    def take_like(self, event):
        total, baseline = event.total, self.likeBaseline
        if event.count is not None:
            count = event.count
            if total is not None:
                self.likeBaseline = total    # READING M: with both, count counts, and total is the last total
            elif baseline is not None:
                self.likeBaseline = baseline + count
        else:
            count = total - baseline if baseline is not None and total > baseline else 0
            self.likeBaseline = total
        if total is not None:
            if self.likeHighest is None or total > self.likeHighest or 2 * total < self.likeHighest:
                self.likeHighest = total
        self.likeSum += count
        self.newLikes += count

    def like_total(self):
        return self.likeSum if self.likeHighest is None else self.likeHighest

    def send_burst(self, now):
        count, self.newLikes = self.newLikes, 0
        self.lastBurst, self.stopAt = now, now + self.plan.showerMs
        self.send(now, "like", "burst", count=count, total=self.like_total(),
                  particles=min(count, self.plan.maxParticles), until=self.stopAt)

    # ---- what must always hold

    def check(self):
        unshown, live, collected = {}, [], {}
        for group in self.waiting + [t.group for t in self.tracks if t.group is not None]:
            unshown[group.key] = unshown.get(group.key, 0) + group.pending
        for key, accepted in self.accepted.items():
            kept = self.shownSum.get(key, 0) + self.foldedSum.get(key, 0) + unshown.get(key, 0)
            assert accepted == kept, f"conservation: {self.name} {key}: {accepted} accepted, {kept} kept"
        live = [g.key for g in self.waiting if not g.single]
        live += [t.group.key for t in self.tracks
                 if t.state in ("showing", "counting", "holding") and not t.group.single]
        assert len(live) == len(set(live)), f"a key is live twice: {live}"
        assert len(self.waiting) <= self.plan.maxWaiting, "the bound"
        for track in self.tracks:
            assert not track.owesHold, "a hold is owed after the settle"
            assert (track.state == "idle") == (track.group is None) == (track.deadline is None)
            if track.state in ("holding", "hiding"):
                assert track.group.pending == 0, "pending on a track that does not count"
            if track.state == "idle":
                assert not any(self.could_use(g, track) for g in self.waiting), "an idle track that one could use"


class Service:
    """All rooms; commands go to `write` as (at, topic, command)."""

    def __init__(self, settings, write):
        self.plan = Plan(settings)
        self.rooms = {}                       # in the order of first appearance
        self.now = None
        self.write = write
        self.lastSeq, self.lastAt = {}, None

    def out(self, at, topic, command):
        assert command["seq"] == self.lastSeq.get(topic, 0) + 1, f"seq of {topic}: {command}"
        assert self.lastAt is None or at >= self.lastAt, f"time runs backwards: {command}"
        self.lastSeq[topic], self.lastAt = command["seq"], at
        self.write({"at": at, "topic": topic, "payload": command})

    def advance(self, limit):
        """Fires every timer with a deadline of at most limit (None: every timer)."""
        while True:
            timers = []
            for order, room in enumerate(self.rooms.values()):
                timer = room.next_timer()
                if timer is not None and (limit is None or timer[0] <= limit):
                    timers.append((timer[0], order, timer, room))
            if not timers:
                return
            _, _, timer, room = min(timers, key=lambda t: t[:2])
            room.fire(timer)

    def line(self, line):
        at = line["at"]
        self.now = at if self.now is None else max(self.now, at)
        self.advance(self.now)
        levels = line["topic"].split("/")
        if len(levels) != 3 or levels[0] != "im" or levels[2] not in ("gift", "comment", "like", "batch"):
            return
        name = levels[1]
        if not 1 <= len(name.encode()) <= 128 or any(c in "+#" or is_control(c) for c in name):
            return
        events = decode(mend_surrogates(line["payload"]), levels[2])
        if name not in self.rooms:
            if not events:
                return                       # READING N: a room is born by its first valid event
            self.rooms[name] = Room(name, self.now, self.plan, self.out)
        self.rooms[name].handle(events, self.now)


def run(settings, lines):
    """The commands that a list of input lines makes."""
    commands = []
    service = Service(settings, commands.append)
    for line in lines:
        service.line(line)
    service.advance(None)
    return commands


def main(arguments):
    settings = {}
    if arguments[:1] == ["--settings"] and len(arguments) == 2:
        with open(arguments[1], encoding="utf-8") as file:
            settings = json.load(file, parse_float=Decimal)
    elif arguments:
        print("usage: model.py [--settings FILE] < input.jsonl", file=sys.stderr)
        return 2
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    sys.stdout.reconfigure(encoding="utf-8")
    service = Service(settings, lambda line: print(json.dumps(line, ensure_ascii=False, separators=(",", ":"))))
    for text in sys.stdin:
        if text.strip():
            service.line(json.loads(text))
    service.advance(None)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
