import Glibc
import PrivateBroker
import Systemd
import TestSupport
import Testing

/// One test at a time: the library reads the environment of the whole process.
@Suite(.serialized) struct SystemdNotifierTests {
  @Test func outsideSystemdNothingHappens() {
    unsafe unsetenv("NOTIFY_SOCKET")
    unsafe unsetenv("WATCHDOG_USEC")
    let notifier = SystemdNotifier()
    #expect(notifier.watchdogMilliseconds == nil)
    #expect(!notifier.ready())
  }

  @Test func everyStateReachesTheSocket() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/notify"
    let receiver = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(receiver) }
    bindUnix(receiver, to: path)
    unsafe setenv("NOTIFY_SOCKET", path, 1)
    unsafe setenv("WATCHDOG_USEC", "20000000", 1)
    defer {
      unsafe unsetenv("NOTIFY_SOCKET")
      unsafe unsetenv("WATCHDOG_USEC")
    }
    let notifier = SystemdNotifier()
    #expect(notifier.watchdogMilliseconds == 20_000)
    #expect(notifier.ready())
    #expect(notifier.status("3 rooms\nREADY=0"))
    #expect(notifier.reloading())
    #expect(notifier.watchdog())
    #expect(notifier.stopping())
    let heard = (0..<5).map { _ in receive(receiver) }
    #expect(heard[0] == "READY=1")
    #expect(heard[1] == "STATUS=3 rooms READY=0")
    #expect(heard[2].hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(heard[3...] == ["WATCHDOG=1", "STOPPING=1"])
  }

  private func bindUnix(_ descriptor: Int32, to path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let code = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(code == 0)
  }

  private func receive(_ descriptor: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 1000)
    let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
