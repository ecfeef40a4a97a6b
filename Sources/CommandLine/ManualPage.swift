/// A page of the manual as roff with the macros of man(7), written from top to bottom.
public struct ManualPage: Sendable {
  /// The page so far.
  public private(set) var roff: String

  /// A page with its title line.
  public init(name: String, section: Int, version: String) {
    roff = ".TH \(Self.quoted(name)) \(section) \"\" \(Self.quoted("LiveCue \(version)")) LiveCue\n"
  }

  /// Begins a section.
  public mutating func section(_ title: String) { roff += ".SH \(Self.quoted(title))\n" }

  /// Begins a part of a section.
  public mutating func part(_ title: String) { roff += ".SS \(Self.quoted(title))\n" }

  /// Adds text: paragraphs with empty lines between; a paragraph whose lines are indented is kept as it is.
  public mutating func text(_ text: String) {
    var paragraphs: [[Substring]] = [[]]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty { paragraphs.append([]) } else { paragraphs[paragraphs.count - 1].append(line) }
    }
    var isFirst = true
    for lines in paragraphs where !lines.isEmpty {
      let isExample = lines.allSatisfy { $0.hasPrefix("  ") }
      if isExample || !isFirst { roff += ".PP\n" }
      roff += isExample ? ".EX\n" : ""
      for line in lines { roff += Self.escaped(String(line)) + "\n" }
      roff += isExample ? ".EE\n" : ""
      isFirst = false
    }
  }

  /// Adds a term and, indented, what it means.
  public mutating func item(_ term: String, _ meaning: String) {
    roff += ".TP\n.B \(Self.quoted(term))\n"
    text(meaning)
  }

  /// An argument of a macro.
  private static func quoted(_ text: String) -> String {
    "\"" + escaped(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq")
      + "\""
  }

  /// A line of text: a backslash begins an escape, a plain dash is typeset as a hyphen, and a dot or an
  /// apostrophe at the start of a line is a macro.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "." where result.isEmpty: result += "\\&."
      default: result.append(character)
      }
    }
    return result
  }
}

extension ManualPage {
  /// The page of the whole program: each subcommand with all of its flags.
  public static func overview(of subcommands: [Subcommand], version: String) -> ManualPage {
    var page = ManualPage(name: "LIVECUE", section: 1, version: version)
    page.section("NAME")
    page.text("livecue - \(Usage.summary)")
    page.section("SYNOPSIS")
    for subcommand in subcommands { page.item(usage(of: subcommand), subcommand.summary) }
    page.section("COMMANDS")
    for subcommand in subcommands {
      page.part(usage(of: subcommand))
      page.text(subcommand.summary + (subcommand.details.isEmpty ? "" : "\n\n\(subcommand.details)"))
      for flag in subcommand.allFlags {
        page.item("--\(flag.name)" + (flag.argument.map { " \($0)" } ?? ""), flag.help)
      }
    }
    return page
  }

  private static func usage(of subcommand: Subcommand) -> String {
    "livecue \(subcommand.name) [OPTION…]" + (subcommand.operands.isEmpty ? "" : " \(subcommand.operands)")
  }
}
