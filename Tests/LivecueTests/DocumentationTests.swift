import Glibc
import PrivateBroker
import TestSupport
import Testing

/// The man page and the completions, against what `--help` says.
@Suite struct DocumentationTests {
  /// Every command with its long flags, as the pages of `--help` list them.
  private static func tables() throws -> [(command: String, flags: [String])] {
    let overview = try Livecue.run(["--help"]).output
    let commands = overview.split(separator: "\n").filter { $0.hasPrefix("  ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    try #require(commands.contains("run") && commands.contains("completions"))
    return try commands.map { command in
      let page = try Livecue.run([command, "--help"]).output
      let flags = page.split(separator: "\n").filter { $0.hasPrefix("  --") }
        .compactMap { $0.split(separator: " ").first.map(String.init) }
      try #require(flags.contains("--help"))
      return (command, flags)
    }
  }

  private static func isThere(_ program: String) -> Bool {
    unsafe access("/usr/bin/\(program)", X_OK) == 0
  }

  /// Runs a shell on a script in a folder that holds the completions.
  private func run(_ words: [String], in folder: TemporaryFolder) throws -> String {
    let script = #"cd "$0" && exec "$@" >answer 2>&1"#
    let child = try ChildProcess(["sh", "-c", script, folder.path] + words)
    let code = try child.wait(milliseconds: 20_000)
    #expect(code == 0, "\(words): \(folder.read("answer"))")
    return folder.read("answer")
  }

  private func completions(_ shell: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let outcome = try Livecue.run(["completions", shell])
    #expect(outcome.code == 0)
    try folder.write(outcome.output, to: "completions")
    return folder
  }

  @Test func theManPageHasEveryCommandWithEveryFlag() throws {
    let page = try Livecue.run(["man"])
    #expect(page.code == 0)
    let parts = page.output.split(separator: "\n.SS ").dropFirst()
    for (command, flags) in try Self.tables() {
      let part = parts.first { $0.hasPrefix("\"livecue \(command) ") }
      try #require(part != nil, "\(command)")
      for flag in flags {
        let term = flag.split(separator: "-").joined(separator: "\\-")
        #expect(part?.contains(".B \"\\-\\-\(term)") == true, "\(command) \(flag)")
      }
    }
  }

  @Test func thePageOfSettingsHasEverySettingOfTheExample() throws {
    let page = try Livecue.run(["man", "livecue.yaml.5"]).output
    let example = String(decoding: readBytes(checkoutPath("config/livecue.yaml")), as: UTF8.self)
    var groups: [Substring] = []
    var count = 0
    for line in example.split(separator: "\n") where !line.contains("#") && line.contains(":") {
      let depth = line.prefix { $0 == " " }.count / 2
      let key = line.drop { $0 == " " }.prefix { $0 != ":" }
      groups = groups.prefix(depth) + [key]
      if (line.hasSuffix(":") && key != "inputs") || key.hasPrefix("-") { continue }
      let path = groups.joined(separator: ".")
      #expect(page.contains(".B \"\(path)\"\n"), "\(path)")
      count += 1
    }
    #expect(count > 40)
  }

  @Test(.enabled(if: isThere("mandoc") && isThere("groff")), arguments: ["livecue.1", "livecue.yaml.5"])
  func thePagesAreGoodRoff(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(try Livecue.run(["man", name]).output, to: name)
    // The one thing that mandoc misses is a date, which would make two builds differ.
    let lint = try run(["sh", "-c", "mandoc -T lint -W warning \(name) || true"], in: folder)
    let complaints = lint.split(separator: "\n").filter { !$0.hasSuffix("missing date, using \"\": TH") }
    #expect(complaints.isEmpty, "\(complaints)")
    #expect(try run(["groff", "-Kutf8", "-Tutf8", "-man", "-ww", "-z", name], in: folder) == "")
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func theCompletionsNameEveryCommandAndFlag(shell: String) throws {
    let script = try Livecue.run(["completions", shell]).output
    for (command, flags) in try Self.tables() {
      let lines: [Substring]
      switch shell {
      case "bash": lines = branch("  \(command))", upTo: "    ;;", of: script)
      case "zsh": lines = branch("  \(command))", upTo: "    ;;", of: script)
      default:
        lines = script.split(separator: "\n").filter { $0.contains("subcommand_from \(command)'") }
        #expect(script.contains("__fish_use_subcommand -a \(command) "), "\(command)")
      }
      let text = lines.joined(separator: "\n") + "\n"
      for flag in flags {
        let form = shell == "fish" ? "-l \(flag.dropFirst(2)) " : flag
        #expect(text.contains(form), "\(shell): \(command) \(flag)")
      }
    }
  }

  private func branch(_ first: String, upTo last: String, of script: String) -> [Substring] {
    let lines = script.split(separator: "\n")
    return Array(lines.drop { $0 != first }.prefix { $0 != last })
  }

  @Test(arguments: [
    (["ru"], ["run"]), (["--v"], ["--version"]), (["run", "--lo"], ["--log"]),
    (["run", "--log", "e"], ["error"]),
    (["run", "--log", "=", "n"], ["notice"]), (["run", "--instance", ""], []),
    (["run", "--config", "live"], ["livecue.yaml"]), (["check", "live"], ["livecue.yaml"]),
    (["send", "g"], ["gift"]), (["send", "live"], ["livecue.yaml"]), (["send", "gift", "--ra"], ["--rate"]),
    (["simulate", "--profile", "na"], ["native"]), (["completions", "z"], ["zsh"]),
    (["man", "livecue.1"], ["livecue.1"]), (["nonsense", ""], []),
  ])
  func bashCompletes(words: [String], wanted: [String]) throws {
    let folder = try completions("bash")
    try folder.write("", to: "livecue.yaml")
    let line = (["livecue"] + words).map { "'\($0)'" }.joined(separator: " ")
    let script = """
      source ./completions; COMP_WORDS=(\(line)); COMP_CWORD=\(words.count); _livecue; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let found = try run(["bash", "-u", "-c", script], in: folder).split(separator: "\n").map(String.init)
    #expect(found == wanted)
  }

  @Test(
    .enabled(if: isThere("fish")),
    arguments: [
      ("livecue che", "check"), ("livecue run --lo", "--log"), ("livecue run --log wa", "warning"),
      ("livecue send lik", "like"), ("livecue check live", "livecue.yaml"),
    ])
  func fishCompletes(line: String, wanted: String) throws {
    let folder = try completions("fish")
    try folder.write("", to: "livecue.yaml")
    let script = "source completions; complete -C '\(line)'"
    let found = try run(["env", "HOME=\(folder.path)", "fish", "--no-config", "-c", script], in: folder)
    #expect(found.split(separator: "\n").map { $0.prefix { $0 != "\t" } } == [wanted[...]])
  }

  @Test(.enabled(if: isThere("zsh"))) func zshReadsTheCompletions() throws {
    let folder = try completions("zsh")
    #expect(try run(["zsh", "-f", "-n", "completions"], in: folder) == "")
    // Loaded as a user's configuration does, it serves the program.
    let script = "autoload -U compinit; compinit -D; source ./completions; print $_comps[livecue]"
    #expect(try run(["zsh", "-f", "-c", script], in: folder) == "_livecue\n")
  }

  @Test(arguments: [
    (["completions", "tcsh"], #"no completions for "tcsh": expected bash, zsh or fish"#),
    (["completions"], "livecue completions: 0 operands"),
    (["man", "livecue.2"], #"no page "livecue.2": expected livecue.1 or livecue.yaml.5"#),
  ])
  func whatIsNotThereIsWrongUse(arguments: [String], message: String) throws {
    let outcome = try Livecue.run(arguments)
    #expect(outcome.code == 2)
    #expect(outcome.output == "")
    #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
  }
}
