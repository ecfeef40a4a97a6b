"""Folds (DESIGN.md, section 4)."""


class Folds:
    def begin_folds(self):
        self.foldItems = []                   # [key or None, item]
        self.foldGroups = 0
        self.foldDeadline = None
        self.lastFold = None

    def folds_by_time(self, group):
        return self.plan.foldAfterMs > 0 and group.priority < self.plan.protectPriority

    def fold_waiting(self, group, now):
        self.waiting.remove(group)
        pending, group.pending = group.pending, 0
        self.fold(group, pending, now)

    def fold(self, group, count, now):
        clock = self.clock("gift", now)
        self.foldGroups += 1
        self.add(self.foldedSum, group.key, count)
        for key, item in self.foldItems:
            if not group.single and key == group.key:
                item["count"] += count
                break
        else:
            item = {**group.objects, "count": count, **group.mark}
            self.foldItems.append((None if group.single else group.key, item))
        if self.foldDeadline is None:
            self.foldDeadline = clock if self.lastFold is None else max(clock, self.lastFold + self.plan.foldEveryMs)
        if len(self.foldItems) >= self.plan.maxFoldItems:               # READING V: in a pause too
            self.send_fold(now)

    def send_fold(self, now):
        items = [item for _, item in self.foldItems]
        self.send(now, "gift/fold", "fold", groups=self.foldGroups, gifts=sum(i["count"] for i in items),
                  senders=len({i["sender"]["id"] for i in items}), items=items)
        self.foldItems, self.foldGroups, self.foldDeadline = [], 0, None
        self.lastFold = self.clock("gift", now)
