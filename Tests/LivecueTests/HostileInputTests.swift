import EventLoop
import PrivateBroker
import TestSupport
import Testing

/// Ten thousand payloads that are no batch, in every way, and then one that is.
@Suite struct HostileInputTests {
  @Test func afterTenThousandBadPayloadsAGoodOneIsServedAndMemoryIsFlat() throws {
    let broker = try PrivateBroker()
    let folder = try TemporaryFolder()
    try folder.write("\(noMetrics)\nbroker: {host: 127.0.0.1, port: \(broker.port)}\n", to: "livecue.yaml")
    let daemon = try Livecue(["run", "--config", "livecue.yaml"], in: folder)
    #expect(try daemon.await("errors") { $0.contains("subscribed") && $0.contains("publishing") })
    let loop = try EventLoop.forTest()
    let viewer = try Client("viewer", filters: ["cue/good/#"], port: broker.port, loop: loop)
    let source = try Client("source", port: broker.port, loop: loop)
    #expect(loop.turn { viewer.isReady && source.isReady })

    var number = 0
    func publish(_ count: Int, good room: String) -> Bool {
      for _ in 0..<count {
        source.publish(
          Self.badPayload(number), to: "im/bad\(number % 3)/\(Self.kinds[number % Self.kinds.count])")
        number += 1
      }
      source.publish(#"[{"sender":"Ann","gift":"\#(room)"}]"#, to: "im/good/gift")
      // Messages are handled in order: when this one is served, all before it were.
      return loop.turn(within: 60_000) {
        viewer.messages.contains {
          $0.payload.contains(#""op":"show""#) && $0.payload.contains(#""\#(room)""#)
        }
      }
    }
    // Buffers find their size first.
    #expect(publish(5000, good: "first"))
    let before = daemon.residentKilobytes
    #expect(publish(10_000, good: "second"))
    let after = daemon.residentKilobytes
    #expect(before > 0)
    #expect(after < before + 16_384, "\(before) KiB, then \(after)")
    #expect(try daemon.end().code == 0)
    #expect(!daemon.errors.contains("error "), "\(daemon.errors)")
  }

  private static let kinds = ["gift", "comment", "like", "batch"]
  private static let gift =
    #"{"type":"gift","sender":{"id":"u1","name":"Ann"},"gift":{"id":"rose"},"count":2}"#

  /// The bad payload of a number.
  private static func badPayload(_ number: Int) -> [UInt8] {
    let round = number / 20
    switch number % 20 {
    case 0:
      // Two megabytes now and then; they cost the broker most.
      return Array(repeating: UInt8(ascii: " "), count: round % 25 == 0 ? 2_000_000 : 1_048_577)
        .prefix(round % 5 == 0 ? .max : 100) + []
    case 1: return Array("[\(gift)]".utf8.prefix(round % 80))
    case 2: return Array(String(repeating: "[", count: 1 + round % 3000).utf8)
    case 3:
      return Array((String(repeating: #"{"a":"#, count: 40) + "1" + String(repeating: "}", count: 40)).utf8)
    case 4: return Array("[{\"type\":\"gift\",\"sender\":\"a\",\"gift\":\"g\",\"count\":1e\(round)}]".utf8)
    case 5: return Array("[{\"type\":\"gift\",\"count\":12345678901234567890123}]".utf8)
    case 6: return [0xFF, 0xFE, 0x00] + Array(gift.utf8)
    case 7: return Array("[\(gift)".utf8) + [0] + Array("]".utf8)
    case 8: return []
    case 9: return [0]
    case 10: return Array(#"[{"sender":"\ud83d","gift":"#.utf8)
    case 11: return Array(#"[{"type":5,"sender":[],"gift":{},"count":{},"text":1,"id":true}]"#.utf8)
    case 12: return Array(#"{"events":{"events":[]}}"#.utf8)
    case 13: return Array("\(round)".utf8)
    case 14: return Array(#"[null,true,1,"x",[],{}]"#.utf8)
    case 15: return Array(#"[{"sender":"a","sender":null,"gift":"g","gift":5,"text":"","count":0}]"#.utf8)
    case 16: return (0..<200).map { UInt8(truncatingIfNeeded: ($0 * 37 + round * 101) % 251) }
    case 17: return Array("[\(String(repeating: "1,", count: 10_001))1]".utf8)
    case 18: return Array(#"[{"sender":{"id":"\#(String(repeating: "i", count: 257))"},"gift":"g"}]"#.utf8)
    default:
      return Array(
        "[{\"sender\":\"a\",\"gift\":{\"id\":\"g\",\"price\":-1},\"text\":\"\u{1}\u{202E}\"}]".utf8)
    }
  }
}
