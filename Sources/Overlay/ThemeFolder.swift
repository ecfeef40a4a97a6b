import Glibc
import HTTP

/// The themes: those of the program, and an operator's own, which are files of one folder.
struct ThemeFolder {
  /// Themes that come with the program.
  private static let shipped = ["classic", "neon"]
  /// What a theme may consist of.
  private static let types = [
    "css": PageFiles.style, "js": PageFiles.script, "png": "image/png", "jpg": "image/jpeg",
    "webp": "image/webp", "gif": "image/gif", "svg": "image/svg+xml", "webm": "video/webm",
    "mp4": "video/mp4",
    "woff2": "font/woff2",
  ]
  /// A larger file is not served: it is read into memory for each request.
  private static let maxBytes = 16 << 20
  private static let maxNameBytes = 64

  private let path: String?

  init(_ path: String?) { self.path = path }

  /// What `?theme=` may be.
  var names: [String] {
    guard let path, let folder = unsafe opendir(path) else { return ThemeFolder.shipped }
    defer { unsafe closedir(folder) }
    var names: Set<String> = []
    while let entry = unsafe readdir(folder) {
      let file = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      guard let parts = ThemeFolder.parts(file), parts.ending == "css",
        unsafe ThemeFolder.isServed(file, in: folder)
      else { continue }
      names.insert(parts.name)
    }
    return ThemeFolder.shipped + names.subtracting(ThemeFolder.shipped).sorted()
  }

  /// A file of a theme; nil: there is none. A theme without a module has an empty one.
  func file(_ file: String) -> HTTPResponse? {
    guard let parts = ThemeFolder.parts(file), let type = ThemeFolder.types[parts.ending] else { return nil }
    if ThemeFolder.shipped.contains(parts.name), let answer = PageFiles.file(file) { return answer }
    if let path, let bytes = ThemeFolder.read("\(path)/\(file)") {
      return PageFiles.answer(type: type, bytes)
    }
    guard parts.ending == "js", names.contains(parts.name) else { return nil }
    return PageFiles.answer(type: type, Array("export {};\n".utf8))
  }

  /// `NAME.ENDING` of letters, digits, `-` and `_`: no path leads out of the folder, and nothing hidden is in
  /// it.
  private static func parts(_ file: String) -> (name: String, ending: String)? {
    let parts = file.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, file.utf8.count <= maxNameBytes, types[String(parts[1])] != nil else {
      return nil
    }
    let isName = parts[0].utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isName && !parts[0].isEmpty ? (String(parts[0]), String(parts[1])) : nil
  }

  /// True for a plain file, or a link to one, that is not too large.
  private static func isServed(_ file: String, in folder: OpaquePointer) -> Bool {
    var status = stat()
    return unsafe fstatat(dirfd(folder), file, &status, 0) == 0 && isServed(status)
  }

  private static func isServed(_ status: stat) -> Bool {
    status.st_mode & S_IFMT == S_IFREG && status.st_size <= maxBytes
  }

  /// The bytes of a plain file; nil if there is none, or it is too large.
  private static func read(_ path: String) -> [UInt8]? {
    // A pipe without a writer must not keep the loop.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, isServed(status) else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < bytes.count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      count += got
    }
    return bytes
  }
}
