// Names and texts come from strangers. They are only ever put into text nodes; here is what even a text may do.

// Controls, marks of direction and characters without width. U+200D joins emoji, and U+FE0F makes them coloured.
const unwanted = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
// A tower of accents over one letter reaches into the lines above; three are enough for every language.
const towers = /(\p{M}{3})\p{M}+/gu;

// Spaces, and what only joins or adorns: a text of nothing else shows nothing.
const visible = /[^\p{M}\p{Z}\p{DI}\s\u2800]/u;

export function cleaned(text) {
  const left = String(text ?? "").replace(unwanted, "").replace(towers, "$1").trim();
  return visible.test(left) ? left : "";
}

// The name of a sender or a gift; one that shows nothing at all is its id.
export function nameOf(party) {
  return cleaned(party?.name) || cleaned(party?.id) || "?";
}

// Where pictures may come from: the setting overlay.pictureHosts.
const pictureHosts = (document.querySelector("meta[name=picture-hosts]")?.content ?? "*").split(" ").filter(Boolean);

// Names of this machine and its networks, and addresses that nobody else can reach.
const nearNames = /^([^.]+|fritz\.box|.*\.(localhost|localdomain|local|internal|intranet|private|corp|lan|home|home\.arpa|fritz\.box))$/;
const nearAddresses = /^(0|10|127|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|192\.0\.0|198\.1[89]|22[4-9]|2[3-5]\d)\./;

// A stranger's address must not make the page ask what only this machine reaches. A name or a redirection may still
// lead there; who names the hosts has the browser keep to them.
function isNear(host) {
  const name = host.replace(/\.+$/, "");
  // Of IPv6 only what is routed everywhere, without 6to4, which holds an IPv4 address.
  if (name.startsWith("[")) return !/^\[(2(?!002:)|3)[0-9a-f]{3}:/.test(name);
  return /^[\d.]+$/.test(name) ? nearAddresses.test(name) : nearNames.test(name);
}

function mayLoadFrom(url) {
  // Of our own only files beside themes: a stranger's address must not take a reader's place in a room's stream.
  if (url.origin === location.origin) return url.pathname.startsWith("/themes/");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return pictureHosts.some((entry) => {
    if (entry === "*") return !isNear(url.hostname);
    const [name, wanted] = entry.toLowerCase().split(":");
    if (wanted ? wanted !== port : url.port) return false;
    return name.startsWith("*.") ? url.hostname.endsWith(name.slice(1)) : url.hostname === name;
  });
}

// Whoever awaits a picture of a host that is left out finds the reason in the console, once.
const toldHosts = new Set();

function tellLeftOut(host) {
  if (toldHosts.has(host) || toldHosts.size === 20) return;
  toldHosts.add(host);
  console.warn(`no picture of ${host} is loaded: the setting overlay.pictureHosts leaves it out`);
}

// An address that may be loaded; null for every other text.
export function pictureAddress(text) {
  if (typeof text !== "string" || !/^https?:\/\//i.test(text)) return null;
  try {
    const url = new URL(text);
    if (!/^https?:$/.test(url.protocol)) return null;
    if (mayLoadFrom(url)) return url.href;
    tellLeftOut(url.host);
    return null;
  } catch {
    return null;
  }
}

// The first character as people see it.
export function firstCharacter(text) {
  for (const { segment } of new Intl.Segmenter().segment(text)) return segment;
  return "?";
}

// The first emoji of a name, whole; null if there is none.
export function emojiOf(text) {
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (/\p{Extended_Pictographic}/u.test(segment)) return segment;
  }
  return null;
}

const plainColor = /^#[0-9a-f]{6}$/i;
// Below it a colour cannot be read on the dark ground of a comment.
const leastLuminance = 0.3;

// The colour of a name, made lighter as far as it must be to be read.
export function colorOf(text) {
  if (!plainColor.test(text ?? "")) return "#ffffff";
  const channels = [1, 3, 5].map((place) => parseInt(text.slice(place, place + 2), 16) / 255);
  const luminance = (values) => values.reduce((sum, value, place) => sum + [0.2126, 0.7152, 0.0722][place] * value ** 2.2, 0);
  let share = 0;
  const lighter = () => channels.map((value) => value + (1 - value) * share);
  while (luminance(lighter()) < leastLuminance) share += 0.04;
  return `rgb(${lighter().map((value) => Math.round(value * 255)).join(", ")})`;
}

// A hue from 0 to 359 that belongs to a text.
export function hueOf(text) {
  let hash = 7;
  for (const character of String(text ?? "")) hash = (hash * 31 + character.codePointAt(0)) % 65_521;
  return hash * 137 % 360;
}
