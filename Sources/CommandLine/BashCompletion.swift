enum BashCompletion {
  static func script(_ subcommands: [Subcommand]) -> String {
    let heads = subcommands.map(\.name) + Subcommand.overviewFlags.map { "--\($0.name)" }
    var script = """
      # bash completion for livecue; `livecue completions bash` prints it.

      _livecue() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} flags="" words="" files=""
        COMPREPLY=()
        if ((COMP_CWORD == 1)); then
          mapfile -t COMPREPLY < <(compgen -W "\(heads.joined(separator: " "))" -- "$word")
          return
        fi
        # Bash takes --flag=value for three words.
        if [[ $word == "=" ]]; then
          word=""
        elif [[ $before == "=" ]]; then
          before=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        case ${COMP_WORDS[1]} in

      """
    for subcommand in subcommands { script += branch(subcommand) }
    script += """
        *) return ;;
        esac
        if [[ -n $flags && ( $word == -* || -z $words$files ) ]]; then
          words=$flags files=""
        fi
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; [[ -z $files ]] || compgen -f -- "$word")
        [[ -z $files ]] || compopt -o filenames 2>/dev/null
        return 0
      }

      complete -F _livecue livecue

      """
    return script
  }

  /// Sets `flags`, `words` and `files` for one subcommand; after a flag that takes an argument, for that.
  private static func branch(_ subcommand: Subcommand) -> String {
    let flags = subcommand.allFlags.map { "--\($0.name)" }.joined(separator: " ")
    var branch = "  \(subcommand.name))\n    case $before in\n"
    for flag in subcommand.flags {
      guard let candidates = flag.candidates else { continue }
      branch += "    --\(flag.name)) \(assignments(candidates)) ;;\n"
    }
    branch += "    *) flags=\"\(flags)\" \(assignments(subcommand.operandCandidates)) ;;\n"
    return branch + "    esac\n    ;;\n"
  }

  private static func assignments(_ candidates: Candidates) -> String {
    "words=\"\(candidates.words.joined(separator: " "))\" files=\(candidates.areFiles ? "yes" : "\"\"")"
  }
}
