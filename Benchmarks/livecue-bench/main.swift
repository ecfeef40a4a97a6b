import Base
import Engine
import Glibc
import Simulation
import Wire

func seconds() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func measure() {
  let rooms = Int(CommandLine.arguments.dropFirst().first ?? "1000") ?? 1000
  let count = Int(CommandLine.arguments.dropFirst(2).first ?? "20000") ?? 20000
  var workload = Workload(seed: 1, rooms: rooms)
  var payloads: [[UInt8]] = []
  var topics: [[UInt8]] = []
  for _ in 0..<count {
    var t: [UInt8] = []
    var p: [UInt8] = []
    workload.next(topic: &t, payload: &p)
    payloads.append(p)
    topics.append(Array(t[3..<(t.count - 6)]))
  }
  var engine = Engine()
  var decoder = BatchDecoder()
  var batch = EventBatch()
  var rejections: [Rejection] = []
  let input = DecoderInput(source: 0, kind: nil, profile: CompiledProfile(.native))
  let plan = RoomPlan()
  var output = CommandBuffer()
  var commands = 0
  for round in 0..<5 {
    var decodeTime = 0.0
    let start = seconds()
    for i in 0..<count {
      let payload = payloads[i]
      decoder.decode(payload.span, input: input, limits: plan.limits, into: &batch, rejections: &rejections)
    }
    decodeTime = seconds() - start
    let second = seconds()
    output.removeAll()
    commands = 0
    for i in 0..<count {
      let payload = payloads[i]
      decoder.decode(payload.span, input: input, limits: plan.limits, into: &batch, rejections: &rejections)
      for e in batch.events.indices { batch.events[e].id = .absent }
      let topic = topics[i]
      _ = engine.receive(
        batch, room: topic.span, plan: plan, at: Int64(round * count + i) * Int64(3000 / rooms),
        output: &output)
      commands += output.commands.count
      output.removeAll()
    }
    let total = seconds() - second
    let events = Double(count * 20)
    print(
      "decode \(decodeTime / events * 1e9) ns/event, decode+engine \(total / events * 1e9) ns/event, commands/batch \(Double(commands) / Double(count)), waiting \(engine.groupsWaiting)"
    )
  }
}
measure()
