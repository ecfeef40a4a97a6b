"""What a page makes of commands and snapshots, in cases that a running room shows seldom."""

FACTS = """
const done = arguments[0];
const { Room, lookOf } = await import("/page/room.js");
const { DaemonClock } = await import("/page/clock.js");
const wrong = [];
const fact = (name, holds) => { if (!holds) wrong.push(name); };
const party = (id) => ({ id, name: id });
const append = (seq, id, epoch = 1) => ({
  op: "append", track: "comment", epoch, seq, at: 1000 + seq, items: [{ id, sender: party("u"), color: "#ffffff", text: id }] });
const show = (track, seq, group, at, epoch = 1) => ({
  op: "show", track, epoch, seq, group, at, sender: party("u"), gift: party("g"), base: 0, durationMs: 300, until: at + 3700 });
const snapshot = (members) => ({
  epoch: 1, at: 2000, now: 2000, tracks: [], fold: { seq: 0 }, stage: { seq: 0 }, comment: { seq: 0, items: [] },
  like: { seq: 0, total: 0 }, waiting: 0, paused: {}, ...members });
const texts = (room) => room.comments.map((item) => item.id).join();
const make = () => { const asked = []; return [new Room(() => asked.push(1)), asked]; };

let [room, asked] = make();
room.take(append(5, "five"));
room.takeSnapshot(snapshot({ comment: { seq: 5, items: append(4, "four").items.concat(append(5, "five").items) } }));
fact("who joins in the middle takes what was before from the snapshot", texts(room) === "four,five" && asked.length === 1);

[room, asked] = make();
room.takeSnapshot(snapshot({ comment: { seq: 1, items: append(1, "one").items } }));
room.take(append(2, "two"));
room.take(append(2, "two"));
fact("a seq that was seen is dropped", texts(room) === "one,two" && asked.length === 0);
room.take(append(4, "four"));
fact("a gap asks, and shows what there is", texts(room) === "one,two,four" && asked.length === 1);
room.takeSnapshot(snapshot({ comment: { seq: 4, items: ["one", "two", "three", "four"].flatMap((id) => append(1, id).items) } }));
fact("a snapshot mends a gap", texts(room) === "one,two,three,four");
const kept = room.comments;
room.takeSnapshot(snapshot({ comment: { seq: 4, items: [] } }));
fact("a snapshot of what is seen changes nothing", room.comments === kept);
room.takeSnapshot(snapshot({ epoch: 0 }));
room.take(append(9, "old", 0));
fact("an earlier epoch says nothing", room.comments === kept);
room.take(show("gift/2", 1, 1, 3000));
room.take(append(1, "new", 2));
fact("a new epoch begins anew", texts(room) === "new" && room.banners.size === 0);

[room] = make();
room.take(show("gift/0", 1, 7, 1000));
room.take({ op: "count", track: "gift/0", epoch: 1, seq: 2, group: 7, at: 1300, from: 0, to: 4, durationMs: 1600, until: 5900 });
const number = (now) => lookOf(room.banners.get("gift/0"), now)?.number;
fact("a run goes step by step", [1300, 1699, 1700, 2500, 2900, 5000].map(number).join() === "1,1,2,4,4,4");
fact("a banner that no command ends goes three seconds later", number(8900) === 4 && number(8901) === undefined);
room.take({ op: "pause", track: "gift/0", epoch: 1, seq: 3, at: 1700 });
fact("a pause holds it", room.instantOf("gift/0", 60000) === 1700);
room.take({ op: "resume", track: "gift/0", epoch: 1, seq: 4, at: 61700 });
fact("and afterwards it goes on", number(61700) === 2 && number(62900) === 4 && number(68901) === undefined);

const { Comments } = await import("/page/comments.js");
const list = document.createElement("ol");
const drawn = () => [...list.children].map((line) => line.lastChild.textContent).join();
const comments = new Comments(list, 3);
[room] = make();
for (const [place, id] of ["one", "two", "three", "four", "five"].entries()) room.take(append(place + 1, id));
comments.draw(room, 3000);
const five = list.lastChild;
room.take({ op: "remove", track: "comment", epoch: 1, seq: 6, at: 3000, ids: ["four"] });
comments.draw(room, 3000);
fact("what comes back when a comment is removed stands above", drawn() === "two,three,five" && list.lastChild === five);
room.take(append(8, "seven"));
comments.draw(room, 3000);
room.takeSnapshot(snapshot({ comment: { seq: 8, items: ["five", "six", "seven"].flatMap((id) => append(1, id).items) } }));
comments.draw(room, 3000);
fact("a comment that was missed comes to its place", drawn() === "five,six,seven" && list.firstChild === five);

const luminance = (channels) => channels.slice(0, 3).reduce((sum, value, place) => {
  const share = value / 255;
  return sum + [0.2126, 0.7152, 0.0722][place] * (share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
}, 0);
const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
const ground = document.createElement("li");
document.getElementById("comments").append(ground);
// The ground lets some of the picture through, at worst a white one.
const [, , , opacity] = numbers(getComputedStyle(ground).backgroundColor);
ground.remove();
const behind = luminance(Array(3).fill(255 * (1 - opacity)));
const { colorOf } = await import("/page/text.js");
for (const color of ["#00AEFF", "#00A61C", "#5400E6", "#FF3377", "#FF8800", "#FF5E00", "#CA2EE6", "#000000"]) {
  const contrast = (luminance(numbers(colorOf(color))) + 0.05) / (behind + 0.05);
  fact(`a name in ${color} can be read over a white picture: ${contrast.toFixed(2)}`, contrast >= 3);
}

const { Stage } = await import("/page/stage.js");
const place = document.createElement("section");
const stage = new Stage(place, () => {});
const play = (epoch, name) => ({
  op: "play", track: "stage", epoch, seq: 1, at: 1000, group: 2, sender: { id: name, name }, gift: { id: "g", name: "G" }, count: 99,
  asset: "rocket", durationMs: 5000, deadline: 6000 });
[room] = make();
for (const [epoch, name] of [[1, "Old"], [2, "New"]]) {
  room.take(play(epoch, name));
  stage.draw(room, 1500);
}
fact("a play of the same number in a new epoch is another play", place.querySelector(".sender").textContent === "New");
fact("the stage tells how many", place.querySelector(".gift").textContent === "Gx99");

const { Banners } = await import("/page/banners.js");
const made = [];
const banners = new Banners(document.createElement("ol"), { show: (element) => made.push(element) }, () => {});
[room] = make();
room.take(show("gift/0", 1, 7, 1000));
banners.draw(room, 1100);
room.take({ op: "pause", track: "gift/0", epoch: 1, seq: 2, at: 1200 });
room.take({ op: "resume", track: "gift/0", epoch: 1, seq: 3, at: 9200 });
banners.draw(room, 9210);
room.take({ op: "hold", track: "gift/0", epoch: 1, seq: 5, group: 7, at: 9300, count: 2, until: 12300 });
banners.draw(room, 9310);
room.takeSnapshot(snapshot({ tracks: [{
  track: "gift/0", seq: 5, state: "holding", since: 9300, number: 2, show: show("gift/0", 1, 7, 1000), hold: { count: 2, until: 12300 } }] }));
banners.draw(room, 9320);
fact("neither a pause nor a snapshot makes a banner anew", made.length === 1 && made[0].dataset.number === "2");
room.take(show("gift/0", 1, 7, 20000, 2));
banners.draw(room, 20100);
fact("a group of the same number in a new epoch is another banner", made.length === 2);

const clock = new DaemonClock();
clock.note(5000, 100);
clock.note(5050, 400);
fact("a late word does not put the clock back", Math.abs(clock.now() - performance.now() - 4900) < 1);
done(wrong);
"""


def check_rules(studio, browser):
    browser.get(f"{studio.address}overlay")
    wrong = browser.execute_async_script(f"(async (...arguments) => {{ {FACTS} }})(...arguments)")
    assert wrong == [], f"not so: {wrong}"
    print("rules: gaps, epochs, snapshots, pauses and the clock", flush=True)
