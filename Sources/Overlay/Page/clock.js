// The daemon's clock as seen from here. The page's own time of day is not looked at: people set it as they like.

const windowMilliseconds = 60_000;

export class DaemonClock {
  #offset = null;
  #earlierOffset = null;
  #windowStart = 0;

  // A message was made at an instant or later and took some time to come: the daemon's clock is ahead of ours by at
  // least the difference, and the largest difference of the last minutes is the best guess.
  note(instant, now = performance.now()) {
    const difference = instant - now;
    if (this.#offset === null || now - this.#windowStart > windowMilliseconds) {
      this.#earlierOffset = this.#offset;
      this.#offset = difference;
      this.#windowStart = now;
    } else if (difference > this.#offset) {
      this.#offset = difference;
    }
  }

  get isKnown() { return this.#offset !== null; }

  // The daemon's present instant.
  now() {
    const offset = Math.max(this.#offset ?? 0, this.#earlierOffset ?? -Infinity);
    return performance.now() + offset;
  }
}
