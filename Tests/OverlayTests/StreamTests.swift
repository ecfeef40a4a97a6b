import Base
import Configuration
import EventLoop
import Overlay
import PrivateBroker
import TestSupport
import Testing

/// What the readers of a room get.
@Suite struct StreamTests {
  /// Names are bytes: an accent is one Character with the slash before it, and may be written in two ways.
  @Test func roomsAreToldApartByTheirBytes() throws {
    let desk = try Desk()
    let names = ["\u{301}x", "e\u{301}", "\u{e9}", "x"]
    let readers = try ["%CC%81x", "e%CC%81", "%C3%A9", "x"].map { try desk.reader("/rooms/\($0)/events") }
    for (place, name) in names.enumerated() { desk.command("like", 7 + place, room: name) }
    #expect(desk.loop.turn { readers.allSatisfy { $0.marks.count == 1 } })
    #expect(readers.map(\.marks) == [["like:7"], ["like:8"], ["like:9"], ["like:10"]])
    #expect(desk.gateway.roomNames.count == 4)
  }

  @Test func theSnapshotComesFirstThenTheCommandsSince() throws {
    let desk = try Desk()
    let first = try desk.reader()
    desk.snapshot(7)
    for number in 1...3 { desk.command("gift/0", number) }
    #expect(desk.loop.turn { first.marks == ["s7", "gift/0:1", "gift/0:2", "gift/0:3"] })
    let late = try desk.reader()
    #expect(desk.loop.turn { late.marks == ["s7", "gift/0:1", "gift/0:2", "gift/0:3"] })
    desk.command("comment", 1)
    #expect(desk.loop.turn { late.marks.last == "comment:1" && first.marks.last == "comment:1" })
    #expect(desk.gateway.readerCount == 2)
  }

  @Test func aReaderThatComesBackGetsWhatItMissed() throws {
    let desk = try Desk()
    let staying = try desk.reader()
    desk.snapshot(1)
    desk.command("gift/0", 1)
    #expect(desk.loop.turn { staying.marks.count == 2 })
    let id = staying.lastID
    desk.command("gift/0", 2)
    desk.command("gift/0", 3)
    #expect(desk.loop.turn { staying.marks.count == 4 })
    let back = try desk.reader(lastID: id)
    #expect(desk.loop.turn { back.marks == ["gift/0:2", "gift/0:3"] })
    // A number of another run, or no number, means a new beginning.
    for id in ["other-1", "nonsense", "\(id)0000", "-", "\(staying.lastID.split(separator: "-")[0])--5"] {
      let new = try desk.reader(lastID: id)
      #expect(desk.loop.turn { new.marks == ["s1", "gift/0:1", "gift/0:2", "gift/0:3"] }, "\(id)")
    }
  }

  @Test func whoMissedMoreThanIsKeptGetsTheSnapshotAndANewOne() throws {
    let desk = try Desk { $0.historyCommands = 4 }
    let staying = try desk.reader()
    desk.snapshot(1)
    #expect(desk.loop.turn { staying.marks == ["s1"] })
    let id = staying.lastID
    for number in 1...10 { desk.command("gift/0", number) }
    #expect(desk.loop.turn { staying.marks.count == 11 })
    // The question that the first reader made is half a second old before another is asked.
    desk.loop.turn(for: 600)
    let asked = desk.daemon.payloads("cue/r/feedback").count
    let back = try desk.reader(lastID: id)
    #expect(desk.loop.turn { back.marks == ["s1"] })
    #expect(desk.loop.turn { desk.daemon.payloads("cue/r/feedback").count == asked + 1 })
    desk.snapshot(2)
    #expect(desk.loop.turn { back.marks == ["s1", "s2"] })
  }

  @Test func aRoomWithoutASnapshotIsAskedForOne() throws {
    let desk = try Desk()
    let readers = try (0..<5).map { _ in try desk.reader() }
    #expect(desk.loop.turn { !desk.daemon.payloads("cue/r/feedback").isEmpty })
    #expect(desk.daemon.payloads("cue/r/feedback") == [#"{"op":"resync","renderer":"livecue-overlay"}"#])
    desk.command("gift/0", 5)
    #expect(desk.loop.turn { readers.allSatisfy { $0.marks == ["gift/0:5"] } })
  }

  @Test func whatTheBrokerKeptIsThereForTheFirstReader() throws {
    let desk = try Desk(kept: #"{"v":1,"room":"r","epoch":1,"at":1,"now":900000,"waiting":3}"#) {
      $0.keepAliveSeconds = 1
    }
    #expect(desk.loop.turn { desk.gateway.roomNames == ["r"] })
    let reader = try desk.reader()
    #expect(desk.loop.turn { reader.marks == ["s3"] })
    // Commands may have gone by since it was kept.
    #expect(desk.loop.turn { desk.daemon.payloads("cue/r/feedback").count == 1 })
    // Its clock is known only by a message that was made just now.
    #expect(reader.text.contains("event: clock\ndata: {\"everyMs\":1000}\n"))
    // A cleared snapshot is a room that left.
    reader.close()
    #expect(desk.loop.turn { desk.gateway.readerCount == 0 })
    desk.daemon.publish([], to: "cue/r/snapshot", retain: true)
    #expect(desk.loop.turn { desk.gateway.roomNames.isEmpty })
  }

  @Test func aReaderGetsTheTracksItWants() throws {
    let desk = try Desk()
    let gifts = try desk.reader("/rooms/r/events?tracks=gift")
    let some = try desk.reader("/rooms/r/events?tracks=comment,gift/1")
    let all = try desk.reader()
    let clicks = try desk.reader("/rooms/r/events?tracks=click")
    for track in ["gift/0", "gift/1", "gift/fold", "comment", "like", "stage", "click"] {
      desk.command(track, 1)
    }
    let everything = ["gift/0:1", "gift/1:1", "gift/fold:1", "comment:1", "like:1", "stage:1"]
    #expect(
      desk.loop.turn {
        clicks.marks == ["click:1"] && all.marks == everything && some.marks.count == 2
          && gifts.marks.count == 3
      })
    #expect(gifts.marks == ["gift/0:1", "gift/1:1", "gift/fold:1"])
    #expect(some.marks == ["gift/1:1", "comment:1"])
  }

  @Test func roomsAreApartAndTheirNamesAnyText() throws {
    let desk = try Desk()
    let one = try desk.reader("/rooms/%E6%88%BF%20%26/events")
    let two = try desk.reader("/rooms/r/events")
    desk.command("like", 1, room: "房 &")
    desk.command("like", 2)
    #expect(desk.loop.turn { one.marks == ["like:1"] && two.marks == ["like:2"] })
  }

  @Test func aSlowReaderIsDroppedWithAWordAndTheOthersAreNot() throws {
    let desk = try Desk { $0.maxReaderBytes = 100_000 }
    let reader = try desk.reader()
    let slow = try SocketClient(to: desk.gateway.address, loop: desk.loop, isReading: false)
    slow.send("GET /rooms/r/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(desk.loop.turn { desk.gateway.readerCount == 2 })
    let filler = String(repeating: "y", count: 60_000)
    // What the kernel takes of the slow reader comes first, so it goes on until it is dropped. The other is
    // waited for, so that only one is slow.
    var sent = 0
    #expect(
      desk.loop.turn {
        if desk.gateway.readerCount == 2, reader.received.count > sent * filler.utf8.count {
          sent += 1
          desk.daemon.publish(
            #"{"v":1,"track":"comment","epoch":1,"seq":\#(sent),"at":1,"x":"\#(filler)"}"#,
            to: "cue/r/comment")
        }
        return desk.gateway.readerCount == 1
      })
    #expect(desk.log.contains("a reader was too slow and is dropped"))
    #expect(desk.loop.turn { reader.marks.count == sent })
    withExtendedLifetime(slow) {}
  }

  @Test func fiveHundredReadersGetEachCommand() throws {
    let desk = try Desk()
    var readers: [SocketClient] = []
    // The kernel lets no more than some wait to be taken.
    for count in stride(from: 50, through: 500, by: 50) {
      for _ in 0..<50 { readers.append(try desk.client("GET", "/rooms/r/events")) }
      let areThere = desk.loop.turn { desk.gateway.readerCount == count }
      try #require(areThere)
    }
    for number in 1...10 { desk.command("like", number) }
    let wanted = (1...10).map { "like:\($0)" }
    #expect(desk.loop.turn { readers.allSatisfy { $0.marks.count == 10 } })
    #expect(readers.allSatisfy { $0.marks == wanted })
  }

  @Test func readersThatLeftAreNoticed() throws {
    let desk = try Desk { $0.keepAliveSeconds = 1 }
    let reader = try desk.reader()
    #expect(desk.gateway.readerCount == 1)
    reader.close()
    #expect(desk.loop.turn { desk.gateway.readerCount == 0 })
  }

  @Test func theClockIsTheDaemons() throws {
    let desk = try Desk()
    _ = try desk.reader()
    desk.command("like", 1, at: 5_000_000)
    desk.command("like", 2, at: 4_000_000)
    #expect(desk.loop.turn { desk.gateway.estimatedInstant >= 5_000_000 })
    let late = try desk.reader()
    let start = try #require(late.text.range(of: "data: {\"everyMs\":1000,\"now\":"))
    let told = try #require(Int64(late.text[start.upperBound...].prefix { $0.isNumber }))
    #expect(5_000_000...5_010_000 ~= told)
  }

  @Test func aPayloadThatWouldBreakTheStreamIsLeftOut() throws {
    let desk = try Desk()
    let reader = try desk.reader()
    desk.daemon.publish("{\"v\":1}\n\nevent: command\ndata: {\"v\":1,\"seq\":666}", to: "cue/r/like")
    desk.command("like", 2)
    #expect(desk.loop.turn { reader.marks == ["like:2"] })
    #expect(!reader.text.contains("666"))
    #expect(desk.gateway.refusedMessages == 1)
  }
}
