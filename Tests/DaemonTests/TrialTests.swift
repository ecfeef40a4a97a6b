import Testing

@testable import Daemon

@Suite struct TrialTests {
  @Test func wordsThatMeanSomethingAreTaken() throws {
    _ = try Trial("commit:17")
    _ = try Trial("forget-redelivery,read:1,acknowledge-early")
  }

  @Test(arguments: [
    "", "commit", "commit:0", "commit:-1", "commit:x", "comit:1", "read:1,commit:1", "read:1,",
  ])
  func otherWordsAreRefusedWithThoseThatThereAre(text: String) {
    let error = #expect(throws: Trial.Unknown.self) { try Trial(text) }
    #expect("\(error, default: "")".contains("expected read:N, commit:N"), "\(text)")
  }
}
