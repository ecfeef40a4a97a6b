/// One option of a subcommand, as data: `--help`, the man page, the completions and the parser all read this
/// table.
public struct Flag: Sendable {
  /// The long name, without the dashes.
  public var name: String
  /// What its argument is called (`FILE`); nil: it takes none.
  public var argument: String?
  /// What it does, in a sentence or two, with unit and default.
  public var help: String
  /// Words that its argument may be, for completion; empty: they are not known.
  public var choices: [String]

  /// A flag.
  public init(_ name: String, _ argument: String? = nil, _ help: String, choices: [String] = []) {
    self.name = name
    self.argument = argument
    self.help = help
    self.choices = choices
  }
}

/// One subcommand of `livecue`, as data.
public struct Subcommand: Sendable {
  /// The word after `livecue`.
  public var name: String
  /// Its operands as they stand in the usage line; empty: none.
  public var operands: String
  /// What it does, in a line.
  public var summary: String
  /// More about it: what it reads and writes, an example.
  public var details: String
  /// Its options.
  public var flags: [Flag]
  /// How many operands it takes.
  public var operandCount: ClosedRange<Int>
  /// Does it. Returns the exit status: 0 fine, 1 failed, 2 wrong use.
  public var run: @Sendable (Arguments) throws -> Int32

  /// A subcommand.
  public init(
    name: String, operands: String = "", summary: String, details: String = "", flags: [Flag],
    operandCount: ClosedRange<Int> = 0...0, run: @escaping @Sendable (Arguments) throws -> Int32
  ) {
    self.name = name
    self.operands = operands
    self.summary = summary
    self.details = details
    self.flags = flags
    self.operandCount = operandCount
    self.run = run
  }
}

/// Wrong use of the command line; the exit status is 2.
public struct UsageError: Error, Equatable {
  /// What was wrong and what was expected.
  public var message: String

  /// A wrong use.
  public init(_ message: String) { self.message = message }
}

/// What stood on the command line of a subcommand.
public struct Arguments: Sendable {
  /// The arguments of each flag that was given, in order; a flag without an argument has empty ones.
  public var values: [String: [String]] = [:]
  /// What was not a flag.
  public var operands: [String] = []

  /// No arguments.
  public init() {}

  /// True if the flag was given.
  public func has(_ name: String) -> Bool { values[name] != nil }

  /// The argument of a flag; of several the last counts.
  public func string(_ name: String) -> String? { values[name]?.last }

  /// The argument of a flag as an integer of a range.
  public func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = string(name) else { return nil }
    guard let value = Int(text), range.contains(value) else {
      throw UsageError(
        "--\(name) is \"\(text)\": expected an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// The argument of a flag as a decimal number of a range.
  public func decimal(_ name: String, in range: ClosedRange<Double>) throws(UsageError) -> Double? {
    guard let text = string(name) else { return nil }
    guard let value = Double(text), range.contains(value) else {
      throw UsageError(
        "--\(name) is \"\(text)\": expected a number from \(Self.text(range.lowerBound)) to "
          + Self.text(range.upperBound))
    }
    return value
  }

  /// A bound as a person writes it.
  private static func text(_ bound: Double) -> String {
    Int(exactly: bound).map { "\($0)" } ?? "\(bound)"
  }
}
