// The studio: a preview of one room, and buttons that send tests to it.

import { addressOf, send } from "./feed.js";

const place = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const names = ["Ann", "Bo", "李雷", "Chloé", "Dmitri", "はな", "Omar", "Zoë"];
const gifts = [["rose", "Rose 🌹"], ["heart", "Heart 💗"], ["beer", "Beer 🍺"], ["cake", "Cake 🎂"]];
const words = ["hello from the studio 👋", "what a night", "太好看了！", "🎉🎉🎉", "greetings to everyone"];
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

async function test(name) {
  try {
    await send(roomName, "test", tests[name]());
    place("answer").textContent = "";
  } catch (error) {
    place("answer").textContent = error.message;
  }
}

function show(room, theme) {
  roomName = room;
  const overlay = new URL(addressOf("/overlay"));
  overlay.searchParams.set("room", room);
  overlay.searchParams.set("theme", theme);
  const address = place("address");
  address.href = overlay.href;
  address.textContent = overlay.href;
  const minimal = new URL(addressOf("/minimal"));
  minimal.searchParams.set("room", room);
  place("minimal").href = minimal.href;
  place("waiting").textContent = "0";
  overlay.searchParams.set("notices", "");
  place("preview").src = overlay.href;
  const own = new URL(location.href);
  own.searchParams.set("room", room);
  own.searchParams.set("theme", theme);
  history.replaceState(null, "", own);
}

// The preview is a picture of 1280 × 720, however large the window is.
const preview = place("preview");
new ResizeObserver(([entry]) => {
  preview.style.transform = `scale(${entry.contentRect.width / 1280})`;
}).observe(preview.parentElement);

addEventListener("message", (event) => {
  if (event.source === preview.contentWindow && event.data?.kind === "livecue-state") {
    place("waiting").textContent = String(Number(event.data.waiting));
  }
});
place("choice").addEventListener("submit", (event) => {
  event.preventDefault();
  show(place("room").value || "demo", place("theme").value);
});
for (const button of document.querySelectorAll("[data-test]")) {
  button.addEventListener("click", () => test(button.dataset.test));
}

const { rooms } = await (await fetch(addressOf("/rooms"))).json();
place("rooms").replaceChildren(...rooms.slice(0, 200).map((room) => new Option(room)));
place("room").value = query.get("room") || rooms[0] || "demo";
if (query.get("theme") === "neon") place("theme").value = "neon";
show(place("room").value, place("theme").value);
