"""Snapshots (DESIGN.md, section 4): the room's visible state, for a renderer that joins late."""

RESYNC_MS = 50                                # at most 20 a second


class Snapshot:
    def begin_snapshot(self):
        self.lastSnapshot = None
        self.changedAt = None                 # the first change that no snapshot shows
        self.wanted = None                    # when a snapshot is due that a renderer asked for

    def changed(self, now):
        """READING T: whatever a room handles changes it."""
        if self.changedAt is None:
            self.changedAt = now

    def wants_snapshot(self, now):
        if self.wanted is None:
            self.wanted = now if self.lastSnapshot is None else max(now, self.lastSnapshot + RESYNC_MS)

    def send_wanted(self, now):
        if self.wanted is not None and self.wanted <= now:
            self.send_snapshot(now)

    def snapshot_due(self):
        due = []
        if self.changedAt is not None and self.plan.snapshotMs > 0:
            due.append(self.changedAt + self.plan.snapshotMs)
        if self.wanted is not None:
            due.append(self.wanted)
        return min(due, default=None)

    def send_snapshot(self, now):
        self.lastSnapshot, self.changedAt, self.wanted = now, None, None
        self.publish(now, "snapshot", {"v": 1, "room": self.name, "epoch": self.epoch, "at": now, "now": now,
                                       **self.look()})

    def look(self):
        seq = lambda topic: {"seq": self.seqs.get(topic, 0)}
        return {
            "tracks": [self.track_seen(t) for t in self.tracks], "fold": seq("gift/fold"),
            "stage": {**seq("stage"), **self.stage_seen()}, "comment": {**seq("comment"), **self.comments_seen()},
            "like": {**seq("like"), **self.likes_seen()}, "click": seq("click"), "waiting": len(self.waiting),
            "paused": dict(self.paused)}

    def track_seen(self, track):
        seen = {"track": track.topic, "seq": self.seqs.get(track.topic, 0), "state": track.state}
        if track.state != "idle":
            seen.update(since=track.since, durationMs=track.deadline - track.since, number=track.group.shown,
                        show=track.show)
        if track.state == "counting":
            seen["count"] = track.count
        if track.state == "holding":
            seen["hold"] = {"count": track.group.shown, "until": track.deadline}
        return seen
