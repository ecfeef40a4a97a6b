/// What a trace of the daemon (Tests/Tracing/trace.c) says about each acknowledgement on the connection IN:
/// was the message written to the store's log, and the log synced, between its arrival and its
/// acknowledgement?
struct AcknowledgementOrder {
  /// Messages that arrived with QoS 1.
  private(set) var arrivals = 0
  /// Acknowledgements that left.
  private(set) var acknowledgements = 0
  /// Acknowledgements that left before their message was safe.
  private(set) var early = 0

  private struct Arrival {
    let step: Int
    let payload: [UInt8]
  }

  /// Bytes of one direction that are not a whole packet yet.
  private struct Stream {
    var bytes: [UInt8] = []
  }

  private var incoming = Stream()
  private var outgoing = Stream()
  /// The descriptor of IN; nil before its CONNECT.
  private var descriptor: Substring?
  private var arrived: [UInt16: Arrival] = [:]
  /// What was written to the log, and when it was synced, by the step of the trace.
  private var writes: [(step: Int, bytes: [UInt8])] = []
  private var lastSync = -1
  private let clientID: String

  /// Reads a trace. `clientID` is that of IN.
  init(trace: String, clientID: String) {
    self.clientID = clientID
    for (step, line) in trace.split(separator: "\n").enumerated() {
      let words = line.split(separator: " ")
      switch words.first {
      case "read" where words[1] == descriptor: read(AcknowledgementOrder.bytes(words[2]), step)
      case "write": write(AcknowledgementOrder.bytes(words[2]), on: words[1])
      case "store" where words[1].hasSuffix("-wal"):
        writes.append((step, AcknowledgementOrder.bytes(words[2])))
      case "sync" where words[1].hasSuffix("-wal"): lastSync = step
      default: break
      }
    }
  }

  private mutating func read(_ bytes: [UInt8], _ step: Int) {
    incoming.bytes += bytes
    while let packet = AcknowledgementOrder.takePacket(&incoming) {
      // PUBLISH with QoS 1.
      guard packet.head & 0xF6 == 0x32 else { continue }
      let topic = Int(packet.body[0]) << 8 | Int(packet.body[1])
      let id = UInt16(packet.body[topic + 2]) << 8 | UInt16(packet.body[topic + 3])
      // The batches of these tests are arrays with no other inside.
      let start = packet.body.lastIndex(of: UInt8(ascii: "[")) ?? 0
      arrivals += 1
      arrived[id] = Arrival(step: step, payload: Array(packet.body[start...]))
    }
  }

  private mutating func write(_ bytes: [UInt8], on descriptor: Substring) {
    // CONNECT.
    if bytes.first == 0x10 {
      if AcknowledgementOrder.holds(bytes, Array(clientID.utf8)) {
        self.descriptor = descriptor
        incoming = Stream()
        outgoing = Stream()
      } else if self.descriptor == descriptor {
        self.descriptor = nil
      }
    }
    guard self.descriptor == descriptor else { return }
    outgoing.bytes += bytes
    while let packet = AcknowledgementOrder.takePacket(&outgoing) {
      // PUBACK.
      guard packet.head == 0x40 else { continue }
      acknowledgements += 1
      let id = UInt16(packet.body[0]) << 8 | UInt16(packet.body[1])
      guard let arrival = arrived.removeValue(forKey: id), isSafe(arrival) else {
        early += 1
        continue
      }
    }
  }

  /// True if the message is in the log, and the log was synced after that.
  private func isSafe(_ arrival: Arrival) -> Bool {
    for (step, bytes) in writes.reversed() {
      if step < arrival.step { return false }
      if step < lastSync, AcknowledgementOrder.holds(bytes, arrival.payload) { return true }
    }
    return false
  }

  /// Takes the first packet off a stream, if it is whole.
  private static func takePacket(_ stream: inout Stream) -> (head: UInt8, body: [UInt8])? {
    var length = 0
    for place in 1..<5 {
      guard place < stream.bytes.count else { return nil }
      let byte = stream.bytes[place]
      length |= Int(byte & 0x7F) << (7 * (place - 1))
      guard byte & 0x80 == 0 else { continue }
      let end = place + 1 + length
      guard stream.bytes.count >= end else { return nil }
      defer { stream.bytes.removeFirst(end) }
      return (stream.bytes[0], Array(stream.bytes[place + 1..<end]))
    }
    return nil
  }

  private static func holds(_ bytes: [UInt8], _ wanted: [UInt8]) -> Bool {
    guard let first = wanted.first else { return true }
    return bytes.indices.contains { place in
      bytes[place] == first && bytes[place...].starts(with: wanted)
    }
  }

  private static func bytes(_ hexadecimal: Substring) -> [UInt8] {
    let digits = hexadecimal.utf8.map { $0 < 58 ? $0 - 48 : $0 - 87 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
