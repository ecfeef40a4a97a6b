extension YAMLNode {
  /// Levels of lists and mappings in a document. Ours need six.
  static let depthLimit = 32
  /// Nodes of a document, aliases expanded: an alias bomb ends here. A hundred thousand rooms
  /// with two settings of their own fit.
  static let weightLimit = 1_000_000

  /// Reads the one document of a file. Refuses what it finds; nil if there is no tree to go on with.
  static func read(bytes: [UInt8], file: String, report: inout Report) -> YAMLNode? {
    var builder = YAMLBuilder(source: YAMLEventSource(bytes: bytes, file: file))
    do throws(YAMLFault) {
      return try builder.document(report: &report)
    } catch {
      report.refuse(error.position, "", error.message)
      return nil
    }
  }
}

/// Builds the tree from the parser's events.
private struct YAMLBuilder {
  let source: YAMLEventSource
  /// Finished nodes by anchor. Looked up only.
  private var anchors: [String: YAMLNode] = [:]
  private var weight = 0
  /// Keys above the current node, for messages.
  private var path: [String] = []

  init(source: YAMLEventSource) {
    self.source = source
  }

  mutating func document(report: inout Report) throws(YAMLFault) -> YAMLNode {
    var root: YAMLNode?
    while true {
      let event = try source.next()
      switch event.kind {
      case .streamEnd:
        return root ?? YAMLNode(position: event.position, value: .scalar("", isPlain: true))
      case .documentStart where root != nil:
        throw YAMLFault(position: event.position, message: "a second document begins, expected only one")
      case .streamStart, .documentStart, .documentEnd:
        break
      default:
        root = try node(event, depth: 0, report: &report)
      }
    }
  }

  private mutating func node(
    _ event: YAMLEvent, depth: Int, report: inout Report
  ) throws(YAMLFault) -> YAMLNode {
    weight += 1
    try checkLimits(depth: depth, at: event.position)
    if event.hasTag {
      report.refuse(event.position, pathText, "a tag (!…) is not supported, expected a plain value")
    }
    let node: YAMLNode
    switch event.kind {
    case .scalar(let text, let isPlain):
      node = YAMLNode(position: event.position, value: .scalar(text, isPlain: isPlain))
    case .listStart:
      node = YAMLNode(position: event.position, value: .list(try list(depth: depth + 1, report: &report)))
    case .mappingStart:
      let members = try mapping(depth: depth + 1, report: &report)
      node = YAMLNode(position: event.position, value: .mapping(members))
    case .alias(let name):
      // An anchor is known when its node is complete, so a node that holds itself cannot arise.
      guard let target = anchors[name] else {
        let name = displayed(name, limit: 40)
        throw YAMLFault(
          position: event.position, message: "unknown alias '*\(name)', expected one that is anchored before")
      }
      weight += target.weight
      try checkLimits(depth: depth + target.height, at: event.position)
      return target
    case .collectionEnd, .documentStart, .documentEnd, .streamStart, .streamEnd:
      preconditionFailure("libyaml's events are not nested")
    }
    if let anchor = event.anchor { anchors[anchor] = node }
    return node
  }

  private mutating func list(depth: Int, report: inout Report) throws(YAMLFault) -> [YAMLNode] {
    var items: [YAMLNode] = []
    while true {
      let event = try source.next()
      if case .collectionEnd = event.kind { return items }
      items.append(try node(event, depth: depth, report: &report))
    }
  }

  private mutating func mapping(depth: Int, report: inout Report) throws(YAMLFault) -> [YAMLMember] {
    var members: [YAMLMember] = []
    // By bytes: room names that Swift would call equal (é in two spellings) are two rooms.
    var places: [[UInt8]: SourcePosition] = [:]
    while true {
      let event = try source.next()
      if case .collectionEnd = event.kind { return members }
      let key = try node(event, depth: depth, report: &report)
      guard case .scalar(let name, let isPlain) = key.value else {
        report.refuse(event.position, pathText, "\(key.found) as a key, expected a word")
        _ = try node(try source.next(), depth: depth, report: &report)
        continue
      }
      path.append(pathComponent(name))
      defer { path.removeLast() }
      let value = try node(try source.next(), depth: depth, report: &report)
      if name == "<<" && isPlain {
        let message = "merge keys are not supported, expected the settings themselves"
        report.refuse(event.position, pathText, message)
      } else if let first = places[Array(name.utf8)] {
        let place = "first at line \(first.line), column \(first.column)"
        report.refuse(event.position, pathText, "given twice (\(place)), expected once")
      } else {
        places[Array(name.utf8)] = event.position
        members.append(YAMLMember(key: name, keyPosition: event.position, value: value))
      }
    }
  }

  private var pathText: String { path.joined(separator: ".") }

  private func checkLimits(depth: Int, at position: SourcePosition) throws(YAMLFault) {
    if depth > YAMLNode.depthLimit {
      throw YAMLFault(
        position: position, message: "nested too deeply, expected at most \(YAMLNode.depthLimit) levels")
    }
    if weight > YAMLNode.weightLimit {
      throw YAMLFault(
        position: position,
        message: "too many values (aliases count in full), expected at most \(YAMLNode.weightLimit)")
    }
  }
}
