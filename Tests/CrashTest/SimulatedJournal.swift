import Base
import Glibc
import PrivateBroker
import Store

/// What `livecue simulate --journal` makes of a journal: the digest of each command, by topic and seq.
struct SimulatedJournal {
  /// The commands of each topic, by their seqs from 1 on.
  private(set) var tracks: [String: [Digest]] = [:]
  /// What must never be, in sentences.
  private(set) var faults: [String] = []

  /// Runs `program` on a store that nobody writes; its output goes to a file of the folder.
  init(program: String, store: String, folder: TemporaryFolder) throws {
    let output = "\(folder.path)/simulated"
    let child = try ChildProcess([program, "simulate", "--journal", store], output: output)
    let code = try child.wait(milliseconds: 120_000)
    if code != 0 {
      faults.append("simulate --journal ended with \(code): \(folder.read("simulated").suffix(1000))")
    }
    guard let file = unsafe fopen(output, "r") else { throw ProcessFault("\(output) cannot be read") }
    defer { unsafe fclose(file) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { unsafe free(line) }
    while true {
      let count = unsafe getline(&line, &capacity, file)
      guard count > 0, let line = unsafe line else { break }
      take(unsafe UnsafeRawBufferPointer(start: line, count: count).map { $0 })
    }
  }

  /// A line is `{"at":ms,"topic":T,"payload":P}`; P is what the daemon publishes, byte for byte.
  private mutating func take(_ line: [UInt8]) {
    guard let topicStart = line.firstRange(of: #","topic":""#.utf8)?.upperBound,
      let topicEnd = line[topicStart...].firstIndex(of: UInt8(ascii: "\"")),
      let payloadStart = line[topicEnd...].firstRange(of: #","payload":"#.utf8)?.upperBound
    else {
      faults.append("simulate --journal: \(String(decoding: line.prefix(400), as: UTF8.self))")
      return
    }
    let topic = String(decoding: line[topicStart..<topicEnd], as: UTF8.self)
    let payload = Array(line[payloadStart...].dropLast(2))
    guard let place = CommandPlace(payload) else { return }
    if place.sequence != tracks[topic, default: []].count + 1 {
      faults.append(
        "simulate --journal: \(topic) has seq \(place.sequence) after \(tracks[topic, default: []].count)")
    }
    tracks[topic, default: []].append(Digest(topic: Array(topic.utf8).span, payload: payload.span))
  }

  /// What is different in the commands that were published, in sentences.
  func differences(from published: [String: Viewer.Track]) -> [String] {
    Set(tracks.keys).union(published.keys).sorted().compactMap { topic in
      let (simulated, seen) = (tracks[topic] ?? [], published[topic]?.digests ?? [])
      if simulated == seen { return nil }
      let first = zip(simulated, seen).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      let place = (first ?? min(simulated.count, seen.count)) + 1
      return "\(topic): seq \(place) is not what simulate --journal makes (\(seen.count) published, "
        + "\(simulated.count) made)"
    }
  }
}
