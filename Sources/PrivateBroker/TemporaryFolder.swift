import Glibc

/// A folder of one's own, removed with all that is in it when it is let go.
public final class TemporaryFolder {
  /// Its path, without a slash at the end.
  public let path: String

  // Looked up once: another thread may change the environment meanwhile.
  private static let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"

  /// A new, empty folder.
  public init() throws(ProcessFault) {
    var template = Array("\(Self.base)/livecue-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw .call("mkdtemp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.removeAll(path) }

  private static func removeAll(_ path: String) {
    if unsafe unlink(path) == 0 { return }
    guard let folder = unsafe opendir(path) else { return }
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != "." && name != ".." { removeAll("\(path)/\(name)") }
    }
    unsafe closedir(folder)
    _ = unsafe rmdir(path)
  }

  /// Writes a file into it and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws(ProcessFault) -> String {
    let file = "\(path)/\(name)"
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .call("open \(file)") }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw .call("write \(file)")
    }
    return file
  }

  /// The text of a file in it; empty if there is none.
  public func read(_ name: String) -> String {
    let descriptor = unsafe open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      guard count > 0 else { break }
      text.append(contentsOf: piece[..<count])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
