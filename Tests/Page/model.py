"""What a room's commands say is on its tracks: a second reading of the design, to hold the page against."""

import bisect
import itertools
import json
import math
import threading
import urllib.request


class Commands(threading.Thread):
    """A room's commands and snapshots, read from its stream."""

    def __init__(self, address, room, tracks="gift,comment,like,stage"):
        super().__init__(daemon=True)
        self.stream = urllib.request.urlopen(f"{address}rooms/{room}/events?tracks={tracks}")
        self.all = []
        self.snapshots = []
        self.start()

    def run(self):
        event = ""
        for line in self.stream:
            if line.startswith(b"event: "):
                event = line[7:].strip().decode()
            elif line.startswith(b"data: ") and event in ("command", "snapshot"):
                (self.all if event == "command" else self.snapshots).append(json.loads(line[6:]))


    def sequences(self):
        """The last numbers of the gift tracks."""
        numbers = {}
        for command in list(self.all):
            if command["track"].startswith("gift/"):
                numbers[command["track"]] = max(command["seq"], numbers.get(command["track"], 0))
        return numbers


class Tracks:
    """The gift tracks at any instant that the commands cover."""

    def __init__(self, commands):
        self.shows, self.parts = {}, {}
        for command in sorted(commands, key=lambda command: command["seq"]):
            if not command["track"].startswith("gift/") or command["op"] not in ("show", "count", "hold", "hide"):
                continue
            if command["op"] == "show":
                self.shows.setdefault(command["track"], []).append(command)
            self.parts.setdefault((command["track"], command["group"]), []).append(command)

    def banner(self, track, now, known=math.inf):
        """The group on a track and its number, or None, for who knows the commands of before `known` only."""
        shows = [show for show in self.shows.get(track, []) if show["at"] <= now and show["at"] < known]
        if not shows:
            return None
        show = shows[-1]
        number = show["base"]
        for part in self.parts[track, show["group"]]:
            if part["at"] > now or part["at"] >= known:
                break
            if part["op"] == "count":
                share = (now - part["at"]) / part["durationMs"] if part["durationMs"] else 1
                steps = part["to"] - part["from"]
                number = min(part["to"], part["from"] + int(share * steps) + 1)
            elif part["op"] == "hold":
                number = part["count"]
            elif part["op"] == "hide" and now >= part["at"] + part["durationMs"]:
                return None
        return show["group"], number

    def allows(self, track, shown, now, known):
        """True if what is shown is right. A few milliseconds are the error of the clock; of the commands of the last
        known instant some may not have come yet."""
        around = [self.banner(track, now + error, instant)
                  for error in range(-20, 21, 5) for instant in (known, known + 1)]
        if shown is None:
            return None in around
        numbers = [banner[1] for banner in around if banner and banner[0] == shown[0]]
        return bool(numbers) and min(numbers) <= shown[1] <= max(numbers)

    def run_of(self, track, group, number):
        """The run in which a group comes to a number."""
        for part in self.parts.get((track, group), []):
            if part["op"] == "count" and part["from"] < number <= part["to"]:
                return part
        return None


class Lateness:
    """How much later than its instant a command came to a page."""

    def __init__(self, received):
        self.received = received
        self.cames = [came for _, came in received]
        self.newest = list(itertools.accumulate((at for at, _ in received), max))
        # What was said before it listened came late by right.
        self.delays = [came - at for at, came in received if at >= self.cames[0]]

    def known(self, now):
        """The instant of the last command that had come: the stream is in the order of instants. None: it is not
        known what the page knew before it was watched."""
        count = bisect.bisect(self.cames, now)
        return self.newest[count - 1] if count else None

    def percentile(self, share):
        return sorted(self.delays)[min(len(self.delays) - 1, int(len(self.delays) * share))] if self.delays else 0

    def complete(self, instant):
        """When the last command of before an instant had come."""
        return max([came for at, came in self.received if at < instant], default=instant)
