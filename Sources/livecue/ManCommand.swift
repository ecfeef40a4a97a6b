import CommandLine
import Configuration

let manCommand = Subcommand(
  name: "man", operands: "[livecue.1|livecue.yaml.5]",
  summary: "Print a page of the manual, as roff.",
  details: """
    livecue.1 (default) has every command with its options, livecue.yaml.5 every setting. `man livecue` shows the page
    that is installed; this is where it comes from.

      livecue man | man -l -
    """,
  flags: [], operandCount: 0...1,
  run: { arguments in
    switch arguments.operands.first ?? "livecue.1" {
    case "livecue.1": Terminal.write(programPage().roff)
    case "livecue.yaml.5": Terminal.write(settingsPage().roff)
    case let other: throw UsageError("no page \"\(other)\": expected livecue.1 or livecue.yaml.5")
    }
    return ExitStatus.fine
  })

let completionsCommand = Subcommand(
  name: "completions", operands: "bash|zsh|fish",
  summary: "Print the completions of a shell.",
  details: """
    The package installs them. Without it:

      source <(livecue completions bash)
    """,
  flags: [], operandCount: 1...1,
  run: { arguments in
    guard let shell = Shell(rawValue: arguments.operands[0]) else {
      throw UsageError("no completions for \"\(arguments.operands[0])\": expected bash, zsh or fish")
    }
    Terminal.write(shell.completions(of: subcommands))
    return ExitStatus.fine
  })

private func programPage() -> ManualPage {
  var page = ManualPage.overview(of: subcommands, version: version)
  page.section("EXIT STATUS")
  page.item("0", "Fine.")
  page.item("1", "It failed; standard error says why.")
  page.item("2", "Wrong use.")
  page.section("ENVIRONMENT")
  page.item(
    "STATE_DIRECTORY", "Where livecue run records, if the configuration does not say; systemd sets it.")
  page.item(
    "CREDENTIALS_DIRECTORY",
    "The folder of the files that the settings name as credential:NAME; systemd sets it.")
  page.item(
    "NOTIFY_SOCKET, WATCHDOG_USEC", "Where livecue run tells how it is, and how often; systemd sets them.")
  page.section("FILES")
  page.item("/etc/livecue/livecue.yaml", "The configuration of livecue.service.")
  page.item("/etc/livecue/NAME.yaml", "The configuration of livecue@NAME.service.")
  page.item("/etc/livecue/profiles", "How foreign payloads map to events.")
  page.item("/etc/livecue/broker-password", "The password for credential:broker-password.")
  page.item("/var/lib/livecue", "The journal.")
  page.section("SEE ALSO")
  page.text("livecue.yaml(5), mosquitto(8), systemd.exec(5)")
  return page
}

private func settingsPage() -> ManualPage {
  var page = ManualPage(name: "LIVECUE.YAML", section: 5, version: version)
  page.section("NAME")
  page.text("livecue.yaml - the configuration of livecue")
  page.section("DESCRIPTION")
  page.text(
    """
    A file in YAML. Every setting has a default, so it needs only the lines that differ. A name with dots, like
    broker.host, is a member of a mapping; one with [] is a member of each entry of a list.

    'livecue check FILE' says all that is wrong with a file, with line and column.
    """)
  page.section("SETTINGS")
  for setting in Configuration.settings { page.item(setting.path, meaning(of: setting)) }
  page.section("SEE ALSO")
  page.text("livecue(1)")
  return page
}

private func meaning(of setting: Setting) -> String {
  let expectation = setting.type.expectation
  var text = "\(setting.sentence) \(expectation.prefix(1).uppercased())\(expectation.dropFirst())."
  if setting.isRequired { text += " Required." }
  if let value = setting.defaultText { text += " Default: \(value)." }
  return setting.isPerRoom ? "\(text) Also per room." : text
}
