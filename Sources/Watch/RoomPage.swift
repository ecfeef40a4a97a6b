public import Base
public import Screen

/// Draws one room: its tracks, stage, folds, likes and comments.
public struct RoomPage {
  private let picture: RoomPicture
  private let now: Instant
  private var canvas: Canvas
  private var row = 0

  /// Cells of the bar that shows the combo window.
  private static let barColumns = 10
  /// Where the names begin, after track and state.
  private static let nameColumn = 18
  /// Columns below which bar and seconds are left out.
  private static let narrowColumns = 60

  private init(_ picture: RoomPicture, at now: Instant, on canvas: Canvas) {
    self.picture = picture
    self.now = now
    self.canvas = canvas
  }

  /// Draws a room as it is at an instant of the daemon's clock into the rows of a range.
  public static func draw(_ picture: RoomPicture, at now: Instant, rows: Range<Int>, on canvas: inout Canvas)
  {
    var page = RoomPage(picture, at: now, on: canvas)
    page.row = rows.lowerBound
    page.drawAll(until: rows.upperBound)
    canvas = page.canvas
  }

  private mutating func drawAll(until end: Int) {
    guard picture.epoch != nil else {
      canvas.write(
        "Nothing is known of this room yet. It begins with its first gift, comment or like.", row: row + 1,
        column: 1, width: canvas.columns - 2, .dim)
      return
    }
    drawSummary()
    if end - row > 3 { row += 1 }
    let space = end - row
    // Six rows below the tracks, but on a low terminal the first tracks rather than comments.
    drawTracks(atMost: max(space - 6, min(3, space - 2), min(2, space)))
    if row < end { drawStage() }
    if row < end { drawFold() }
    drawComments(until: end)
  }

  private mutating func drawSummary() {
    var column = write("likes \(picture.likeTotal)", at: 1, .plain)
    if let burst = picture.burst(at: now) {
      column = write(" +\(burst.count)", at: column, Style(.basic(5), isBold: true))
      let hearts = String(repeating: "♥", count: Int(min(burst.particles, 10)))
      column = write(" \(hearts)", at: column, Style(.basic(5)))
    }
    if picture.paused[.like] != nil { column = write(" paused", at: column, PageWords.notice) }
    column = write("waiting ", at: max(column + 3, 35), .plain)
    column = write("\(picture.waiting)", at: column, picture.waiting > 0 ? .bold : .plain)
    column = write("folded \(picture.foldedGifts)", at: max(column + 3, 50), .plain)
    if picture.missing > 0 {
      write("missed \(picture.missing)", at: max(column + 3, 65), PageWords.notice)
    }
    row += 1
  }

  // MARK: Tracks

  private mutating func drawTracks(atMost limit: Int) {
    guard limit > 0 else { return }
    let hidden = picture.tracks.count > limit ? picture.tracks.count - limit + 1 : 0
    for (index, track) in picture.tracks.dropLast(hidden).enumerated() { draw(track, index) }
    guard hidden > 0 else { return }
    let busy = picture.tracks.suffix(hidden).count { $0.banner(at: now) != nil }
    write("… \(hidden) more tracks, \(busy) of them busy", at: 1, .dim)
    row += 1
  }

  private mutating func draw(_ track: TrackPicture, _ index: Int) {
    defer { row += 1 }
    write("gift/\(index)", at: 1, .dim)
    let state = track.state(at: now)
    let isPaused = track.pausedSince != nil
    let style = isPaused ? PageWords.notice : RoomPage.style(of: state)
    write(isPaused ? "paused" : state.rawValue, at: 9, width: 8, style)
    guard let banner = track.banner(at: now) else { return }
    let isWide = canvas.columns >= RoomPage.narrowColumns
    let numberEnd = canvas.columns - (isWide ? RoomPage.barColumns + 10 : 1)
    let number = track.number(at: now)
    var nameEnd = numberEnd
    if number > 0 {
      let emphasis = Style(state == .counting ? .basic(2) : nil, isBold: state != .hiding)
      nameEnd = canvas.write("x\(number)", row: row, endingAt: numberEnd, width: 11, emphasis) - 1
    }
    // The names keep their place while the number grows.
    nameEnd = min(nameEnd, numberEnd - 9)
    canvas.write(
      banner.giving, row: row, column: RoomPage.nameColumn, width: nameEnd - RoomPage.nameColumn,
      state == .hiding ? .dim : banner.priority > 0 ? .bold : .plain)
    guard isWide else { return }
    write(
      PageWords.bar(track.window(at: now), columns: RoomPage.barColumns), at: numberEnd + 2,
      Style(state == .holding ? .basic(3) : .basic(2)))
    if let left = track.windowMilliseconds(at: now) {
      canvas.write(PageWords.seconds(left), row: row, endingAt: canvas.columns - 1, width: 6, .plain)
    }
  }

  private static func style(of state: TrackState) -> Style {
    switch state {
    case .idle, .hiding: .dim
    case .showing: .plain
    case .counting: Style(.basic(2), isBold: true)
    case .holding: Style(.basic(3))
    }
  }

  // MARK: Stage and folds

  private mutating func drawStage() {
    defer { row += 1 }
    write("stage", at: 1, .dim)
    let isPaused = picture.paused[.stage] != nil
    guard let play = picture.play(at: now) else {
      write(isPaused ? "paused" : "idle", at: 9, width: 8, isPaused ? PageWords.notice : .dim)
      return
    }
    write(
      isPaused ? "paused" : "playing", at: 9, width: 8,
      isPaused ? PageWords.notice : Style(.basic(6), isBold: true))
    let isWide = canvas.columns >= RoomPage.narrowColumns
    let numberEnd = canvas.columns - (isWide ? RoomPage.barColumns + 10 : 1)
    let start = canvas.write("x\(play.count)", row: row, endingAt: numberEnd, width: 11, .bold)
    canvas.write(
      play.giving, row: row, column: RoomPage.nameColumn,
      width: min(start - 1, numberEnd - 9) - RoomPage.nameColumn, .bold)
    guard isWide else { return }
    let time = picture.paused[.stage] ?? now
    let left = max(0, play.deadline - time)
    let share = play.milliseconds > 0 ? Double(left) / Double(play.milliseconds) : 0
    write(PageWords.bar(share, columns: RoomPage.barColumns), at: numberEnd + 2, Style(.basic(6)))
    canvas.write(PageWords.seconds(left), row: row, endingAt: canvas.columns - 1, width: 6, .plain)
  }

  private mutating func drawFold() {
    defer { row += 1 }
    write("fold", at: 1, .dim)
    guard let fold = picture.fold(at: now) else { return }
    let head = "+\(fold.gifts) gifts from \(fold.senders) viewers"
    let column = write(head, at: 9, .bold)
    let items = fold.items.map { "\(PageWords.words(of: $0.giving)) x\($0.count)" }
    write(": \(items.joined(separator: ", "))", at: column, .plain)
  }

  // MARK: Comments

  private mutating func drawComments(until end: Int) {
    // A title needs a line below it.
    guard row + 1 < end else { return }
    canvas.fill(row: row, with: "─", .dim)
    let title = picture.paused[.comment] == nil ? " comments " : " comments, paused "
    write(title, at: 3, picture.paused[.comment] == nil ? .dim : PageWords.notice)
    row += 1
    let lines = picture.comments.suffix(max(0, end - row))
    // The newest stands at the bottom.
    row = end - lines.count
    for line in lines {
      let nameStyle = Style(Color(hex: line.color), isBold: true)
      let name = line.isTest ? "\(line.sender) (test)" : line.sender
      let column = write(name, at: 1, width: max(8, canvas.columns / 3), nameStyle)
      write(": \(line.text)", at: column, .plain)
      row += 1
    }
  }

  @discardableResult
  private mutating func write(_ text: String, at column: Int, width: Int = .max, _ style: Style) -> Int {
    // One column is left free at the right.
    canvas.write(
      text, row: row, column: column, width: min(width, max(0, canvas.columns - 1 - column)), style)
  }
}
