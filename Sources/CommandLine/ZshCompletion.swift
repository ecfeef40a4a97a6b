enum ZshCompletion {
  static func script(_ subcommands: [Subcommand]) -> String {
    var script = """
      #compdef livecue
      # zsh completion for livecue; `livecue completions zsh` prints it.

      _livecue_words_or_files() {
        compadd -- "$@"
        _files
      }

      _livecue() {
        if ((CURRENT == 2)); then
          local -a commands=(

      """
    for subcommand in subcommands {
      script += "      \(quoted("\(subcommand.name):\(subcommand.summary)"))\n"
    }
    let overview = Subcommand.overviewFlags.map { "--\($0.name)" }.joined(separator: " ")
    script += """
          )
          _describe -t commands command commands
          compadd -- \(overview)
          return
        fi
        local command=$words[2]
        shift words
        ((CURRENT--))
        case $command in

      """
    for subcommand in subcommands {
      let specifications = subcommand.allFlags.map(specification) + operands(subcommand)
      script += "  \(subcommand.name))\n    _arguments \\\n      "
      script += specifications.joined(separator: " \\\n      ") + "\n    ;;\n"
    }
    script += """
        esac
      }

      # Read from $fpath it is the function's body; sourced, it says whom it serves.
      if [[ ${funcstack[1]} == _livecue ]]; then
        _livecue "$@"
      else
        compdef _livecue livecue
      fi

      """
    return script
  }

  private static func specification(_ flag: Flag) -> String {
    let help = escaped(flag.help)
    guard let argument = flag.argument, let candidates = flag.candidates else {
      return quoted("--\(flag.name)[\(help)]")
    }
    return quoted("*--\(flag.name)=[\(help)]:\(escaped(argument)):\(action(candidates))")
  }

  private static func operands(_ subcommand: Subcommand) -> [String] {
    guard subcommand.operandCount.upperBound > 0 else { return [] }
    let action = action(subcommand.operandCandidates)
    let count = subcommand.operandCount.upperBound
    let place = count == 1 ? "1" : "*"
    return [quoted("\(place):\(escaped(subcommand.operands)):\(action)")]
  }

  private static func action(_ candidates: Candidates) -> String {
    let words = candidates.words.joined(separator: " ")
    if candidates.areFiles { return candidates.words.isEmpty ? "_files" : "_livecue_words_or_files \(words)" }
    return candidates.words.isEmpty ? " " : "(\(words))"
  }

  /// A text as part of a specification of `_arguments`.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if "[]:\\".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
