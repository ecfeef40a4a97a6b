import PrivateBroker
import Simulation
import TestSupport
import Testing

@Suite struct CaptureFileTests {
  /// The lines of a file, and what ended the reading if it was not the end.
  private func read(_ path: String) -> (lines: [String], fault: CaptureFile.Fault?) {
    var lines: [String] = []
    do throws(CaptureFile.Fault) {
      let file = try CaptureFile(path: path)
      var line: [UInt8] = []
      while try file.readLine(into: &line) { lines.append(String(decoding: line, as: UTF8.self)) }
      return (lines, nil)
    } catch {
      return (lines, error)
    }
  }

  private let shipped = checkoutPath("Tests/Captures/douyin-calm.jsonl.gz")

  @Test(arguments: [
    ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"]),
    ("a\r\nb\n", ["a\r", "b"]),
  ])
  func aPlainFileIsReadLineByLine(text: String, lines: [String]) throws {
    let folder = try TemporaryFolder()
    #expect(read(try folder.write(text, to: "capture")).lines == lines)
  }

  @Test func aLineMayBeLongerThanAnyBuffer() throws {
    let folder = try TemporaryFolder()
    let long = String(repeating: "x", count: 3_000_000)
    #expect(read(try folder.write("a\n\(long)\nb", to: "capture")).lines == ["a", long, "b"])
  }

  @Test func aCompressedFileAndItsPlainTextAreOne() throws {
    let folder = try TemporaryFolder()
    let lines = read(shipped).lines
    #expect(lines.count > 300)
    #expect(read(try folder.write(lines.joined(separator: "\n"), to: "plain.jsonl")).lines == lines)
    // Two gzip files one after the other are one file.
    let bytes = readBytes(shipped)
    #expect(read(try folder.write(bytes: bytes + bytes, to: "twice.gz")).lines.count == lines.count * 2)
  }

  @Test func aFileThatIsNotThereIsTold() {
    let fault = CaptureFile.Fault.cannotOpen(path: "/nowhere", reason: "No such file or directory")
    #expect(read("/nowhere").fault == fault)
    #expect(fault.message == "/nowhere: cannot open: No such file or directory")
  }

  @Test func aFolderIsTold() {
    #expect(read("/").fault?.message.hasPrefix("/:1: cannot read: ") ?? false)
  }

  /// What lies before the damage is real, and is read.
  @Test func aGzipFileThatEndsEarlyGivesWhatItHasAndIsTold() throws {
    let folder = try TemporaryFolder()
    let (bytes, whole) = (readBytes(shipped), read(shipped).lines)
    for count in [20, bytes.count / 2, bytes.count - 9, bytes.count - 1] {
      let (lines, fault) = read(try folder.write(bytes: Array(bytes[..<count]), to: "short.gz"))
      #expect(fault != nil, "\(count) bytes")
      #expect(lines == Array(whole.prefix(lines.count)), "\(count) bytes")
      if count >= bytes.count / 2 { #expect(lines.count > whole.count / 4, "\(count) bytes") }
    }
  }

  @Test func aGzipFileWithWrongBytesIsTold() throws {
    let folder = try TemporaryFolder()
    var bytes = readBytes(shipped)
    for place in bytes.count / 2..<bytes.count / 2 + 8 { bytes[place] ^= 0xFF }
    let (_, fault) = read(try folder.write(bytes: bytes, to: "damaged.gz"))
    guard case .cannotRead(_, let line, _)? = fault else {
      Issue.record("no fault")
      return
    }
    #expect(line > 1)
  }
}
