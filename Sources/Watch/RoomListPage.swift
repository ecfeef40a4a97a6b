public import Base
public import Screen

/// Draws the rooms with what they show, and marks the chosen one.
public enum RoomListPage {
  /// Draws it as it is at an instant of the daemon's clock into the rows of a range.
  public static func draw(_ list: RoomList, at now: Instant, rows: Range<Int>, on canvas: inout Canvas) {
    guard !list.rooms.isEmpty else {
      let words = [
        "No room yet. A room is here as long as the broker keeps a snapshot of it,",
        "and comes with its first gift, comment or like.",
      ]
      for (place, line) in words.enumerated() {
        canvas.write(line, row: rows.lowerBound + 1 + place, column: 1, width: canvas.columns - 2, .dim)
      }
      return
    }
    let columns = Columns(canvas.columns)
    writeHead(columns, row: rows.lowerBound, on: &canvas)
    let space = max(1, rows.count - 1)
    let chosen = list.chosenIndex ?? 0
    // Whole pages, so that the lines stand still while the choice moves.
    let first = chosen / space * space
    for (place, room) in list.rooms.dropFirst(first).prefix(space).enumerated() {
      let row = rows.lowerBound + 1 + place
      draw(room, isChosen: first + place == chosen, at: now, columns, row: row, on: &canvas)
    }
  }

  /// Where the columns are.
  private struct Columns {
    let name = 3
    let shows: Int
    let waitingEnd: Int
    let likesEnd: Int
    let ageEnd: Int

    init(_ width: Int) {
      ageEnd = width - 1
      likesEnd = ageEnd - 9
      waitingEnd = likesEnd - 11
      shows = min(24, max(12, width / 4))
    }
  }

  private static func writeHead(_ columns: Columns, row: Int, on canvas: inout Canvas) {
    canvas.write("room", row: row, column: columns.name, .dim)
    canvas.write("shows", row: row, column: columns.shows, .dim)
    canvas.write("waiting", row: row, endingAt: columns.waitingEnd, .dim)
    canvas.write("likes", row: row, endingAt: columns.likesEnd, .dim)
    canvas.write("changed", row: row, endingAt: columns.ageEnd, .dim)
  }

  private static func draw(
    _ room: RoomLine, isChosen: Bool, at now: Instant, _ columns: Columns, row: Int, on canvas: inout Canvas
  ) {
    let style = isChosen ? Style(isBold: true, isReversed: true) : .plain
    if isChosen { canvas.fill(row: row, style) }
    canvas.write(isChosen ? "▸" : " ", row: row, column: 1, style)
    canvas.write(
      room.name, row: row, column: columns.name, width: columns.shows - columns.name - 1, style)
    let end = columns.waitingEnd - 8
    canvas.write(
      shown(in: room.picture, at: now), row: row, column: columns.shows, width: end - columns.shows, style)
    canvas.write("\(room.picture.waiting)", row: row, endingAt: columns.waitingEnd, width: 7, style)
    canvas.write("\(room.picture.likeTotal)", row: row, endingAt: columns.likesEnd, width: 10, style)
    canvas.write(
      PageWords.age(now - room.writtenAt), row: row, endingAt: columns.ageEnd, width: 8, style)
  }

  /// What a room shows, in a line: the group of the highest number, and how many more.
  private static func shown(in picture: RoomPicture, at now: Instant) -> String {
    if picture.tracks.contains(where: { $0.pausedSince != nil }) { return "paused" }
    let busy = picture.tracks.filter { $0.banner(at: now) != nil }
    guard let highest = busy.max(by: { $0.number(at: now) < $1.number(at: now) }),
      let banner = highest.banner(at: now)
    else { return picture.comments.last.map { "\($0.sender): \($0.text)" } ?? "" }
    let more = busy.count > 1 ? ", \(busy.count - 1) more" : ""
    return "\(PageWords.words(of: banner.giving)) x\(highest.number(at: now))\(more)"
  }
}
