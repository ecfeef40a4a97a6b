"""Gift tracks (DESIGN.md, section 4, rules 1 to 10)."""

LIVE = ("showing", "counting", "holding")


class Group:
    def __init__(self, number, key, single, objects, priority, pending, base, arrival, test=False):
        self.number = number                  # the integer of the group
        self.key = key                        # (sender id, gift id, receiver id or None, test)
        self.single = single                  # combo: false or anonymous: nothing joins
        self.objects = objects                # {"sender":…, "gift":…, "receiver"?:…} of the first event
        self.priority = priority
        self.pending = pending
        self.base = base
        self.shown = base                     # the number shown
        self.arrival = arrival
        self.shownAt = None
        self.mark = {"test": True} if test else {}


class Track:
    def __init__(self, index, minPriority):
        self.index = index
        self.topic = f"gift/{index}"
        self.minPriority = minPriority
        self.state = "idle"                   # idle showing counting holding hiding
        self.group = None
        self.since = self.deadline = None     # begin and end of the phase
        self.heldSince = None
        self.owesHold = False                 # a hold must be sent by this settle
        self.show = self.count = None         # the members of the commands that a snapshot repeats

    def enter(self, state, since, length):
        self.state, self.since, self.deadline = state, since, since + length


class GiftTracks:
    def begin_gifts(self):
        self.tracks = [Track(i, p) for i, p in enumerate(self.plan.minPriorities)]
        self.waiting = []                     # in the order of joining
        self.groupsMade = 0
        self.leftBehind = {}                  # key -> (number, until)

    # ---- rules 1 to 3

    def take_gift(self, event, now, test):
        key = (event.sender["id"], event.gift["id"], event.receiver["id"] if event.receiver else None, test)
        # READING P: a test goes past the memory of streaks; its total is all its own.
        delta, base = (event.total or event.count, 0) if test else self.measure(event, key[:3], now)
        if delta == 0:
            return
        self.add(self.accepted, key, delta)
        if not test and event.sender["id"] in self.muted:
            self.add(self.mutedSum, key, delta)
            return
        clock = self.clock("gift", now)
        rule = self.rule(event, delta)
        priority = rule.get("priority", 0)
        single = event.anonymous or not event.combo
        objects = {"sender": event.sender, "gift": event.gift}
        if event.receiver:
            objects["receiver"] = event.receiver
        group = None if single else self.joinable(key)
        if group is not None:
            group.pending += delta
            group.priority = max(group.priority, priority)
        else:
            left = self.leftBehind.get(key)
            if not single and left is not None and clock < left[1]:
                base = max(base, left[0])    # READING H: a left-behind number is used, not used up
            self.make_group(key, single, objects, priority, delta, base, clock)
        if "asset" in rule and rule["asset"]:
            self.take_stage(key, single, objects, rule, delta, now)

    def joinable(self, key):
        """The group that a gift of key joins: on a track, where a held one runs again, or waiting."""
        for track in self.tracks:
            group = track.group
            if track.state in LIVE and not group.single and group.key == key:
                return group
        for group in self.waiting:
            if not group.single and group.key == key:
                return group
        return None

    def make_group(self, key, single, objects, priority, pending, base, now):
        self.groupsMade += 1
        self.waiting.append(Group(self.groupsMade, key, single, objects, priority, pending, base, now, key[3]))

    def rule(self, event, delta):
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
            return rule
        return {}

    # ---- rule 4, settle

    def settle_gifts(self, now):
        if not self.stands("gift"):
            for track in self.tracks:
                if track.state == "holding" and track.group.pending > 0:
                    track.owesHold = False
                    self.start_run(track, now)
            self.fill(now)
            self.shorten(now)
        # READING Q: the bound holds in a pause too.
        while len(self.waiting) > self.plan.maxWaiting:
            order = [(g.priority, g.arrival, position) for position, g in enumerate(self.waiting)]
            self.fold_waiting(self.waiting[min(order)[2]], now)

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
                self.send_hold(track, now)

    def send_hold(self, track, now):
        self.send(now, track.topic, "hold", group=track.group.number, count=track.group.shown, until=track.deadline)

    def paced(self, length):
        waiting, tracks = len(self.waiting), len(self.tracks)
        if waiting <= tracks:
            return length
        return length * max(self.plan.minPacePermille, 1000 * tracks // waiting) // 1000

    # ---- the phases, rules 5 to 8

    def run_length(self, count):
        step, catchUp = self.paced(self.plan.stepMs), self.paced(self.plan.catchUpMs)
        return min(count * step, max(step, catchUp))

    def start_show(self, track, group, now):
        length = self.paced(self.plan.showMs)
        first_run = 1 if self.plan.perStep else group.pending
        track.group, group.shownAt = group, now
        track.enter("showing", now, length)
        track.show = dict(group=group.number, **group.objects, combo=not group.single, base=group.base,
                          priority=group.priority, durationMs=length,
                          until=now + length + self.run_length(first_run) + self.plan.holdMs, **group.mark)
        self.send(now, track.topic, "show", **track.show)

    def start_run(self, track, now):
        group = track.group
        count = 1 if self.plan.perStep else group.pending
        length = self.run_length(count)
        group.pending -= count
        start, group.shown = group.shown, group.shown + count
        self.add(self.shownSum, group.key, count)
        track.enter("counting", now, length)
        track.heldSince = None
        track.count = {"from": start, "to": group.shown, "durationMs": length,
                       "until": now + length + self.plan.holdMs}
        self.send(now, track.topic, "count", group=group.number, **track.count)

    def end_phase(self, track, now):
        group = track.group
        if track.state == "showing":
            self.start_run(track, now)
        elif track.state == "counting":
            if self.is_overdue(track, now):
                self.hide(track, "cut", now)
                if group.pending > 0:
                    pending, group.pending = group.pending, 0
                    self.make_group(group.key, group.single, group.objects, group.priority, pending, group.shown, now)
            elif group.pending > 0:
                self.start_run(track, now)
            else:
                track.enter("holding", now, self.plan.holdMs)
                track.heldSince, track.owesHold = now, True
        elif track.state == "holding":
            self.hide(track, "expired", now)
        else:
            track.state, track.group, track.since, track.deadline, track.heldSince = "idle", None, None, None, None

    def is_overdue(self, track, now):
        longest = self.plan.maxGroupMs
        return (longest > 0 and now - track.group.shownAt >= longest
                and any(self.could_use(g, track) for g in self.waiting))

    def hide(self, track, reason, now):
        """The group hides: now is the instant of the command, which a pause tells from the parts' clock."""
        group, length, clock = track.group, self.paced(self.plan.hideMs), self.clock("gift", now)
        # READING R: a group that never held counts as held since now where it hides early.
        until = (clock if track.heldSince is None else track.heldSince) + self.plan.holdMs
        if self.plan.leaveNumber and not group.single and clock < until and self.leaves_number(group, reason):
            self.leftBehind[group.key] = (group.shown, until)
        track.enter("hiding", clock, length)
        track.owesHold = False
        self.send(now, track.topic, "hide", group=group.number, count=group.shown, reason=reason, durationMs=length)

    def leaves_number(self, group, reason):
        # READING R: what is cleared leaves no number, and what has shown none has none to leave.
        return reason != "cleared" and group.shown > 0

    # ---- by hand

    def skip_gift(self, track, now, reason="skipped", keep=None):
        """The group of a track hides at once; what is pending folds, or goes where keep says."""
        if track.state not in LIVE:
            return
        group = track.group
        pending, group.pending = group.pending, 0
        self.hide(track, reason, now)
        if pending > 0:
            if keep is None:
                self.fold(group, pending, now)
            else:
                self.add(keep, group.key, pending)

    def clear_gifts(self, now):
        for group in list(self.waiting):
            self.fold_waiting(group, now)
        for track in self.tracks:
            self.skip_gift(track, now, "cleared")
        self.leftBehind = {}

    def mute_gifts(self, sender, now):
        for group in list(self.waiting):
            if group.key[0] == sender and not group.key[3]:
                self.waiting.remove(group)
                self.add(self.mutedSum, group.key, group.pending)
        for track in self.tracks:
            if track.group is not None and track.group.key[0] == sender and not track.group.key[3]:
                self.skip_gift(track, now, keep=self.mutedSum)

    def shift_gifts(self, length):
        """Every instant of the gift tracks moves: a pause of that length is over."""
        for track in self.tracks:
            if track.state == "idle":
                continue
            track.since += length
            track.deadline += length
            track.group.shownAt += length
            if track.heldSince is not None:
                track.heldSince += length
            track.show = {**track.show, "until": track.show["until"] + length}
            if track.count is not None:
                track.count = {**track.count, "until": track.count["until"] + length}
        for group in self.waiting:
            group.arrival += length
        self.leftBehind = {key: (number, until + length) for key, (number, until) in self.leftBehind.items()}
        if self.foldDeadline is not None:
            self.foldDeadline += length
        if self.lastFold is not None:
            self.lastFold += length

    def resume_gifts(self, now):
        for track in self.tracks:
            self.send(now, track.topic, "resume")
        self.send(now, "gift/fold", "resume")
        for track in self.tracks:
            if track.state == "holding" and track.group.pending == 0:
                track.owesHold = True        # sent by the settle, with what the queue makes of it
