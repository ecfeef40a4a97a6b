public import Base

/// A profile made ready for decoding: a tree of member names, and for each field the places where it may lie.
///
/// It is made once per input. The tree is what lets one walk over the members of an element find all of them, in
/// whatever order and number they come.
public final class CompiledProfile: Sendable {
  /// Where the array of elements lies, from the payload down.
  let elementsPath: [[UInt8]]
  /// The words for kinds.
  let kindWords: [(word: [UInt8], kind: EventKind)]
  /// Parent of each node of the tree; node 0 is the element itself, and its own parent.
  let parents: [Int]
  /// For each node, whether the profile looks into it.
  let hasChildren: [Bool]
  /// The node of the kind; 0 if elements do not say theirs.
  let kindNode: Int
  /// All names of members, hashed.
  let names: MemberNames

  /// Bits of all that makes a receiver: most gifts name none.
  let receiverMask: UInt64
  /// Bits of what few gifts have.
  let rareGiftMask: UInt64

  /// For each kind and field the range in `candidates`.
  private let ranges: [Range<Int>]
  /// Nodes of one field in the order in which they are preferred.
  private let candidates: [Int]
  /// For each kind and field the bits (see `bit`) of its nodes.
  private let masks: [UInt64]

  /// Compiles a profile.
  public init(_ profile: Profile) {
    var tree = MemberTree()
    kindNode = profile.kindPath.isEmpty ? 0 : tree.node(at: profile.kindPath)
    let nodes = profile.mappings.map { tree.node(at: $0.path) }
    var ranges: [Range<Int>] = []
    var candidates: [Int] = []
    for kind in EventKind.allCases {
      for field in EventField.allCases {
        let start = candidates.count
        for (mapping, node) in zip(profile.mappings, nodes)
        where mapping.field == field && (mapping.kind == nil || mapping.kind == kind) && node != 0 {
          candidates.append(node)
        }
        ranges.append(start..<candidates.count)
      }
    }
    self.ranges = ranges
    self.candidates = candidates
    let masks = ranges.map { range in candidates[range].reduce(0) { $0 | Self.bit(of: $1) } }
    self.masks = masks
    func giftMask(_ fields: [EventField]) -> UInt64 {
      fields.reduce(0) { $0 | masks[Int(EventKind.gift.rawValue) * EventField.count + $1.ordinal] }
    }
    receiverMask = giftMask([.receiver, .receiverID])
    rareGiftMask = giftMask([.streak, .end, .combo])
    elementsPath = profile.elementsPath.map { Array($0.utf8) }
    kindWords = profile.kindNames.map { (Array($0.word.utf8), $0.kind) }
    parents = tree.parents
    hasChildren = tree.parents.indices.map { node in tree.children.keys.contains { $0.parent == node } }
    names = MemberNames(tree)
  }

  /// The bit that says that a node was met. Nodes beyond 63 share one: a set bit means "perhaps".
  @inline(__always)
  static func bit(of node: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: min(node, 63)) }

  /// The bits of all nodes of a field.
  @inline(__always)
  func mask(_ field: EventField, of kind: EventKind) -> UInt64 {
    masks[Int(kind.rawValue) &* EventField.count &+ field.ordinal]
  }

  /// The node at a position of a field's list; nil after the last.
  @inline(__always)
  func candidate(_ position: Int, of field: EventField, kind: EventKind) -> Int? {
    let range = ranges[Int(kind.rawValue) &* EventField.count &+ field.ordinal]
    let index = range.lowerBound &+ position
    return index < range.upperBound ? candidates[index] : nil
  }
}

/// The members that a profile looks at, as a tree, while it is built.
struct MemberTree {
  /// A member of a parent.
  struct Member: Hashable {
    let parent: Int
    let name: [UInt8]
  }

  /// Parent of each node; node 0 is the element.
  var parents = [0]
  /// Node of each member.
  var children: [Member: Int] = [:]

  /// The node at a path, made if it is new. An empty path is the element itself.
  mutating func node(at path: [String]) -> Int {
    var node = 0
    for name in path {
      let member = Member(parent: node, name: Array(name.utf8))
      if let child = children[member] {
        node = child
      } else {
        parents.append(node)
        node = parents.count - 1
        children[member] = node
      }
    }
    return node
  }
}

extension EventField {
  /// How many fields there are.
  static let count = 24

  /// The place of the field in its declaration.
  @inline(__always)
  var ordinal: Int {
    switch self {
    case .id: 0
    case .time: 1
    case .sender: 2
    case .senderID: 3
    case .senderName: 4
    case .senderLevel: 5
    case .senderAvatar: 6
    case .senderAnonymous: 7
    case .gift: 8
    case .giftID: 9
    case .giftName: 10
    case .giftIcon: 11
    case .giftPrice: 12
    case .receiver: 13
    case .receiverID: 14
    case .receiverName: 15
    case .receiverLevel: 16
    case .receiverAvatar: 17
    case .count: 18
    case .total: 19
    case .combo: 20
    case .streak: 21
    case .end: 22
    case .text: 23
    }
  }
}
