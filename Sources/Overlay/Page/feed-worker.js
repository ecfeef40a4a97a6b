// One stream for each room and browser: browsers open six to a host, and the sources of OBS are one browser.
// Pages of a room come and go here; a page that comes late gets the last snapshot and what followed it.

import { EventStream } from "./event-stream.js";

const rooms = new Map();
const maxEvents = 5000;
const patienceMilliseconds = 40_000;

class Feed {
  constructor(address) {
    this.ports = new Map();
    this.snapshot = null;
    this.clock = null;
    this.events = [];
    this.stream = new EventStream(address, (message) => this.#take(message));
  }

  #take(message) {
    if (message.kind === "snapshot") {
      this.snapshot = message.data;
      this.events = [];
    } else if (message.kind === "command") {
      this.events.push(message.data);
      if (this.events.length > maxEvents) this.events.splice(0, maxEvents / 2);
    }
    for (const port of this.ports.keys()) port.postMessage({ ...message, live: true });
  }

  add(port) {
    this.ports.set(port, performance.now());
    if (this.snapshot) port.postMessage({ kind: "snapshot", data: this.snapshot, live: false });
    for (const data of this.events) port.postMessage({ kind: "command", data, live: false });
    if (this.stream.isOpen) port.postMessage({ kind: "open" });
  }
}

function join(address, port) {
  if (!rooms.has(address)) rooms.set(address, new Feed(address));
  rooms.get(address).add(port);
}

function leave(address, port) {
  const feed = rooms.get(address);
  feed?.ports.delete(port);
  if (feed && feed.ports.size === 0) {
    feed.stream.close();
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
      join(address, port);
    } else if (data.kind === "leave" && address) {
      leave(address, port);
    } else if (data.kind === "here" && address) {
      const feed = rooms.get(address);
      // A page that slept for long was taken for gone.
      if (feed?.ports.has(port)) feed.ports.set(port, performance.now());
      else join(address, port);
    }
  };
  port.start();
};
