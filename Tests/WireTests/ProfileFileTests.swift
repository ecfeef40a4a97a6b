import Base
import Foundation
import Testing

@testable import Wire

/// `config/profiles/*.yaml` say what the code and the tests say. Reads just as much YAML as those files
/// use; the real reader, which checks them, is in `Configuration`.
@Suite struct ProfileFileTests {
  private func lines(_ name: String) throws -> [String] {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let text = try String(contentsOfFile: "/\(root)/config/profiles/\(name).yaml", encoding: .utf8)
    return text.split(separator: "\n").map(String.init)
  }

  private func paths(_ text: Substring) -> [[String]] {
    text.filter { !"[] ".contains($0) }.split(separator: ",").map {
      $0.split(separator: ".").map(String.init)
    }
  }

  private func profile(_ name: String) throws -> Profile {
    var profile = Profile(name: "", elementsPath: [], kindPath: [], kindNames: [], mappings: [])
    var section = ""
    for line in try lines(name)
    where !line.allSatisfy({ $0 == " " }) && line.first(where: { $0 != " " }) != "#" {
      let parts = line.split(separator: ":", maxSplits: 1)
      let key = parts[0].filter { $0 != " " }
      let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
      switch (line.hasPrefix(" "), section, key) {
      case (false, _, "profile"): profile.name = String(value)
      case (false, _, "elements"): profile.elementsPath = paths(value).first ?? []
      case (false, _, _): section = key
      case (true, "kind", "path"): profile.kindPath = paths(value)[0]
      case (true, "kind", "values"): break
      case (true, "kind", _):
        let kind = EventKind.allCases.first { $0.name == value }
        profile.kindNames.append(KindName(word: key, kind: try #require(kind)))
      default:
        let field = try #require(EventField(rawValue: key))
        let kind = EventKind.allCases.first { $0.name == section }
        profile.mappings += paths(value).map { FieldMapping(kind: kind, field: field, path: $0) }
      }
    }
    return profile
  }

  /// Only the order of the mappings of one field means anything.
  private func sorted(_ profile: Profile) -> [[FieldMapping]] {
    EventField.allCases.map { field in profile.mappings.filter { $0.field == field } }
  }

  @Test(arguments: [Profile.native, ProfileTests.douyin])
  func filesSayTheSame(_ expected: Profile) throws {
    let read = try profile(expected.name)
    #expect(read.name == expected.name)
    #expect(read.elementsPath == expected.elementsPath)
    #expect(read.kindPath == expected.kindPath)
    #expect(read.kindNames == expected.kindNames)
    #expect(sorted(read) == sorted(expected))
  }
}
