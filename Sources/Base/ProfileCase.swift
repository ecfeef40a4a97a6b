/// What a profile makes of one sort of element. Of a profile's cases the first that fits an element counts.
public struct ProfileCase: Equatable, Sendable {
  /// What becomes of an element.
  public enum Outcome: Equatable, Sendable {
    /// An event of this kind.
    case event(EventKind)
    /// Nothing, and why, for a person.
    case drop(String)
  }

  /// All of them must hold; none: it fits every element.
  public var conditions: [MemberCondition]
  /// What becomes of the element.
  public var outcome: Outcome
  /// True: the cases after this one are tried too, so that one element may become a gift and a comment.
  public var goesOn: Bool
  /// Where an array lies of which each entry is an event, which paths reach as `each`; empty: there is none.
  public var eachPath: [String]
  /// Where the fields come from. They win over the mappings of the profile.
  public var fields: [FieldRule]

  /// A case.
  public init(
    conditions: [MemberCondition], outcome: Outcome, goesOn: Bool = false, eachPath: [String] = [],
    fields: [FieldRule] = []
  ) {
    self.conditions = conditions
    self.outcome = outcome
    self.goesOn = goesOn
    self.eachPath = eachPath
    self.fields = fields
  }
}

/// A field of an event and what it is made of.
public struct FieldRule: Equatable, Sendable {
  /// The field.
  public var field: EventField
  /// What it is made of.
  public var value: ValueRule

  /// A field and its rule.
  public init(field: EventField, value: ValueRule) {
    self.field = field
    self.value = value
  }
}

/// What must hold of a member. A member that is null or an empty text is absent.
public struct MemberCondition: Equatable, Sendable {
  /// What must hold.
  public enum Test: Equatable, Sendable {
    /// It is there.
    case present
    /// It is not there.
    case absent
    /// It is one of these texts; integers and truth values are compared as they are written.
    case isOne(of: [String])
    /// It is none of these, or absent.
    case isNone(of: [String])
    /// It is this word, or this word with a suffix after a colon: `DANMU_MSG:4:0` has the word `DANMU_MSG`.
    case hasWord(String)
    /// It and the member at this path are both there and have one text.
    case isSame(as: [String])
    /// It and the member at this path are both there and have two texts.
    case differs(from: [String])
  }

  /// Names from the element down; a name of digits is a place in an array.
  public var path: [String]
  /// What must hold.
  public var test: Test

  /// A condition.
  public init(path: [String], test: Test) {
    self.path = path
    self.test = test
  }
}

/// A text of a source and what it stands for.
public struct WordMeaning: Equatable, Sendable {
  /// The source's text.
  public var word: String
  /// Ours.
  public var meaning: String

  /// A text and its meaning.
  public init(word: String, meaning: String) {
    self.word = word
    self.meaning = meaning
  }
}

/// How a value is made of the members of an element. Where a member that it needs is absent, so is the value.
public indirect enum ValueRule: Equatable, Sendable {
  /// The member at a path; a name of digits is a place in an array.
  case member([String])
  /// The first that is present; of none: nothing, whatever the mappings of the profile say.
  case first([ValueRule])
  /// This text.
  case constant(String)
  /// The texts of all, with colons between them.
  case joined([ValueRule])
  /// Seconds since 1970 as milliseconds.
  case seconds(ValueRule)
  /// Seconds or milliseconds since 1970, told apart by size: less than 10^11 are seconds (up to the year
  /// 5138).
  case instant(ValueRule)
  /// A time as RFC 3339 writes it, in UTC.
  case date(ValueRule)
  /// The product of integers; one that is absent, or not above 0, counts 1.
  case product([ValueRule])
  /// The largest of those integers that are present.
  case largest([ValueRule])
  /// An integer divided, fractions dropped.
  case quotient(ValueRule, by: Int64)
  /// The value, unless its text is one of these, which stand for none.
  case except(ValueRule, [String])
  /// What its text stands for; of one that stands for nothing: nothing.
  case mapped(ValueRule, [WordMeaning])
  /// True if all conditions hold.
  case truth([MemberCondition])
}
