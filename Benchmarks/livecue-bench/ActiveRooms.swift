import Base
import Bridge
import Configuration
import Glibc
import Wire

/// What active rooms occupy: 3 busy tracks, 10 waiting groups, 50 comments of 60 bytes that wait to be sent,
/// 200 senders with a colour, 500 ids each.
enum ActiveRooms {
  /// A bridge with `rooms` of them, and the resident memory that they add, in MiB (0 if it cannot be read).
  static func fill(rooms: Int) -> (bridge: Bridge, mebibytes: Double)? {
    guard var bridge = BatchPath.Result.bridge("") else { return nil }
    var outgoing = OutgoingMessages()
    let before = residentKibibytes
    for room in 0..<rooms {
      let topic = Array("im/room-\(room)/batch".utf8)
      for (instant, payload) in payloads.enumerated() {
        bridge.receive(topic: topic.span, payload: payload.span, at: Int64(instant * 10), into: &outgoing)
        outgoing.removeAll()
      }
    }
    let after = residentKibibytes
    // The bridge must live until here.
    precondition(bridge.roomCount == rooms, "every room is there")
    return (bridge, Double(after - before) / 1024)
  }

  /// 287 comments of 200 senders, of which 50 are still to be sent, and gifts of 13 pairs: 500 ids.
  private static let payloads: [[UInt8]] = {
    let text = String(repeating: "x", count: 60)
    func comments(_ range: Range<Int>) -> [String] {
      range.map {
        "{\"type\":\"comment\",\"id\":\"c\($0)\",\"sender\":\"u\($0 % 200)\",\"text\":\"\(text)\"}"
      }
    }
    let gifts = (0..<213).map {
      "{\"type\":\"gift\",\"id\":\"g\($0)\",\"sender\":{\"id\":\"u\($0 % 13)\",\"name\":\"Viewer \($0 % 13)\"},"
        + "\"gift\":{\"id\":\"rose\",\"name\":\"Rose\",\"price\":10}}"
    }
    // The first batch's comments go out at once; those of the second wait for flushMs.
    return [gifts + comments(0..<237), comments(237..<287)].map {
      Array("[\($0.joined(separator: ","))]".utf8)
    }
  }()

  private static var residentKibibytes: Int {
    let descriptor = unsafe open("/proc/self/status", O_RDONLY)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return 0 }
    let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
    let words = lines.first { $0.hasPrefix("VmRSS:") }?.split(whereSeparator: { $0 == " " || $0 == "\t" })
    return words.flatMap { Int($0[1]) } ?? 0
  }
}
