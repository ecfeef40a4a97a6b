// What a room shows, from its snapshot and commands. It draws nothing and knows no time but the instants it is given.

const maxComments = 50;

const emptyRoom = () => ({
  epoch: 0, sequences: new Map(), banners: new Map(), comments: [], fold: null, play: null, burst: null,
  broken: new Set(), likeTotal: 0, waiting: 0, paused: new Map(),
});

export class Room {
  // `ask` is called when something was missed and a snapshot is needed.
  constructor(ask) {
    this.ask = ask;
    this.hasSnapshot = false;
    Object.assign(this, emptyRoom());
  }

  // What the studio says beside the preview.
  get summary() {
    return {
      waiting: this.waiting, likes: this.likeTotal, paused: [...this.paused.keys()], epoch: this.epoch,
      tracks: [...this.sequences.keys()].filter((track) => /^gift\/\d+$/.test(track)),
    };
  }

  // Returns true if the snapshot changed what is shown: at the beginning, in a new epoch, or after a gap.
  takeSnapshot(snapshot) {
    if (snapshot.epoch < this.epoch) return false;
    this.waiting = snapshot.waiting ?? 0;
    if (snapshot.epoch > this.epoch) this.#begin(snapshot.epoch);
    let changed = !this.hasSnapshot;
    this.hasSnapshot = true;
    this.#takePauses(snapshot);
    for (const track of snapshot.tracks ?? []) {
      if (!this.#isBehind(track.track, track.seq)) continue;
      this.banners.set(track.track, bannerOf(track, this.epoch));
      changed = true;
    }
    if (this.#isBehind("comment", snapshot.comment?.seq)) {
      this.comments = (snapshot.comment.items ?? []).slice(-maxComments);
      changed = true;
    }
    if (this.#isBehind("stage", snapshot.stage?.seq)) this.play = snapshot.stage.play ?? null;
    if (this.#isBehind("like", snapshot.like?.seq)) {
      this.burst = snapshot.like.burst ? { ...snapshot.like.burst, at: snapshot.at } : null;
      this.likeTotal = snapshot.like.total ?? 0;
    }
    this.#isBehind("gift/fold", snapshot.fold?.seq);
    return changed;
  }

  // What stands still is told by part; the tracks of a part resume one by one. What was seen of a track later stands.
  #takePauses(snapshot) {
    const paused = snapshot.paused ?? {};
    const take = (track, part, sequence) => {
      if (sequence === undefined || sequence < (this.sequences.get(track) ?? -1)) return;
      if (paused[part] === undefined) this.paused.delete(track);
      else this.paused.set(track, paused[part]);
    };
    for (const track of snapshot.tracks ?? []) take(track.track, "gift", track.seq);
    for (const part of ["stage", "comment", "like"]) take(part, part, snapshot[part]?.seq);
  }

  // True if a number is beyond what was seen on a topic, which then counts as seen. The first look at a topic is
  // beyond too, even at 0.
  #isBehind(track, sequence) {
    if (sequence === undefined) return false;
    const seen = this.sequences.get(track) ?? -1;
    // After a gap what was missed is in the snapshot, though its number may be seen.
    const isMended = this.broken.has(track) && sequence >= seen;
    if (sequence <= seen && !isMended) return false;
    this.broken.delete(track);
    this.sequences.set(track, sequence);
    return true;
  }

  #begin(epoch) {
    const { waiting } = this;
    Object.assign(this, emptyRoom(), { epoch, waiting });
  }

  // Returns true if the command is new.
  take(command) {
    if (command.epoch < this.epoch) return false;
    if (command.epoch > this.epoch) this.#begin(command.epoch);
    const seen = this.sequences.get(command.track);
    if (seen !== undefined && command.seq <= seen) return false;
    // Who comes in the middle, before a snapshot, has missed what was before.
    const isGap = command.seq > (seen ?? 0) + 1;
    this.sequences.set(command.track, command.seq);
    this.#apply(command);
    if (isGap) {
      this.broken.add(command.track);
      this.ask();
    }
    return true;
  }

  #apply(command) {
    if (command.op === "pause" || command.op === "resume") return this.#pause(command);
    switch (command.track) {
      case "gift/fold": this.fold = command; break;
      case "comment": this.#comment(command); break;
      case "like":
        this.likeTotal = command.total;
        this.burst = command.op === "burst" ? command : null;
        break;
      case "stage": this.play = command.op === "play" ? command : null; break;
      default: this.#gift(command);
    }
  }

  #gift(command) {
    const banner = this.banners.get(command.track);
    if (command.op === "show") return this.banners.set(command.track, shown(command));
    // One that was missed: the snapshot that was asked for brings it.
    if (!banner || banner.group !== command.group) return;
    banner.phases = banner.phases.filter((phase) => phase.op !== "hold" || command.op !== "hold");
    banner.phases.push(command);
    if (banner.phases.length > 3) banner.phases.shift();
    if (command.op === "count") banner.number = command.to;
    if (command.until !== undefined) banner.end = command.until;
    if (command.op === "hide") banner.end = command.at + command.durationMs;
  }

  #comment(command) {
    if (command.op === "append") {
      const items = command.items.map((item) => ({ ...item, at: command.at }));
      this.comments = this.comments.concat(items).slice(-maxComments);
    } else if (command.op === "remove") {
      const gone = new Set(command.ids);
      this.comments = this.comments.filter((item) => !gone.has(item.id));
    }
  }

  // While a part stands still its instants do too; afterwards all of them lie later by the length of the pause.
  #pause(command) {
    if (command.op === "pause") return this.paused.set(command.track, command.at);
    const since = this.paused.get(command.track);
    this.paused.delete(command.track);
    const banner = this.banners.get(command.track);
    if (since === undefined || !banner) return;
    const length = command.at - since;
    banner.start += length;
    banner.end += length;
    for (const phase of banner.phases) {
      phase.at += length;
      if (phase.until !== undefined) phase.until += length;
    }
  }

  // The instant at which a track stands: now, or when it was paused.
  instantOf(track, now) {
    return this.paused.get(track) ?? now;
  }
}

function shown(command) {
  return {
    epoch: command.epoch, group: command.group, sender: command.sender, gift: command.gift, receiver: command.receiver,
    priority: command.priority ?? 0, isTest: command.test === true, base: command.base ?? 0,
    number: command.base ?? 0, start: command.at, showLength: command.durationMs, end: command.until, phases: [],
  };
}

// A banner as one that was there from the beginning would have it.
function bannerOf(track, epoch) {
  const { show, state, since, durationMs } = track;
  if (!show || state === "idle") return null;
  const start = state === "showing" ? since : since - show.durationMs;
  const banner = shown({ ...show, at: start, epoch });
  banner.number = track.number ?? banner.base;
  const common = { at: since, durationMs };
  if (state === "counting" && track.count) banner.phases.push({ op: "count", ...track.count, at: since });
  if (state === "holding" && track.hold) banner.phases.push({ op: "hold", ...track.hold, at: since });
  if (state === "hiding") banner.phases.push({ op: "hide", ...common });
  banner.end = track.count?.until ?? track.hold?.until ?? (state === "hiding" ? since + durationMs : show.until);
  return banner;
}

// How long a banner stays that no command ends.
export const orphanMilliseconds = 3000;

// How a banner looks at an instant; null: it is gone. `number` 0: none is shown yet.
export function lookOf(banner, now) {
  if (!banner || now > banner.end + orphanMilliseconds) return null;
  const look = { number: banner.base, arrival: progress(now, banner.start, banner.showLength), hold: 0, leaving: 0 };
  for (const phase of banner.phases) {
    if (phase.op !== "hide" && phase.at > now) continue;
    if (phase.op === "count") {
      const share = progress(now, phase.at, phase.durationMs);
      const steps = phase.to - phase.from;
      // The first step is seen at once, the last at the end less one step, as single gifts are.
      look.number = Math.min(phase.to, phase.from + Math.floor(share * steps) + 1);
      look.hold = 1;
    } else if (phase.op === "hold") {
      look.number = phase.count;
      look.hold = 1 - progress(now, phase.at, phase.until - phase.at);
    } else if (phase.op === "hide") {
      look.number = banner.number;
      look.hold = 0;
      look.leaving = progress(now, phase.at, phase.durationMs);
    }
  }
  return look.leaving >= 1 ? null : look;
}

function progress(now, start, length) {
  if (length <= 0) return now >= start ? 1 : 0;
  return Math.min(1, Math.max(0, (now - start) / length));
}
