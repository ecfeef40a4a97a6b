import Base
import Bridge
import Configuration
import Simulation
import TestSupport
import Wire

/// A capture that was played: what came out and what went wrong.
struct Play {
  private(set) var renderer = Renderer()
  private(set) var published: [PublishedMessage] = []
  private(set) var faults: [String] = []
  let summary: SimulationSummary

  /// Plays lines under a configuration in YAML, with the profile of a file if one is named.
  init(
    _ lines: [String], yaml: String = "", profileFile: String? = nil, until: Instant? = nil
  ) throws {
    try self.init(yaml: yaml, profileFile: profileFile, until: until) { play in
      for line in lines { play(Array(line.utf8)) }
    }
  }

  /// Plays the lines of a file.
  init(file: String, yaml: String = "", profileFile: String? = nil, until: Instant? = nil) throws {
    let capture = try CaptureFile(path: file)
    try self.init(yaml: yaml, profileFile: profileFile, until: until) { play in
      var line: [UInt8] = []
      while try capture.readLine(into: &line) { play(line) }
    }
  }

  private init(
    yaml: String, profileFile: String?, until: Instant?, _ feed: ((_ line: [UInt8]) -> Void) throws -> Void
  ) throws {
    let configuration = try Configuration.read(bytes: Array(yaml.utf8), file: "test.yaml")
    var inputs = configuration.inputs
    if let profileFile {
      let profile = try Profile.read(file: profileFile)
      for place in inputs.indices { inputs[place].profile = profile }
    }
    var simulator = Simulator(
      bridge: try Bridge(configuration: configuration, inputs: inputs), until: until)
    var published: [PublishedMessage] = []
    var faults: [String] = []
    try feed { line in
      do throws(CaptureLineFault) {
        try simulator.play(line) { published += $0.published }
      } catch {
        faults.append(error.message)
      }
    }
    simulator.finish { published += $0.published }
    self.published = published
    self.faults = faults
    summary = simulator.summary
    renderer.receive(published)
  }

  /// The commands, each in a line.
  var briefs: [String] { renderer.commands.map { "\($0.topic) \($0.brief())" } }
}

/// A capture line.
func line(_ at: Int64, _ topic: String, _ payload: String) -> String {
  #"{"at":\#(at),"topic":"\#(topic)","payload":\#(payload)}"#
}

/// A capture line with a gift of Ann's.
func rose(_ at: Int64, count: Int = 1) -> String {
  line(at, "im/r1/gift", #"[{"sender":"Ann","gift":"rose","count":\#(count)}]"#)
}
