import Glibc
import PrivateBroker
import TestSupport
import Testing

/// The units of systemd.
@Suite struct UnitTests {
  private static let isAnalyzeThere = unsafe access("/usr/bin/systemd-analyze", X_OK) == 0

  private func unit(_ name: String) -> [String] {
    let text = String(decoding: readBytes(checkoutPath("systemd/\(name)")), as: UTF8.self)
    return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  /// Runs systemd-analyze on all units as they will be installed. Returns its exit code and what it says.
  private func analyze(_ words: [String]) throws -> (code: Int32, output: String) {
    let folder = try TemporaryFolder()
    for name in ["livecue.service", "livecue@.service", "livecue-overlay.service"] {
      // What is installed is there only later; any program will do.
      let text = unit(name).filter { !$0.hasPrefix("Documentation=") }.joined(separator: "\n")
      let parts = text.split(separator: "/usr/bin/livecue", maxSplits: 1).map(String.init)
      try folder.write(parts.joined(separator: "/bin/true") + "\n", to: name)
    }
    let script =
      #"cd "$0" && exec "$@" livecue.service livecue@.service livecue-overlay.service >answer 2>&1"#
    let child = try ChildProcess(["sh", "-c", script, folder.path, "systemd-analyze"] + words)
    return (try child.wait(milliseconds: 20_000), folder.read("answer"))
  }

  @Test(.enabled(if: isAnalyzeThere)) func theUnitsAreHardened() throws {
    // The threshold is in tenths; a figure above it is an error.
    let good = try analyze(["security", "--offline=yes", "--threshold=15"])
    #expect(good.code == 0, "\(good.output)")
    for name in ["livecue.service", "livecue-overlay.service"] {
      #expect(good.output.contains("Overall exposure level for \(name): 1."), "\(name)")
    }
    let strict = try analyze(["security", "--offline=yes", "--threshold=1"])
    #expect(strict.code != 0)
  }

  @Test(.enabled(if: isAnalyzeThere)) func systemdUnderstandsEveryLine() throws {
    let (code, output) = try analyze(["verify"])
    #expect(code == 0)
    #expect(output == "")
  }

  @Test func theInstancesDifferFromTheServiceInTheirNamesAlone() {
    let (one, many) = (unit("livecue.service"), unit("livecue@.service"))
    #expect(one.count == many.count)
    let different = zip(one, many).filter { $0 != $1 }.map { $0.0.prefix { $0 != "=" } }
    #expect(
      different == ["Description", "ExecStart", "StateDirectory", "RuntimeDirectory", "LoadCredential"])
    #expect(many.contains("ExecStart=/usr/bin/livecue run --config /etc/livecue/%i.yaml --instance %i"))
  }

  @Test func theOverlayIsShutInAsTheServiceIs() {
    func walls(_ name: String) -> ArraySlice<String> {
      unit(name).drop { !$0.hasPrefix("CapabilityBoundingSet=") }
    }
    #expect(!walls("livecue.service").isEmpty)
    #expect(walls("livecue.service") == walls("livecue-overlay.service"))
    let lines = unit("livecue-overlay.service")
    for line in [
      "ExecStart=/usr/bin/livecue overlay --config /etc/livecue/livecue.yaml", "DynamicUser=yes",
      "Type=notify", "WatchdogSec=30", "Restart=always",
      "LoadCredential=overlay-token:/etc/livecue/overlay-token",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
  }

  @Test func theServiceKeepsWhatTheDaemonNeeds() {
    let lines = unit("livecue.service")
    for line in [
      "Type=notify", "Restart=always", "StartLimitIntervalSec=0", "WatchdogSec=30", "DynamicUser=yes",
      "StateDirectory=livecue", "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
      "ExecReload=/bin/kill -HUP $MAINPID", "LoadCredential=broker-password:/etc/livecue/broker-password",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    // A remote broker, and the id of this boot in /proc/sys, would be out of reach.
    let cutsOff = lines.contains { $0.hasPrefix("IPAddress") || $0.hasPrefix("ProcSubset") }
    #expect(!cutsOff)
  }
}
