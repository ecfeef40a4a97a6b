import Glibc
import PrivateBroker
import TestSupport
import Testing

/// The overlay's page in a real browser.
@Suite struct PageTests {
  private static let hasBrowser = unsafe access("/usr/bin/chromedriver", X_OK) == 0

  @Test(.enabled(if: hasBrowser)) func whatIsOnTheScreenIsWhatTheCommandsSay() throws {
    let folder = try TemporaryFolder()
    let demo = try Livecue(
      [
        "demo", "--speed", "2", "--listen", "127.0.0.1:0", "--capture",
        checkoutPath("Tests/Captures/douyin-calm.jsonl.gz"), "--profile",
        checkoutPath("config/profiles/douyin-capture.yaml"),
      ], in: folder)
    let hasBegun = try demo.await { $0.contains(" room-12 gift/0 ") }
    try #require(hasBegun, "\(demo.errors)")
    let line = demo.output.split(separator: "\n").first { $0.hasPrefix("open the studio: ") }
    let address = try #require(line?.split(separator: " ").last)
    let script = #"cd "$0" && exec "$@" >answer 2>complaints"#
    let browser = try ChildProcess(
      [
        "sh", "-c", script, folder.path, "/usr/bin/python3", checkoutPath("Tests/Page/page.py"),
        String(address), "room-12", "\(demo.child.id)",
      ])
    let code = try browser.wait(milliseconds: 120_000)
    #expect(code == 0, "\(folder.read("answer"))\(folder.read("complaints"))")
    #expect(folder.read("answer").split(separator: "\n").count == 3)
    _ = try demo.end()
  }
}
