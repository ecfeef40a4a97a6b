/// The completions of a shell, from the same tables that the parser reads: every subcommand, every flag,
/// files where a file is wanted, and words where they are known.
public enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The script that the shell reads.
  public func completions(of subcommands: [Subcommand]) -> String {
    switch self {
    case .bash: BashCompletion.script(subcommands)
    case .zsh: ZshCompletion.script(subcommands)
    case .fish: FishCompletion.script(subcommands)
    }
  }
}

/// What may stand in a place of the command line.
struct Candidates: Equatable {
  /// Words that are known.
  var words: [String]
  /// True if a file may stand there.
  var areFiles: Bool
  /// True if nothing is known of what may stand there.
  var isEmpty: Bool { words.isEmpty && !areFiles }

  /// Of an operand or an argument as usage writes it: in `gift|comment|FILE` the small words are meant
  /// literally.
  init(_ usage: String, choices: [String] = []) {
    let words = usage.split { "[]|… ".contains($0) }.map(String.init)
    self.words = choices + words.filter { $0.lowercased() == $0 }
    areFiles = words.contains { ["FILE", "FOLDER", "DIRECTORY"].contains($0) }
  }
}

extension Subcommand {
  /// What its operands may be.
  var operandCandidates: Candidates { Candidates(operands) }
  /// Its flags, and the one that every subcommand has.
  var allFlags: [Flag] { flags + [OptionParser.helpFlag] }
}

extension Flag {
  /// What its argument may be; nil if it takes none.
  var candidates: Candidates? { argument.map { Candidates($0, choices: choices) } }
}

extension Subcommand {
  /// What stands in place of a subcommand.
  static let overviewFlags = [
    OptionParser.helpFlag, Flag("version", nil, "Print the version and exit."),
  ]
}
