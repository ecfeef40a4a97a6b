import Base
import Configuration
import Wire

/// What a configuration makes of a bridge: how topics are read and written, how payloads are read.
struct Door {
  let configuration: Configuration
  let topics: TopicLayout
  let inputs: [DecoderInput]
  /// The room of each input whose messages are all for one; nil: something else says it.
  let fixedRooms: [[UInt8]?]
  /// How the event of an operator's test is read.
  let testInput = DecoderInput(source: 0, kind: nil, profile: CompiledProfile(.native))
  let commandEncoder: CommandEncoder
  let reportEncoder: ReportEncoder

  /// The door of a configuration; `inputs` replaces its inputs.
  init(configuration: Configuration, inputs plans: [InputPlan]?) throws(TopicFilterFault) {
    self.configuration = configuration
    let plans = plans ?? configuration.inputs
    topics = try TopicLayout(inputs: plans, output: configuration.outputs)
    inputs = plans.map { input in
      DecoderInput(
        source: Door.number(of: input.source), kind: input.kind,
        profile: CompiledProfile(input.profile, roomPath: input.roomPath))
    }
    fixedRooms = plans.map { if case .fixed(let name) = $0.room { Array(name.utf8) } else { nil } }
    commandEncoder = CommandEncoder(layout: topics)
    reportEncoder = ReportEncoder(layout: topics)
  }

  /// A number for a source that depends on its name alone: event ids are remembered with it, also when inputs
  /// are added or change places (FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/).
  private static func number(of source: String) -> UInt32 {
    source.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
  }
}

extension InputPlan {
  /// Where the payload says the room; empty: it does not.
  fileprivate var roomPath: [String] {
    if case .member(let path) = room { path } else { [] }
  }
}
