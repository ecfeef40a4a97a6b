import Base
import EventLoop
import HTTP
import PrivateBroker
import TestSupport
import Testing

/// Answers that go on.
@Suite struct HTTPStreamTests {
  private final class Source {
    let loop: EventLoop
    let server: HTTPServer
    var streams: [HTTPStream] = []
    var endings = 0

    init(maxStreamBytes: Int = 1 << 20) throws {
      loop = try EventLoop.forTest()
      var settings = HTTPSettings()
      settings.maxStreamBytes = maxStreamBytes
      server = try HTTPServer(at: .port4(0), settings, loop: loop)
      server.route("GET", "/events") { [unowned self] _ in
        let stream = HTTPStream()
        stream.ended = { [weak self] in self?.endings += 1 }
        stream.write(": welcome\n\n")
        streams.append(stream)
        return HTTPResponse(stream)
      }
    }

    func client(isReading: Bool = true) throws -> SocketClient {
      let client = try SocketClient(to: server.address, loop: loop, isReading: isReading)
      client.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
      let wanted = streams.count + 1
      #expect(loop.turn { self.streams.count == wanted })
      return client
    }
  }

  @Test func whatIsWrittenLaterArrives() throws {
    let source = try Source()
    let client = try source.client()
    #expect(source.loop.turn { client.text.contains(": welcome\n\n") })
    #expect(client.text.contains("Content-Type: text/event-stream\r\n"))
    for number in 1...3 {
      #expect(source.streams[0].write("data: \(number)\n\n"))
      #expect(source.loop.turn { client.text.contains("data: \(number)\n\n") })
    }
    source.streams[0].finish()
    // The last piece of an answer in pieces is empty.
    #expect(source.loop.turn { client.text.hasSuffix("0\r\n\r\n") })
    #expect(source.endings == 1)
    #expect(source.streams[0].write("late") == false)
  }

  @Test func aReaderThatLeavesEndsItsStreamAtTheNextWrite() throws {
    let source = try Source()
    let client = try source.client()
    let other = try source.client()
    #expect(source.loop.turn { client.text.contains("welcome") && other.text.contains("welcome") })
    client.close()
    #expect(
      source.loop.turn {
        source.streams[0].write(": still there?\n\n")
        return source.endings == 1
      })
    #expect(!source.streams[0].isOpen)
    #expect(source.streams[1].write("data: on\n\n"))
    #expect(source.loop.turn { other.text.contains("data: on\n\n") })
  }

  @Test func aReaderThatIsTooSlowIsDroppedAndNoOther() throws {
    let source = try Source(maxStreamBytes: 100_000)
    let slow = try source.client(isReading: false)
    let quick = try source.client()
    let event = "data: \(String(repeating: "x", count: 10_000))\n\n"
    var written = 0
    var mostWaiting = 0
    #expect(
      source.loop.turn {
        // A reader that keeps up is waited for, so that only the other is slow.
        if source.streams[1].waitingBytes == 0 {
          source.streams[1].write(event)
          written += 1
          source.streams[0].write(event)
          mostWaiting = max(mostWaiting, source.streams[0].waitingBytes)
        }
        return source.endings == 1
      })
    #expect((80_000...100_000).contains(mostWaiting))
    #expect(source.server.counters.slowReaders == 1)
    #expect(source.streams[1].isOpen && !source.streams[0].isOpen)
    #expect(source.loop.turn { quick.received.count > written * event.utf8.count })
    #expect(quick.text.split(separator: "data: ").count - 1 == written)
    #expect(source.server.connectionCount == 1)
    withExtendedLifetime(slow) {}
  }

  @Test func whatIsLargerThanTheLimitReachesWhoKeepsUp() throws {
    let source = try Source(maxStreamBytes: 10_000)
    let client = try source.client()
    #expect(source.loop.turn { client.text.contains("welcome") && source.streams[0].waitingBytes == 0 })
    let large = String(repeating: "x", count: 30_000)
    #expect(source.streams[0].write(large))
    // Nothing of it is taken yet.
    #expect(!source.streams[0].write("y"))
    #expect(source.server.counters.slowReaders == 1)
    let other = try source.client()
    #expect(source.loop.turn { other.text.contains("welcome") && source.streams[1].waitingBytes == 0 })
    #expect(source.streams[1].write(large))
    #expect(source.loop.turn { other.received.count > 30_000 })
    #expect(source.streams[1].isOpen)
  }

  @Test func aServerThatStopsEndsAllStreams() throws {
    let source = try Source()
    let clients = try (0..<3).map { _ in try source.client() }
    #expect(source.loop.turn { clients.allSatisfy { $0.text.contains("welcome") } })
    source.server.stop()
    #expect(source.endings == 3)
    #expect(source.loop.turn { clients.allSatisfy(\.isClosed) })
  }
}
