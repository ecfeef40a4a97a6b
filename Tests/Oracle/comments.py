"""The comment list (DESIGN.md, section 4)."""

COLOR_SENDERS = 10_000
SNAPSHOT_ITEMS = 50


class Comments:
    def begin_comments(self):
        self.newComments = []
        self.skipped = 0
        self.list = []                        # what renderers have, oldest first
        self.recent = []                      # those of the list that a snapshot shows
        self.lastAppend = None
        self.namelessComments = 0
        self.colors = {}                      # sender id -> color, by recency
        self.colorsGiven = 0

    def take_comment(self, event, test):
        if not test and event.sender["id"] in self.muted:
            return
        comment_id = None if test else event.id           # READING P: a test's comment has an id of the room's own
        if comment_id is None:
            self.namelessComments += 1
            comment_id = f"lc-{self.epoch}-{self.namelessComments}"
        item = {"id": comment_id, "sender": event.sender, "color": self.color(event.sender["id"]), "text": event.text}
        if event.style:
            item["style"] = event.style
        if test:
            item["test"] = True
        self.newComments.append(item)
        if len(self.newComments) > self.plan.maxItems:
            self.newComments.pop(0)
            self.skipped += 1

    def color(self, sender):
        color = self.colors.pop(sender, None)
        if color is None:
            color = self.plan.colors[self.colorsGiven % len(self.plan.colors)]
            self.colorsGiven += 1
            if len(self.colors) >= COLOR_SENDERS:
                del self.colors[next(iter(self.colors))]
        self.colors[sender] = color
        return color

    def comments_due(self):
        """The instant at which what is new goes out; None: nothing is, or the list stands still."""
        if not self.newComments or self.stands("comment"):
            return None
        return self.not_before(self.lastAppend, self.plan.flushMs)

    def send_comments(self, now):
        items, self.newComments = self.newComments, []
        skipped, self.skipped = self.skipped, 0
        evicted = max(0, len(self.list) + len(items) - self.plan.maxItems)
        self.list = (self.list + items)[evicted:]
        # READING X: a snapshot has the last that were appended, less those that are gone.
        self.recent = (self.recent + items)[-SNAPSHOT_ITEMS:][-self.plan.maxItems:]
        self.lastAppend = now
        self.send(now, "comment", "append", items=items, evicted=evicted, skipped=skipped)

    def remove_comments(self, chosen, now):
        """Those that renderers have are removed by a command; those that they have not, in silence."""
        self.newComments = [c for c in self.newComments if not chosen(c)]
        ids = [c["id"] for c in self.list if chosen(c)]
        self.list = [c for c in self.list if not chosen(c)]
        self.recent = [c for c in self.recent if not chosen(c)]
        if ids:
            self.send(now, "comment", "remove", ids=ids)

    def resume_comments(self, now):
        self.send(now, "comment", "resume")

    def shift_comments(self, length):
        if self.lastAppend is not None:
            self.lastAppend += length

    def comments_seen(self):
        return {"items": self.recent}
