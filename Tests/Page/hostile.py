"""Names and texts of strangers who mean no good."""

from studio import until

TEXTS = [
    "<img src=x onerror=window.hacked=1>", "<script>window.hacked=1</script>", "</li></ol><h1>big</h1>",
    "<svg onload=window.hacked=1>", "&lt;b&gt;", "${window.hacked=1}", "{{page-token}}", "javascript:window.hacked=1",
    "'\"><iframe src=/>", "\\u003cb\\u003e", "%3Cb%3E", "<style>*{display:none}</style>", "<!--", "]]>",
    "\u202egnp.exe", "\u2066\u2067abc", "a\u200b\u200bb", "z" + "\u0301" * 200, "W" * 250, "👨‍👩‍👧‍👦🏳️‍🌈",
    "漢字かな交じり文", "مرحبا بالعالم", "\u3164", "__proto__", "constructor", "data:,x\nevent: command\ndata: {}",
]
# They show nothing, by whatever means.
INVISIBLE = ["\u200d\u200d", "\u034f", "\u2800\u2800", "\ufe0f", "\u0301\u0489", "\U000e0080", "\ufff0"]
# Pictures: what a viewer's address must not make the page ask, and what it may.
NEAR = [
    "http://localhost/", "http://127.0.0.1:4455/x", "http://2130706433/", "http://0x7f.1/", "http://0/", "http://10.1.2.3/",
    "http://172.31.0.1/", "http://192.168.1.1/reboot", "http://169.254.169.254/", "http://100.64.0.1/", "http://[::1]/",
    "http://[::ffff:127.0.0.1]/", "http://[fe80::1]/", "http://[fd00::1]/", "http://router/", "http://nas.local/",
    "http://a.localhost./", "http://x@127.0.0.1/", "HTTP://LOCALHOST/", "http://localhost../", "http://fritz.box/", "http://x.fritz.box/",
    "http://router.home/", "http://a.corp/", "http://a.localdomain/", "http://a.intranet/", "http://255.255.255.255/", "http://224.0.0.1/",
    "http://198.18.0.1/", "http://192.0.0.1/", "http://[2002:7f00:1::]/", "http://[2::1]/",
]
FAR = [
    "https://cdn.example/a.png", "http://172.32.0.1/", "http://100.128.0.1/", "http://11.0.0.1/", "http://198.20.0.1/",
    "http://220.1.1.1/", "http://192.0.1.1/", "http://fritz.box.example/", "http://home.example/", "https://[2606:4700::1]/a",
]
# Neither a picture nor a film may be loaded from these, and nothing may run.
ADDRESSES = [
    "javascript:window.hacked=1", "data:text/html,<script>window.hacked=1</script>", "file:///etc/passwd",
    "//evil.example/x", "vbscript:x", "blob:x", "http://127.0.0.1:9/x", "http://localhost:9/x",
]


def is_plain(text):
    """True if it is shown to the letter: the rest loses marks, towers of accents or what shows nothing."""
    return text.isprintable() and "\u0301" not in text and text != "\u3164"


def check_hostile_texts(studio, browser):
    browser.get(f"{studio.address}overlay?room=quiet&comments=50")
    replies = browser.controls("quiet", [{"op": "test", "event": event} for event in events()])
    # A text that shows nothing at all may be refused; nothing else.
    refused = [reply for reply in replies if not reply["ok"]]
    assert len(refused) <= 2, refused
    lines = "return [...document.querySelectorAll('#comments li')].map((line) => line.lastChild.textContent)"
    until(lambda: len(browser.execute_script(lines)) >= len(TEXTS) - 1, "not all texts are shown")
    until(lambda: browser.execute_script("return document.querySelector('.banner') !== null"), "no banner comes")
    shown = browser.execute_script(lines)
    for text in filter(is_plain, TEXTS):
        assert text in shown, f"{text!r} is not shown as it is: {shown}"
    assert not any(mark in text for text in shown for mark in "\u202e\u200b\u2066\u2067"), "marks of direction stay"
    assert max(text.count("\u0301") for text in shown) <= 3, "a tower of accents stays"
    cut = browser.execute_script("""
      return [...document.querySelectorAll("#comments li")].filter((line) => {
        const style = getComputedStyle(line);
        const height = line.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
        const count = height / parseFloat(style.lineHeight);
        return count > 4.1 || Math.abs(count - Math.round(count)) > 0.1;
      }).map((line) => line.textContent);""")
    assert not cut, f"of lines a part is cut off: {cut}"
    names = browser.execute_script(
        "return [...new Set([...document.querySelectorAll('#comments *, #banners *')].map((element) => element.tagName))]")
    assert set(names) <= {"LI", "BDI", "DIV", "SPAN", "svg", "circle"}, f"a text became an element: {names}"
    assert browser.execute_script("return window.hacked === undefined"), "a text was run"
    assert browser.execute_script("return {}.hacked === undefined"), "a prototype was changed"
    wide = browser.execute_script(
        "return [...document.querySelectorAll('#comments li, .banner')].filter((element) => {"
        "const place = element.getBoundingClientRect(); return place.right > innerWidth || place.height > 140; }).length")
    assert wide == 0, f"{wide} elements break the layout"
    loaded = browser.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert all(name.startswith(studio.address) for name in loaded), f"something foreign was loaded: {loaded}"
    crowded = browser.execute_script("""
      return [...document.querySelectorAll("#comments li")].filter((line) => {
        const name = line.querySelector(".name").getBoundingClientRect();
        return name.height > 1.6 * parseFloat(getComputedStyle(line).lineHeight) || name.width > 16.1 * parseFloat(getComputedStyle(line).fontSize);
      }).map((line) => line.textContent);""")
    assert not crowded, f"names leave their texts no room: {crowded}"
    nameless = browser.execute_async_script("""
      const [names, done] = arguments;
      import("/page/text.js").then(({ nameOf }) => done(names.map((name) => nameOf({ id: "u1", name }))));""", INVISIBLE)
    assert nameless == ["u1"] * len(INVISIBLE), f"who has no name that shows is not called by the id: {nameless}"
    near, far, own = browser.execute_async_script("""
      const [near, far, own, done] = arguments;
      import("/page/text.js").then(({ pictureAddress }) => done([
        near.filter((address) => pictureAddress(address)), far.filter((address) => !pictureAddress(address)),
        pictureAddress(own)]));""", NEAR, FAR, studio.address + "themes/a.png")
    assert not near and not far and own, f"addresses: asked {near}, not asked {far}, our own {own}"
    print(f"texts: {len(TEXTS)} hostile ones stayed text", flush=True)


def events():
    for place, text in enumerate(TEXTS):
        address = ADDRESSES[place % len(ADDRESSES)]
        sender = {"id": f"u{place}", "name": text, "avatar": address}
        yield {"type": "comment", "sender": sender, "text": text}
        yield {"type": "gift", "sender": sender, "gift": {"id": text, "name": text, "icon": address}}
