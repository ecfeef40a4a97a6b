"""The settings of a room, with their defaults (config/livecue.yaml)."""
from decimal import Decimal

COLORS = ["#00AEFF", "#00A61C", "#5400E6", "#FF3377", "#FF8800", "#FF5E00", "#CA2EE6"]
DEFAULTS = {
    "gift": dict(
        tracks=3, showMs=300, stepMs=400, catchUpMs=2000, holdMs=3000, holdBusyMs=800, hideMs=300, maxGroupMs=8000,
        minPace=Decimal("0.5"), perStep=False, leaveNumber=True, maxWaiting=200, agingMs=3000, foldAfterMs=10000,
        protectPriority=5, foldEveryMs=1000, maxFoldItems=100, streakGapMs=10000, maxStreaks=10000, rules=[]),
    "comment": dict(maxItems=1000, flushMs=100, colors=COLORS),
    "like": dict(burstMs=250, showerMs=2000, maxParticles=30),
    "stage": dict(leader="", maxWaiting=50),
    "snapshot": dict(everyMs=2000),
    "limits": dict(maxMuted=10000),
}
# Names that two sections share, as attributes.
RENAMED = {("stage", "maxWaiting"): "maxStage", ("snapshot", "everyMs"): "snapshotMs"}


class Plan:
    """The settings, as attributes, e.g. plan.showMs."""

    def __init__(self, settings):
        for section, defaults in DEFAULTS.items():
            given = settings.get(section) or {}
            unknown = set(given) - set(defaults)
            if unknown:
                raise SystemExit(f"model: unknown settings in {section}: {sorted(unknown)}")
            for name, default in defaults.items():
                setattr(self, RENAMED.get((section, name), name), given.get(name, default))
        if isinstance(self.tracks, int):
            self.minPriorities = [0] * self.tracks
        else:
            self.minPriorities = [track.get("minPriority", 0) for track in self.tracks]
        self.minPacePermille = int(1000 * Decimal(self.minPace))
