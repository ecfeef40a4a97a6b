import Base
import CommandLine
import Configuration
import Glibc
import HTTP
import Watch
import Wire

let statusCommand = Subcommand(
  name: "status",
  summary: "Ask the running daemon how it is.",
  details: """
    Connections, rooms, queues, rates and the last faults. It asks at metrics.listen of the configuration. Exit 0: the
    daemon is ready; 1: it is not, or none answers.
    """,
  flags: [
    ConfigurationOptions.config,
    Flag(
      "url", "ADDRESS",
      "Where the daemon's metrics are, instead of the configuration's: 127.0.0.1:PORT or the path of a socket."
    ),
    Flag("seconds", "N", "How long the rates are measured (default 1; 0: no rates)."),
    Flag("json", nil, "Print what the daemon says as JSON, without rates."),
  ],
  run: { arguments in
    do {
      return try status(arguments)
    } catch let errors as ConfigurationErrors {
      Terminal.writeError("\(errors)\n")
      return ExitStatus.failed
    }
  })

/// Why there is nothing to print.
private struct StatusFault: Error, CustomStringConvertible {
  let description: String
}

private func status(_ arguments: Arguments) throws -> Int32 {
  let configuration = try ConfigurationOptions.configuration(arguments)
  let address = try statusAddress(arguments, configuration)
  let seconds = try arguments.integer("seconds", in: 0...3600) ?? 1
  // Whose port it is, the configuration does not know: another instance may have been there first.
  let isGivenByName = arguments.has("config") && !arguments.has("url")
  let expected = isGivenByName ? configuration.instance : nil
  var (bytes, answer) = try ask(address, expecting: expected)
  if arguments.has("json") {
    Terminal.write(String(decoding: bytes, as: UTF8.self) + "\n")
  } else {
    var earlier: JSONValue?
    if seconds > 0 {
      earlier = answer
      // A rate is a difference over time; nothing else is waited for.
      sleep(UInt32(seconds))
      (bytes, answer) = try ask(address, expecting: expected)
    }
    guard let page = StatusPage.text(of: answer, earlier: earlier) else { throw HTTPFault.badAnswer(address) }
    Terminal.write(page)
  }
  return answer["ready"] == .bool(true) ? ExitStatus.fine : ExitStatus.failed
}

private func statusAddress(_ arguments: Arguments, _ configuration: Configuration) throws -> ListenAddress {
  guard let text = arguments.string("url") else {
    guard let address = configuration.metrics.listen else {
      throw StatusFault(
        description: "metrics.listen is empty: the daemon of this configuration cannot be asked")
    }
    return address
  }
  let scheme = "http://"
  let place = text.hasPrefix(scheme) ? text.dropFirst(scheme.count).prefix { $0 != "/" } : text[...]
  guard let address = ListenAddress(String(place)) else {
    throw UsageError(
      "--url is \"\(text)\": expected 127.0.0.1:PORT, [::1]:PORT or the path of a socket, which begins with /"
    )
  }
  return address
}

private func ask(
  _ address: ListenAddress, expecting instance: String?
) throws -> (bytes: [UInt8], answer: JSONValue) {
  let answer: LocalRequest.Answer
  do throws(HTTPFault) {
    answer = try LocalRequest.get("/stats", from: address)
  } catch {
    if case .nobodyListens = error {
      throw StatusFault(
        description: "no daemon answers: \(error). Is it running, and is this its metrics.listen?")
    }
    throw error
  }
  let value: JSONValue
  do throws(JSONFault) {
    value = try JSONValue(answer.body.span)
  } catch {
    throw HTTPFault.badAnswer(address)
  }
  guard answer.status == 200, let found = value["instance"]?.string else {
    throw HTTPFault.badAnswer(address)
  }
  guard instance == nil || found == instance else {
    throw StatusFault(
      description:
        "on \(address) answers instance \(found), expected \(instance ?? ""): they share an address")
  }
  return (answer.body, value)
}
