import Base
import Glibc
import Testing

@testable import Configuration

/// `config/livecue.yaml`, which documents every setting.
@Suite struct ExampleTests {
  /// The repository's root, from the place of this file.
  static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
  static let example = root + "/config/livecue.yaml"

  @Test func exampleIsWhatTheTablesSay() throws {
    // To write it anew after a change of a table: LIVECUE_WRITE_EXAMPLE=1 swift test --filter ExampleTests
    if unsafe getenv("LIVECUE_WRITE_EXAMPLE") != nil {
      try writeFile(Self.example, Configuration.annotatedDefaults)
    }
    let text = String(decoding: try readFile(Self.example, limit: 1 << 20), as: UTF8.self)
    #expect(text == Configuration.annotatedDefaults)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 110 })
  }

  @Test func exampleGivesTheDefaults() throws {
    let configuration = try Configuration.read(file: Self.example)
    #expect(configuration == Configuration.defaults)
    #expect(configuration.canonicalText == Configuration.defaults.canonicalText)
  }

  @Test func everySettingStandsThereWithItsDefault() throws {
    let bytes = try readFile(Self.example, limit: 1 << 20)
    let text = String(decoding: bytes, as: UTF8.self)
    var report = Report()
    let document = try #require(YAMLNode.read(bytes: bytes, file: "example", report: &report))
    for setting in Configuration.settings {
      if setting.path.contains("[]") {
        #expect(text.contains("#   \(setting.key): \(setting.sentence.prefix(20))"), "\(setting.path)")
        continue
      }
      let node = try #require(document.descendant(setting.path), "\(setting.path)")
      #expect(node.flowText == flowText(setting.defaultText), "\(setting.path)")
    }
  }

  @Test func everySettingIsDescribed() {
    for setting in Configuration.settings + Configuration.profileSettings {
      #expect(setting.sentence.count > 15, "\(setting.path)")
      #expect(setting.sentence.hasSuffix("."), "\(setting.path)")
      #expect(!setting.type.expectation.isEmpty)
    }
    #expect(Set(Configuration.settings.map(\.path)).count == Configuration.settings.count)
  }

  /// A default as the same kind of text that a node gives.
  private func flowText(_ defaultText: String?) -> String? {
    var report = Report()
    let node = defaultText.flatMap {
      YAMLNode.read(bytes: Array("value: \($0)".utf8), file: "default", report: &report)
    }
    return node?.descendant("value")?.flowText
  }
}

extension YAMLNode {
  /// The node at a dotted path of keys.
  func descendant(_ path: String) -> YAMLNode? {
    var node = self
    for key in path.split(separator: ".") {
      guard case .mapping(let members) = node.value else { return nil }
      guard let member = members.first(where: { $0.key == key }) else { return nil }
      node = member.value
    }
    return node
  }

  /// The node without its places and quotes.
  var flowText: String {
    switch value {
    case .scalar(let text, _): text
    case .list(let items): "[" + items.map(\.flowText).joined(separator: ", ") + "]"
    case .mapping(let members):
      "{" + members.map { "\($0.key): \($0.value.flowText)" }.joined(separator: ", ") + "}"
    }
  }
}
