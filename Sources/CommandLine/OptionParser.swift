import CGetopt
import Glibc

/// Parses the arguments of a subcommand with getopt_long, from its table of flags.
public enum OptionParser {
  /// Value of the first long option in getopt's terms; above every character.
  private static let firstValue: Int32 = 1000

  /// Parses `arguments`, which do not hold the subcommand's own name.
  public static func parse(
    _ arguments: [String], for subcommand: Subcommand
  ) throws(UsageError) -> Arguments {
    let flags = subcommand.flags + [helpFlag]
    let result = unsafe withOptions(flags) { options in
      unsafe withCStrings(["livecue \(subcommand.name)"] + arguments) { argumentVector in
        unsafe collect(argumentVector, flags: flags, options: options)
      }
    }
    let parsed = try result.get()
    guard !parsed.has("help") else { return parsed }
    guard subcommand.operandCount.contains(parsed.operands.count) else {
      let wanted = subcommand.operands.isEmpty ? "no operands" : subcommand.operands
      throw UsageError("livecue \(subcommand.name): \(parsed.operands.count) operands: expected \(wanted)")
    }
    return parsed
  }

  /// Every subcommand has it.
  public static let helpFlag = Flag("help", nil, "Print this page and exit.")

  private static func collect(
    _ vector: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>, flags: [Flag],
    options: UnsafePointer<option>
  ) -> Result<Arguments, UsageError> {
    var parsed = Arguments()
    var argument: UnsafePointer<CChar>?
    var next: Int32 = 1
    let count = Int32(vector.count - 1)
    cgetopt_reset()
    while true {
      let before = next
      // The leading colon asks for ':' where an argument is missing, so that the two faults can be told
      // apart.
      let value = unsafe cgetopt_next(count, vector.baseAddress, ":", options, &argument, &next)
      if value == -1 { break }
      let place = Int(value - firstValue)
      guard flags.indices.contains(place) else {
        var word = unsafe text(vector[Int(max(before, next - 1))])
        // In the midst of a word of several letters getopt still points at the word.
        if !word.hasPrefix("-") || word == "-" { word = unsafe text(vector[Int(next)]) }
        return .failure(UsageError(fault(value, word: word, flags: flags)))
      }
      parsed.values[flags[place].name, default: []].append(unsafe text(argument))
    }
    for position in Int(next)..<Int(count) { parsed.operands.append(unsafe text(vector[position])) }
    return .success(parsed)
  }

  private static func fault(_ value: Int32, word: String, flags: [Flag]) -> String {
    if value == Int32(UInt8(ascii: ":")) { return "\(word): an argument is missing" }
    let known = flags.map { "--\($0.name)" }.joined(separator: " ")
    return "\(word): no such option, or an argument where there is none; there are \(known)"
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
    guard let pointer = unsafe pointer else { return "" }
    return unsafe String(cString: pointer)
  }

  private static func withOptions<Result>(
    _ flags: [Flag], _ body: (UnsafePointer<option>) -> Result
  ) -> Result {
    unsafe withCStrings(flags.map(\.name)) { names in
      var options: [option] = unsafe []
      for place in flags.indices {
        let flag = flags[place]
        let kind = flag.argument == nil ? no_argument : required_argument
        unsafe options.append(
          option(name: names[place], has_arg: kind, flag: nil, val: firstValue + Int32(place)))
      }
      unsafe options.append(option())
      return unsafe options.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("the table has an end mark") }
        return unsafe body(base)
      }
    }
  }

  /// Calls `body` with an array of C strings that ends with a null pointer.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer { for place in unsafe pointers.indices { unsafe free(pointers[place]) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0) }
  }
}
