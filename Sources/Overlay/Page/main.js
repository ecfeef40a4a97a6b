// The overlay: /overlay?room=NAME, with theme=NAME, comments=LINES, renderer=NAME, show=gift,comment,like,stage.

import { Banners } from "./banners.js";
import { DaemonClock } from "./clock.js";
import { Comments } from "./comments.js";
import { isRoomName, openFeed, roomWords, send } from "./feed.js";
import { Particles } from "./particles.js";
import { Room } from "./room.js";
import { Fold, Stage } from "./stage.js";
import { cleaned } from "./text.js";

const query = new URLSearchParams(location.search);
const roomName = query.get("room") ?? "";
const renderer = query.get("renderer") ?? "overlay";
const theme = /^[\w-]{1,60}$/.test(query.get("theme") ?? "") ? query.get("theme") : "classic";
const parts = ["gift", "comment", "like", "stage"];
const shown = query.get("show") ? query.get("show").split(",").map((part) => part.trim()) : parts;
const askedLines = query.get("comments") ?? "";
const lines = /^\d+$/.test(askedLines) ? Math.min(50, Number(askedLines)) : 12;
const isInStudio = parent !== window;
const place = (id) => document.getElementById(id);

function notice(words) {
  place("notice").hidden = !words;
  place("notice").textContent = words;
}

// A theme is a style sheet and a module, which may be empty; of one that is not there nothing is missed but its look.
async function loadTheme() {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = `/themes/${theme}.css`;
  document.head.append(sheet);
  document.documentElement.dataset.theme = theme;
  try {
    return guarded(await import(`/themes/${theme}.js`));
  } catch (error) {
    console.warn(`theme ${theme}:`, error.message);
    return {};
  }
}

// A theme's mistake is told, once for each of its functions, and costs nothing else.
function guarded(module) {
  const hooks = {};
  const told = new Set();
  for (const name of ["show", "count", "hide"]) {
    if (typeof module[name] !== "function") continue;
    hooks[name] = (...values) => {
      try {
        module[name](...values);
      } catch (error) {
        if (!told.has(name)) console.warn(`theme ${theme}: ${name}:`, error.message);
        told.add(name);
      }
    };
  }
  return hooks;
}

let askedAt = -Infinity;
function ask() {
  if (performance.now() - askedAt < 500) return;
  askedAt = performance.now();
  // The server asks by itself when it comes back to the broker, and a lost word is asked again at the next gap.
  send(roomName, "feedback", { op: "resync", renderer }).catch((error) => console.warn("resync:", error.message));
}

function report(op, group) {
  send(roomName, "feedback", { op, group, renderer }).catch((error) => console.warn(`${op}:`, error.message));
}

// The studio, whose preview this is.
function tell(kind, words) {
  if (isInStudio) parent.postMessage({ kind, ...words }, location.origin);
}
const tellSender = (sender) => tell("livecue-sender", { id: sender?.id });

async function main() {
  for (const part of shown) if (!parts.includes(part)) console.warn(`show: "${part}" is none of ${parts.join(", ")}`);
  const hooks = await loadTheme();
  const clock = new DaemonClock();
  const room = new Room(ask);
  const drawers = [];
  const particles = new Particles(place("particles"));
  if (shown.includes("like")) drawers.push(particles);
  if (shown.includes("gift")) {
    const click = (banner) => {
      report("click", banner.group);
      tellSender(banner.sender);
    };
    drawers.push(new Banners(place("banners"), hooks, click), new Fold(place("fold")));
  }
  if (shown.includes("stage")) drawers.push(new Stage(place("stage"), report));
  if (shown.includes("comment") && lines > 0) {
    drawers.push(new Comments(place("comments"), lines, isInStudio ? tellSender : undefined));
  }
  let lostAt = null;
  let drawnAt = null;
  openFeed(roomName, ({ kind, data, live }) => {
    switch (kind) {
      case "open": lostAt = null; notice(""); break;
      case "lost": lostAt ??= performance.now(); break;
      case "clock": if (data.now !== undefined) clock.note(data.now); break;
      case "snapshot":
        if (live) clock.note(data.now);
        room.takeSnapshot(data);
        break;
      case "command":
        if (live) clock.note(data.at);
        room.take(data);
        break;
    }
    tell("livecue-state", room.summary);
  });
  const frame = () => {
    // First of all: whatever goes wrong in this frame, the next one comes.
    requestAnimationFrame(frame);
    if (clock.isKnown) {
      drawnAt = clock.now();
      for (const drawer of drawers) drawer.draw(room, drawnAt);
    }
    // On the air a word in the picture is worse than a still picture; the studio's preview asks for it.
    if (query.has("notices") && lostAt !== null && performance.now() - lostAt > 3000) {
      notice("The connection is lost; it comes back by itself.");
    }
  };
  requestAnimationFrame(frame);
  globalThis.livecue = {
    room, clock, particles, get isConnected() { return lostAt === null; }, get drawnAt() { return drawnAt; },
  };
}

if (isRoomName(roomName)) main();
else if (roomName) notice(`${roomWords}; this address names another.`);
else notice(`Add the room to the address: ${cleaned(location.origin)}/overlay?room=NAME`);
