"""The shower of hearts (DESIGN.md, section 4)."""


class Likes:
    def begin_likes(self):
        self.newLikes = 0
        self.newAreTests = True               # all that is new is of tests
        self.likeSum = 0
        self.likeBaseline = None
        self.likeHighest = None
        self.lastBurst = None
        self.burst = None                     # the members of the burst that falls
        self.stopAt = None

    def take_like(self, event, test):
        if test:
            # READING P: a test's likes fall, and count in no total; a total alone is its count.
            self.newLikes += event.count or event.total
            return
        if event.sender["id"] in self.muted:
            return
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
        if count > 0:
            self.newAreTests = False

    def like_total(self):
        return self.likeSum if self.likeHighest is None else self.likeHighest

    def burst_due(self):
        if not self.newLikes or self.stands("like"):
            return None
        return self.not_before(self.lastBurst, self.plan.burstMs)

    def send_burst(self, now):
        count, self.newLikes = self.newLikes, 0
        mark, self.newAreTests = ({"test": True} if self.newAreTests else {}), True
        self.lastBurst, self.stopAt = now, now + self.plan.showerMs
        self.burst = dict(count=count, particles=min(count, self.plan.maxParticles), until=self.stopAt, **mark)
        self.send(now, "like", "burst", total=self.like_total(), **self.burst)

    def send_stop(self, now):
        self.stopAt = self.burst = None
        self.send(now, "like", "stop", total=self.like_total())

    def clear_likes(self, now):
        self.newLikes, self.newAreTests = 0, True
        if self.stopAt is not None:
            self.send_stop(now)

    def shift_likes(self, length):
        if self.lastBurst is not None:
            self.lastBurst += length
        if self.stopAt is not None:
            self.stopAt += length
            self.burst = {**self.burst, "until": self.stopAt}

    def resume_likes(self, now):
        self.send(now, "like", "resume")
        if self.burst is not None:
            self.send(now, "like", "burst", total=self.like_total(), **self.burst)

    def likes_seen(self):
        return {"total": self.like_total(), **({"burst": self.burst} if self.burst is not None else {})}
