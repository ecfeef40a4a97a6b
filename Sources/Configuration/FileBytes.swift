import Glibc

/// A file that could not be read, in words.
struct FileFault: Error {
  var message: String
}

/// The bytes of a file; at most `limit`.
func readFile(_ path: String, limit: Int) throws(FileFault) -> [UInt8] {
  guard !path.utf8.contains(0) else { throw FileFault(message: "the name holds a NUL") }
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw systemFault(errno) }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 64 << 10)
  while true {
    let count = unsafe chunk.withUnsafeMutableBytes { buffer in
      unsafe read(descriptor, buffer.baseAddress, buffer.count)
    }
    if count == 0 { return bytes }
    if count < 0 {
      if errno == EINTR { continue }
      throw systemFault(errno)
    }
    bytes.append(contentsOf: chunk[..<count])
    if bytes.count > limit {
      throw FileFault(message: "it is too large, expected at most \(limit) bytes")
    }
  }
}

private func systemFault(_ code: Int32) -> FileFault {
  let reason = unsafe String(cString: strerror(code))
  return FileFault(message: "it cannot be read (\(reason)), expected a readable file")
}

/// A path that a file mentions: relative ones start at that file's directory.
func resolve(_ path: String, besides file: String) -> String {
  guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
  return String(file[...slash]) + path
}

/// Reads a whole file of settings; one that cannot be read is the file's only mistake.
func readDocument(_ file: String, limit: Int) throws(ConfigurationErrors) -> [UInt8] {
  do throws(FileFault) {
    return try readFile(file, limit: limit)
  } catch {
    throw ConfigurationErrors(file: file, path: "", message: error.message)
  }
}
