public import Base

extension Profile {
  /// Bytes of a profile file.
  static let fileLimit = 1 << 20

  /// Reads a profile file.
  /// - Throws: all mistakes of the file, each with its line and column.
  public static func read(file: String) throws(ConfigurationErrors) -> Profile {
    try read(bytes: try readDocument(file, limit: fileLimit), file: file)
  }

  /// Reads the bytes of a profile file; the name is for messages.
  public static func read(bytes: [UInt8], file: String) throws(ConfigurationErrors) -> Profile {
    var report = Report()
    var profile: Profile?
    if let document = YAMLNode.read(bytes: bytes, file: file, report: &report) {
      profile = read(document, at: "", &report)
    }
    try report.check()
    guard let profile else { preconditionFailure("a profile is read or refused") }
    return profile
  }

  /// Reads a file that a configuration mentions; one that cannot be read is a mistake of the configuration.
  static func read(
    file: String, from node: YAMLNode, _ path: String, _ report: inout Report
  ) -> Profile? {
    do throws(FileFault) {
      let bytes = try readFile(file, limit: fileLimit)
      return YAMLNode.read(bytes: bytes, file: file, report: &report).flatMap { read($0, at: "", &report) }
    } catch {
      report.refuse(node.position, path, "'\(displayed(file))': \(error.message)")
      return nil
    }
  }

  /// Reads a profile from its mapping.
  static func read(_ node: YAMLNode, at base: String, _ report: inout Report) -> Profile? {
    let countBefore = report.count
    var draft = ProfileDraft()
    ProfileSettings.table.read(node, at: base, into: &draft, &report)
    guard report.count == countBefore else { return nil }
    if draft.kindPath.isEmpty != draft.kindNames.isEmpty {
      report.refuse(node.position, base, "half of 'kind', expected both path and values")
    }
    let profile = draft.profile
    if !profile.cases.isEmpty {
      checkCases(profile, node, at: base, &report)
    } else if !profile.insidePaths.isEmpty {
      report.refuse(node.position, base, "'inside' without 'cases', expected both: only cases look inside")
    } else if !profile.mappings.contains(where: { $0.field == .sender || $0.field == .senderID }) {
      report.refuse(node.position, base, "no 'sender' and no 'sender.id', expected one: every event needs it")
    }
    return report.count == countBefore ? profile : nil
  }

  /// What must be true of a profile with cases as a whole.
  private static func checkCases(
    _ profile: Profile, _ node: YAMLNode, at base: String, _ report: inout Report
  ) {
    if !profile.kindPath.isEmpty {
      report.refuse(node.position, base, "both 'kind' and 'cases', expected one: each case says its kind")
    }
    for (index, entry) in profile.cases.enumerated() {
      guard case .event(let kind) = entry.outcome else { continue }
      if kind == .remove {
        checkRemoval(entry, node, at: base.isEmpty ? "cases[\(index)]" : "\(base).cases[\(index)]", &report)
        continue
      }
      let fields =
        entry.fields.map(\.field)
        + profile.mappings.filter { $0.kind == nil || $0.kind == kind }.map(\.field)
      if !fields.contains(.sender), !fields.contains(.senderID), !fields.contains(.senderAnonymous) {
        let path = base.isEmpty ? "cases[\(index)]" : "\(base).cases[\(index)]"
        report.refuse(
          node.position, path, "no 'sender' and no 'sender.id', expected one: every event needs it")
      }
    }
  }

  /// A removal names comments or a sender, and not both: where the ids are missing, all of a sender would
  /// leave.
  private static func checkRemoval(
    _ entry: ProfileCase, _ node: YAMLNode, at path: String, _ report: inout Report
  ) {
    let fields = entry.fields.map(\.field)
    let hasSender = fields.contains(.sender) || fields.contains(.senderID)
    if fields.contains(.ids) == hasSender {
      let what = hasSender ? "both 'ids' and a sender" : "neither 'ids' nor a sender in its own fields"
      report.refuse(node.position, path, "\(what), expected one: which comments it removes")
    }
  }

  /// The profile as YAML on one line. Reading it gives an equal profile, if this one was read.
  var flowText: String { flowMapping(ProfileSettings.table, ProfileDraft(self)) }
}
