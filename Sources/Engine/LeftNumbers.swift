import Base

/// The numbers that groups left behind when they hid before their combo window was over (rule 7).
struct LeftNumbers {
  private struct LeftNumber {
    var number: Int
    var until: Instant
  }

  private var numbers = DigestTable<LeftNumber>()

  /// How many are remembered.
  var count: Int { numbers.count }

  /// Leaves a key's number behind until an instant.
  mutating func leave(
    _ number: Int, of key: KeyDigest, until: Instant, now: Instant, limit: Int, counters: inout EngineCounters
  ) {
    if let place = numbers.find(key) { numbers.remove(at: place) }
    while let oldest = numbers.oldest, numbers[oldest].until <= now { numbers.remove(at: oldest) }
    guard limit > 0, until > now else { return }
    while numbers.count >= limit, let oldest = numbers.oldest {
      numbers.remove(at: oldest)
      counters.leftNumbersEvicted += 1
    }
    numbers.insert(key, LeftNumber(number: number, until: until))
  }

  /// The number that a new group of a key goes on from, made at `now`; 0 if none was left.
  func number(of key: KeyDigest, now: Instant) -> Int {
    guard let place = numbers.find(key), now < numbers[place].until else { return 0 }
    return numbers[place].number
  }

  /// Moves all ends by a length.
  mutating func shift(by milliseconds: Int64) {
    numbers.updateEach { $0.until += milliseconds }
  }
}

extension LeftNumbers {
  /// Writes them.
  func save(to writer: inout StateWriter) {
    numbers.save(to: &writer) { writer, left in
      writer.write(count: left.number)
      writer.write(instant: left.until)
    }
  }

  /// Reads them.
  init(from reader: inout StateReader) throws(StateFault) {
    numbers = try DigestTable(from: &reader, valuesOf: 2) { (reader) throws(StateFault) in
      LeftNumber(number: try reader.count(), until: try reader.instant())
    }
  }
}
