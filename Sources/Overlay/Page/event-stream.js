// A room's stream of server-sent events that comes back by itself, wherever it was cut.
//
// EventSource comes back when a connection ends. One that dies without an end (a cable, a sleeping router) is noticed
// here: the server writes every `everyMs`, so silence means that nobody is there.

const lookMilliseconds = 250;
// Before the server has said how often it writes, and while it has not answered yet.
const answerMilliseconds = 1500;
const retryMilliseconds = 1000;

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
    this.heard = performance.now();
    source.onopen = () => {
      this.heard = performance.now();
      this.isOpen = true;
      this.receive({ kind: "open" });
    };
    source.onerror = () => this.#lost();
    for (const kind of ["clock", "snapshot", "command"]) {
      source.addEventListener(kind, (event) => {
        this.heard = performance.now();
        if (event.lastEventId) this.lastID = event.lastEventId;
        if (kind === "clock") this.everyMilliseconds = JSON.parse(event.data).everyMs ?? this.everyMilliseconds;
        this.receive({ kind, data: event.data });
      });
    }
  }

  #lost() {
    this.isOpen = false;
    this.receive({ kind: "lost" });
  }

  #look() {
    const silence = performance.now() - this.heard;
    // After an answer that is no stream, of a proxy for example, the browser does not try again by itself.
    const isGivenUp = this.source.readyState === EventSource.CLOSED && silence > retryMilliseconds;
    const patience = this.isOpen && this.everyMilliseconds ? 2 * this.everyMilliseconds + 500 : answerMilliseconds;
    if (!isGivenUp && (silence < patience || (this.isOpen && !this.everyMilliseconds))) return;
    if (this.isOpen) this.#lost();
    this.#connect();
  }
}
