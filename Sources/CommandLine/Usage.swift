/// The text of `--help`, from the same tables that the parser reads.
public enum Usage {
  private static let width = 96
  /// What the program does, in a line.
  static let summary = "batches of gifts, comments and likes in, ordered animation commands out"

  /// The page of `livecue --help`.
  public static func overview(of subcommands: [Subcommand], version: String) -> String {
    let widest = subcommands.map(\.name.count).max() ?? 0
    var page = "livecue \(version): \(summary)\n\n"
    page += "usage: livecue COMMAND [OPTION…]\n\n"
    for subcommand in subcommands {
      page += "  \(padded(subcommand.name, to: widest))  \(subcommand.summary)\n"
    }
    page += "\n'livecue COMMAND --help' tells more. Exit status: 0 fine, 1 failed, 2 wrong use.\n"
    return page
  }

  /// The page of `livecue COMMAND --help`.
  public static func page(of subcommand: Subcommand) -> String {
    let operands = subcommand.operands.isEmpty ? "" : " \(subcommand.operands)"
    var page = "usage: livecue \(subcommand.name) [OPTION…]\(operands)\n\n\(subcommand.summary)\n"
    if !subcommand.details.isEmpty { page += "\n\(subcommand.details)\n" }
    page += "\noptions:\n"
    let flags = subcommand.flags + [OptionParser.helpFlag]
    let heads = flags.map { flag in flag.argument.map { "--\(flag.name) \($0)" } ?? "--\(flag.name)" }
    let widest = heads.map(\.count).max() ?? 0
    for (flag, head) in zip(flags, heads) {
      let lines = wrapped(flag.help, to: width - widest - 4)
      page += "  \(padded(head, to: widest))  \(lines.joined(separator: "\n" + spaces(widest + 4)))\n"
    }
    return page
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + spaces(width - text.count)
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

  private static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    return lines + [line]
  }
}
