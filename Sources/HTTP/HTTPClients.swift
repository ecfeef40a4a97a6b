/// Who is connected, and who of them has asked for nothing yet, or for nothing more.
@safe
struct HTTPClients {
  /// How many are connected, but for those that are being dropped.
  private(set) var count = 0
  /// Those without a whole request, the longest first.
  private var idle: [OpaquePointer] = unsafe []
  /// Those that are dropped and have not left yet.
  private var leaving: Set<OpaquePointer> = unsafe []

  /// One has come.
  mutating func begin(_ connection: OpaquePointer) {
    count += 1
    unsafe idle.append(connection)
  }

  /// It has sent a whole request, which is being answered now.
  mutating func noteRequest(of connection: OpaquePointer) {
    unsafe idle.removeAll { $0 == connection }
  }

  /// Its answer is over, and it may ask again.
  mutating func noteAnswered(_ connection: OpaquePointer) {
    guard unsafe !leaving.contains(connection) else { return }
    unsafe idle.removeAll { $0 == connection }
    unsafe idle.append(connection)
  }

  /// It has left.
  mutating func end(_ connection: OpaquePointer) {
    unsafe idle.removeAll { $0 == connection }
    if unsafe leaving.remove(connection) == nil { count -= 1 }
  }

  /// The one that has been idle for the longest, which is to be dropped now; nil if all are being answered.
  mutating func takeLongestIdle() -> OpaquePointer? {
    // The last is the one that has just come.
    guard unsafe idle.count > 1 else { return nil }
    let longest = unsafe idle.removeFirst()
    unsafe leaving.insert(longest)
    count -= 1
    return unsafe longest
  }
}
