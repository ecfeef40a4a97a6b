// The stage, and the fold banner: what is shown whole or not at all.

import { orphanMilliseconds } from "./room.js";
import { emojiOf, nameOf, pictureAddress } from "./text.js";

const foldMilliseconds = 4000;

export class Stage {
  // `report(op, group)` tells the daemon that a play is over, if this page leads.
  constructor(place, report) {
    this.place = place;
    this.report = report;
    this.group = null;
  }

  draw(room, now) {
    // A stage that is paused stays as it is.
    const instant = room.instantOf("stage", now);
    const play = room.play && instant < room.play.deadline + orphanMilliseconds ? room.play : null;
    // A new epoch numbers its groups from 1 again.
    const group = play && `${room.epoch}/${play.group}`;
    if (group === this.group) return;
    this.group = group;
    this.place.hidden = !play;
    this.place.replaceChildren(...(play ? this.#content(play, instant) : []));
  }

  #content(play, now) {
    const card = document.createElement("div");
    card.className = "card";
    const name = document.createElement("bdi");
    name.className = "sender";
    name.textContent = nameOf(play.sender);
    // However long the name is, the count stays to be seen.
    const gift = document.createElement("div");
    gift.className = "gift";
    gift.append(Object.assign(document.createElement("bdi"), { textContent: nameOf(play.gift) }));
    if (play.count > 1) gift.append(Object.assign(document.createElement("span"), { textContent: `x${play.count}` }));
    const medium = this.#medium(play, now);
    if (medium) {
      card.append(name, gift);
      return [medium, card];
    }
    const emblem = document.createElement("span");
    emblem.className = "emblem";
    emblem.textContent = emojiOf(nameOf(play.gift)) ?? "🎁";
    card.append(emblem, name, gift);
    return [card];
  }

  #medium(play, now) {
    const address = pictureAddress(play.asset);
    if (!address) return null;
    const isFilm = /\.(webm|mp4|mov)$/i.test(new URL(address).pathname);
    const medium = document.createElement(isFilm ? "video" : "img");
    medium.onerror = () => {
      medium.remove();
      this.report("failed", play.group);
    };
    if (isFilm) {
      medium.muted = true;
      medium.autoplay = true;
      medium.playsInline = true;
      // A page that comes late shows the present.
      medium.onloadedmetadata = () => {
        const age = (now - (play.deadline - play.durationMs)) / 1000;
        if (age > 0.3 && age < medium.duration) medium.currentTime = age;
      };
      medium.onended = () => this.report("done", play.group);
    }
    medium.src = address;
    return medium;
  }
}

export class Fold {
  constructor(place) {
    this.place = place;
    this.drawn = null;
  }

  draw(room, now) {
    const fold = room.fold && room.instantOf("gift/fold", now) < room.fold.at + foldMilliseconds ? room.fold : null;
    if (fold === this.drawn) return;
    this.drawn = fold;
    this.place.hidden = !fold;
    if (!fold) return;
    const gifts = fold.gifts === 1 ? "1 gift" : `${fold.gifts} gifts`;
    const viewers = fold.senders === 1 ? "1 viewer" : `${fold.senders} viewers`;
    this.place.textContent = `+${gifts} from ${viewers}`;
  }
}
