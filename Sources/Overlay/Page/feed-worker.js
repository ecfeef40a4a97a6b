// One stream for each room and browser: browsers open six to a host, and the sources of OBS are one browser.
// Pages of a room come and go here; a page that comes late gets the last snapshot and what followed it.

const rooms = new Map();
const maxEvents = 5000;
const patienceMilliseconds = 40_000;
const retryMilliseconds = 3000;

class Feed {
  constructor(address) {
    this.ports = new Map();
    this.snapshot = null;
    this.events = [];
    this.isOpen = false;
    this.address = address;
    this.connect();
  }

  connect() {
    this.source = new EventSource(this.address);
    this.source.onopen = () => { this.isOpen = true; this.tell({ kind: "open" }); };
    this.source.onerror = () => {
      this.isOpen = false;
      this.tell({ kind: "lost" });
      // After an answer that is no stream, of a proxy for example, the browser would not try again by itself.
      if (this.source.readyState !== EventSource.CLOSED) return;
      this.retry = setTimeout(() => this.connect(), retryMilliseconds);
    };
    this.source.addEventListener("snapshot", (event) => {
      this.snapshot = event.data;
      this.events = [];
      this.tell({ kind: "snapshot", data: event.data, live: true });
    });
    this.source.addEventListener("command", (event) => {
      this.events.push(event.data);
      if (this.events.length > maxEvents) this.events.splice(0, maxEvents / 2);
      this.tell({ kind: "command", data: event.data, live: true });
    });
    this.source.addEventListener("clock", (event) => this.tell({ kind: "clock", data: event.data }));
  }

  close() {
    clearTimeout(this.retry);
    this.source.close();
  }

  tell(message) {
    for (const port of this.ports.keys()) port.postMessage(message);
  }

  add(port) {
    this.ports.set(port, performance.now());
    if (this.snapshot) port.postMessage({ kind: "snapshot", data: this.snapshot, live: false });
    for (const data of this.events) port.postMessage({ kind: "command", data, live: false });
    if (this.isOpen) port.postMessage({ kind: "open" });
  }
}

function leave(address, port) {
  const feed = rooms.get(address);
  feed?.ports.delete(port);
  if (feed && feed.ports.size === 0) {
    feed.close();
    rooms.delete(address);
  }
}

// A port does not tell that its page has gone, so pages say now and then that they are there.
setInterval(() => {
  const limit = performance.now() - patienceMilliseconds;
  for (const [address, feed] of rooms) {
    for (const [port, heard] of feed.ports) if (heard < limit) leave(address, port);
  }
}, 10_000);

onconnect = (connection) => {
  const [port] = connection.ports;
  let address = null;
  port.onmessage = ({ data }) => {
    if (data.kind === "join") {
      address = data.address;
      if (!rooms.has(address)) rooms.set(address, new Feed(address));
      rooms.get(address).add(port);
    } else if (data.kind === "leave" && address) {
      leave(address, port);
    } else if (data.kind === "here" && address) {
      const feed = rooms.get(address);
      if (feed?.ports.has(port)) feed.ports.set(port, performance.now());
      else {
        // A page that slept for long was taken for gone.
        if (!feed) rooms.set(address, new Feed(address));
        rooms.get(address).add(port);
      }
    }
  };
  port.start();
};
