// A room's stream of server-sent events that comes back by itself, wherever it was cut.
//
// EventSource would come back after an end, but not after every answer, and not when a connection dies without an end
// (a cable, a sleeping router). So this decides itself: the server writes every `everyMs`, and silence means that nobody
// is there.

const lookMilliseconds = 100;
const retryMilliseconds = 300;
// Before the server has answered, and before it has said how often it writes.
const answerMilliseconds = 1500;

export class EventStream {
  // `receive({kind, data})` gets open, lost, clock, snapshot and command; data is text.
  constructor(address, receive) {
    this.address = address;
    this.receive = receive;
    this.lastID = "";
    this.everyMilliseconds = null;
    this.isOpen = false;
    this.watch = setInterval(() => this.#look(), lookMilliseconds);
    // The network is back: why wait.
    this.online = () => this.isOpen || this.#connect();
    addEventListener("online", this.online);
    this.#connect();
  }

  close() {
    clearInterval(this.watch);
    removeEventListener("online", this.online);
    this.source.close();
  }

  #connect() {
    this.source?.close();
    const address = new URL(this.address);
    if (this.lastID) address.searchParams.set("lastEventId", this.lastID);
    const source = new EventSource(address);
    this.source = source;
    this.patience = answerMilliseconds;
    this.heard = performance.now();
    source.onopen = () => {
      this.#hear();
      this.isOpen = true;
      this.receive({ kind: "open" });
    };
    source.onerror = () => {
      source.close();
      this.heard = performance.now();
      // So that the pages of a server that was started anew do not all come at once.
      this.patience = retryMilliseconds * (1 + Math.random() / 2);
      this.#lose();
    };
    for (const kind of ["clock", "snapshot", "command"]) {
      source.addEventListener(kind, (event) => {
        if (event.lastEventId) this.lastID = event.lastEventId;
        if (kind === "clock") this.everyMilliseconds = JSON.parse(event.data).everyMs ?? null;
        this.#hear();
        this.receive({ kind, data: event.data });
      });
    }
  }

  #hear() {
    this.heard = performance.now();
    this.patience = this.everyMilliseconds ? 2 * this.everyMilliseconds + 500 : Infinity;
  }

  #lose() {
    this.isOpen = false;
    this.receive({ kind: "lost" });
  }

  #look() {
    if (performance.now() - this.heard < this.patience) return;
    if (this.isOpen) this.#lose();
    this.#connect();
  }
}
