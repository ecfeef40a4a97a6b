import Glibc
import PrivateBroker
import TestSupport
import Testing

/// The overlay's pages in a real browser. `make page-test` has the long ones.
@Suite struct PageTests {
  private static let hasBrowser = unsafe access("/usr/bin/chromedriver", X_OK) == 0

  @Test(.enabled(if: hasBrowser)) func whatIsOnTheScreenIsWhatTheCommandsSay() throws {
    let folder = try TemporaryFolder()
    let script = #"cd "$0" && exec "$@" >answer 2>complaints"#
    let browser = try ChildProcess([
      "sh", "-c", script, folder.path, "/usr/bin/python3", checkoutPath("Tests/Page/check.py"),
      try Livecue.path(),
    ])
    let code = try browser.wait(milliseconds: 180_000)
    #expect(code == 0, "\(folder.read("answer"))\(folder.read("complaints"))")
    let checked = folder.read("answer").split(separator: "\n").compactMap { $0.split(separator: ":").first }
    #expect(
      checked == [
        "rules", "page", "late", "ahead", "behind", "cut", "hidden", "same", "many", "click", "texts",
        "studio", "lines", "silence", "full",
      ])
  }
}
