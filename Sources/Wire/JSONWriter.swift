/// Writes JSON to the end of a byte array. What it writes is always valid UTF-8 and, piece by piece, valid
/// JSON.
public enum JSONWriter {
  /// Appends text that is JSON already: punctuation and the names of members.
  public static func append(literal: String, to output: inout [UInt8]) {
    output.append(contentsOf: literal.utf8)
  }

  /// Appends an integer.
  public static func append(_ value: Int64, to output: inout [UInt8]) {
    output.append(atMost: JSONBlock.integerBytes) { space, end in JSONBlock.put(Int(value), &space, &end) }
  }

  /// Appends an integer.
  public static func append(_ value: Int, to output: inout [UInt8]) {
    output.append(atMost: JSONBlock.integerBytes) { space, end in JSONBlock.put(value, &space, &end) }
  }

  /// Appends an integer.
  public static func append(_ value: UInt64, to output: inout [UInt8]) {
    output.append(atMost: JSONBlock.integerBytes) { space, end in JSONBlock.put(value, &space, &end) }
  }

  /// Appends a string in quotes. What is not UTF-8 becomes U+FFFD.
  public static func append(string bytes: Span<UInt8>, to output: inout [UInt8]) {
    output.append(atMost: JSONBlock.stringBytes(bytes.count)) { space, end in
      JSONBlock.put(string: bytes, bytes.indices, &space, &end)
    }
  }
}
