"""Counting sources (DESIGN.md, section 4): what a gift's `count` or `total` adds."""
from decoding import Rejected


class Streak:
    def __init__(self):
        self.last = 0
        self.arrival = None
        self.time = None
        self.stands = "open"                  # open closed ended
        self.before = None                    # last of the streak that a 1 replaced while open


class Counting:
    def begin_counting(self):
        self.streaks = {}                     # (sender, gift, receiver, streak id or None) -> Streak, by recency

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
