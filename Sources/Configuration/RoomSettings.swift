import Base

/// The settings that a room may have of its own, in the order of the documentation.
enum RoomSettings {
  static let table = SettingTable<RoomDraft>(
    gift + catalogue + comment + like + stage + snapshot + ledger + limits)

  private typealias Row = SettingRow<RoomDraft>

  private static let minute: Int64 = 60_000
  private static let day: Int64 = 86_400_000

  private static let gift: [Row] =
    [
      SettingRow(
        "gift.preset", \.preset, .choice, turn: .first, isPerRoom: true,
        """
        Where the gift settings start from; what is given beside it goes on top. 'classic' shows every step \
        of every combo and never folds, so viewers of a busy room wait for minutes.
        """),
      SettingRow(
        "gift.tracks", \.gift.trackMinPriorities, .tracks, isPerRoom: true,
        """
        How many banners are shown at a time. As a list, one {minPriority: 0 to 9} a track: a track with \
        more than 0 is kept for gifts of that priority.
        """),
    ] + giftTimes + giftQueue

  private static let giftTimes: [Row] = [
    SettingRow(
      "gift.showMs", \.gift.showMilliseconds, .milliseconds(0...10 * minute), isPerRoom: true,
      "How long a banner takes to appear, before its number starts to run."),
    SettingRow(
      "gift.stepMs", \.gift.stepMilliseconds, .milliseconds(0...10 * minute), isPerRoom: true,
      "How long the number takes for one step of a combo."),
    SettingRow(
      "gift.catchUpMs", \.gift.catchUpMilliseconds, .milliseconds(0...10 * minute), isPerRoom: true,
      """
      The most that one run of the number takes, however many steps it has: a burst of 500 must not run for \
      minutes.
      """
    ),
    SettingRow(
      "gift.holdMs", \.gift.holdMilliseconds, .milliseconds(0...10 * minute), isPerRoom: true,
      """
      The combo window: how long a banner waits for more of the same gift. Let the sender's combo button \
      stay as long.
      """
    ),
    SettingRow(
      "gift.holdBusyMs", \.holdBusyMilliseconds, .milliseconds(0...10 * minute), isPerRoom: true,
      """
      The combo window while others wait for the track, at most holdMs. Where it is not given, it is never \
      more than holdMs, and with 'classic' it is holdMs.
      """),
    SettingRow(
      "gift.hideMs", \.gift.hideMilliseconds, .milliseconds(0...10 * minute), isPerRoom: true,
      "How long a banner takes to disappear, before its track is free."),
    SettingRow(
      "gift.maxGroupMs", \.gift.maxGroupMilliseconds, .milliseconds(0...day), isPerRoom: true,
      "How long one combo may keep a track that another could use; then it queues again. 0: for ever."),
    SettingRow(
      "gift.minPace", \.gift.minPacePermille, .thousandths(0...1000), isPerRoom: true,
      "When many wait, lengths shrink down to this share of themselves. 1.0: they never shrink."),
    SettingRow(
      "gift.perStep", \.gift.countsPerStep, .boolean, isPerRoom: true,
      "True: the number runs one step at a time, even if a hundred came at once."),
    SettingRow(
      "gift.leaveNumber", \.gift.leavesNumber, .boolean, isPerRoom: true,
      """
      True: a combo that had to hide within holdMs, because others waited, goes on from its number when it \
      comes back.
      """),
  ]

  private static let giftQueue: [Row] = [
    SettingRow(
      "gift.maxWaiting", \.gift.maxWaiting, .count(0...1_000_000), isPerRoom: true,
      """
      How many combos may wait for a track. One more, and the least important folds into a summary. 0: none \
      waits.
      """
    ),
    SettingRow(
      "gift.agingMs", \.gift.agingMilliseconds, .milliseconds(0...day), isPerRoom: true,
      "What waits gains one of priority for each of these, so that small gifts have their turn. 0: never."),
    SettingRow(
      "gift.foldAfterMs", \.gift.foldAfterMilliseconds, .milliseconds(0...day), isPerRoom: true,
      "What has waited this long folds into a summary instead of a banner: older is no longer news. 0: never."
    ),
    SettingRow(
      "gift.protectPriority", \.gift.protectPriority, .count(0...10), isPerRoom: true,
      "Gifts of this priority or more never fold by waiting. 10: any may fold; 0: none."),
    SettingRow(
      "gift.foldEveryMs", \.gift.foldEveryMilliseconds, .milliseconds(0...10 * minute), isPerRoom: true,
      "The least time between two summaries."),
    SettingRow(
      "gift.maxFoldItems", \.gift.maxFoldItems, .count(1...10_000), isPerRoom: true,
      "A summary of this many lines goes out at once."),
    SettingRow(
      "gift.streakGapMs", \.gift.streakGapMilliseconds, .milliseconds(0...day), isPerRoom: true,
      """
      For sources that send totals without a streak id: after this much silence a total starts anew, so that \
      the next combo is not taken for the rest of the last.
      """),
    SettingRow(
      "gift.maxStreaks", \.gift.maxStreaks, .count(1...1_000_000), isPerRoom: true,
      "Streaks remembered in a room. A new one that finds no place is rejected."),
    SettingRow(
      "gift.maxLeftNumbers", \.gift.maxLeftNumbers, .count(0...1_000_000), isPerRoom: true,
      "Numbers of hidden combos remembered in a room (leaveNumber)."),
    SettingRow(
      "gift.rules", \.gift.rules, records: rules, count: 0...1000, isPerRoom: true,
      """
      Which gifts matter more. The first rule whose conditions all hold gives the priority; without one it \
      is 0. A rule with an asset also plays it full-screen, on the stage.
      """
    ),
  ]

  private static let rules = SettingTable<PriorityRule>([
    SettingRow(
      "priority", \.priority, .count(0...9), isRequired: true,
      "The priority of a gift that matches."),
    SettingRow(
      "minLevel", \.minLevel, Codec.integer(0...1_000_000_000).optional,
      "The sender's level is at least this."),
    SettingRow(
      "senders", \.senders, .list(.utf8(.id), count: 0...10_000),
      "The sender's id is one of these; empty: any."),
    SettingRow(
      "gifts", \.gifts, .list(.utf8(.id), count: 0...10_000),
      "The gift's id is one of these; empty: any."),
    SettingRow(
      "minValue", \.minValue, Codec.integer(0...1_000_000_000_000_000_000).optional,
      "price × count is at least this, in the unit in which the room sends prices."),
    SettingRow(
      "asset", \.asset, .utf8(.asset),
      "What a gift that matches also plays full-screen; renderers know what it means. Empty: nothing."),
    SettingRow(
      "durationMs", \.durationMilliseconds, .milliseconds(0...10 * minute),
      "How long the asset plays at most."),
  ])

  private static let catalogue: [Row] = [
    SettingRow(
      "gifts", \.gifts, .catalogue(entry), isPerRoom: true,
      members: entry.members(of: "gifts", isPerRoom: true),
      """
      What single gifts are called, look like, cost and are worth on screen. What is given here wins over what a \
      payload says; what is not given stays as the payload says. A room's own list takes the place of this one.
      """)
  ]

  private static let entry = SettingTable<CatalogueEntry>([
    SettingRow(
      "gift", \.gift, .utf8(.id), isRequired: true,
      "The gift's id; or its name, for gifts of whose id there is no entry. It stays what combos and the ledger know."
    ),
    SettingRow("name", \.name, .utf8(.giftName), "What renderers show as its name."),
    SettingRow("icon", \.icon, .utf8(.address), "The address of its picture."),
    SettingRow(
      "price", \.price, Codec.integer(0...1_000_000_000_000).optional,
      "The price of one, in the unit in which the room counts; rules on value and the ledger take this one."),
    SettingRow(
      "priority", \.priority, Codec<Int>.count(0...9).optional,
      "The least priority that it has: of this and that of the first rule that matches, the higher counts."),
    SettingRow(
      "asset", \.asset, .utf8(.asset),
      "What it plays full-screen, where the first rule that matches names no asset."),
    SettingRow(
      "durationMs", \.durationMilliseconds, .milliseconds(0...10 * minute),
      "How long that plays at most."),
  ])

  private static let stage: [Row] = [
    SettingRow(
      "stage.maxWaiting", \.stage.maxWaiting, .count(0...1000), isPerRoom: true,
      """
      How many big gifts may wait for the stage. One more, and the oldest of the least important does not \
      play; its banner is shown all the same.
      """),
    SettingRow(
      "stage.leader", \.stage.leader, .utf8(.optionalName), isPerRoom: true,
      """
      The name of the renderer whose feedback ends a play before its durationMs. Empty: none, and what \
      renderers say about plays is only counted.
      """),
  ]

  private static let snapshot: [Row] = [
    SettingRow(
      "snapshot.everyMs", \.snapshot.everyMilliseconds, .milliseconds(0...10 * minute), isPerRoom: true,
      """
      How far the retained snapshot of a room may be behind while the room changes. 0: it is written only when \
      a renderer asks for it.
      """)
  ]

  private static let comment: [Row] = [
    SettingRow(
      "comment.maxItems", \.comment.maxItems, .count(1...100_000), isPerRoom: true,
      "Length of the comment list; the oldest leave."),
    SettingRow(
      "comment.flushMs", \.comment.flushMilliseconds, .milliseconds(0...minute), isPerRoom: true,
      "The least time between two commands with comments: what comes in between goes out together."),
    SettingRow(
      "comment.colors", \.comment.colors, .list(.utf8(.color), count: 1...256), isPerRoom: true,
      "Colours of the names. Each new sender takes the next in turn and keeps it."),
    SettingRow(
      "comment.maxSenders", \.comment.maxSenders, .count(1...1_000_000), isPerRoom: true,
      "Senders of a room whose colour is remembered."),
  ]

  private static let like: [Row] = [
    SettingRow(
      "like.burstMs", \.like.burstMilliseconds, .milliseconds(0...minute), isPerRoom: true,
      "The least time between two bursts of likes."),
    SettingRow(
      "like.showerMs", \.like.showerMilliseconds, .milliseconds(0...10 * minute), isPerRoom: true,
      "How long hearts fall after the last burst."),
    SettingRow(
      "like.maxParticles", \.like.maxParticles, .count(0...1000), isPerRoom: true,
      "The most hearts that a burst asks for, whatever the count: renderers have to draw them."),
  ]

  private static let ledger: [Row] = [
    SettingRow(
      "ledger.priceUnit", \.priceUnit, .textOrNone(.unit), isPerRoom: true,
      """
      What the prices of gifts count: coin, diamond, EUR cent. `livecue ledger` shows it beside the values, and \
      adds up no values of two units.
      """)
  ]

  private static let limits: [Row] = [
    SettingRow(
      "limits.maxBatchBytes", \.limits.maxBatchBytes, .bytes(1024...268_435_455), isPerRoom: true,
      "A larger payload is rejected whole. Let the broker's max_packet_size be no less."),
    SettingRow(
      "limits.maxEvents", \.limits.maxEvents, .count(1...1_000_000), isPerRoom: true,
      "A payload of more elements is rejected whole."),
    SettingRow(
      "limits.maxDepth", \.limits.maxDepth, .count(4...1000), isPerRoom: true,
      "A payload that nests deeper is rejected whole; [{\"a\":{}}] is 3 deep."),
    SettingRow(
      "limits.maxNameBytes", \.limits.maxNameBytes, .bytes(16...4096), isPerRoom: true,
      "Longer names are cut at a character."),
    // The upper limits of texts keep one event's command below the least maxCommandBytes, escapes included.
    SettingRow(
      "limits.maxTextBytes", \.limits.maxTextBytes, .bytes(16...16_384), isPerRoom: true,
      "Longer comments are cut at a character."),
    SettingRow(
      "limits.maxCommandBytes", \.limits.maxCommandBytes, .bytes(65_536...268_435_455), isPerRoom: true,
      "Longer commands are split. Let the broker's max_packet_size be no less."),
    SettingRow(
      "limits.maxGiftIds", \.limits.maxGiftIDs, .count(1...10_000_000), isPerRoom: true,
      "Ids of gifts remembered in a room, so that a repeated one is not counted twice."),
    SettingRow(
      "limits.maxOtherIds", \.limits.maxOtherIDs, .count(1...10_000_000), isPerRoom: true,
      "Ids of comments and likes remembered in a room."),
    SettingRow(
      "limits.giftIdMs", \.limits.giftIDMilliseconds, .milliseconds(0...30 * day), isPerRoom: true,
      "How long a gift's id is remembered: longer than any publisher repeats itself."),
    SettingRow(
      "limits.maxMuted", \.limits.maxMuted, .count(0...1_000_000), isPerRoom: true,
      "Senders of a room that may be muted at a time. One more is refused."),
    SettingRow(
      "limits.awayMaxMs", \.limits.awayMaxMilliseconds, .milliseconds(0...30 * day), isPerRoom: true,
      "After the service was away for longer, what waits folds instead of being shown late."),
    SettingRow(
      "limits.roomIdleMs", \.limits.roomIdleMilliseconds, .milliseconds(1000...30 * day), isPerRoom: true,
      "A room in which nothing happens for this long leaves the memory. It starts anew when it returns."),
  ]
}
