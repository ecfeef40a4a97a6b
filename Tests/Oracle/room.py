"""A room (DESIGN.md, section 4): the time rule, and what must always hold."""
from comments import Comments
from control import PARTS, Control
from counting import Counting
from decoding import Rejected
from folds import Folds
from likes import Likes
from snapshot import Snapshot
from stage import Stage
from tracks import LIVE, GiftTracks

HOUR = 3_600_000
ROOM_IDLE = 2 * HOUR
IDLE, SNAPSHOT = 7, 8                         # the last classes of timers


class Room(GiftTracks, Folds, Counting, Comments, Likes, Stage, Control, Snapshot):
    def __init__(self, name, epoch, plan, out):
        self.name, self.epoch, self.plan, self.out = name, epoch, plan, out
        self.seqs = {}
        self.seen = {}                        # (kind, id) -> instant
        self.lastActivity = epoch             # the last batch or timer
        self.left = False
        # The ledger of the model's own check, by (sender, gift, receiver, test).
        self.accepted, self.shownSum, self.foldedSum, self.mutedSum = {}, {}, {}, {}
        self.begin_gifts()
        self.begin_folds()
        self.begin_counting()
        self.begin_comments()
        self.begin_likes()
        self.begin_stage()
        self.begin_control()
        self.begin_snapshot()

    @staticmethod
    def add(ledger, key, count):
        ledger[key] = ledger.get(key, 0) + count

    def publish(self, now, topic, payload):
        self.out(now, f"cue/{self.name}/{topic}", payload)

    def send(self, now, track, op, **members):
        self.seqs[track] = self.seqs.get(track, 0) + 1
        self.publish(now, track, {"v": 1, "room": self.name, "track": track, "epoch": self.epoch,
                                  "seq": self.seqs[track], "at": now, "op": op, **members})

    # ---- timers

    def timers(self):
        """(deadline, class, index) of every timer; classes in the order of the time rule."""
        timers = []
        if not self.stands("gift"):
            timers += [(t.deadline, 0, t.index) for t in self.tracks if t.deadline is not None]
            timers += [(g.arrival + self.plan.foldAfterMs, 2, 0) for g in self.waiting if self.folds_by_time(g)]
            if self.foldDeadline is not None:
                timers.append((self.foldDeadline, 3, 0))
        if self.playing is not None and not self.stands("stage"):
            timers.append((self.playing.deadline, 1, 0))
        if self.comments_due() is not None:
            timers.append((self.comments_due(), 4, 0))
        if self.burst_due() is not None:
            timers.append((self.burst_due(), 5, 0))
        if self.stopAt is not None and not self.stands("like"):
            timers.append((self.stopAt, 6, 0))
        if not timers:
            timers.append((self.lastActivity + ROOM_IDLE, IDLE, 0))
        if self.snapshot_due() is not None:
            timers.append((self.snapshot_due(), SNAPSHOT, 0))
        return timers

    def is_busy(self):
        """Something waits or shows."""
        return bool(self.waiting or any(t.group for t in self.tracks) or self.foldItems or self.playing or self.plays
                    or self.newComments or self.newLikes or self.stopAt is not None)

    def idle(self, now):
        """READING O: nothing happened for long. What may use no track folds, and what a pause keeps goes on; a room
        without either leaves."""
        if not self.is_busy():
            self.left = True
            if self.lastSnapshot is not None:
                self.publish(now, "snapshot", {})
            return
        if self.paused:
            self.resume(PARTS, now)
        else:
            for group in list(self.waiting):
                self.fold_waiting(group, now)
        self.settle(now)

    def fire(self, timer):
        now, kind, index = timer
        if kind == SNAPSHOT:
            self.send_snapshot(now)
            return
        if kind == IDLE:
            self.lastActivity = now
            self.idle(now)
            return
        self.lastActivity = now
        if kind == 0:
            self.end_phase(self.tracks[index], now)
        elif kind == 1:
            self.end_play("expired", now)
        elif kind == 2:
            for group in list(self.waiting):
                if self.folds_by_time(group) and group.arrival + self.plan.foldAfterMs <= now:
                    self.fold_waiting(group, now)
        elif kind == 3:
            self.send_fold(now)
        elif kind == 4:
            self.send_comments(now)
        elif kind == 5:
            self.send_burst(now)
        else:
            self.send_stop(now)
        self.settle(now)

    def settle(self, now):
        self.settle_gifts(now)
        self.settle_stage(now)
        self.check()
        self.changed(now)

    def send_paced(self, now):
        """What the paced tracks may send after a batch: comments, likes, folds."""
        if self.comments_due() is not None and self.comments_due() <= now:
            self.send_comments(now)
        if self.burst_due() is not None and self.burst_due() <= now:
            self.send_burst(now)
        if self.foldDeadline is not None and self.foldDeadline <= now and not self.stands("gift"):
            self.send_fold(now)
        self.settle(now)

    def handle(self, events, now):
        self.lastActivity = now
        for event in events:
            self.take(event, now)
            self.settle(now)
        self.send_paced(now)

    def take(self, event, now, test=False):
        # READING P: a test is neither a duplicate nor remembered.
        if event.id is not None and not test:
            seen_at = self.seen.get((event.kind, event.id))
            # READING F: an id counts as seen for one hour from the instant of its first arrival; a duplicate
            # does not renew it. Ids of comments and likes are never forgotten here.
            if seen_at is not None and (event.kind != "gift" or now - seen_at < HOUR):
                return
        if event.kind == "gift":
            try:
                self.take_gift(event, now, test)
            except Rejected:                 # too-many-streaks. READING G: its id is not remembered
                return
        elif event.kind == "comment":
            self.take_comment(event, test)
        else:
            self.take_like(event, test)
        if event.id is not None and not test:
            self.seen[(event.kind, event.id)] = now

    # ---- what must always hold

    def check(self):
        kept, live = {}, [g for g in self.waiting if not g.single]
        for group in self.waiting + [t.group for t in self.tracks if t.group is not None]:
            self.add(kept, group.key, group.pending)
        for ledger in (self.shownSum, self.foldedSum, self.mutedSum):
            for key, count in ledger.items():
                self.add(kept, key, count)
        for key in set(kept) | set(self.accepted):
            assert self.accepted.get(key, 0) == kept.get(key, 0), \
                f"conservation: {self.name} {key}: {self.accepted.get(key)} accepted, {kept.get(key)} kept"
        live += [t.group for t in self.tracks if t.state in LIVE and not t.group.single]
        assert len(live) == len({g.key for g in live}), f"a key is live twice: {[g.key for g in live]}"
        assert len(self.waiting) <= self.plan.maxWaiting, "the bound"
        assert len(self.plays) <= self.plan.maxStage, "the bound of the stage"
        assert len(self.list) <= self.plan.maxItems, "the bound of the list"
        for sender in self.muted:
            assert all(g.key[0] != sender or g.key[3] for g in self.waiting), "a muted sender's gift waits"
        stands = self.stands("gift")
        for track in self.tracks:
            assert stands or not track.owesHold, "a hold is owed after the settle"
            assert (track.state == "idle") == (track.group is None) == (track.deadline is None)
            if track.state == "hiding" or track.state == "holding" and not stands:
                assert track.group.pending == 0, "pending on a track that does not count"
            if track.state == "idle" and not stands:
                assert not any(self.could_use(g, track) for g in self.waiting), "an idle track that one could use"
