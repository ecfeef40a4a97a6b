enum FishCompletion {
  static func script(_ subcommands: [Subcommand]) -> String {
    var script = """
      # fish completion for livecue; `livecue completions fish` prints it.

      complete -c livecue -f

      """
    for flag in Subcommand.overviewFlags {
      script += "complete -c livecue -n __fish_use_subcommand -l \(flag.name) -d \(quoted(flag.help))\n"
    }
    for subcommand in subcommands {
      script += "complete -c livecue -n __fish_use_subcommand -a \(subcommand.name)"
      script += " -d \(quoted(subcommand.summary))\n"
    }
    for subcommand in subcommands {
      let head = "complete -c livecue -n '__fish_seen_subcommand_from \(subcommand.name)'"
      script += "\n"
      for flag in subcommand.allFlags {
        let argument = flag.candidates.map { " -r\(arguments($0))" } ?? ""
        script += "\(head) -l \(flag.name)\(argument) -d \(quoted(flag.help))\n"
      }
      if !subcommand.operandCandidates.isEmpty {
        script += "\(head)\(arguments(subcommand.operandCandidates))\n"
      }
    }
    return script
  }

  private static func arguments(_ candidates: Candidates) -> String {
    let words = candidates.words.joined(separator: " ")
    return (candidates.areFiles ? " -F" : " -f") + (words.isEmpty ? "" : " -a \(quoted(words))")
  }

  private static func quoted(_ text: String) -> String {
    var result = "'"
    for character in text {
      if "'\\".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result + "'"
  }
}
