"""What a room's commands say is on its tracks: a second reading of the design, to hold the page against."""

import json
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

    def banner(self, track, now):
        """The group on a track and its number, or None."""
        shows = [show for show in self.shows.get(track, []) if show["at"] <= now]
        if not shows:
            return None
        show = shows[-1]
        number = show["base"]
        for part in self.parts[track, show["group"]]:
            if part["at"] > now:
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

    def allows(self, track, shown, now, slack):
        """True if what is shown was right at some instant of the last `slack` ms, or will be within a tenth of it."""
        instants = [now - slack * step / 12 for step in range(-1, 13)]
        around = [self.banner(track, instant) for instant in instants]
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
