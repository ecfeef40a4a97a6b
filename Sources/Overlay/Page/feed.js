// A room's stream, shared with the browser's other pages where it has shared workers; and the way back.

const query = new URLSearchParams(location.search);
const pageToken = document.querySelector("meta[name=page-token]")?.content ?? "";

// The address of something of ours, with the reader's token if the page was opened with one.
export function addressOf(path) {
  const url = new URL(path, location.origin);
  const token = query.get("token");
  if (token) url.searchParams.set("token", token);
  return url.href;
}

// Calls `receive({kind, data, live})` for each event: open, lost, clock, snapshot, command.
export function openFeed(room, receive) {
  const address = addressOf(`/rooms/${encodeURIComponent(room)}/events`);
  const parsed = (message) => receive({ ...message, data: message.data && JSON.parse(message.data) });
  if (typeof SharedWorker === "function" && query.get("worker") !== "0") {
    const worker = new SharedWorker("/page/feed-worker.js", { name: "livecue" });
    worker.port.onmessage = ({ data }) => parsed(data);
    worker.port.start();
    worker.port.postMessage({ kind: "join", address });
    setInterval(() => worker.port.postMessage({ kind: "here" }), 10_000);
    addEventListener("pagehide", () => worker.port.postMessage({ kind: "leave" }));
    addEventListener("pageshow", (event) => {
      if (event.persisted) worker.port.postMessage({ kind: "join", address });
    });
    document.addEventListener("visibilitychange", () => worker.port.postMessage({ kind: "here" }));
    return;
  }
  listen(address, receive, parsed);
}

function listen(address, receive, parsed) {
  const source = new EventSource(address);
  source.onopen = () => receive({ kind: "open" });
  source.onerror = () => {
    receive({ kind: "lost" });
    // After an answer that is no stream, of a proxy for example, the browser would not try again by itself.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen(address, receive, parsed), 3000);
  };
  for (const kind of ["clock", "snapshot", "command"]) {
    source.addEventListener(kind, (event) => parsed({ kind, data: event.data, live: true }));
  }
}

// Sends what changes something. Rejects with the server's words.
export async function send(room, word, body) {
  const response = await fetch(addressOf(`/rooms/${encodeURIComponent(room)}/${word}`), {
    method: "POST", headers: { "Content-Type": "application/json", "X-Page-Token": pageToken },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error((await response.text()).trim() || response.statusText);
}
