import Base
import EventLoop
import HTTP
import PrivateBroker
import TestSupport
import Testing

@Suite struct LocalRequestTests {
  @Test func nobodyThereIsSaid() throws {
    let port = try findFreePort()
    #expect(throws: HTTPFault.nobodyListens(.port4(port))) { try LocalRequest.get("/", from: .port4(port)) }
    let path = ListenAddress.socket(path: "/nowhere/socket")
    #expect(throws: HTTPFault.nobodyListens(path)) { try LocalRequest.get("/", from: path) }
  }

  @Test func aServerThatDoesNotAnswerIsGivenUp() throws {
    let hole = try BlackHole()
    #expect(throws: HTTPFault.noAnswer(.port4(hole.port))) {
      try LocalRequest.get("/", from: .port4(hole.port), milliseconds: 50)
    }
  }

  @Test(arguments: [
    ("127.0.0.1:9750", ListenAddress.port4(9750)), ("localhost:0", .port4(0)), ("[::1]:1", .port6(1)),
    ("/run/livecue/http", .socket(path: "/run/livecue/http")),
  ])
  func anAddressIsRead(text: String, address: ListenAddress) {
    #expect(ListenAddress(text) == address)
  }

  @Test(arguments: [
    "", ":1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "127.0.0.1:01", "0.0.0.0:1",
    "::1:1", "192.168.1.1:9750", "run/x", "/\(String(repeating: "x", count: 107))",
  ])
  func whatIsNoAddressOfThisMachineIsNotRead(text: String) {
    #expect(ListenAddress(text) == nil)
  }
}
