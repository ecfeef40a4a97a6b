import Base
import Configuration
import Wire

/// What a configuration makes of a bridge: how topics are read and written, how payloads are read.
struct Door {
  let configuration: Configuration
  let topics: TopicLayout
  let inputs: [DecoderInput]
  let commandEncoder: CommandEncoder
  let reportEncoder: ReportEncoder

  /// The door of a configuration; `inputs` replaces its inputs.
  init(configuration: Configuration, inputs plans: [InputPlan]?) throws(TopicFilterFault) {
    self.configuration = configuration
    let plans = plans ?? configuration.inputs
    topics = try TopicLayout(inputs: plans, output: configuration.outputs)
    inputs = plans.map { input in
      // The first input of a source stands for it.
      let source = plans.firstIndex { $0.source == input.source } ?? 0
      return DecoderInput(source: UInt32(source), kind: input.kind, profile: CompiledProfile(input.profile))
    }
    commandEncoder = CommandEncoder(layout: topics)
    reportEncoder = ReportEncoder(layout: topics)
  }
}
