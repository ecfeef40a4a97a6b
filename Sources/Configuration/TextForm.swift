import Base

/// What a text of the configuration must look like.
public enum TextForm: Equatable, Sendable {
  /// The name of an instance or a profile.
  case name
  /// The name of a source; empty: the usual one.
  case optionalName
  /// The name of a room: one level of a topic.
  case room
  /// The id of a sender or a gift.
  case id
  /// Where the broker is.
  case host
  /// Where pictures may come from.
  case pictureHost
  /// An MQTT client id; `{instance}` stands for the instance's name.
  case clientID
  /// A user name; empty: none.
  case username
  /// The name of a file; empty: none.
  case optionalPath
  /// The first levels of topics.
  case topicPrefix
  /// An MQTT filter with the room's place.
  case inputFilter
  /// A colour.
  case color
  /// Where a server of ours listens; empty: nowhere.
  case listenAddress
  /// Where the overlay's server listens; other machines may reach it.
  case openListenAddress
  /// What a price counts; empty: not said.
  case unit
  /// What plays on the stage; empty: nothing.
  case asset
  /// What a gift is called; empty: not said.
  case giftName
  /// Where a picture is; empty: not said.
  case address
  /// A room's name, or none.
  case optionalRoom
  /// A sentence for people.
  case reason

  /// What is expected, for errors and comments.
  public var expectation: String {
    switch self {
    case .name: "1 to 64 of the characters A-Z a-z 0-9 _ -"
    case .optionalName: "up to 64 of the characters A-Z a-z 0-9 _ -"
    case .room: "a room: 1 to 128 bytes without + # / and control characters"
    case .id: "an id of 1 to 256 bytes"
    case .host: "a host name or address, without scheme, user, port and path"
    case .pictureHost:
      "a host as cdn.example.com or cdn.example.com:8443, all of a domain as *.example.com, or *"
    case .clientID: "1 to 200 bytes without spaces and control characters"
    case .username: "a user name of at most 256 bytes, empty for none"
    case .optionalPath: "a file name, empty for none"
    case .topicPrefix: "levels of a topic, 1 to 256 bytes, without + # $ and empty levels"
    case .inputFilter: "an MQTT filter with {room} for the room's level, or one +"
    case .color: "a colour as #RRGGBB"
    case .listenAddress:
      "127.0.0.1:PORT, [::1]:PORT or the path of a socket of at most 107 bytes, empty for none"
    case .openListenAddress: "IPv4:PORT, [::1]:PORT or the path of a socket of at most 107 bytes"
    case .unit: "a word of at most 32 bytes without control characters, empty for none"
    case .asset: "a name or an address of at most 2000 bytes, empty for none"
    case .giftName: "a name of at most 256 bytes without control characters, empty for the payload's own"
    case .address: "an address of at most 2000 bytes, empty for the payload's own"
    case .optionalRoom: "a room's name of 1 to 128 bytes without + # / and control characters, empty for none"
    case .reason: "a sentence of 1 to 300 bytes without control characters"
    }
  }

  /// True if a message may quote the text: someone may have written a password where these are wanted.
  var mayBeShown: Bool {
    switch self {
    case .host, .username, .optionalPath: false
    default: true
    }
  }

  func accepts(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    switch self {
    case .name: return (1...64).contains(bytes.count) && bytes.allSatisfy(Self.isWordByte)
    case .optionalName: return bytes.count <= 64 && bytes.allSatisfy(Self.isWordByte)
    case .room: return Self.isRoom(text)
    case .id: return (1...256).contains(bytes.count)
    case .host:
      return (1...253).contains(bytes.count)
        && bytes.allSatisfy { Self.isWordByte($0) || ".:%[]".utf8.contains($0) }
    case .pictureHost: return text == "*" || Self.isPictureHost(text)
    case .clientID:
      return (1...200).contains(bytes.count) && !Self.hasControl(text) && !bytes.contains(0x20)
    case .username: return bytes.count <= 256 && !Self.hasControl(text)
    case .optionalPath: return bytes.count <= 4096 && !bytes.contains(0)
    case .topicPrefix: return Self.isPrefix(text)
    case .inputFilter: return RoomFilter(text) != nil || RoomFilter.isPlain(text)
    case .listenAddress: return text.isEmpty || ListenAddress(text) != nil
    case .openListenAddress: return ListenAddress(anywhere: text) != nil
    case .color:
      return bytes.count == 7 && bytes[0] == UInt8(ascii: "#")
        && text.dropFirst().allSatisfy { $0.isASCII && $0.isHexDigit }
    case .unit: return bytes.count <= 32 && !Self.hasControl(text)
    case .asset: return bytes.count <= 2000 && !Self.hasControl(text)
    case .giftName: return bytes.count <= 256 && !Self.hasControl(text)
    case .address: return bytes.count <= 2000 && !Self.hasControl(text)
    case .optionalRoom: return text.isEmpty || Self.isRoom(text)
    case .reason: return (1...300).contains(bytes.count) && !Self.hasControl(text)
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  /// What a browser takes as a source of pictures: nothing that would end the word or the policy that it
  /// stands in.
  private static func isPictureHost(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard text.utf8.count <= 253, parts.count <= 2 else { return false }
    if parts.count == 2 { guard let port = UInt16(parts[1]), "\(port)" == parts[1] else { return false } }
    let labels = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let names = labels.first == "*" && labels.count > 1 ? labels.dropFirst() : labels[...]
    return names.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isWordByte) }
  }

  private static func isRoom(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && !hasControl(text)
      && !text.utf8.contains { "+#/".utf8.contains($0) }
  }

  private static func isPrefix(_ text: String) -> Bool {
    guard (1...256).contains(text.utf8.count), !hasControl(text) else { return false }
    guard !text.utf8.contains(where: { "+#$".utf8.contains($0) }) else { return false }
    return !text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .contains { $0.isEmpty }
  }

  private static func hasControl(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

/// An input's filter as it is written: `im/{room}/gift`.
struct RoomFilter {
  /// The filter as the broker takes it: `im/+/gift`.
  let filter: String
  /// Which level is the room, from 0.
  let roomLevel: Int

  init?(_ text: String) {
    // `$share` spreads a room over clients, and `$SYS` holds no batches.
    guard text.utf8.first != UInt8(ascii: "$") else { return nil }
    var levels = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let marked = levels.indices.filter { levels[$0] == "{room}" }
    let wild = levels.indices.filter { levels[$0] == "+" }
    // Without the mark, a single + can only be the room.
    guard marked.count == 1 || (marked.isEmpty && wild.count == 1) else { return nil }
    roomLevel = (marked + wild)[0]
    levels[roomLevel] = "+"
    filter = levels.joined(separator: "/")
    guard TopicFilter.parsed(filter) != nil else { return nil }
  }

  /// True if it is a filter of which no level is marked as the room: what says the room is elsewhere.
  static func isPlain(_ text: String) -> Bool {
    text.utf8.first != UInt8(ascii: "$") && TopicFilter.parsed(text) != nil
      && !text.utf8.contains(UInt8(ascii: "{"))
  }

  /// Back to how it is written.
  static func text(filter: String, roomLevel: Int) -> String {
    var levels = filter.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    levels[roomLevel] = "{room}"
    return levels.joined(separator: "/")
  }
}
