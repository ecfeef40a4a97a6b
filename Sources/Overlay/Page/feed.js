// A room's stream, shared with the browser's other pages where it has shared workers; and the way back.

import { EventStream } from "./event-stream.js";

const query = new URLSearchParams(location.search);
let pageToken = document.querySelector("meta[name=page-token]")?.content ?? "";

// The address of something of ours, with the reader's token if the page was opened with one.
export function addressOf(path) {
  const url = new URL(path, location.origin);
  const token = query.get("token");
  if (token) url.searchParams.set("token", token);
  return url.href;
}

// Calls `receive({kind, data, live})` for each event: open, lost, clock, snapshot, command. `live`: it came just now.
export function openFeed(room, receive) {
  const address = addressOf(`/rooms/${encodeURIComponent(room)}/events`);
  const parsed = (message) => receive({ ...message, data: message.data && JSON.parse(message.data) });
  if (typeof SharedWorker !== "function" || query.get("worker") === "0") {
    return new EventStream(address, (message) => parsed({ ...message, live: true }));
  }
  const worker = new SharedWorker("/page/feed-worker.js", { name: "livecue", type: "module" });
  worker.port.onmessage = ({ data }) => parsed(data);
  worker.port.start();
  worker.port.postMessage({ kind: "join", address });
  setInterval(() => worker.port.postMessage({ kind: "here" }), 10_000);
  addEventListener("pagehide", () => worker.port.postMessage({ kind: "leave" }));
  addEventListener("pageshow", (event) => {
    if (event.persisted) worker.port.postMessage({ kind: "join", address });
  });
  document.addEventListener("visibilitychange", () => worker.port.postMessage({ kind: "here" }));
  return worker;
}

// What a topic and an address can name: a browser takes "." and ".." out of addresses.
export function isRoomName(name) {
  const size = new TextEncoder().encode(name).length;
  return size >= 1 && size <= 128 && !/[\u0000-\u001f\u007f-\u009f+#/]/.test(name) && name !== "." && name !== "..";
}
export const roomWords = "A room is 1 to 128 bytes without control characters and + # /";

// Sends what changes something, and resolves with the answer's text. Rejects with the server's words.
export async function send(room, word, body) {
  let response = await post(room, word, body);
  // The server was started anew under a page that lives for days: its new token is in a new page.
  if (response.status === 403 && await renewToken()) response = await post(room, word, body);
  const text = (await response.text()).trim();
  if (!response.ok) throw new Error(text || response.statusText);
  return text;
}

async function post(room, word, body) {
  try {
    return await fetch(addressOf(`/rooms/${encodeURIComponent(room)}/${word}`), {
      method: "POST", headers: { "Content-Type": "application/json", "X-Page-Token": pageToken },
      body: JSON.stringify(body),
    });
  } catch {
    // The browser's own words name no cause.
    throw new Error("the overlay's server cannot be reached");
  }
}

async function renewToken() {
  const page = await fetch(addressOf("/overlay"));
  const document = new DOMParser().parseFromString(await page.text(), "text/html");
  const token = document.querySelector("meta[name=page-token]")?.content;
  if (!token || token === pageToken) return false;
  pageToken = token;
  return true;
}
