import Base
import Simulation
import Testing

@testable import Wire

@Suite struct DecoderFuzzTests {
  private static let good = #"""
    {"events":[{"type":"gift","id":"e-1","time":1722400000000,"sender":{"id":"u1","name":"A\ud83d\ude00","level":12,"avatar":"x"},
    "gift":{"id":"rose","name":"Rose","price":1,"icon":"i"},"receiver":{"id":7},"count":1,"total":2,"streak":9,"end":true,"combo":false},
    {"type":"comment","id":18446744073709551615,"sender":"u","text":"你好 \u0000\u202e \"\\"},
    {"type":"like","sender":{"anonymous":true},"count":5,"total":9},[1,[2.5e-3,{}]],null,true]}
    """#

  private static let pieces: [[UInt8]] =
    [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\ud83d", "\\ude00", "\\u0000", "null", "1e999", "-", "0",
      "99999999999999999999",
      "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "\"id\":", "\"sender\":", "\"events\":", "true",
    ].map { Array($0.utf8) } + [[0xFF], [0xF0, 0x9F], [0x80], [0]]

  private func mutate(_ payload: inout [UInt8], using generator: inout SplitMix) {
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let position = Int.random(in: 0...payload.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: payload.insert(contentsOf: Self.pieces.randomElement(using: &generator) ?? [], at: position)
      case 1:
        payload.removeSubrange(
          position..<min(position + Int.random(in: 0...9, using: &generator), payload.count))
      case 2 where position < payload.count: payload[position] = UInt8.random(in: 0...255, using: &generator)
      case 3:
        let end = min(position + Int.random(in: 0...60, using: &generator), payload.count)
        payload.insert(
          contentsOf: payload[position..<end], at: Int.random(in: 0...payload.count, using: &generator))
      case 4 where Int.random(in: 0..<20, using: &generator) == 0: payload.removeSubrange(position...)
      default: break
      }
    }
  }

  /// Whatever comes: no crash, events keep their promises, and the next good payload decodes.
  @Test func mutatedPayloadsNeverBreakTheDecoder() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix(seed: seed)
    var decoding = Decoding()
    let expected = decoding.events(Self.good)
    #expect(expected.count == 3)
    var decoded = 0
    for round in 0..<10_000 {
      var payload = Array(Self.good.utf8)
      mutate(&payload, using: &generator)
      decoding.limits.maxNameBytes = round % 7 == 0 ? 3 : 256
      decoding.decode(payload)
      decoded += decoding.batch.events.count
      check(decoding, "seed \(seed), round \(round)")
      if round % 100 == 0 {
        decoding.limits.maxNameBytes = 256
        #expect(decoding.events(Self.good) == expected, "seed \(seed), round \(round)")
      }
    }
    #expect(decoded > 0)
    #expect(decoding.decoder.repairedPayloads > 0, "seed \(seed)")
  }

  private func check(_ decoding: Decoding, _ place: String) {
    let batch = decoding.batch
    var last = -1
    for event in batch.events {
      #expect(event.index > last, "\(place)")
      last = event.index
      #expect(!event.sender.id.isAbsent && !event.sender.name.isAbsent, "\(place)")
      #expect(event.kind != .gift || (!event.gift.id.isAbsent && !event.gift.name.isAbsent), "\(place)")
      #expect(event.kind != .comment || !event.text.isAbsent, "\(place)")
      #expect(event.kind == .comment || event.count != nil || event.total != nil, "\(place)")
      for slice in [
        event.id, event.streak, event.text, event.sender.id, event.sender.name, event.sender.avatar,
        event.gift.id,
        event.gift.name, event.gift.icon, event.receiver.id, event.receiver.name, event.receiver.avatar,
      ] {
        #expect(slice.range.upperBound <= batch.bytes.count, "\(place)")
        let isUTF8 = batch.bytes.span.extracting(slice.range).isUTF8
        #expect(isUTF8, "\(place)")
      }
    }
  }
}
