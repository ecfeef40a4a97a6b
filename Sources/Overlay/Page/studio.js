// The studio: a preview of one room, buttons that send tests to it, and an operator's commands.

import { addressOf, isRoomName, roomWords, send } from "./feed.js";
import { QueueCard } from "./studio-queue.js";
import { cleaned } from "./text.js";

const place = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const names = ["Ann", "Bo", "李雷", "Chloé", "Dmitri", "はな", "Omar", "Zoë"];
const gifts = [["rose", "Rose 🌹"], ["heart", "Heart 💗"], ["beer", "Beer 🍺"], ["cake", "Cake 🎂"]];
const words = ["hello from the studio 👋", "what a night", "太好看了！", "🎉🎉🎉", "greetings to everyone"];
const maxReplies = 4;
// A server that does not answer within this time is away: it may stand still, or the network lead nowhere.
const answerMilliseconds = 3000;
const queue = new QueueCard();
let roomName = "";
let turn = 0;

const next = (list) => list[turn++ % list.length];
const sender = () => {
  const name = next(names);
  return { id: `studio-${name}`, name, level: 12 };
};
const gift = (more) => {
  const [id, name] = next(gifts);
  return { type: "gift", sender: sender(), gift: { id, name, price: 1 }, ...more };
};

const tests = {
  single: () => ({ event: gift() }),
  ten: () => ({ event: gift(), times: 10 }),
  hundred: () => ({ event: gift({ count: 100 }) }),
  vip: () => ({
    event: gift({ sender: { id: "studio-vip", name: "Her Majesty 👑", level: 60 }, gift: { id: "rocket", name: "Rocket 🚀", price: 100000 } }),
  }),
  comment: () => ({ event: { type: "comment", sender: sender(), text: next(words) } }),
  like: () => ({ event: { type: "like", sender: sender(), count: 30 } }),
};

const controls = {
  pause: () => ({ part: place("part").value || null }),
  resume: () => ({ part: place("part").value || null }),
  clear: () => ({ part: place("part").value || null }),
  skip: () => ({ track: place("track").value }),
  mute: () => ({ sender: place("sender").value }),
  unmute: () => ({ sender: place("sender").value }),
};

// Sends a command and shows the daemon's reply.
async function command(op, members, words) {
  // The address named a room that cannot be.
  if (!roomName) return told(`${words}: ${roomWords}`, false);
  try {
    const reply = JSON.parse(await send(roomName, "control", { op, ...members }));
    if (reply.ok) told(words, true);
    else told(`${words}: ${reply.error}: ${reply.detail}`, false);
  } catch (error) {
    told(`${words}: ${error.message}`, false);
  }
}

function told(words, isDone) {
  const line = document.createElement("li");
  line.textContent = cleaned(words);
  line.className = isDone ? "done" : "refused";
  place("replies").prepend(line);
  while (place("replies").children.length > maxReplies) place("replies").lastChild.remove();
}

function show(room, theme) {
  roomName = room;
  const overlay = new URL(addressOf("/overlay"));
  overlay.searchParams.set("room", room);
  overlay.searchParams.set("theme", theme);
  place("address").href = overlay.href;
  place("address").textContent = overlay.href;
  const minimal = new URL(addressOf("/minimal"));
  minimal.searchParams.set("room", room);
  place("minimal").href = minimal.href;
  queue.begin();
  overlay.searchParams.set("notices", "");
  place("preview").src = overlay.href;
  const own = new URL(location.href);
  own.searchParams.set("room", room);
  own.searchParams.set("theme", theme);
  history.replaceState(null, "", own);
}

// The preview is a picture of 1280 × 720, however large the window is; on a phone of 720 × 405, or nothing is legible.
const preview = place("preview");
new ResizeObserver(([entry]) => {
  const { width } = entry.contentRect;
  const inner = width < 600 ? 720 : 1280;
  preview.style.width = `${inner}px`;
  preview.style.height = `${inner * 9 / 16}px`;
  preview.style.transform = `scale(${width / inner})`;
}).observe(preview.parentElement);

addEventListener("message", (event) => {
  if (event.source !== preview.contentWindow) return;
  switch (event.data?.kind) {
    case "livecue-state":
      queue.show(event.data);
      offer(event.data.tracks);
      break;
    // Who was clicked, for mute.
    case "livecue-sender": place("sender").value = String(event.data.id ?? ""); break;
  }
});

// How many tracks a room has is its configuration's.
function offer(tracks) {
  if (!Array.isArray(tracks) || tracks.length === 0) return;
  const known = [...tracks.map(String).sort((a, b) => Number(a.slice(5)) - Number(b.slice(5))), "stage"];
  const options = place("track").options;
  if (known.join() === [...options].map((option) => option.value).join()) return;
  const chosen = place("track").value;
  place("track").replaceChildren(...known.map((track) => new Option(track)));
  if (known.includes(chosen)) place("track").value = chosen;
}

function faultOf({ subscribed, instances }) {
  if (!subscribed) return "the broker is away";
  // Who may not read what daemons say of themselves knows of none.
  const states = Object.values(instances);
  return states.length > 0 && !states.includes("online") ? "the daemon is off" : null;
}

// A preview that stands still looks like a quiet room.
async function look() {
  try {
    const answer = await fetch(addressOf("/status"), { signal: AbortSignal.timeout(answerMilliseconds) });
    queue.tellFault(faultOf(await answer.json()));
  } catch {
    queue.tellFault("the overlay's server is away");
  }
  setTimeout(look, 2000);
}
look();
place("room").addEventListener("input", () => place("room").setCustomValidity(""));
place("choice").addEventListener("submit", (event) => {
  event.preventDefault();
  choose();
});
function choose() {
  const room = place("room").value || "demo";
  if (!isRoomName(room)) {
    place("room").setCustomValidity(roomWords);
    place("room").reportValidity();
    return;
  }
  show(room, place("theme").value);
}
place("theme").addEventListener("change", () => (roomName ? show(roomName, place("theme").value) : choose()));
place("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(place("address").href);
    place("copy").textContent = "Copied";
  } catch {
    // Without a secure origin there is no clipboard: what is selected can be copied by hand.
    getSelection().selectAllChildren(place("address"));
  }
});
for (const button of document.querySelectorAll("[data-test]")) {
  button.addEventListener("click", () => command("test", tests[button.dataset.test](), button.textContent));
}
for (const button of document.querySelectorAll("[data-control]")) {
  const op = button.dataset.control;
  button.addEventListener("click", () => {
    const members = controls[op]();
    command(op, members, [op, ...Object.values(members).filter(Boolean)].join(" "));
  });
}

const [{ rooms }, themes] = await Promise.all(
  ["/rooms", "/themes"].map(async (path) => (await fetch(addressOf(path))).json()));
place("rooms").replaceChildren(...rooms.slice(0, 200).map((room) => new Option(room)));
place("theme").replaceChildren(...themes.map((theme) => new Option(theme)));
place("room").value = query.get("room") || rooms[0] || "demo";
if (themes.includes(query.get("theme"))) place("theme").value = query.get("theme");
choose();
