"""Payloads to events (DESIGN.md, section 3)."""

MAX_EVENTS = 10_000


class Rejected(Exception):
    pass


class Event:
    kind = id = time = sender = anonymous = None
    # gift
    gift = receiver = streak = total = None
    count = 1
    combo = True
    end = False
    # comment
    text = style = None


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def mend_surrogates(value):
    """Lone surrogates become U+FFFD, everywhere in a JSON value."""
    if isinstance(value, str):
        return "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in value)
    if isinstance(value, list):
        return [mend_surrogates(v) for v in value]
    if isinstance(value, dict):
        return {mend_surrogates(k): mend_surrogates(v) for k, v in value.items()}
    return value


def is_control(scalar):
    c = ord(scalar)
    return c < 0x20 or 0x7F <= c <= 0x9F or 0x202A <= c <= 0x202E or 0x2066 <= c <= 0x2069


def clean(text, limit):
    text = "".join(c for c in text if not is_control(c))
    size = 0
    for position, c in enumerate(text):
        size += len(c.encode())
        if size > limit:
            return text[:position]
    return text


def read_id(value):
    """The text of an id; None where there is none. READING D: neither string nor integer, or empty: none."""
    if is_integer(value):
        value = str(value)
    if not isinstance(value, str) or value == "":
        return None
    if len(value.encode()) > 256:
        raise Rejected("id-too-long")
    return value


def read_number(value, low, high, reason):
    if not is_integer(value) or not low <= value <= high:
        raise Rejected(reason)
    return value


def read_party(value, extras, missing):
    """A sender, receiver or gift: the object that commands carry (id, name and what was given of extras)."""
    if isinstance(value, str):
        value = {"id": value, "name": value}
    if not isinstance(value, dict):
        raise Rejected(missing)
    party_id = read_id(value.get("id"))
    if party_id is None and value.get("anonymous") is True and missing == "missing-sender":
        party_id = "anonymous"
    if party_id is None:
        raise Rejected(missing)
    name = value.get("name")
    name = clean(name, 256) if isinstance(name, str) else ""
    party = {"id": party_id, "name": name or party_id}
    for extra in extras:
        given = value.get(extra)
        if given is None:
            continue
        if extra == "price":
            party["price"] = read_number(given, 0, 10 ** 12, "bad-price")
        elif extra == "level":
            if is_integer(given):
                party["level"] = given
        elif isinstance(given, str):        # avatar, icon: passed through
            party[extra] = given
    return party


def read_event(element, kind):
    if not isinstance(element, dict):
        raise Rejected("unknown-type")
    if kind == "batch":
        kind = element.get("type")
        if kind not in ("gift", "comment", "like"):
            raise Rejected("unknown-type")
    event = Event()
    event.kind = kind
    event.id = read_id(element.get("id"))
    if is_integer(element.get("time")):
        event.time = element["time"]
    event.sender = read_party(element.get("sender"), ["level", "avatar"], "missing-sender")
    event.anonymous = isinstance(element["sender"], dict) and element["sender"].get("anonymous") is True
    if kind == "comment":
        text = element.get("text")
        event.text = clean(text, 2000) if isinstance(text, str) else ""
        if event.text == "":
            raise Rejected("missing-text")
        style = element.get("style")
        event.style = clean(style, 256) if isinstance(style, str) else ""
        return event
    count, total = element.get("count"), element.get("total")
    if total is not None:
        # A room's likes are far more than its gifts: their total is what fits a double exactly.
        event.total = read_number(total, 1, 2 ** 53 if kind == "like" else 1_000_000, "bad-count")
    if kind == "like":
        event.count = None
        if count is not None:
            event.count = read_number(count, 1, 1_000_000, "bad-count")
        elif total is None:
            event.count = 1                  # READING E: a like with neither counts 1, as a gift does
        return event
    if total is None and count is not None:  # with both, count is not read at all
        event.count = read_number(count, 1, 1_000_000, "bad-count")
    gift = element.get("gift")
    if gift is None:
        gift = element.get("giftName")
    event.gift = read_party(gift, ["price", "icon"], "missing-gift")
    if element.get("receiver") is not None:
        try:
            event.receiver = read_party(element["receiver"], ["level", "avatar"], "no-receiver")
        except Rejected as rejection:
            if str(rejection) != "no-receiver":
                raise                        # READING D: a receiver without an id is no receiver
    event.combo = element.get("combo") is not False
    event.streak = read_id(element.get("streak"))
    event.end = element.get("end") is True
    return event


def decode(payload, kind):
    if isinstance(payload, dict):
        payload = payload["events"] if "events" in payload else [payload]
    if not isinstance(payload, list) or len(payload) > MAX_EVENTS:
        return []                            # rejected whole
    events = []
    for element in payload:
        try:
            events.append(read_event(element, kind))
        except Rejected:
            pass
    return events
