// The comment list, newest at the bottom. Elements are made for what is new and removed with what left.

import { cleaned, colorOf, nameOf } from "./text.js";

// A comment that is older did not just come, and appears without motion.
const freshMilliseconds = 1500;

export class Comments {
  // `click(sender)` is called for a line that is clicked; without it none can be.
  constructor(list, limit, click) {
    this.list = list;
    this.limit = limit;
    this.click = click;
    if (click) list.classList.add("clickable");
    this.drawn = null;
    this.elements = new Map();
  }

  draw(room, now) {
    if (this.drawn === room.comments) return;
    this.drawn = room.comments;
    const wanted = room.comments.slice(-this.limit);
    const ids = new Set(wanted.map((item) => item.id));
    for (const [id, element] of this.elements) {
      if (ids.has(id)) continue;
      element.remove();
      this.elements.delete(id);
    }
    // From the newest up: where comments were removed older ones come back, above those that stayed.
    let below = null;
    for (const item of [...wanted].reverse()) {
      let line = this.elements.get(item.id);
      if (!line) {
        line = lineOf(item, now);
        if (this.click) line.addEventListener("click", () => this.click(item.sender));
        this.elements.set(item.id, line);
      }
      // A line that stays in its place is not touched: moving it would start its motion again.
      if (line.parentNode !== this.list || line.nextSibling !== below) this.list.insertBefore(line, below);
      below = line;
    }
  }
}

function lineOf(item, now) {
  const line = document.createElement("li");
  if (item.at !== undefined && now - item.at < freshMilliseconds) line.className = "fresh";
  const name = document.createElement("bdi");
  name.className = "name";
  name.style.setProperty("--name", colorOf(item.color));
  name.textContent = nameOf(item.sender);
  const words = document.createElement("bdi");
  words.className = "text";
  words.textContent = cleaned(item.text);
  line.append(name, ": ", words);
  return line;
}
