public import Base

/// A profile made ready for decoding: a tree of member names, and for each field the places where it may lie.
///
/// It is made once per input. The tree is what lets one walk over the members of an element find all of
/// them, in whatever order and number they come.
public final class CompiledProfile: Sendable {
  /// Where the array of elements lies, from the payload down.
  let elementsPath: [[UInt8]]
  /// The words for kinds.
  let kindWords: [KindWord]
  /// Their whole texts.
  let kindTexts: [[UInt8]]
  /// Where the payload says the room, from an element or from the payload down; empty: it does not.
  let roomPath: [[UInt8]]
  /// The node of the room; 0 if elements do not say theirs.
  let roomNode: Int
  /// The node of the kind; 0 if elements do not say theirs.
  let kindNode: Int
  /// The tree. Node 0 is the element itself.
  let nodes: [MemberNode]
  /// All names of members, hashed.
  let names: MemberNames
  /// The nodes of all fields; see `FieldPlace.nodes`.
  let candidates: [Int]
  /// Where the fields of each kind may lie.
  let gift: FieldPlaces
  let comment: FieldPlaces
  let like: FieldPlaces
  let remove: FieldPlaces
  /// For a profile with cases: what turns its elements into flat ones, which a profile of plain paths reads.
  let translation: Translation?

  /// Compiles a profile. `roomPath` is where the payload says the room; empty: it does not.
  public init(_ profile: Profile, roomPath: [String] = []) {
    translation = profile.cases.isEmpty ? nil : Translation(profile, roomPath: roomPath)
    self.roomPath = roomPath.map { Array($0.utf8) }
    var tree = MemberTree()
    roomNode = roomPath.isEmpty ? 0 : tree.node(at: roomPath)
    kindNode = profile.kindPath.isEmpty ? 0 : tree.node(at: profile.kindPath)
    let mapped = profile.mappings.map { (mapping: $0, node: tree.node(at: $0.path)) }
    var candidates: [Int] = []
    func places(_ kind: EventKind) -> FieldPlaces {
      FieldPlaces(candidates: &candidates) { field in
        mapped.filter { mapping, node in
          mapping.field == field && (mapping.kind == nil || mapping.kind == kind) && node != 0
        }.map(\.node)
      }
    }
    gift = places(.gift)
    comment = places(.comment)
    like = places(.like)
    remove = places(.remove)
    self.candidates = candidates
    elementsPath = profile.elementsPath.map { Array($0.utf8) }
    kindTexts = profile.kindNames.map { Array($0.word.utf8) }
    kindWords = zip(profile.kindNames, kindTexts).map { name, text in
      KindWord(word: Tape.word(text.prefix(8)), count: text.count, kind: name.kind)
    }
    nodes = tree.nodes
    names = MemberNames(tree)
  }

  /// Where the fields of a kind may lie.
  @inline(__always)
  func places(of kind: EventKind) -> FieldPlaces {
    switch kind {
    case .gift: gift
    case .comment: comment
    case .like: like
    case .remove: remove
    }
  }
}

/// A source's word for a kind of event.
struct KindWord: Sendable {
  /// Its first eight bytes; all of most words.
  let word: UInt64
  let count: Int
  let kind: EventKind
}

/// A member that a profile looks at.
struct MemberNode: Sendable {
  /// The node of the object that it is in; node 0 is the element.
  let parent: Int
  /// Its name there.
  let name: [UInt8]
  /// The bits of all members below; 0 if the profile does not look into it.
  var below: UInt64 = 0

  /// The bit that says that a node was met. The nodes from 63 on share one, which then says "perhaps".
  @inline(__always)
  static func bit(of node: Int) -> UInt64 { 1 &<< UInt64(truncatingIfNeeded: min(node, firstShared)) }

  /// The first node without a bit of its own.
  static let firstShared = 63
  /// The bit that those nodes share.
  static let sharedBit: UInt64 = 1 << 63
}

/// The members that a profile looks at, as a tree, while it is built.
struct MemberTree {
  /// A member of a parent.
  struct Member: Hashable {
    let parent: Int
    let name: [UInt8]
  }

  /// All nodes; node 0 is the element, and its own parent.
  var nodes = [MemberNode(parent: 0, name: [])]
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
        nodes.append(MemberNode(parent: node, name: member.name))
        node = nodes.count - 1
        children[member] = node
        var ancestor = node
        repeat {
          ancestor = nodes[ancestor].parent
          nodes[ancestor].below |= MemberNode.bit(of: node)
        } while ancestor != 0
      }
    }
    return node
  }
}
