// Gift banners: one element for each track, so that no track ever shows two.

import { lookOf } from "./room.js";
import { emojiOf, firstCharacter, hueOf, nameOf, pictureAddress } from "./text.js";

const popMilliseconds = 220;
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

export class Banners {
  // `hooks` are the theme's: show, count and hide, each with the element and the banner. `click(banner)` is called for
  // a banner that is clicked.
  constructor(list, hooks, click) {
    this.list = list;
    this.hooks = hooks;
    this.click = click;
    this.rows = new Map();
  }

  draw(room, now) {
    // A new epoch may have fewer tracks.
    for (const [track, row] of this.rows) if (!room.banners.has(track)) this.#empty(row);
    for (const [track, banner] of room.banners) {
      const row = this.#row(track);
      const look = lookOf(banner, room.instantOf(track, now));
      if (!look) this.#empty(row);
      else this.#draw(row, banner, look);
    }
  }

  #row(track) {
    let row = this.rows.get(track);
    if (row) return row;
    const element = document.createElement("li");
    element.dataset.track = track;
    element.className = "track";
    row = { element, banner: null, epoch: 0, number: 0, popped: 0, isLeaving: false, parts: null, set: {} };
    this.rows.set(track, row);
    const places = [...this.rows.keys()].sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)));
    this.list.insertBefore(element, this.rows.get(places[places.indexOf(track) + 1])?.element ?? null);
    return row;
  }

  #empty(row) {
    if (!row.banner) return;
    row.banner = null;
    row.parts = null;
    row.element.replaceChildren();
  }

  #draw(row, banner, look) {
    if (row.banner?.group !== banner.group || row.epoch !== banner.epoch) this.#fill(row, banner);
    row.banner = banner;
    const { box, number, ring } = row.parts;
    const arrival = isCalm.matches ? (look.arrival > 0 ? 1 : 0) : easeOut(look.arrival);
    set(row, box, "--arrival", arrival.toFixed(3));
    set(row, box, "--leaving", (isCalm.matches ? 0 : look.leaving * look.leaving).toFixed(3));
    set(row, ring, "--hold", look.hold.toFixed(3));
    box.classList.toggle("holding", look.hold > 0);
    if (look.leaving > 0 && !row.isLeaving) {
      row.isLeaving = true;
      this.hooks.hide?.(box, banner);
    }
    if (look.number === row.number) return;
    row.number = look.number;
    number.textContent = look.number > 0 ? `x${look.number}` : "";
    box.dataset.number = look.number;
    this.#pop(row, number);
    this.hooks.count?.(box, banner, look.number);
  }

  // A catch-up runs faster than pops can be seen: then the number just runs.
  #pop(row, number) {
    const now = performance.now();
    if (isCalm.matches || now - row.popped < popMilliseconds / 2) return;
    row.popped = now;
    // A long number grows less: on a phone it would leave the picture.
    const peak = 1 + 0.5 * Math.min(1, 2 / number.textContent.length);
    number.animate(
      [{ transform: `scale(${peak})` }, { transform: "scale(0.94)", offset: 0.7 }, { transform: "scale(1)" }],
      { duration: popMilliseconds, easing: "ease-out" });
  }

  #fill(row, banner) {
    const box = element("div", "banner");
    box.dataset.group = banner.group;
    box.dataset.priority = banner.priority;
    box.style.setProperty("--hue", hueOf(banner.sender?.id));
    if (banner.isTest) box.classList.add("test");
    const picture = pictureOf(banner.sender?.avatar, firstCharacter(nameOf(banner.sender)), "avatar");
    const words = element("div", "words");
    words.append(text("bdi", "sender", nameOf(banner.sender)), text("bdi", "gift", giftWords(banner)));
    const icon = pictureOf(banner.gift?.icon, emojiOf(nameOf(banner.gift)) ?? "🎁", "icon");
    const number = element("span", "number");
    const ring = element("span", "ring");
    box.append(picture, ring, words, icon, number);
    box.addEventListener("click", () => this.click(banner));
    row.element.replaceChildren(box);
    Object.assign(row, { parts: { box, number, ring }, number: 0, epoch: banner.epoch, isLeaving: false, set: {} });
    this.hooks.show?.(box, banner);
  }
}

// Writes a property of style only when it changes.
function set(row, target, name, value) {
  if (row.set[name] === value) return;
  row.set[name] = value;
  target.style.setProperty(name, value);
}

const easeOut = (share) => 1 - (1 - share) ** 3;

function giftWords(banner) {
  const gift = nameOf(banner.gift);
  return banner.receiver ? `${gift} → ${nameOf(banner.receiver)}` : gift;
}

function element(name, kind) {
  const made = document.createElement(name);
  made.className = kind;
  return made;
}

function text(name, kind, words) {
  const made = element(name, kind);
  made.textContent = words;
  return made;
}

// A picture where there is an address that may be loaded, else a character.
function pictureOf(address, character, kind) {
  const place = text("span", kind, character);
  const source = pictureAddress(address);
  if (!source) return place;
  const image = new Image();
  image.referrerPolicy = "no-referrer";
  image.alt = "";
  image.onload = () => place.replaceChildren(image);
  image.src = source;
  return place;
}
