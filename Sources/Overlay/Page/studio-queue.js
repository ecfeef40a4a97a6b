// The queue's depth and what else the preview tells of its room.

const historySeconds = 60;
const place = (id) => document.getElementById(id);

export class QueueCard {
  constructor() {
    this.canvas = place("history");
    this.samples = [];
    this.waiting = null;
    // Whether anything of the room is known; null: nothing was told yet.
    this.isLive = null;
    this.fault = null;
    setInterval(() => this.#sample(), 1000);
  }

  begin() {
    this.samples = [];
    this.waiting = null;
    this.isLive = null;
    for (const id of ["waiting", "likes", "state"]) place(id).textContent = "–";
    this.#tell();
    this.#draw();
  }

  // `words`: why nothing comes at present; null: it comes.
  tellFault(words) {
    this.fault = words;
    this.#tell();
  }

  #tell() {
    place("air").className = this.fault ? "fault" : this.isLive ? "live" : "";
    place("air").textContent = this.fault
      ?? (this.isLive === null ? "connecting" : this.isLive ? "live" : "nothing has happened yet");
  }

  // `state` is what a preview posts.
  show(state) {
    this.waiting = Number(state.waiting) || 0;
    const paused = Array.isArray(state.paused) ? state.paused.map(String) : [];
    const parts = [...new Set(paused.map((track) => track.split("/")[0]))];
    place("waiting").textContent = this.waiting.toLocaleString("en");
    place("likes").textContent = (Number(state.likes) || 0).toLocaleString("en");
    place("state").textContent = parts.length === 0 ? "playing" : parts.length > 3 ? "paused" : `${parts.join(", ")} paused`;
    this.isLive = Number(state.epoch) > 0;
    this.#tell();
  }

  #sample() {
    if (this.waiting === null) return;
    this.samples.push(this.waiting);
    if (this.samples.length > historySeconds) this.samples.shift();
    this.#draw();
  }

  #draw() {
    const { canvas, samples } = this;
    const scale = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = width * scale;
    canvas.height = height * scale;
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    const top = Math.max(5, ...samples);
    const step = width / historySeconds;
    const bar = Math.max(1, step - 1.5);
    for (let place = 0; place < historySeconds; place += 1) {
      const waiting = samples[place - historySeconds + samples.length] ?? 0;
      const length = Math.max(1.5, waiting / top * (height - 2));
      context.fillStyle = waiting === 0 ? "#2f3350" : "#ff5c8d";
      context.fillRect(place * step, height - length, bar, length);
    }
  }
}
