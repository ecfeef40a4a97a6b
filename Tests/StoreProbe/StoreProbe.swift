import Glibc

/// A process of its own for what needs one: to be killed, to open a second time, to lack rights, to measure.
@main
enum StoreProbe {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { fail("usage: store-probe commit|open|measure DIRECTORY …") }
    let directory = arguments[2]
    switch arguments[1] {
    case "commit": Committer.run(directory, seed: arguments.count > 3 ? UInt64(arguments[3]) ?? 0 : 0)
    case "open": Opener.run(directory, user: arguments.count > 3 ? UInt32(arguments[3]) : nil)
    case "measure": Measure.run(directory)
    default: fail("no such mode")
    }
  }

  static func fail(_ message: String) -> Never {
    print("error: \(message)")
    exit(1)
  }
}
