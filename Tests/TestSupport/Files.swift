import Glibc
public import PrivateBroker

/// The path of a file of the checkout.
public func checkoutPath(_ name: String, of file: String = #filePath) -> String {
  // This file is Tests/TestSupport/Files.swift.
  let folder = file.split(separator: "/").dropLast(3).joined(separator: "/")
  return "/\(folder)/\(name)"
}

/// The bytes of a file; empty if it cannot be read.
public func readBytes(_ path: String) -> [UInt8] {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return [] }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe read(descriptor, &piece, piece.count)
    guard count > 0 else { return bytes }
    bytes += piece[..<count]
  }
}

extension TemporaryFolder {
  /// Writes a file of any bytes into it and returns its path.
  @discardableResult
  public func write(bytes: [UInt8], to name: String) throws -> String {
    let file = try write("", to: name)
    let descriptor = unsafe open(file, O_WRONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress.map { unsafe $0 + start }, bytes.count - start)
      }
      guard count > 0 else { throw ProcessFault("cannot write \(file)") }
      start += count
    }
    return file
  }
}
