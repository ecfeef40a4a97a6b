"""The stage (DESIGN.md, section 4): the single full-screen track for big gifts."""


class Play:
    def __init__(self, number, key, single, objects, rule, count, arrival):
        self.number, self.key, self.single, self.objects, self.arrival = number, key, single, objects, arrival
        self.count = count
        self.obey(rule)
        self.mark = {"test": True} if key[3] else {}
        self.deadline = None

    def obey(self, rule):
        self.priority, self.asset, self.length = rule.get("priority", 0), rule["asset"], rule.get("durationMs", 6000)

    def members(self):
        return dict(group=self.number, **self.objects, count=self.count, asset=self.asset, durationMs=self.length,
                    deadline=self.deadline, **self.mark)


class Stage:
    def begin_stage(self):
        self.playing = None
        self.plays = []                       # those that wait, in the order of joining

    def take_stage(self, key, single, objects, rule, count, now):
        for play in self.plays:
            if not single and not play.single and play.key == key:
                play.count += count
                # READING S: what is merged is played as its gift of highest priority says, of equals the first.
                if rule.get("priority", 0) > play.priority:
                    play.obey(rule)
                return
        self.groupsMade += 1
        self.plays.append(Play(self.groupsMade, key, single, objects, rule, count, self.clock("stage", now)))

    def settle_stage(self, now):
        if self.playing is None and self.plays and not self.stands("stage"):
            order = [(-p.priority, p.arrival, position) for position, p in enumerate(self.plays)]
            self.playing = self.plays.pop(min(order)[2])
            self.playing.deadline = now + self.playing.length
            self.send(now, "stage", "play", **self.playing.members())
        while len(self.plays) > self.plan.maxStage:
            order = [(p.priority, p.arrival, position) for position, p in enumerate(self.plays)]
            del self.plays[min(order)[2]]

    def end_play(self, reason, now):
        play, self.playing = self.playing, None
        self.send(now, "stage", "end", group=play.number, reason=reason)

    def skip_stage(self, now, reason="skipped"):
        if self.playing is not None:
            self.end_play(reason, now)

    def clear_stage(self, now):
        self.plays = []
        self.skip_stage(now, "cleared")

    def mute_stage(self, sender, now):
        self.plays = [p for p in self.plays if p.key[0] != sender or p.key[3]]
        if self.playing is not None and self.playing.key[0] == sender and not self.playing.key[3]:
            self.skip_stage(now)

    def shift_stage(self, length):
        for play in self.plays:
            play.arrival += length
        if self.playing is not None:
            self.playing.deadline += length

    def resume_stage(self, now):
        self.send(now, "stage", "resume")
        if self.playing is not None:
            self.send(now, "stage", "play", **self.playing.members())

    def stage_seen(self):
        return {"waiting": len(self.plays), **({"play": self.playing.members()} if self.playing is not None else {})}
