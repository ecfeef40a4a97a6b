import Base
import Glibc
import Testing

@testable import Configuration

/// Reads a configuration from text.
func configuration(_ text: String, file: String = "livecue.yaml") throws(ConfigurationErrors) -> Configuration
{
  try Configuration.read(bytes: Array(text.utf8), file: file)
}

/// The lines of what was refused; empty if nothing was.
func mistakes(_ text: String) -> [String] { mistakes(bytes: Array(text.utf8)) }

/// The lines of what was refused; empty if nothing was.
func mistakes(bytes: [UInt8]) -> [String] {
  do throws(ConfigurationErrors) {
    _ = try Configuration.read(bytes: bytes, file: "f.yaml")
    return []
  } catch {
    return error.description.split(separator: "\n").map(String.init)
  }
}

/// A file that could not be written.
struct WriteFault: Error {
  var path: String
}

/// Writes a whole file.
func writeFile(_ path: String, _ text: String) throws {
  guard let file = unsafe fopen(path, "w") else { throw WriteFault(path: path) }
  let bytes = Array(text.utf8)
  let count = unsafe fwrite(bytes, 1, bytes.count, file)
  guard unsafe fclose(file) == 0, count == bytes.count else { throw WriteFault(path: path) }
}

/// A directory of its own, removed with its files at the end.
final class TemporaryDirectory {
  let path: String
  private var names: [String] = []

  init() throws {
    var template = Array("/tmp/livecue-configuration-XXXXXX".utf8CString)
    let isMade = unsafe mkdtemp(&template) != nil
    guard isMade else { throw WriteFault(path: "/tmp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { unsafe unlink("\(path)/\(name)") }
    unsafe rmdir(path)
  }

  /// Writes a file and returns its path.
  func write(_ name: String, _ text: String) throws -> String {
    names.append(name)
    try writeFile("\(path)/\(name)", text)
    return "\(path)/\(name)"
  }
}
