import Base
import Testing
import Wire

@Suite struct CaptureLineTests {
  /// What a line holds, in words; a fault's message if it holds nothing.
  private func read(_ line: String) -> String {
    let reader = CaptureLineReader()
    do throws(CaptureLineFault) {
      switch try reader.read(Array(line.utf8)) {
      case .away(let from, let to): return "away \(from) \(to)"
      case .message(let at, let topic, let payload):
        return "\(at) \(reader.bytes.string(topic)) \(reader.bytes.string(payload))"
      }
    } catch {
      return error.message
    }
  }

  @Test(arguments: [
    (#"{"at":5,"topic":"im/r/gift","payload":[{"a":1}, 2]}"#, #"5 im/r/gift [{"a":1}, 2]"#),
    (#" { "payload" : {"b":[]} , "topic":"t\u0041" , "at" : -5 } "#, #"-5 tA {"b":[]}"#),
    (#"{"at":5,"topic":"t","payload":12345678901234567890123 }"#, "5 t 12345678901234567890123"),
    (#"{"at":5,"topic":"t","payload":null}"#, "5 t null"),
    (#"{"at":5,"topic":"t","payload":"a\ud83d"}"#, #"5 t "a\ud83d""#),
    (#"{"at":5,"topic":"t","payload":[],"more":{"x":[1]}}"#, "5 t []"),
    (#"{"at":5,"topic":"t","base64":"aGVsbG8="}"#, "5 t hello"),
    (#"{"at":5,"topic":"t","base64":""}"#, "5 t "),
    (#"{"at":9007199254740992,"topic":"t","payload":1}"#, "9007199254740992 t 1"),
    (#"{"away":{"from":3,"to":9}}"#, "away 3 9"),
    (#"{"away":{"to":3,"from":3}}"#, "away 3 3"),
  ])
  func aLineIsReadAsItStands(line: String, holds: String) {
    #expect(read(line) == holds)
  }

  @Test(arguments: [
    (#"{"topic":"t","payload":1}"#, "no member \"at\""),
    (#"{"at":1,"payload":1}"#, "no member \"topic\""),
    (#"{"at":1,"topic":"t"}"#, "no member \"payload\" or \"base64\""),
    (#"{"at":1,"topic":"t","base64":"abc"}"#, "\"base64\": expected"),
    (#"{"at":9007199254740993,"topic":"t","payload":1}"#, "\"at\": expected"),
    (#"{"at":-9223372036854775808,"topic":"t","payload":1}"#, "\"at\": expected"),
    (#"{"away":{"from":9,"to":3}}"#, "\"away\": expected"),
    (#"{"away":{"from":0,"to":9223372036854775807}}"#, "\"away\": expected"),
    (#"{"at":1.5,"topic":"t","payload":1}"#, "not a JSON object"),
    (#"{"at":"1","topic":"t","payload":1}"#, "not a JSON object"),
    (#"{"at":1,"topic":7,"payload":1}"#, "not a JSON object"),
    (#"{"away":{"from":1}}"#, "not a JSON object"),
    (#"{"at":1,"topic":"t","payload":[1}"#, "not a JSON object"),
    ("[]", "not a JSON object"), ("7", "not a JSON object"), ("", "not a JSON object"),
    ("{", "not a JSON object"),
  ])
  func aLineThatHoldsNothingSaysWhy(line: String, why: String) {
    #expect(read(line).hasPrefix(why), "\(read(line))")
  }
}

@Suite struct Base64Tests {
  /// RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func theStandardsVectorsGoBothWays(plain: String, text: String) {
    var encoded: [UInt8] = []
    Base64.encode(Array(plain.utf8), into: &encoded)
    #expect(encoded == Array(text.utf8))
    var decoded: [UInt8] = []
    #expect(Base64.decode(encoded, into: &decoded))
    #expect(decoded == Array(plain.utf8))
  }

  @Test func everyByteGoesBothWays() {
    let bytes = (0...255).map { UInt8($0) }
    for length in 0...256 {
      var encoded: [UInt8] = []
      var decoded: [UInt8] = []
      Base64.encode(bytes.prefix(length), into: &encoded)
      #expect(Base64.decode(encoded, into: &decoded))
      #expect(decoded == Array(bytes.prefix(length)))
    }
  }

  @Test(arguments: ["a", "ab", "abc", "ab=c", "a===", "====", "=abc", "ab c", "ab-_", "Zg==Zg=", "Zm8=\n"])
  func whatIsNoBase64IsRefused(text: String) {
    var decoded: [UInt8] = []
    #expect(!Base64.decode(Array(text.utf8), into: &decoded))
  }
}
