internal import Base

/// Where one field of a kind may lie.
struct FieldPlace: Sendable {
  /// The bits of all its nodes; none of them is set where the field is absent, which is most often so.
  let mask: UInt64
  /// The bit of the node that is preferred; 0 if that has none of its own.
  let firstBit: UInt64
  /// That node; 0 if the profile does not have the field.
  let first: Int32
  /// All nodes in the order in which they are preferred, as indices into `CompiledProfile.candidates`.
  let nodes: Range<Int32>
}

/// Where the fields of a kind may lie. A class of constants, so that asking for one is a load.
final class FieldPlaces: Sendable {
  let id: FieldPlace
  let time: FieldPlace
  let sender: FieldPlace
  let senderID: FieldPlace
  let senderName: FieldPlace
  let senderLevel: FieldPlace
  let senderAvatar: FieldPlace
  let senderAnonymous: FieldPlace
  let gift: FieldPlace
  let giftID: FieldPlace
  let giftName: FieldPlace
  let giftIcon: FieldPlace
  let giftPrice: FieldPlace
  let receiver: FieldPlace
  let receiverID: FieldPlace
  let receiverName: FieldPlace
  let receiverLevel: FieldPlace
  let receiverAvatar: FieldPlace
  let count: FieldPlace
  let total: FieldPlace
  let combo: FieldPlace
  let streak: FieldPlace
  let end: FieldPlace
  let raises: FieldPlace
  let corrects: FieldPlace
  let text: FieldPlace
  let style: FieldPlace
  let ids: FieldPlace

  /// Takes the nodes that `nodes` gives for each field, and adds them to `candidates`.
  init(candidates: inout [Int], nodes: (EventField) -> [Int]) {
    func place(_ field: EventField) -> FieldPlace {
      let start = candidates.count
      candidates.append(contentsOf: nodes(field))
      let all = candidates[start...]
      let first = all.first ?? 0
      return FieldPlace(
        mask: all.reduce(0) { $0 | MemberNode.bit(of: $1) },
        firstBit: first == 0 || first >= MemberNode.firstShared ? 0 : MemberNode.bit(of: first),
        first: Int32(first), nodes: Int32(start)..<Int32(candidates.count))
    }
    id = place(.id)
    time = place(.time)
    sender = place(.sender)
    senderID = place(.senderID)
    senderName = place(.senderName)
    senderLevel = place(.senderLevel)
    senderAvatar = place(.senderAvatar)
    senderAnonymous = place(.senderAnonymous)
    gift = place(.gift)
    giftID = place(.giftID)
    giftName = place(.giftName)
    giftIcon = place(.giftIcon)
    giftPrice = place(.giftPrice)
    receiver = place(.receiver)
    receiverID = place(.receiverID)
    receiverName = place(.receiverName)
    receiverLevel = place(.receiverLevel)
    receiverAvatar = place(.receiverAvatar)
    count = place(.count)
    total = place(.total)
    combo = place(.combo)
    streak = place(.streak)
    end = place(.end)
    raises = place(.raises)
    corrects = place(.corrects)
    text = place(.text)
    style = place(.style)
    ids = place(.ids)
  }
}
