public import Base

/// A number of a metric.
public enum MetricValue: Equatable, Sendable {
  /// A whole number.
  case integer(Int64)
  /// Any number.
  case decimal(Double)

  /// As Prometheus and JSON write it.
  var text: String {
    switch self {
    case .integer(let value): value.description
    case .decimal(let value): value.description
    }
  }
}

/// A figure with its name and what it means; of each kind of label there is a fixed, small set.
public struct Metric: Sendable {
  /// What `prometheusText` is: the last version of the format that needs no negotiation.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  enum Content: Sendable {
    case single(MetricValue)
    case labelled(StaticString, [(value: String, MetricValue)])
    case histogram(Histogram)
  }

  /// What Prometheus calls its type.
  enum Kind: String, Sendable { case counter, gauge, histogram }

  /// `livecue_…`, with the unit, and `_total` for what only grows.
  public let name: StaticString
  let help: StaticString
  let kind: Kind
  let content: Content

  /// What only grows while the program runs.
  public static func counter(_ name: StaticString, _ help: StaticString, _ value: Int) -> Metric {
    Metric(name: name, help: help, kind: .counter, content: .single(.integer(Int64(value))))
  }

  /// What only grows while the program runs.
  public static func counter(_ name: StaticString, _ help: StaticString, _ value: Double) -> Metric {
    Metric(name: name, help: help, kind: .counter, content: .single(.decimal(value)))
  }

  /// What only grows, apart by a label.
  public static func counter(
    _ name: StaticString, _ help: StaticString, by label: StaticString, _ values: [(String, Int)]
  ) -> Metric {
    let values = values.map { (value: $0.0, MetricValue.integer(Int64($0.1))) }
    return Metric(name: name, help: help, kind: .counter, content: .labelled(label, values))
  }

  /// What goes up and down.
  public static func gauge(_ name: StaticString, _ help: StaticString, _ value: Int) -> Metric {
    Metric(name: name, help: help, kind: .gauge, content: .single(.integer(Int64(value))))
  }

  /// What goes up and down.
  public static func gauge(_ name: StaticString, _ help: StaticString, _ value: Double) -> Metric {
    Metric(name: name, help: help, kind: .gauge, content: .single(.decimal(value)))
  }

  /// 1 or 0.
  public static func gauge(_ name: StaticString, _ help: StaticString, _ value: Bool) -> Metric {
    gauge(name, help, value ? 1 : 0)
  }

  /// What goes up and down, apart by a label.
  public static func gauge(
    _ name: StaticString, _ help: StaticString, by label: StaticString, _ values: [(String, Int)]
  ) -> Metric {
    let values = values.map { (value: $0.0, MetricValue.integer(Int64($0.1))) }
    return Metric(name: name, help: help, kind: .gauge, content: .labelled(label, values))
  }

  /// Always 1; the label tells.
  public static func note(
    _ name: StaticString, _ help: StaticString, by label: StaticString, _ value: String
  ) -> Metric {
    gauge(name, help, by: label, [(value, 1)])
  }

  /// How values are spread, in seconds.
  public static func histogram(_ name: StaticString, _ help: StaticString, _ histogram: Histogram) -> Metric {
    Metric(name: name, help: help, kind: .histogram, content: .histogram(histogram))
  }
}

extension Histogram {
  /// The ends of the ranges in seconds, each with the number of values up to it; the last is all.
  var cumulated: [(end: String, count: Int)] {
    var total = 0
    return counts.enumerated().map { range, count in
      total += count
      let end = range < bounds.count ? (Double(bounds[range]) / Double(unitsPerSecond)).description : "+Inf"
      return (end, total)
    }
  }

  /// The sum in seconds.
  var seconds: MetricValue { .decimal(Double(sum) / Double(unitsPerSecond)) }
}
